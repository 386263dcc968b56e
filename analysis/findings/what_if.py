"""The headline with and without each exclusion rule."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analysis.choice.studies import StudyResult
from analysis.data.flow import BY_RULE, Flow
from analysis.findings.marks import FEW, SHARES, described, few, mark
from analysis.findings.model import Cell, Column, Figure, Numbers, Section, Unit
from analysis.findings.ratings import mean_mark
from analysis.findings.tables import measured
from analysis.findings.words import between, count, exact, people, percent
from analysis.reported import Settings
from analysis.stats.description import Description
from analysis.stats.what_if import MOST_RULES, Measure, Specification, WhatIf

NAME = "what_if"
TITLE = "What if: without an exclusion rule"


@dataclass(frozen=True, slots=True)
class _Said:
    """A measure in words: `name` within a sentence, `short` as a heading; `over` what its interval is."""

    name: str
    short: str
    over: str
    unit: Unit

    def value(self, number: float | None) -> str:
        return percent(number) if self.unit == "share" else exact(number)

    def of(self, one: Description) -> str:
        if self.unit == "share":
            return f"{self.value(one.mean)} ({between(one.interval)})"
        low, high = one.interval.low, one.interval.high
        limits = "no interval" if low is None or high is None else f"95% interval {low:.2f} to {high:.2f}"
        return f"{self.value(one.mean)} ({limits})"


def what_if_section(study: StudyResult, _settings: Settings) -> Iterator[Section]:
    """A section where a rule left out a session of a study of pairs."""
    found = study.further.get(NAME)
    if isinstance(found, WhatIf):
        yield from what_if_sections(found)


def what_if_sections(found: WhatIf | None) -> Iterator[Section]:
    """A section where a rule left out a session."""
    if found is None:
        return
    own, none, said = found.own, found.of(()), _in_words(found.measure)
    known = [one.headline.mean for one in found.specifications if one.headline.mean is not None]
    which = "every combination" if found.is_complete else "all, all but one, one alone and none"
    sentence = (
        f"With the study's rules {count(own.n_left_out, 'session')} {'is' if own.n_left_out == 1 else 'are'} left out "
        f"and {said.name} is {said.of(own.headline)}; without them it is {said.of(none.headline)}."
    )
    spread = ""
    if known:
        spread = (
            f"Over {which} of the {count(len(found.rules), 'rule')} that left a session out, {said.name} lies between "
            f"{said.value(min(known))} and {said.value(max(known))}."
        )
    yield Section(
        "whatif",
        TITLE,
        tuple(filter(None, (sentence, spread))),
        tables=(_by_rule(found, said), _curve(found, said)),
        notes=()
        if found.is_complete
        else (f"More than {MOST_RULES} rules left sessions out: not every combination is computed.",),
        figures=(_figure(found, said, spread or sentence),),
        methods=(
            f"{said.short} was computed anew under {which} of the exclusion rules that left a session out, as a "
            f"specification curve [SSN20]; {_interval_of(found, said)}.",
        ),
    )


def _interval_of(found: WhatIf, said: _Said) -> str:
    """The method of the intervals under other rules; of ratings it may not be the one of the study's own."""
    own = found.own.headline.interval.method
    others = {one.headline.interval.method for one in found.specifications[1:]}
    if found.measure.name != "score" or others <= {own}:
        return f"average and interval are those of {said.name} itself"
    t = "Student's t over items and raters"
    return f"the average is that of {said.name} itself, its interval under other rules {t}"


def no_headline(flow: Flow | None) -> Iterator[Section]:
    """The section of a study of play alone, where rules left sessions out: why there is no number without them."""
    lost = [loss for step in (flow.steps if flow else ()) for loss in step.lost]
    if n := sum(loss.n for loss in lost if loss.reason.startswith(BY_RULE)):
        yield Section(
            "whatif",
            TITLE,
            (
                f"Rules left out {count(n, 'session')}. No answer is right in a match, so no single number is the "
                "headline, and none is computed anew without a rule. The tables under Data have these sessions, too, "
                "where you ask for those that rules leave out.",
            ),
        )


