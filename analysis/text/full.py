"""An analysis as text for a terminal, 100 columns wide."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd
from rich.console import RenderableType
from rich.table import Table

from analysis.choice.chance import ChanceTest
from analysis.choice.majority import level
from analysis.choice.published import MEASURES, Published
from analysis.choice.studies import StudyResult
from analysis.choice.ties import TieAnswers
from analysis.data.ordering import natural
from analysis.reported import Analysis, Comparison
from analysis.results import table_rows
from analysis.stats.description import Description
from analysis.stats.p_values import p_words
from analysis.text.between import independent, lines_of, mixed, paired, several_studies, warnings
from analysis.text.sections import sections
from analysis.text.terminal import (
    WIDTH,
    as_text,
    heading,
    interval_of,
    left_out_words,
    name_of,
    number,
    pair_of,
    resamples_words,
    share_of,
    table_of,
)

LONGEST = 60

Rows = Sequence[dict[str, Any]]


def render(analysis: Analysis, width: int = WIDTH) -> str:
    """Return the analysis as plain text: tables, each p with its alternative, reasons for missing numbers.

    Lists of more than 60 participants or labels are cut, and the text says so; the JSON has them all.
    """
    return as_text(list(_parts(analysis)), width)


def _parts(analysis: Analysis) -> Iterator[RenderableType]:
    settings = analysis.settings
    yield (
        f"Mode {settings.mode}; blanks {settings.blank}; seed {settings.seed}; "
        f"{resamples_words(settings.resamples)} over participants; ties {settings.ties}"
    )
    for study in analysis.studies:
        yield from _study(study)
    if analysis.comparisons:
        yield from _comparisons(analysis.comparisons)
        yield from mixed(analysis.mixed_differences)
        yield from several_studies(analysis.several)
    yield from _labels(analysis.labels)
    if analysis.published:
        yield from _published(analysis.published)


def _study(study: StudyResult) -> Iterator[RenderableType]:
    selection = study.selection
    yield heading(f"Study {name_of(study.study)}")
    yield counted(study)
    if selection.reason:
        yield f"No numbers: {selection.reason}."
        return
    table = table_of("per participant, then averaged", "n", "mean", "95% interval", "SD (n-1)", "SD (n)")
    for label, described in _described(study):
        table.add_row(label, *_description(described))
    yield table
    yield from _reasons(_described(study))
    yield _chance(study.against_chance)
    if study.ties.n_tie:
        yield _ties(study.ties)
    yield _participants(study)
    yield from _cut(len(study.participants), "participants")
    yield from sections(study)


def counted(study: StudyResult) -> str:
    """Of whom how many answers count, and what became of the others."""
    selection = study.selection
    left_out = left_out_words(selection.left_out)
    return (
        f"{selection.n_participants_used} of {selection.n_participants} participants and "
        f"{selection.n_used} of {selection.n_rows} answers count{_named(study.ties)}{left_out}"
    )


def _named(ties: TieAnswers) -> str:
    """How many of the answers that count name no clip."""
    parts = [
        f"{n} {what}"
        for n, what in ((ties.n_tie, "say no difference (a vote)"), (ties.n_blank, "are blank (no vote)"))
        if n
    ]
    return f": {ties.n_chosen} name one of the two, {', '.join(parts)}" if parts else ""


def _described(study: StudyResult) -> list[tuple[str, Description]]:
    which = "with a truth" if study.uncertainty_trials == "with-truth" else "all"
    preferences = [
        (
            f"{name_of(p.source)} over {name_of(p.against)} ({name_of(p.condition) or 'no condition'})",
            p.description,
        )
        for p in study.preferences
    ]
    uncertainty = [
        (f"uncertainty, trials {which}", study.uncertainty),
        ("uncertainty, all main trials", study.uncertainty_all),
    ]
    return [("accuracy", study.accuracy), *(uncertainty if study.asks_uncertainty else ()), *preferences]


def _description(described: Description) -> list[str]:
    return [
        f"{described.n}{f' ({described.n_missing} without)' if described.n_missing else ''}",
        number(described.mean),
        interval_of(described.interval),
        number(described.sd_ddof1),
        number(described.sd_ddof0),
    ]


def _reasons(described: Sequence[tuple[str, Description]]) -> Iterator[str]:
    for label, one in described:
        for reason in dict.fromkeys(filter(None, (one.reason, one.interval.reason))):
            yield f"  {label}: {reason}."


def _chance(test: ChanceTest) -> str:
    if test.reason:
        return f"Accuracy against chance {test.chance}: not tested, {test.reason}."
    return (
        f"Accuracy against chance {test.chance}: Wilcoxon signed-rank W = {number(test.w, 1)}, {p_words(test.p)} "
        f"({test.alternative}; {test.method}), rank-biserial {number(test.rank_biserial, 2)}, n = {test.n}, "
        f"of whom {test.n_at_chance} exactly at chance."
    )


def _ties(ties: TieAnswers) -> str:
    said = f"No difference: {ties.n_tie} of {ties.n_chosen + ties.n_tie} votes, left out of accuracy and preferences"
    half = ties.accuracy_half
    if half is None or half.mean is None:
        return f"{said}."
    return (
        f"{said}; accuracy with each counted as half right: {number(half.mean)} {interval_of(half.interval)}."
    )


def _participants(study: StudyResult) -> Table:
    preferences = study.preferences
    columns = [f"{name_of(p.source)} over {name_of(p.against)}" for p in preferences]
    rates = study.asks_uncertainty
    table = table_of("participant", "accuracy", *(("uncertainty", "unc., all") if rates else ()), *columns)
    people = sorted(study.to_dict()["participants"], key=lambda person: natural(person["participant"]))
    for person in people[:LONGEST]:
        shares = {(s["condition"], s["source"], s["against"]): s for s in person["preferences"]}
        table.add_row(
            name_of(person["participant"]),
            share_of(person["accuracy"], person["n_correct"], person["n_accuracy"]),
            *((number(person["uncertainty"], 2), number(person["uncertainty_all"], 2)) if rates else ()),
            *(_preference(shares.get((p.condition, p.source, p.against))) for p in preferences),
        )
    return table


def _preference(share: dict[str, Any] | None) -> str:
    return "-" if share is None else share_of(share["preference"], share["n_chosen"], share["n_preference"])


def _comparisons(comparisons: Sequence[Comparison]) -> Iterator[RenderableType]:
    within, apart = lines_of(comparisons)
    if within:
        yield heading("The same people in two studies (Wilcoxon signed-rank)")
        yield from paired(within, "study")
    if apart:
        yield heading("Comparisons of studies (Mann-Whitney)")
        yield from independent(apart, "study")
    side = "" if comparisons[0].test.alternative == "two-sided" else ", of the one-sided p"
    yield f"Holm over {comparisons[0].n_family_as_compared} comparisons{side}."
    yield from warnings(comparisons)


def _labels(labels: pd.DataFrame) -> Iterator[RenderableType]:
    yield heading("Labels (majority vote; 95% Wilson interval of the share for a)")
    with_ties = bool(labels["votes_tie"].any())
    votes = "a : b : tie" if with_ties else "a : b"
    table = table_of(
        "study", "pair", "condition", "kind", votes, "share a", "interval", "majority", "truth", left=4
    )
    for row in table_rows(labels.head(LONGEST)):
        interval = "-" if row["n"] == 0 else f"[{row['ci_low']:.2f}, {row['ci_high']:.2f}]"
        table.add_row(
            *(name_of(row[name] or "") for name in ("study", "pair", "condition", "kind")),
            f"{row['votes_a']} : {row['votes_b']}" + (f" : {row['votes_tie']}" if with_ties else ""),
            number(row["share_a"], 2),
            interval,
            row["majority"] or "-",
            row["truth"] or "-",
        )
    yield table
    yield from _cut(len(labels), "labels")
    even, tied = level(labels), (labels["majority"] == "tie").to_numpy()
    ties = int((even | tied).sum())
    n_broken = int((even & ~tied).sum())
    how_many = "each" if n_broken == ties else f"{n_broken} of them"
    broken = f", {how_many} broken at random by the seed" if n_broken else ""
    judged = labels["agrees_with_truth"].dropna().tolist()
    agree = f"{sum(judged)} of {len(judged)}"
    yield f"{ties} of {len(labels)} pairs tied{broken}; the majority agrees with the truth on {agree}."


def _published(published: Published) -> Iterator[RenderableType]:
    yield heading("The published HNTT numbers, as printed and corrected")
    table = table_of("", "as published", "corrected")
    for measure in MEASURES:
        printed, right = published.as_published[measure], published.corrected[measure]
        label = measure.replace("_", " ")
        table.add_row(f"{label}: mean", pair_of(printed.mean, 5), pair_of(right.mean, 5))
        sd = pair_of(right.sd_ddof0, 5) if right.sd_ddof0 else "see each study"
        table.add_row(f"{label}: SD (n)", pair_of(printed.sd_ddof0, 5), sd)
        table.add_row(f"{label}: n", pair_of(printed.n, 0), pair_of(right.n, 0))
        u = f"U1 {number(right.u1, 1)}, U2 {number(right.u2, 1)}"
        table.add_row(f"{label}: U", f"smaller U {number(printed.min_u, 1)}", u)
        p = f"p {number(right.p_two_sided, 5)} two-sided"
        table.add_row(f"{label}: p", f"p {number(printed.p, 3)} one-sided", p, end_section=True)
    yield table
    for place, sentence in enumerate(published.what_differs, start=1):
        yield f"{place}. {sentence}"
    yield f"The majority vote agrees with the truth {published.majority_vote_agrees_with_truth}."
    yield f"Source: {published.source}."


def _cut(n: int, what: str) -> Iterator[str]:
    if n > LONGEST:
        yield f"The first {LONGEST} of {n} {what}; --json has them all."
