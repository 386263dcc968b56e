"""Two records or texts side by side: their page, and the evidence of reading each.

The two are shown and recorded as a single one is on the rating page (`app.tasks.rating`).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

from sqlmodel import Session

from app.core.language import gettext as _
from app.library.kinds import StimulusKind
from app.questions.base import OptionView, QuestionView
from app.questions.registry import views
from app.questions.sides import Side
from app.tasks.base import AnswerParts
from app.tasks.pair import queries
from app.tasks.pair.design import Member, PairPlan, chosen_by, member_at
from app.tasks.pair.settings import PairDesign
from app.tasks.rating.content import Content, content_of
from app.tasks.rating.evidence import Reading, ReadingReport, evidence_of, examine_reading, read_reading
from app.tasks.rating.views import RecordView, record_view
from app.trials.answers import Answers
from app.trials.design import Kind
from app.trials.evidence import MAX_TEXT, waited_ms
from app.trials.flags import joined
from app.trials.here import Where
from app.trials.pages import Page
from app.trials.places import Place
from app.trials.tables import Mode


@dataclass(frozen=True, slots=True)
class Compared:
    """The content of a trial by side; `expected` is the truth of an attention check, None for every other trial."""

    left: Member
    members: Mapping[Member, Content]
    expected: Member | None = None

    def at(self, side: Side) -> Content:
        return self.members[member_at(side, self.left)]


@dataclass(frozen=True, slots=True)
class ReadView:
    """The content of one side: exactly one of `record` and `text` (HTML)."""

    side: Side
    record: RecordView | None
    text: str


@dataclass(frozen=True, slots=True)
class ComparedPage(Page):
    """Two records or texts and the questions about them.

    Posts the questions' ids (the 2afc question as on the page of two clips), `submit_id`, `rt_ms`, and `reading` (JSON:
    the parts in view on each side). `key` is as on that page.
    """

    template: ClassVar[str] = "compare.html"
    key: str = ""
    number: int = 1
    total: int = 1
    practice: bool = False
    noun: str = "record"
    sides: tuple[ReadView, ...] = ()


def compared_of(session: Session, where: Where) -> Compared:
    """The content of the current trial; a side without content is an empty text."""
    place = {"session_id": where.session_id, "position": where.page.position}
    rows = session.connection().execute(queries.CONTENTS_AT, place).all()
    is_check = rows[0].kind == Kind.ATTENTION and rows[0].truth
    return Compared(
        PairPlan.of(rows[0].plan).left,
        {Member(row.slot): content_of("", row.stimulus_kind, row.content or "") for row in rows},
        Member(rows[0].truth) if is_check else None,
    )


def compared_page(design: PairDesign, place: Place, frame: Mapping[str, Any], own: Compared) -> ComparedPage:
    part, position = place.part, place.page.position
    noun = "record" if design.shows is StimulusKind.RECORD else "text"
    return ComparedPage(
        **frame,
        key=place.key,
        number=part.number(position),
        total=part.total(position),
        practice=part.is_practice(position),
        noun=noun,
        sides=tuple(_view(side, own.at(side)) for side in Side),
        questions=tuple(
            _with_noun(view, noun) for view in views(design.trials.questions, place.form, place.errors)
        ),
    )


def _view(side: Side, one: Content) -> ReadView:
    return ReadView(side, record_view(one.record) if one.record else None, one.html)


def _with_noun(question: QuestionView, noun: str) -> QuestionView:
    """The question; a choice names the kind of stimulus, other questions are unchanged."""
    if question.widget != "sides":
        return question
    left, right = (
        (_("Left record"), _("Right record")) if noun == "record" else (_("Left text"), _("Right text"))
    )
    sides = (OptionView(Side.LEFT, left, noun), OptionView(Side.RIGHT, right, noun))
    return replace(question, options=(*sides, *question.options[len(sides) :]))


def taken(
    session: Session,
    where: Where,
    own: Compared,
    answers: Answers,
    form: Mapping[str, str],
    now: datetime,
) -> AnswerParts:
    """An answer, with the browser's report of reading each side. A faulty report never costs the answer."""
    reports = read_sides(form, {side: own.at(side).n_parts for side in Side})
    waited = waited_ms(session, where.session_id, where.shown_at, now)
    readings = {side: report.reading for side, report in reports.items() if report.reading}
    both = _together(reports)
    finding = examine_reading(
        both,
        sum(one.n_words for one in own.members.values()),
        waited_ms=waited,
        served=where.shown_at is not None,
        simulated=where.mode == Mode.SIMULATED,
        attentive=_is_attentive(answers.side, own),
    )
    assert where.trial is not None
    values = {
        "trial_id": where.trial.id,
        "unplayable": False,
        "rt_ms": both.rt_ms,
        "flags": list(both.words),
        "odd_playback": both.odd,
        "raised": joined(finding.raised),
        "unwatched": finding.unwatched,
        "layout": next((reading.layout for reading in readings.values()), None),
        "opened_ms": None,
        "interval_ms": waited if where.shown_at else None,
        "fetched_a": None,
        "fetched_b": None,
    }
    evidence = {member_at(side, own.left).value: evidence_of(reading) for side, reading in readings.items()}
    return AnswerParts(answers, values, evidence)


def _is_attentive(side: str | None, own: Compared) -> bool | None:
    return chosen_by(side, own.left) == own.expected if side and own.expected else None


def read_sides(form: Mapping[str, str], n_parts: Mapping[Side, int | None]) -> Mapping[Side, ReadingReport]:
    """Parse the form's `reading`, `{"left": ..., "right": ...}`, and `rt_ms` leniently; each flag ends in its side,
    except those about time.
    """
    reported = _by_side(form.get("reading", ""))
    return {
        side: _of_side(read_reading({**form, "reading": reported.get(side, "")}, n), side, form)
        for side, n in n_parts.items()
    }


def _by_side(text: str) -> Mapping[str, str]:
    """The report of each side as text; where the whole cannot be read, it stands for both."""
    try:
        found = json.loads(text) if len(text) <= MAX_TEXT else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return dict.fromkeys(Side, text)
    return {side: json.dumps(found[side]) for side in Side if side in found}


def _of_side(report: ReadingReport, side: Side, form: Mapping[str, str]) -> ReadingReport:
    if not form.get("reading"):
        return report
    words = tuple(word if word.startswith("rt-") else f"{word}-{side}" for word in report.words)
    return replace(report, words=words)


def _together(reports: Mapping[Side, ReadingReport]) -> ReadingReport:
    """Both sides as one report: they were in sight for the same time."""
    readings: list[Reading] = [report.reading for report in reports.values() if report.reading]
    words = dict.fromkeys(word for report in reports.values() for word in report.words)
    return ReadingReport(
        max(readings, key=lambda reading: reading.hidden_ms, default=None),
        next(iter(reports.values())).rt_ms,
        tuple(words),
        next((report.odd for report in reports.values() if report.odd), None),
    )
