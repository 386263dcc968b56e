"""The figure of certainty: accuracy at each level, and whether the more certain answers are more often right."""

from collections.abc import Sequence

from analysis.choice.certainty import Certainty, Level
from analysis.stats.evidence import NOT_YET, SHARE, evidence, with_test
from app.reports.results.marks import SHARES, described, few, mark, nothing, plain_interval
from app.reports.results.view import Column, Figure, Numbers
from app.reports.results.words import count, exact, percent, sentence, test_beside


def certainty_figure(one: Certainty, names: Sequence[str]) -> Figure:
    """Accuracy at each certainty given; `names` are the labels of the scale, the most certain first."""
    if not one.levels:
        return nothing(
            "certainty",
            "tell",
            sentence(f"certainty cannot be held against accuracy: {one.reason or 'nobody was asked for it'}"),
            "It takes a question on certainty, and answers to pairs that have a right answer.",
        )
    first, last = one.levels[0], one.levels[-1]
    strong = percent(first.accuracy.mean)
    said = _certainty_said(one, names)
    area = one.auroc
    within = (
        f" Within a person, a right answer was the more certain one with probability {exact(area.mean)} "
        f"({plain_interval(area)}); 0.5 is no relation."
        if area.mean is not None
        else ""
    )
    return Figure(
        name="certainty",
        column="answers",
        section="tell",
        drawing="marks",
        said=said,
        strong="" if first is last else strong,
        how="Share of right answers at each level of certainty: mean over the people who used it, with 95% interval."
        + within,
        numbers=Numbers(
            "Right answers by certainty",
            (
                Column(one.scale, one.scale.capitalize(), "text"),
                Column("label", "Label", "text"),
                Column("answers", "Answers", "count"),
                Column("right", "Right", "count"),
                Column("share", "Share of answers", "share"),
                *SHARES,
            ),
            tuple(
                (
                    level.name,
                    _level_name(level, names),
                    level.n_answers,
                    level.n_correct,
                    level.pooled.value,
                    *described("", level.accuracy)[1:5],
                )
                for level in one.levels
            ),
        ),
        marks=tuple(
            mark(_level_name(level, names), level.accuracy, beside=f"of {level.n_answers:,}")
            for level in one.levels
        ),
        caution=few(one.n_participants, "person", area) if area.mean is None else "",
    )


def _certainty_said(one: Certainty, names: Sequence[str]) -> str:
    """By the area within people, which other people at other levels do not move."""
    first, last = one.levels[0], one.levels[-1]
    if first is last:
        return f"All answers have the same certainty: {_level_name(first, names)}."
    shares = (
        f"{percent(first.accuracy.mean)} right where most certain ({count(first.n_answers, 'answer')}), "
        f"{percent(last.accuracy.mean)} where least ({last.n_answers:,})"
    )
    found, p = evidence(one.auroc.interval, 0.5), one.auroc_against_half.p
    match with_test(found, p):
        case "more":
            return f"People were right more often where they were more certain: {shares}."
        case "less":
            return f"People were right less often where they were more certain: {shares}."
        case "alike":
            return f"How certain people were told right from wrong by no more than {exact(SHARE)} of AUC: {shares}."
    return (
        f"Whether the more certain answers are more often right {NOT_YET}: {shares}{test_beside(found, p)}."
    )


def _level_name(level: Level, names: Sequence[str]) -> str:
    """The label of its point on the scale, or the values it is of."""
    if level.uncertainty is None:
        return f"Certainty {level.name}"
    place = level.uncertainty - 1
    return names[place].capitalize() if 0 <= place < len(names) else f"Uncertainty {level.name}"
