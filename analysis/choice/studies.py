"""One study: what its participants did, and their means."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from analysis.choice.accuracy import accuracy_per_participant
from analysis.choice.bias import Bias, bias
from analysis.choice.breakdowns import Breakdown, breakdowns
from analysis.choice.certainty import Certainty, certainty
from analysis.choice.chance import ChanceTest, against_chance
from analysis.choice.conditions import ConditionsCompared, compare_conditions
from analysis.choice.pooled import PooledTest, pooled_test
from analysis.choice.ties import TieAnswers, tie_answers
from analysis.choice.uncertainty import uncertainty_per_participant
from analysis.data.flow import Flow
from analysis.data.outcomes import Trials
from analysis.data.preference import COMPARED, preference_per_participant
from analysis.data.selection import Selected, Selection
from analysis.data.totals import totals
from analysis.options import Alternative, Blank
from analysis.results import FLAT, Result, table_rows
from analysis.stats.agreement import Agreement, agreement
from analysis.stats.bradley_terry import BradleyTerry, bradley_terry
from analysis.stats.dawid_skene import DawidSkene, dawid_skene
from analysis.stats.description import Description, describe
from analysis.stats.mixed import MixedModel, mixed_model
from analysis.stats.student import Scale
from analysis.stats.two_way import TwoWay, two_way


@dataclass(frozen=True, slots=True)
class Preference(Result):
    """The frequency with which `source` was chosen over `against`; with `has_truth` the preference is an accuracy."""

    condition: str
    source: str
    against: str
    has_truth: bool
    description: Description = field(metadata=FLAT)


@dataclass(frozen=True, slots=True, eq=False)
class StudyResult(Result):
    """The numbers of one study.

    `uncertainty` is over the trials that `uncertainty_trials` names (those with a truth where the study has
    such), `uncertainty_all` over all main trials. `participants` has one row per participant,
    `participant_preferences` one per participant and preference. `two_way` has the intervals that resample pairs as
    well, `pooled` the exact binomial test of all answers with what is wrong about it, `mixed` the model that takes
    participants and pairs as they are, `ties` how many answers name no clip, and what that does to the accuracy,
    `conditions` every two conditions compared. `further` are results of statistics that have no field here, by name."""

    study: str
    selection: Selection
    accuracy: Description
    against_chance: ChanceTest
    uncertainty: Description
    uncertainty_trials: Trials
    uncertainty_all: Description
    preferences: tuple[Preference, ...]
    participants: pd.DataFrame
    """One row for each participant."""
    participant_preferences: pd.DataFrame
    """One row for each participant and preference."""
    two_way: TwoWay
    pooled: PooledTest
    mixed: MixedModel
    breakdowns: tuple[Breakdown, ...]
    certainty: Certainty
    bias: Bias
    agreement: Agreement
    dawid_skene: DawidSkene
    bradley_terry: BradleyTerry
    ties: TieAnswers
    conditions: ConditionsCompared
    flow: Flow
    """From arriving to being analysed."""
    further: Mapping[str, Result] = field(default_factory=dict)

    @property
    def asks_uncertainty(self) -> bool:
        """True if any uncertainty was given, or certainty was not asked either."""
        return self.uncertainty_all.n > 0 or self.certainty.mean is None

    @property
    def led_by(self) -> Preference | None:
        """The preference that is the headline: the first without a truth; None where that is the accuracy."""
        if self.accuracy.mean is not None:
            return None
        without = (one for one in self.preferences if not one.has_truth)
        return next((one for one in without if one.description.mean is not None), None)

    def to_dict(self) -> dict[str, Any]:
        """A dict of the fields, with each participant's preferences under the participant."""
        return {
            "study": self.study,
            "selection": self.selection.to_dict(),
            "accuracy": {**self.accuracy.to_dict(), "against_chance": self.against_chance.to_dict()},
            "uncertainty": {"trials": self.uncertainty_trials, **self.uncertainty.to_dict()},
            "uncertainty_all": {"trials": "all", **self.uncertainty_all.to_dict()},
            "preferences": [preference.to_dict() for preference in self.preferences],
            "participants": self._participants(),
            "two_way": self.two_way.to_dict(),
            "pooled": self.pooled.to_dict(),
            "mixed": self.mixed.to_dict(),
            "breakdowns": [breakdown.to_dict() for breakdown in self.breakdowns],
            "certainty": self.certainty.to_dict(),
            "bias": self.bias.to_dict(),
            "agreement": self.agreement.to_dict(),
            "dawid_skene": self.dawid_skene.to_dict(),
            "bradley_terry": self.bradley_terry.to_dict(),
            "ties": self.ties.to_dict(),
            "conditions": self.conditions.to_dict(),
            "flow": self.flow.to_dict(),
            **{name: one.to_dict() for name, one in self.further.items()},
        }

    def _participants(self) -> list[dict[str, Any]]:
        people = table_rows(self.participants)
        preferences: dict[str, list[dict[str, Any]]] = {person["participant"]: [] for person in people}
        for row in table_rows(self.participant_preferences.drop(columns=["study", "has_truth"])):
            preferences[row.pop("participant")].append(row)
        ties = [person.pop("n_tie") for person in people]
        return [
            {**person, "preferences": preferences[person["participant"]], "n_tie": n_tie}
            for person, n_tie in zip(people, ties, strict=True)
        ]


