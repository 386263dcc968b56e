"""A study with ten thousand sessions and their answers, written straight into a database, to measure the monitor on.

It is what participants leave behind: some refuse, some leave on the way, some answer too fast or on one side only,
clips stall and fail. Everything is drawn with a seed.
"""

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import insert
from sqlmodel import Session, SQLModel, col, select

from app.library.tables import Stimulus
from app.questions.sides import Side
from app.sessions.runs import run_of
from app.studies.file.drafts import check_draft
from app.studies.versions import load_version, stimulus_facts
from app.tasks.pair.assignment import plan_session
from app.tasks.pair.design import Member, PairPlan, PairToPlan
from app.trials.design import Layout
from app.trials.evidence import least_ms
from app.trials.examining import Observed, examine
from app.trials.flags import joined
from app.trials.responses import Evidence, Response
from app.trials.runs import Run
from app.trials.tables import Mode, ParticipantSession, Status, StudyVersion, Trial

SLUG = "crowd"
N_PAIRS = 12
CLIP_S = 8.0
BATCH = 2_000

Row = dict[str, Any]

_SENT = [[0, 1000]]
_NO_EVIDENCE: Row = dict.fromkeys(
    ("raised", "unwatched", "layout", "opened_ms", "interval_ms", "fetched_a", "fetched_b")
)


@dataclass(slots=True)
class Crowd:
    """Rows to be written, by table, and the ids that they will have."""

    run: Run
    version_id: int
    rng: random.Random
    begins: datetime
    every: timedelta = timedelta(seconds=60)
    accuracy: float = 0.5
    rows: dict[type[SQLModel], list[Row]] = field(default_factory=dict)
    next_id: dict[type[SQLModel], int] = field(default_factory=dict)
    lefts: dict[int, Member] = field(default_factory=dict)

    @property
    def pairs(self) -> list[PairToPlan]:
        units = self.run.blocks[0].units
        return [PairToPlan(u.id, u.condition, u.kind, Member(u.truth or "a")) for u in units]

    def add(self, table: type[SQLModel], **row: Any) -> int:
        row_id = self.next_id.setdefault(table, 1)
        self.next_id[table] = row_id + 1
        self.rows.setdefault(table, []).append({"id": row_id, **row})
        return row_id

    def person(self, number: int, mode: Mode) -> None:
        """One session, from arrival to wherever the person leaves."""
        rng, at = self.rng, self.begins + number * self.every
        n_pages = len(self.run.pages.keys)
        fate = rng.random()
        n_pages_done = n_pages - 1 if fate > 0.1 else rng.randrange(n_pages - 1)
        refuses = fate < 0.02
        status = Status.REFUSED if refuses else _status(n_pages_done, n_pages)
        trials = plan_session(
            self.pairs, order="random", sides="balanced", rng=rng, mirror_of=self.lefts or None
        )
        self.lefts = {} if self.lefts else {trial.pair_id: trial.left for trial in trials}
        begun = status in (Status.ACTIVE, Status.COMPLETED)
        session_id = self.add(
            ParticipantSession, version_id=self.version_id, arm="main", mode=mode,
            participant=f"p-{number:012x}" if begun else None, recruiter={"STUDY_ID": "s1"} if begun else {},
            ordinal=number if begun else None, seed=number if begun else None, status=status,
            step=0 if refuses else n_pages_done, page_shown_at=at, arrived_at=at, consented_at=at if begun else None,
            ended_at=at + timedelta(minutes=9) if status not in (Status.ARRIVED, Status.ACTIVE) else None,
        )  # fmt: skip
        if begun:
            self.answers(session_id, trials, n_pages_done, at)

    def side(self, is_true_left: bool) -> str:
        """The side that is pressed: that of the true clip as often as `accuracy` says."""
        return "left" if is_true_left == (self.rng.random() < self.accuracy) else "right"

    def answers(self, session_id: int, trials: list[Any], n_pages_done: int, at: datetime) -> None:
        one_sided, hasty = self.rng.random() < 0.01, self.rng.random() < 0.02
        anchors = {pair.id: pair.anchor for pair in self.pairs}
        is_true_left = {t.position: anchors[t.pair_id] == t.left for t in trials}
        answered = {page.position for page in self.run.pages.keys[:n_pages_done]}
        trial_ids = {
            t.position: self.add(
                Trial, session_id=session_id, position=t.position, unit_id=t.pair_id, plan=PairPlan(t.left).stored(),
                sent=dict.fromkeys(Side, _SENT if t.position in answered else []),
            )
            for t in trials
        }  # fmt: skip
        for page in self.run.pages.keys[:n_pages_done]:
            at += timedelta(seconds=30)
            trial_id = trial_ids.get(page.position)
            if trial_id:
                side = "left" if one_sided else self.side(is_true_left[page.position])
                self.answer(session_id, trial_id, str(page), at, side=side, hasty=hasty)
            else:
                self.page(session_id, str(page), at)

    def page(self, session_id: int, page: str, at: datetime) -> None:
        self.add(
            Response, session_id=session_id, trial_id=None, page=page, submit_id=f"{page}.x", side=None,
            uncertainty=None, rationale=None, answers={"decision": "agree"}, unplayable=False, rt_ms=None,
            shown_at=at - timedelta(seconds=30), answered_at=at, flags=[], odd_playback=None, **_NO_EVIDENCE,
        )  # fmt: skip

    def answer(
        self, session_id: int, trial_id: int, page: str, at: datetime, *, side: str, hasty: bool
    ) -> None:
        """One answered trial, examined as the service would."""
        rng = self.rng
        failed, unwatched = rng.random() < 0.003, hasty and rng.random() < 0.5
        reported = [*(["failed-left"] if failed else []), *(["not-watched-left"] if unwatched else [])]
        rt_ms = 2_000 if hasty else round(1000 * CLIP_S + 6_000 * rng.lognormvariate(0, 0.5))
        interval_ms = rt_ms + 1_500
        hidden_ms = 5_000 if rng.random() < 0.02 else 0
        finding = examine(
            Observed(
                reported=reported, to_end=True, unplayable=failed, least_ms=least_ms(CLIP_S), longest_ms=1000 * CLIP_S,
                waited_ms=interval_ms, served=True, fetched=(True, True), rt_ms=rt_ms, hidden_ms=hidden_ms,
            )
        )  # fmt: skip
        response_id = self.add(
            Response, session_id=session_id, trial_id=trial_id, page=page, submit_id=f"{page}.x",
            side=None if failed else side,
            uncertainty=rng.randint(1, 5), rationale="moves as somebody who looks where they go",
            answers={}, unplayable=failed, rt_ms=rt_ms, shown_at=at - timedelta(milliseconds=interval_ms),
            answered_at=at, flags=reported, odd_playback=None, raised=joined(finding.raised),
            unwatched=finding.unwatched, layout=Layout.SIDE_BY_SIDE, opened_ms=min(rt_ms, round(1000 * CLIP_S)),
            interval_ms=interval_ms, fetched_a=True, fetched_b=True,
        )  # fmt: skip
        for member in "ab":
            self.add(
                Evidence, response_id=response_id, slot=member,
                **_played(rng, hidden_ms, failed, 0.5 if unwatched and member == "a" else 1),
            )  # fmt: skip


