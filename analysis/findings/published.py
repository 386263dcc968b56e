"""The published numbers of the Human Navigation Turing Test next to the correct ones, measure by measure."""

from collections.abc import Iterator

from analysis.choice.published import MEASURES, Both, Published
from analysis.findings.model import Numbers, Section
from analysis.findings.tables import words_table
from analysis.reported import Analysis

_NAMES = {
    "accuracy": "Accuracy",
    "uncertainty": "Uncertainty, pairs with a right member",
    "prefers_hybrid": "Choices of the hybrid over the symbolic agent",
}
# The places of the explanations in `what_differs`.
ONE_SIDED, EMPTY_PARTICIPANT, SMALLER_U = "1", "2", "3"


def published(analysis: Analysis) -> Iterator[Section]:
    """A table for each measure with both columns, and the differences in words; nothing for other studies."""
    found = analysis.published
    if found is None:
        return
    first, second = (study.study for study in analysis.studies)
    yield Section(
        "published",
        "As published and corrected",
        (
            f"These are the two studies of the Human Navigation Turing Test ({found.source}). Both columns come "
            "from the same answers: once computed as the paper did, once as is right. The last column gives the point "
            f"below that explains a difference. Where there are two U, the first is that of {first}.",
        ),
        tables=tuple(_table(found, measure, first, second) for measure in MEASURES),
        notes=(f"The majority vote agrees with the truth {found.majority_vote_agrees_with_truth}.",),
        points=found.what_differs,
    )


def _table(found: Published, measure: str, first: str, second: str) -> Numbers:
    printed, right = found.as_published[measure], found.corrected[measure]
    shifted = EMPTY_PARTICIPANT if measure == "prefers_hybrid" else ""
    both_u = f"{_number(right.u1, 1)}, {_number(right.u2, 1)}"
    # Where the corrected SDs are as printed, the result does not repeat them.
    deviations = printed.sd_ddof0, right.sd_ddof0 or printed.sd_ddof0
    one_sided, two_sided = f"{_number(printed.p, 4)} one-sided", f"{_number(right.p_two_sided, 4)} two-sided"
    rows = [
        *_pair(f"mean of {first}", f"mean of {second}", printed.mean, right.mean, 5, shifted),
        *_pair(f"SD (n) of {first}", f"SD (n) of {second}", *deviations, 5, shifted),
        *_pair(f"values of {first}", f"values of {second}", printed.n, right.n, 0, shifted),
        ("U", _number(printed.min_u, 1), both_u, SMALLER_U),
        ("p", one_sided, two_sided, ONE_SIDED),
    ]
    return words_table(_NAMES[measure], ("", "as published", "corrected", "why"), rows)


def _pair(
    first: str, second: str, printed: Both, right: Both, digits: int, why: str
) -> Iterator[tuple[str, ...]]:
    for name, before, after in zip((first, second), printed, right, strict=True):
        yield name, _number(before, digits), _number(after, digits), why if before != after else ""


def _number(value: float | None, digits: int) -> str:
    return "none" if value is None else f"{value:.{digits}f}"