def study_result(
    selected: Selected, blank: Blank, alternative: Alternative = "two-sided", *, seed: int, resamples: int
) -> StudyResult:
    """Average each participant's trials, then describe the participants."""
    rows = selected.main
    trials: Trials = "with-truth" if rows["truth"].notna().any() else "all"
    people = _people(rows, blank, trials)
    preferences = preference_per_participant(rows, blank)

    def described(values: pd.Series, scale: Scale = "any") -> Description:
        return describe(values, scale=scale, seed=seed, resamples=resamples)

    return StudyResult(
        study=selected.study,
        selection=selected.selection,
        accuracy=described(people["accuracy"], "share"),
        against_chance=against_chance(people["accuracy"]),
        uncertainty=described(people["uncertainty"]),
        uncertainty_trials=trials,
        uncertainty_all=described(people["uncertainty_all"]),
        preferences=tuple(
            Preference(
                str(condition),
                str(source),
                str(against),
                bool(table["has_truth"].iloc[0]),
                described(table["preference"], "share"),
            )
            for (_, condition, source, against), table in preferences.groupby(list(COMPARED), observed=True)
        ),
        participants=people,
        participant_preferences=preferences,
        two_way=two_way(rows, blank, seed=seed, resamples=resamples),
        pooled=pooled_test(rows, blank),
        mixed=mixed_model(rows, blank),
        breakdowns=breakdowns(rows, blank=blank, seed=seed, resamples=resamples),
        certainty=certainty(rows, seed=seed, resamples=resamples),
        bias=bias(rows, seed=seed, resamples=resamples),
        agreement=agreement(rows, seed=seed, resamples=resamples),
        dawid_skene=dawid_skene(rows),
        bradley_terry=bradley_terry(rows, seed=seed, resamples=resamples),
        ties=tie_answers(rows, people, seed=seed, resamples=resamples),
        conditions=compare_conditions(rows, preferences, blank, alternative, seed=seed, resamples=resamples),
        flow=selected.flow,
    )


def _people(rows: pd.DataFrame, blank: Blank, trials: Trials) -> pd.DataFrame:
    """One row per participant; every table below is sorted by participant and has the same participants."""
    counted = totals(rows, {"n_trials": rows["study"].notna()})
    accuracy = accuracy_per_participant(rows, blank)
    uncertainty = uncertainty_per_participant(rows, trials)
    every = uncertainty_per_participant(rows, "all").add_suffix("_all")
    tables = [
        counted[["participant", "n_trials"]],
        accuracy[["n_correct", "n_accuracy", "n_blank", "accuracy"]],
        uncertainty[["n_uncertainty", "uncertainty"]],
        every[["n_uncertainty_all", "uncertainty_all"]],
        accuracy[["n_tie"]],
    ]
    return pd.concat(tables, axis=1)
