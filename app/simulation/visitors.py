"""Visitors of a simulated cohort: what honest people and planted cheaters do on a trial's page, and what their browsers
report of it.

Times are those of people: a clip is watched by letting as much time of the simulated clock pass as it lasts. Honest
people differ by line, browser, pace, skill and habits; nothing about them is drawn from the rules that judge them.
"""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.questions.sides import Side
from app.simulation.wording import OWN_WORDS, PASTED, PROGRAM, PROGRAM_WORDS, REASONS, WORDS


@dataclass(frozen=True, slots=True)
class Shown:
    """A trial as it is shown: `target` is the side of the true clip, `seconds` how long the clip at each side lasts."""

    kind: str
    target: Side
    is_true: bool
    seconds: Mapping[Side, float]

    @property
    def longest(self) -> float:
        return max(self.seconds.values())


@dataclass(frozen=True, slots=True)
class Doing:
    """A visitor's acts on one page. Seconds pass before each clip is fetched (`fetch_s`) and before the answer
    (`wait_s`); `fetch` is the share of each clip's bytes that is asked for, in so many `parts`. `typed` is how
    the reason was entered, as the browser counts."""

    choice: Side
    certainty: float
    reason: str
    wait_s: float
    rt_ms: int
    playback: str
    typed: str = ""
    fetch: float = 1.0
    parts: int = 1
    fetch_s: float = 0.2


@dataclass(frozen=True, slots=True)
class Person:
    """An honest visitor. `line_s` is how long a clip takes to arrive, `stalls` how many a trial has on average,
    `webkit` that reports have WebKit's quirks; `prefers` is a side that is pressed without looking in such a share of
    trials; `attention` is how often the true clip of an attention check is found; `per_input` is how many characters an
    input writes: one of a keyboard, a word of a screen's keyboard, a phrase of dictation."""

    skill: float
    pace: float
    line_s: float
    stalls: float
    webkit: bool
    firefox: bool
    prefers: Side | None
    prefers_share: float
    attention: float
    away: float
    drops: float
    writes: float
    per_input: int


@dataclass(frozen=True, slots=True)
class Habits:
    """Shares of a population: on a slow line, on WebKit, no better than chance at the task, with a favourite side, away
    from the page now and then, on a machine that drops frames."""

    slow: float = 0.2
    webkit: float = 0.2
    unskilled: float = 0.125
    one_sided: float = 0.1
    away: float = 0.5
    dropping: float = 0.15


USUAL = Habits()
OTHER = Habits(slow=0.4, webkit=0.35, unskilled=0.25, one_sided=0.2, away=0.7, dropping=0.3)
"""A harder population, on which no default was chosen."""


def honest(rng: random.Random, habits: Habits = USUAL) -> Person:
    """Draw an honest person."""
    slow = rng.random() < habits.slow
    skill = 0.5 if rng.random() < habits.unskilled else min(0.95, max(0.5, rng.gauss(0.74, 0.1)))
    return Person(
        skill=skill,
        pace=rng.lognormvariate(0, 0.35),
        line_s=rng.uniform(2, 15) if slow else rng.uniform(0.1, 1.5),
        stalls=rng.uniform(0.2, 2.0) if slow else 0.03,
        webkit=rng.random() < habits.webkit,
        firefox=rng.random() < 0.2,
        prefers=rng.choice((Side.LEFT, Side.RIGHT)) if rng.random() < habits.one_sided else None,
        prefers_share=rng.uniform(0.1, 0.4),
        attention=rng.uniform(0.94, 1.0),
        away=rng.uniform(0.0, 0.12) if rng.random() < habits.away else 0.0,
        drops=rng.uniform(0.0, 0.15) if rng.random() < habits.dropping else 0.0,
        writes=rng.uniform(0.5, 1.0),
        per_input=rng.choices((1, 6, 30), (0.85, 0.12, 0.03))[0],
    )


