"""Every number with an interval in a study's further results, by the names that lead to it in its JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from analysis.choice.studies import StudyResult
from analysis.stats.description import Description
from analysis.stats.estimates import Estimate

Measured = Description | Estimate

# In tables of their own.
STUDY_OWN = frozenset(
    {
        "study", "selection", "accuracy", "against_chance", "uncertainty", "uncertainty_trials", "uncertainty_all",
        "preferences", "participants", "participant_preferences", "conditions", "further",
    }
)  # fmt: skip
# One row for each participant, pair or answer: for the files, not for a page.
LONG = frozenset({"participants", "pairs", "participant_preferences", "tasks", "workers"})


def further_estimates(study: StudyResult) -> Iterator[tuple[tuple[str, ...], Measured]]:
    """Every number with an interval of the results that are not among the study's own means."""
    further = ((name, value) for name, value in _parts(study) if name not in STUDY_OWN)
    for name, value in (*further, *study.further.items()):
        yield from estimates(value, (name,))


def estimates(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Measured]]:
    """Every number with an interval in a result, with the names that lead to it in its JSON."""
    if isinstance(value, Description | Estimate):
        yield path, value
    elif isinstance(value, tuple | list):
        for place, item in enumerate(value, start=1):
            yield from estimates(item, (*path, _named(item, place)))
    else:
        for name, part in _parts(value):
            if name not in LONG:
                yield from estimates(part, (*path, name))


def _parts(value: object) -> Iterator[tuple[str, object]]:
    """The fields of a result, the items of a mapping; nothing of a plain value."""
    if is_dataclass(value):
        for field in fields(value):
            yield field.name, getattr(value, field.name)
    elif isinstance(value, Mapping):
        yield from value.items()


def _named(item: object, place: int) -> str:
    """A label of a list item, from its texts; else its place."""
    texts = [
        part for name, part in _parts(item) if isinstance(part, str) and name not in ("reason", "method")
    ]
    return ", ".join(texts) or str(getattr(item, "uncertainty", place))
