"""What a browser says of how it played two clips. It is evidence, not truth, and never costs an answer."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.study.design import Member, Side, side_of

MAX_TEXT = 64_000
_BIG = 2**31 - 1


@dataclass(frozen=True, slots=True)
class PlaybackReport:
    """`rows` are the columns of table `playback` per member; `odd` is the raw text where it could not be read."""

    rows: Mapping[Member, dict[str, Any]]
    flags: tuple[str, ...]
    odd: str | None


def read_playback(text: str, left: Member) -> PlaybackReport:
    """Read the form's `playback` field leniently: what is odd is kept as it came and flagged."""
    if not text:
        return PlaybackReport({}, ("playback-missing",), None)
    try:
        if len(text) > MAX_TEXT:
            raise ValueError
        report = json.loads(text)
        rows = {member: _row(report, report[side_of(member, left)]) for member in Member}
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError, AttributeError):
        return PlaybackReport({}, ("playback-odd",), _storable(text[:MAX_TEXT]))
    flags = tuple(
        f"{name}-{side}"
        for side in Side
        for name, raised in _flags(rows[Member.A if side_of(Member.A, left) is side else Member.B])
        if raised
    )
    return PlaybackReport(rows, flags, None)


def read_rt_ms(text: str) -> tuple[int | None, tuple[str, ...]]:
    """The form's `rt_ms`: whole milliseconds, or missing with a flag."""
    if not text:
        return None, ("rt-missing",)
    try:
        rt_ms = round(float(text))
    except (ValueError, OverflowError):
        return None, ("rt-odd",)
    return (min(rt_ms, _BIG), ()) if rt_ms >= 0 else (None, ("rt-odd",))


def _flags(row: Mapping[str, Any]) -> list[tuple[str, bool]]:
    return [
        ("not-watched", not row["watched"]),
        ("failed", row["failed"]),
        ("fast", (row["max_rate"] or 1) > 1),
    ]


def _row(whole: Mapping[str, Any], clip: Mapping[str, Any]) -> dict[str, Any]:
    drift = whole.get("drift_ms_max")
    return {
        "watched": clip["watched"] is True,
        "plays": _count(clip.get("plays")),
        "played": [[_number(start), _number(end)] for start, end in clip.get("played", [])[:500]],
        "duration_s": None if clip.get("duration_s") is None else _number(clip["duration_s"]),
        "stalls": _count(clip.get("stalls")),
        "stall_ms": _count(clip.get("stall_ms")),
        "dropped_frames": _count(clip.get("dropped_frames")),
        "frames": _count(clip.get("frames")),
        "drift_ms_max": None if drift is None else _count(drift),
        "hidden_ms": _count(whole.get("hidden_ms")),
        "page_loads": _count(whole.get("loads")),
        "max_rate": None if clip.get("max_rate") is None else _number(clip["max_rate"]),
        "failed": clip.get("failed") is True,
        "errors": [_storable(str(error)[:200]) for error in clip.get("errors", [])[:20]],
    }


def _storable(text: str) -> str:
    """Without what PostgreSQL cannot hold: NUL and half characters."""
    return text.replace("\x00", "�").encode("utf-8", "replace").decode()


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(value)
    return float(value)


def _count(value: object) -> int:
    """A non-negative whole number, as large as the database holds; nothing said counts as none."""
    number = 0 if value is None else round(_number(value))
    if number < 0:
        raise ValueError(value)
    return min(number, _BIG)
