"""The further results of a study, or of all, as sections.

`PARTS` says how. A result of another name gets a section without a change here: each of its numbers with an interval
in a table, each list of plain rows as one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from app.reporting.reports.parts.accuracy import accuracy_part
from app.reporting.reports.parts.agreement import agreement_part
from app.reporting.reports.parts.answers import bias_part, breakdown_part, certainty_part, ties_part
from app.reporting.reports.parts.cells import Cells, as_sentence, reasons, shortened, value_of
from app.reporting.reports.parts.models import labels_part, sources_part
from app.reporting.reports.views import NONE, SectionView, TableView, limits, number

Part = Callable[[Cells], Iterator[SectionView]]

# Shown by other sections of the page.
STUDY_OWN = frozenset(
    {"study", "selection", "accuracy", "uncertainty", "uncertainty_all", "preferences", "participants"}
)
OWN = frozenset(
    {
        "format", "settings", "studies", "comparisons", "labels", "as_published", "corrected", "what_differs",
        "majority_vote_agrees_with_truth", "published_source", "several", "mixed_differences",
    }
)  # fmt: skip

# The results that a part shows, all of which it needs, and the part.
PARTS: Sequence[tuple[tuple[str, ...], Part]] = (
    (("two_way", "pooled", "mixed"), accuracy_part),
    (("ties",), ties_part),
    (("certainty",), certainty_part),
    (("bias",), bias_part),
    (("agreement",), agreement_part),
    (("dawid_skene",), labels_part),
    (("bradley_terry",), sources_part),
    (("breakdowns",), breakdown_part),
)

# One row for each participant, pair or answer: for the files, not for a page.
LONG = frozenset({"participants", "pairs", "participant_preferences", "tasks", "workers"})


def study_sections(numbers: Cells) -> Iterator[SectionView]:
    """A section for each further result of a study, from its JSON."""
    shown = set(STUDY_OWN)
    for names, part in PARTS:
        if all(name in numbers for name in names):
            shown |= {*names}
            yield from part(numbers)
    yield from others(numbers, shown)


def analysis_sections(numbers: Cells) -> Iterator[SectionView]:
    """A section for each further result over all studies, from the analysis' JSON."""
    for place, section in enumerate(others(numbers, OWN), start=1):
        yield section.with_id(f"further-{place}")


def others(numbers: Cells, shown: set[str] | frozenset[str]) -> Iterator[SectionView]:
    """A section for each result that is not among `shown`."""
    for name, section in numbers.items():
        if name in shown or not isinstance(section, Mapping | list) or not section:
            continue
        found = [(_said(path), one) for path, one in estimates(section)]
        tables = [*_numbers(found), *_lists(name, section)]
        notes = [*reasons(found), *_words_of(section)]
        if tables or notes:
            yield SectionView("", _title(name), tables=tuple(tables), notes=tuple(notes))


def estimates(section: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Cells]]:
    """Every number with an interval in a result's JSON, with the keys that lead to it."""
    if isinstance(section, list):
        for place, item in enumerate(section, start=1):
            yield from estimates(item, (*path, _named(item, place)))
        return
    if not isinstance(section, Mapping):
        return
    if _is_estimate(section):
        yield path, section
    for key, value in section.items():
        if key not in LONG and key != "interval":
            yield from estimates(value, (*path, key))


def _is_estimate(section: Cells) -> bool:
    return "interval" in section and ("value" in section or "mean" in section)


def _named(item: Any, place: int) -> str:
    """What a list's item is of, by its texts."""
    if not isinstance(item, Mapping):
        return str(place)
    texts = [
        str(value)
        for key, value in item.items()
        if isinstance(value, str) and key not in ("reason", "method")
    ]
    return ", ".join(texts) or str(item.get("uncertainty", place))


def _numbers(found: Sequence[tuple[str, Cells]]) -> Iterator[TableView]:
    rows = [
        (name, str(one["n"]), number(value_of(one)), limits(one["interval"]["low"], one["interval"]["high"]))
        for name, one in found
    ]
    if rows:
        head = "number", "n", "value", "95 % interval"
        yield shortened("Each number with its n and its 95 % interval", head, rows, file="results.json")


def _lists(name: str, section: Any) -> Iterator[TableView]:
    """Each list of plain rows as a table."""
    for key, value in section.items() if isinstance(section, Mapping) else [(name, section)]:
        if key in LONG:
            continue
        if isinstance(value, Mapping) and not _is_estimate(value):
            yield from _lists(key, value)
        elif isinstance(value, list):
            rows = [
                item for item in value if isinstance(item, Mapping) and not any(map(_is_deep, item.values()))
            ]
            if rows:
                yield _rows(key, rows)


def _is_deep(cell: Any) -> bool:
    return isinstance(cell, Mapping | list)


def _rows(key: str, rows: Sequence[Cells]) -> TableView:
    columns = [column for column in rows[0] if any(row.get(column) is not None for row in rows)]
    shown = [tuple(_cell(row.get(column)) for column in columns) for row in rows]
    n_names = sum(isinstance(rows[0].get(column), str) for column in columns)
    head = [column.replace("_", " ") for column in columns]
    return shortened(_title(key), head, shown, n_names=max(1, n_names), file="results.json")


def _cell(value: Any) -> str:
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if isinstance(value, float) else str(value)


def _words_of(section: Any) -> Iterator[str]:
    if isinstance(section, Mapping):
        for key in ("warning", "reason"):
            if isinstance(text := section.get(key), str):
                yield as_sentence(text)


def _said(path: Sequence[str]) -> str:
    return ": ".join(key.replace("_", " ") for key in path if key) or "it"


def _title(key: str) -> str:
    words = key.replace("_", " ")
    return f"{words[:1].upper()}{words[1:]}"
