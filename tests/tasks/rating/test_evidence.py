"""Handling of a browser's report on reading: read leniently, kept where it is odd, and flagged."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.library.records import Chart, Line, Player, Record, Round, Table
from app.tasks.rating.evidence import (
    Reading,
    ReadingReport,
    examine_reading,
    read_reading,
    words_of_record,
    words_of_text,
)
from app.trials.design import Layout
from app.trials.flags import Flag

GOOD = {
    "v": 1,
    "loads": 2,
    "read_ms": 60_000,
    "hidden_ms": 2_000,
    "depth": 1,
    "layout": "side-by-side",
    "parts": [20_000, 30_000, 9_000],
}


def report(n_parts: int | None = 3, rt_ms: str = "62000", **changes: Any) -> ReadingReport:
    return read_reading({"reading": json.dumps({**GOOD, **changes}), "rt_ms": rt_ms}, n_parts)


def flags(
    read: ReadingReport, n_words: int = 300, waited_ms: int | None = 70_000, **options: Any
) -> list[Flag]:
    found = examine_reading(read, n_words, waited_ms=waited_ms, served=options.pop("served", True), **options)
    assert not found.unwatched, "no flag of reading excludes"
    return list(found.raised)


def test_a_report_is_read_and_raises_nothing() -> None:
    found = report()
    reading = Reading(60_000, 2_000, (20_000, 30_000, 9_000), 1.0, 2, Layout.SIDE_BY_SIDE)
    assert found == ReadingReport(reading, 62_000, ())
    assert flags(found) == []
    assert reading.to_json() == {
        "read_ms": 60_000,
        "hidden_ms": 2_000,
        "parts_ms": [20_000, 30_000, 9_000],
        "depth": 1.0,
        "page_loads": 2,
        "layout": "side-by-side",
    }
    assert report(None).reading == reading  # of a text, the browser counts


@pytest.mark.parametrize(
    ("changes", "raised"),
    [
        ({"parts": [20_000, 0, 9_000]}, [Flag.NOT_READ]),
        ({"parts": [20_000, 1, 9_000]}, []),
        ({"depth": 0.949}, [Flag.NOT_READ]),
        ({"depth": 0.95}, []),
        ({"hidden_ms": 10_001, "read_ms": 51_000}, [Flag.HIDDEN]),
        ({"layout": "upside-down"}, []),
        # A clock that was set back: less time than was read in.
        ({"rt_ms": "61499"}, [Flag.RT_ODD]),
        ({"rt_ms": "61500"}, []),
        ({"rt_ms": "71001"}, [Flag.RT_LONG]),
        ({"rt_ms": "soon"}, [Flag.RT_ODD]),
        ({"rt_ms": ""}, [Flag.ODD]),
    ],
)
def test_what_a_report_raises(changes: dict[str, Any], raised: list[Flag]) -> None:
    assert flags(report(**changes)) == raised


def test_nobody_reads_faster_than_a_thousand_words_a_minute() -> None:
    """1,000 words take 60 s at that speed, by the browser's clock and by the server's."""
    quick = {"read_ms": 59_000, "hidden_ms": 0}
    assert flags(report(rt_ms="59999", **quick), 1_000) == [Flag.TOO_FAST]
    assert flags(report(rt_ms="60000", **quick), 1_000) == []
    assert flags(report(rt_ms="60000", **quick), 1_000, 59_999) == [Flag.SHORT_INTERVAL]
    assert flags(report(rt_ms="60000", **quick), 1_000, None) == []
    assert flags(report(rt_ms="60000", **quick), 1_000, 59_999, simulated=True) == []


def test_without_a_script_there_is_nothing_to_hold_against_anybody() -> None:
    nothing = read_reading({}, 3)
    assert nothing == ReadingReport(None, None, ("rt-missing", "reading-missing"))
    assert flags(nothing) == [Flag.NO_TELEMETRY]
    assert flags(nothing, 1_000, 59_999, served=False) == [
        Flag.SHORT_INTERVAL,
        Flag.NOT_SERVED,
        Flag.NO_TELEMETRY,
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"parts": [20_000, 30_000]},  # the record has three
        {"parts": [20_000, 30_000, -1]},
        {"parts": [20_000, 30_000, 60_501]},  # longer in view than the page
        {"parts": None},
        {"parts": ["a", "b", "c"]},
        {"parts": [True, 1, 1]},
        {"depth": 1.5},
        {"depth": -0.5},
        {"depth": None},
        {"read_ms": float("inf")},
        {"read_ms": -1},
        {"hidden_ms": "long"},
        {"loads": {}},
    ],
)
def test_an_odd_report_is_kept_and_flagged(changes: dict[str, Any]) -> None:
    found = report(**changes)
    assert found.reading is None
    assert found.words == ("reading-odd",)
    assert found.odd == json.dumps({**GOOD, **changes})
    assert flags(found) == [Flag.ODD]


def test_a_report_too_long_is_cut_and_what_no_database_takes_is_left_out() -> None:
    found = read_reading({"reading": "[" * 100_000, "rt_ms": "1"}, None)
    assert (found.words, len(found.odd or "")) == (("reading-odd",), 64_000)
    assert read_reading({"reading": "a\x00\ud800", "rt_ms": "1"}, None).odd == "a\ufffd?"
    assert report(None, parts=[1] * 5_001).words == ("reading-odd",)
    large = report(None, read_ms=10**12, parts=[10**12], rt_ms=str(10**13)).reading
    assert large
    assert (large.read_ms, large.parts_ms) == (2**31 - 1, (2**31 - 1,))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*GOOD, "x"]), inner),
    max_leaves=20,
)


@given(st.one_of(st.text(), JSON.map(json.dumps)), st.text(), st.none() | st.integers(0, 5))
def test_no_report_is_an_error(text: str, rt_ms: str, n_parts: int | None) -> None:
    found = read_reading({"reading": text, "rt_ms": rt_ms}, n_parts)
    assert (found.reading is None) == bool({"reading-odd", "reading-missing"} & set(found.words))
    assert (found.odd is not None) == ("reading-odd" in found.words)
    examine_reading(found, 100, waited_ms=None, served=True)


def test_the_words_to_be_read_are_those_of_running_text() -> None:
    record = Record(
        title="Not counted",
        players=(Player(name="Alex", about="careful with money"),),
        parts=(
            Line(text="Water is sold\nto who bids most."),
            Chart(label="Balance of Alex", values=(1.0, 2.0)),
        ),
        rounds=(
            Round(
                title="Day 1",
                parts=(
                    Line(text="Alex bids."),
                    Table(columns=("Player", "Bid"), rows=(("Alex", "thirty coins"),)),
                ),
            ),
        ),
    )
    assert words_of_record(record) == 3 + 7 + 2
    assert words_of_text("  one  two\nthree ") == 3
    assert words_of_text("水は一番高い人に売られる") == 1
