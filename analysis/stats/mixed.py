"""A logistic mixed model: participants and pairs as crossed random intercepts."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import expit, ndtri

from analysis.data.outcomes import Outcomes, chosen_answers, correct_answers
from analysis.data.preference import preference_per_participant
from analysis.options import LEVEL, Blank
from analysis.results import Result
from analysis.stats.crossed import Answers, NotConverged
from analysis.stats.posterior import PRIOR_SD, Posterior, posterior
from analysis.stats.threads import one_thread

METHOD = (
    "Bayesian logistic mixed model with crossed random intercepts, by nested Laplace approximation; "
    f"prior of the two standard deviations half-normal with scale {PRIOR_SD:g}, of the log odds flat"
)

BOUNDARY = (
    "Whether answers differ between participants or pairs by more than chance cannot be told yet: maximum likelihood, "
    "as in R's lme4, puts both standard deviations at 0 here (a singular fit, the same as plain logistic regression), "
    "and this model, which averages over all that the data allow, gives wider intervals."
)

# 100,000 answers of 10,000 people to 1,000 pairs took 43 s of processor time in one thread (docs/analysis.md).
MOST_ANSWERS = 200_000
MOST_OF_SMALLER = 1_500
_FEW = 5
_GROSS = 1.5

Codes = npt.NDArray[np.signedinteger]


@dataclass(frozen=True, slots=True)
class ModelNumber(Result):
    """A posterior mean, its standard deviation and the middle 95%; `p`, of log odds against 0, two-sided."""

    value: float
    """Posterior mean."""
    sd: float | None
    """Posterior standard deviation."""
    low: float
    high: float
    p: float | None
    """Two-sided p value of log odds against 0; null of other numbers."""


@dataclass(frozen=True, slots=True)
class MixedModel(Result):
    """Answers under the model: log odds = intercept (+ difference) + participant + pair.

    `outcome` says what counts as 1. `intercept` is in log odds, of the average participant at the average pair (of the
    first study, where there are two), `probability` is that as a probability. `mean_probability` is averaged over all
    participants and pairs: the number to hold against the study's accuracy. `difference` is the second study's log
    odds less the first's. `sd_participants` and `sd_pairs` say how far participants and pairs differ, in log odds.
    `pooled_width` is how wide pooling the answers makes the interval of the share, over that of `mean_probability`.
    `boundary` is a sentence where maximum likelihood, as in R's lme4, would put both standard deviations at 0."""

    outcome: str | None
    n: int
    """Answers."""
    n_participants: int
    n_pairs: int
    intercept: ModelNumber | None
    difference: ModelNumber | None
    probability: ModelNumber | None
    mean_probability: ModelNumber | None
    sd_participants: ModelNumber | None
    sd_pairs: ModelNumber | None
    pooled_width: float | None
    level: float
    method: str | None
    warning: str | None
    reason: str | None
    boundary: str | None


def mixed_model(rows: pd.DataFrame, blank: Blank = "missing") -> MixedModel:
    """Fit the model to one study's answers, in place of pooling them.

    One row is one answer. Participants are independent of each other, and so are pairs; answers of one participant, or
    to one pair, are not. The outcome is a right answer where the study has a truth, else the choice of the source that
    its one preference names first.

    This is the posterior of the usual model [BC93]_: fixed and random effects by Laplace's method given the two
    standard deviations [TK86]_, these integrated out [RMC09]_ under weak priors [Gel06]_. statsmodels has the same
    model, but neither of its fits gives an honest interval here: in 250 simulated studies of 60 participants and 10
    pairs the 95% interval of the intercept held the truth in 58% with `fit_vb` (the random effects count as known)
    and in 66% with `fit_map` (the standard deviations shrink to 0); this one in 94 to 96% of 400, in four designs.

    Parameters
    ----------
    rows
        Checked responses of one study, already selected.
    blank
        ``missing`` or ``wrong``, see `accuracy_per_participant`.

    Returns
    -------
    MixedModel
        With a `reason` and no numbers where the model cannot be fitted: one participant or one pair, answers all
        alike, one answer a participant or a pair, more than 200,000 answers, or more than 1,500 participants and
        more than 1,500 pairs.
    """
    outcome, answers, reason = _outcome(rows, blank)
    return fit_mixed(answers.participant, answers.pair, answers.value, outcome=outcome, reason=reason)


