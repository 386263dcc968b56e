"""Whatever a browser says of its playback, it costs no answer."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tasks.pair.design import Member
from app.tasks.pair.task import read_pair
from app.trials.design import Slot
from app.trials.evidence import is_watched, least_ms, read_playback, read_rt_ms

CLIP = {
    "duration_s": 8.0, "played": [[0, 8]], "watched": True, "plays": 1, "stalls": 0, "stall_ms": 0,
    "dropped_frames": 2, "frames": 240, "errors": [], "failed": False, "max_rate": 1,
}  # fmt: skip
WHOLE = {
    "v": 1,
    "loads": 1,
    "drift_ms_max": 12.4,
    "hidden_ms": 0,
    "left": CLIP,
    "right": {**CLIP, "plays": 3},
}

UNKNOWN = dict.fromkeys(Member)  # the server knows no length
KNOWN = dict.fromkeys(Member, 8.0)
ALONE: dict[str, tuple[Slot, float | None]] = {Slot.ITEM: (Slot.ITEM, 8.0)}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(int("9" * 400)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
clips = st.fixed_dictionaries({key: st.just(value) | anything for key, value in CLIP.items()})
reports = st.fixed_dictionaries(
    {key: st.just(value) | anything for key, value in WHOLE.items() if key not in ("left", "right")}
    | {"left": clips, "right": clips}
)


def test_each_member_gets_the_side_it_was_on() -> None:
    report = read_pair(json.dumps(WHOLE), Member.B, UNKNOWN)
    assert (report.rows[Slot.B]["plays"], report.rows[Slot.A]["plays"]) == (1, 3)
    assert report.rows[Slot.A]["drift_ms_max"] == 12
    assert (report.flags, report.odd) == ((), None)


def test_what_was_not_watched_failed_or_ran_fast_is_flagged_by_side() -> None:
    odd = {**WHOLE, "left": {**CLIP, "played": [[0, 4]], "failed": True}, "right": {**CLIP, "max_rate": 16}}
    assert read_pair(json.dumps(odd), Member.A, UNKNOWN).flags == (
        "not-watched-left",
        "failed-left",
        "fast-right",
    )


def test_one_clip_is_read_as_two_are() -> None:
    whole = {
        "v": 1,
        "loads": 1,
        "hidden_ms": 40,
        "layout": None,
        "opened_ms": 8100,
        "item": {**CLIP, "plays": 2},
    }
    report = read_playback(json.dumps(whole), ALONE)
    assert set(report.rows) == {Slot.ITEM}
    row = report.rows[Slot.ITEM]
    assert (row["watched"], row["plays"], row["hidden_ms"]) == (True, 2, 40)
    assert (report.flags, report.odd, report.layout, report.opened_ms) == ((), None, None, 8100)
    assert read_rt_ms("7000", report)[1] == ("rt-odd",)
    odd = {**whole, "item": {**CLIP, "played": [[0, 4]], "failed": True, "max_rate": 2}}
    words = ("not-watched-item", "failed-item", "fast-item")
    assert read_playback(json.dumps(odd), ALONE).flags == words
    assert read_playback(json.dumps(WHOLE), ALONE).flags == ("playback-odd",)
    assert read_playback("", ALONE).flags == ("playback-missing",)


@pytest.mark.slow
@given(st.text() | anything.map(json.dumps) | reports.map(json.dumps), st.sampled_from(list(Member)))
def test_any_text_is_read_or_kept_as_it_came(text: str, left: Member) -> None:
    report = read_pair(text, left, UNKNOWN)
    if report.rows:
        assert set(report.rows) == {Slot.A, Slot.B}
        for row in report.rows.values():
            assert all(0 <= row[key] < 2**31 for key in ("plays", "stalls", "hidden_ms", "frames"))
    else:
        assert report.flags in (("playback-missing",), ("playback-odd",))


@given(st.text())
def test_any_reaction_time_is_read_or_flagged(text: str) -> None:
    rt_ms, flags = read_rt_ms(text)
    assert (rt_ms is None) == bool(flags)


def test_watched_is_what_the_played_ranges_say_and_not_what_the_browser_says() -> None:
    boast = {**CLIP, "played": [], "watched": True}
    modest = {**CLIP, "played": [[0, 7.9]], "watched": False}
    report = read_pair(json.dumps({**WHOLE, "left": boast, "right": modest}), Member.A, KNOWN)
    assert [report.rows[slot]["watched"] for slot in (Slot.A, Slot.B)] == [False, True]
    assert report.flags == ("not-watched-left",)
    # The clip's length is the server's: a browser that calls it short has not watched it.
    short = {**CLIP, "duration_s": 1.0, "played": [[0, 1]]}
    report = read_pair(json.dumps({**WHOLE, "left": short}), Member.A, KNOWN)
    assert report.flags == ("not-watched-left",)


def test_ranges_cover_a_clip_or_they_do_not() -> None:
    whole: list[list[list[float]]] = [
        [[0, 8]], [[0, 7.75]], [[4, 8], [0, 4.2]], [[-9, 99]], [[0, 3], [1, 2], [3, 8]], [[0.4, 8]]
    ]  # fmt: skip
    parts: list[list[list[float]]] = [
        [], [[0, 4]], [[4, 8]], [[0, 4], [0, 4]], [[0, 3.5], [4.5, 8]], [[8, 0]], [[0, 7.6]], [[9, 99]], [[5, 5]]
    ]  # fmt: skip
    assert all(is_watched(ranges, 8.0) for ranges in whole)
    assert not any(is_watched(ranges, 8.0) for ranges in parts)
    assert not is_watched([[0, 8]], None)
    assert (least_ms(8.0), least_ms(0.2)) == (7520, 0)


def test_drift_and_lost_frames_are_held_against_limits_in_one_place() -> None:
    for told, words in (
        ({"drift_ms_max": 200}, ()),
        ({"drift_ms_max": 201}, ("out-of-step",)),
        ({"drift_ms_max": None}, ()),
        ({"left": {**CLIP, "frames": 240, "dropped_frames": 48}}, ()),
        ({"left": {**CLIP, "frames": 240, "dropped_frames": 49}}, ("dropped-left",)),
        ({"left": {**CLIP, "frames": 29, "dropped_frames": 29}}, ()),
    ):
        report = read_pair(json.dumps({**WHOLE, **told}), Member.A, KNOWN)
        assert report.flags == words


def test_what_was_played_faster_than_it_is_was_not_watched() -> None:
    report = read_pair(json.dumps({**WHOLE, "left": {**CLIP, "max_rate": 8}}), Member.A, KNOWN)
    assert [report.rows[slot]["watched"] for slot in (Slot.A, Slot.B)] == [False, True]
    assert report.flags == ("fast-left",)


def test_no_reaction_time_is_no_news_where_nothing_was_played() -> None:
    """As where the server did not have the clip. It is news where something was played, or nothing can be read."""
    nothing = {**CLIP, "played": [], "duration_s": None, "failed": True}
    none = read_pair(json.dumps({**WHOLE, "left": nothing, "right": nothing}), Member.A, KNOWN)
    one = read_pair(json.dumps({**WHOLE, "left": nothing}), Member.A, KNOWN)
    assert read_rt_ms("", none) == (None, ())
    for report in (one, read_pair("{", Member.A, KNOWN), None):
        assert read_rt_ms("", report) == (None, ("rt-missing",))


def test_a_reaction_time_that_cannot_be_is_flagged() -> None:
    whole = read_pair(json.dumps({**WHOLE, "opened_ms": 9_000}), Member.A, KNOWN)
    for rt_ms, flags in (("9400", ()), ("8400", ("rt-odd",)), ("0", ("rt-odd",)), ("-1", ("rt-odd",))):
        assert read_rt_ms(rt_ms, whole)[1] == flags
    fast = {**CLIP, "max_rate": 16}
    sped_up = read_pair(json.dumps({**WHOLE, "left": fast, "right": fast}), Member.A, KNOWN)
    assert [read_rt_ms(rt_ms, sped_up)[1] for rt_ms in ("500", "0")] == [(), ()]
    played = read_pair(json.dumps(WHOLE), Member.A, KNOWN)
    assert read_rt_ms("100", played) == (100, ("rt-odd",))


def test_the_layout_is_one_of_two_or_unknown() -> None:
    told = {"stacked": "stacked", "side-by-side": "side-by-side", "diagonal": None, 7: None, None: None}
    for layout, kept in told.items():
        report = read_pair(json.dumps({**WHOLE, "layout": layout, "opened_ms": 8100}), Member.A, KNOWN)
        assert (report.layout, report.opened_ms, report.odd) == (kept, 8100, None)


IN_TURN = json.dumps({**WHOLE, "layout": "sequential", "drift_ms_max": 4_000})


def test_clips_in_turn_have_no_drift_and_take_the_time_of_both() -> None:
    report = read_pair(IN_TURN, Member.A, KNOWN, may_be_sequential=True)
    assert (report.layout, report.flags, report.played_ms) == ("sequential", (), 16_000)
    assert {row["drift_ms_max"] for row in report.rows.values()} == {None}
    assert read_rt_ms("15000", report) == (15_000, ("rt-odd",))
    assert read_rt_ms("15800", report) == (15_800, ())


def test_where_the_study_shows_no_clips_in_turn_a_report_of_it_is_taken_for_no_layout() -> None:
    report = read_pair(IN_TURN, Member.A, KNOWN)
    assert (report.layout, report.flags, report.played_ms) == (None, ("out-of-step",), 8_000)
