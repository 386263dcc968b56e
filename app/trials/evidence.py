"""Evidence of a trial's clips: the browser's playback report and the server's own record of bytes sent.

The browser's report is evidence, not truth, and never costs an answer. Whether a clip was watched is decided here from
the ranges played; the browser's own conclusion only opens its questions and is not read.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import bindparam, func, select
from sqlmodel import Session, SQLModel

from analysis.files.numbers import is_plain
from app.trials.design import Layout, Slot
from app.trials.flags import DROPPED_FROM_FRAMES, DROPPED_SHARE, OUT_OF_STEP_MS
from app.trials.responses import Response

MAX_TEXT = 64_000
# The largest number of PostgreSQL's integer.
_BIG = 2**31 - 1
# A little less than the page asks for (playback.js), so that rounding holds nothing against anybody.
WATCHED_SHARE = 0.94
END_SLACK_S = 0.3
RT_SLACK_MS = 500
# A tuple, and made once: a report has two dozen numbers.
_NUMBER = (int, float)

Ranges = list[list[int]]

_response = SQLModel.metadata.tables[str(Response.__tablename__)]
LAST_ANSWER = select(func.max(_response.c.answered_at)).where(
    _response.c.session_id == bindparam("session_id")
)


# what the browser says


class PlaybackReport(NamedTuple):
    """A parsed playback report. `rows` are columns of table `evidence` by slot; `odd` is the raw text if unreadable.

    `flags` are the flags raised. `played_ms` is the shortest time in which the reported ranges can have been played.
    `opened_ms` is when the questions opened, counted as `rt_ms` is.
    """

    rows: Mapping[Slot, dict[str, Any]]
    flags: tuple[str, ...]
    odd: str | None
    layout: Layout | None = None
    opened_ms: int | None = None
    played_ms: float = 0


def is_watched(ranges: Sequence[Sequence[float]], lasts_s: float | None) -> bool:
    """True if the played ranges of a clip, in seconds, cover it to its end. The one rule for this."""
    if lasts_s is None or lasts_s <= 0 or not ranges:
        return False
    # Merged first, as a part that was played twice would otherwise stand for one never played.
    within = _merged(ranges, lasts_s)
    ends = within[-1][1] if within else 0
    return ends >= lasts_s - END_SLACK_S and _sum(within) >= WATCHED_SHARE * lasts_s


def is_out_of_step(drift_ms: int | None) -> bool:
    """True if the largest drift between two clips exceeds OUT_OF_STEP_MS; None means one clip or no measurement."""
    return drift_ms is not None and drift_ms > OUT_OF_STEP_MS


def loses_frames(frames: int, dropped: int) -> bool:
    """True if too many of a clip's frames were dropped by the browser."""
    return frames >= DROPPED_FROM_FRAMES and dropped > DROPPED_SHARE * frames


def least_ms(lasts_s: float) -> float:
    """The shortest time in ms in which a clip of so many seconds counts as watched, at normal speed."""
    return 1000 * max(min(WATCHED_SHARE * lasts_s, lasts_s - END_SLACK_S), 0)


def read_playback(
    text: str, clips: Mapping[str, tuple[Slot, float | None]], *, may_be_sequential: bool = False
) -> PlaybackReport:
    """Parse the form's `playback` field leniently: unexpected content is kept as sent and flagged.

    `clips` maps each place on the page to its slot and the duration known to the server; if None, the browser's is
    used. Where the study shows no clips one after the other, a report of that layout is taken for none.
    """
    if not text:
        return PlaybackReport({}, ("playback-missing",), None)
    try:
        if len(text) > MAX_TEXT:
            raise ValueError
        report = json.loads(text)
        layout = _layout(report.get("layout"))
        if layout is Layout.SEQUENTIAL and not may_be_sequential:
            layout = None
        of_page = _of_page(report, layout)
        rows = {slot: {**_row(report[name], lasts_s), **of_page} for name, (slot, lasts_s) in clips.items()}
        opened_ms = None if report.get("opened_ms") is None else count_of(report["opened_ms"])
    # Any client may post here: json.loads raises RecursionError for deep nesting, and a list has no `get`.
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError, AttributeError):
        return PlaybackReport({}, ("playback-odd",), storable(text[:MAX_TEXT]))
    flags = (
        *(
            f"{word}-{name}"
            for name, (slot, lasts_s) in clips.items()
            for word in _flags(rows[slot], lasts_s)
        ),
        *(["out-of-step"] if is_out_of_step(of_page["drift_ms_max"]) else []),
    )
    # At twice the speed a range takes half its length; a lower speed only takes longer.
    played = [1000 * _sum(_merged(r["played"], math.inf)) / max(r["max_rate"] or 1, 1) for r in rows.values()]
    played_ms = together(layout, played)
    return PlaybackReport(rows, flags, None, layout, opened_ms, played_ms)


def together(layout: Layout | None, times: Sequence[float]) -> float:
    """The time that clips take in a layout: the longest, where they run at once; their sum, one after the other."""
    return sum(times) if layout is Layout.SEQUENTIAL else max(times)


def read_rt_ms(text: str, playback: PlaybackReport | None = None) -> tuple[int | None, tuple[str, ...]]:
    """The form's `rt_ms`: whole milliseconds, or missing with a flag.

    `rt-odd` is also what cannot be: an answer before the questions opened, or sooner than the clips can have been
    played as `playback` tells, as when a clock was set back. Where nothing was played there is no such time, as of a
    clip that the server did not have.
    """
    if not text:
        nothing_played = playback is not None and bool(playback.rows) and not playback.played_ms
        return None, () if nothing_played else ("rt-missing",)
    try:
        rt_ms = round(float(text)) if is_plain(text) else -1
    except (ValueError, OverflowError):
        return None, ("rt-odd",)
    if rt_ms < 0:
        return None, ("rt-odd",)
    least = max(playback.opened_ms or 0, playback.played_ms) if playback else 0
    return min(rt_ms, _BIG), ("rt-odd",) if rt_ms + RT_SLACK_MS < least else ()


