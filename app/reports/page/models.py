"""How far participants agree, and labels and sources under a model beside their votes."""

from collections.abc import Iterator

from analysis.choice.studies import StudyResult
from analysis.results import table_rows
from analysis.stats.agreement.ratings import RatingAgreement
from analysis.stats.agreement.responses import ChoiceAgreement, SourceAgreement
from analysis.stats.bradley_terry.model import Strength, WinProbability
from analysis.stats.dawid_skene import DawidSkene
from analysis.stats.estimates import Estimate
from app.reports.page.views import SectionView, TableView, number, reasons, shortened, with_interval

FILE = "tables/estimates.csv"


def agreement_part(study: StudyResult) -> Iterator[SectionView]:
    """From `agreement`: chance-corrected coefficients, intraclass correlation, split halves."""
    found = study.agreement
    units = [
        ("which member", _coefficients(found.choice)),
        *((f"which source, {_about(one)}", _coefficients(one)) for one in found.sources),
        *(
            [("uncertainty (ordinal alpha)", _coefficients(found.uncertainty))]
            if study.asks_uncertainty
            else []
        ),
    ]
    coefficients = TableView(
        caption="Agreement beyond chance, with 95% intervals over pairs",
        head=("on", "pairs", "observed agreement", "Krippendorff's alpha", "Fleiss' kappa", "Gwet's AC1"),
        rows=tuple(
            (name, str(of["alpha"].n), *(with_interval(one, 2) for one in of.values())) for name, of in units
        ),
        file=FILE,
    )
    rated = [
        ("uncertainty, one participant (ICC)", found.uncertainty.icc_single),
        ("uncertainty, mean of the participants (ICC)", found.uncertainty.icc_average),
    ]
    others = [
        *(rated if study.asks_uncertainty else ()),
        ("vote shares of two halves of the participants, correlation", found.split_half.correlation),
        ("vote shares of all participants, reliability by split halves", found.split_half.reliability),
    ]
    reliability = TableView(
        caption="Reliability of ratings and of vote shares"
        if study.asks_uncertainty
        else "Reliability of vote shares",
        head=("of", "pairs", "value (95% interval)"),
        rows=tuple((name, str(one.n), with_interval(one, 2)) for name, one in others),
        file=FILE,
    )
    named = [(f"{name}: {key}", one) for name, of in units for key, one in of.items()]
    notes = [
        f"{found.n_votes} votes of {found.n_participants} participants on {found.n_pairs} pairs; "
        f"{found.n_pairs_one_vote} pairs with a single vote are left out, as are {found.n_blank} blanks"
        + (f"; {found.n_tie} votes say that there is no difference." if found.n_tie else "."),
        *reasons([*named, *others]),
    ]
    yield SectionView("", "Agreement of participants", tables=(coefficients, reliability), notes=tuple(notes))


def _coefficients(one: ChoiceAgreement | SourceAgreement | RatingAgreement) -> dict[str, Estimate]:
    return {"agreement": one.agreement, "alpha": one.alpha, "kappa": one.kappa, "ac1": one.ac1}


def _about(one: SourceAgreement) -> str:
    return f"{' or '.join(one.sources)}{', ' + one.condition if one.condition else ''}"


def labels_part(study: StudyResult) -> Iterator[SectionView]:
    """From `dawid_skene`: where its labels are not the majority's."""
    found, title = study.dawid_skene, "Labels by Dawid and Skene's model"
    if found.reason:
        yield SectionView("", title, notes=(f"No labels: {found.reason}.",))
        return
    notes = [
        f"Weighing each participant by how often they agree with the others, the label is not the majority's on "
        f"{found.n_disagreements} of {found.n_pairs - found.n_tied} pairs with a majority."
    ]
    if found.n_truth:
        notes.append(
            f"Of {found.n_truth} such pairs with a right member, the model's label is right on "
            f"{found.n_label_is_truth} (by its own probabilities on {number(found.n_truth_expected, 0)}), "
            f"the majority on {found.n_majority_is_truth}."
        )
    if found.n_tied:
        right = (
            f"; of {found.n_tied_truth} with a right member the label is right on {found.n_tied_label_is_truth}, "
            f"a coin on {number(found.n_tied_truth / 2, 1)}"
            if found.n_tied_truth
            else ""
        )
        notes.append(f"{found.n_tied} pairs are tied{right}.")
    if found.too_sure:
        notes.append(
            "The model's probabilities are too sure here: fewer labels are right than they say (p < .05)."
        )
    if not found.converged:
        notes.append(f"The model had not settled after {found.n_steps} steps: take its labels as rough.")
    yield SectionView("", title, tables=tuple(_disagreements(found)), notes=tuple(notes))


def _disagreements(found: DawidSkene) -> Iterator[TableView]:
    rows = [
        (
            row["pair"],
            row["condition"] or "",
            f"{row['votes_a']} : {row['votes_b']}",
            row["majority"] or "none",
            row["label"] or "none",
            number(row["p_a"]),
            row["truth"] or "none",
        )
        for row in table_rows(found.disagreements)
    ]
    if rows:
        head = "pair", "condition", "a : b", "majority", "model's label", "probability of a", "truth"
        caption = "Pairs on which model and majority disagree"
        yield shortened(caption, head, rows, n_names=2, file="results.json")


def sources_part(study: StudyResult) -> Iterator[SectionView]:
    """From `bradley_terry`."""
    found, title = study.bradley_terry, "Sources by Bradley and Terry's model"
    if found.reason:
        yield SectionView("", title, notes=(f"No strengths: {found.reason}.",))
        return
    worth = "strength (95% interval)", "side effect left in (95% interval)"
    strengths = TableView(
        caption="How often each source is chosen, as a strength in log odds; the side effect is taken out",
        head=("source", "comparisons", "chosen", *worth),
        rows=tuple(
            (one.source, *_counts(one), with_interval(one.strength, 2), with_interval(one.strength_plain, 2))
            for one in found.strengths
        ),
        file="results.json",
    )
    rows = [
        (f"{one.source} over {one.against}", *_counts(one), with_interval(one.probability))
        for one in found.probabilities
    ]
    head = "choice", "comparisons", "chosen", "probability under the model (95% interval)"
    chances = shortened("How often one source is chosen over another", head, rows, file="results.json")
    named = [
        *((one.source, one.strength) for one in found.strengths),
        *((f"{one.source} over {one.against}", one.probability) for one in found.probabilities),
        ("the left's advantage", found.left_advantage),
    ]
    notes = [
        f"Over {found.n_comparisons} comparisons of {found.n_participants} participants, who are "
        f"resampled; left out are {found.n_blank} blanks, {found.n_tie} ties, "
        f"{found.n_same_source} pairs of one source and {found.n_without_source} without sources. "
        f"The left has an advantage of {with_interval(found.left_advantage, 2)} log odds.",
        *reasons(named),
    ]
    yield SectionView("", title, tables=(strengths, chances), notes=tuple(notes))


def _counts(one: Strength | WinProbability) -> tuple[str, str]:
    return str(one.n_comparisons), str(one.n_wins)
