"""The layouts of two clips against each other: whether what is seen at once, or in turn, changes the answers."""

from collections.abc import Iterator

import pandas as pd

from analysis.choice.conditions import ConditionComparison
from analysis.choice.layouts import LayoutsCompared, compare_layouts
from analysis.choice.studies import StudyResult
from analysis.findings.condition_tests import about_condition
from analysis.findings.in_short import condition_line
from analysis.findings.marks import SHARES, described, few, mark
from analysis.findings.methods import conditions_in_words
from analysis.findings.model import Column, Figure, Numbers, Section
from analysis.findings.reading import size, value_to_read, verdict
from analysis.findings.tables import column, counts, measured, names, reasons
from analysis.findings.two_by_two import Line, Test, how, tables, warned
from analysis.findings.words import count, listed, points
from analysis.reported import Settings
from analysis.signs import signed
from analysis.stats.evidence import NOT_YET, SHARE
from analysis.stats.p_values import p_words

NAME = "layouts"
TITLE = "Layouts of the clips"
_NOT_DRAWN = (
    "Unless arms set it, the layout follows from the window: people whose windows are narrow may differ from others in "
    "more than the layout."
)


def layouts_computed(main: pd.DataFrame, settings: Settings) -> LayoutsCompared:
    """The layouts of one study by the answers that count."""
    return compare_layouts(
        main, settings.blank, settings.alternative, seed=settings.seed, resamples=settings.resamples
    )


def layouts(study: StudyResult, settings: Settings) -> Iterator[Section]:
    """A section where there were two layouts or more."""
    found = study.further[NAME]
    assert isinstance(found, LayoutsCompared)
    if len(found.layouts) < 2:
        return
    asked = [one for one in found.comparisons if one.measure != "uncertainty" and one.to_read is not None]
    claims = [(verdict(one.to_read, one.p_holm) != "open", _claim(one)) for one in asked]
    within = [_line(one, one.paired) for one in found.comparisons if one.paired is not None]
    apart = [_line(one, one.independent) for one in found.comparisons if one.independent is not None]
    family = max((one.n_family for one in found.comparisons), default=0)
    yield Section(
        NAME,
        TITLE,
        (
            *(line for one in asked if (line := condition_line(one))),
            *_modelled(found),
            *((f"Not compared: {found.reason}.",) if found.reason else ()),
        ),
        tables=(_means(found), *tables(within, apart, "layout", "layouts")),
        notes=(
            _NOT_DRAWN,
            *(
                (f"{count(found.n_unknown, 'answer')} without a layout: not compared.",)
                if found.n_unknown
                else ()
            ),
            *how(within, apart, "layout"),
            *(
                (f"Holm's correction is over the {family} comparisons of layouts, each measure by itself.",)
                if family > 1
                else ()
            ),
            *warned((one.conditions, one.warning) for one in found.comparisons),
            *reasons((one.layout, one.accuracy) for one in found.layouts),
        ),
        figures=tuple(_figures(found, [text for _, text in claims])),
        can_say=tuple(text for is_known, text in claims if is_known),
        not_yet=tuple(text for is_known, text in claims if not is_known),
        methods=tuple(
            text.replace("Conditions", "Layouts of the clips").replace("conditions", "layouts")
            for text in conditions_in_words(found.comparisons, settings.alternative)
        )
        if found.comparisons
        else (),
    )


def _line(one: ConditionComparison, test: Test) -> Line[Test]:
    is_read = test is one.to_read
    return Line(" and ".join(one.conditions), about_condition(one), test, one.p_holm if is_read else None)


def _claim(one: ConditionComparison) -> str:
    """A sentence on two layouts: a difference, none to speak of, or an open question."""
    first, second = one.conditions
    assert one.to_read is not None
    does = f"choose {one.source} over {one.against}" if one.measure == "preference" else "are right"
    beside = size(one.to_read) if value_to_read(one.to_read) else one.reason or "no value"
    beside = f"{beside}, {p_words(one.p_holm)}" if one.p_holm is not None else beside
    found = verdict(one.to_read, one.p_holm)
    if found == "open":
        return (
            f"Whether people {does} more or less often with clips {first} than {second} {NOT_YET}: {beside}."
        )
    if found == "alike":
        return f"People {does} as often with clips {first} as {second}, within {points(SHARE)}: {beside}."
    return f"People {does} {found} often with clips {first} than {second}: {beside}."


def _modelled(found: LayoutsCompared) -> Iterator[str]:
    model = found.mixed
    if model is None or model.intercept is None:
        return
    first = model.conditions[0].condition
    for one in model.conditions:
        if one.log_odds is not None:
            odds = one.log_odds
            yield (
                f"{one.condition} less {first}, right answers over other people and pairs: {signed(odds.value)} log "
                f"odds ({odds.low:z.2f} to {odds.high:z.2f}), {p_words(odds.p)} (mixed model)."
            )


def _means(found: LayoutsCompared) -> Numbers:
    return Numbers(
        "Accuracy in each layout, mean over people, with 95% intervals",
        (
            *names("layout"),
            *counts("people", "answers"),
            column("accuracy", digits=3),
            column("SD (n-1)", digits=3),
        ),
        tuple(
            (one.layout, one.accuracy.n, one.n_answers, measured(one.accuracy), one.accuracy.sd_ddof1)
            for one in found.layouts
        ),
    )


def _figures(found: LayoutsCompared, said: list[str]) -> Iterator[Figure]:
    if all(one.accuracy.mean is None for one in found.layouts):
        return
    fewest = min((one.accuracy for one in found.layouts), key=lambda one: one.n)
    which = listed([one.layout for one in found.layouts])
    yield Figure(
        name=NAME,
        section="bias",
        drawing="marks",
        said=said[0] if said else f"Whether accuracy differs between {which} {NOT_YET}.",
        how="Mean accuracy over the people who answered in each layout of the two clips, with 95% interval.",
        numbers=Numbers(
            "Accuracy by layout",
            (Column("layout", "Layout", "text"), *SHARES, Column("sd_ddof1", "SD (n-1)", "share")),
            tuple(described(one.layout, one.accuracy) for one in found.layouts),
        ),
        marks=tuple(mark(one.layout, one.accuracy, "ink") for one in found.layouts),
        caution=few(fewest.n, "person", fewest),
    )
