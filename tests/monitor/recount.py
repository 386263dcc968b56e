"""The monitor's numbers counted again, plainly, over the rows that are exported: to compare with."""

import math
import statistics
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session

from app.reports.export import rows_of


@dataclass(frozen=True)
class Recount:
    """Of one version and mode. `votes` and `lefts` are by pair: (a, b), and on which side a was: (left, right)."""

    votes: Mapping[str, tuple[int, int]]
    lefts: Mapping[str, tuple[int, int]]
    pressed_left: int
    times: Mapping[int, tuple[int, float, int]]
    trouble: Mapping[str, int]
    answered: Mapping[str, int]


def recount(session: Session, version: int, mode: str) -> Recount:
    def rows(what: str) -> list[Mapping[Any, Any]]:
        return [r for r in rows_of(session, "nav", what) if (r["version"], r["mode"]) == (version, mode)]

    responses, playback = rows("responses"), rows("playback")
    voted = [r for r in responses if not r["excluded"] and r["kind"] != "practice" and r["choice"]]
    votes = Counter((r["pair"], r["choice"]) for r in voted)
    lefts = Counter((r["pair"], r["left"]) for r in voted)
    pairs = {r["pair"] for r in responses if r["kind"] != "practice"}
    clips: dict[str, list[Mapping[Any, Any]]] = {}
    for row in playback:
        clips.setdefault(row["trial"], []).append(row)
    return Recount(
        votes={pair: (votes[pair, "a"], votes[pair, "b"]) for pair in pairs},
        lefts={pair: (lefts[pair, "a"], lefts[pair, "b"]) for pair in pairs},
        pressed_left=sum(r["choice"] == r["left"] for r in voted),
        times=_times(responses, {r["trial"] for r in responses if _unplayable(r)}),
        trouble=_trouble(responses, clips),
        answered=Counter(r["session"] for r in responses),
    )


def _unplayable(row: Mapping[Any, Any]) -> bool:
    """Said so by the participant: nothing was chosen in these tests then."""
    return row["choice"] is None


def _times(responses: list[Mapping[Any, Any]], without: set[str]) -> dict[int, tuple[int, float, int]]:
    by_position: dict[int, list[int]] = {}
    for row in responses:
        if row["rt_ms"] is not None and row["trial"] not in without:
            by_position.setdefault(row["position"], []).append(row["rt_ms"])
    return {
        position: (len(times), statistics.median(times), _p90(times))
        for position, times in by_position.items()
    }


def _p90(times: list[int]) -> int:
    """The smallest that nine in ten do not exceed."""
    return next(t for t in sorted(times) if sum(other <= t for other in times) >= math.ceil(0.9 * len(times)))


def _loses(clip: Mapping[Any, Any]) -> bool:
    """More than a fifth of its pictures."""
    return 5 * (clip["dropped_frames"] or 0) > (clip["frames"] or 0) >= 30


def _trouble(
    responses: list[Mapping[Any, Any]], clips: Mapping[str, list[Mapping[Any, Any]]]
) -> Mapping[str, int]:
    stalls = {trial: sum(clip["stalls"] or 0 for clip in both) for trial, both in clips.items()}
    failed = {t for t, both in clips.items() if any(clip["failed"] for clip in both)}
    failed |= {r["trial"] for r in responses if _unplayable(r)}
    unwatched = {t for t, both in clips.items() if any(clip["watched"] is False for clip in both)}
    silent = {t for t, both in clips.items() if any(clip["member"] is None for clip in both)}
    gave_up = {r["trial"] for r in responses if _unplayable(r)}

    def flagged(flag: str) -> set[str]:
        return {r["trial"] for r in responses if flag in (r["flags"] or "").split(";")}

    fast = {t for t, both in clips.items() if any((clip["max_rate"] or 0) > 1 for clip in both)}
    return {
        "answered": len(responses),
        "unplayable": len(failed),
        "stalled": sum(n > 0 for n in stalls.values()),
        "stalls": sum(stalls.values()),
        "hidden": sum(any((clip["hidden_ms"] or 0) > 0 for clip in both) for both in clips.values()),
        "not_watched": len(unwatched - gave_up - fast),
        "not_read": len(flagged("not-read")),
        "sped_up": len(fast - gave_up),
        "out_of_step": len(
            {t for t, both in clips.items() if any((c["drift_ms_max"] or 0) > 200 for c in both)}
        ),
        "dropped": len({t for t, both in clips.items() if any(_loses(clip) for clip in both)}),
        "odd": len(silent | flagged("rt-odd")),
        "excluded": len(unwatched - gave_up),  # everybody here fetched the clips and took the time
    }
