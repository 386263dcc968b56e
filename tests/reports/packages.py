"""A study with every kind of session and answer, and its package unpacked."""

import csv
import json
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL
from sqlmodel import Session, col, update

from app.core.database import Database
from app.library.clips.imported import ImportedClip
from app.reports.hntt import import_answers
from app.reports.package import PackageInfo
from app.trials.tables import Mode, ParticipantSession
from tests.factories import NOW, UNCERTAINTY, load_file, open_study
from tests.reports.people import take, walk

RATIONALE = 'Ünïcode 🙂 "quoted",\nsecond line\r\nthird\rfourth; =1+1'
# A carriage return and nothing else that would have a cell quoted: it once broke the row.
FORMULA = "=1+1\rand on"
SECRETS = ("5f0e1d2c3b4a59687", "rec-study-77", "rec-session-88")
NEW_QUESTION = "Which of the two is a person?"
GOLD = Path(__file__).parent.parent / "analysis" / "gold" / "hntt_trials.csv"
AGREED = ("-02", "-03")
RECRUITER = {"PROLIFIC_PID": SECRETS[0], "STUDY_ID": SECRETS[1], "SESSION_ID": SECRETS[2]}


def fill(session: Session, folder: Path, clips: Sequence[ImportedClip]) -> None:
    """Two versions; live, pilot, simulated and preview sessions; votes that agree, differ and tie."""
    open_study(session, folder, clips)

    def for_a(_pair: str, left: str) -> Mapping[str, str]:
        return {"choice": take("a", left), "rationale": RATIONALE}

    def for_b(pair: str, left: str) -> Mapping[str, str]:
        broken = {"unplayable": "1", "choice": "", "uncertainty": "", "playback": ""}
        member = "a" if pair.endswith(AGREED) else "b"
        own = {"choice": take(member, left), "rationale": FORMULA, "uncertainty": "5", "playback": "not json"}
        return broken if pair == "human-hybrid-01" else own

    walk(session, "nav", for_a, seed=1, recruiter=RECRUITER)
    walk(session, "nav", for_b, seed=2)
    walk(session, "nav", for_a, seed=3, decision="refuse")
    walk(session, "nav", for_b, seed=4, mode=Mode.PILOT)
    # Before 0.4 one id could be in the pilot and in the study.
    session.execute(
        update(ParticipantSession)
        .where(col(ParticipantSession.mode) == Mode.PILOT)
        .values(participant=SECRETS[0], recruiter=RECRUITER)
    )
    walk(session, "nav", for_b, seed=5, mode=Mode.SIMULATED, n_trials=5)
    walk(session, "nav", for_a, seed=6, mode=Mode.PREVIEW, recruiter={"PROLIFIC_PID": "previewer"})
    load_file(
        session,
        folder,
        trials={
            "questions": [
                {"id": "choice", "type": "2afc", "ask": NEW_QUESTION},
                {"id": "rationale", "type": "text", "ask": "Why?"},
                {"id": "uncertainty", "type": "likert", "ask": "How certain are you?", "labels": UNCERTAINTY},
            ]
        },
    )
    walk(session, "nav", for_a, seed=7, n_trials=4)


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A package's files in a folder."""

    info: PackageInfo
    folder: Path

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def json(self, name: str) -> Any:
        return json.loads(self.text(name))

    def rows(self, table: str) -> list[dict[str, str]]:
        return rows_in(self.folder / f"data/study-nav_description-{table}_data.csv")


def unpacked(info: PackageInfo, folder: Path) -> Unpacked:
    with zipfile.ZipFile(info.path) as archive:
        archive.extractall(folder)
    return Unpacked(info, folder)


def rows_in(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [dict(row) for row in csv.DictReader(file)]


@contextmanager
def database_in(folder: Path, migrated_sqlite: Path) -> Iterator[Database]:
    """An empty SQLite database that tests of one module can share."""
    shutil.copy(migrated_sqlite, folder / "test.sqlite3")
    database = Database(URL.create("sqlite", database=str(folder / "test.sqlite3")), checkpointing=True)
    yield database
    database.close()


@contextmanager
def published_in(folder: Path, migrated_sqlite: Path) -> Iterator[Database]:
    """The published answers as studies hntt-1 and hntt-2."""
    with database_in(folder, migrated_sqlite) as database:
        with database.transaction() as session:
            import_answers(session, GOLD, NOW)
        yield database
