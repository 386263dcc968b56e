"""Inter-rater agreement in the report of ratings: coefficients, and two raters at a time."""

from collections.abc import Iterator

from analysis.findings.model import Cell, Numbers, Section
from analysis.findings.tables import column, counts, measured, reasons
from analysis.findings.tables import names as column_names
from analysis.ratings.scores import CriterionResult, RatingAnalysis
from analysis.stats.estimates import Estimate

MOST_ROWS = 60

FEWEST_ITEMS = 5
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
    columns = (*column_names("criterion"), *counts("items"), *(column(name, digits=2) for name in shown))
    table = Numbers(
        f"Agreement of raters on each criterion, with 95% intervals over items; scores are {analysis.agreement_level}",
        columns,
        tuple(
            (name, one.agreement.alpha.n, *(measured(of[key]) for key in shown))
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
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    few = 0
    for one in analysis.criteria:
        found = one.rater_pairs
        few += sum(pair.n_items < FEWEST_ITEMS for pair in found.pairs)
        for pair in (pair for pair in found.pairs if pair.n_items >= FEWEST_ITEMS):
            each = pair.kappa, pair.kappa_linear, pair.kappa_quadratic
            about = one.criterion, " and ".join(pair.raters), pair.n_items
            rows.append((*about, pair.agreement.value, *map(measured, each)))
        if found.reason:
            notes.append(f"{one.criterion}: no pairs of raters, {found.reason}.")
            continue
        means = (
            ("", found.mean_kappa),
            ("linear ", found.mean_kappa_linear),
            ("quadratic ", found.mean_kappa_quadratic),
        )
        words = [f"{label}{mean:.2f}" for label, mean in means if mean is not None]
        apart = (
            f"; {found.n_apart} pairs of raters have fewer than two items in common" if found.n_apart else ""
        )
        over = f"{found.n_pairs} pairs of raters {', '.join(words) or 'not defined'}{apart}"
        notes.append(f"{one.criterion}: mean kappa over {over}.")
        missing = (pair.kappa.reason for pair in found.pairs if pair.kappa.value is None)
        notes += [
            f"{one.criterion}: no kappa where {reason}." for reason in dict.fromkeys(filter(None, missing))
        ]
    weights = ("linear weights", "quadratic weights") if analysis.agreement_level != "nominal" else ()
    columns = (
        *(*column_names("criterion", "raters"), *counts("items"), column("agree", digits=2)),
        *(column(title, digits=2) for title in ("kappa", *weights)),
    )
    tables: tuple[Numbers, ...] = ()
    if rows:
        caption = "Cohen's kappa of two raters on the items that both rated, with 95% intervals over items"
        tables = (Numbers(caption, columns, tuple(row[: len(columns)] for row in rows)),)
    if few:
        notes.append(
            f"{few} pairs of raters with fewer than {FEWEST_ITEMS} items in common are in CSV and JSON alone."
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
