"""The figure of certainty: accuracy at each level, and whether the more certain answers are more often right."""

from collections.abc import Iterator, Sequence

from analysis.choice.certainty import Certainty, Level
from analysis.choice.studies import StudyResult
from analysis.findings.marks import SHARES, described, few, mark, nothing, plain_interval
from analysis.findings.model import Cell, Column, Figure, Numbers, Section
from analysis.findings.rule import Sayings, say
from analysis.findings.tables import Number, column, counts, measured, names, p_values, reasons
from analysis.findings.words import count, exact, percent, sentence, test_beside
from analysis.reported import Settings
from analysis.stats.evidence import NOT_YET, SHARE, evidence


def certainty_figure(one: Certainty, labels: Sequence[str]) -> Figure:
    """Accuracy at each certainty given; `labels` are those of the scale, the most certain first."""
    if not one.levels:
        return nothing(
            "certainty",
            "tell",
            sentence(f"certainty cannot be held against accuracy: {one.reason or 'nobody was asked for it'}"),
            "It takes a question on certainty, and answers to pairs that have a right answer.",
        )
    first, last = one.levels[0], one.levels[-1]
    strong = percent(first.accuracy.mean)
    said = _certainty_said(one, labels)
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
                    _level_name(level, labels),
                    level.n_answers,
                    level.n_correct,
                    level.pooled.value,
                    *described("", level.accuracy)[1:5],
                )
                for level in one.levels
            ),
        ),
        marks=tuple(
            mark(_level_name(level, labels), level.accuracy, beside=f"of {level.n_answers:,}")
            for level in one.levels
        ),
        caution=few(one.n_participants, "person", area) if area.mean is None else "",
    )


def _certainty_said(one: Certainty, labels: Sequence[str]) -> str:
    """By the area within people, which other people at other levels do not move."""
    first, last = one.levels[0], one.levels[-1]
    if first is last:
        return f"All answers have the same certainty: {_level_name(first, labels)}."
    shares = (
        f"{percent(first.accuracy.mean)} right where most certain ({count(first.n_answers, 'answer')}), "
        f"{percent(last.accuracy.mean)} where least ({last.n_answers:,})"
    )
    found, p = evidence(one.auroc.interval, 0.5), one.auroc_against_half.p
    sayings = Sayings(
        more=f"People were right more often where they were more certain: {shares}.",
        less=f"People were right less often where they were more certain: {shares}.",
        alike=f"How certain people were told right from wrong by no more than {exact(SHARE)} of AUC: {shares}.",
        open=f"Whether the more certain answers are more often right {NOT_YET}: {shares}{test_beside(found, p)}.",
    )
    return say(one.auroc.interval, p, sayings, null=0.5).text


def _level_name(level: Level, labels: Sequence[str]) -> str:
    """The label of its point on the scale, or the values it is of."""
    if level.uncertainty is None:
        return f"Certainty {level.name}"
    place = level.uncertainty - 1
    return labels[place].capitalize() if 0 <= place < len(labels) else f"Uncertainty {level.name}"


def certainty(study: StudyResult, settings: Settings) -> Iterator[Section]:
    """From `certainty`: each level, and whether right answers are the more certain."""
    found, title = study.certainty, "Certainty and accuracy"
    if found.reason:
        yield Section("certainty", title, (f"Not defined: {found.reason}.",))
        return
    test = found.auroc_against_half
    rows: list[tuple[str, Number, Cell]] = [
        ("area under the type-2 ROC curve, within participants", found.auroc, test.p),
        ("the same of all answers together", found.auroc_pooled, ""),
        ("Goodman and Kruskal's gamma, within participants", found.gamma, ""),
    ]
    if found.mean:
        rows.insert(0, ("mean certainty, more is more certain", found.mean, ""))
    notes = [
        f"{found.n_all_right} participants who are always right, {found.n_all_wrong} who are always wrong and "
        f"{found.n_constant} who are always equally certain have no such number; "
        f"{found.n_without_uncertainty} answers have no {found.scale}.",
        *([f"The area was not tested against 0.5: {test.reason}."] if test.reason else []),
        *reasons((name, one) for name, one, _ in rows),
    ]
    if found.binned:
        notes.append(
            f"The levels are {len(found.levels)} quantile bins; the areas are of the values as given."
        )
    yield Section(
        "certainty",
        title,
        tables=(
            Numbers(
                "Whether right answers are the more certain: 0.5 of the area and 0 of gamma are no relation",
                (
                    *(*names("number"), *counts("n"), column("value")),
                    *p_values("p against 0.5"),
                ),
                tuple((name, one.n, measured(one), p) for name, one, p in rows),
            ),
            Numbers(
                f"Accuracy by {found.scale}",
                (
                    *names(found.scale),
                    *counts("answers", "participants"),
                    column("accuracy"),
                    column("pooled"),
                ),
                tuple(
                    (one.name, one.n_answers, one.n_participants, measured(one.accuracy), one.pooled.value)
                    for one in found.levels
                ),
            ),
        ),
        notes=tuple(notes),
        methods=tuple(_methods(found)),
    )


def _methods(found: Certainty) -> Iterator[str]:
    named = [
        words
        for words, one in (
            ("the area under each participant's type-2 ROC curve [FL14]", found.auroc),
            ("Goodman and Kruskal's gamma [Nel84]", found.gamma),
        )
        if one.mean is not None
    ]
    if not named:
        return
    pooled = found.auroc_pooled.interval.low is not None
    clusters = "; over all answers the interval takes participants as clusters [Obu97]" if pooled else ""
    yield f"Whether certainty tells right from wrong is {' and '.join(named)}, averaged over participants{clusters}."