def _merged(ranges: Sequence[Sequence[float]], lasts_s: float) -> list[list[float]]:
    """Merge ranges: sorted, without overlaps, clipped to the clip's duration."""
    if len(ranges) == 1:  # most clips are played once, without a stop
        [(start, end)] = ranges
        start, end = max(start, 0.0), min(end, lasts_s)
        return [] if end <= start else [[start, end]]
    merged: list[list[float]] = []
    for start, end in sorted((max(start, 0.0), min(end, lasts_s)) for start, end in ranges):
        if end <= start:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def _sum(ranges: Sequence[Sequence[float]]) -> float:
    return sum([end - start for start, end in ranges])


def _flags(row: Mapping[str, Any], lasts_s: float | None) -> list[str]:
    fast = _is_fast(row["max_rate"])
    # Only of a clip that was played too fast the row does not say whether all of it was played.
    watched = is_watched(row["played"], lasts_s or row["duration_s"]) if fast else row["watched"]
    found = {
        "not-watched": not watched,
        "failed": row["failed"],
        "fast": fast,
        "dropped": loses_frames(row["frames"], row["dropped_frames"]),
    }
    return [word for word, raised in found.items() if raised]


def _is_fast(max_rate: float | None) -> bool:
    return (max_rate or 1) > 1


def _of_page(report: Mapping[str, Any], layout: Layout | None) -> dict[str, int | None]:
    """Columns of a report that are told once for all clips, and stored with each."""
    drift = None if report.get("drift_ms_max") is None else count_of(report["drift_ms_max"])
    return {
        # Clips that are not shown at once cannot drift apart.
        "drift_ms_max": None if layout is Layout.SEQUENTIAL else drift,
        "hidden_ms": count_of(report.get("hidden_ms")),
        "page_loads": count_of(report.get("loads")),
    }


def _row(clip: Mapping[str, Any], lasts_s: float | None) -> dict[str, Any]:
    # At most 500: any client may post here, and all of them are stored.
    played = [[number_of(start), number_of(end)] for start, end in clip.get("played", [])[:500]]
    duration_s = None if clip.get("duration_s") is None else number_of(clip["duration_s"])
    max_rate = None if clip.get("max_rate") is None else number_of(clip["max_rate"])
    return {
        # Played faster than it is, a clip was not watched as it is, whatever was played (docs/data.md).
        "watched": is_watched(played, lasts_s or duration_s) and not _is_fast(max_rate),
        "plays": count_of(clip.get("plays")),
        "played": played,
        "duration_s": duration_s,
        "stalls": count_of(clip.get("stalls")),
        "stall_ms": count_of(clip.get("stall_ms")),
        "dropped_frames": count_of(clip.get("dropped_frames")),
        "frames": count_of(clip.get("frames")),
        "max_rate": max_rate,
        "failed": clip.get("failed") is True,
        "errors": [storable(str(error)[:200]) for error in clip.get("errors", [])[:20]],
    }


def _layout(value: object) -> Layout | None:
    return None if value is None else next((layout for layout in Layout if layout == value), None)


def storable(text: str) -> str:
    """Replace what PostgreSQL cannot store: NUL and lone surrogates."""
    return text.replace("\x00", "�").encode("utf-8", "replace").decode()


def number_of(value: object) -> float:
    if type(value) is float and math.isfinite(value):
        return value
    # True is an int in Python, and json.loads takes NaN and Infinity, which JSON does not have.
    if isinstance(value, bool) or not isinstance(value, _NUMBER) or not math.isfinite(value):
        raise ValueError(value)
    return float(value)


def count_of(value: object) -> int:
    """A non-negative whole number, as large as the database holds; nothing said counts as none."""
    if type(value) is int and 0 <= value <= _BIG:  # what browsers send, sixteen times in a report
        return value
    number = 0 if value is None else round(number_of(value))
    if number < 0:
        raise ValueError(value)
    return min(number, _BIG)


# what the server saw


@dataclass(frozen=True, slots=True)
class TrialClip:
    """One clip of a trial: its size and duration (None if unknown), and the ranges sent (None if not recorded)."""

    n_bytes: int | None
    lasts_s: float | None
    sent: Ranges | None

    def fetched(self, *, whole: bool) -> bool | None:
        """True if the clip was sent, in whole or at all; padding, which no player needs, is ignored."""
        if self.sent is None or not self.n_bytes:
            return None
        if not whole or not self.sent:
            return bool(self.sent)
        # Ranges are stored merged (`with_range`), so a clip that was sent whole is the first of them.
        start, stop = self.sent[0]
        return start == 0 and stop >= self.n_bytes


def waited_ms(session: Session, session_id: int, shown_at: datetime | None, now: datetime) -> int | None:
    """Milliseconds from first serving the page to the answer; if it was never served, from the previous answer."""
    since = shown_at or session.connection().execute(LAST_ANSWER, {"session_id": session_id}).scalar()
    return _ms(since, now)


def _ms(since: datetime | None, now: datetime) -> int | None:
    """None where a clock was set back between the two."""
    if since is None or now < since:
        return None
    return min(round((now - since).total_seconds() * 1000), 2**31 - 1)
