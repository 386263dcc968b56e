"""Figures 9 and 10 of the paper: accuracy and rank correlation by model, of pairs with a person and pairs of agents."""

from collections.abc import Iterator, Sequence

from analysis import words
from analysis.figures.figure import AnyFigure, NoFigure
from analysis.judging.figure import MOST_JUDGES, Block, Line, Panel, drawn_judges
from analysis.judging.measures import Group, Measure
from analysis.judging.sample import IDENTITY, LABELS, RANK
from analysis.judging.validation import JudgeResult, JudgeValidation

ACCURACY = "accuracy-by-model", "Accuracy by model"
RANKS = "rank-by-model", "Rank correlation by model"
_CLASSES = {"human-agent": "A person and an agent", "agent-agent": "Two agents"}
_PUBLISHED = "as published, mean over runs", "SD over runs"


def accuracy_figure(validation: JudgeValidation) -> AnyFigure:
    """Draw how often each judge finds the person and names people's majority [NTT21]_, figure 9.

    Ties count a half, as everywhere here; the paper's reading, with a coin, is in the table of numbers. The band is one
    participant against the others, on the pairs that the judge judged. Of more judges the first eight are drawn."""
    panels = [
        _panel(validation, IDENTITY, "Finds the person", "found the person", list(_CLASSES)[:1]),
        _panel(
            validation,
            LABELS,
            "Agrees with the majority of people",
            "agreed with the majority",
            list(_CLASSES),
        ),
    ]
    return _figure(validation, panels, ACCURACY)


def rank_figure(validation: JudgeValidation) -> AnyFigure:
    """Draw Spearman's correlation of people's shares with each judge's scores [NTT21]_, figure 10, from -1 to 1."""
    panel = _panel(
        validation, RANK, "Ranks pairs as people do", "ranked pairs as people do", list(_CLASSES),
        axis="Spearman's correlation", low=-1.0, chance=0.0,
    )  # fmt: skip
    return _figure(validation, [panel], RANKS)


def _figure(validation: JudgeValidation, panels: Sequence[Panel], named: tuple[str, str]) -> AnyFigure:
    drawn = [panel for panel in panels if panel.blocks]
    if not drawn:
        return NoFigure(*named, "No judge has a number of this kind: there is nothing to draw.")
    n = len(validation.judges)
    left_out = [f"The first {MOST_JUDGES} of {n} judges are drawn."] if n > MOST_JUDGES else []
    return drawn_judges(drawn, "pair", "judge and kind of pair", left_out, named, _PUBLISHED)


def _panel(
    validation: JudgeValidation,
    measure: str,
    title: str,
    did: str,
    classes: Sequence[str],
    *,
    axis: str = "share of pairs",
    low: float = 0.0,
    chance: float = 0.5,
) -> Panel:
    judges = validation.judges[:MOST_JUDGES]
    blocks = [Block(_CLASSES[name], tuple(_lines(judges, name, measure))) for name in classes]
    how = "in " if measure != RANK else "by "
    return Panel(title, did, how, axis, tuple(block for block in blocks if block.lines), low, chance)


def _lines(judges: Sequence[JudgeResult], name: str, measure: str) -> Iterator[Line]:
    for place, judge in enumerate(judges):
        found = _measure(judge.groups, name, measure)
        if found is not None and found.corrected.value is not None:
            own = found.as_published
            more = (words.number(own.value, 3), words.number(own.sd_ddof0, 3)) if own else ("", "")
            yield Line(judge.judge, place, found.corrected, found.ceiling, more)


def _measure(groups: Sequence[Group], name: str, measure: str) -> Measure | None:
    return next(
        (group.measures[measure] for group in groups if (group.scope, group.name) == ("class", name)), None
    )
