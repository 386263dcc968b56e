"""Two raters at a time as text for a terminal."""

from collections.abc import Iterator

from rich.console import RenderableType

from analysis.ratings.scores import RatingAnalysis
from analysis.stats.agreement.pairwise import RaterPair
from analysis.stats.estimates import Estimate
from analysis.text.terminal import heading, interval_of, name_of, number, table_of, why_unbounded

LONGEST = 60
FEWEST_ITEMS = 5


def rater_pairs_parts(analysis: RatingAnalysis) -> Iterator[RenderableType]:
    """Two raters at a time."""
    yield heading("Two raters at a time (Cohen's kappa)")
    has_order = analysis.agreement_level != "nominal"
    weighted = ("linear", "quadratic") if has_order else ()
    table = table_of("criterion", "raters", "items", "agree", "kappa", "95% interval", *weighted, left=2)
    every = [(one, pair) for one in analysis.criteria for pair in one.rater_pairs.pairs]
    rows = [(one, pair) for one, pair in every if pair.n_items >= FEWEST_ITEMS]
    for one, pair in rows[:LONGEST]:
        table.add_row(name_of(one.criterion), *_rater_pair(pair)[: len(table.columns) - 1])
    if rows:
        yield table
    if rows and has_order:
        yield (
            "Linear and quadratic: kappa that weighs a disagreement by its distance, or the square of it. Interval: "
            "of the unweighted kappa, or of the quadratic one where scores are of an interval scale."
        )
    if len(rows) > LONGEST:
        yield f"The first {LONGEST} of {len(rows)} pairs; --json has them all."
    if len(rows) < len(every):
        yield (
            f"Not shown: {len(every) - len(rows)} pairs of raters with fewer than {FEWEST_ITEMS} items in common; "
            "--json has them."
        )
    for one in analysis.criteria:
        found = one.rater_pairs
        name = name_of(one.criterion)
        if found.reason:
            yield f"  {name}: no pairs, {found.reason}."
            continue
        means = (
            ("", found.mean_kappa),
            ("linear ", found.mean_kappa_linear),
            ("quadratic ", found.mean_kappa_quadratic),
        )
        words = [f"{label}{number(mean)}" for label, mean in means if mean is not None]
        apart = (
            f"; {found.n_apart} pairs of raters have fewer than two items in common" if found.n_apart else ""
        )
        yield f"  {name}: mean over {found.n_pairs} pairs {', '.join(words) or 'not defined'}{apart}."
        reasons = [pair.kappa.reason for pair in found.pairs if pair.kappa.value is None]
        for reason in dict.fromkeys(filter(None, reasons)):
            yield f"  {name}: no kappa where {reason}."
        unbounded = [
            why_unbounded(_shown(pair).interval) for pair in found.pairs if pair.n_items >= FEWEST_ITEMS
        ]
        for reason in dict.fromkeys(filter(None, unbounded)):
            yield f"  {name}: no interval where {reason}."


def _shown(pair: RaterPair) -> Estimate:
    """The kappa whose interval is shown."""
    return pair.kappa if pair.kappa.value is not None else pair.kappa_quadratic


def _rater_pair(pair: RaterPair) -> tuple[str, ...]:
    kappas = (number(one.value, 2) for one in (pair.kappa_linear, pair.kappa_quadratic))
    return (
        " and ".join(map(name_of, pair.raters)),
        str(pair.n_items),
        number(pair.agreement.value, 2),
        number(pair.kappa.value, 2),
        interval_of(_shown(pair).interval, 2),
        *kappas,
    )
