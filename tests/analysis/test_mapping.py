"""Tables from elsewhere through a mapping file: the same numbers as ours, and every fault with its place."""

import csv
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import AnalysisError, analyze
from analysis.data.elsewhere.yaml_entries import MappingError
from analysis.data.mapping import mapping_kind, read_mapped, read_ratings
from tests.analysis.tables import HNTT, answer, checked, published, write_csv

pytestmark = pytest.mark.slow

ROWS = [
    {"worker": "w1", "item": "i1", "answer": "A", "conf": "very sure", "right": "A", "note": "legs, arms"},
    {"worker": "w1", "item": "i2", "answer": "B", "conf": "unsure", "right": "A", "note": ""},
    {"worker": "007", "item": "i1", "answer": "0", "conf": "sure", "right": "A", "note": "x"},
]
MAPPING = """\
kind: 2afc
study: elsewhere-1
columns:
  participant: worker
  pair: item
  choice: answer
  uncertainty: conf
  truth: right
  rationale: note
values:
  choice: {A: a, B: b, 0: ""}
  truth: {A: a, B: b}
  uncertainty: {very sure: 1, sure: 2, unsure: 4}
constants: {condition: human-agent, source_a: human, source_b: bot}
"""


def files(
    tmp_path: Path, mapping: str = MAPPING, rows: list[dict[str, str]] = ROWS, name: str = "answers.csv"
) -> tuple[Path, Path]:
    map_path = tmp_path / "map.yaml"
    map_path.write_text(mapping, encoding="utf-8")
    return write_csv(tmp_path / name, rows), map_path


def mapped(tmp_path: Path, mapping: str = MAPPING, rows: list[dict[str, str]] = ROWS) -> list[dict[str, Any]]:
    frame = read_mapped(*files(tmp_path, mapping, rows))
    return frame.astype(object).where(frame.notna(), None).to_dict("records")  # type: ignore[return-value]


def refusal(tmp_path: Path, mapping: str = MAPPING, rows: list[dict[str, str]] = ROWS) -> str:
    path, map_path = files(tmp_path, mapping, rows)
    with pytest.raises(AnalysisError) as caught:
        read_mapped(path, map_path)
    said = str(caught.value)
    assert "\n" not in said
    return said.replace(f"{tmp_path}/", "")


def test_columns_and_values_become_ours_and_the_rest_is_what_anybody_would_say(tmp_path: Path) -> None:
    """By hand."""
    path, map_path = files(tmp_path)
    shared = {
        "study": "elsewhere-1",
        "version": "1",
        "condition": "human-agent",
        "source_a": "human",
        "source_b": "bot",
        "truth": "a",
        "left": "",
        "flags": "order-not-recorded",
    }
    expected = checked(
        answer(participant="w1", pair="i1", choice="a", uncertainty="1", rationale="legs, arms", **shared),
        answer(participant="w1", pair="i2", choice="b", uncertainty="4", position="2", **shared),
        answer(participant="007", pair="i1", choice="", uncertainty="2", rationale="x", **shared),
    )
    pd.testing.assert_frame_equal(read_mapped(path, map_path), expected)
    assert mapping_kind(map_path) == "2afc"


def test_the_published_answers_through_a_mapping_give_the_published_numbers(tmp_path: Path) -> None:
    """Source: the reader of the HNTT layout, whose numbers are held against the paper's."""
    map_path = tmp_path / "hntt.yaml"
    map_path.write_text(
        """\
kind: 2afc
columns: {study: studyno, participant: subjno, pair: question_id, choice: subj_resp, truth: ground,
          uncertainty: certainty, source_a: vidA_type, source_b: vidB_type}
constants: {left: a}
values:
  study: {1: hntt-1, 2: hntt-2}
  choice: {A: left, B: right, 0: ""}
  truth: {A: left, B: right, 0: ""}
  source_a: {1: human, 2: hybrid, 3: symbolic}
  source_b: {1: human, 2: hybrid, 3: symbolic}
""",
        encoding="utf-8",
    )
    ours = published(0).studies
    theirs = analyze(read_mapped(HNTT, map_path), resamples=0).studies
    for one, two in zip(ours, theirs, strict=True):
        assert (one.study, one.accuracy, one.uncertainty) == (two.study, two.accuracy, two.uncertainty)
        assert one.against_chance == two.against_chance


