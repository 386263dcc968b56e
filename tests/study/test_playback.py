"""Whatever a browser says of its playback, it costs no answer."""

import json

from hypothesis import given
from hypothesis import strategies as st

from app.study.design import Member
from app.study.playback import read_playback, read_rt_ms

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
    report = read_playback(json.dumps(WHOLE), left=Member.B)
    assert (report.rows[Member.B]["plays"], report.rows[Member.A]["plays"]) == (1, 3)
    assert report.rows[Member.A]["drift_ms_max"] == 12
    assert (report.flags, report.odd) == ((), None)


def test_what_was_not_watched_failed_or_ran_fast_is_flagged_by_side() -> None:
    odd = {**WHOLE, "left": {**CLIP, "watched": False, "failed": True}, "right": {**CLIP, "max_rate": 16}}
    assert read_playback(json.dumps(odd), left=Member.A).flags == (
        "not-watched-left",
        "failed-left",
        "fast-right",
    )


@given(st.text() | anything.map(json.dumps) | reports.map(json.dumps), st.sampled_from(list(Member)))
def test_any_text_is_read_or_kept_as_it_came(text: str, left: Member) -> None:
    report = read_playback(text, left)
    if report.rows:
        assert set(report.rows) == set(Member)
        for row in report.rows.values():
            assert all(0 <= row[key] < 2**31 for key in ("plays", "stalls", "hidden_ms", "frames"))
    else:
        assert report.flags in (("playback-missing",), ("playback-odd",))


@given(st.text())
def test_any_reaction_time_is_read_or_flagged(text: str) -> None:
    rt_ms, flags = read_rt_ms(text)
    assert (rt_ms is None) == bool(flags)