def mixed_difference(
    first: pd.DataFrame, second: pd.DataFrame, blank: Blank = "missing", *, same_people: bool = False
) -> MixedModel:
    """Fit one model to two studies, the difference between them a fixed effect; else as `mixed_model`.

    Participants of two studies are taken for different people, or with `same_people` for one person where the
    identifier is the same: `glmer(outcome ~ study + (1 | participant) + (1 | pair))` of R's lme4 is this model. The
    difference is taken to be alike for all of them (no random slope [BLST13]_). A pair is the same in both studies
    where its name and its two clips are.
    """
    (outcome, one, reason), (other, two, other_reason) = (_outcome(rows, blank) for rows in (first, second))
    if outcome != other:
        reason = (
            reason or other_reason or f"the outcomes differ: {outcome} in the one study, {other} in the other"
        )
    keys = [*_pair_keys(first, one), *_pair_keys(second, two)]
    # Sorted: the codes, and with them floating sums, must not depend on the order of the rows.
    place = {key: code for code, key in enumerate(sorted(set(keys)))}
    code = np.array([place[key] for key in keys], dtype=np.int64)
    return fit_mixed(
        _people_of_both(first, one, second, two, same_people=same_people),
        code[np.concatenate([one.pair, two.pair + one.n_pairs])],
        np.concatenate([one.value, two.value]),
        np.repeat([0, 1], [one.n, two.n]),
        outcome=outcome,
        reason=reason or other_reason,
    )


@one_thread
def fit_mixed(
    participant: Codes,
    pair: Codes,
    value: npt.NDArray[np.int64],
    group: npt.NDArray[np.int64] | None = None,
    *,
    outcome: str | None = None,
    reason: str | None = None,
) -> MixedModel:
    """Fit the model to outcomes of 0 and 1, each with the code of its participant, its pair and (0 or 1) its study."""
    n_people, n_pairs = (int(np.count_nonzero(np.bincount(codes))) for codes in (participant, pair))
    reason = reason or why_not_fitted(len(value), n_people, n_pairs) or _separated(value, group)
    fitted = None
    if reason is None:
        try:
            fitted = posterior(_answers(participant, pair, value, group))
        except (NotConverged, np.linalg.LinAlgError):
            reason = "the fit did not converge"
    if fitted is None:
        nothing = (None,) * 7
        return MixedModel(outcome, len(value), n_people, n_pairs, *nothing, LEVEL, None, None, reason, None)
    intercept = log_odds_of(fitted, 0)
    mean_probability = ModelNumber(*_without_sd(*fitted.averages()))
    pooled = _pooled_width(value if group is None else value[group == 0])
    ratio = pooled / (mean_probability.high - mean_probability.low)
    return MixedModel(
        outcome=outcome,
        n=len(value),
        n_participants=n_people,
        n_pairs=n_pairs,
        intercept=intercept,
        difference=None if group is None else log_odds_of(fitted, 1),
        probability=ModelNumber(*_without_sd(*expit([intercept.value, intercept.low, intercept.high]))),
        mean_probability=mean_probability,
        sd_participants=spread_of(fitted, 0),
        sd_pairs=spread_of(fitted, 1),
        pooled_width=ratio,
        level=LEVEL,
        method=METHOD,
        warning=_warning(n_people, n_pairs, ratio),
        reason=None,
        boundary=BOUNDARY if _at_boundary(participant, pair, value, group) else None,
    )


def _at_boundary(
    participant: Codes, pair: Codes, value: npt.NDArray[np.int64], group: npt.NDArray[np.int64] | None
) -> bool:
    """True if the likelihood falls as either standard deviation leaves 0: then both are 0 in a singular fit.

    At 0 the model is a logistic regression, and the slope of the log likelihood along the variance of a factor is half
    of the excess of the squared sums of its levels' residuals over their expectation [Lin97]_.
    """
    study = np.zeros(len(value), dtype=np.int64) if group is None else group
    share = (np.bincount(study, value) / np.bincount(study))[study]
    residual, weight = value - share, share * (1 - share)
    return all(
        float((np.bincount(codes, residual) ** 2).sum()) <= float(weight.sum())
        for codes in (participant, pair)
    )


def _outcome(rows: pd.DataFrame, blank: Blank) -> tuple[str | None, Outcomes, str | None]:
    """The outcome to model, the answers, and the reason if there is no outcome."""
    right = correct_answers(rows, blank)
    if right.n or rows["truth"].notna().any():
        return "correct", right, None
    shown = preference_per_participant(rows, blank)[["condition", "source", "against"]].drop_duplicates()
    if len(shown) != 1:
        named = f"{len(shown)} preferences" if len(shown) else "no preference"
        return None, right, f"there is no truth, and {named}: one is needed"
    condition, source, against = (str(cell) for cell in shown.iloc[0])
    return f"chose {source} over {against}", chosen_answers(rows, condition, source, against, blank), None


