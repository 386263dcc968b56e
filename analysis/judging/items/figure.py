"""Judges of classes and of ratings against the human ceiling, drawn as judges of pairs are."""

from collections.abc import Iterator, Sequence

from analysis.figures.figure import AnyFigure, NoFigure
from analysis.judging.figure import MOST_JUDGES, NAME, TITLE, Block, Line, Panel, drawn_judges
from analysis.judging.items import classes, numbers
from analysis.judging.items.validation import ItemGroup, ItemJudge, ItemMeasure, ItemValidation

MOST_CRITERIA = 8

# Of each measure: its name on the figure, what a judge did in a sentence, and what the axis counts. A correlation that
# takes order alone, and one that takes the scale as well; the others are in the tables.
_DRAWN = {
    classes.ACCURACY: (
        "Names the class of most people",
        "named the class of most people",
        "share of items",
    ),
    classes.KAPPA: ("Cohen's kappa with the class that most people named", "had a kappa", "kappa"),
    numbers.SPEARMAN: (
        "Spearman's correlation with the mean rating",
        "had a Spearman correlation",
        "correlation",
    ),
    numbers.ICC: ("ICC(A,1) with the mean rating, on people's scale", "had an ICC", "intraclass correlation"),
}


def item_judges_figure(validation: ItemValidation) -> AnyFigure:
    """Draw each judge's accuracy and kappa, or Spearman correlation and ICC, over what one rater reaches.

    The unit is the item. Of more than eight judges the first eight are drawn, of more than eight criteria the first
    eight."""
    criteria = validation.criteria[:MOST_CRITERIA]
    panels = [panel for panel in (_panel(criteria, name) for name in _DRAWN) if panel.blocks]
    if not panels:
        return NoFigure(NAME, TITLE, "No judge has a number: there is nothing to draw.")
    return drawn_judges(panels, "item", "judge and criterion", tuple(_left_out(validation)))


def _panel(criteria: Sequence[ItemGroup], name: str) -> Panel:
    blocks = [Block(group.criterion or "All items", tuple(_lines(group, name))) for group in criteria]
    drawn = tuple(block for block in blocks if block.lines)
    ends = [
        end
        for block in drawn
        for line in block.lines
        for one in (line.own, line.ceiling)
        for end in (one.value, one.interval.low)
        if end is not None
    ]
    below = min(ends, default=0.0) < 0
    title, did, axis = _DRAWN[name]
    how = "in " if name == classes.ACCURACY else "of "
    return Panel(title, did, how, axis, drawn, low=-1.0 if below else 0.0, chance=0.0 if below else None)


def _lines(group: ItemGroup, name: str) -> Iterator[Line]:
    for place, judge in enumerate(group.judges[:MOST_JUDGES]):
        found: ItemMeasure | None = judge.measures.get(name)
        if found is not None and found.value.value is not None:
            yield Line(judge_name(judge), place, found.value, found.ceiling)


def judge_name(judge: ItemJudge) -> str:
    """The judge's name, with its run if there are several."""
    return f"{judge.judge}, run {judge.run}" if judge.run else judge.judge


def _left_out(validation: ItemValidation) -> Iterator[str]:
    n_judges = max(len(group.judges) for group in validation.criteria)
    if n_judges > MOST_JUDGES:
        yield f"The first {MOST_JUDGES} of {n_judges} judges are drawn."
    if len(validation.criteria) > MOST_CRITERIA:
        yield f"The first {MOST_CRITERIA} of {len(validation.criteria)} criteria are drawn."
