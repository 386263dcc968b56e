"""Agreement of participants, and labels and sources under models of their votes."""

from collections.abc import Iterator

from analysis.choice.breakdowns import Breakdown
from analysis.choice.studies import StudyResult
from analysis.findings.model import Measured, Numbers, Section
from analysis.findings.tables import column, counts, measured, names, reasons, said
from analysis.reported import Settings
from analysis.results import table_rows
from analysis.stats.agreement import Agreement
from analysis.stats.agreement.ratings import RatingAgreement
from analysis.stats.agreement.responses import ChoiceAgreement, SourceAgreement
from analysis.stats.bradley_terry import BradleyTerry
from analysis.stats.bradley_terry.model import Strength, WinProbability
from analysis.stats.dawid_skene import DawidSkene
from analysis.stats.estimates import Estimate
from analysis.words import listed


def agreement(study: StudyResult, settings: Settings) -> Iterator[Section]:
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
    rated = [
        ("uncertainty, one participant (ICC)", found.uncertainty.icc_single),
        ("uncertainty, mean of the participants (ICC)", found.uncertainty.icc_average),
    ]
    others = [
        *(rated if study.asks_uncertainty else ()),
        ("vote shares of two halves of the participants, correlation", found.split_half.correlation),
        ("vote shares of all participants, reliability by split halves", found.split_half.reliability),
    ]
    coefficients = Numbers(
        "Agreement beyond chance, with 95% intervals over pairs",
        (
            *(*names("on"), *counts("pairs"), column("observed agreement", digits=2)),
            *(column("Krippendorff's alpha", digits=2), column("Fleiss' kappa", digits=2)),
            column("Gwet's AC1", digits=2),
        ),
        tuple((name, of["alpha"].n, *map(measured, of.values())) for name, of in units),
    )
    reliability = Numbers(
        f"Reliability of {'ratings and of ' if study.asks_uncertainty else ''}vote shares",
        (*names("of"), *counts("pairs"), column("value", digits=2)),
        tuple((name, one.n, measured(one)) for name, one in others),
    )
    named = [(f"{name}: {key}", one) for name, of in units for key, one in of.items()]
    tied = f"; {found.n_tie} votes say that there is no difference." if found.n_tie else "."
    yield Section(
        "agreement",
        "Agreement of participants",
        tables=(coefficients, reliability),
        notes=(
            f"{found.n_votes} votes of {found.n_participants} participants on {found.n_pairs} pairs; "
            f"{found.n_pairs_one_vote} pairs with a single vote are left out, as are {found.n_blank} blanks{tied}",
            *reasons([*named, *others]),
        ),
        methods=tuple(_methods(found)),
    )


def _coefficients(one: ChoiceAgreement | SourceAgreement | RatingAgreement) -> dict[str, Estimate]:
    return {"agreement": one.agreement, "alpha": one.alpha, "kappa": one.kappa, "ac1": one.ac1}


def _about(one: SourceAgreement) -> str:
    return f"{' or '.join(one.sources)}{', ' + one.condition if one.condition else ''}"


def _methods(found: Agreement) -> Iterator[str]:
    named = [
        words
        for words, value in (
            ("Krippendorff's alpha [Kri04]", found.choice.alpha),
            ("Fleiss' kappa [Fle71]", found.choice.kappa),
            ("Gwet's AC1 [Gwe08]", found.choice.ac1),
            ("of uncertainties the intraclass correlation [MW96]", found.uncertainty.icc_single),
        )
        if value.value is not None
    ]
    halves = found.split_half.reliability.value is not None
    if named:
        yield f"Agreement of participants is {listed(named)}."
    if halves:
        yield "The reliability of vote shares is that of split halves [Spe10]."
    if named or halves:
        yield "Intervals are over pairs, by the bootstrap and of fewer than 50 pairs by the jackknife."


def labels(study: StudyResult, settings: Settings) -> Iterator[Section]:
    """From `dawid_skene`: where its labels are not the majority's."""
    found, title = study.dawid_skene, "Labels by Dawid and Skene's model"
    if found.reason or found.log_likelihood is None:
        yield Section("labels", title, (f"No labels: {found.reason or 'nobody voted'}.",))
        return
    yield Section(
        "labels",
        title,
        tuple(_labels_said(found)),
        tables=tuple(_disagreements(found)),
        methods=(
            "Beside majorities stand labels weighed by skill of participants [DS79], whose probabilities are from a "
            "hierarchical model in which pairs differ in difficulty.",
        ),
    )