def what_if_figure(found: WhatIf | None, name: str, section: str) -> Iterator[Figure]:
    """The figure of the section, at another place of the page."""
    for one in what_if_sections(found):
        for figure in one.figures:
            yield replace(figure, name=name, section=section)


def _in_words(measure: Measure) -> _Said:
    if measure.name == "score":
        by = f" by {measure.criterion}"
        return _Said(f"the mean score{by}", f"The mean score{by}", "of all scores", "number")
    if measure.name == "preference":
        share = f"share of {measure.source} over {measure.against}"
        return _Said(f"the {share}", f"The {share}", "over people", "share")
    return _Said("accuracy", "Accuracy", "over people", "share")


def _by_rule(found: WhatIf, said: _Said) -> Numbers:
    every = [one.rule for one in found.rules]
    return Numbers(
        f"Sessions left out by each rule, and {said.name} without it and by it alone",
        (
            Column("rule", "Rule", "text"),
            Column("sessions", "Leaves out", "count"),
            Column("alone", "No other does", "count"),
            Column("without", f"{said.short} without it"),
            Column("by_it", "By it alone"),
        ),
        tuple(
            (
                one.rule,
                one.n_sessions,
                one.n_alone,
                measured(found.of(name for name in every if name != one.rule).headline),
                measured(found.of([one.rule]).headline),
            )
            for one in found.rules
        ),
    )


def _curve(found: WhatIf, said: _Said) -> Numbers:
    n_people, *numbers_of = SHARES
    columns = (
        Column("rules", "Rules", "text"),
        Column("left_out", "Left out", "count"),
        n_people,
        *(replace(one, unit=said.unit) for one in numbers_of),
        Column("sd_ddof1", "SD (n-1)", said.unit),
    )
    rows: list[tuple[Cell, ...]] = []
    for one in sorted(
        found.specifications, key=lambda one: (one.headline.mean is None, one.headline.mean or 0)
    ):
        _, *numbers = described("", one.headline)
        rows.append((_named(one, found), one.n_left_out, *numbers))
    return Numbers(f"{said.short} under each combination of rules", columns, tuple(rows))


def _named(one: Specification, found: WhatIf) -> str:
    return "all rules" if len(one.rules) == len(found.rules) else ", ".join(one.rules) or "no rule"


def _figure(found: WhatIf, said: _Said, sentence: str) -> Figure:
    every = [one.rule for one in found.rules]
    shown: list[tuple[str, Specification]] = [("all rules", found.own)]
    if len(every) > 1:
        shown += [(f"without {name}", found.of(each for each in every if each != name)) for name in every]
    shown.append(("no rule", found.of(())))
    figure = Figure(
        name="whatif",
        section="judges",
        drawing="marks",
        said=sentence,
        how=f"{'Mean accuracy' if found.measure.name == 'accuracy' else said.short} {said.over}, with 95% interval, "
        "with all of the study's exclusion rules, without each, and without any.",
        numbers=_curve(found, said),
        marks=tuple(mark(name, one.headline, "ink" if one is found.own else "human") for name, one in shown),
        caution=few(found.own.headline.n, "person", found.own.headline),
    )
    return figure if said.unit == "share" else _of_scores(figure, found.measure.scale, shown)


def _of_scores(
    figure: Figure, scale: tuple[float, float] | None, shown: Sequence[tuple[str, Specification]]
) -> Figure:
    """The same on the scale of the scores; of one that is not known, from the lowest end to the highest."""
    marks = tuple(mean_mark(name, one.headline.mean, one.headline.interval) for name, one in shown)
    ends = [at for one in marks for at in (one.value, one.low, one.high) if at is not None] or [0.0]
    low, high = scale or (min(ends), max(ends))
    low, high = (low, high) if high > low else (low - 0.5, high + 0.5)
    n = shown[0][1].headline.n
    return replace(
        figure,
        marks=marks,
        chance=None,
        scale=(low, high),
        ends=(f"{low:g}", f"{high:g}"),
        caution=f"{people(n)} are few." if 1 < n < FEW else "",
    )
