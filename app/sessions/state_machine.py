"""The state machine of one participant's session: see the current page, answer it.

The server alone knows which page is current. A form names the page it was served for in its `submit_id`
(`<page>.<random>`), so a form of another page changes nothing, and the same form twice is one row.
"""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sqlmodel import Session

from app.accounts.logins import token_hash
from app.core.errors import Closed, Conflict, InvalidAnswer, NotFound
from app.sessions import queries
from app.sessions.answers import Answers, read_answers
from app.sessions.design import BlockPart, PageKey, SessionPages
from app.sessions.entering import claim
from app.sessions.planning import plan_trials
from app.sessions.runs import BlockRun, Run, run_of
from app.sessions.tables import Mode, Status
from app.studies.file.load import StudyDesign
from app.studies.states import takes_answers
from app.studies.tables import State
from app.tasks.registry import live_task, task_named

if TYPE_CHECKING:
    from app.tasks.base import LiveTask

MAX_SUBMIT_ID = 100
TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NO_TRIAL: Mapping[str, Any] = MappingProxyType({"trial_id": None, "unplayable": False, "flags": []})
NO_SESSION = (
    "There is no session at this address. Of somebody who did not want to take part none is kept; everybody else "
    "please uses the link that they were given."
)
ENDED = "This study has ended and takes no more answers."


class NotCurrent(Conflict):
    """The form belongs to a page that is no longer, or not yet, the person's current one. Nothing was stored."""


@dataclass(frozen=True, slots=True)
class TrialSeen:
    """What the current trial shows, where that differs by session: its unit, and the hash of what it holds.

    `next_kind` is that of the stimulus after it, None where there is none. `own` is what the task adds to it.
    """

    id: int
    unit: str
    kind: str
    n_bytes: int | None = None
    duration_s: float | None = None
    sent: Mapping[str, Any] | None = None
    stimulus_kind: str | None = None
    content: str | None = None
    next_kind: str | None = None
    own: Any = None


@dataclass(frozen=True, slots=True)
class Where:
    """Where a session stands: all that its current page is made from."""

    session_id: int
    token: str
    version_id: int
    mode: str
    status: str
    state: str
    step: int
    participant: str | None
    shown_at: datetime | None
    closes_at: datetime | None
    closing: str
    is_stored: bool
    run: Run
    pages: SessionPages
    trial: TrialSeen | None = None

    @property
    def design(self) -> StudyDesign:
        return self.run.design

    @property
    def page(self) -> PageKey:
        return self.pages.keys[self.step]

    @property
    def part(self) -> BlockPart:
        """The block of the current trial. Raises KeyError on a page that is none."""
        return self.pages.part_at(self.page.position)

    @property
    def live(self) -> "LiveTask | None":
        """The task of the current page, where that changes by itself."""
        is_trial = self.page.kind == "trial" and self.status == Status.ACTIVE
        return live_task(self.part.task) if is_trial else None

    @property
    def block(self) -> BlockRun:
        """The block of the current trial. Raises KeyError on a page that is none."""
        return self.run.block(self.part.block)

    @property
    def has_shared_page(self) -> bool:
        """Whether the current page is the same for every session that is where this one is."""
        return self.page.kind != "trial" or task_named(self.part.task).shares_page(self.block.design)

    def is_shut_out(self, now: datetime) -> bool:
        """Whether the study has ended with this session under way. Previews and simulations do not depend on it."""
        is_open = self.status in (Status.ARRIVED, Status.ACTIVE)
        begun = self.status == Status.ACTIVE
        return (
            is_open
            and self.mode in (Mode.LIVE, Mode.PILOT)
            and not takes_answers(State(self.state), self.closes_at, now, begun=begun)
        )


@dataclass(frozen=True, slots=True)
class Declined:
    """Somebody did not take part. Their session can no longer be found; what may still be said to them is here."""

    slug: str
    status: Status


def locate(session: Session, token: str, submit_id: str = "") -> Where:
    """Find a session by its token; `is_stored` says whether a form numbered `submit_id` was taken. Raises NotFound."""
    if not TOKEN.fullmatch(token):
        raise NotFound(NO_SESSION)
    named = {"sha256": token_hash(token), "submit_id": submit_id}
    row = session.connection().execute(queries.LOCATE, named).first()
    if row is None:
        raise NotFound(NO_SESSION)
    (
        session_id, version_id, mode, status, step, participant, shown_at, blocks, sha256, state, closes_at, closing,
        stored_id,
    ) = row  # fmt: skip
    run = run_of(session, version_id, sha256)
    where = Where(
        session_id=session_id,
        token=token,
        version_id=version_id,
        mode=mode,
        status=status,
        state=state,
        step=step,
        participant=participant,
        shown_at=shown_at,
        closes_at=closes_at,
        closing=closing,
        is_stored=stored_id is not None,
        run=run,
        pages=run.pages_for(blocks),
    )
    return where if where.has_shared_page else replace(where, trial=_trial_seen(session, where))


