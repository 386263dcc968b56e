"""The flow of participants, as CONSORT shows it: at each step how many are left, and why the others are not.

A session is lost at one step, for one reason; so each step is the one before less those it lost, and plus those who
joined. One function counts sessions of the database, and rows of exported tables as far as these tell.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd

from analysis.data.codes import groups_of
from analysis.results import Result

Step = Literal["arrived", "consented", "screened", "began", "finished", "analysed"]
STEPS: tuple[Step, ...] = ("arrived", "consented", "screened", "began", "finished", "analysed")
TITLES: Mapping[Step, str] = {
    "arrived": "Arrived",
    "consented": "Consented",
    "screened": "Passed screening",
    "began": "Began",
    "finished": "Finished",
    "analysed": "Analysed",
}
BY_RULE = "rule:"
NO_ARM = ""
"""The name under which those stand who left before they were given an arm."""

# Where a session of each status is lost, and the reason; `active` and `completed` go on.
_LOST_BY_STATUS: Mapping[str, tuple[Step, str]] = {
    "unsuited": ("arrived", "unsuited"),
    "refused": ("arrived", "refused"),
    "under-age": ("arrived", "under-age"),
    "full": ("arrived", "full"),
    "left": ("arrived", "left-at-consent"),
    "arrived": ("arrived", "left-at-consent"),
    "screened-out": ("consented", "screened-out"),
    # How far they had come went with their answers.
    "withdrawn": ("consented", "withdrawn"),
}
_STOPPED: Mapping[str, str] = {"failed-checks": "failed-checks", "unplayable": "unplayable"}
REASONS: Mapping[str, str] = {
    "unsuited": "had a device that the study does not take",
    "refused": "declined",
    "under-age": "reported being under age",
    "full": "found no place",
    "left-at-consent": "left at the consent page",
    "screened-out": "were screened out",
    "withdrawn": "withdrew: their answers were deleted",
    "failed-checks": "failed the checks",
    "unplayable": "had no video that would play",
    "timed-out": "timed out",
    "not-begun": "have not begun a trial",
    "unfinished": "have not finished",
    "by-hand": "excluded by hand",
    "nothing-counts": "without an answer that counts",
}
"""In the order in which they are listed; exclusion rules stand after those by hand."""


@dataclass(frozen=True, slots=True)
class SessionKnown:
    """A session as far as it is known. `n_answered` counts trials, `rules` are those by which it is not used, `counts`
    is true if an answer of it to a main trial counts, `released` if its slot was given back because it was idle."""

    status: str
    arm: str = "main"
    n_answered: int = 0
    released: bool = False
    by_hand: bool = False
    rules: tuple[str, ...] = ()
    counts: bool = False


@dataclass(frozen=True, slots=True)
class Loss(Result):
    """Sessions lost at a step for one reason."""

    reason: str
    """A key of `REASONS`, or `rule:` and the name of an exclusion rule."""
    n: int
    """Sessions."""


@dataclass(frozen=True, slots=True)
class FlowStep(Result):
    """Sessions at a step of the flow, and those lost before the next."""

    step: Step
    """`arrived`, `consented`, `screened`, `began`, `finished` or `analysed`."""
    n: int
    """Sessions at this step."""
    lost: tuple[Loss, ...] = ()
    """Those that are not at the next step, by reason."""
    joined: int = 0
    """Those that did not come by the step before: sessions that did not finish, of which answers count."""


@dataclass(frozen=True, slots=True)
class Flow(Result):
    """The flow of one study's sessions in one mode. A table of answers alone begins at `began`."""

    mode: str
    """The mode of the sessions: `live`, `simulated`, `pilot` or `preview`."""
    steps: tuple[FlowStep, ...]
    """All steps that are known, in order."""
    arms: Mapping[str, tuple[FlowStep, ...]] = field(default_factory=dict)
    """The same steps of each arm, where there are several; an empty name is of those who had none yet."""

    def n(self, step: Step) -> int | None:
        """Sessions at a step; None where the flow begins later."""
        return next((one.n for one in self.steps if one.step == step), None)

    @property
    def first(self) -> FlowStep:
        return self.steps[0]


def flow_of(mode: str, sessions: Iterable[tuple[SessionKnown, int]], begins: Step = "arrived") -> Flow:
    """The flow of sessions, each kind with its number; of tables that list none from before it `begins` later."""
    by_arm: dict[str, Counter[tuple[Step, str]]] = {}
    for one, n in sessions:
        end = _end(one)
        # An arm is given with consent: who did not come so far was in none, whatever the row says.
        by_arm.setdefault(one.arm if end[0] != "arrived" else NO_ARM, Counter())[end] += n
    total = sum(by_arm.values(), Counter[tuple[Step, str]]())
    several = len(by_arm.keys() - {NO_ARM}) > 1
    arms = {
        arm: _steps(by_arm[arm], begins) for arm in sorted(by_arm, key=lambda arm: (not arm, arm)) if several
    }
    return Flow(mode, _steps(total, begins), arms)


