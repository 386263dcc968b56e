"""Answers to the checks of a participant: screening before the study, comprehension of its instructions."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import bindparam, func, select
from sqlmodel import Session, SQLModel

from app.core.problems import counted
from app.questions.checked import is_met
from app.sessions.advancing import advance, end_early
from app.sessions.beginning import Declined
from app.sessions.exclusions import leave_out
from app.sessions.here import StudyWhere
from app.sessions.identity import person_of, remember_screened_out
from app.sessions.withdrawing import erase
from app.trials.answers import read_answers, store
from app.trials.flags import Flag
from app.trials.responses import Response
from app.trials.tables import Mode, Status

_response = SQLModel.metadata.tables[str(Response.__tablename__)]
# Checks of attention that were failed, trials and questions alike.
N_FAILED = select(func.count()).where(
    _response.c.session_id == bindparam("session_id"), _response.c.raised.contains(Flag.ATTENTION)
)


def answer_screening(
    session: Session, where: StudyWhere, form: Mapping[str, str], now: datetime, secret: str
) -> Declined | None:
    """Go on, or end with everything deleted: of who is screened out a count is kept, and the hash of an id, by which
    the same link does not lead to the questions again.
    """
    asked = where.design.screening
    answers = read_answers(asked, form)
    if all(is_met(question, answers.extra.get(question.id)) for question in asked):
        store(session, where, form, now, answers)
        advance(session, where, now)
        return None
    is_preview = where.mode == Mode.PREVIEW  # its experimenter returns to the study from the last page
    who = person_of(session, where.session_id, secret) if where.mode in (Mode.LIVE, Mode.PILOT) else None
    erase(session, where.session_id, Status.SCREENED_OUT, now, keeps_token=is_preview)
    if who is not None:
        remember_screened_out(session, where.session_id, who)
    if is_preview:
        return None
    return Declined(
        where.design.study,
        Status.SCREENED_OUT,
        where.design.completion.sends_id,
        participant=who.id if who else "",
        is_known=who is not None,
        language=where.spoken,
    )


def answer_comprehension(session: Session, where: StudyWhere, form: Mapping[str, str], now: datetime) -> None:
    """Store the try. The page of another try is passed over where it is not needed."""
    rules = where.design.comprehension
    answers = read_answers(rules.questions, form)
    left = rules.tries - where.page.position
    if all(is_met(question, answers.extra.get(question.id)) for question in rules.questions):
        store(session, where, form, now, answers)
        advance(session, where, now, 1 + left)
    elif left:
        store(session, where, form, now, answers, {"flags": [Flag.COMPREHENSION]})
        advance(session, where, now)
    else:
        store(session, where, form, now, answers, raised(Flag.COMPREHENSION))
        if rules.failed == "end":
            end_early(session, where, Status.FAILED_CHECKS, now)
        else:
            advance(session, where, now)


def answer_attention(session: Session, where: StudyWhere, form: Mapping[str, str], now: datetime) -> None:
    """Store the answer to a question that says what to answer; a wrong one is flagged."""
    [question] = where.design.asked_at(where.page)
    answers = read_answers([question], form)
    if is_met(question, answers.extra.get(question.id)):
        store(session, where, form, now, answers)
    else:
        store(session, where, form, now, answers, raised(Flag.ATTENTION))
        if note_inattention(session, where, where.page.block, now):
            return
    advance(session, where, now)


def note_inattention(session: Session, where: StudyWhere, block: str, now: datetime) -> bool:
    """Do what the block says of failed attention checks; true if the session has ended."""
    rules = where.run.block(block).design.attention_checks
    if rules.failed == "flag":
        return False
    n = session.connection().execute(N_FAILED, {"session_id": where.session_id}).scalar_one()
    if n < rules.after:
        return False
    if rules.failed == "end":
        end_early(session, where, Status.FAILED_CHECKS, now)
        return True
    # A preview counts nowhere, and takes no exclusion.
    if where.mode != Mode.PREVIEW:
        reason = f"failed {counted(n, 'attention check')}"
        leave_out(session, where.design.study, where.session_id, reason, now)
    return False


def raised(flag: Flag) -> Mapping[str, object]:
    """Columns of a response that has a flag."""
    return {"flags": [flag], "raised": flag}