def session_of(session: Session, token: str) -> int:
    """The session of a token. Raises NotFound."""
    named = {"sha256": token_hash(token)}
    found: int | None = session.connection().execute(queries.SESSION_OF, named).scalar()
    if found is None:
        raise NotFound(NO_SESSION)
    return found


def _trial_seen(session: Session, where: Where) -> TrialSeen:
    named = {"session_id": where.session_id, "position": where.page.position}
    statement = queries.UNIT_AT if where.live is None else queries.PLAY_AT
    trial = TrialSeen(*session.connection().execute(statement, named).one())
    return replace(trial, own=task_named(where.part.task).seen(session, where, trial))


def mark_shown(session: Session, session_id: int, step: int, now: datetime) -> None:
    """Note when the current page was first served."""
    values = {"session_id": session_id, "at_step": step, "page_shown_at": now}
    session.connection().execute(queries.MARK_SHOWN, values)


def is_due(where: Where, now: datetime) -> bool:
    """Whether something has to be written before the current page is shown (`settle`)."""
    return where.live is not None and not where.is_shut_out(now) and where.live.is_due(where, now)


def settle(session: Session, token: str, now: datetime) -> None:
    """Write what is due on the current page, unless somebody else has."""
    session.connection().execute(queries.HOLD_SESSION, {"sha256": token_hash(token)})
    where = locate(session, token)
    if where.live is not None and is_due(where, now):
        where.live.settle(session, where, where.block, now)


def note_present(session: Session, where: Where, now: datetime, polls: bool) -> None:
    """Somebody has been heard of; `polls`: by a browser that keeps in touch."""
    if where.live is not None:
        where.live.note_present(session, where, where.block, now, polls=polls)


def submit(
    session: Session, token: str, form: Mapping[str, str], now: datetime, rng: random.Random
) -> Declined | None:
    """Take the answer to the current page and go on to the next.

    The same `submit_id` again changes nothing and is no error. Raises NotCurrent for another page's form,
    InvalidAnswer for one that cannot be accepted, Closed once the study takes no answers, BegunElsewhere for a
    consent of somebody who takes part already.
    """
    submit_id = form.get("submit_id", "")
    if TOKEN.fullmatch(token):
        session.connection().execute(queries.HOLD_SESSION, {"sha256": token_hash(token)})
    where = locate(session, token, submit_id)
    if not 0 < len(submit_id) <= MAX_SUBMIT_ID:
        raise InvalidAnswer({"submit_id": "The form came without its number. Please reload the page."})
    if where.is_stored:
        return None
    if where.status not in (Status.ARRIVED, Status.ACTIVE):
        raise NotCurrent("This session has ended; nothing more is asked.")
    named = submit_id.partition(".")[0]
    if named != str(where.page) and (named in where.pages.names or "." in submit_id):
        raise NotCurrent("That page was answered before. You are now here.")
    if where.page.kind == "consent":
        return _answer_consent(session, where, form, now, rng)
    if where.is_shut_out(now):
        raise Closed(ENDED)
    if where.page.kind == "trial":
        _answer_trial(session, where, form, now)
    else:
        questions = where.design.asked_on(where.page.kind, where.page.block)
        _store(session, where, form, now, read_answers(questions, form))
        _advance(session, where, now)
    return None


