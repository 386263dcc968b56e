"""Tables with several answers in a row: read back, they are the long table that they were made from."""

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis import AnalysisError, hntt_responses, read_hntt
from analysis.__main__ import main
from analysis.data.mapping import ANONYMOUS, mapping_kind, mapping_notes, read_mapped, read_ratings
from tests.analysis.tables import HNTT

pytestmark = pytest.mark.slow

# who, what about, which of the two, how uncertain
Answer = tuple[str, str, str, str]

names = st.text("abcdefgh0123456789 ,;'\"[]{}é", min_size=1, max_size=6).filter(
    lambda text: text == text.strip()
)
answers = st.dictionaries(
    st.tuples(names, names),
    st.tuples(st.sampled_from("ab"), st.sampled_from(["", "1", "3", "5"])),
    min_size=1,
    max_size=12,
).map(lambda table: [(who, item, *given) for (who, item), given in table.items()])


def as_csv(header: Iterable[str], rows: Iterable[Iterable[str]], path: Path) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(header), *map(list, rows)])
    return path


def by(table: list[Answer], place: int) -> dict[str, list[Answer]]:
    groups: dict[str, list[Answer]] = defaultdict(list)
    for answer in table:
        groups[answer[place]].append(answer)
    return groups


def long_form(table: list[Answer], folder: Path) -> str:
    as_csv(["who", "what", "which", "unsure"], table, folder / "t.csv")
    return "columns: {participant: who, pair: what, choice: which, uncertainty: unsure}"


def a_column_for_each_rater(table: list[Answer], folder: Path) -> str:
    people = sorted(by(table, 0))
    header = ["what", *(f"{kind} {who}" for who in people for kind in ("choice", "unsure"))]
    rows = []
    for item, some in by(table, 1).items():
        given = {who: (choice, unsure) for who, _, choice, unsure in some}
        rows.append([item, *(cell for who in people for cell in given.get(who, ("", "")))])
    as_csv(header, rows, folder / "t.csv")
    return 'columns: {pair: what}\nwide: {raters: {choice: "choice {n}", uncertainty: "unsure {n}"}}'


def columns_for_each_item(table: list[Answer], folder: Path) -> str:
    items = sorted(by(table, 1))
    header = ["who", *(f"{item}{kind}" for item in items for kind in ("_c", "_c_u"))]
    rows = []
    for who, some in by(table, 0).items():
        given = {item: (choice, unsure) for _, item, choice, unsure in some}
        rows.append([who, *(cell for item in items for cell in given.get(item, ("", "")))])
    as_csv(header, rows, folder / "t.csv")
    return 'columns: {participant: who}\nwide: {items: {choice: "{n}_c", uncertainty: "{n}_c_u"}}'


def arrays_in_cells(table: list[Answer], folder: Path) -> str:
    rows = [
        [item, *(json.dumps([answer[place] for answer in some]) for place in (0, 2, 3))]
        for item, some in by(table, 1).items()
    ]
    as_csv(["what", "who", "which", "unsure"], rows, folder / "t.csv")
    return "columns: {pair: what}\nwide: {lists: {participant: who, choice: which, uncertainty: unsure}}"


def lists_as_python_prints_them(table: list[Answer], folder: Path) -> str:
    rows = [
        [item, *(str([answer[place] for answer in some]) for place in (0, 2, 3))]
        for item, some in by(table, 1).items()
    ]
    as_csv(["what", "who", "which", "unsure"], rows, folder / "t.csv")
    return "columns: {pair: what}\nwide: {lists: {participant: who, choice: which, uncertainty: unsure}}"


def arrays_of_objects(table: list[Answer], folder: Path) -> str:
    lines = [
        json.dumps({"what": item, "votes": [{"who": who, "which": c, "unsure": u} for who, _, c, u in some]})
        for item, some in by(table, 1).items()
    ]
    (folder / "t.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return (
        "columns: {pair: what}\n"
        "wide: {lists: {participant: votes.who, choice: votes.which, uncertainty: votes.unsure}}"
    )


