"""Judges who start, stall, come back, finish and are excluded in any order: every item keeps to its bounds."""

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule
from sqlalchemy import StaticPool, create_engine
from sqlmodel import Session, SQLModel

from app.sessions import beginning_queries
from app.tasks.rating.assignment import ItemToAssign, assign_items, planned_sessions
from app.trials.design import Kind
from app.trials.loads import loads_of
from app.trials.responses import Response
from app.trials.tables import Exclusion, Mode, ParticipantSession, Status, Study, StudyVersion, Trial, Unit
from tests.factories import NOW

pytestmark = pytest.mark.slow

STALLED = timedelta(minutes=30)
ENGINE = create_engine("sqlite://", poolclass=StaticPool)
SQLModel.metadata.create_all(ENGINE)


@dataclass
class Judge:
    """Facts about a session known without the database; `counted` is whether it was at the last look."""

    row: ParticipantSession
    items: list[int]
    seen: datetime
    counted: bool = True
    pages: int = 0
    exclusions: list[Exclusion] = field(default_factory=list)

    def counts(self, now: datetime) -> bool:
        here = self.row.status == Status.COMPLETED or self.seen >= now - STALLED
        return here and all(exclusion.lifted_at for exclusion in self.exclusions)


class RatingStudy(RuleBasedStateMachine):
    judges: Bundle[Judge] = Bundle("judges")

    @initialize(
        groups=st.lists(st.sampled_from([None, "a", "b"]), min_size=1, max_size=8),
        per_participant=st.integers(1, 8),
        per_item=st.integers(1, 3),
    )
    def begin(self, groups: list[str | None], per_participant: int, per_item: int) -> None:
        self.now, self.per_participant, self.per_item = NOW, per_participant, per_item
        self.everyone: list[Judge] = []
        self.came_back: Counter[int] = Counter()
        self.is_undisturbed = True
        self.connection = ENGINE.connect()
        self.transaction = self.connection.begin()
        self.session = Session(self.connection)
        self.session.add(study := Study(slug="rate", created_at=NOW))
        self.session.flush()
        self.session.add(
            version := StudyVersion(
                study_id=study.id or 0, number=1, sha256="", design="", padded_bytes=0, created_at=NOW
            )
        )
        self.session.flush()
        self.version_id = version.id or 0
        self.groups: dict[int, str | None] = {}
        for number, group in enumerate(groups, start=1):
            unit = Unit(
                version_id=self.version_id, name=f"item-{number}", position=number, condition="",
                kind=Kind.MAIN, block="rate", item_group=group,
            )  # fmt: skip
            self.session.add(unit)
            self.session.flush()
            self.groups[unit.id or 0] = group

    def teardown(self) -> None:
        if hasattr(self, "session"):
            self.session.close()
            self.transaction.rollback()
            self.connection.close()

    def loads(self) -> dict[int, int]:
        """As judges' own records have them."""
        counted = Counter(item for judge in self.everyone if judge.counts(self.now) for item in judge.items)
        return {item: counted[item] for item in self.groups}

    def items(self) -> list[ItemToAssign]:
        """As the database has them."""
        had = loads_of(self.session, self.version_id, Mode.LIVE, "rate", self.now - STALLED)
        return [ItemToAssign(item, group, load=had.get(item, 0)) for item, group in self.groups.items()]

    def plan(self, seed: int) -> Judge | None:
        ordinal = len(self.everyone) + 1
        before = self.loads()
        named = {"version_id": self.version_id, "mode": Mode.LIVE, "ordinal": ordinal - 1}
        given = assign_items(
            self.items(),
            per_participant=self.per_participant,
            per_item=self.per_item,
            rng=random.Random(seed),
            mirror_of=[unit_id for unit_id, _ in beginning_queries.PLANS_OF.all(self.session, named)],
        )
        open_ones = [item for item, load in before.items() if load < self.per_item]
        if given is None:
            assert open_ones == []
            return None
        chosen = [item.id for item in given]
        assert len(set(chosen)) == len(chosen) == min(self.per_participant, len(open_ones))
        assert set(chosen) <= set(open_ones)
        others = [before[item] for item in open_ones if item not in chosen]
        assert not others or max(before[item] for item in chosen) <= min(others)
        row = ParticipantSession(
            version_id=self.version_id, mode=Mode.LIVE, recruiter={}, ordinal=ordinal, status=Status.ACTIVE,
            arrived_at=self.now, consented_at=self.now,
        )  # fmt: skip
        self.session.add(row)
        self.session.flush()
        for position, item in enumerate(chosen, start=1):
            self.session.add(Trial(session_id=row.id or 0, position=position, unit_id=item, plan={}))
        judge = Judge(row, chosen, self.now)
        self.everyone.append(judge)
        self.answer(judge)
        return judge

    @rule(target=judges, seed=st.integers(0, 1000))
    def start(self, seed: int) -> Judge:
        """A participant who finds the study full continues as the last one who came."""
        return self.plan(seed) or self.everyone[-1]

    @rule(minutes=st.integers(1, 40))
    def wait(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @rule(judge=judges)
    def look(self, judge: Judge) -> None:
        """A page is noted when it is served first."""
        if judge.row.status == Status.ACTIVE and judge.row.page_shown_at is None:
            judge.row.page_shown_at = judge.seen = self.now
            self.session.add(judge.row)
            self.session.flush()

    @rule(judge=judges)
    def answer(self, judge: Judge) -> None:
        if judge.row.status == Status.ACTIVE:
            judge.pages += 1
            judge.row.page_shown_at, judge.seen = None, self.now
            page = f"page-{judge.pages}"
            response = Response(
                session_id=judge.row.id or 0, page=page, submit_id=page, answers={}, flags=[],
                answered_at=self.now,
            )  # fmt: skip
            self.session.add_all([judge.row, response])
            self.session.flush()

    @rule(judge=judges)
    def finish(self, judge: Judge) -> None:
        self.answer(judge)
        judge.row.status = Status.COMPLETED
        self.session.add(judge.row)
        self.session.flush()

    @rule(judge=judges)
    def exclude_or_include(self, judge: Judge) -> None:
        standing = [exclusion for exclusion in judge.exclusions if exclusion.lifted_at is None]
        for exclusion in standing:
            exclusion.lifted_at = self.now
        if not standing:
            row = Exclusion(session_id=judge.row.id or 0, reason="speeding", excluded_at=self.now)
            judge.exclusions.append(row)
        self.session.add_all(judge.exclusions)
        self.session.flush()

    @rule(seed=st.integers(0, 1000))
    def fill(self, seed: int) -> None:
        """As many as planned fill what is open, and no fewer could."""
        due = planned_sessions(self.items(), self.per_item, self.per_participant)
        before = self.loads()
        for number in range(due):
            assert self.plan(seed + number) is not None
        assert self.plan(seed) is None
        assert self.loads() == {item: max(load, self.per_item) for item, load in before.items()}

    @invariant()
    def loads_are_those_of_who_has_not_left(self) -> None:
        loads = self.loads()
        assert {item.id: item.load for item in self.items()} == loads
        for judge in self.everyone:
            counts = judge.counts(self.now)
            if counts != judge.counted:
                self.is_undisturbed = False
                judge.counted = counts
                if counts:
                    self.came_back.update(judge.items)
        for item, load in loads.items():
            assert load <= self.per_item + self.came_back[item]
        if self.is_undisturbed:
            assert max(loads.values()) - min(loads.values()) <= 1


RatingStudy.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestDropouts = RatingStudy.TestCase
