"""Participants one by one, and the label of each pair: for those who have the data."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from analysis.choice.majority import level
from analysis.choice.studies import StudyResult
from analysis.findings.model import Cell, Column, Measured, Numbers, Section
from analysis.findings.tables import column, names
from analysis.natural import natural
from analysis.reported import Analysis, Settings
from analysis.results import table_rows


def participants(study: StudyResult, settings: Settings) -> Iterator[Section]:
    """Each participant's shares, with the answers that they are of."""
    preferences = study.preferences
    people = sorted(study.to_dict()["participants"], key=lambda person: natural(person["participant"]))
    rated = ("uncertainty", "unc., all") if study.asks_uncertainty else ()
    of_two = (column(f"{one.source} over {one.against}", "words") for one in preferences)
    columns = (
        *(*names("participant"), column("accuracy", "words")),
        *(*(column(title, digits=2) for title in rated), *of_two),
    )
    rows = tuple(
        (
            person["participant"],
            _share(person["accuracy"], person["n_correct"], person["n_accuracy"]),
            *((person["uncertainty"], person["uncertainty_all"]) if rated else ()),
            *(_preference(person, (one.condition, one.source, one.against)) for one in preferences),
        )
        for person in people
    )
    table = Numbers("", columns, rows)
    yield Section("participants", "Participants", tables=(table,), names_people=True)


def _preference(person: Mapping[str, Any], about: tuple[str, str, str]) -> Cell:
    found = (
        one for one in person["preferences"] if (one["condition"], one["source"], one["against"]) == about
    )
    one = next(found, None)
    return one and _share(one["preference"], one["n_chosen"], one["n_preference"])


def _share(value: float | None, part: int, whole: int) -> str | None:
    return None if value is None else f"{value:.2f} ({part}/{whole})"


def pair_labels(analysis: Analysis) -> Iterator[Section]:
    """The majority of each pair, with Wilson's interval."""
    labels = analysis.labels
    with_ties = bool(labels["votes_tie"].any())
    columns = (
        *names("study", "pair", "condition", "kind"),
        *(column("a : b : tie" if with_ties else "a : b", "words"), column("share a", digits=2)),
        *(Column("interval", "interval", digits=2), column("majority", "words"), column("truth", "words")),
    )
    rows = tuple(
        (
            *(row[name] for name in ("study", "pair", "condition", "kind")),
            f"{row['votes_a']} : {row['votes_b']}" + (f" : {row['votes_tie']}" if with_ties else ""),
            row["share_a"],
            Measured(None, row["ci_low"], row["ci_high"]) if row["n"] else None,
            row["majority"],
            row["truth"],
        )
        for row in table_rows(labels)
    )
    ties = "ties stay ties" if analysis.settings.ties == "keep" else "ties were broken at random by the seed"
    yield Section(
        "pairs",
        "Labels (majority vote; 95% Wilson interval of the share for a)",
        tables=(Numbers("", columns, rows),),
        notes=(_ties(labels),),
        methods=(
            f"A pair's label is the member that most answers chose; {ties}. The share of votes is given with Wilson's "
            f"{100 * analysis.settings.level:g}% interval [Wil27].",
        ),
    )


def _ties(labels: pd.DataFrame) -> str:
    even, tied = level(labels), (labels["majority"] == "tie").to_numpy()
    ties = int((even | tied).sum())
    n_broken = int((even & ~tied).sum())
    how_many = "each" if n_broken == ties else f"{n_broken} of them"
    broken = f", {how_many} broken at random by the seed" if n_broken else ""
    judged = labels["agrees_with_truth"].dropna().tolist()
    agree = f"{sum(judged)} of {len(judged)}"
    return f"{ties} of {len(labels)} pairs tied{broken}; the majority agrees with the truth on {agree}."
