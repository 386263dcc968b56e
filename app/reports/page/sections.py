"""The further results of a study, or of all, as sections.

`PARTS` says how. A result of another name gets a section without a change here: each of its numbers with an interval
in a table, each list of plain rows as one. Only this walks over the fields of a result.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass

import pandas as pd

from analysis import Analysis
from analysis.choice.studies import StudyResult
from analysis.results import Result, table_rows
from analysis.stats.description import Description
from analysis.stats.estimates import Estimate
from app.reports.page.answers import accuracy_part, bias_part, breakdown_part, certainty_part, ties_part
from app.reports.page.compared import conditions_part
from app.reports.page.models import agreement_part, labels_part, sources_part
from app.reports.page.views import (
    NONE,
    Measured,
    SectionView,
    TableView,
    as_sentence,
    interval,
    number,
    reasons,
    shortened,
    value_of,
)

Part = Callable[[StudyResult], Iterator[SectionView]]

# Shown by other sections of the page.
STUDY_OWN = frozenset(
    {
        "study", "selection", "accuracy", "against_chance", "uncertainty", "uncertainty_trials", "uncertainty_all",
        "preferences", "participants", "participant_preferences", "conditions",
    }
)  # fmt: skip
OWN = frozenset({"settings", "studies", "comparisons", "labels", "published", "several", "mixed_differences"})

# The results that a part shows, and the part.
PARTS: Sequence[tuple[tuple[str, ...], Part]] = (
    (("conditions",), conditions_part),
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


def study_sections(study: StudyResult) -> Iterator[SectionView]:
    """A section for each further result of a study."""
    for _, part in PARTS:
        yield from part(study)
    yield from others(study, STUDY_OWN.union(*(names for names, _ in PARTS)))


def analysis_sections(analysis: Analysis) -> Iterator[SectionView]:
    """A section for each further result over all studies."""
    for place, section in enumerate(others(analysis, OWN), start=1):
        yield section.with_id(f"further-{place}")


def others(result: Result, shown: frozenset[str]) -> Iterator[SectionView]:
    """A section for each field that is not among `shown`."""
    for name, value in _parts(result):
        if name in shown:
            continue
        found = [(_said(path), one) for path, one in estimates(value)]
        tables = [*_numbers(found), *_lists(name, value)]
        notes = [*reasons(found), *_words_of(value)]
        if tables or notes:
            yield SectionView("", _title(name), tables=tuple(tables), notes=tuple(notes))


def further_estimates(study: StudyResult) -> Iterator[tuple[tuple[str, ...], Measured]]:
    """Every number with an interval of the results that are not among the study's own means."""
    for name, value in _parts(study):
        if name not in STUDY_OWN:
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
    """What a list's item is of, by its texts."""
    texts = [
        part for name, part in _parts(item) if isinstance(part, str) and name not in ("reason", "method")
    ]
    return ", ".join(texts) or str(getattr(item, "uncertainty", place))


def _numbers(found: Sequence[tuple[str, Measured]]) -> Iterator[TableView]:
    rows = [(name, str(one.n), number(value_of(one)), interval(one.interval)) for name, one in found]
    if rows:
        head = "number", "n", "value", "95% interval"
        yield shortened("Each number with its n and its 95% interval", head, rows, file="results.json")


def _lists(name: str, value: object) -> Iterator[TableView]:
    """Each list of plain rows as a table."""
    if isinstance(value, pd.DataFrame | tuple | list):
        if rows := _plain_rows(value):
            yield _table(name, rows)
    elif not isinstance(value, Description | Estimate):
        for key, part in _parts(value):
            if key not in LONG:
                yield from _lists(key, part)


def _plain_rows(value: pd.DataFrame | Sequence[object]) -> Sequence[Mapping[str, object]]:
    if isinstance(value, pd.DataFrame):
        return table_rows(value)
    rows = [dict(_parts(item)) for item in value]
    return [row for row in rows if row and not any(map(_is_deep, row.values()))]


def _is_deep(cell: object) -> bool:
    return isinstance(cell, Mapping | list | tuple | pd.DataFrame) or is_dataclass(cell)


def _table(key: str, rows: Sequence[Mapping[str, object]]) -> TableView:
    columns = [column for column in rows[0] if any(row.get(column) is not None for row in rows)]
    shown = [tuple(_cell(row.get(column)) for column in columns) for row in rows]
    n_names = sum(isinstance(rows[0].get(column), str) for column in columns)
    head = [column.replace("_", " ") for column in columns]
    return shortened(_title(key), head, shown, n_names=max(1, n_names), file="results.json")


def _cell(value: object) -> str:
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if isinstance(value, float) else str(value)


def _words_of(value: object) -> Iterator[str]:
    found = dict(_parts(value))
    for key in ("warning", "reason"):
        if isinstance(text := found.get(key), str):
            yield as_sentence(text)


def _said(path: Sequence[str]) -> str:
    return ": ".join(key.replace("_", " ") for key in path if key) or "it"


def _title(key: str) -> str:
    words = key.replace("_", " ")
    return f"{words[:1].upper()}{words[1:]}"