def lists_in_parquet(table: list[Answer], folder: Path) -> str:
    rows = [
        {
            "what": item,
            "votes": {name: [a[place] for a in some] for place, name in ((0, "who"), (2, "which"), (3, "u"))},
        }
        for item, some in by(table, 1).items()
    ]
    pd.DataFrame(rows).to_parquet(folder / "t.parquet")
    return (
        "columns: {pair: what}\n"
        "wide: {lists: {participant: votes.who, choice: votes.which, uncertainty: votes.u}}"
    )


def read(write: Callable[[list[Answer], Path], str], table: list[Answer], folder: Path) -> pd.DataFrame:
    for old in folder.glob("t.*"):
        old.unlink()
    (folder / "map.yaml").write_text(f"kind: 2afc\n{write(table, folder)}\n", encoding="utf-8")
    [path] = folder.glob("t.*")
    return read_mapped(path, folder / "map.yaml")


def answers_of(frame: pd.DataFrame) -> list[Answer]:
    cells = frame[["participant", "pair", "choice", "uncertainty"]].astype(object)
    return sorted((p, q, c, "" if u is pd.NA else str(u)) for p, q, c, u in cells.itertuples(index=False))


LAYOUTS = (
    a_column_for_each_rater,
    columns_for_each_item,
    arrays_in_cells,
    lists_as_python_prints_them,
    arrays_of_objects,
    lists_in_parquet,
)


@settings(deadline=None, max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=answers)
def test_a_long_table_in_a_wide_layout_is_read_back_as_it_was(tmp_path: Path, table: list[Answer]) -> None:
    key = ["participant", "pair"]
    expected = read(long_form, table, tmp_path)
    assert answers_of(expected) == sorted(table)
    for write in LAYOUTS:
        found = read(write, table, tmp_path)
        # The order of answering is the order of the rows, which another layout does not keep.
        ours, theirs = (
            frame.drop(columns="position").astype("str").sort_values(key, ignore_index=True)
            for frame in (expected, found)
        )
        pd.testing.assert_frame_equal(theirs, ours)


@settings(deadline=None, max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=answers)
def test_counts_and_rows_without_raters_are_the_votes_of_a_pair_and_nobodys(
    tmp_path: Path, table: list[Answer]
) -> None:
    def counts(table: list[Answer], folder: Path) -> str:
        rows = [
            [item, *(str(sum(answer[2] == which for answer in some) or "") for which in "ab")]
            for item, some in by(table, 1).items()
        ]
        as_csv(["what", "for a", "for b"], rows, folder / "t.csv")
        return 'columns: {pair: what}\nwide: {counts: {"for a": a, "for b": b}}'

    def without_raters(table: list[Answer], folder: Path) -> str:
        as_csv(["what", "which"], [answer[1:3] for answer in table], folder / "t.csv")
        return "columns: {pair: what, choice: which}\nwide: {anonymous: true}"

    for write in (counts, without_raters):
        found = read(write, table, tmp_path)
        votes = Counter(zip(found["pair"], found["choice"], strict=True))
        assert votes == Counter(answer[1:3] for answer in table)
        assert found["participant"].nunique() == len(table)
        assert mapping_notes(tmp_path / "map.yaml") == (ANONYMOUS,)
    assert mapping_notes(_mapping(tmp_path, "columns: {pair: p, choice: c, participant: w}")) == ()


def _mapping(folder: Path, text: str, kind: str = "2afc") -> Path:
    (folder / "map.yaml").write_text(f"kind: {kind}\n{text}\n", encoding="utf-8")
    return folder / "map.yaml"


def _scores(folder: Path, mapping: str, content: str, name: str = "t.csv") -> set[tuple[str, ...]]:
    (folder / name).write_text(content, encoding="utf-8")
    table = read_ratings(folder / name, _mapping(folder, mapping, "ratings")).table
    return set(table[["item", "rater", "score"]].astype("str").itertuples(index=False, name=None))


