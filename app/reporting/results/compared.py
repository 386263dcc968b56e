"""Two studies beside each other, as the analysis compares them."""

from collections.abc import Iterator

from analysis import Analysis
from analysis.summary import Comparison
from app.reporting.results.claims import Claims
from app.reporting.results.view import Cell, Column, Figure, Mark, Numbers
from app.reporting.results.words import ends_of, exact, limits, percent

_EVEN = 0.5


def studies_figure(analysis: Analysis) -> Figure | None:
    """The accuracy of each study, with its tests below; none of one study alone."""
    if len(analysis.studies) < 2:
        return None
    rows: list[tuple[Cell, ...]] = [
        (
            one.measure,
            _about(one),
            one.test.n1,
            one.test.n2,
            one.test.effect,
            *_effect_ends(one),
            one.test.p_two_sided,
            one.p_holm,
            one.n_shared_ids,
        )
        for one in analysis.comparisons
    ]
    names = [one.study for one in analysis.studies]
    found = _of_accuracy(analysis)
    return Figure(
        name="studies",
        section="compared",
        drawing="marks",
        said=_said(found) if found else f"{names[0]} and {names[1]} have no measure in common.",
        how="Mean accuracy over the people of each study, with 95% interval. The test is Mann-Whitney's; the effect is "
        "the probability that a person of the first study is higher, and 0.5 is no difference.",
        numbers=Numbers(
            f"{names[0]} against {names[1]}",
            (
                Column("measure", "Measure", "text"),
                Column("about", "Of", "text"),
                Column("n1", "People, first", "count"),
                Column("n2", "People, second", "count"),
                Column("effect", "Effect"),
                Column("effect_low", "from"),
                Column("effect_high", "to"),
                Column("p_two_sided", "p, two-sided", "p"),
                Column("p_holm", "p, Holm", "p"),
                Column("n_shared_ids", "Same ids", "count"),
            ),
            tuple(rows),
        ),
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
        caution=_shared(found),
    )


def compared_claims(analysis: Analysis) -> Claims:
    """What the comparison of accuracies lets one say."""
    found = _of_accuracy(analysis)
    if found is None or found.test.effect is None:
        return Claims((), ())
    low, high = _effect_ends(found)
    said = _said(found)
    if low is not None and high is not None and not low <= _EVEN <= high:
        return Claims((said,), ())
    return Claims(
        (), (f"That {found.studies[0]} and {found.studies[1]} differ in accuracy: the interval holds 0.5.",)
    )


def _of_accuracy(analysis: Analysis) -> Comparison | None:
    return next((one for one in analysis.comparisons if one.measure == "accuracy"), None)


def _effect_ends(one: Comparison) -> tuple[float | None, float | None]:
    return one.test.effect_interval.low, one.test.effect_interval.high


def _about(one: Comparison) -> str:
    return " ".join(_parts(one))


def _parts(one: Comparison) -> Iterator[str]:
    if one.trials:
        yield f"trials {one.trials}"
    if one.source:
        yield f"{one.source} over {one.against} ({one.condition})"


def _said(one: Comparison) -> str:
    first, second = one.studies
    if one.test.effect is None:
        return f"The accuracies of {first} and {second} cannot be compared: {one.test.reason}."
    low, high = _effect_ends(one)
    interval = f", 95% interval {low:.2f} to {high:.2f}" if low is not None and high is not None else ""
    effect = exact(one.test.effect)
    return f"A person of {first} is more accurate than one of {second} with probability {effect}{interval}."


def _shared(one: Comparison | None) -> str:
    if one is None or not one.n_shared_ids:
        return ""
    return (
        f"{one.n_shared_ids:,} participants have the same id in both studies: if they are the same people, this test, "
        "which takes them for others, does not hold."
    )
