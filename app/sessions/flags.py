"""Flags of an answer, decided once, when it is stored; and the one rule that excludes by them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

# A page hidden for longer than this in one trial is flagged; a glance at another window is not.
HIDDEN_MS = 10_000
# As many presses of one side in a row come from fewer than one attentive person in a hundred.
ONE_SIDED_FROM = 8
# Two clocks, and the form's way to the server.
CLOCK_SLACK_MS = 1_000
UNWATCHED = "unwatched"


class Flag(StrEnum):
    ATTENTION = "attention-failed"
    NOT_WATCHED = "not-watched"
    NOT_READ = "not-read"
    TOO_FAST = "too-fast"
    SHORT_INTERVAL = "short-interval"
    NOT_FETCHED = "not-fetched"
    NOT_SERVED = "not-served"
    NO_TELEMETRY = "no-telemetry"
    SPED_UP = "sped-up"
    ONE_SIDED = "one-sided"
    HIDDEN = "hidden"
    UNPLAYABLE = "unplayable"
    SLOW_FRAMES = "slow-frames"
    RT_LONG = "rt-long"
    RT_ODD = "rt-odd"
    ODD = "odd-telemetry"

    @property
    def words(self) -> str:
        return MEANINGS[self].title

    @property
    def meaning(self) -> str:
        return MEANINGS[self].text


@dataclass(frozen=True, slots=True)
class Meaning:
    title: str
    text: str


MEANINGS: Mapping[Flag, Meaning] = MappingProxyType(
    {
        Flag.ATTENTION: Meaning(
            "attention check failed",
            "Chose the wrong clip of an attention check. It excludes nothing by itself.",
        ),
        Flag.NOT_WATCHED: Meaning(
            "not watched", "Answered, though a clip was not played to its end, where the study asks for that."
        ),
        Flag.NOT_READ: Meaning(
            "not read",
            "Rated, though a part of the record or text, or its end, was never in view.",
        ),
        Flag.TOO_FAST: Meaning(
            "too fast",
            "Answered sooner than the longer of the two clips lasts, by the browser's clock, where it is to be "
            "watched to its end; or than a record or text can be read.",
        ),
        Flag.SHORT_INTERVAL: Meaning(
            "interval too short",
            "The server took the answer sooner after it sent the page than the longer clip lasts, where it is to be "
            "watched to its end; or than a record or text can be read.",
        ),
        Flag.NOT_FETCHED: Meaning(
            "clip not fetched",
            "A clip was never sent whole to this session; where clips need not be watched to the end, not at all.",
        ),
        Flag.NOT_SERVED: Meaning("page not served", "Answered, though the trial's page was never asked for."),
        Flag.NO_TELEMETRY: Meaning(
            "no telemetry", "The browser reported nothing of the trial, as without scripts."
        ),
        Flag.SPED_UP: Meaning("sped up", "Played a clip faster than it is."),
        Flag.ONE_SIDED: Meaning(
            "always one side", f"Pressed the same side every time, in {ONE_SIDED_FROM} trials or more."
        ),
        Flag.HIDDEN: Meaning(
            "page hidden", f"Was away from the page for more than {HIDDEN_MS // 1000} seconds of a trial."
        ),
        Flag.UNPLAYABLE: Meaning(
            "would not play",
            "Said that a clip would not play, or the browser said so; or that they could not walk.",
        ),
        Flag.SLOW_FRAMES: Meaning("slow frames", "The browser drew fewer than 20 frames a second of a walk."),
        Flag.RT_LONG: Meaning(
            "reaction time too long", "The browser's reaction time is longer than the server's own interval."
        ),
        Flag.RT_ODD: Meaning(
            "odd reaction time",
            "The reaction time is no time, or shorter than the playback that was reported with it.",
        ),
        Flag.ODD: Meaning("odd telemetry", "What the browser reported of a trial could not be read in full."),
    }
)

# Of a clip, a word ends in its place on the page: `failed-left`.
_REPORTED: Mapping[str, Flag] = MappingProxyType(
    {
        "not-watched": Flag.NOT_WATCHED,
        "failed": Flag.UNPLAYABLE,
        "fast": Flag.SPED_UP,
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
_NO_REPORT = frozenset({"playback-missing", "reading-missing"})
# What nobody expects of a clip that would not play.
_OF_WATCHING = frozenset(
    {Flag.ATTENTION, Flag.NOT_WATCHED, Flag.TOO_FAST, Flag.SHORT_INTERVAL, Flag.NOT_FETCHED}
)
_UNWATCHED = frozenset({Flag.NOT_WATCHED, Flag.SHORT_INTERVAL, Flag.NOT_FETCHED})


@dataclass(frozen=True, slots=True)
class Observed:
    """All that is known of one answered trial.

    `reported` are the words of `app.sessions.evidence`, or of what a task reads in its place. `least_ms` is the
    shortest time in which both clips can be watched; None where their length is not known. `waited_ms` is the server's
    time from sending the page to the answer, or, where the page was never sent (`served`), from the answer before.
    `fetched` is whether each clip was sent whole (or, where `to_end` is false, at all); None where that was not
    recorded. `attentive` is whether the truth of an attention check was chosen; None where the trial is none, or
    nothing was chosen.
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


@dataclass(frozen=True, slots=True)
class Finding:
    """`raised` in the order of `Flag`; `unwatched`: the clips cannot have been watched, though the study asks it."""

    raised: tuple[Flag, ...]
    unwatched: bool


def examine(evidence: Observed, *, simulated: bool = False) -> Finding:
    """The flags of one answered trial, and whether the rule `unwatched` excludes it.

    What is not known is held against nobody. Simulated participants watch nothing, which is no news of them.
    """
    flags = set(_raised(evidence))
    if evidence.unplayable or simulated:
        flags -= _OF_WATCHING
    if simulated:
        flags &= {Flag.UNPLAYABLE}
    unwatched = evidence.to_end and bool(flags & _UNWATCHED)
    return Finding(tuple(flag for flag in Flag if flag in flags), unwatched)


def _raised(e: Observed) -> Sequence[Flag]:
    words = {*e.reported, *(word.rpartition("-")[0] for word in e.reported)}
    flags = {_REPORTED[word] for word in words if word in _REPORTED}
    if "rt-missing" in e.reported and not _NO_REPORT & set(e.reported):
        flags.add(Flag.ODD)
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
    return [*flags, *(flag for flag, holds in checks.items() if holds)]


def _is_less(value: float | None, than: float | None) -> bool:
    return value is not None and than is not None and value < than


def joined(flags: Sequence[Flag]) -> str | None:
    """As a column holds flags: words joined by `;`, missing where there are none."""
    return ";".join(flags) or None


def split(words: str | None) -> frozenset[Flag]:
    return frozenset(map(Flag, words.split(";"))) if words else frozenset()


def is_one_sided(n_left: int, n_chosen: int) -> bool:
    return n_chosen >= ONE_SIDED_FROM and n_left in (0, n_chosen)


def in_order(counts: Mapping[Flag, int]) -> Sequence[tuple[Flag, int]]:
    """Flags with the number of trials, as lists show them."""
    return [(flag, counts[flag]) for flag in Flag if counts.get(flag)]