@pytest.mark.parametrize("name", ["answers.tsv", "answers.dat"])
def test_other_delimiters_are_read(tmp_path: Path, name: str) -> None:
    mapping = MAPPING if name.endswith("tsv") else MAPPING + "delimiter: ;\n"
    path, map_path = files(tmp_path, mapping)
    other = tmp_path / name
    with other.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(ROWS[0]), delimiter="\t" if name.endswith("tsv") else ";")
        writer.writeheader()
        writer.writerows(ROWS)
    map_path.write_text(MAPPING)
    expected = read_mapped(path, map_path)
    map_path.write_text(mapping)
    pd.testing.assert_frame_equal(read_mapped(other, map_path), expected)


def test_jsonl_and_parquet_with_typed_cells_are_read(tmp_path: Path) -> None:
    mapping = MAPPING.replace("{very sure: 1, sure: 2, unsure: 4}", "{7: 1, 5: 2, 3: 4}")
    typed: list[dict[str, Any]] = [
        {**row, "conf": {"very sure": 7, "sure": 5, "unsure": 3}[row["conf"]], "note": row["note"] or None}
        for row in ROWS
    ]
    path, map_path = files(tmp_path, mapping, [{k: str(v or "") for k, v in row.items()} for row in typed])
    expected = read_mapped(path, map_path)
    (tmp_path / "a.jsonl").write_text(
        "".join(json.dumps({k: v for k, v in row.items() if v is not None}) + "\n" for row in typed)
    )
    pd.DataFrame(typed).astype({"conf": "float64"}).to_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(read_mapped(tmp_path / "a.jsonl", map_path), expected)
    pd.testing.assert_frame_equal(read_mapped(tmp_path / "a.parquet", map_path), expected)


SIDED = """\
kind: 2afc
columns: {participant: who, choice: pressed, truth: human_side, source_a: left_model, source_b: right_model, pair: item}
constants: {left: a}
"""


def sided(who: str, pressed: str, human: str, left: str, right: str, item: str = "i1") -> dict[str, str]:
    return {
        "who": who,
        "pressed": pressed,
        "human_side": human,
        "left_model": left,
        "right_model": right,
        "item": item,
    }


def test_sides_become_members_and_a_pair_is_turned_one_way_round(tmp_path: Path) -> None:
    """By hand: two people see the human on the left, one on the right; each presses left."""
    rows = [
        sided("1", "left", "left", "human", "bot"),
        sided("2", "left", "right", "bot", "human"),
        sided("3", "left", "left", "human", "bot"),
    ]
    found = mapped(tmp_path, SIDED, rows)
    assert [(r["source_a"], r["truth"], r["left"], r["choice"]) for r in found] == [
        ("human", "a", "a", "a"),
        ("human", "a", "b", "b"),
        ("human", "a", "a", "a"),
    ]
    assert [row["correct"] for row in found] == [True, False, True]
    assert {row["stimulus_a"] for row in found} == {"i1-a"}


@settings(deadline=None, max_examples=10)
@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["left", "right", ""])), min_size=1, max_size=8))
def test_what_was_chosen_does_not_depend_on_how_the_rows_stand(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[bool, str]]
) -> None:
    given_rows = [
        sided(str(who), pressed, "left" if human_left else "right", *models, item=f"i{who % 2}")
        for who, (human_left, pressed) in enumerate(rows)
        for models in [("human", "bot") if human_left else ("bot", "human")]
    ]
    found = mapped(tmp_path_factory.mktemp("m"), SIDED, given_rows)
    for row, one in zip(given_rows, found, strict=True):
        pressed = row["pressed"] and row[f"{row['pressed']}_model"]
        assert (one["chosen_source"] or "") == pressed
        assert one["correct"] == (pressed == "human" if pressed else None)
    for item in ("i0", "i1"):
        assert len({one["source_a"] for one in found if one["pair"] == item}) <= 1