def flow_of_answers(rows: pd.DataFrame, mode: str) -> Flow:
    """The flow of the sessions in a table of answers, which lists none without an answer and tells of none whether it
    was finished: it has the steps `began` and `analysed`."""
    of_mode = (rows["mode"] == mode).to_numpy()
    groups = groups_of([rows["session"]])
    first, there = groups.some_row(), groups.counts(of_mode) > 0
    is_used = rows["excluded"].isna() & (rows["kind"] == "main")
    rules = np.full(groups.size, None, dtype=object)
    if "use" in rows:
        is_left_out = rows["use"].eq(False).fillna(False).astype(bool)
        is_used &= ~is_left_out
        rules = rows["rules"].where(is_left_out).astype(object).to_numpy()[first]
    counts = groups.counts(of_mode & is_used.to_numpy()) > 0
    by_hand = groups.counts((rows["excluded"] == "by-hand").to_numpy()) > 0
    arms = rows["arm"].astype(object).to_numpy()[first]
    known = (
        SessionKnown(
            "completed",
            _text(arms[at]),
            1,
            by_hand=bool(by_hand[at]),
            rules=_listed(rules[at]),
            counts=bool(counts[at]),
        )
        for at in there.nonzero()[0]
    )
    found = flow_of(mode, Counter(known).items(), "began")
    return replace(
        found,
        steps=_ends_unknown(found.steps),
        arms={arm: _ends_unknown(one) for arm, one in found.arms.items()},
    )


def _ends_unknown(steps: Sequence[FlowStep]) -> tuple[FlowStep, ...]:
    """The steps without `finished`, whose losses come before the one that follows."""
    began, finished, analysed = steps
    return replace(began, lost=finished.lost), analysed


def _text(cell: object) -> str:
    return "" if cell is None or cell is pd.NA or cell != cell else str(cell)


def _listed(cell: object) -> tuple[str, ...]:
    return tuple(filter(None, _text(cell).split(";")))


def flow_of_participants(rows: Iterable[Mapping[str, str]], mode: str) -> Flow:
    """The flow of an exported table `participants`, as far as it tells: who did not begin is not in it, and whether an
    answer counts is taken from whether there is any."""
    known = (_participant(row) for row in rows if row["mode"] == mode)
    return flow_of(mode, Counter(known).items(), "screened")


def _participant(row: Mapping[str, str]) -> SessionKnown:
    n_answered = int(row.get("trials_answered") or 0)
    is_left_out = row.get("use", "").lower() == "false"
    return SessionKnown(
        row["status"],
        row.get("arm", ""),
        1 if n_answered else 0,
        released=bool(row.get("released_at")),
        by_hand=bool(row.get("excluded")),
        rules=_listed(row.get("rules")) if is_left_out else (),
        counts=n_answered > 0,
    )


def _end(one: SessionKnown) -> tuple[Step, str]:
    """The step after which a session is lost, and the reason; `analysed` with none, or with that it did not finish."""
    if one.status in _LOST_BY_STATUS:
        return _LOST_BY_STATUS[one.status]
    is_used = one.counts and not one.rules and not one.by_hand
    if one.status == "completed":
        return ("analysed", "") if is_used else ("finished", _left_out(one))
    if one.status in _STOPPED:
        reason = _STOPPED[one.status]
    else:
        reason = "timed-out" if one.released else "unfinished" if one.n_answered else "not-begun"
    if is_used and one.n_answered:
        return "analysed", reason
    return "began" if one.n_answered or one.status == "unplayable" else "screened", reason


def _left_out(one: SessionKnown) -> str:
    # As in the column `excluded`: `use` is false of these as well, whatever else was remarked.
    if one.by_hand:
        return "by-hand"
    return f"{BY_RULE}{one.rules[0]}" if one.rules else "nothing-counts"


def _steps(ends: Mapping[tuple[Step, str], int], begins: Step) -> tuple[FlowStep, ...]:
    """The steps from their ends: who counts without having finished is lost at `began`, and joins at the last."""
    joined = {reason: n for (step, reason), n in ends.items() if step == "analysed" and reason}
    lost: dict[Step, Counter[str]] = {step: Counter() for step in STEPS}
    for (step, reason), n in ends.items():
        if step != "analysed":
            lost[step][reason] += n
    lost["began"].update(joined)
    left = sum(n for step in STEPS for n in lost[step].values()) + ends.get(("analysed", ""), 0)
    found = []
    for step in STEPS:
        more = sum(joined.values()) if step == "analysed" else 0
        left += more
        losses = tuple(Loss(reason, lost[step][reason]) for reason in in_order(lost[step]))
        found.append(FlowStep(step, left, losses, more))
        left -= sum(lost[step].values())
    return tuple(found[STEPS.index(begins) :])


def in_order(reasons: Iterable[str]) -> Sequence[str]:
    """Reasons as they are listed: rules by name, after those by hand."""
    listed = list(REASONS)
    by_hand = listed.index("by-hand")
    return sorted(reasons, key=lambda one: (listed.index(one) if one in REASONS else by_hand + 0.5, one))


def reason_words(reason: str) -> str:
    """A reason as it stands behind a number."""
    return REASONS.get(reason) or f"excluded by the rule {reason.removeprefix(BY_RULE)}"


def flow_words(flow: Flow) -> str:
    """``Of 44 who arrived, 41 consented, 40 passed screening, 40 began, 37 finished; 35 are analysed.``"""
    first, *rest = flow.steps
    between = ", ".join(f"{one.n:,} {TITLES[one.step].lower()}" for one in rest[:-1])
    last = rest[-1].n
    analysed = f"{last:,} {'is' if last == 1 else 'are'} analysed"
    return f"Of {first.n:,} who {TITLES[first.step].lower()}, {f'{between}; ' if between else ''}{analysed}."
