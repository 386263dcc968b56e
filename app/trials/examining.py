"""The flags of an answer, determined once when it is stored, and the exclusion rules based on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from app.trials.flags import HIDDEN_MS, Flag, StudyRule

# Two clocks, and the form's way to the server.
CLOCK_SLACK_MS = 1_000

# Of a clip, a word ends in its place on the page: `failed-left`.
_REPORTED: Mapping[str, Flag] = MappingProxyType(
    {
        "not-watched": Flag.NOT_WATCHED,
        "failed": Flag.UNPLAYABLE,
        "fast": Flag.SPED_UP,
        "out-of-step": Flag.OUT_OF_STEP,
        "dropped": Flag.DROPPED,
        "playback-missing": Flag.NO_TELEMETRY,
        "playback-odd": Flag.ODD,
        "not-read": Flag.NOT_READ,
        "reading-missing": Flag.NO_TELEMETRY,
        "reading-odd": Flag.ODD,
        "rt-odd": Flag.RT_ODD,
        "walk-missing": Flag.NO_TELEMETRY,
        "walk-odd": Flag.ODD,
        "slow-frames": Flag.SLOW_FRAMES,
    }
)
_PLACE = {flag: place for place, flag in enumerate(Flag)}
_NO_REPORT = frozenset({"playback-missing", "reading-missing"})
# What nobody expects of a clip that would not play.
_OF_WATCHING = frozenset(
    {
        Flag.ATTENTION,
        Flag.NOT_WATCHED,
        Flag.TOO_FAST,
        Flag.SHORT_INTERVAL,
        Flag.NOT_FETCHED,
        Flag.SPED_UP,
        Flag.OUT_OF_STEP,
        Flag.DROPPED,
    }
)
_UNWATCHED = frozenset({Flag.NOT_WATCHED, Flag.SHORT_INTERVAL, Flag.NOT_FETCHED, Flag.SPED_UP})


class Observed(NamedTuple):
    """All that is known of one answered trial.

    `reported` are the words of `app.trials.evidence`, or of what a task reads in its place. `least_ms` is the
    shortest time in which both clips can be watched, `longest_ms` how long they last, at once or one after the other
    as they were shown; None where their length is not known. `waited_ms` is the server's
    time from sending the page to the answer, or, where the page was never sent (`served`), from the answer before.
    `fetched` is whether each clip was sent whole (or, where `to_end` is false, at all); None where that was not
    recorded. `attentive` is whether the truth of an attention check was chosen; None where the trial is none, or
    nothing was chosen. `rules` are the flags by which the study itself leaves an answer out.
    """

    reported: Sequence[str]
    to_end: bool
    unplayable: bool
    least_ms: float | None
    longest_ms: float | None
    waited_ms: int | None
    served: bool
    fetched: Sequence[bool | None]
    rt_ms: int | None
    hidden_ms: int
    attentive: bool | None = None
    rules: Sequence[StudyRule] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """`raised` in the order of `Flag`; `unwatched`: the clips cannot have been watched, though the study asks it;
    `study_rule`: the first of the study's own rules that leaves the answer out."""

    raised: tuple[Flag, ...]
    unwatched: bool
    study_rule: StudyRule | None = None


def examine(evidence: Observed, *, simulated: bool = False) -> Finding:
    """Return the flags of one answered trial and the rule that excludes it, if any.

    Missing evidence raises no flag. Simulated participants watch nothing, so flags about watching do not apply to them.
    """
    flags = _raised(evidence)
    if not flags:  # as of most answers
        return _NOTHING
    if evidence.unplayable or simulated:
        flags -= _OF_WATCHING
    if simulated:
        flags &= {Flag.UNPLAYABLE}
    unwatched = evidence.to_end and bool(flags & _UNWATCHED)
    raised = tuple(sorted(flags, key=_PLACE.__getitem__))
    return Finding(raised, unwatched, next((rule for rule in evidence.rules if rule in raised), None))


_NOTHING = Finding((), False)


def _raised(e: Observed) -> set[Flag]:
    flags = _reported_flags(e.reported) if e.reported else set()
    if not e.to_end:
        flags.discard(Flag.NOT_WATCHED)
    checks = {
        Flag.ATTENTION: e.attentive is False,
        Flag.TOO_FAST: e.to_end and _is_less(e.rt_ms, e.longest_ms),
        Flag.SHORT_INTERVAL: e.to_end and _is_less(e.waited_ms, e.least_ms),
        Flag.NOT_FETCHED: False in e.fetched,
        Flag.NOT_SERVED: not e.served,
        Flag.RT_LONG: _is_less(e.waited_ms, None if e.rt_ms is None else e.rt_ms - CLOCK_SLACK_MS),
        Flag.HIDDEN: e.hidden_ms > HIDDEN_MS,
        Flag.UNPLAYABLE: e.unplayable,
    }
    flags.update([flag for flag, holds in checks.items() if holds])
    return flags


def _reported_flags(reported: Sequence[str]) -> set[Flag]:
    words = {*reported, *(word.rpartition("-")[0] for word in reported)}
    flags = {_REPORTED[word] for word in words if word in _REPORTED}
    # A browser without scripts sends neither; a script sends both, so a report without its time is odd.
    if "rt-missing" in reported and not _NO_REPORT & set(reported):
        flags.add(Flag.ODD)
    return flags


def _is_less(value: float | None, than: float | None) -> bool:
    return value is not None and than is not None and value < than