def _labels_said(found: DawidSkene) -> Iterator[str]:
    """Model and majority where there is a majority, and tied pairs apart."""
    yield (
        "Weighing each participant by how often they agree with the others, the label is not the majority's on "
        f"{found.n_disagreements} of {found.n_pairs - found.n_tied} pairs with a majority."
    )
    if found.n_truth:
        yield (
            f"Of {found.n_truth} such pairs with a right member, the model's label is right on "
            f"{found.n_label_is_truth} (by its own probabilities on {found.n_truth_expected or 0:.0f}), "
            f"the majority on {found.n_majority_is_truth}."
        )
    if found.n_tied:
        right = (
            f"; of {found.n_tied_truth} with a right member the label is right on {found.n_tied_label_is_truth}, "
            f"a coin on {found.n_tied_truth / 2:.1f}"
            if found.n_tied_truth
            else ""
        )
        yield f"{found.n_tied} {'pair is' if found.n_tied == 1 else 'pairs are'} tied{right}."
    if found.too_sure:
        yield "The model's probabilities are too sure here: fewer labels are right than they say (p < .05)."
    if not found.converged:
        yield f"The model had not settled after {found.n_steps} steps: take its labels as rough."


def _disagreements(found: DawidSkene) -> Iterator[Numbers]:
    rows = tuple(
        (
            *(row["pair"], row["condition"], f"{row['votes_a']} : {row['votes_b']}"),
            *(row["majority"], row["label"], row["p_a"], row["truth"]),
        )
        for row in table_rows(found.disagreements)
    )
    if rows:
        words = [column(title, "words") for title in ("a : b", "majority", "model's label")]
        head = (*names("pair", "condition"), *words, column("probability of a"), column("truth", "words"))
        yield Numbers("Pairs on which model and majority disagree", head, rows)


def sources(study: StudyResult, settings: Settings) -> Iterator[Section]:
    """From `bradley_terry`: how often each source is chosen."""
    found, title = study.bradley_terry, "Sources by Bradley and Terry's model"
    if not found.strengths:
        yield Section("sources", title, (f"No strengths: {found.reason}.",))
        return
    left = "is not known" if found.left_advantage.value is None else f"is {said(found.left_advantage, 2)}"
    named = [
        *((one.source, one.strength) for one in found.strengths),
        *((f"{one.source} over {one.against}", one.probability) for one in found.probabilities),
        ("the left's advantage", found.left_advantage),
    ]
    is_fitted = any(one.strength.value is not None for one in found.strengths)
    method = "The strengths of the sources are by Bradley and Terry's model with a term for the side [BT52]."
    yield Section(
        "sources",
        title,
        tables=tuple(_strengths(found)),
        notes=(
            f"Over {found.n_comparisons} comparisons of {found.n_participants} participants, who are "
            f"resampled; left out are {found.n_blank} blanks, {found.n_tie} ties, "
            f"{found.n_same_source} pairs of one source and {found.n_without_source} without sources. "
            f"The left's advantage {left}, in log odds.",
            *([f"{found.reason}."] if found.reason else []),
            *reasons(named),
        ),
        methods=(method,) if is_fitted else (),
    )


def _strengths(found: BradleyTerry) -> Iterator[Numbers]:
    head = (*names("source"), *counts("comparisons", "chosen"))
    yield Numbers(
        "How often each source is chosen, as a strength in log odds; the side effect is taken out",
        (*head, column("strength", digits=2), column("side effect left in", digits=2)),
        tuple(
            (one.source, *_counts(one), measured(one.strength), measured(one.strength_plain))
            for one in found.strengths
        ),
    )
    if found.probabilities:
        yield Numbers(
            "How often one source is chosen over another, under the model",
            (*names("choice"), *counts("comparisons", "chosen"), column("probability")),
            tuple(
                (f"{one.source} over {one.against}", *_counts(one), measured(one.probability))
                for one in found.probabilities
            ),
        )


def _counts(one: Strength | WinProbability) -> tuple[int, int]:
    return one.n_comparisons, one.n_wins


def breakdowns(study: StudyResult, settings: Settings) -> Iterator[Section]:
    """From `breakdowns`; variables with a single value are left out, as they repeat the study's own number."""
    tables = tuple(_breakdown(one) for one in study.breakdowns if len(one.table) > 1)
    if tables:
        yield Section("breakdowns", "By condition, source, arm and pair", tables=tables)


def _breakdown(one: Breakdown) -> Numbers:
    is_of_two = "against" in one.table
    by = one.by.replace("_", " ")
    return Numbers(
        f"{one.measure.replace('_', ' ').capitalize()} by {by}",
        (
            *names(by, *(("preference",) if is_of_two else ())),
            *(*counts("trials", "participants"), column("mean"), column("95% interval"), column("SD (n-1)")),
        ),
        tuple(
            (
                row["value"] or "without",
                *((f"{row['source']} over {row['against']}",) if is_of_two else ()),
                *(row["n_trials"], row["n"], row["mean"]),
                *(Measured(None, row["ci_low"], row["ci_high"]), row["sd_ddof1"]),
            )
            for row in table_rows(one.table)
        ),
    )