def _answer_consent(
    session: Session, where: Where, form: Mapping[str, str], now: datetime, rng: random.Random
) -> Declined | None:
    consent = where.design.consent
    decision, of_age = form.get("decision", ""), form.get("of_age", "")
    errors = {}
    if decision not in ("agree", "refuse"):
        errors["decision"] = "Please say whether you want to take part."
    if decision == "agree" and consent.minimum_age and of_age not in ("yes", "no"):
        errors["of_age"] = f"Please say whether you are {consent.minimum_age} or older."
    if errors:
        raise InvalidAnswer(errors)
    under_age = bool(consent.minimum_age) and of_age == "no"
    if decision == "refuse" or under_age:
        return _decline(session, where, Status.REFUSED if decision == "refuse" else Status.UNDER_AGE, now)
    if where.is_shut_out(now):
        raise Closed(ENDED)
    if where.participant and where.mode in (Mode.LIVE, Mode.PILOT):
        contact = where.design.completion.contact
        claim(session, where.session_id, where.participant, Mode(where.mode), contact, now)
    _store(session, where, form, now, Answers(extra={"decision": "agree", "consent": consent.version}))
    begun: dict[str, Any] = {
        "session_id": where.session_id,
        "status": Status.ACTIVE,
        "participant": where.participant or f"p-{rng.getrandbits(48):012x}",
        "consented_at": now,
        "step": where.step + 1,
        **plan_trials(session, where.version_id, where.mode, where.session_id, where.run, rng, now),
    }
    session.connection().execute(queries.BEGIN, begun)
    return None


def begin_at_block(session: Session, token: str, block_id: str, now: datetime, rng: random.Random) -> None:
    """Take a preview that has just come in straight to one block, the only one that it has. Raises NotFound."""
    where = locate(session, token)
    if where.mode != Mode.PREVIEW or block_id not in [block.id for block in where.run.blocks]:
        raise NotFound(
            f"The newest version has no block {block_id[:40]!r}: save the design as a version first."
        )
    alone = replace(
        where.run,
        design=where.design.model_copy(update={"block_order": "fixed"}),
        blocks=(where.run.block(block_id),),
    )
    planned = plan_trials(session, where.version_id, where.mode, where.session_id, alone, rng, now)
    blocks = [[block_id, alone.blocks[0].n]] if planned["blocks"] is None else planned["blocks"]
    names = [key.kind for key in where.run.pages_for(blocks).keys]
    begun: dict[str, Any] = {
        **planned,
        "session_id": where.session_id,
        "status": Status.ACTIVE,
        "participant": f"p-{rng.getrandbits(48):012x}",
        "consented_at": now,
        "blocks": blocks,
        "step": names.index("trial"),
    }
    session.connection().execute(queries.BEGIN, begun)


def _decline(session: Session, where: Where, status: Status, now: datetime) -> Declined | None:
    """All that is kept is the decision and its date: no response, no id, no time of day, no way back in.

    A preview keeps its address, and so the way back to the study.
    """
    on = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    left = {"session_id": where.session_id, "status": status, "on": on}
    session.connection().execute(queries.DECLINE, left)
    if where.mode == Mode.PREVIEW:
        return None
    session.connection().execute(queries.FORGET_TOKENS, {"session_id": where.session_id})
    return Declined(where.design.study, status)


def _answer_trial(session: Session, where: Where, form: Mapping[str, str], now: datetime) -> None:
    block = where.run.block(where.part.block)
    taken = task_named(block.design.task).read(session, where, block, form, now)
    if taken is None:
        return
    response_id = _store(session, where, form, now, taken.answers, taken.values)
    if taken.evidence:
        rows = [{"response_id": response_id, "slot": slot, **row} for slot, row in taken.evidence.items()]
        session.connection().execute(queries.ADD_EVIDENCE, rows)
    _advance(session, where, now)


def _store(
    session: Session,
    where: Where,
    form: Mapping[str, str],
    now: datetime,
    answers: Answers,
    of_trial: Mapping[str, Any] = _NO_TRIAL,
) -> int:
    values = {
        "session_id": where.session_id,
        "page": str(where.page),
        "submit_id": form["submit_id"],
        "side": answers.side,
        "uncertainty": answers.uncertainty,
        "certainty": answers.certainty,
        "rationale": answers.rationale,
        "answers": answers.extra,
        "shown_at": where.shown_at,
        "answered_at": now,
        **_NO_TRIAL,
        **of_trial,
    }
    return int(session.connection().execute(queries.ADD_RESPONSE, values).scalar_one())


def _advance(session: Session, where: Where, now: datetime) -> None:
    values: dict[str, Any] = {"session_id": where.session_id, "step": where.step + 1}
    if where.pages.keys[where.step + 1].kind == "debrief":
        played = session.connection().execute(queries.PLAYED, {"session_id": where.session_id}).scalar_one()
        values |= {"status": Status.COMPLETED if played else Status.UNPLAYABLE, "ended_at": now}
        session.connection().execute(queries.COMPLETE, values)
    else:
        session.connection().execute(queries.ADVANCE, values)
