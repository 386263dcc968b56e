"""The conditions of one study as a fixed effect: a logistic mixed model with participants and pairs crossed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.data.codes import Mask, recoded
from analysis.data.outcomes import correct_answers
from analysis.options import LEVEL, Blank
from analysis.results import Result
from analysis.stats.crossed import Answers, NotConverged
from analysis.stats.mixed import METHOD, Codes, ModelNumber, log_odds_of, spread_of, why_not_fitted
from analysis.stats.posterior import posterior
from analysis.stats.threads import one_thread


@dataclass(frozen=True, slots=True)
class ConditionEffect(Result):
    """One condition in the model: its counted answers, and its log odds less those of the reference.

    `log_odds` is None for the reference, whose own log odds are the model's `intercept`.
    """

    condition: str
    n: int
    n_participants: int
    n_pairs: int
    log_odds: ModelNumber | None


@dataclass(frozen=True, slots=True)
class ConditionsModel(Result):
    """Right answers under the model: log odds = intercept + condition + participant + pair.

    The reference is the first of the `conditions`; `intercept` is in log odds, of the average participant at the
    average pair of it. Each number has its posterior mean, SD (the standard error) and middle 95%, and p against 0,
    two-sided. `n_crossed` participants answered in two conditions or more. `reason` says why there is no model."""

    outcome: str
    """What counts as 1."""
    n: int
    """Answers."""
    n_participants: int
    n_crossed: int
    n_pairs: int
    intercept: ModelNumber | None
    conditions: tuple[ConditionEffect, ...]
    sd_participants: ModelNumber | None
    sd_pairs: ModelNumber | None
    level: float
    method: str | None
    reason: str | None


@one_thread
def conditions_model(
    rows: pd.DataFrame, conditions: Sequence[str], blank: Blank = "missing"
) -> ConditionsModel:
    """Fit one model to the answers with a truth in several conditions, the condition a fixed effect.

    One row is one answer. A participant has one random intercept over all conditions, and so has a pair: R's lme4 fits
    this by ``glmer(correct ~ condition + (1 | participant) + (1 | pair), family = binomial)``; here it is the posterior
    of `mixed_model`. The effect of the condition is taken to be alike for all participants (no random slope [BLST13]_).
    Unlike the comparisons within people it reaches to other pairs of the same conditions.

    Parameters
    ----------
    rows
        Checked responses of one study, already selected. Answers without a condition are left out.
    conditions
        Their names in order; the first with an answer that counts is the reference.
    blank
        ``missing`` or ``wrong``, see `accuracy_per_participant`.
    """
    answers = correct_answers(rows, blank)
    of_answers = rows["condition"].astype("category")[answers.counted]
    there = [name for name in conditions if (of_answers == name).any()]
    # The last place is of an answer without a condition.
    at = [there.index(name) if name in there else -1 for name in of_answers.cat.categories]
    every = recoded(of_answers.array.codes, np.array([*at, -1]))
    known = every >= 0
    place, value, people, pairs = (
        each if known.all() else each[known]
        for each in (every, answers.value, answers.participant, answers.pair)
    )
    effects = [_counted(name, place == number, people, pairs) for number, name in enumerate(there)]
    seen = [
        np.bincount(people[place == number], minlength=answers.n_participants) > 0
        for number in range(len(there))
    ]
    n_conditions = np.sum(seen, axis=0) if seen else np.zeros(1)
    n_people, n_crossed = int((n_conditions > 0).sum()), int((n_conditions > 1).sum())
    n_pairs = int((np.bincount(pairs) > 0).sum()) if len(pairs) else 0
    reason = _reason(there, place, value) or why_not_fitted(len(value), n_people, n_pairs)
    counts = "correct", len(value), n_people, n_crossed, n_pairs
    fitted = None
    if reason is None:
        try:
            # Numbered without gaps: people without an answer in these conditions would be random effects without data.
            people, pairs = (np.unique(codes, return_inverse=True)[1] for codes in (people, pairs))
            fitted = posterior(_answers(people, pairs, place, value, len(there)))
        except (NotConverged, np.linalg.LinAlgError):
            reason = "the fit did not converge"
    if fitted is None:
        return ConditionsModel(*counts, None, tuple(effects), None, None, LEVEL, None, reason)
    return ConditionsModel(
        *counts,
        intercept=log_odds_of(fitted, 0),
        conditions=tuple(
            ConditionEffect(
                one.condition, one.n, one.n_participants, one.n_pairs, log_odds_of(fitted, at) if at else None
            )
            for at, one in enumerate(effects)
        ),
        sd_participants=spread_of(fitted, 0),
        sd_pairs=spread_of(fitted, 1),
        level=LEVEL,
        method=METHOD,
        reason=None,
    )


def _reason(there: Sequence[str], place: Codes, value: Codes) -> str | None:
    if len(there) < 2:
        found = "no condition has" if not there else f"only {there[0]} has"
        return f"{found} answers with a truth that count"
    for at, name in enumerate(there):
        of_condition = value[place == at]
        if of_condition.min() == of_condition.max():
            alike = "right" if of_condition[0] else "wrong"
            return f"all answers of {name} are {alike}: the log odds are infinite"
    return None


def _counted(name: str, which: Mask, people: Codes, pairs: Codes) -> ConditionEffect:
    n_people, n_pairs = (int((np.bincount(codes[which]) > 0).sum()) for codes in (people, pairs))
    return ConditionEffect(name, int(which.sum()), n_people, n_pairs, None)


def _answers(people: Codes, pairs: Codes, place: Codes, value: Codes, n: int) -> Answers:
    # In an order of their own, because floating sums depend on it and results must not.
    order = np.lexsort((value, place, pairs, people))
    design = np.column_stack([np.ones(len(value)), *(place == at for at in range(1, n))]).astype(float)
    return Answers(
        design[order],
        people[order].astype(np.int64),
        pairs[order].astype(np.int64),
        value[order].astype(float),
    )
