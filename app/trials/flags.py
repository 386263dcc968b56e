"""The flags of an answer and what each means, as pages and the data dictionary say it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

# A page hidden for longer than this in one trial is flagged; a glance at another window is not.
HIDDEN_MS = 10_000
# Seconds or pictures that a clip may lack and still be what the study shows: what a browser reports is held against
# these, here and nowhere else. The player holds back the clip that is ahead before they are 100 ms apart (player.js),
# and a machine that keeps up stays under 50. Twice what it lets pass says that it could not: at the 3.3 m/s of a walk
# two places of the map are then two thirds of a metre apart.
OUT_OF_STEP_MS = 200
# Of 30 pictures a second 24 are left, the rate of films; with fewer, motion is seen to jerk. A second of pictures is
# the least of which a share says anything.
DROPPED_SHARE = 0.2
DROPPED_FROM_FRAMES = 30
# As many presses of one side in a row come from fewer than one attentive person in a hundred.
ONE_SIDED_FROM = 8
# Of a text so long, so much pasted is most of it; a word or a name that is pasted says nothing.
PASTED_FROM, PASTED_SHARE = 20, 0.5
# A keyboard that writes whole words at a touch has an input for each word, about every six characters; dictation may
# have one for a sentence.
UNTYPED_FROM, UNTYPED_SHARE = 40, 0.05
UNWATCHED = "unwatched"


class Flag(StrEnum):
    ATTENTION = "attention-failed"
    COMPREHENSION = "comprehension-failed"
    NOT_WATCHED = "not-watched"
    NOT_READ = "not-read"
    TOO_FAST = "too-fast"
    SHORT_INTERVAL = "short-interval"
    NOT_FETCHED = "not-fetched"
    NOT_SERVED = "not-served"
    NO_TELEMETRY = "no-telemetry"
    SPED_UP = "sped-up"
    OUT_OF_STEP = "out-of-step"
    DROPPED = "dropped-frames"
    ONE_SIDED = "one-sided"
    HIDDEN = "hidden"
    UNPLAYABLE = "unplayable"
    SLOW_FRAMES = "slow-frames"
    RT_LONG = "rt-long"
    RT_ODD = "rt-odd"
    ODD = "odd-telemetry"
    PASTED = "pasted"
    NOT_TYPED = "not-typed"
    ORDER = "order-not-recorded"

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
        Flag.COMPREHENSION: Meaning(
            "comprehension check failed",
            "Did not answer the questions on the instructions right in the last try. It excludes nothing by itself.",
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
            "Answered sooner than the longer of the two clips lasts (of clips shown one after the other: than both "
            "last), by the browser's clock, where they are to be watched to the end; or than a record or text can be "
            "read.",
        ),
        Flag.SHORT_INTERVAL: Meaning(
            "interval too short",
            "The server took the answer sooner after it sent the page than the longer clip lasts (of clips shown one "
            "after the other: than both last), where they are to be watched to the end; or than a record or text can "
            "be read.",
        ),
        Flag.NOT_FETCHED: Meaning(
            "clip not fetched",
            "A clip was never sent whole to this session; where clips need not be watched to the end, not at all.",
        ),
        Flag.NOT_SERVED: Meaning("page not served", "Answered, though the trial's page was never asked for."),
        Flag.NO_TELEMETRY: Meaning(
            "no telemetry", "The browser reported nothing of the trial, as without scripts."
        ),
        Flag.SPED_UP: Meaning(
            "sped up", "Played a clip faster than it is: it was not watched as it is, whatever was played."
        ),
        Flag.OUT_OF_STEP: Meaning(
            "out of step",
            f"The pictures of the two clips were more than {OUT_OF_STEP_MS} ms apart for a moment at least.",
        ),
        Flag.DROPPED: Meaning(
            "frames lost",
            f"More than {DROPPED_SHARE:.0%} of a clip's pictures were not shown, as on a slow device.",
        ),
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
        Flag.PASTED: Meaning(
            "text pasted",
            f"Pasted at least {PASTED_SHARE:.0%} of a text of {PASTED_FROM} characters or more, as the browser counts.",
        ),
        Flag.NOT_TYPED: Meaning(
            "text not typed",
            f"A text of {UNTYPED_FROM} characters or more came at once, or nearly: neither typed nor pasted, as the "
            f"browser counts: fewer than one input for {round(1 / UNTYPED_SHARE)} characters. Programs fill fields so; "
            "dictation may.",
        ),
        Flag.ORDER: Meaning(
            "order not recorded", "Came from a file that does not say in which order the answers were given."
        ),
    }
)


# Flags by which a study may leave answers out, where its file says so.
StudyRule = Literal["out-of-step", "dropped-frames"]


def joined(flags: Sequence[Flag]) -> str | None:
    """Flags as stored in a column: joined by `;`, None if there are none."""
    return ";".join(flags) or None


@lru_cache(maxsize=1024)  # of a study's answers few have any, and of these few have others
def split(words: str | None) -> frozenset[Flag]:
    """Parse stored flags for lists and counts of sessions; ORDER is left out, as the participant did not cause it."""
    return frozenset(map(Flag, words.split(";"))) - {Flag.ORDER} if words else frozenset()


def is_one_sided(n_left: int, n_chosen: int) -> bool:
    return n_chosen >= ONE_SIDED_FROM and n_left in (0, n_chosen)


def in_order(counts: Mapping[Flag, int]) -> Sequence[tuple[Flag, int]]:
    """Flags with the number of trials, as lists show them."""
    return [(flag, counts[flag]) for flag in Flag if counts.get(flag)]
