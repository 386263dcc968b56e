"""Single stimuli judged one of two things (yes / no): accuracy, sensitivity and criterion of each participant."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.choice.chance import ChanceTest, against_chance
from analysis.choice.conditions import ConditionsCompared, Measure, Measured
from analysis.data.codes import Mask, codes_of
from analysis.data.judgements import Judgements
from analysis.data.ordering import natural_ranks
from analysis.detection.compared import compare_sensitivity
from analysis.detection.multilevel import GroupSensitivity, group_sensitivity
from analysis.detection.people import in_order, per_participant, sensitivity, share_of
from analysis.options import LEVEL, RESAMPLES
from analysis.results import Result, table_rows
from analysis.stats.agreement import RatingAgreement, agreement_of_ratings
from analysis.stats.description import Description, describe
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats, no_interval, wilson
from analysis.stats.mixed import MixedModel, fit_mixed
from analysis.stats.student import STUDENT as MEAN
from analysis.stats.student import Scale
from analysis.stats.threads import one_thread

FORMAT = "likely-human yes-no 1"
PULLED = (
    "the correction for few trials pulls each participant's value towards 0; the group's, with an interval, is that of "
    "the multilevel model"
)
CORRECTION = "log-linear: half an answer added to hits and false alarms, one to the stimuli of each class"


@dataclass(frozen=True, slots=True)
class Detection(Result):
    """Participants' accuracy, sensitivity and criterion, described over participants; `condition` None is all of them.

    `d_prime` and `criterion` describe participants' corrected values, which few trials pull towards 0, and have no
    interval; `multilevel` has both for the population of participants, with intervals.
    `d_prime_against_zero` and `criterion_against_zero` are Wilcoxon's tests: chance, and no bias. The counts are those
    of all answers; `d_prime_pooled` and `criterion_pooled` are of these, as if one person had answered: where people
    differ in criterion, that is nearer to 0 than their mean."""

    condition: str | None
    n_answers: int
    n_participants: int
    n_stimuli: int
    accuracy: Description
    d_prime: Description
    criterion: Description
    hit_rate: Description
    false_alarm_rate: Description
    d_prime_against_zero: ChanceTest
    criterion_against_zero: ChanceTest
    n_signal: int
    n_noise: int
    hits: int
    false_alarms: int
    d_prime_pooled: float | None
    criterion_pooled: float | None
    multilevel: GroupSensitivity

    @property
    def d_prime_of_group(self) -> Description:
        """The d' of the multilevel model; if there is none, the mean over participants."""
        return _shown(self.multilevel.d_prime, self.d_prime)

    @property
    def criterion_of_group(self) -> Description:
        """Likewise."""
        return _shown(self.multilevel.criterion, self.criterion)


@dataclass(frozen=True, slots=True, eq=False)
class DetectionAnalysis(Result):
    """All numbers of a table of judgements of single stimuli.

    Answers count that are not blank and whose stimulus has a truth: `n_answers` of `n_rows`. `groups` has all of them,
    then each condition where there are two or more; one whose stimuli are all of one class (the fakes of one generator)
    is held against the stimuli of the other class that are of no condition. `participants` has one row per participant:
    `n_signal`, `n_noise`, `hits`, `false_alarms`, `n_blank`, `accuracy`, `hit_rate`, `false_alarm_rate` (as they were),
    `d_prime`, `criterion` (corrected) and `reason` where these are not defined. `stimuli` has one row per stimulus:
    `condition`, `truth`, `n`, `n_signal` (answers that it is the signal), `share_signal` with its Wilson interval,
    `accuracy`. `agreement` is that of participants on stimuli. `mixed` is a logistic mixed model in which the truth is
    a fixed effect: its difference is the sensitivity in log odds, for other participants and other stimuli.
    `conditions` compares every two of them in accuracy, d' and criterion, within participants who judged both."""

    origin: str
    signal: str
    noise: str
    correction: str
    seed: int
    resamples: int
    level: float
    n_rows: int
    n_answers: int
    n_blank: int
    n_without_truth: int
    groups: tuple[Detection, ...]
    participants: pd.DataFrame
    stimuli: pd.DataFrame
    agreement: RatingAgreement
    mixed: MixedModel
    conditions: ConditionsCompared

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON (docs/elsewhere.md)."""
        settings = ("signal", "noise", "correction", "seed", "resamples", "level")
        counts = ("n_rows", "n_answers", "n_blank", "n_without_truth")
        return {
            "format": FORMAT,
            "settings": {name: getattr(self, name) for name in settings},
            **{name: getattr(self, name) for name in counts},
            "groups": [one.to_dict() for one in self.groups],
            "participants": table_rows(self.participants),
            "stimuli": table_rows(self.stimuli),
            "agreement": self.agreement.to_dict(),
            "mixed": self.mixed.to_dict(),
            "conditions": self.conditions.to_dict(),
        }


def _shown(one: Estimate, mean: Description) -> Description:
    if one.value is None and mean.mean is not None:
        return replace(mean, interval=one.interval)
    return described_as(one, mean)


def described_as(one: Estimate, mean: Description) -> Description:
    """A group's number in the form of the mean next to it."""
    return Description(
        one.value, None, None, one.n, mean.n + mean.n_missing - one.n, one.interval, one.reason
    )


