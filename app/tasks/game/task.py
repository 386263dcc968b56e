"""Matches on the layer of sessions: one trial is one match, and its page is the wait, the ready check, the match and
its result. A move is an event of the match; the form on the result page is the trial's response."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import bindparam, select, update
from sqlmodel import Session

from app.core.database import Database
from app.core.errors import InvalidAnswer
from app.core.language import gettext as _
from app.core.settings import Settings
from app.tasks.base import AnswerParts, LiveTask, Start
from app.tasks.game.acting import ACTS, Doing
from app.tasks.game.base import is_out
from app.tasks.game.ending import block_end
from app.tasks.game.fold import event_table, match_table, seat_table, stand_of
from app.tasks.game.forgetting import Forgetting
from app.tasks.game.live import Live
from app.tasks.game.looking import MatchTrialPage, TrialState, design_of, here_of, runs
from app.tasks.game.matching import (
    IN_POOL,
    Pool,
    add_entry,
    form_matches,
    last_entry,
    note_present,
    playing,
    pool_of,
    to_pool,
    waiting_table,
)
from app.tasks.game.outside import desk
from app.tasks.game.pages import GamePage, rules_of, state_html, with_version
from app.tasks.game.settings import NAMED
from app.tasks.game.sweep import sweep
from app.tasks.game.tables import EntryStatus
from app.trials.answers import Answers
from app.trials.design import BlockPart, Planned
from app.trials.ending import BlockEnd
from app.trials.here import TrialSeen, Where
from app.trials.pages import Page
from app.trials.places import Place
from app.trials.runs import BlockRun
from app.trials.sessions import Sessions

_w, _m, _s, _e = waiting_table.c, match_table.c, seat_table.c, event_table.c
_ENTRY = select(waiting_table).where(_w.trial_id == bindparam("trial_id"))
_MINE = seat_table.alias()
# Everybody who has had the seat of a trial's person, in order.
_SEAT = (
    "id", "match_id", "seat", "trial_id", "to_seq", "away_at", "lapse_at", "missed", "payoff", "left_reason"
)  # fmt: skip
_SEATS = (
    select(*(_s[name] for name in _SEAT))
    .join(_MINE, (_MINE.c.match_id == _s.match_id) & (_MINE.c.seat == _s.seat))
    .where(_MINE.c.trial_id == bindparam("trial_id"))
    .distinct()
    .order_by(_s.id)
)
# Written some time after the page was read: an agent may have taken the seat since.
_STILL = (_s.id == bindparam("seat_id")) & _s.to_seq.is_(None) & _s.away_at.is_(None)
_PRESENT = update(seat_table).where(_STILL).values(lapse_at=bindparam("lapse_at"))
_MATCH = select(match_table).where(_m.id == bindparam("match_id"))
# Whoever has or last had each seat.
_SITTING = select(_s.seat, _s.agent).where(_s.match_id == bindparam("match_id")).order_by(_s.id)
_TAKEN = select(_e.id).where(_e.session_id == bindparam("session_id"), _e.submit_id == bindparam("submit_id"))


class Play(Forgetting, LiveTask):
    """The task."""

    def plan(self, block: BlockRun, start: Start) -> Sequence[Planned]:
        """The planned matches. Each one's configuration is chosen when it forms; until then units take turns."""
        units = block.units
        return [Planned(units[at % len(units)].id, {}) for at in range(design_of(block).rounds_per_person)]

    # Looking

    def seen(self, session: Session, where: Where, trial: TrialSeen) -> TrialState:
        """The participant's state, from which the page of a trial is made."""
        connection = session.connection()
        entry = connection.execute(_ENTRY, {"trial_id": trial.id}).first()
        if entry is None:
            return TrialState()
        columns = dict(entry._mapping)
        if entry.status != EntryStatus.MATCHED:
            return TrialState(columns)
        seats = connection.execute(_SEATS, {"trial_id": trial.id}).all()
        match = connection.execute(_MATCH, {"match_id": seats[0].match_id}).one()
        stand = stand_of(session, match)
        named = design_of(where.run.block(where.part.block)).disclosure == NAMED
        sitting = connection.execute(_SITTING, {"match_id": match.id}).all() if named else ()
        holders = {seat: agent for seat, agent in sitting}  # noqa: C416  (rows are no pairs to a type checker)
        return TrialState(
            columns, (*seats,), match, stand.state, stand.switches, tuple(sorted(holders.items()))
        )

    def is_due(self, where: Where, now: datetime) -> bool:
        """True if something must be written before the page is shown: it is the first view, or a time is over."""
        here = here_of(where.trial)
        if here.entry is None:
            return True
        due = here.match.due_at if here.match is not None else here.entry["due_at"]
        return due is not None and due <= now

    def settle(self, session: Session, where: Where, block: BlockRun, now: datetime) -> None:
        """Write what is due. The session is locked."""
        here, design = here_of(where.trial), design_of(block)
        if here.entry is None:
            self._arrive(session, where, block, now)
        elif here.match is not None:
            live = Live.hold(session, design, here.match.id)
            live.advance(now)
            live.store()
        else:
            note_present(session, where.session_id, now)
            form_matches(session, pool_of(here.entry), design, block.units, now)

    def note_present(
        self, session: Session, where: Where, block: BlockRun, now: datetime, *, polls: bool
    ) -> None:
        """Record a heartbeat of a waiting participant; a player's polling browser that falls silent counts as
        offline.
        """
        here = here_of(where.trial)
        seat = here.seat
        if here.entry is not None and here.entry["status"] in IN_POOL:
            note_present(session, where.session_id, now)
        elif here.is_playing and is_out(design_of(block).rules, here.state, seat.seat):
            return  # whoever is out may go, and has not left
        elif here.is_playing and (polls or seat.lapse_at is not None):
            lapse_at = now + timedelta(seconds=design_of(block).leaving.grace_s)
            session.connection().execute(_PRESENT, {"seat_id": seat.id, "lapse_at": lapse_at})

    def present(self, session: Session, version_ids: Collection[int]) -> frozenset[int]:
        return playing(session, version_ids)

    def page(self, block: BlockRun, place: Place, frame: Mapping[str, Any]) -> GamePage:
        design, here = design_of(block), here_of(place.trial)
        config = design.config(place.trial.unit if place.trial else block.units[0].name)
        view = None
        if here.seat is not None:
            view = design.rules.view(here.state, here.seat.seat)
        looked = MatchTrialPage(design, here, config, view, place)
        position, part = place.page.position, place.part
        return with_version(
            GamePage(
                **frame,
                key=place.key,
                number=part.number(position),
                total=part.total(position),
                rules=rules_of(design.rules, config, view),
                updates=design.updates,
                others=looked.others(),
                notices=tuple(looked.notices()),
                clock=looked.clock(),
                body=looked.body(),
            )
        )

    def version(self, page: Page) -> str:
        """The hash of what the seat may know: hidden information never changes it."""
        return cast(GamePage, page).version

    def news(self, page: Page) -> Mapping[str, Any]:
        """The reply to a poll."""
        page = cast(GamePage, page)
        remaining = page.clock.remaining_ms if page.clock else None
        return {"version": page.version, "remaining_ms": remaining, "html": state_html(page)}

    def ended(self, session: Session, where: Where, part: BlockPart) -> BlockEnd:
        """The complete matches, those left, and the earnings."""
        return block_end(session, where.session_id, design_of(where.run.block(part.block)), part)

    async def sweep(self, database: Database, settings: Settings, sessions: Sessions, now: datetime) -> None:
        """Write what is due in matches and pools, and start requests to language models."""
        await sweep(database, sessions, now)
        await desk.ask_open(database, settings, sessions, now)

    async def end(self, database: Database) -> None:
        """Ask no model any more."""
        await desk.give_up(database)

    # Answering

    def read(
        self, session: Session, where: Where, block: BlockRun, form: Mapping[str, str], now: datetime
    ) -> AnswerParts | None:
        """Take a form: None where the page stays, the response of the trial where it goes on."""
        trial = where.trial
        assert trial is not None
        named = {"session_id": where.session_id, "submit_id": form.get("submit_id", "")}
        # The same form twice: its move is an event already.
        if session.connection().execute(_TAKEN, named).first() is not None:
            return None
        here = here_of(trial)
        if self.is_due(where, now):
            self.settle(session, where, block, now)
            here = self.seen(session, where, trial)
        do = form.get("do", "next")
        if do == "next":
            if here.match is not None or not here.entry or here.entry["status"] != EntryStatus.AWAY:
                return self._go_on(session, where, block, here, now)
            # People who missed the ready check and went on without the match once stayed on that page for ever.
            do = "leave"
        act = ACTS.get(do)
        if act is None:
            raise InvalidAnswer({"do": _("That cannot be done here. Please reload the page.")})
        act(Doing(session, where, block, here, form, now))
        return None

    def _arrive(self, session: Session, where: Where, block: BlockRun, now: datetime) -> None:
        """The first look at a trial: questions on the rules once in a block, then the wait."""
        design, trial = design_of(block), where.trial
        assert trial is not None
        pool = Pool(where.version_id, where.mode, where.arm, block.id)
        before = last_entry(session, where.session_id, block.id)
        if before is not None and before.status == EntryStatus.OUT:
            given = {"status": EntryStatus.OUT, "reason": before.reason, "seen_at": now}
        elif before is None and design.comprehension.questions:
            given = {"status": EntryStatus.QUESTIONS, "reason": "", "seen_at": now}
        else:
            given = to_pool(design, where.mode, now)
        values = {"tries": 0, "extended": False, "waited_s": 0, "reason": "", **given}
        add_entry(session, pool, where.session_id, trial.id, **values)
        if given["status"] == EntryStatus.WAITING:
            form_matches(session, pool, design, block.units, now)

    def _go_on(
        self, session: Session, where: Where, block: BlockRun, here: TrialState, now: datetime
    ) -> AnswerParts | None:
        """The trial's response; None where the match is still to be played."""
        entry, trial, design = here.entry, where.trial, design_of(block)
        assert trial is not None
        if entry is None:
            return None
        if here.is_playing and here.match is not None and runs(here.match):
            if not is_out(design.rules, here.state, here.seat.seat):
                return None
            # Out of the game and gone on: that this browser falls silent is no leaving.
            session.connection().execute(_PRESENT, {"seat_id": here.seat.id, "lapse_at": None})
        if here.match is None and entry["status"] != EntryStatus.OUT:
            return None
        values = {"trial_id": trial.id, "rt_ms": None, "interval_ms": None}
        pay = design.matching.wait_pay_minor_per_min * entry["waited_s"] // 60
        answers: dict[str, Any] = {"waited_s": entry["waited_s"], "wait_pay_minor": pay}
        if here.match is None or here.seat is None:
            return AnswerParts(Answers(extra={"no_match": entry["reason"], **answers}), values)
        live = Live.hold(session, design, here.match.id)
        answers |= {
            "match": here.match.id,
            "seat": here.seat.seat,
            "payoff_units": str(live.seats.earned(where.session_id)),
            "bonus_minor": live.bonus_of(where.session_id),
        }
        return AnswerParts(Answers(extra=answers), values)


TASK = Play()
