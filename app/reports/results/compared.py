"""Two studies beside each other, as the analysis compares them: the same people with themselves, others as groups."""

from collections.abc import Iterator

from analysis import Analysis
from analysis.reported import Comparison
from analysis.stats.intervals import Interval
from app.reports.results.claims import Claims
from app.reports.results.view import Cell, Column, Figure, Mark, Numbers
from app.reports.results.words import ends_of, exact, limits, people, percent, points, sentence

_COLUMNS = (
    Column("measure", "Measure", "text"),
    Column("about", "Of", "text"),
    Column("compared_as", "Compared as", "text"),
    Column("n1", "People, first", "count"),
    Column("n2", "People, second", "count"),
    Column("effect", "Effect"),
    Column("effect_low", "from"),
    Column("effect_high", "to"),
    Column("p_two_sided", "p, two-sided", "p"),
    Column("n_shared_ids", "Same ids", "count"),
    Column("n_paired", "In both", "count"),
    Column("difference", "Mean difference"),
    Column("difference_low", "from"),
    Column("difference_high", "to"),
    Column("paired_p_two_sided", "p, paired", "p"),
    Column("p_holm_as_compared", "p, Holm", "p"),
)


def studies_figure(analysis: Analysis) -> Figure | None:
    """The accuracy of each study, with its tests below; none of one study alone."""
    if len(analysis.studies) < 2:
        return None
    names = [one.study for one in analysis.studies]
    found = _of_accuracy(analysis)
    return Figure(
        name="studies",
        section="compared",
        drawing="marks",
        said=_said(found) if found else f"{names[0]} and {names[1]} have no measure in common.",
        how=f"Mean accuracy over the people of each study, with 95% interval. {_test_of(found)}",
        numbers=Numbers(f"{names[0]} against {names[1]}", _COLUMNS, tuple(map(_row, analysis.comparisons))),
        marks=tuple(
            Mark(
                one.study,
                one.accuracy.mean,
                *ends_of(one.accuracy),
                percent(one.accuracy.mean),
                limits(*ends_of(one.accuracy)) or "no interval",
                "ink",
            )
            for one in analysis.studies
        ),
        caution=sentence(found.warning) if found and found.warning else "",
    )


def compared_claims(analysis: Analysis) -> Claims:
    """What the comparison of accuracies lets one say."""
    found = _of_accuracy(analysis)
    if found is None:
        return Claims((), ())
    even, interval = _to_read(found)
    if interval.low is None or interval.high is None:
        return Claims((), ())
    if not interval.low <= even <= interval.high:
        return Claims((_said(found),), ())
    first, second = found.studies
    same = "no difference" if _is_paired(found) else "0.5"
    return Claims((), (f"That {first} and {second} differ in accuracy: the interval holds {same}.",))


def _row(one: Comparison) -> tuple[Cell, ...]:
    test, paired = one.test, one.paired
    return (
        one.measure,
        " ".join(_about(one)),
        one.compared_as,
        test.n1,
        test.n2,
        test.effect,
        test.effect_interval.low,
        test.effect_interval.high,
        test.p_two_sided,
        one.n_shared_ids,
        paired.n if paired else None,
        paired.difference.mean if paired else None,
        *(ends_of(paired.difference) if paired else (None, None)),
        paired.p_two_sided if paired else None,
        one.p_holm_as_compared,
    )


def _of_accuracy(analysis: Analysis) -> Comparison | None:
    return next((one for one in analysis.comparisons if one.measure == "accuracy"), None)


def _is_paired(one: Comparison) -> bool:
    return one.compared_as == "paired" and one.paired is not None


def _to_read(one: Comparison) -> tuple[float, Interval]:
    """The value that means no difference, and the interval of the comparison that is to be read."""
    if one.compared_as == "paired" and one.paired is not None:
        return 0.0, one.paired.difference.interval
    return 0.5, one.test.effect_interval


def _about(one: Comparison) -> Iterator[str]:
    if one.trials:
        yield f"trials {one.trials}"
    if one.source:
        yield f"{one.source} over {one.against} ({one.condition})"


def _test_of(one: Comparison | None) -> str:
    if one is not None and _is_paired(one):
        return "The same people took part in both: each is compared with themselves (Wilcoxon's signed-rank test)."
    return (
        "The test is Mann-Whitney's; the effect is the probability that a person of the first study is higher, and "
        "0.5 is no difference."
    )


def _said(one: Comparison) -> str:
    first, second = one.studies
    low, high = (_to_read(one)[1].low, _to_read(one)[1].high)
    if one.compared_as == "paired" and one.paired is not None:
        mean = one.paired.difference.mean
        if mean is None:
            return f"The accuracies of {first} and {second} cannot be compared: {one.paired.reason}."
        interval = (
            "" if low is None or high is None else f", 95% interval {100 * low:+.0f} to {100 * high:+.0f}"
        )
        way = "higher" if mean >= 0 else "lower"
        return f"{people(one.paired.n)} are {points(mean)} {way} in {first} than in {second}{interval}."
    if one.test.effect is None:
        return f"The accuracies of {first} and {second} cannot be compared: {one.test.reason}."
    interval = "" if low is None or high is None else f", 95% interval {low:.2f} to {high:.2f}"
    effect = exact(one.test.effect)
    return f"A person of {first} is more accurate than one of {second} with probability {effect}{interval}."