def test_choices_and_truths_may_be_names_of_sources_and_clips(tmp_path: Path) -> None:
    mapping = """\
kind: 2afc
columns: {participant: who, stimulus_a: clip1, stimulus_b: clip2, source_a: model1, source_b: model2, choice: winner}
constants: {truth: human}
named_by: {choice: stimulus, truth: source}
"""
    rows = [
        {"who": "1", "clip1": "x", "clip2": "y", "model1": "human", "model2": "bot", "winner": "y"},
        {"who": "2", "clip1": "y", "clip2": "x", "model1": "bot", "model2": "human", "winner": "x"},
        {"who": "2", "clip1": "y", "clip2": "z", "model1": "bot", "model2": "bot", "winner": ""},
    ]
    found = mapped(tmp_path, mapping, rows)
    assert [row["pair"] for row in found] == ["x | y", "x | y", "y | z"]
    assert [(r["stimulus_a"], r["truth"], r["choice"], r["correct"]) for r in found] == [
        ("x", "a", "b", False),
        ("x", "a", "a", True),
        ("y", None, None, None),
    ]
    said = refusal(tmp_path, mapping, [rows[0] | {"winner": "q"}])
    assert said == (
        "answers.csv: row 2, column winner (our choice): 'q' is not the stimulus of one of the clips; "
        "allowed: the stimulus of one, tie, or empty"
    )


