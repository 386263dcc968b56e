"""Layouts of published tables through a mapping file: JSON, parts of columns, raters without names, repeats."""

import json
from pathlib import Path

import pytest

from analysis import AnalysisError, SchemaError
from analysis.data.elsewhere.yaml_entries import MappingError
from analysis.data.mapping import read_judgements, read_mapped, read_ratings
from analysis.files.faults import noting


def test_decimal_commas_are_read_where_they_can_be_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("item;rater;score\ni1;r1;1,5\ni1;r2;2,5\ni2;r1;4\n")
    ratings = read_ratings(path, {"kind": "ratings", "columns": {n: n for n in ("item", "rater", "score")}})
    assert ratings.scores().tolist() == [1.5, 2.5, 4]


def test_a_file_without_quoting_is_read_where_the_mapping_says_so(tmp_path: Path) -> None:
    path = tmp_path / "answers.tsv"
    path.write_text('who\tpair\tsaid\twhy\nw1\tp1\ta\t"good\nw2\tp1\tb\t"bad" one\n')
    columns = {"participant": "who", "pair": "pair", "choice": "said", "rationale": "why"}
    with pytest.raises(
        SchemaError, match="row 2, column why: the quotation mark before 'good' is not closed"
    ):
        read_mapped(path, {"kind": "2afc", "columns": columns})
    found = read_mapped(path, {"kind": "2afc", "columns": columns, "quoting": "none"})
    assert found["rationale"].tolist() == ['"good', '"bad" one']


