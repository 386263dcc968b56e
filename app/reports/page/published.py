"""The published Human Navigation Turing Test beside what is right, measure by measure."""

from collections.abc import Iterator

from analysis import Analysis
from analysis.choice.published import MEASURES, Both, Published
from app.reports.page.views import SectionView, TableView, number

_NAMES = {
    "accuracy": "Accuracy",
    "uncertainty": "Uncertainty, pairs with a right member",
    "prefers_hybrid": "Choices of the hybrid over the symbolic agent",
}
# The places of the explanations in `what_differs`.
ONE_SIDED, EMPTY_PARTICIPANT, SMALLER_U = "1", "2", "3"


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
    both_u = f"{number(right.u1, 1)}, {number(right.u2, 1)}"
    # Where the corrected SDs are as printed, the result does not repeat them.
    deviations = printed.sd_ddof0, right.sd_ddof0 or printed.sd_ddof0
    one_sided, two_sided = f"{number(printed.p, 4)} one-sided", f"{number(right.p_two_sided, 4)} two-sided"
    rows = [
        *_pair(f"mean of {first}", f"mean of {second}", printed.mean, right.mean, 5, shifted),
        *_pair(f"SD (n) of {first}", f"SD (n) of {second}", *deviations, 5, shifted),
        *_pair(f"values of {first}", f"values of {second}", printed.n, right.n, 0, shifted),
        ("U", number(printed.min_u, 1), both_u, SMALLER_U),
        ("p", one_sided, two_sided, ONE_SIDED),
    ]
    head = "", "as published", "corrected", "why"
    return TableView(caption=_NAMES[measure], head=head, rows=tuple(rows), file="results.json")


def _pair(
    first: str, second: str, printed: Both, right: Both, digits: int, why: str
) -> Iterator[tuple[str, ...]]:
    for name, before, after in zip((first, second), printed, right, strict=True):
        yield name, number(before, digits), number(after, digits), why if before != after else ""