def test_only_right_or_wrong_is_enough(tmp_path: Path) -> None:
    """As docs/analysis.md shows: the truth is always a, and a wrong answer chose b."""
    mapping = """\
kind: 2afc
columns: {participant: worker, pair: item, choice: correct}
values: {choice: {1: a, 0: b}}
constants: {truth: a}
"""
    rows = [{"worker": "w", "item": f"i{n}", "correct": text} for n, text in enumerate("101")]
    assert [row["correct"] for row in mapped(tmp_path, mapping, rows)] == [True, False, True]
    assert {row["study"] for row in mapped(tmp_path, mapping, rows)} == {"answers"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("kind: 2afc\n", "", "map.yaml: line 1, kind: the key is missing; give one of: 2afc, ratings"),
        ("2afc", "3afc", "map.yaml: line 1, kind: '3afc' is not allowed; allowed: 2afc, ratings"),
        (
            "constants:",
            "constant:",
            "map.yaml: line 14, constant: the name is not known (do you mean 'constants'?); allowed: kind, study,",
        ),
        (
            "  pair: item",
            "  pairs: item",
            "map.yaml: line 5, columns.pairs: the name is not known (do you mean 'pair'?); allowed: study, version,",
        ),
        (
            "choice: answer",
            "choice: anwser",
            "map.yaml: line 6, columns.choice: answers.csv has no column 'anwser' (do you mean 'answer'?); it has:",
        ),
        (
            "  participant: worker\n",
            "",
            "map.yaml: line 3, columns: no column is given for participant; add `participant: their column`",
        ),
        (
            "  pair: item\n",
            "",
            "map.yaml: line 3, columns: no column is given for pair, nor for stimulus_a and stimulus_b; add `pair:",
        ),
        (
            "{A: a, B: b, 0:",
            "{A: x, B: b, 0:",
            "map.yaml: line 11, values.choice.A: 'x' is not allowed; allowed: left, right, a, b, tie, or empty",
        ),
        (
            "very sure: 1",
            "very sure: 12",
            "map.yaml: line 13, values.uncertainty.very sure: '12' is not allowed; allowed: a whole number, 1 to 11",
        ),
        (
            "condition: human-agent",
            "choice: a",
            "map.yaml: line 14, constants.choice: columns gives choice too (line 6); remove one of the two",
        ),
        (
            "condition: human-agent",
            "study: x",
            "map.yaml: line 2, study: columns or constants gives it too; remove one of the two",
        ),
        (
            "condition: human-agent",
            "mode: alive",
            "map.yaml: line 14, constants.mode: 'alive' is not allowed; allowed: live, simulated, pilot, preview",
        ),
        (
            "uncertainty: {very",
            "rationale: {very",
            "map.yaml: line 13, values.rationale: free text has no values; remove them",
        ),
        (
            "uncertainty: {very",
            "arm: {very",
            "map.yaml: line 13, values.arm: no column is given for arm; add arm to columns, or remove its values",
        ),
        (
            "constants:",
            "named_by: {choice: model}\nconstants:",
            "map.yaml: line 14, named_by.choice: 'model' is not allowed; allowed: source, stimulus",
        ),
        (
            "constants:",
            "named_by: {choice: stimulus}\nconstants:",
            "map.yaml: line 14, named_by.choice: stimulus_a and stimulus_b are not both given; add them to columns",
        ),
        (
            "constants:",
            "delimiter: ;;\nconstants:",
            "map.yaml: line 14, delimiter: ';;' is not allowed; give one character, or tab",
        ),
        (
            "  pair: item",
            "  participant: item",
            "map.yaml: line 5, columns.participant: the key comes twice (line 4); remove one of the two",
        ),
        (
            "  pair: item",
            "  pair: [item]",
            "map.yaml: line 5, columns.pair: [item] joins nothing; list two or more columns",
        ),
        (
            "constants: {",
            "constants: [",
            "map.yaml: line 14: not readable as YAML (",
        ),
        ("constants: {condition: human-agent, source_a: human, source_b: bot}", "constants: x", "map.yaml: line 14"),
    ],
)  # fmt: skip
def test_a_bad_entry_of_the_mapping_is_named_by_its_line(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in MAPPING
    assert refusal(tmp_path, MAPPING.replace(old, new, 1)).startswith(said)


def test_a_value_that_the_mapping_does_not_list_is_named_as_it_stands_in_the_file(tmp_path: Path) -> None:
    said = refusal(tmp_path, rows=[*ROWS, ROWS[0] | {"item": "i3", "answer": "C"}])
    assert said == (
        "answers.csv: row 5, column answer (our choice): 'C' is not allowed; allowed: a, b, tie, or empty; "
        "say what it is with us under `values`, `choice` in map.yaml"
    )
    said = refusal(tmp_path, rows=[*ROWS, ROWS[0] | {"item": "i3", "conf": "dunno"}])
    assert said.startswith("answers.csv: row 5, column conf (our uncertainty): 'dunno' is not allowed;")
    said = refusal(tmp_path, rows=[*ROWS, ROWS[0] | {"worker": "", "item": "i3"}])
    assert said.startswith("answers.csv: row 5, column worker (our participant): the cell is empty;")


def test_a_second_answer_to_a_pair_is_refused_in_their_words(tmp_path: Path) -> None:
    said = refusal(tmp_path, rows=[*ROWS, ROWS[1]])
    assert said.startswith("answers.csv: row 5, column item (our pair): 'i2' was already answered in row 3")


def test_a_side_without_left_is_refused(tmp_path: Path) -> None:
    said = refusal(
        tmp_path, SIDED.replace("constants: {left: a}\n", ""), [sided("1", "left", "left", "h", "b")]
    )
    assert said == (
        "answers.csv: row 2, column human_side (our truth): 'left' is a side, and nothing says which member was on the "
        "left; allowed: a, b, or empty; else give `left`, such as `constants: {left: a}` where a was always there"
    )


def test_a_pair_that_shows_different_sources_is_refused(tmp_path: Path) -> None:
    rows = [sided("1", "left", "left", "human", "bot"), sided("2", "left", "left", "human", "ape")]
    said = refusal(tmp_path, SIDED, rows)
    assert said.startswith(
        "answers.csv: row 3, column item (our pair): pair 'i1' shows human and ape in row 3, "
        "but human and bot in row 2;"
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "map.yaml: line 1: the file is empty; start with `kind: 2afc`"),
        (b"- a\n", "map.yaml: line 1: this is no list of keys;"),
        (b"a,b\n1,2\n", "map.yaml: line 1: this is no list of keys;"),
        (b"kind: \xff\n", "map.yaml: the file is not UTF-8;"),
        (b"kind: *nothing\n", "map.yaml: line 1: not readable as YAML (found undefined alias"),
        (b"? [a]\n: b\n", "map.yaml: line 1: a key must be one text;"),
        (b"kind: ratings\ncolumns: {}\n", "map.yaml: line 1, kind: this maps ratings, and 2AFC answers are needed;"),
        (b"x" * 1_000_001, "map.yaml: the file is too large for a mapping"),
        (b"[" * 100_000, "map.yaml: line 1: not readable as YAML"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path, map_path = files(tmp_path)
    map_path.write_bytes(content)
    with pytest.raises(AnalysisError) as caught:
        read_mapped(path, map_path)
    assert str(caught.value).removeprefix(f"{tmp_path}/").startswith(said)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    path, map_path = files(tmp_path)
    for bad_path, bad_map, said in (
        (tmp_path / "no.csv", map_path, "no.csv: cannot be read (No such file or directory)"),
        (path, tmp_path / "no.yaml", "no.yaml: cannot be read (No such file or directory)"),
        (
            tmp_path / "answers.xlsx",
            map_path,
            "the suffix '.xlsx' is not known; allowed: .csv, .tsv, .txt, .json, .jsonl",
        ),
        (tmp_path, map_path, "the folder has no file *.json"),
    ):
        with pytest.raises(AnalysisError) as caught:
            read_mapped(bad_path, bad_map)
        assert said in str(caught.value)
        assert not isinstance(caught.value, MappingError)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.jsonl", b'{"worker": 1}\n[1]\n', "row 2: '[1]'; allowed: one JSON object to a line"),
        ("a.jsonl", b'{"worker": 1}\n{oh\n', "row 2: not one JSON object in UTF-8"),
        ("a.jsonl", b"", "has no column 'worker'"),
        ("a.tsv", b"worker\titem\n1\t2\t3\n", "has no column 'answer'"),
        ("a.parquet", b"worker", "not a Parquet file"),
        (
            "a.tsv",
            b"worker\titem\tanswer\tconf\tright\tnote\n1\t2\n",
            "the row has 2 fields; allowed: 6 fields",
        ),
        ("a.tsv", b"worker\titem\tanswer\tconf\tright\tnote\n", "the file has no rows"),
        ("a.csv", b"worker,item,answer,conf,right,note,note\n", "the column stands 2 times"),
    ],
)
def test_a_bad_table_is_refused_in_one_line(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    _, map_path = files(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(AnalysisError) as caught:
        read_mapped(tmp_path / name, map_path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nested_cells_are_refused(tmp_path: Path) -> None:
    _, map_path = files(tmp_path)
    nested = [dict(row, answer=["A"]) for row in ROWS]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in nested))
    pd.DataFrame(nested).to_parquet(tmp_path / "a.parquet")
    for name in ("a.jsonl", "a.parquet"):
        with pytest.raises(AnalysisError, match="row 1, column answer"):
            read_mapped(tmp_path / name, map_path)


# As navigation agents were judged: a scene and a seed name what was shown, neither of them alone.
SCENES = """\
Scene,Seed,Agent 1,Agent 2,Annotator,More human
kitchen,1,human,planner,ann,1
kitchen,2,human,planner,ann,2
hall,1,human,planner,ann,1
kitchen,1,human,planner,bob,1
"""
OF_SCENES = """\
kind: 2afc
columns: {participant: Annotator, pair: [Scene, Seed], source_a: Agent 1, source_b: Agent 2, choice: More human}
values: {choice: {1: a, 2: b}}
"""


def scenes(tmp_path: Path, mapping: str = OF_SCENES, rows: str = SCENES) -> tuple[Path, Path]:
    (tmp_path / "scenes.csv").write_text(rows)
    (tmp_path / "scenes.yaml").write_text(mapping)
    return tmp_path / "scenes.csv", tmp_path / "scenes.yaml"


def test_two_columns_together_name_a_pair(tmp_path: Path) -> None:
    assert read_mapped(*scenes(tmp_path))["pair"].astype("str").tolist() == [
        "kitchen/1",
        "kitchen/2",
        "hall/1",
        "kitchen/1",
    ]
    dashed = read_mapped(*scenes(tmp_path, OF_SCENES + 'joined_by: " - "\n'))
    assert sorted(dashed["pair"].cat.categories) == ["hall - 1", "kitchen - 1", "kitchen - 2"]


def test_two_columns_together_name_an_item_in_every_kind_of_file(tmp_path: Path) -> None:
    table = pd.DataFrame({"scene": ["a", "a", "b"], "seed": [1, 2, None], "who": "x", "score": [3, 4, 5]})
    mapping = {"kind": "ratings", "columns": {"item": ["scene", "seed"], "rater": "who", "score": "score"}}
    path = tmp_path / "scores.parquet"
    table.astype({"seed": "Int64"}).to_parquet(path)
    assert read_ratings(path, mapping).table["item"].astype("str").tolist() == ["a/1", "a/2", "b/"]
    wide = {"kind": "ratings", "columns": {"item": ["scene", "seed"]}, "wide": {"raters": ["score"]}}
    assert read_ratings(path, wide).table["item"].astype("str").tolist() == ["a/1", "a/2", "b/"]


def test_rows_that_only_look_the_same_when_joined_are_refused(tmp_path: Path) -> None:
    rows = SCENES + "hall/1,1,human,planner,ann,1\nhall,1/1,human,planner,ann,2\n"
    with pytest.raises(
        AnalysisError, match="are both 'hall/1/1' when joined by '/'; give another `joined_by`"
    ):
        read_mapped(*scenes(tmp_path, rows=rows))
    assert (
        "hall|1/1"
        in read_mapped(*scenes(tmp_path, OF_SCENES + "joined_by: '|'\n", rows))["pair"].cat.categories
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            ("[Scene, Seed]", "[Scene]"),
            "line 2, columns.pair: [Scene] joins nothing; list two or more columns",
        ),
        (("[Scene, Seed]", "[Scene, Scene]"), "line 2, columns.pair: [Scene, Scene] joins nothing"),
        (("[Scene, Seed]", "[Scene, Sead]"), "line 2, columns.pair: "),
        (
            ("[Scene, Seed]", "Scene}\njoined_by: x\nconstants: {arm: main"),
            "line 3, joined_by: no columns are joined",
        ),
    ],
)
def test_a_bad_list_of_columns_is_named_by_its_line(
    tmp_path: Path, changed: tuple[str, str], said: str
) -> None:
    paths = scenes(tmp_path, OF_SCENES.replace(*changed))
    with pytest.raises(MappingError) as caught:
        read_mapped(*paths)
    assert said in str(caught.value)