def test_ratings_are_read_from_every_layout(tmp_path: Path) -> None:
    """By hand: two raters, two items, one score missing."""
    expected = {("x", "1", "7"), ("x", "2", "5"), ("y", "2", "9")}
    raters = 'columns: {item: word}\nwide: {raters: ["1", "2"]}'
    assert _scores(tmp_path, raters, "word,mean,1,2\nx,6,7,5\ny,9,,9\n") == expected
    items = 'columns: {rater: who}\nwide: {items: "s_{n}"}'
    assert _scores(tmp_path, items, "who,s_x,s_y\n1,7,\n2,5,9\n") == expected
    keyed = "columns: {item: word}\nwide: {lists: {rater: by.keys, score: by.values}}"
    lines = '{"word": "x", "by": {"1": 7, "2": 5}}\n{"word": "y", "by": {"2": 9.0}}\n'
    assert _scores(tmp_path, keyed, lines, "t.jsonl") == expected
    divided = "columns: {item: word}\nwide: {lists: {rater: who, score: what}, separator: ','}"
    assert _scores(tmp_path, divided, 'word,who,what\nx,"1, 2","7,5"\ny,2,9\n') == expected
    counts = 'columns: {item: word}\nwide: {counts: {five: "5", seven: "7"}}'
    nobody = _scores(tmp_path, counts, "word,five,seven\nx,1,2\n")
    assert sorted(score for _, _, score in nobody) == ["5", "7", "7"]


def test_an_empty_cell_is_no_answer_unless_the_values_say_that_it_is_a_blank(tmp_path: Path) -> None:
    as_csv(["what", "r1", "r2"], [["x", "L", ""]], tmp_path / "t.csv")
    text = "columns: {pair: what}\nwide: {raters: 'r{n}'}\nvalues: {choice: {L: a%s}}"
    assert len(read_mapped(tmp_path / "t.csv", _mapping(tmp_path, text % ""))) == 1
    found = read_mapped(tmp_path / "t.csv", _mapping(tmp_path, text % ', "": ""'))
    assert found["choice"].isna().tolist() == [False, True]
    assert found["participant"].tolist() == ["1", "2"]


def test_a_slot_may_have_its_own_rater_clips_and_sides(tmp_path: Path) -> None:
    """As batches of a crowdsourcing site are: several pairs in a row, who answered in one column, clips in others."""
    header = [
        "WorkerId",
        "Input.left_1",
        "Input.right_1",
        "Answer.q_1",
        "Input.left_2",
        "Input.right_2",
        "Answer.q_2",
    ]
    rows = [["w1", "x", "y", "left", "z", "v", "right"], ["w2", "y", "x", "left", "", "", ""]]
    as_csv(header, rows, tmp_path / "t.csv")
    text = """\
columns: {participant: WorkerId}
constants: {left: a}
wide: {items: {stimulus_a: "Input.left_{n}", stimulus_b: "Input.right_{n}", choice: "Answer.q_{n}"}}"""
    found = read_mapped(tmp_path / "t.csv", _mapping(tmp_path, text))
    assert found["pair"].tolist() == ["x | y", "v | z", "x | y"]
    chosen = [row[f"stimulus_{row['choice']}"] for row in found.to_dict("records")]
    assert chosen == ["x", "v", "y"]
    assert found["position"].tolist() == [1, 2, 1]


CELLS = 'item,n1,n2,who,what\nx,2,1,"[1, 2]","[""a"", ""b""]"\ny,0,%s\n'


