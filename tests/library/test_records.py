import hashlib
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.library.records import (
    LARGEST_BYTES,
    MOST_ROUNDS,
    BadRecord,
    Chart,
    Line,
    Player,
    Record,
    Round,
    Table,
    canonical_json,
    parse_record,
    sha256,
)

pytestmark = pytest.mark.any_database

AUCTION: dict[str, Any] = {
    "title": "An auction of water",
    "players": [{"name": "A", "about": "needs 8 units a day"}, {"name": "B"}],
    "parts": [{"text": "Whoever drinks lives."}],
    "rounds": [
        {
            "title": "Day 1",
            "parts": [
                {"columns": ["player", "bid", "won"], "rows": [["A", 40, True], ["B", 35.5, None]]},
                {"label": "Balance", "values": [70, None, 30.5], "unit": "$"},
            ],
        }
    ],
}


def changed(**keys: Any) -> str:
    return json.dumps(AUCTION | keys)


def test_lines_tables_and_charts_are_told_apart_by_their_keys() -> None:
    record = parse_record(json.dumps(AUCTION))
    assert record == Record(
        title="An auction of water",
        players=(Player(name="A", about="needs 8 units a day"), Player(name="B")),
        parts=(Line(text="Whoever drinks lives."),),
        rounds=(
            Round(
                title="Day 1",
                parts=(
                    Table(columns=("player", "bid", "won"), rows=(("A", 40, True), ("B", 35.5, None))),
                    Chart(label="Balance", values=(70, None, 30.5), unit="$"),
                ),
            ),
        ),
    )
    table = record.rounds[0].parts[0]
    assert isinstance(table, Table)
    assert [type(cell) for row in table.rows for cell in row] == [str, int, bool, str, float, type(None)]


def test_the_canonical_json_is_the_same_however_the_file_is_written() -> None:
    record = parse_record(json.dumps(AUCTION))
    backwards = json.dumps(dict(reversed(AUCTION.items())), indent=4).replace("\n", "\r\n")
    assert canonical_json(parse_record(b"\xef\xbb\xbf" + backwards.encode())) == canonical_json(record)
    assert canonical_json(Record(title="T", parts=(Line(text="ä\r\nb"),))) == (
        '{"parts":[{"text":"ä\\nb"}],"title":"T"}'
    )
    assert sha256(record) == hashlib.sha256(canonical_json(record).encode()).hexdigest()


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=20)
filled = texts.filter(str.strip)
cells = st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.floats(-1e15, 1e15) | texts
tables = st.integers(1, 4).flatmap(
    lambda n: st.builds(
        Table,
        columns=st.tuples(*[texts] * n),
        rows=st.lists(st.tuples(*[cells] * n), max_size=3).map(tuple),
    )
)
charts = st.builds(
    Chart,
    label=filled,
    values=st.lists(st.none() | st.floats(-1e15, 1e15), min_size=1, max_size=4).map(tuple),
)
parts = st.lists(st.builds(Line, text=filled) | tables | charts, min_size=1, max_size=4).map(tuple)
records = st.builds(
    Record,
    title=filled,
    players=st.lists(st.builds(Player, name=filled, about=texts), max_size=3).map(tuple),
    parts=parts,
    rounds=st.lists(st.builds(Round, title=filled, parts=parts), max_size=3).map(tuple),
)


# Drawing is slow where the machine is busy, and says nothing of the code.
@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(records)
def test_a_record_read_back_is_the_record_that_was_written(record: Record) -> None:
    again = parse_record(canonical_json(record))
    assert (canonical_json(again), sha256(again)) == (canonical_json(record), sha256(record))
    assert again == record


def with_part(part: Any) -> str:
    return changed(rounds=[{"title": "Day 1", "parts": [{"text": "x"}, part]}])


def table(*rows: Any) -> str:
    return with_part({"columns": ["a", "b"], "rows": rows})


BAD: dict[str, tuple[str | bytes, str]] = {
    "no JSON": ("{", "line 1, column 2 is not JSON"),
    "nothing": ("", "line 1, column 1 is not JSON"),
    "no UTF-8": (b'{\n"title": "\xff"}', "line 2 is not UTF-8"),
    "a list": ("[]", "the record: input should be an object"),
    "deep": ("[" * 100_000, "nested too deeply"),
    "large": (" " * (LARGEST_BYTES + 1), "larger than 2 MB"),
    "a key twice": ('{"title": "a", "title": "b"}', "the key 'title' stands twice"),
    "no title": ('{"parts": [{"text": "x"}]}', "title: is missing"),
    "blank title": (changed(title=" "), "title: is empty"),
    "nothing to read": ('{"title": "x"}', "neither parts nor rounds"),
    "unknown key": (changed(source="human"), "source: is not a key"),
    "unknown key of a part": (
        with_part({"text": "x", "size": 1}),
        "round 1, part 2, size: is not a key",
    ),
    "unknown part": (with_part({"picture": "x"}), "round 1, part 2: is no line, table or chart"),
    "short row": (table([1, 2], [1]), "round 1, part 2: row 2 has 1 cells and the table 2 columns"),
    "cell of cells": (table([1, [2]]), "round 1, part 2, row 1, cell 2: is neither text, a number"),
    "huge number": (table([1, 10**16]), "row 1, cell 2: is not a number between"),
    "no number": (
        with_part({"label": "x", "values": ["3"]}),
        "part 2, value 1: input should be a valid number",
    ),
    "no finite number": (
        '{"title": "x", "parts": [{"label": "x", "values": [NaN]}]}',
        "part 1, value 1: is not a number between",
    ),
    "infinite cell": (
        '{"title": "x", "parts": [{"columns": ["x"], "rows": [[1e999]]}]}',
        "part 1, row 1, cell 1: is not a number between",
    ),
    "no value": (with_part({"label": "x", "values": []}), "round 1, part 2, values: "),
    "control character": (
        with_part({"text": "\x00"}),
        r"round 1, part 2, text: holds the control character '\x00'",
    ),
    "half a character": (with_part({"text": "\ud800"}), "invalid JSON"),
    "long text": (with_part({"text": "x" * 20_001}), "text: string should have at most 20000 characters"),
    "many rounds": (
        changed(rounds=[{"title": "x", "parts": []}] * (MOST_ROUNDS + 1)),
        "rounds: tuple should have at most 500 items",
    ),
}


def test_what_is_no_record_is_refused_with_its_place() -> None:
    for name, (content, message) in BAD.items():
        with pytest.raises(BadRecord) as refusal:
            parse_record(content)
        assert message in str(refusal.value), name
        assert "\n" not in str(refusal.value), name
        assert str(refusal.value).isprintable(), name


def test_several_faults_are_said_at_once_and_very_many_are_counted() -> None:
    with pytest.raises(BadRecord, match=r"title: is missing.*; source: is not a key") as refusal:
        parse_record('{"source": "x"}')
    assert len(refusal.value.problems) == 2
    with pytest.raises(BadRecord, match=r"; and 99\d more"):
        parse_record(json.dumps({"title": "x", "parts": [{"label": "x", "values": ["y"] * 1000}]}))


def test_nothing_of_a_record_can_be_changed() -> None:
    record = parse_record(json.dumps(AUCTION))
    with pytest.raises(ValueError, match="frozen"):
        record.title = "another"