def test_an_order_that_nobody_recorded_gives_neither_order_nor_learning(tmp_path: Path) -> None:
    """Five people who get better row by row; with a column of positions it is seen, without one it is not claimed."""
    rows = [
        {
            "who": f"w{person}",
            "item": f"i{number}",
            "place": str(number),
            "said": "a" if number > person else "b",
        }
        for person in range(5)
        for number in range(1, 9)
    ]
    path = write_csv(tmp_path / "theirs.csv", rows)
    columns = "participant: who, pair: item, choice: said"
    constant = "constants: {source_a: human, source_b: bot, truth: a}"
    learned = {}
    for place in (", position: place", ""):
        mapping = tmp_path / "map.yaml"
        mapping.write_text(f"kind: 2afc\ncolumns: {{{columns}{place}}}\n{constant}\n", encoding="utf-8")
        learned[place] = analyze(read_mapped(path, mapping), resamples=20).studies[0].bias
    known, unknown = learned.values()
    assert known.learning.slope.mean is not None
    assert known.learning.slope.mean > 0
    assert known.order.reason is None
    assert unknown.learning.slope.mean is None
    assert len(unknown.order.positions) == 0
    assert "in which order" in (unknown.learning.reason or "")
    assert unknown.side.to_dict() == known.side.to_dict()
