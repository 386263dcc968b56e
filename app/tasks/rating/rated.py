"""The rows of `ratings`: one for each question answered about an item, from one for each item rated."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, String, and_, cast, func, literal, null, select
from sqlalchemy.orm import aliased
from sqlmodel import col

from analysis.data.columns import SELF
from app.exports.rows import VERDICTS, answered_rows, excluded, session_tables, who, with_exclusion
from app.exports.tables import ByArm, Design, Designs, OfStudy
from app.library.tables import Stimulus
from app.questions.base import Question
from app.questions.registry import TYPES, answers_of, parts_of
from app.tasks.rating.settings import RatingDesign
from app.trials.design import PageKey, Slot
from app.trials.responses import Evidence, Response
from app.trials.tables import ParticipantSession, Study, Unit, UnitMember

Row = Mapping[Any, Any]

_ROWS_AT_ONCE = 5_000


_s = ParticipantSession
_item, _of_a_pair, _shown = aliased(UnitMember), aliased(UnitMember), aliased(Stimulus)
_evidence_item = aliased(Evidence)
_SELF_PAGE = f"{PageKey('self')}-"


def ratings(slug: str) -> Select[Any]:
    """One row per item rated; `app.reports.export` makes one row per question of it. Pairs have no part in it."""
    own: list[ColumnElement[Any]] = [
        col(Unit.name).label("item"),
        col(Unit.condition).label("condition"),
        col(_shown.name).label("stimulus"),
        col(_shown.source).label("source"),
        col(Unit.item_group).label("group"),
        col(_evidence_item.watched).label("watched"),
        col(_evidence_item.hidden_ms).label("hidden_ms"),
        col(_evidence_item.reading).label("reading"),
        col(Response.answers).label("answers"),
    ]
    return (
        answered_rows(slug, own)
        .outerjoin(_of_a_pair, and_(col(_of_a_pair.unit_id) == col(Unit.id), col(_of_a_pair.slot) == Slot.A))
        .outerjoin(_item, and_(col(_item.unit_id) == col(Unit.id), col(_item.slot) == Slot.ITEM))
        .outerjoin(_shown, col(_shown.id) == col(_item.stimulus_id))
        .outerjoin(
            _evidence_item,
            and_(col(_evidence_item.response_id) == col(Response.id), col(_evidence_item.slot) == Slot.ITEM),
        )
        .where(col(_of_a_pair.unit_id).is_(None))
    )


def self_assessments(slug: str) -> Select[Any]:
    """Like `ratings`, one row per page of questions about oneself; it has no item."""
    block = func.substr(col(Response.page), len(_SELF_PAGE) + 1)
    nothing = (
        "position",
        "item",
        "condition",
        "stimulus",
        "source",
        "group",
        "watched",
        "hidden_ms",
        "reading",
    )
    columns = [
        *who(),
        block.label("block"),
        # A trial of their own keeps `trial` and `question` a key of the table (decision 0024).
        (literal(_SELF_PAGE) + cast(col(_s.id), String) + literal("-") + block).label("trial"),
        literal(SELF).label("kind"),
        *(null().label(name) for name in nothing),
        col(Response.rt_ms).label("rt_ms"),
        col(Response.shown_at).label("shown_at"),
        col(Response.answered_at).label("answered_at"),
        col(Response.raised).label("flags"),
        excluded.label("excluded"),
        *VERDICTS,
        col(Response.answers).label("answers"),
    ]
    pages = select(*columns).select_from(Response).join(_s, col(_s.id) == col(Response.session_id))
    return (
        with_exclusion(session_tables(pages))
        .where(col(Study.slug) == slug, col(Response.page).startswith(_SELF_PAGE, autoescape=True))
        .order_by(col(_s.id), col(Response.id))
    )


def selects_of(study: OfStudy) -> tuple[Select[Any], ...]:
    """The statements for `by_rating`: the trials, and the pages about oneself if there are any."""
    asked = any(block.self_assessment for block in study.blocks("rating").values())
    return (ratings(study.slug), *([self_assessments(study.slug)] if asked else []))


def rating_blocks(design: Design) -> Sequence[RatingDesign]:
    """The blocks of a version in which items are rated."""
    return [block for block in design.blocks if isinstance(block, RatingDesign)]


def by_rating(trials: Iterable[Row], designs: Designs) -> Iterator[Row]:
    """One row per question answered about an item, in the order of the study file.

    An imported answer that was asked for and not given is an empty text, and has a row with neither value nor text."""
    asked = ByArm(designs, _asked)
    truths = {number: _truths(design) for number, design in designs.items()}
    for row in trials:
        about = {
            **row,
            "condition": row["condition"] or None,
            "group": row["group"] or None,
            **_in_view(row["reading"]),
        }
        is_true = truths.get(row["version"], {}).get((row["block"], row["item"]))
        for question, says in (asked.of(row) or {}).get(row["block"], ()):
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


def _asked(design: Design) -> Mapping[str, Sequence[tuple[Question, Mapping[str, Row]]]]:
    """The questions of each block, with the values common to all rows of each of their parts."""
    return {
        block.id: [(q, {part.id: _question_fields(part) for part in parts_of(q)}) for q in block.questions]
        for block in rating_blocks(design)
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


def _truths(design: Design) -> dict[tuple[str, str], bool]:
    """For each block and item, whether the item is of the true source; those without a source are left out."""
    return {
        (block.id, item.id): item.source == design.true_source
        for block in rating_blocks(design)
        for item in block.items
        if item.source
    }


def _right(question: Question, is_true: bool | None) -> str | None:
    if not question.yes_no or is_true is None:
        return None
    return question.options[0 if is_true else 1]