@pytest.mark.parametrize(
    ("wide", "last", "said"),
    [
        ("{counts: {n1: a, n2: b}}", "1.5,,", "t.csv: row 3, column n2: '1.5' is no count; allowed: a whole number f"),
        ("{counts: {n1: a, n2: b}}", "-1,,", "t.csv: row 3, column n2: '-1' is no count"),
        ("{counts: {n1: a, n2: b}}", "99999999,,", "t.csv: row 3, column n2: 99999999 answers, and 100000002 in all"),
        ("{raters: [n1, n2]}", "1,,", "t.csv: row 2, column n1 (our choice): '2' is not allowed; allowed: a, b, tie"),
        ("{lists: {participant: who, choice: what}}", "1,[3],", "t.csv: row 3, column what: 0 entries, but 1 in who;"),
        ("{lists: {participant: who, choice: what}}", "1,[3],[[1]]", "t.csv: row 3, column what: the entry '[1]' is"),
        ("{lists: {participant: who, choice: what}}", "1,[3],a;b", "t.csv: row 3, column what: 'a;b' is no array (wh"),
        ("{lists: {participant: who, choice: what}}", "1,3,", "t.csv: row 3, column who: '3' is no array; allowed: a"),
        ("{lists: {participant: who, choice: what}}", '1,[3],"[""q""]"', "t.csv: row 3, column what (our choice): 'q"),
        ("{lists: {participant: who.id, choice: what}}", "1,[3],[]", "t.csv: row 2, column who: the entry '1' is no"),
        ("{lists: {participant: who, choice: what}}", '1,"[3, 3]","[""a"", ""b""]"', "t.csv: row 3, column item (our"),
        ("{raters: [n1, n9]}", "1,,", "map.yaml: line 3, wide.raters: t.csv has no column 'n9'; it has: item, n1"),
        ("{raters: [n1, n1]}", "1,,", "map.yaml: line 3, wide.raters: 'n1' appears twice in the list; remove one"),
        ("{raters: []}", "1,,", "map.yaml: line 3, wide.raters: the list is empty; name the columns"),
        ("{raters: n1}", "1,,", "map.yaml: line 3, wide.raters.choice: 'n1' has not one {n}; write {n} once"),
        ("{raters: 'z{n}'}", "1,,", "map.yaml: line 3, wide.raters.choice: t.csv has no column like 'z{n}'; it has:"),
        ("{raters: {choice: 'n{n}', uncertainty: 'u{n}'}}", "1,,", "map.yaml: line 3, wide.raters: t.csv has no colu"),
        ("{raters: {uncertainty: 'n{n}'}}", "1,,", "map.yaml: line 2, columns: no column is given for choice"),
        ("{raters: {choise: 'n{n}'}}", "1,,", "map.yaml: line 3, wide.raters.choise: the name is not known (do you m"),
        ("{lists: {participant: who}}", "1,,", "map.yaml: line 2, columns: no column is given for choice"),
        ("{lists: {participant: wo, choice: what}}", "1,,", "map.yaml: line 3, wide.lists: t.csv has no column 'wo'"),
        ("{lists: {choice: what}}", "1,,", "map.yaml: line 2, columns: no column is given for participant; add"),
        ("{counts: {n1: a, n2: c}}", "1,,", "map.yaml: line 3, wide.counts.n2: 'c' is not allowed; allowed: left, ri"),
        ("{counts: {n1: a}, raters: [n2]}", "1,,", "map.yaml: line 3, wide.counts: raters is given too; keep one of"),
        ("{counts: {}}", "1,,", "map.yaml: line 3, wide.counts: nothing is given; write `key: value`"),
        ("{}", "1,,", "map.yaml: line 3, wide: no layout is given; give one of: raters, items, counts, lists"),
        ("{anonymous: yes}", "1,,", "map.yaml: line 3, wide.anonymous: 'yes' is not allowed; allowed: true, false"),
        ("{raters: [n1], separator: ','}", "1,,", "map.yaml: line 3, wide.separator: it divides cells of `lists`"),
        ("{rater: [n1]}", "1,,", "map.yaml: line 3, wide.rater: the name is not known (do you mean 'raters'?)"),
        ("{items: [n1]}", "1,,", "map.yaml: line 2, pair: wide gives pair too (line 3); remove one of the two"),
    ],
)  # fmt: skip
def test_a_fault_of_a_wide_table_is_named_by_its_place(
    tmp_path: Path, wide: str, last: str, said: str
) -> None:
    (tmp_path / "t.csv").write_text(CELLS % last, encoding="utf-8")
    map_path = _mapping(tmp_path, f"columns: {{pair: item}}\nwide: {wide}")
    with pytest.raises(AnalysisError) as caught:
        read_mapped(tmp_path / "t.csv", map_path)
    found = str(caught.value).replace(f"{tmp_path}/", "")
    assert found.startswith(said), found
    assert "\n" not in found


