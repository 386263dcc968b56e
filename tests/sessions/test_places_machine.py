"""Places under any order of events: no bound is broken, nobody is counted twice, no answer is lost."""

from collections import Counter, defaultdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlmodel import Session, col, func, select

from app.accounts.audit import COMMAND_LINE
from app.core.database import Database
from app.core.errors import Closed
from app.sessions.exclusions import leave_out
from app.sessions.retargeting import ArmNow, PlacesNow, change_arm, change_places, changed_places, places_for
from app.sessions.slots import return_to_place, settle_places
from app.sessions.withdrawing import withdraw
from app.studies.launch import study_here
from app.studies.versions import set_state
from app.tasks.pair.queries import planned_left
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, State, Status, Trial
from tests.factories import NOW
from tests.sessions.arms import answer, begin, one, put_study

IDLE = timedelta(minutes=10)
ARMS = "arms:\n  - {id: slow, target: 3}\n  - {id: fast, target: 4}\nidle_minutes: 10\n"
someone = st.integers(0, 30)


class Places(RuleBasedStateMachine):
    """A study of two arms; `sent` are the answers that were accepted from each who takes part."""

    database: Database

    def __init__(self) -> None:
        super().__init__()
        self.now, self.n = NOW, 0
        self.tokens: list[str] = []
        self.sent: Counter[str] = Counter()
        self.gone: set[str] = set()
        self.out: set[str] = set()
        # Targets that were lowered below what is there hold from then on for who comes new.
        self.most = {"slow": 3, "fast": 4}
        self.nested = self.database.transaction()
        self.session: Session = self.nested.__enter__()
        self.savepoint = self.session.begin_nested()

    def teardown(self) -> None:
        self.savepoint.rollback()
        self.nested.__exit__(None, None, None)

    def _chosen(self, number: int) -> str | None:
        under_way = [token for token in self.tokens if token not in self.gone]
        return under_way[number % len(under_way)] if under_way else None

    @rule()
    def start(self) -> None:
        self.n += 1
        before = self._held()
        try:
            with self.session.begin_nested():
                token = begin(self.session, self.now, seed=self.n)
        except Closed:
            assert not self._open(before)
            return
        self.tokens.append(token)
        self.sent[token] = 1
        arm = one(self.session, token).arm
        # The least filled of those with room.
        shares = {name: before[name] / self._target(name) for name in self._open(before)}
        assert shares[arm] == min(shares.values())

    @rule(number=someone)
    def go_on(self, number: int) -> None:
        """Answer the current page, however long ago it was served."""
        token = self._chosen(number)
        if token is None or one(self.session, token).status != Status.ACTIVE:
            return
        try:
            with self.session.begin_nested():
                answer(self.session, token, self.now)
        except Closed:  # the study has ended and its time is over
            return
        self.sent[token] += 1

    @rule(number=someone)
    def finish(self, number: int) -> None:
        for _ in range(6):
            self.go_on(number)

    @rule(number=someone)
    def come_back(self, number: int) -> None:
        """Open the page again."""
        token = self._chosen(number)
        if token is not None and one(self.session, token).status == Status.ACTIVE:
            was, held = one(self.session, token), self._held()
            had_lost, arm = was.released_at is not None, was.arm
            has_place = return_to_place(self.session, token, self.now)
            assert has_place == (not had_lost or arm in self._open(held))

    @rule(minutes=st.integers(1, 30))
    def stall(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @rule()
    def sweep(self) -> None:
        settle_places(self.session, self.now)

    @rule(number=someone)
    def withdraw(self, number: int) -> None:
        token = self._chosen(number)
        if token is not None:
            withdraw(self.session, one(self.session, token).id or 0, self.now)
            self.gone.add(token)

    @rule(number=someone)
    def exclude(self, number: int) -> None:
        token = self._chosen(number)
        if token is not None and token not in self.out:
            leave_out(self.session, "arms", one(self.session, token).id or 0, "a test", self.now)
            self.session.flush()
            self.out.add(token)

    @rule(arm=st.sampled_from(["slow", "fast"]), n=st.integers(1, 6))
    def retarget(self, arm: str, n: int) -> None:
        self._change(change_arm(self._changed(), arm, target=n))
        self.most[arm] = max(self.most[arm], n)

    @rule(arm=st.sampled_from(["slow", "fast"]), is_paused=st.booleans())
    def pause(self, arm: str, is_paused: bool) -> None:
        self._change(change_arm(self._changed(), arm, is_paused=is_paused))

    @precondition(lambda self: self._state() == State.CLOSED)
    @rule()
    def reopen(self) -> None:
        set_state(self.session, "arms", State.LIVE, now=self.now)

    # What is asked

    def _study(self) -> Any:
        return study_here(self.session, "arms")

    def _state(self) -> State:
        self.session.expire_all()
        state: State = self._study().state
        return state

    def _changed(self) -> PlacesNow:
        return changed_places(self.session, self._study())

    def _change(self, wanted: PlacesNow) -> None:
        change_places(self.session, COMMAND_LINE, self._study(), wanted, self.now)

    def _target(self, arm: str) -> int:
        return self._changed().arms.get(arm, ArmNow()).target or {"slow": 3, "fast": 4}[arm]

    def _held(self) -> dict[str, int]:
        """The sessions that count by arm, as a reader would count them, those of the idle given back."""
        self.session.expire_all()
        held = Counter[str]()
        for token in self.tokens:
            if token in self.gone or token in self.out:
                continue
            row = one(self.session, token)
            is_idle = row.status == Status.ACTIVE and (row.seen_at or NOW) < self.now - IDLE
            held[row.arm] += (
                row.status in (Status.ACTIVE, Status.COMPLETED) and not row.released_at and not is_idle
            )
        return {arm: held[arm] for arm in ("slow", "fast")}

    def _open(self, held: dict[str, int]) -> list[str]:
        changed = self._changed().arms
        takes = self._state() == State.LIVE
        return [
            arm
            for arm in held
            if takes and held[arm] < self._target(arm) and not changed.get(arm, ArmNow()).is_paused
        ]

    # What holds at every time

    @invariant()
    def no_arm_has_more_than_its_highest_target(self) -> None:
        for arm, n in self._held().items():
            assert n <= self.most[arm]

    @invariant()
    def nobody_is_counted_twice_and_the_service_counts_as_we_do(self) -> None:
        places = places_for(self.session, self._study(), self.now)
        assert {arm.arm: arm.held for arm in places.arms} == self._held()

    @invariant()
    def no_answer_is_lost(self) -> None:
        rows = self.session.exec(
            select(ParticipantSession.id, func.count(col(Response.id)))
            .join(Response, col(Response.session_id) == ParticipantSession.id)
            .group_by(col(ParticipantSession.id))
        )
        stored = dict(rows.all())
        ours = {
            one(self.session, token).id: self.sent[token] for token in self.tokens if token not in self.gone
        }
        assert stored == ours

    @invariant()
    def sides_are_balanced_within_each_arm(self) -> None:
        begun = select(ParticipantSession.arm, ParticipantSession.ordinal).where(
            col(ParticipantSession.ordinal).is_not(None)
        )
        ordinals = self.session.exec(begun).all()
        assert len({ordinal for _, ordinal in ordinals}) == len(ordinals)
        trials = self.session.exec(select(func.count()).select_from(Trial)).one()
        assert trials == 5 * len(ordinals)
        # Numbers of an arm's sessions take turns with the other's: of four in a row, two are a session pair of each.
        lefts = select(
            ParticipantSession.arm, ParticipantSession.ordinal, Trial.unit_id, planned_left()
        ).join(Trial)
        shown = defaultdict[tuple[str, int], dict[int, dict[int | None, str]]](dict)
        for arm, ordinal, unit, left in self.session.exec(lefts.where(planned_left().is_not(None))):
            assert ordinal
            shown[arm, (ordinal - 1) // 4].setdefault(ordinal, {})[unit] = left
        for first, *others in (list(sessions.values()) for sessions in shown.values()):
            for other in others:
                assert other == {unit: {"a": "b", "b": "a"}[left] for unit, left in first.items()}


@pytest.mark.slow
def test_no_order_of_events_breaks_a_bound_counts_anybody_twice_or_loses_an_answer(
    database: Database, tmp_path: Path, exhaustive: bool
) -> None:
    put_study(database, tmp_path, ARMS)

    class OfStudy(Places):
        pass

    OfStudy.database = database
    examples, steps = (60, 50) if exhaustive else (8, 25)
    run_state_machine_as_test(
        OfStudy,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
