"""Comparisons of two studies: the same people within themselves, others as groups."""

from collections.abc import Iterator

from analysis.findings.claims import Claims
from analysis.findings.model import Cell, Column, Figure, Mark, Numbers
from analysis.findings.reading import size, value_to_read, verdict
from analysis.findings.rule import Sayings, say
from analysis.findings.words import ends_of, limits, people, percent, points, sentence
from analysis.reported import Analysis, Comparison
from analysis.stats.comparisons import MannWhitney
from analysis.stats.evidence import NOT_YET, SHARE, Evidence, evidence
from analysis.stats.p_values import p_words
from analysis.stats.paired import PairedTest

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
    """Claims supported by the comparison of accuracies."""
    found = _of_accuracy(analysis)
    if found is None:
        return Claims((), ())
    read = value_to_read(_test(found))
    if read is None or read[1].low is None or read[1].high is None:
        return Claims((), ())
    if _evidence(found) != "open":
        return Claims((_said(found),), ())
    first, second = found.studies
    same = "no difference" if _is_paired(found) else "0.5"
    is_open = evidence(read[1], read[0]) == "open"
    held = f"the interval holds {same}" if is_open else _holm_words(found)
    return Claims((), (f"That {first} and {second} differ in accuracy: {held}.",))


def studies_headline(analysis: Analysis) -> str:
    """The accuracies of two studies against each other, by the test that reaches furthest: the mixed model's reaches to
    other people and other pairs. Empty where there are not two."""
    found = _of_accuracy(analysis)
    if found is None or len(analysis.studies) != 2:
        return ""
    shares = " against ".join(f"{one.study} {percent(one.accuracy.mean)}" for one in analysis.studies)
    model = analysis.mixed_differences[0].model if analysis.mixed_differences else None
    p = model.difference.p if model is not None and model.difference is not None else None
    reach = "" if p is None else f"; over other people and pairs {p_words(p)}"
    ending = f". Which is higher {NOT_YET}" if _evidence(found) == "open" else ""
    return f"{shares}: {_size(found)}, over these pairs{reach}{ending}."


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
    return isinstance(_test(one), PairedTest)


def _test(one: Comparison) -> PairedTest | MannWhitney:
    """The test that is reported: the paired one where the comparison is of the same people."""
    return one.paired if one.compared_as == "paired" and one.paired is not None else one.test


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


def _evidence(one: Comparison) -> Evidence:
    return verdict(_test(one), one.p_holm_as_compared)


def _holm_words(one: Comparison) -> str:
    return f"{p_words(one.p_holm_as_compared)} after Holm's correction over {one.n_family_as_compared} comparisons"


def _size(one: Comparison) -> str:
    test = _test(one)
    if isinstance(test, PairedTest):
        return f"{size(test)}, {people(test.n)} in both"
    return f"{size(test)}, {test.n1:,} and {people(test.n2)}"


def _said(one: Comparison) -> str:
    first, second = one.studies
    read = value_to_read(_test(one))
    if read is None:
        return f"The accuracies of {first} and {second} cannot be compared: {_test(one).reason}."
    sayings = Sayings(
        more=f"People are more accurate in {first} than in {second}: {_size(one)}.",
        less=f"People are less accurate in {first} than in {second}: {_size(one)}.",
        alike=f"People are as accurate in {first} as in {second}, within {points(SHARE)}: {_size(one)}.",
        open=f"Whether people are more accurate in {first} or in {second} {NOT_YET}: {_size(one)}.",
    )
    return say(read[1], one.p_holm_as_compared, sayings, null=read[0]).text