@one_thread
def analyze_judgements(
    judgements: Judgements, *, seed: int = 1, resamples: int = RESAMPLES
) -> DetectionAnalysis:
    """Measure how well participants tell two classes of stimuli apart, and which way they lean.

    One row is one answer of one participant about one stimulus. Participants are independent; their answers are not,
    and are counted within each participant first.

    Parameters
    ----------
    judgements
        Of `read_judgements`.
    seed, resamples
        Of the bootstrap intervals; 0 resamples gives none that needs them.

    Returns
    -------
    DetectionAnalysis
        Numbers that cannot be computed are None, with a reason.
    """
    table = in_order(judgements.table)
    known, given, signal, said = _answered(table, judgements)
    counted: Mask = known & given
    rows = table[counted]
    people = per_participant(table, signal, said, counted, known & ~given, judgements)
    names = _conditions(rows)
    shown: dict[str | None, Mask] = {None: counted}
    if len(names) > 1:
        shown |= {name: _of_condition(table, name, signal, counted) for name in names}

    def judged(which: Mask) -> pd.DataFrame:
        return per_participant(table, signal, said, which, np.zeros(len(table), dtype=bool), judgements)

    of_each = {name: judged(which) for name, which in shown.items()}
    return DetectionAnalysis(
        origin=judgements.origin,
        signal=judgements.signal,
        noise=judgements.noise,
        correction=CORRECTION,
        seed=seed,
        resamples=resamples,
        level=LEVEL,
        n_rows=len(table),
        n_answers=len(rows),
        n_blank=int((known & ~given).sum()),
        n_without_truth=int((~known).sum()),
        groups=tuple(_group(name, table, shown[name], of_each[name], seed, resamples) for name in shown),
        participants=people,
        stimuli=_stimuli(rows, signal[counted], said[counted]),
        agreement=_agreement(rows, seed, resamples),
        mixed=_mixed(rows, signal[counted], said[counted], judgements),
        conditions=compare_sensitivity(
            names, _measures(table, of_each, counted, judged), seed=seed, resamples=resamples
        ),
    )


def accuracy_of(judgements: Judgements, *, seed: int, resamples: int) -> Description:
    """The accuracy over participants, as `analyze_judgements` has it of all answers."""
    table = in_order(judgements.table)
    known, given, signal, said = _answered(table, judgements)
    people = per_participant(table, signal, said, known & given, known & ~given, judgements)
    return describe(_who_judged(people)["accuracy"], scale="share", seed=seed, resamples=resamples)


def _answered(table: pd.DataFrame, judgements: Judgements) -> tuple[Mask, Mask, Mask, Mask]:
    """Masks of answers: the truth is known, one was given, the stimulus is a signal, it was said to be."""
    known, given = (table[name].notna().to_numpy() for name in ("truth", "answer"))
    signal, said = ((table[name] == judgements.signal).to_numpy() for name in ("truth", "answer"))
    return known, given, signal, said


def _who_judged(people: pd.DataFrame) -> pd.DataFrame:
    return people[people["n_signal"] + people["n_noise"] > 0]


def _conditions(rows: pd.DataFrame) -> list[str]:
    """The conditions of counted answers, in natural order."""
    found = [str(name) for name in rows["condition"].cat.remove_unused_categories().cat.categories]
    return [found[place] for place in np.argsort(natural_ranks(pd.Series(found, dtype=object)))]


def _measures(
    table: pd.DataFrame,
    of_each: Mapping[str | None, pd.DataFrame],
    counted: Mask,
    judged: Callable[[Mask], pd.DataFrame],
) -> Iterator[Measured]:
    """By condition, the values of the participants who judged one of its own stimuli; others may share a class."""
    values: dict[Measure, dict[str, Floats]] = {"accuracy": {}, "d_prime": {}, "criterion": {}}
    for name, people in of_each.items():
        if name is None:
            continue
        own = judged(counted & (table["condition"] == name).to_numpy(dtype=bool))
        seen = (own["n_signal"] + own["n_noise"]).to_numpy() > 0
        for measure, by_condition in values.items():
            found = np.where(seen, people[measure].to_numpy(dtype=float), np.nan)
            if not np.isnan(found).all():
                by_condition[name] = found
    for measure, by_condition in values.items():
        yield measure, None, None, by_condition


