"""The published Human Navigation Turing Test beside what is right, measure by measure."""

from collections.abc import Iterator, Mapping
from typing import Any

from analysis import Analysis
from analysis.published import MEASURES, Published
from app.reporting.reports.views import SectionView, TableView, number

_NAMES = {
    "accuracy": "Accuracy",
    "uncertainty": "Uncertainty, pairs with a right member",
    "prefers_hybrid": "Choices of the hybrid over the symbolic agent",
}
# The places of the explanations in `what_differs`.
ONE_SIDED, EMPTY_PARTICIPANT, SMALLER_U = "1", "2", "3"

Numbers = Mapping[str, Any]


def published_section(analysis: Analysis) -> Iterator[SectionView]:
    """A table for each measure with both columns, and the differences in words; nothing for other studies."""
    if analysis.published is None:
        return
    published = analysis.published
    first, second = (study.study for study in analysis.studies)
    yield SectionView(
        id="published",
        title="As published and corrected",
        paragraphs=(
            f"These are the two studies of the Human Navigation Turing Test ({published.source}). Both columns come "
            "from the same answers: once computed as the paper did, once as is right. The last column gives the point "
            f"below that explains a difference. Where there are two U, the first is that of {first}.",
        ),
        tables=tuple(_table(published, measure, first, second) for measure in MEASURES),
        notes=(f"The majority vote agrees with the truth {published.majority_vote_agrees_with_truth}.",),
        points=published.what_differs,
    )


def _table(published: Published, measure: str, first: str, second: str) -> TableView:
    printed, right = published.as_published[measure], published.corrected[measure]
    shifted = EMPTY_PARTICIPANT if measure == "prefers_hybrid" else ""
    rows = [
        *_pair(f"mean of {first}", f"mean of {second}", printed["mean"], right["mean"], 5, shifted),
        *_pair(f"SD (n) of {first}", f"SD (n) of {second}", *_deviations(printed, right), 5, shifted),
        *_pair(f"values of {first}", f"values of {second}", printed["n"], right["n"], 0, shifted),
        (
            "U",
            f"{number(printed['min_u'], 1)}",
            f"{number(right['u1'], 1)}, {number(right['u2'], 1)}",
            SMALLER_U,
        ),
        (
            "p",
            f"{number(printed['p'], 4)} one-sided",
            f"{number(right['p_two_sided'], 4)} two-sided",
            ONE_SIDED,
        ),
    ]
    return TableView(
        caption=_NAMES[measure],
        head=("", "as published", "corrected", "why"),
        rows=tuple(rows),
        file="results.json",
    )


def _deviations(printed: Numbers, right: Numbers) -> tuple[list[float | None], list[float | None]]:
    """Where the corrected SDs are as printed, the result does not repeat them."""
    return printed["sd_ddof0"], right.get("sd_ddof0", printed["sd_ddof0"])


def _pair(
    first: str,
    second: str,
    printed: list[float | None],
    right: list[float | None],
    digits: int,
    why: str,
) -> Iterator[tuple[str, ...]]:
    for name, before, after in zip((first, second), printed, right, strict=True):
        yield name, number(before, digits), number(after, digits), why if before != after else ""
