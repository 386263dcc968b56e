"""docs/judges.md is what the code does: its example is run, its columns and baselines are compared."""

import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from app.judges.base import Judge, JudgeFailed, StimulusFiles
from app.judges.registry import OURS
from app.judges.runner import COLUMNS
from tests.judges.files import pair_of

PAGE = (Path(__file__).parent.parent.parent / "docs" / "judges.md").read_text(encoding="utf-8")


def example() -> Judge:
    """The judge of the page, from its text."""
    module = ModuleType("longer")
    exec(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0], module.__dict__)
    judge: Judge = module.Longer()
    return judge


def test_the_pages_judge_is_a_judge(stimuli: Sequence[StimulusFiles]) -> None:
    """The second clip lasts two seconds, the third one."""
    judge = example()
    judge.prepare()
    verdict = judge.judge(pair_of(stimuli[1], stimuli[2]))
    assert verdict.choice == "a"
    assert verdict.score == pytest.approx(1000, abs=40)
    with pytest.raises(JudgeFailed, match=r"gone\.mp4 is not there"):
        judge.judge(pair_of(StimulusFiles(Path("gone.mp4"), None), stimuli[0]))


def rows_of(heading: str) -> Sequence[str]:
    """The first cells of the first table below a heading."""
    section = PAGE.partition(f"## {heading}")[2].partition("\n## ")[0]
    table = section.partition("|---")[2].split("\n\n")[0]
    return re.findall(r"^\| `([\w-]+)`", table, re.MULTILINE)


def test_the_columns_are_the_codes() -> None:
    assert tuple(rows_of("The file of verdicts")) == COLUMNS


def test_every_judge_is_on_the_page() -> None:
    assert [*rows_of("The three baselines"), *rows_of("Baselines of records and texts")] == [*OURS]