def _of_condition(table: pd.DataFrame, name: str, signal: Mask, counted: Mask) -> Mask:
    """The answers of a condition; if it has only one class, with those of the other class without a condition."""
    inside: Mask = counted & (table["condition"] == name).to_numpy(dtype=bool)
    classes = set(signal[inside].tolist())
    if len(classes) != 1:
        return inside
    other: Mask = counted & table["condition"].isna().to_numpy() & (signal != classes.pop())
    return inside | other


def _group(
    condition: str | None, table: pd.DataFrame, which: Mask, people: pd.DataFrame, seed: int, resamples: int
) -> Detection:
    people = _who_judged(people)
    hits, n_signal, false_alarms, n_noise = (
        int(people[name].sum()) for name in ("hits", "n_signal", "false_alarms", "n_noise")
    )
    d_prime, criterion = (
        None if np.isnan(one[0]) else float(one[0])
        for one in sensitivity(*(np.array([n]) for n in (hits, n_signal, false_alarms, n_noise)))
    )

    def described(name: str, scale: Scale = "any") -> Description:
        return describe(people[name], scale=scale, seed=seed, resamples=resamples)

    def corrected(name: str) -> Description:
        found = described(name)
        return replace(found, interval=no_interval(found.reason or PULLED, seed, 0, MEAN))

    return Detection(
        condition=condition,
        n_answers=int(which.sum()),
        n_participants=len(people),
        n_stimuli=int((codes_of(table["stimulus"]).counts(which) > 0).sum()),
        accuracy=described("accuracy", "share"),
        d_prime=corrected("d_prime"),
        criterion=corrected("criterion"),
        hit_rate=described("hit_rate", "share"),
        false_alarm_rate=described("false_alarm_rate", "share"),
        d_prime_against_zero=against_chance(people["d_prime"], 0.0),
        criterion_against_zero=against_chance(people["criterion"], 0.0),
        n_signal=n_signal,
        n_noise=n_noise,
        hits=hits,
        false_alarms=false_alarms,
        d_prime_pooled=d_prime,
        criterion_pooled=criterion,
        multilevel=multilevel_of(people, seed),
    )


def multilevel_of(people: pd.DataFrame, seed: int) -> GroupSensitivity:
    """The multilevel model of the counts of `participants_of`."""
    counts = (people[name].to_numpy() for name in ("hits", "n_signal", "false_alarms", "n_noise"))
    return group_sensitivity(*counts, seed=seed)


def group_as_shown(one: Estimate, mean: Description, seed: int) -> Description:
    """A number of the multilevel model; without it the `mean` of participants' corrected values, and no interval."""
    none = no_interval(mean.reason or PULLED, seed, 0, MEAN)
    return _shown(one, replace(mean, interval=none))


def _stimuli(rows: pd.DataFrame, signal: Mask, said: Mask) -> pd.DataFrame:
    """One row per stimulus with an answer, in natural order."""
    stimuli = codes_of(rows["stimulus"])
    n, n_signal, right = stimuli.counts(), stimuli.counts(said), stimuli.counts(said == signal)
    some = stimuli.some_row()
    used = np.flatnonzero(n > 0)
    low, high = wilson(n_signal[used], n[used])
    made = pd.DataFrame(
        {
            "stimulus": rows["stimulus"].cat.categories.astype("str")[used],
            "condition": rows["condition"].astype(object).to_numpy()[some[used]],
            "truth": rows["truth"].astype(object).to_numpy()[some[used]],
            "n": n[used],
            "n_signal": n_signal[used],
            "share_signal": share_of(n_signal[used], n[used]),
            "ci_low": low,
            "ci_high": high,
            "accuracy": share_of(right[used], n[used]),
        }
    )
    return made.iloc[np.argsort(natural_ranks(made["stimulus"].astype(object)))].reset_index(drop=True)


def _agreement(rows: pd.DataFrame, seed: int, resamples: int) -> RatingAgreement:
    table = pd.DataFrame(
        {"item": rows["stimulus"], "rater": rows["participant"], "value": rows["answer"].astype("str")}
    )
    return agreement_of_ratings(table, level="nominal", seed=seed, resamples=resamples)


def _mixed(rows: pd.DataFrame, signal: Mask, said: Mask, judgements: Judgements) -> MixedModel:
    people, stimuli = (
        codes_of(rows[name]).dense().codes.astype(np.int64) for name in ("participant", "stimulus")
    )
    outcome = f"answered {judgements.signal}"
    value, group = said.astype(np.int64), signal.astype(np.int64)
    reason = None
    if len(group) and group.min() == group.max():
        lacking = judgements.noise if group.min() else judgements.signal
        reason = f"no stimulus that is {lacking}"
    return fit_mixed(people, stimuli, value, None if reason else group, outcome=outcome, reason=reason)


def rows_without_sensitivity(people: pd.DataFrame) -> Iterator[tuple[str, Sequence[str]]]:
    """Each reason why participants have no d', with who they are."""
    for reason, group in people[people["reason"].notna()].groupby("reason", sort=True):
        yield str(reason), group["participant"].astype(str).tolist()
