"""Classes of items on the results page: how often each was given, and how far raters agree."""

from collections.abc import Iterator, Sequence

from analysis.findings.marks import estimated, nothing, plain_interval
from analysis.findings.model import Column, Figure, Mark, Numbers, Piece
from analysis.findings.words import ends_of, exact, percent, sentence
from analysis.ratings.scores import CriterionResult

MOST_CLASSES = 11


def classes_figure(name: str, section: str, criteria: Sequence[CriterionResult]) -> Figure:
    """The figure of class frequencies: a bar for each criterion with few classes."""
    first = criteria[0]
    most = max(first.classes, key=lambda each: each.n)
    drawn = [one for one in criteria if len(one.classes) <= MOST_CLASSES]
    by = f" by {first.criterion}" if len(criteria) > 1 else ""
    return Figure(
        name=name,
        section=section,
        drawing="stacks" if drawn else "none",
        said=f"The class given most often{by} is {most.name}: {percent(most.share)} of answers.",
        strong=most.name,
        how="How often each class was given, in the order of the names." if drawn else "",
        numbers=Numbers(
            "How often each class was given",
            (
                Column("criterion", "Criterion", "text"),
                Column("class", "Class", "text"),
                Column("n", "Answers", "count"),
                Column("share", "Share", "share"),
            ),
            tuple((one.criterion, each.name, each.n, each.share) for one in criteria for each in one.classes),
        ),
        marks=tuple(
            Mark(
                one.criterion, None, None, None, f"{one.n:,}", "answers", "ink", pieces=tuple(_pieces(one)),
                spoken=f"{one.criterion}: " + ", ".join(f"{each.name} {percent(each.share)}" for each in one.classes),
            )
            for one in drawn
        ),
        chance=None,
    )  # fmt: skip


def _pieces(one: CriterionResult) -> Iterator[Piece]:
    before = 0.0
    for number, each in enumerate(one.classes):
        depth = 0.15 + 0.85 * number / max(1, len(one.classes) - 1)
        yield Piece(each.name, before, each.share, round(depth, 2))
        before += each.share


def class_agreement_figure(name: str, section: str, criteria: Sequence[CriterionResult]) -> Figure:
    """Chance-corrected agreement on classes."""
    rows = [
        (f"{one.criterion}: {label}" if len(criteria) > 1 else label, value)
        for one in criteria
        for label, value in (
            ("Krippendorff's alpha", one.agreement.alpha),
            ("Fleiss' kappa", one.agreement.kappa),
            ("Gwet's AC1", one.agreement.ac1),
        )
    ]
    known = [(label, one) for label, one in rows if one.value is not None]
    if not known:
        return nothing(name, section, sentence(f"agreement cannot be measured: {rows[0][1].reason}"), "")
    below = min(end for _, one in known for end in (one.value, one.interval.low) if end is not None) < 0
    return Figure(
        name=name,
        section=section,
        drawing="marks",
        said=f"{known[0][0]} is {exact(known[0][1].value)}.",
        strong=exact(known[0][1].value),
        how="Agreement of raters on the class of an item, with 95% interval over items: 0 is chance, 1 is agreement "
        "on everything.",
        numbers=Numbers(
            "Agreement of raters",
            (
                Column("coefficient", "Coefficient", "text"),
                Column("items", "Items", "count"),
                Column("value", "Value"),
                Column("ci_low", "from"),
                Column("ci_high", "to"),
            ),
            tuple((label, *estimated(one)) for label, one in rows),
        ),
        marks=tuple(
            Mark(
                label, one.value, *ends_of(one), exact(one.value), plain_interval(one), "ink",
                spoken=f"{label}: {exact(one.value)}, {plain_interval(one)}",
            )
            for label, one in known
        ),
        chance=0.0 if below else None,
        even="0",
        scale=(-1.0 if below else 0.0, 1.0),
        ends=("-1" if below else "0", "1"),
    )  # fmt: skip