class Visitor:
    """One visitor, who acts on page after page. A cheater does as an honest person would but for what it cheats in."""

    def __init__(self, kind: str, rng: random.Random, habits: Habits = USUAL) -> None:
        self.kind, self.rng = kind, rng
        self.person = honest(rng, habits)
        self._cheat = {**CHEATS, **REMARKED}.get(kind)

    @property
    def is_planted(self) -> bool:
        return self._cheat is not None

    @property
    def comes_twice(self) -> bool:
        return self.kind == TWICE

    def page_s(self) -> float:
        """Seconds on a page that is no trial: to read it and answer."""
        if self.kind in _HASTY:
            return self.rng.uniform(0.5, 2.0)
        return self.rng.lognormvariate(3.0, 0.5) * self.person.pace

    def does(self, shown: Shown) -> Doing:
        doing = self._honestly(shown)
        return self._cheat(self, shown, doing) if self._cheat else doing

    def _honestly(self, shown: Shown) -> Doing:
        one, rng = self.person, self.rng
        stalls = [_poisson(rng, one.stalls / 2) for _ in Side]
        stall_ms = [sum(round(rng.uniform(300, 4000)) for _ in range(n)) for n in stalls]
        watching = shown.longest + max(stall_ms) / 1000
        if rng.random() < 0.1:  # watches again
            watching += shown.longest
        reason = self._reason() if rng.random() < one.writes else ""
        thinking = rng.lognormvariate(1.6, 0.5) * one.pace + len(reason) / 5
        hidden = rng.uniform(2, 40) if rng.random() < one.away else 0.0
        pause = rng.uniform(60, 900) if rng.random() < 0.01 else 0.0
        rt_s = watching + thinking + hidden + pause
        report = self._report(shown, stalls, stall_ms, hidden)
        return Doing(
            choice=self._choice(shown),
            certainty=rng.betavariate(2, 2.5),
            reason=reason,
            wait_s=rt_s + rng.uniform(0.05, 0.4),
            rt_ms=round(1000 * rt_s),
            playback=json.dumps(report),
            typed=typed(len(reason), -(-len(reason) // one.per_input)),
            parts=rng.choice((2, 3, 4)) if one.line_s > 2 or one.webkit else 1,
            fetch_s=one.line_s,
        )

    def _choice(self, shown: Shown) -> Side:
        one, rng = self.person, self.rng
        if shown.kind == "attention":
            return shown.target if rng.random() < one.attention else shown.target.other
        if one.prefers is not None and rng.random() < one.prefers_share:
            return one.prefers
        hit = rng.random() < (one.skill if shown.is_true else 0.5 + (one.skill - 0.5) / 2)
        return shown.target if hit else shown.target.other

    def _reason(self) -> str:
        """A text that nobody else is likely to write: of a template's words, in one's own order and with slips."""
        rng = self.rng
        text = rng.choice(REASONS).format(*(rng.choice(words) for words in WORDS))
        words = text.split()
        # People have more words than these lists: where they add none of their own, two would write the same too often.
        for _ in range(rng.randint(1, 3)):
            words.insert(rng.randrange(1, len(words)), rng.choice(OWN_WORDS))
        if rng.random() < 0.5:
            words = words[: rng.randint(4, len(words))]
        if rng.random() < 0.3:
            at = rng.randrange(len(words))
            words[at] = words[at][:-1] or words[at]
        return " ".join(
            [*words, rng.choice(("", "imo", "I guess", "not sure though", str(rng.randint(1, 99))))]
        ).strip()

    def _report(self, shown: Shown, stalls: list[int], stall_ms: list[int], hidden: float) -> dict[str, Any]:
        one, rng = self.person, self.rng
        # WebKit: peaks of 100 ms in single frames, and now and then no `ended` (shared/stack.md, measured).
        drift = rng.uniform(10, 110) if one.webkit else rng.uniform(4, 51 if one.firefox else 29)
        clips = {}
        for side, n, ms in zip(Side, stalls, stall_ms, strict=True):
            # The page opens its questions at 95 % of a clip (playback.js): nobody honest reports less.
            short = min(rng.uniform(0.0, 0.15), 0.045 * shown.seconds[side]) if one.webkit else 0.0
            clip = played(shown.seconds[side], short)
            # No count of frames where the browser has none.
            frames = 0 if one.webkit and rng.random() < 0.5 else clip["frames"]
            dropped = round(frames * one.drops * rng.random())
            clips[str(side)] = clip | {
                "stalls": n,
                "stall_ms": ms,
                "frames": frames,
                "dropped_frames": dropped,
            }
        return report(clips, drift=drift, hidden_ms=1000 * hidden, loads=2 if rng.random() < 0.02 else 1)


def typed(length: int, keys: int, pasted: int = 0) -> str:
    """The report of how a text was entered; empty without one."""
    return json.dumps({"rationale": {"keys": keys, "pasted": pasted}}) if length else ""


def played(seconds: float, short_s: float = 0.0) -> dict[str, Any]:
    """The report of a clip that was played once, but for its last `short_s`."""
    return {
        "duration_s": round(seconds, 3), "played": [[0.0, round(max(seconds - short_s, 0), 3)]], "watched": True,
        "plays": 1, "stalls": 0, "stall_ms": 0, "dropped_frames": 0, "frames": round(seconds * 30), "errors": [],
        "failed": False, "max_rate": 1,
    }  # fmt: skip


def report(clips: Mapping[str, Any], drift: float, hidden_ms: float = 0, loads: int = 1) -> dict[str, Any]:
    return {
        "v": 1,
        "loads": loads,
        "layout": "side-by-side",
        "drift_ms_max": round(drift),
        "hidden_ms": round(hidden_ms),
        **clips,
    }


def _poisson(rng: random.Random, mean: float) -> int:
    """Arrivals in one unit of time at this rate."""
    n, at = 0, rng.expovariate(mean) if mean else 2.0
    while at < 1:
        n, at = n + 1, at + rng.expovariate(mean)
    return n


# What is planted: a function changes what an honest person would do.

Cheat = Callable[[Visitor, Shown, Doing], Doing]


def _either(rng: random.Random) -> Side:
    return rng.choice((Side.LEFT, Side.RIGHT))


def _clicks_at_once(visitor: Visitor, shown: Shown, doing: Doing) -> Doing:
    """Answers as soon as the page is there; the clips have only begun to load and to play."""
    rng = visitor.rng
    wait = rng.uniform(0.4, 2.0)
    begun = {
        str(side): played(shown.seconds[side]) | {"played": [[0.0, 0.3]], "watched": False} for side in Side
    }
    return replace(
        doing,
        choice=_either(rng),
        reason="",
        wait_s=wait,
        rt_ms=round(900 * wait),
        playback=json.dumps(report(begun, drift=10)),
        fetch=rng.choice((0.3, 1.0)),
        fetch_s=0.1,
    )


def _always_left(_visitor: Visitor, _shown: Shown, doing: Doing) -> Doing:
    """Lets the clips run, and presses the left each time."""
    return replace(doing, choice=Side.LEFT)


def _hidden_tab(visitor: Visitor, shown: Shown, doing: Doing) -> Doing:
    """Starts the clips and is in another window until they have ended; looks at most pairs so."""
    rng = visitor.rng
    if rng.random() < 0.15:
        return doing
    away = rng.uniform(20, 90)
    rt_s = shown.longest + away + rng.uniform(1, 4)
    clips = {str(side): played(shown.seconds[side]) for side in Side}
    return replace(
        doing,
        choice=_either(rng),
        wait_s=rt_s + 0.2,
        rt_ms=round(1000 * rt_s),
        playback=json.dumps(report(clips, drift=20, hidden_ms=1000 * away)),
    )


def _fast(visitor: Visitor, shown: Shown, doing: Doing) -> Doing:
    """Plays the clips eight times as fast, as an extension of the browser lets one; the report says so."""
    rng = visitor.rng
    rt_s = shown.longest / 8 + rng.uniform(1, 3)
    clips = {str(side): played(shown.seconds[side]) | {"max_rate": 8} for side in Side}
    playback = json.dumps(report(clips, drift=20))
    return replace(doing, wait_s=rt_s + 0.2, rt_ms=round(1000 * rt_s), playback=playback, reason="")


def _forged_early(visitor: Visitor, shown: Shown, doing: Doing) -> Doing:
    """Claims that both clips were watched in their own time, and answers before they can have been."""
    rng = visitor.rng
    clips = {str(side): played(shown.seconds[side]) for side in Side}
    return replace(
        doing,
        choice=_either(rng),
        wait_s=rng.uniform(0.2, 0.6) * shown.longest,
        rt_ms=round(1000 * (shown.longest + rng.uniform(2, 9))),
        playback=json.dumps(report(clips, drift=rng.uniform(4, 20))),
    )


def _forged_unfetched(visitor: Visitor, shown: Shown, doing: Doing) -> Doing:
    """Claims full watching and waits long enough, but never fetches the clips, or only their beginnings."""
    return replace(_forged_waiting(visitor, shown, doing), fetch=visitor.rng.choice((0.0, 0.2)))


def _forged_waiting(visitor: Visitor, shown: Shown, doing: Doing) -> Doing:
    rng = visitor.rng
    rt_s = shown.longest + rng.uniform(1, 5)
    clips = {str(side): played(shown.seconds[side]) for side in Side}
    playback = json.dumps(report(clips, drift=rng.uniform(4, 20)))
    return replace(doing, choice=_either(rng), wait_s=rt_s + 0.1, rt_ms=round(1000 * rt_s), playback=playback)


def _fails_attention(visitor: Visitor, shown: Shown, doing: Doing) -> Doing:
    """Plays everything, presses anything, and is wrong where the checks say what to press."""
    rng = visitor.rng
    if shown.kind == "attention":
        return replace(doing, choice=shown.target if rng.random() < 0.15 else shown.target.other)
    return replace(doing, choice=_either(rng))


def _program(visitor: Visitor, _shown: Shown, doing: Doing) -> Doing:
    """Posts forms without a browser: no clip, no report, no time."""
    rng = visitor.rng
    return replace(doing, choice=_either(rng), wait_s=rng.uniform(0.1, 0.5), rt_ms=-1, playback="", fetch=0.0)


def _pastes(visitor: Visitor, _shown: Shown, doing: Doing) -> Doing:
    """Watches, and pastes a few texts that others have as well."""
    reason = visitor.rng.choice(PASTED)
    return replace(doing, reason=reason, typed=typed(len(reason), 0, len(reason)))


def _written_by_program(visitor: Visitor, _shown: Shown, doing: Doing) -> Doing:
    """Watches and answers as anybody, and has a program write each text anew and fill it in."""
    rng = visitor.rng
    reason = PROGRAM.format(rng.choice(("left", "right")), *(rng.choice(words) for words in PROGRAM_WORDS))
    return replace(doing, reason=reason, typed=typed(len(reason), 1))


TWICE = "comes twice"
CHEATS: Mapping[str, Cheat | None] = {
    "clicks at once": _clicks_at_once,
    "always left": _always_left,
    "hidden tab": _hidden_tab,
    "plays at 8x": _fast,
    "forged, too early": _forged_early,
    "forged, not fetched": _forged_unfetched,
    "fails attention": _fails_attention,
    TWICE: lambda _visitor, _shown, doing: doing,
    "pastes": _pastes,
    "a program": _program,
}
REMARKED: Mapping[str, Cheat] = {"has a program write": _written_by_program}
"""Kinds on which a rule remarks without leaving them out."""
HONEST = "honest"
_HASTY = frozenset({"clicks at once", "a program"})