def test_names_that_look_alike_stay_and_are_noted_once(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("who,pair,said\nw1,p1,a\nw2,p1 ,b\nw2,p1\u200b,b\n", encoding="utf-8")
    with noting() as notes:
        found = read_mapped(
            path, {"kind": "2afc", "columns": {"participant": "who", "pair": "pair", "choice": "said"}}
        )
    assert found["pair"].nunique() == 3
    assert len(notes) == 1
    assert "column pair: 'p1' and 'p1 ' and 'p1\\u200b' differ only in" in notes[0]


# As PandaLM's test set is published, with made-up texts.
PANDALM = [
    {
        "idx": 0,
        "cmp_key": "bloom-7b_llama-7b",
        "input": "",
        "annotator1": 2,
        "annotator2": 2,
        "annotator3": 0,
    },
    {"idx": 1, "cmp_key": "bloom-7b_opt-7b", "input": "x", "annotator1": 1, "annotator2": 2, "annotator3": 1},
]
OF_PANDALM = """
kind: 2afc
columns:
  pair: idx
  source_a: {column: cmp_key, split: _, part: 1}
  source_b: {column: cmp_key, split: _, part: 2}
wide: {raters: "annotator{n}"}
values: {choice: {1: a, 2: b, 0: tie}}
"""


def test_an_array_of_json_with_two_sources_in_one_column(tmp_path: Path) -> None:
    path, mapping = tmp_path / "testset.json", tmp_path / "map.yaml"
    path.write_text(json.dumps(PANDALM))
    mapping.write_text(OF_PANDALM)
    found = read_mapped(path, mapping)
    assert found["choice"].tolist() == ["b", "b", "tie", "a", "b", "a"]
    assert found["source_a"].unique().tolist() == ["bloom-7b"]
    assert found["source_b"].tolist() == ["llama-7b"] * 3 + ["opt-7b"] * 3
    path.write_text(json.dumps([*PANDALM, {**PANDALM[0], "idx": 2, "cmp_key": "llama_7b_opt"}]))
    with pytest.raises(
        SchemaError, match="row 3, column cmp_key: 'llama_7b_opt' has 3 parts between '_'; allowed: 2"
    ):
        read_mapped(path, mapping)
    mapping.write_text(OF_PANDALM.replace("split: _", 'pattern: "(.+)_([^_]+)"'))
    assert read_mapped(path, mapping)["source_a"].tolist()[-1] == "llama_7b"


# As the workers' responses of a study of deepfakes are published: a file a task, in which workers' answers are nested.
def _task(*answers: tuple[str, bool, bool]) -> str:
    def said(fake: bool) -> dict[str, bool]:
        return {"fake": fake, "real": not fake}

    found = [
        {"answerContent": {"image1": said(one), "video1": said(two)}, "workerId": worker}
        for worker, one, two in answers
    ]
    return json.dumps({"answers": found})


def test_a_folder_of_json_with_nested_answers(tmp_path: Path) -> None:
    folder = tmp_path / "responses"
    folder.mkdir()
    for number in (0, 2, 10):
        (folder / f"{number}.json").write_text(_task(("w1", True, False), ("w2", False, False)))
    ratings = read_ratings(
        folder,
        {
            "kind": "ratings",
            "rows": "answers",
            "columns": {"rater": "workerId", "item": ["file", "{n}"]},
            "wide": {"items": {"score": "answerContent.{n}.fake"}},
            "values": {"score": {"true": "fake", "false": "real"}},
            "level": "nominal",
        },
    )
    assert list(dict.fromkeys(ratings.table["item"].astype(str))) == [
        f"{number}/{what}" for number in (0, 2, 10) for what in ("image1", "video1")
    ]
    assert ratings.table["score"].astype(str).tolist()[:4] == ["fake", "real", "real", "real"]
    judged = read_judgements(
        folder,
        {
            "kind": "yes-no",
            "rows": "answers",
            "classes": ["fake", "real"],
            "columns": {"participant": "workerId", "stimulus": ["file", "{n}"], "truth": ["file", "{n}"]},
            "wide": {"items": {"answer": "answerContent.{n}.fake"}},
            "values": {
                "answer": {"true": "fake", "false": "real"},
                "truth": {f"{n}/{w}": "fake" for n in (0, 2, 10) for w in ("image1", "video1")},
            },
        },
    )
    assert judged.table["truth"].astype(str).unique().tolist() == ["fake"]


@pytest.mark.parametrize(
    ("text", "rows", "said"),
    [
        ("{", None, "not JSON in UTF-8"),
        ("[]", None, "the file has no rows"),
        ("3", None, "the file is the value '3'; allowed: an array of objects"),
        ('{"a": 1}', "b", "there is no 'b' for `rows: b`; it has a"),
        ('{"a": {"b": 1}}', "a.b", "a.b is the value '1'; allowed: an array of objects"),
        ('[{"who": "w"}, 3]', None, "row 2: '3' is no object"),
        ('[{"who": ["w"], "pair": "p", "said": "a"}]', None, "row 1, column who: \"['w']\" is not one value"),
    ],
)
def test_json_that_is_no_table_is_refused(tmp_path: Path, text: str, rows: str | None, said: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    mapping = {"kind": "2afc", "columns": {"participant": "who", "pair": "pair", "choice": "said"}}
    with pytest.raises(AnalysisError) as caught:
        read_mapped(path, mapping | ({"rows": rows} if rows else {}))
    assert said in str(caught.value)


def test_criteria_of_raters_whom_nobody_names(tmp_path: Path) -> None:
    """As HANNA's raters are where their ids are left out: a row is one rater's scores of one story."""
    path = tmp_path / "hanna.csv"
    path.write_text(
        'Story ID,Story,Relevance,Coherence\n0,"Once,\nthere",4,3\n0,"Once,\nthere",5,2\n1,b,1,1\n'
    )
    mapping = {
        "kind": "ratings",
        "columns": {"item": "Story ID"},
        "criteria": ["Relevance", "Coherence"],
        "wide": {"anonymous": True},
    }
    table = read_ratings(path, mapping).table
    assert table.groupby("criterion", observed=True)["rater"].nunique().to_dict() == {
        "Relevance": 3,
        "Coherence": 3,
    }
    assert table["rater"].nunique() == 3
    with pytest.raises(MappingError, match="criteria is a layout of its own"):
        read_ratings(path, {**mapping, "wide": {"raters": "R{n}"}})


def test_a_pair_answered_twice_by_one_person_and_positions_from_0(tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    path.write_text("who,pair,said,round,at\nw1,p2,a,1,0\nw1,p1,b,1,1\nw1,p1,a,2,0\nw2,p1,a,1,0\n")
    columns = {"participant": "who", "pair": "pair", "choice": "said", "position": "at"}
    with pytest.raises(SchemaError):
        read_mapped(path, {"kind": "2afc", "columns": columns, "positions_from": 0})
    found = read_mapped(
        path, {"kind": "2afc", "columns": {**columns, "repeat": "round"}, "positions_from": 0}
    )
    assert found["position"].tolist() == [1, 2, 1, 1]
    assert found["session"].tolist() == ["w1-1", "w1-1", "w1-2", "w2-1"]
    assert found["participant"].tolist() == ["w1", "w1", "w1", "w2"]


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"column": "x", "split": "_"}, "part is missing"),
        ({"column": "x", "part": 1}, "give one of split and pattern"),
        ({"column": "x", "part": 0, "split": "_"}, "'0' is no part"),
        ({"column": "x", "part": 2, "pattern": "(a"}, "no pattern"),
        ({"column": "x", "part": 2, "pattern": "(a)"}, "the pattern has 1 groups"),
        ({"column": "x", "part": 2, "by": "_"}, "by"),
    ],
)
def test_a_part_of_a_column_that_cannot_be_is_refused(
    tmp_path: Path, part: dict[str, object], said: str
) -> None:
    mapping = {"kind": "2afc", "columns": {"participant": "w", "choice": "c", "pair": part}}
    with pytest.raises(MappingError, match=said):
        read_mapped(tmp_path / "a.csv", mapping)
