"""Verdicts of a study's exclusion rules: stored as a session ends, judged again as others end, seen in every number."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from app.core.database import Database
from app.core.settings import Settings
from app.reports.export import rows_of
from app.studies.versions import set_state
from app.trials.tables import Mode, SessionVerdict, State
from tests.factories import NOW, load_file
from tests.reports.people import Answer, take, walk

pytestmark = pytest.mark.any_database

RULES: list[dict[str, Any]] = [
    {"rule": "same-side", "use": True, "pay": False},
    {"rule": "sped-up", "at_least": 1},
    {"rule": "duplicate"},
    {"rule": "shared-text", "at_least": 1},
]
SAME_WORDS = "It moves the way that a person would move, with pauses."


def honest(pair: str, left: str) -> Mapping[str, str]:
    return {
        "choice": take("a", left),
        "rt_ms": "12000",
        "rationale": f"In {pair} I saw somebody who looks around.",
    }


def left_handed(pair: str, left: str) -> Mapping[str, str]:
    return {**honest(pair, left), "choice": "left"}


def copied(pair: str, left: str) -> Mapping[str, str]:
    return {**honest(pair, left), "rationale": SAME_WORDS}


def hurried(pair: str, left: str) -> Mapping[str, str]:
    given = dict(honest(pair, left))
    report = json.loads(PLAYED)
    for side in ("left", "right"):
        report[side] |= {"max_rate": 8}
    return {**given, "playback": json.dumps(report)}


@dataclass
class Study:
    database: Database
    settings: Settings
    folder: Path

    def take_part(self, answer: Answer, seed: int, who: str = "", mode: Mode = Mode.LIVE) -> None:
        with self.database.transaction() as session:
            recruiter = {"PROLIFIC_PID": who} if who else {}
            walk(session, "nav", answer, seed=seed, recruiter=recruiter, mode=mode)

    def verdicts(self) -> dict[int, tuple[bool, bool, str]]:
        with self.database.reading() as session:
            rows = session.exec(select(SessionVerdict))
            return {row.session_id: (row.use, row.pay, row.names) for row in rows}

    def rows(self, what: str) -> list[Mapping[Any, Any]]:
        with self.database.reading() as session:
            return list(rows_of(session, "nav", what))


def load(session: Any, folder: Path, rules: object) -> None:
    load_file(session, folder, exclude=rules)
    set_state(session, "nav", State.LIVE, now=NOW)
