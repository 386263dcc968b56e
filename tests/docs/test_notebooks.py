"""The notebooks run as they stand, their numbers are the file's, and git keeps no output of them."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tools.notebooks import NOTEBOOKS, Cell, NotebookFailed, ran

pytestmark = pytest.mark.slow

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))


def run(name: str, folder: Path) -> list[Cell]:
    return list(ran(NOTEBOOKS / f"{name}.ipynb", folder))


def test_labels_and_accuracy_are_those_counted_by_hand_from_the_notebooks_own_file(tmp_path: Path) -> None:
    cells = run("labels-and-accuracy", tmp_path)
    answers = pd.concat([pd.read_csv(tmp_path / name) for name in ("hybrid.csv", "symbolic.csv")])
    labels = pd.read_csv(tmp_path / "labels.csv").set_index("pair")
    votes = answers.groupby("pair")["choice"].value_counts().unstack(fill_value=0)
    assert len(labels) == 24
    assert (labels["votes_a"] == votes["a"]).all()
    assert (labels["majority"] == "a").equals(votes["a"] > votes["b"])
    people = answers.groupby(["study", "participant"])["correct"].mean().groupby("study").mean()
    text = "".join(cell.text for cell in cells)
    for study in ("hybrid-agent", "symbolic-agent"):
        assert f"{study}: {people[study]:.3f} [" in text
    assert "independent" in text
    assert [cell.svg.count("<svg") for cell in cells if cell.svg] == [1]


def test_a_judge_that_sees_is_above_one_that_guesses_and_each_has_the_ceiling_beside_it(
    tmp_path: Path,
) -> None:
    cells = run("validating-a-judge", tmp_path)
    table = next(cell.text for cell in cells if cell.text.lstrip().startswith("judge"))
    rows = {line.split()[1]: [float(cell) for cell in line.split()[2:]] for line in table.splitlines()[1:]}
    assert rows["guessing"][0] < 0.6 < rows["seeing"][0]
    people = pd.read_csv(tmp_path / "responses.csv")
    assert 0.5 < rows["seeing"][3] == rows["guessing"][3] < people["correct"].mean() + 0.1
    assert "May it replace people?" in "".join(cell.text for cell in cells)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_git_keeps_no_output_and_the_file_is_a_notebook(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert cells[0]["source"][0].startswith("# ")
    for cell in cells:
        assert cell["metadata"] == {}, cell["id"]
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None), cell["id"]


def test_a_cell_that_fails_is_named(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# t"]},
        {"cell_type": "code", "source": ["1 +\n", "1"]},
        {"cell_type": "code", "source": ["1 / 0"]},
    ]
    path = tmp_path / "bad.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    with pytest.raises(NotebookFailed, match=r"bad\.ipynb, cell 2: SyntaxError"):
        list(ran(path, tmp_path))
    cells[1]["source"] = ["print('x')\n", "2"]
    path.write_text(json.dumps({"cells": cells}))
    running = ran(path, tmp_path)
    assert [next(running).text, next(running).text] == ["", "x\n2\n"]
    with pytest.raises(NotebookFailed, match=r"bad\.ipynb, cell 3: ZeroDivisionError: division by zero"):
        next(running)
