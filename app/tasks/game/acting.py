"""Actions on the page of a match: the forms that it posts, by their `do`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.core.errors import InvalidAnswer
from app.core.language import gettext as _
from app.core.language import noop
from app.tasks.game.live import Live
from app.tasks.game.logged import By
from app.tasks.game.looking import TrialState, design_of
from app.tasks.game.matching import IN_POOL, form_matches, pool_of, set_entry, to_pool, waited
from app.tasks.game.posted import REASON, move_of
from app.tasks.game.seated import legal_for
from app.tasks.game.settings import GameDesign
from app.tasks.game.tables import EntryStatus
from app.trials.here import NotCurrent, Where
from app.trials.runs import BlockRun

LATE = noop("Your move was not counted: another one was made first, or time had run out.")


@dataclass(frozen=True, slots=True)
class Doing:
    """A form posted from a trial's page; `here` is the sender's state. The session is locked."""

    session: Session
    where: Where
    block: BlockRun
    here: TrialState
    form: Mapping[str, str]
    now: datetime

    @property
    def design(self) -> GameDesign:
        return design_of(self.block)

    def held(self) -> Live | None:
        """The match, locked until the end of the write; None without one."""
        match = self.here.match
        return None if match is None else Live.hold(self.session, self.design, match.id)

    def entered(self, **values: Any) -> None:
        """Set columns of the way to the match."""
        assert self.here.entry is not None
        set_entry(self.session, self.here.entry, **values)

    def matched(self) -> None:
        """Form what matches can be formed."""
        assert self.here.entry is not None
        form_matches(self.session, pool_of(self.here.entry), self.design, self.block.units, self.now)


def answers(it: Doing) -> None:
    """Questions on the rules: all right, or another try while there is one."""
    entry, design = it.here.entry, it.design
    if entry is None or entry["status"] != EntryStatus.QUESTIONS:
        return
    asked = design.comprehension.questions
    # A question without an answer costs no try.
    missing = {
        q.id: _("Please answer this question.") for q in asked if it.form.get(q.id, "") not in q.options
    }
    if missing:
        raise InvalidAnswer(missing)
    wrong = [q.id for q in asked if it.form.get(q.id) != q.answer]
    tries = entry["tries"] + 1
    if not wrong:
        it.entered(tries=tries, **to_pool(design, it.where.mode, it.now))
        it.matched()
    elif tries >= design.comprehension.tries:
        it.entered(tries=tries, status=EntryStatus.OUT, reason="questions")
    else:
        it.entered(tries=tries, reason=" ".join(wrong))


def ready(it: Doing) -> None:
    """Record that the participant is ready."""
    if it.here.entry is not None and it.here.entry["status"] == EntryStatus.ASKED:
        it.entered(status=EntryStatus.READY, seen_at=it.now)
        it.matched()


def leave(it: Doing) -> None:
    """Leave the match, or the queue."""
    entry = it.here.entry
    if it.here.is_playing and (live := it.held()) is not None:
        live.leave(live.seats.mine(it.where.session_id), "withdrew", it.now)
        live.store()
    elif entry is not None and entry["status"] in (*IN_POOL, EntryStatus.BOUND, EntryStatus.AWAY):
        waited_s = waited(entry, it.now)
        it.entered(status=EntryStatus.OUT, reason="withdrew", waited_s=waited_s, since=None, due_at=None)


def again(it: Doing) -> None:
    """Wait once more, or wait again after a ready check that was missed."""
    entry = it.here.entry
    if entry is None or entry["status"] not in (EntryStatus.BOUND, EntryStatus.AWAY):
        return
    extended = entry["extended"] or entry["status"] == EntryStatus.BOUND
    it.entered(**to_pool(it.design, it.where.mode, it.now, extended=extended))
    it.matched()


def come_back(it: Doing) -> None:
    """Return to the seat, or to the queue."""
    live = it.held()
    if live is None:
        return again(it)
    live.advance(it.now)
    live.come_back(live.seats.mine(it.where.session_id), it.now)
    return live.store()


def move(it: Doing) -> None:
    """A move in the phase that the form names. Raises NotCurrent for one that comes too late, or second."""
    design, live = it.design, it.held() if it.here.is_playing else None
    if live is None:
        raise NotCurrent(_(LATE), "late")
    live.advance(it.now)
    # After what was due: a move that comes after its deadline finds its phase closed.
    seat, phase = live.seats.mine(it.where.session_id), live.match.phase
    if not live.may_play(seat, it.form.get("phase_id", "")):
        raise NotCurrent(_(LATE), "late")
    act = move_of(legal_for(design, design.rules, live.match.state, seat["seat"]), it.form, design.reason)
    for field, text in (("message", act.message), (REASON, act.reason)):
        if refused := design.messages.refusal(text):
            raise InvalidAnswer({field: refused})
    opened_at = live.row["opened_at"]
    # A page may be there before its phase begins, as while others move.
    by = By(it.form.get("submit_id"), max(opened_at, it.where.shown_at or opened_at))
    live.play(seat, phase.phase_id, act, by, it.now)
    live.store()


ACTS: Mapping[str, Callable[[Doing], None]] = {
    "answers": answers,
    "ready": ready,
    "leave": leave,
    "again": again,
    "return": come_back,
    "move": move,
}
