"""What makes a session worth a second look: said of it by the monitor, acted on by nobody but the experimenter."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

# A page hidden for longer than this in one trial is told; a glance at another window is not.
HIDDEN_MS = 10_000
# As many presses of one side in a row come from fewer than one attentive person in a hundred.
ONE_SIDED_FROM = 8


class Flag(StrEnum):
    NOT_WATCHED = "not-watched"
    TOO_FAST = "too-fast"
    SPED_UP = "sped-up"
    ONE_SIDED = "one-sided"
    HIDDEN = "hidden"
    UNPLAYABLE = "unplayable"
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
        Flag.NOT_WATCHED: Meaning(
            "not watched", "Answered, though a clip was not played to its end, where the study asks for that."
        ),
        Flag.TOO_FAST: Meaning(
            "too fast",
            "Answered sooner than the longer of the two clips lasts, where it is to be watched to its end.",
        ),
        Flag.SPED_UP: Meaning("sped up", "Played a clip faster than it is."),
        Flag.ONE_SIDED: Meaning(
            "always one side", f"Pressed the same side every time, in {ONE_SIDED_FROM} trials or more."
        ),
        Flag.HIDDEN: Meaning(
            "page hidden", f"Was away from the page for more than {HIDDEN_MS // 1000} seconds of a trial."
        ),
        Flag.UNPLAYABLE: Meaning(
            "clip would not play", "Said that a clip would not play, or the browser said so."
        ),
        Flag.ODD: Meaning(
            "odd telemetry", "The browser told nothing, or nothing that could be read, of a trial."
        ),
    }
)

_TOLD: Mapping[str, Flag] = MappingProxyType(
    {
        "not-watched-left": Flag.NOT_WATCHED,
        "not-watched-right": Flag.NOT_WATCHED,
        "failed-left": Flag.UNPLAYABLE,
        "failed-right": Flag.UNPLAYABLE,
        "fast-left": Flag.SPED_UP,
        "fast-right": Flag.SPED_UP,
        "playback-missing": Flag.ODD,
        "playback-odd": Flag.ODD,
        "rt-missing": Flag.ODD,
        "rt-odd": Flag.ODD,
    }
)
_NONE: frozenset[Flag] = frozenset()


@dataclass(frozen=True, slots=True)
class Limits:
    """What a pair's trials are held against: `longest_ms` is the longer clip's length, None where it is not known."""

    practice: bool
    to_end: bool
    longest_ms: float | None


def trial_flags(
    told: str | Sequence[str], limits: Limits, *, unplayable: bool, rt_ms: int | None, hidden_ms: int
) -> frozenset[Flag]:
    """The flags of one answered trial; `told` is the response's `flags`, or the same as JSON.

    Of a clip that would not play nobody expects that it was watched, or that it took its time.
    """
    flags = set(_told(told)) if told and told != "[]" else set()
    if unplayable:
        flags.add(Flag.UNPLAYABLE)
    if not limits.to_end or Flag.UNPLAYABLE in flags:
        flags.discard(Flag.NOT_WATCHED)
    elif rt_ms is not None and limits.longest_ms is not None and rt_ms < limits.longest_ms:
        flags.add(Flag.TOO_FAST)
    if hidden_ms > HIDDEN_MS:
        flags.add(Flag.HIDDEN)
    return frozenset(flags) if flags else _NONE


def _told(flags: str | Sequence[str]) -> list[Flag]:
    names = json.loads(flags) if isinstance(flags, str) else flags
    return [_TOLD[name] for name in names if name in _TOLD]


def is_one_sided(n_left: int, n_chosen: int) -> bool:
    return n_chosen >= ONE_SIDED_FROM and n_left in (0, n_chosen)


def in_order(counts: Mapping[Flag, int]) -> Sequence[tuple[Flag, int]]:
    """Flags with the number of trials, as lists show them."""
    return [(flag, counts[flag]) for flag in Flag if counts.get(flag)]
