"""The rows of `ratings`: one for each question answered about an item, from one for each item rated."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import pandas as pd
from sqlalchemy import Select
from sqlmodel import Session

from analysis.data.columns import RATING_COLUMNS, names
from analysis.data.schema import check_rating_rows
from app.questions.base import Question
from app.questions.registry import TYPES, answers_of, parts_of
from app.reports import selects
from app.reports.facts import designs_of
from app.studies.file.design import StudyDesign
from app.studies.queries import study_named

Row = Mapping[Any, Any]

_ROWS_AT_ONCE = 5_000


def selects_of(slug: str, designs: Mapping[int, StudyDesign]) -> tuple[Select[Any], ...]:
    """The statements for `by_rating`: the trials, and the pages about oneself if there are any."""
    asked = any(block.self_assessment for design in designs.values() for block in design.rating_blocks)
    return (selects.ratings(slug), *([selects.self_assessments(slug)] if asked else []))


def by_rating(trials: Iterable[Row], designs: Mapping[int, StudyDesign]) -> Iterator[Row]:
    """One row per question answered about an item, in the order of the study file.

    An imported answer that was asked for and not given is an empty text, and has a row with neither value nor text."""
    asked = {
        (number, block.id): [
            (q, {part.id: _question_fields(part) for part in parts_of(q)}) for q in block.questions
        ]
        for number, design in designs.items()
        for block in design.rating_blocks
    }
    truths = {number: _truths(design) for number, design in designs.items()}
    for row in trials:
        about = {
            **row,
            "condition": row["condition"] or None,
            "group": row["group"] or None,
            **_in_view(row["reading"]),
        }
        is_true = truths.get(row["version"], {}).get((row["block"], row["item"]))
        for question, says in asked.get((row["version"], row["block"]), ()):
            for part, given in answers_of(question, row["answers"].get(question.id)):
                written = TYPES[part.type].written(given)
                is_text = isinstance(written, str)
                yield {
                    **about,
                    **says[part.id],
                    "value": None if is_text else written,
                    "text": (written or None) if is_text else None,
                    "truth": _right(question, is_true),
                }


def _question_fields(question: Question) -> dict[str, Any]:
    """The values common to all rows of a question."""
    type_ = TYPES[question.type]
    low, high = type_.scale(question)
    options = json.dumps(question.options, ensure_ascii=False) if question.options else None
    return {
        "question": question.id,
        "scale_low": low,
        "scale_high": high,
        "level": question.level or type_.level,
        "options": options,
        "ask": question.ask,
    }


def _in_view(reading: Mapping[str, Any] | None) -> dict[str, Any]:
    """The browser's report of how a record or text was read (`app.tasks.rating.evidence.Reading`)."""
    if reading is None:
        return dict.fromkeys(("read_ms", "read_depth", "parts_seen", "parts_ms"))
    parts = reading["parts_ms"]
    return {
        "read_ms": reading["read_ms"],
        "read_depth": reading["depth"],
        "parts_seen": sum(ms > 0 for ms in parts) / len(parts) if parts else None,
        "parts_ms": json.dumps(parts),
    }


def _truths(design: StudyDesign) -> dict[tuple[str, str], bool]:
    """For each block and item, whether the item is of the true source; those without a source are left out."""
    return {
        (block.id, item.id): item.source == design.truth.source
        for block in design.rating_blocks
        for item in block.items
        if item.source
    }


def _right(question: Question, is_true: bool | None) -> str | None:
    if not question.yes_no or is_true is None:
        return None
    return question.options[0 if is_true else 1]


def ratings_frame(session: Session, slug: str) -> pd.DataFrame:
    """A study's ratings, checked, as `read_rating_rows` reads them from a file; none where nothing is rated.

    Raises NotFound for an unknown study.
    """
    study_named(session, slug)
    designs = designs_of(session, slug)
    found = chain.from_iterable(
        session.execute(one.execution_options(yield_per=_ROWS_AT_ONCE)) for one in selects_of(slug, designs)
    )
    cells: dict[str, list[object]] = {name: [] for name in names(RATING_COLUMNS)}
    for row in by_rating((row._mapping for row in found), designs):
        for name, values in cells.items():
            values.append(row[name])
    return check_rating_rows(pd.DataFrame(cells, dtype=object), slug)