def _people_of_both(
    first: pd.DataFrame, one: Outcomes, second: pd.DataFrame, two: Outcomes, *, same_people: bool
) -> Codes:
    """The participant of each answer of both studies."""
    if not same_people:
        # Numbered apart: participant 1 of one study is not participant 1 of the other.
        return np.concatenate([one.participant, two.participant + one.n_participants])
    named = pd.concat(
        [
            rows.loc[found.counted, "participant"].astype("str")
            for rows, found in ((first, one), (second, two))
        ]
    )
    codes: Codes = pd.factorize(named, sort=True)[0]
    return codes


def _pair_keys(rows: pd.DataFrame, answers: Outcomes) -> list[tuple[str, str, str]]:
    """Name and clips of each pair, whichever clip is called a."""
    some = np.flatnonzero(answers.counted)[np.unique(answers.pair, return_index=True)[1]]
    cells = rows[["study", "pair", "stimulus_a", "stimulus_b"]].iloc[some].astype(object)
    keys = []
    for study, pair, *clips in cells.itertuples(index=False):
        known = [str(clip) for clip in clips if isinstance(clip, str)]
        # Clips tell that both studies show the same pair; without both an id means nothing outside its study.
        low, high = sorted(known) if len(known) == 2 else (f"study {study}", "")
        keys.append((str(pair), low, high))
    return keys


def why_not_fitted(n: int, n_people: int, n_pairs: int) -> str | None:
    """The reason why the model cannot be fitted to so many answers, if so."""
    if n == 0:
        return "no answer counts"
    # The smaller of the two becomes a dense matrix: its square sets the memory needed.
    if n > MOST_ANSWERS or min(n_people, n_pairs) > MOST_OF_SMALLER:
        return f"too large for the model: {n:,} answers of {n_people:,} participants to {n_pairs:,} pairs"
    levels = ((n_people, "participant"), (n_pairs, "pair"))
    for size, name in levels:
        if size < 2:
            return f"one {name}: the {name} variance is not identifiable"
    for size, name in levels:
        if size == n:
            return f"one answer for each {name}: the {name} variance is not identifiable"
    return None


def _separated(value: npt.NDArray[np.int64], group: npt.NDArray[np.int64] | None) -> str | None:
    for code in (0,) if group is None else (0, 1):
        answers = value if group is None else value[group == code]
        if not len(answers):
            return "a study has no answer that counts"
        if answers.min() == answers.max():
            return "complete separation (all answers of a study are the same): the log odds are infinite"
    return None


def _answers(
    participant: Codes, pair: Codes, value: npt.NDArray[np.int64], group: npt.NDArray[np.int64] | None
) -> Answers:
    # In an order of their own, because floating sums depend on it and results must not.
    study = np.zeros_like(value) if group is None else group
    order = np.lexsort((value, study, pair, participant))
    fixed = [np.ones(len(value))] if group is None else [np.ones(len(value)), group.astype(float)]
    people, pairs = (np.unique(codes, return_inverse=True)[1][order] for codes in (participant, pair))
    return Answers(np.column_stack(fixed)[order], people, pairs, value[order].astype(float))


def spread_of(fitted: Posterior, factor: int) -> ModelNumber:
    """The spread of a factor's levels, in log odds."""
    return ModelNumber(*_without_sd(fitted.mean_spread(factor), *fitted.spread_interval(factor)))


def log_odds_of(fitted: Posterior, effect: int) -> ModelNumber:
    """A fixed effect."""
    low, high = fitted.interval(effect)
    below = fitted.below(effect, 0.0)
    return ModelNumber(fitted.mean(effect), fitted.sd(effect), low, high, min(1.0, 2 * min(below, 1 - below)))


def _without_sd(value: float, low: float, high: float) -> tuple[float, None, float, float, None]:
    return float(value), None, float(low), float(high), None


def _pooled_width(value: npt.NDArray[np.int64]) -> float:
    share = float(value.mean())
    return float(2 * ndtri((1 + LEVEL) / 2) * (share * (1 - share) / len(value)) ** 0.5)


def _warning(n_people: int, n_pairs: int, pooled_width: float) -> str | None:
    warnings = [
        f"Only {size} {name}: how far {name} differ rests mostly on the prior."
        for size, name in ((n_people, "participants"), (n_pairs, "pairs"))
        if size < _FEW
    ]
    if pooled_width * _GROSS < 1:
        warnings.append(
            f"Pooling the answers would overstate the evidence: its interval is {1 / pooled_width:.1f} times narrower."
        )
    return " ".join(warnings) or None
