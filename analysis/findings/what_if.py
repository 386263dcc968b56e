"""The headline with and without each exclusion rule."""

from collections.abc import Iterator

from analysis.choice.studies import StudyResult
from analysis.choice.what_if import MOST_RULES, Specification, WhatIf
from analysis.findings.marks import SHARES, described, few, mark
from analysis.findings.model import Cell, Column, Figure, Numbers, Section
from analysis.findings.tables import measured
from analysis.findings.words import between, count, percent
from analysis.reported import Settings

NAME = "what_if"


def what_if_section(study: StudyResult, _settings: Settings) -> Iterator[Section]:
    """A section where a rule left out a session."""
    found = study.further.get(NAME)
    if not isinstance(found, WhatIf):
        return
    own, none = found.own, found.of(())
    known = [one.accuracy.mean for one in found.specifications if one.accuracy.mean is not None]
    which = "every combination" if found.is_complete else "all, all but one, one alone and none"
    sentence = (
        f"With the study's rules {count(own.n_left_out, 'session')} {'is' if own.n_left_out == 1 else 'are'} left out "
        f"and accuracy is {_said(own)}; without them it is {_said(none)}."
    )
    spread = ""
    if known:
        spread = (
            f"Over {which} of the {count(len(found.rules), 'rule')} that left a session out, accuracy lies between "
            f"{percent(min(known))} and {percent(max(known))}."
        )
    yield Section(
        "whatif",
        "What if: without an exclusion rule",
        tuple(filter(None, (sentence, spread))),
        tables=(_by_rule(found), _curve(found)),
        notes=()
        if found.is_complete
        else (f"More than {MOST_RULES} rules left sessions out: not every combination is computed.",),
        figures=(_figure(found, spread or sentence),),
        methods=(
            f"The mean accuracy was computed anew under {which} of the exclusion rules that left a session out, as a "
            "specification curve [SSN20]; average and interval are those of the mean accuracy itself.",
        ),
    )


def _said(one: Specification) -> str:
    return f"{percent(one.accuracy.mean)} ({between(one.accuracy.interval)})"


def _by_rule(found: WhatIf) -> Numbers:
    every = [one.rule for one in found.rules]
    return Numbers(
        "Sessions left out by each rule, and accuracy without it and by it alone",
        (
            Column("rule", "Rule", "text"),
            Column("sessions", "Leaves out", "count"),
            Column("alone", "No other does", "count"),
            Column("without", "Accuracy without it"),
            Column("by_it", "By it alone"),
        ),
        tuple(
            (
                one.rule,
                one.n_sessions,
                one.n_alone,
                measured(found.of(name for name in every if name != one.rule).accuracy),
                measured(found.of([one.rule]).accuracy),
            )
            for one in found.rules
        ),
    )


def _curve(found: WhatIf) -> Numbers:
    columns = (
        Column("rules", "Rules", "text"),
        Column("left_out", "Left out", "count"),
        *SHARES,
        Column("sd_ddof1", "SD (n-1)", "share"),
    )
    rows: list[tuple[Cell, ...]] = []
    for one in sorted(
        found.specifications, key=lambda one: (one.accuracy.mean is None, one.accuracy.mean or 0)
    ):
        _, *numbers = described("", one.accuracy)
        rows.append((_named(one, found), one.n_left_out, *numbers))
    return Numbers("Accuracy under each combination of rules", columns, tuple(rows))


def _named(one: Specification, found: WhatIf) -> str:
    return "all rules" if len(one.rules) == len(found.rules) else ", ".join(one.rules) or "no rule"


def _figure(found: WhatIf, said: str) -> Figure:
    every = [one.rule for one in found.rules]
    shown: list[tuple[str, Specification]] = [("all rules", found.own)]
    if len(every) > 1:
        shown += [(f"without {name}", found.of(each for each in every if each != name)) for name in every]
    shown.append(("no rule", found.of(())))
    return Figure(
        name="whatif",
        section="judges",
        drawing="marks",
        said=said,
        how="Mean accuracy over people, with 95% interval, with all of the study's exclusion rules, without each, and "
        "without any.",
        numbers=_curve(found),
        marks=tuple(mark(name, one.accuracy, "ink" if one is found.own else "human") for name, one in shown),
        caution=few(found.own.accuracy.n, "person", found.own.accuracy),
    )