def _played(rng: random.Random, hidden_ms: int, failed: bool, share: float) -> Row:
    """`share` of a clip was played."""
    stalls = rng.randint(1, 3) if rng.random() < 0.02 else 0
    return {
        "watched": share == 1 and not failed, "plays": 1, "played": [[0.0, share * CLIP_S]], "duration_s": CLIP_S,
        "stalls": stalls, "stall_ms": 400 * stalls, "dropped_frames": 0, "frames": 240, "drift_ms_max": 5,
        "hidden_ms": hidden_ms, "page_loads": 1, "max_rate": 1.0, "failed": failed, "errors": [],
    }  # fmt: skip


def _status(n_pages_done: int, n_pages: int) -> Status:
    if n_pages_done == n_pages - 1:
        return Status.COMPLETED
    return Status.ACTIVE if n_pages_done else Status.ARRIVED


def make_study(session: Session, now: datetime) -> int:
    """A study of noise that was never made into clips; returns its version's id."""
    for number in range(1, N_PAIRS + 1):
        for source in ("human", "hybrid"):
            session.add(_stimulus(f"{source}-{number}", source, now))
    session.flush()
    check = check_draft(_KEYS, stimulus_facts(session))
    if check.design is None:
        raise ValueError(check.faults)
    load_version(session, check.design, now)
    version = session.exec(select(StudyVersion).order_by(col(StudyVersion.id).desc()).limit(1)).one()
    version.frozen_at = now
    session.add(version)
    return version.id or 0


def _stimulus(name: str, source: str, now: datetime) -> Stimulus:
    digest = hashlib.sha256(name.encode()).hexdigest()
    return Stimulus(
        name=name, source=source, attributes={}, clip_sha256=digest, clip_bytes=1000, rules={}, duration_s=CLIP_S,
        width=64, height=64, fps=30, frames=240, imported_at=now,
    )  # fmt: skip


_KEYS: Mapping[str, Any] = {
    "study": SLUG,
    "title": "Which navigation looks human?",
    "consent": {"version": "1", "text": "# Taking part\n\nTaking part is voluntary.\n"},
    "instructions": "# Instructions\n\nWatch both videos.\n",
    "pairs": "pair,a,b\n" + "".join(f"p{n},human-{n},hybrid-{n}\n" for n in range(1, N_PAIRS + 1)),
    "trials": {
        "questions": [
            {"id": "choice", "type": "2afc", "ask": "Which video is more likely to be human?"},
            {"id": "rationale", "type": "text", "ask": "Why?"},
            {"id": "uncertainty", "type": "likert", "ask": "How certain are you?", "scale": "uncertainty"},
        ]
    },
    "completion": {"message": "Thank you.", "code": "C1"},
}


def fill(
    session: Session, n_sessions: int, now: datetime, *, seed: int = 1, mode: Mode = Mode.LIVE
) -> Mapping[str, int]:
    """Make the study and its sessions; returns how many rows of each table."""
    version_id = make_study(session, now)
    version = session.get(StudyVersion, version_id)
    run = run_of(session, version_id, version.sha256 if version else "")
    crowd = Crowd(run, version_id, random.Random(seed), now - timedelta(days=7))
    for number in range(1, n_sessions + 1):
        crowd.person(number, mode)
        if number % BATCH == 0 or number == n_sessions:
            write_rows(session, crowd)
    return {str(table.__tablename__): n - 1 for table, n in crowd.next_id.items()}


def write_rows(session: Session, crowd: Crowd) -> None:
    tables = SQLModel.metadata.tables
    for table in (ParticipantSession, Trial, Response, Evidence):
        if rows := crowd.rows.pop(table, []):
            session.connection().execute(insert(tables[str(table.__tablename__)]), rows)
