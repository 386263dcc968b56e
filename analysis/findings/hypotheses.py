"""The hypotheses of a study: what was expected, what its test says, and whether it was registered."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from analysis.findings.model import Findings, Measured, Numbers, Section
from analysis.findings.tables import column, counts, names, p_values
from analysis.hypotheses import ALL, CHANCE, SHARES, DecidedHypothesis, HypothesesDecided, Registered
from analysis.signs import signed
from analysis.stats.p_values import p_cell, p_words
from analysis.words import sentence

NAME = "hypotheses"
PLANNED = "pre-registered"
EXPLORATORY = "exploratory"
_EXPECTED = {"less": "lower in", "greater": "higher in", "two-sided": "different in"}
_TESTS = {"wilcoxon": "Wilcoxon's signed-rank test", "mann-whitney": "Mann-Whitney test"}
_SIDES = {"less": "one-sided", "greater": "one-sided", "two-sided": "two-sided"}


def hypotheses_section(found: HypothesesDecided | None) -> Iterator[Section]:
    """Every hypothesis with its verdict; nothing where the study has none and is not registered."""
    if found is None or (not found.hypotheses and found.registered is None):
        return
    registered = found.registered
    texts = [said(one, registered) for one in found.hypotheses]
    settled = [one.verdict != "cannot be told" for one in found.hypotheses]
    yield Section(
        NAME,
        "Pre-registered hypotheses" if registered else "Hypotheses",
        (*about_registration(found), *texts),
        tables=tuple(_tables(found.hypotheses)) if found.hypotheses else (),
        notes=tuple(_notes(found)),
        can_say=tuple(text for text, is_settled in zip(texts, settled, strict=True) if is_settled),
        not_yet=tuple(text for text, is_settled in zip(texts, settled, strict=True) if not is_settled),
        methods=tuple(_methods(found)),
    )


def with_hypotheses(view: Findings, found: HypothesesDecided | None) -> Findings:
    """The page with its study's hypotheses first; of a registered study, all else is marked as exploratory."""
    first = tuple(hypotheses_section(found))
    if found is None or not first:
        return view
    (section,) = first
    aside = " Exploratory." if found.registered else ""
    return replace(
        view,
        registration=tuple(about_registration(found)),
        can_say=(*section.can_say, *(f"{text}{aside}" for text in view.can_say)),
        not_yet=(*section.not_yet, *(f"{text}{aside}" for text in view.not_yet)),
        sections=marked([*first, *view.sections], found),
    )


def marked(sections: Sequence[Section], found: HypothesesDecided | None) -> tuple[Section, ...]:
    """The sections of a registered study with what each is: its hypotheses are pre-registered, all else exploratory."""
    if found is None or found.registered is None:
        return tuple(sections)
    covered = ", ".join(one.hypothesis.id for one in found.hypotheses if one.status == PLANNED)
    planned = f"{PLANNED} {covered}" if covered else EXPLORATORY
    return tuple(replace(one, plan=planned if one.name == NAME else EXPLORATORY) for one in sections)


def about_registration(found: HypothesesDecided) -> Iterator[str]:
    """Sentences on when and where it was registered, and what is different since."""
    registered = found.registered
    if registered is None:
        yield "These hypotheses stand in the study file and are not registered: nothing here is confirmatory."
        return
    where = f" at {registered.address}" if registered.address else ""
    yield (
        f"Version {registered.version} was registered on {registered.at[:10]}{where} "
        f"(SHA-256 of the text: {registered.sha256[:12]}). What is not listed here is exploratory."
    )
    if registered.deviations:
        yield f"Deviations from the registration: {'; '.join(registered.deviations)}."
    else:
        yield "No deviation from the registration is recorded."


def said(one: DecidedHypothesis, registered: Registered | None) -> str:
    """The verdict in a sentence."""
    asked = one.hypothesis
    beside = f" ({one.status})" if registered is not None else ""
    verdict = {
        "supported": "is supported",
        "not supported": "is not supported",
        "cannot be told": "cannot be told yet",
    }[one.verdict]
    return f"{asked.id}{beside} {verdict}: {_expectation(one)}; {_found(one)}."


def _expectation(one: DecidedHypothesis) -> str:
    """`accuracy lower in human-hybrid than in human-symbolic`."""
    asked = one.hypothesis
    first, second = asked.compare
    of = _of(one)
    if second == CHANCE:
        where = "" if first == ALL else f" in {first}"
        than = {"less": "below", "greater": "above", "two-sided": "different from"}[asked.direction]
        return f"{of}{where} {than} chance (50%)"
    joint = "and" if asked.direction == "two-sided" else "than in"
    return f"{of} {_EXPECTED[asked.direction]} {first} {joint} {second}"


