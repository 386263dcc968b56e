"""The arms of one yes / no question compared: accuracy, d' and criterion, over the participants of each arm."""

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from analysis.data.judgements import Judgements
from analysis.detection.compared import without_shift_limits
from analysis.detection.measures import group_as_shown, multilevel_of
from analysis.detection.multilevel import GroupSensitivity
from analysis.detection.people import participants_of
from analysis.options import RESAMPLES
from analysis.stats.arms import ArmMean, ArmsCompared, MeasureByArm, arms_in, compare_arms, why_none
from analysis.stats.description import Description

SHOWN = {"d_prime": "sensitivity d'", "criterion": "criterion c"}
# From here on the correction made two equal arms differ in up to 16 of 100 simulations, not 5 (tests/analysis).
_TIMES_AS_MANY = 1.5


def compare_judgements_by_arm(
    judgements: Judgements, arm: pd.Series, *, seed: int = 1, resamples: int = RESAMPLES
) -> ArmsCompared:
    """Compare every two arms by each participant's share of right answers, d' and criterion, two-sided.

    Parameters
    ----------
    judgements
        As of `analyze_judgements`.
    arm
        The arm of each of its rows, or missing.

    Returns
    -------
    ArmsCompared
        Mann-Whitney's test [MW47]_ over participants; Holm's correction [Hol79]_ is over the pairs of arms within a
        measure. `d_prime` and `criterion` are tested by participants' corrected values, whose shift has no interval;
        the value of an arm is that of the multilevel model, or their mean without an interval. Where participants of
        one arm judged 1.5 times as many stimuli as those of another or more (medians), the correction pulls the two
        differently, and `warning` says so.
    """
    arms = arms_in(arm)
    if reason := why_none(len(arms)):
        return ArmsCompared(arms, (), reason)
    people = {one: _people_of(judgements, arm == one) for one in arms}
    of_arm = {
        one: multilevel_of(table[table["n_signal"] + table["n_noise"] > 0], seed)
        for one, table in people.items()
    }
    found = [
        compare_arms("accuracy", _values(people, "accuracy"), scale="share", seed=seed, resamples=resamples),
        *(
            _corrected(
                compare_arms(name, _values(people, name), seed=seed, resamples=resamples), people, of_arm
            )
            for name in SHOWN
        ),
    ]
    measures = tuple(one for one in found if one.pairs)
    return ArmsCompared(arms, measures, None if measures else "no measure has values in two arms")


def _people_of(judgements: Judgements, which: pd.Series) -> pd.DataFrame:
    rows = judgements.table[which.fillna(value=False).to_numpy(dtype=bool)].reset_index(drop=True)
    return participants_of(replace(judgements, table=rows)).set_index("participant")


def _values(people: Mapping[str, pd.DataFrame], name: str) -> dict[str, pd.Series]:
    return {arm: table[name].astype(float) for arm, table in people.items()}


def _corrected(
    one: MeasureByArm, people: Mapping[str, pd.DataFrame], of_arm: Mapping[str, GroupSensitivity]
) -> MeasureByArm:
    """The same with the numbers of each arm's multilevel model, and what the correction allows to say of two arms."""
    n = {arm: (table["n_signal"] + table["n_noise"]).median() for arm, table in people.items()}
    pairs = []
    for pair in one.pairs:
        few, many = sorted(pair.arms, key=lambda arm: n[arm])
        uneven = (
            f"people of arm {few} judged {n[few]:g} stimuli each and those of {many} {n[many]:g} (medians), and the "
            "correction pulls values from few towards 0: by accuracy they can be compared"
            if n[many] >= _TIMES_AS_MANY * n[few]
            else None
        )
        warning = "; ".join(filter(None, (pair.warning, uneven))) or None
        pairs.append(replace(pair, test=without_shift_limits(pair.test), warning=warning))
    shown = (ArmMean(each.arm, _as_shown(of_arm[each.arm], one.measure, each.described)) for each in one.arms)
    return replace(one, arms=tuple(shown), pairs=tuple(pairs))


def _as_shown(group: GroupSensitivity, measure: str, mean: Description) -> Description:
    one = group.d_prime if measure == "d_prime" else group.criterion
    return group_as_shown(one, mean, one.interval.seed)
