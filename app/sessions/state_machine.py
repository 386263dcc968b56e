"""The state machine of one participant's session: see the current page, answer it.

The server alone knows which page is current. A form names the page it was served for in its `submit_id`
(`<page>.<random>`), so a form of another page changes nothing, and the same form twice is one row.
"""

import random
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import bindparam, insert, update
from sqlmodel import Session, SQLModel

from app.core.errors import Closed, InvalidAnswer
from app.core.language import gettext as _
from app.core.statements import Hot
from app.sessions.advancing import advance
from app.sessions.beginning import Declined, answer_consent
from app.sessions.checking import (
    answer_attention,
    answer_comprehension,
    answer_screening,
    note_inattention,
)
from app.sessions.coming import Came
from app.sessions.here import StudyWhere
from app.sessions.slots import ENDED, take_again
from app.sessions.where import hold, locate
from app.tasks.base import AnswerParts
from app.tasks.running import task_named
from app.trials.answers import read_answers, store
from app.trials.flags import Flag, joined, split
from app.trials.here import NotCurrent
from app.trials.responses import Evidence
from app.trials.tables import Mode, ParticipantSession, Status
from app.trials.typing import entered_flags, read_typed

MAX_SUBMIT_ID = 100
_session, _evidence = (
    SQLModel.metadata.tables[str(table.__tablename__)] for table in (ParticipantSession, Evidence)
)

MARK_SHOWN = Hot(
    update(_session)
    .where(
        _session.c.id == bindparam("session_id"),
        _session.c.step == bindparam("at_step"),
        # A reload would otherwise shorten the time that the server has seen between page and answer (decision 0011).
        _session.c.page_shown_at.is_(None),
        _session.c.status == Status.ACTIVE,  # of who has not consented no time is kept
    )
    .values(page_shown_at=bindparam("page_shown_at"), seen_at=bindparam("page_shown_at"))
)
ADD_EVIDENCE = Hot(insert(_evidence))


def mark_shown(session: Session, session_id: int, step: int, now: datetime) -> None:
    """Note when the current page was first served."""
    values = {"session_id": session_id, "at_step": step, "page_shown_at": now}
    MARK_SHOWN.run(session, values)


def submit(
    session: Session,
    token: str,
    form: Mapping[str, str],
    now: datetime,
    rng: random.Random,
    came: Came | None = None,
    secret: str = "",
) -> Declined | None:
    """Store the answer to the current page and move to the next. `came` is the visitor who answers the consent page,
    `secret` the service's, for the hash of an id.

    Sending the same `submit_id` again changes nothing and is no error. Raises NotCurrent for another page's form,
    InvalidAnswer for an unacceptable one, Closed once the study takes no answers, BegunElsewhere if an id that consents
    is already taking part, ScreenedOut if it has been screened out.
    """
    submit_id = form.get("submit_id", "")
    hold(session, token)
    where = locate(session, token, submit_id)
    if not 0 < len(submit_id) <= MAX_SUBMIT_ID:
        raise InvalidAnswer({"submit_id": _("The form is incomplete. Please reload the page.")})
    # Before the status: the last form sent twice finds its session ended, and is no error.
    if where.is_stored:
        return None
    if where.status not in (Status.ARRIVED, Status.ACTIVE):
        raise NotCurrent(_("You have already finished; there are no more questions."), "over")
    named = submit_id.partition(".")[0]
    # A number of a client's own making names no page, and answers the current one.
    if named != str(where.page) and (named in where.pages.names or "." in submit_id):
        raise NotCurrent(_("You have already answered this page, perhaps in another window."))
    if where.page.kind == "consent":
        return answer_consent(session, where, form, now, rng, came)
    if where.is_shut_out(now):
        raise Closed(_(ENDED))
    # An answer that comes late is stored in any case; whether there is room to go on, the next page says.
    if where.has_lost_its_place and take_again(session, where, now):
        where = where._replace(released_at=None)
    match where.page.kind:
        case "trial":
            _answer_trial(session, where, form, now)
        case "screening":
            return answer_screening(session, where, form, now, secret)
        case "comprehension":
            answer_comprehension(session, where, form, now)
        case "attention":
            answer_attention(session, where, form, now)
        case _:
            questions = where.design.asked_at(where.page)
            store(session, where, form, now, read_answers(questions, form))
            advance(session, where, now)
    return None


def _answer_trial(session: Session, where: StudyWhere, form: Mapping[str, str], now: datetime) -> None:
    block = where.run.block(where.part.block)
    taken = task_named(block.design.task).read(session, where, block, form, now)
    if taken is None:
        return
    values = {**taken.values, **_entered(where, form, taken)}
    response_id = store(session, where, form, now, taken.answers, values)
    if taken.evidence:
        rows = [{"response_id": response_id, "slot": slot, **row} for slot, row in taken.evidence.items()]
        ADD_EVIDENCE.run(session, *rows)
    if Flag.ATTENTION in split(taken.values.get("raised")) and note_inattention(
        session, where, block.id, now
    ):
        return
    advance(session, where, now)


def _entered(where: StudyWhere, form: Mapping[str, str], taken: AnswerParts) -> Mapping[str, object]:
    """How the texts of an answer were entered, and its flags where they were not typed; simulated participants type
    nothing."""
    typed = read_typed(form.get("typed", ""))
    if typed is None or where.mode == Mode.SIMULATED:
        return {"typed": typed}
    texts = {"rationale": taken.answers.rationale, **taken.answers.extra}
    loads = max((row["page_loads"] for row in taken.evidence.values() if row.get("page_loads")), default=None)
    of_texts = entered_flags(typed, texts, loads)
    if not of_texts:
        return {"typed": typed}
    flags = split(taken.values.get("raised")) | of_texts
    return {"typed": typed, "raised": joined([flag for flag in Flag if flag in flags])}