def _found(one: DecidedHypothesis) -> str:
    asked, n = one.hypothesis, one.n
    who = f"{n[0]} people" if asked.test == "wilcoxon" else f"{n[0]} and {n[1]} people"
    if one.p is None:
        return f"not tested with {who}, {one.reason}"
    corrected = f", {p_words(one.p_corrected)} after Holm's correction" if asked.correction == "holm" else ""
    level = "" if one.verdict == "supported" else f", not below {p_cell(asked.alpha)}"
    return (
        f"difference {_size(one)}, {p_words(one.p)}, {_SIDES[asked.direction]} {_TESTS[asked.test]} with {who}"
        f"{corrected}{level}{_left_open(one)}"
    )


def _size(one: DecidedHypothesis) -> str:
    if one.difference is None:
        return "not known"
    number = _points if one.hypothesis.measure in SHARES else _plain
    unit = " points" if one.hypothesis.measure in SHARES else ""
    if one.low is None or one.high is None:
        return f"{number(one.difference)}{unit}, no interval"
    return f"{number(one.difference)}{unit} (95% interval {number(one.low)} to {number(one.high)})"


def _points(value: float) -> str:
    return signed(100 * value, 0)


def _plain(value: float) -> str:
    return signed(value)


def _left_open(one: DecidedHypothesis) -> str:
    """Words for what the interval excludes, or leaves open, where p decides nothing."""
    if one.verdict == "supported":
        return ""
    margin = one.hypothesis.margin
    if margin is None:
        return (
            "" if one.verdict == "cannot be told" else ", and the interval excludes a difference as expected"
        )
    size = f"{100 * margin:g} points" if one.hypothesis.measure in SHARES else f"{margin:g}"
    what = "excludes" if one.verdict == "not supported" else "does not exclude"
    return f", and the interval {what} a difference of {size} as expected"


def _tables(found: Sequence[DecidedHypothesis]) -> Iterator[Numbers]:
    """The verdicts, and the values that they rest on."""
    yield Numbers(
        "Each hypothesis by the test that it names",
        (*names("hypothesis", "status", "verdict", "test", "direction"), *p_values("p", "p Holm", "alpha")),
        tuple(
            (
                *(one.hypothesis.id, one.status, one.verdict, one.hypothesis.test, one.hypothesis.direction),
                *(one.p, one.p_corrected, one.hypothesis.alpha),
            )
            for one in found
        ),
    )
    yield Numbers(
        "What was compared: the first less the second",
        (
            *names("name", "measure", "first", "second"),
            *counts("n1", "n2"),
            *(column("mean 1"), column("mean 2"), column("difference")),
        ),
        tuple(
            (
                *(one.hypothesis.id, _of(one), *one.hypothesis.compare, *one.n, *one.means),
                None if one.difference is None else Measured(one.difference, one.low, one.high),
            )
            for one in found
        ),
    )


def _of(one: DecidedHypothesis) -> str:
    asked = one.hypothesis
    return f"preference for {asked.source}" if asked.measure == "preference" else asked.measure


def _notes(found: HypothesesDecided) -> Iterator[str]:
    for one in found.hypotheses:
        if one.hypothesis.says:
            yield f"{one.hypothesis.id}: {one.hypothesis.says}"
    for one in found.hypotheses:
        if one.warning:
            yield sentence(f"{one.hypothesis.id}: {one.warning}")
    if found.hypotheses:
        yield (
            "Supported: p is below its alpha. Not supported: it is not, and the 95% interval excludes the smallest "
            "difference of interest in the expected direction. Cannot be told: the interval leaves both open."
        )


def _methods(found: HypothesesDecided) -> Iterator[str]:
    if not found.hypotheses:
        return
    tests = {one.hypothesis.test for one in found.hypotheses}
    named = []
    if "wilcoxon" in tests:
        named.append("Wilcoxon's signed-rank test over participants [Wil45]")
    if "mann-whitney" in tests:
        named.append(
            "the Mann-Whitney test of the participants' values [MW47] with the Hodges-Lehmann shift [HL63]"
        )
    holm = (
        " p values were corrected by Holm's method over the hypotheses that say so [Hol79]."
        if any(one.hypothesis.correction == "holm" for one in found.hypotheses)
        else ""
    )
    which = "Pre-registered hypotheses" if found.registered else "The hypotheses of the study file"
    yield f"{which} were decided by the tests that they name, {' and '.join(named)}, and by no other.{holm}"
