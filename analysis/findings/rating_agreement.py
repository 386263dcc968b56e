"""Inter-rater agreement in the report of ratings: coefficients, and two raters at a time."""

from collections.abc import Iterator

from analysis.findings.model import Numbers, Section
from analysis.findings.tables import reasons, words_table
from analysis.findings.texts import number, with_interval
from analysis.ratings.scores import CriterionResult, RatingAnalysis
from analysis.stats.estimates import Estimate
from analysis.text.rater_pairs import FEWEST_ITEMS

MOST_ROWS = 60

RATER_PAIRS = (
    "criterion", "first", "second", "n_items", "agreement", "kappa", "kappa_low", "kappa_high", "kappa_linear",
    "kappa_linear_low", "kappa_linear_high", "kappa_quadratic", "kappa_quadratic_low", "kappa_quadratic_high",
    "reason",
)  # fmt: skip


def agreement_section(analysis: RatingAnalysis) -> Section:
    """The coefficients of each criterion, and why some are missing."""
    named = [(one.criterion, _coefficients(one)) for one in analysis.criteria]
    names = list(named[0][1]) if named else []
    # The intraclass correlation needs a complete table, which ratings seldom are.
    shown = [
        name for name in names if "ICC" not in name or any(of[name].value is not None for _, of in named)
    ]
    table = words_table(
        caption="Agreement of raters on each criterion, with 95% intervals over items",
        head=("criterion", "items", *shown),
        rows=tuple(
            (name, str(one.agreement.alpha.n), *(with_interval(of[key], 2) for key in shown))
            for one, (name, of) in zip(analysis.criteria, named, strict=True)
        ),
    )
    found = reasons(
        (f"{key} ({name})" if key in shown else key, of[key]) for key in names for name, of in named
    )
    return Section("agreement", "Agreement", tables=(table,), notes=tuple(found))


def _coefficients(one: CriterionResult) -> dict[str, Estimate]:
    found = one.agreement
    return {
        "observed": found.agreement,
        "Krippendorff's alpha": found.alpha,
        "Fleiss' kappa": found.kappa,
        "Gwet's AC1": found.ac1,
        "ICC of one rater": found.icc_single,
        "ICC of the raters' mean": found.icc_average,
        "ICC, one-way": one.icc_oneway,
    }


def rater_pairs_sections(analysis: RatingAnalysis) -> Iterator[Section]:
    """Two raters at a time."""
    rows, notes, few = [], [], 0
    for one in analysis.criteria:
        found = one.rater_pairs
        few += sum(pair.n_items < FEWEST_ITEMS for pair in found.pairs)
        for pair in (pair for pair in found.pairs if pair.n_items >= FEWEST_ITEMS):
            each = pair.kappa, pair.kappa_linear, pair.kappa_quadratic
            kappas = (with_interval(kappa, 2) for kappa in each)
            about = one.criterion, " and ".join(pair.raters), str(pair.n_items)
            rows.append((*about, number(pair.agreement.value, 2), *kappas))
        if found.reason:
            notes.append(f"{one.criterion}: no pairs of raters, {found.reason}.")
        elif found.mean_kappa is not None:
            notes.append(
                f"{one.criterion}: mean kappa over pairs of raters {number(found.mean_kappa, 2)}, linear "
                f"{number(found.mean_kappa_linear, 2)}, quadratic {number(found.mean_kappa_quadratic, 2)}."
            )
    head = "criterion", "raters", "items", "agree", "kappa", "linear weights", "quadratic weights"
    tables: tuple[Numbers, ...] = ()
    if rows:
        caption = "Cohen's kappa of two raters on the items that both rated, with 95% intervals over items"
        tables = (words_table(caption, head, rows, n_names=2),)
    if few:
        notes.append(
            f"{few} pairs of raters with fewer than {FEWEST_ITEMS} items in common are in the file alone."
        )
    if rows or notes:
        yield Section("pairs", "Two raters at a time", tables=tables, notes=tuple(notes), names_people=True)


def rater_pair_rows(analysis: RatingAnalysis) -> Iterator[tuple[object, ...]]:
    """The rows of `rater_pairs.csv`, under `RATER_PAIRS`."""
    for one in analysis.criteria:
        for pair in one.rater_pairs.pairs:
            kappas = (
                (kappa.value, kappa.interval.low, kappa.interval.high)
                for kappa in (pair.kappa, pair.kappa_linear, pair.kappa_quadratic)
            )
            about = one.criterion, *pair.raters, pair.n_items, pair.agreement.value
            yield *about, *(cell for cells in kappas for cell in cells), pair.kappa.reason