def test_a_table_without_a_single_answer_is_refused(tmp_path: Path) -> None:
    as_csv(["item", "r1"], [["x", ""]], tmp_path / "t.csv")
    with pytest.raises(AnalysisError, match=r"the columns of wide.raters hold no answer \(columns r1\)"):
        read_mapped(tmp_path / "t.csv", _mapping(tmp_path, "columns: {pair: item}\nwide: {raters: [r1]}"))


def test_criteria_and_a_wide_layout_are_not_both_given(tmp_path: Path) -> None:
    map_path = _mapping(tmp_path, "columns: {item: i}\ncriteria: [c]\nwide: {raters: [r]}", "ratings")
    with pytest.raises(AnalysisError, match="line 4, wide: criteria is a layout of its own"):
        read_ratings(as_csv(["i", "c", "r"], [["x", "1", "2"]], tmp_path / "t.csv"), map_path)


DOCS = Path(__file__).parents[2] / "docs" / "elsewhere.md"
EXAMPLES = re.findall(
    r"```(csv|jsonl|json)\n(.*?)```\n\n```yaml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL
)


def test_the_examples_of_the_docs_are_read_as_the_docs_say(tmp_path: Path) -> None:
    """By hand: answers, raters and items of each example, in the order of docs/elsewhere.md."""
    found = []
    for suffix, table, mapping in EXAMPLES:
        path, map_path = tmp_path / f"t.{suffix}", tmp_path / "map.yaml"
        path.write_text(table, encoding="utf-8")
        map_path.write_text(mapping, encoding="utf-8")
        if mapping_kind(map_path) == "2afc":
            frame = read_mapped(path, map_path)
            counts = frame["participant"].nunique(), frame["pair"].nunique()
            found.append((len(frame), *counts, (frame["choice"] == "a").sum()))
        else:
            ratings = read_ratings(path, map_path)
            columns = ratings.table["rater"].nunique(), ratings.table["item"].nunique()
            fakes = sum(ratings.table["score"] == "fake")
            found.append((len(ratings.table), *columns, fakes or sum(ratings.scores())))
    assert found == [
        (5, 3, 2, 3 + 3 + 2 + 6 + 1),
        (3, 2, 2, 1),
        (4, 2, 2, 3),
        (1581, 1581, 2, 353),
        (3, 3, 3, 1),
        (4, 4, 2, 2 + 1 + 3 + 4),
        (6, 3, 2, 2),
        (4, 2, 2, 1),
        (7, 7, 2, 2 + 3 + 2 + 2 + 2 + 1 + 2),
        (2, 2, 1, 1),
        (4, 1, 2, 3),
        (12, 2, 1, 14 + 17),
    ]


def test_the_mapping_of_the_published_layout_in_the_docs_reads_it(tmp_path: Path) -> None:
    """Source: `hntt_responses`, which reads the layout without a mapping."""
    [mapping] = re.findall(
        r"```yaml\n(kind: 2afc\ncolumns: \{study: studyno.*?)```", DOCS.read_text(), re.DOTALL
    )
    (tmp_path / "map.yaml").write_text(mapping)
    frame, ours = read_mapped(HNTT, tmp_path / "map.yaml"), hntt_responses(read_hntt(HNTT))
    assert len(frame) == len(ours) == 600
    for name in ("participant", "truth", "choice", "left", "uncertainty"):
        assert frame[name].astype(object).equals(ours[name].astype(object)), name


def test_the_command_says_that_nobody_is_known_and_leaves_the_numbers_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    as_csv(["item", "a", "b"], [["x", "3", "1"], ["y", "2", "2"]], tmp_path / "t.csv")
    map_path = _mapping(tmp_path, "columns: {pair: item}\nwide: {counts: {a: a, b: b}}")
    assert main([str(tmp_path / "t.csv"), "--mapping", str(map_path), "--json", "--resamples", "0"]) == 0
    printed = capsys.readouterr()
    assert printed.err == f"{ANONYMOUS}\n"
    votes = [(label["votes_a"], label["votes_b"]) for label in json.loads(printed.out)["labels"]]
    assert votes == [(3, 1), (2, 2)]
