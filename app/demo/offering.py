"""Finished matches of the second demo become records of the third, so that players find their own there.

In real studies matches are offered by a button, as someone should read them first. Here all moves are numbers.
"""

import logging
import threading
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from sqlmodel import Session, col, select

from app.accounts.audit import COMMAND_LINE
from app.core.database import Database
from app.core.errors import StudyError
from app.core.migrating import open_database
from app.core.settings import Settings
from app.demo.build import PLAY, RATE
from app.library.tables import Stimulus
from app.matches.offering import offer_match_by, records_prefix
from app.studies.access import StudyHere
from app.studies.tables import Draft
from app.tasks.game.fold import match_table
from app.tasks.game.tables import MatchStatus
from app.trials.tables import Mode, State, Study, StudyVersion

EVERY_S = 3.0
MOST_MATCHES = 40
"""So many matches are offered; each makes the study of records longer for good."""
_m = match_table.c
_log = logging.getLogger("likely-human.demo")


def offer_finished(database: Database, now: datetime, refused: set[int]) -> int:
    """Offer matches that are over and not offered yet; returns how many. Those that fail are added to `refused` and not
    retried. None is offered while the design of the records' study has unsaved changes.
    """
    with database.reading() as session:
        matches = _to_offer(session, refused)
    n_offered = 0
    for match in matches:
        try:
            with database.transaction() as session:
                studies = _here(session, PLAY), _here(session, RATE)
                offer_match_by(session, COMMAND_LINE, studies[0], match, studies[1], now)
            n_offered += 1
        except StudyError:
            refused.add(match)
    return n_offered


def _to_offer(session: Session, refused: Container[int]) -> Sequence[int]:
    unsaved = select(Draft.id).join(Study, col(Study.id) == Draft.study_id).where(Study.slug == RATE)
    if session.exec(unsaved).first() is not None:
        return ()
    finished = session.execute(
        select(_m.id)
        .join(StudyVersion, col(StudyVersion.id) == _m.version_id)
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(col(Study.slug) == PLAY, _m.mode == Mode.LIVE, _m.status == MatchStatus.FINISHED)
        .order_by(_m.id)
    ).scalars()
    prefix = records_prefix(PLAY, "")
    kept = session.exec(select(Stimulus.name).where(col(Stimulus.name).startswith(prefix))).all()
    offered = {name.removeprefix(prefix).partition("-")[0] for name in kept}
    left = max(0, MOST_MATCHES - len(offered))
    return [match for match in finished if str(match) not in offered and match not in refused][:left]


def _here(session: Session, slug: str) -> StudyHere:
    study = session.exec(select(Study).where(Study.slug == slug)).one()
    return StudyHere(study.id or 0, study.slug, State(study.state), study.archived_at is not None)


@contextmanager
def offering(settings: Settings) -> Iterator[None]:
    """Offer matches in a thread while the block runs, in separate writes that delay no move."""
    stop = threading.Event()
    thread = threading.Thread(target=_offer, args=(settings, stop), name="offering", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _offer(settings: Settings, stop: threading.Event) -> None:
    refused: set[int] = set()
    database: Database | None = None
    while not stop.wait(EVERY_S):
        try:
            database = database or open_database(settings)
            offer_finished(database, datetime.now(UTC), refused)
        except Exception:  # the demo is served without it
            _log.exception("matches are offered later")
    if database is not None:
        database.close()
