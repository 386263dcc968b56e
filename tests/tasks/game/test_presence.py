"""Heartbeats of those who wait for a match: the last is kept, and who seemed gone is looked at again."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from app.core.database import Database
from app.tasks.game.matching import PRESENT, note_present
from app.tasks.game.tables import Entry, EntryStatus
from tests.factories import NOW
from tests.tasks.game.people import Person, open_game

pytestmark = pytest.mark.both_databases

S = timedelta(seconds=1)
LATELY, LONG_AGO = NOW - 5 * S, NOW - PRESENT - S


@pytest.mark.parametrize(
    ("status", "seen", "due", "then_seen", "then_due"),
    [
        (EntryStatus.WAITING, LATELY, None, NOW, None),
        (EntryStatus.ASKED, LATELY, NOW + S, NOW, NOW + S),
        (EntryStatus.READY, NOW - PRESENT, NOW + S, NOW, NOW + S),
        (EntryStatus.WAITING, LONG_AGO, None, NOW, NOW),
        (EntryStatus.WAITING, LONG_AGO, NOW + S, NOW, NOW),
        (EntryStatus.WAITING, LONG_AGO, NOW - S, NOW, NOW - S),
        (EntryStatus.WAITING, NOW + S, NOW + S, NOW + S, NOW + S),
        (EntryStatus.AWAY, LONG_AGO, None, LONG_AGO, None),
        (EntryStatus.MATCHED, LONG_AGO, NOW + S, LONG_AGO, NOW + S),
    ],
    ids=[
        "seen",
        "to be checked",
        "just seen",
        "gone",
        "gone, due later",
        "gone, due",
        "later news",
        "away",
        "matched",
    ],
)
def test_a_heartbeat_is_the_last_and_one_who_seemed_gone_is_looked_at_again(
    client: TestClient,
    database: Database,
    tmp_path: Path,
    status: EntryStatus,
    seen: datetime,
    due: datetime | None,
    then_seen: datetime,
    then_due: datetime | None,
) -> None:
    open_game(database, tmp_path)
    for _ in range(2):
        Person(client, database).look()
    with database.transaction() as session:
        one, other = session.exec(select(Entry).order_by(Entry.id)).all()  # type: ignore[arg-type]
        for entry in (one, other):
            entry.status, entry.seen_at, entry.due_at = status, seen, due
    with database.transaction() as session:
        note_present(session, one.session_id, NOW)
    with database.reading() as session:
        found = [(entry.seen_at, entry.due_at) for entry in session.exec(select(Entry).order_by(Entry.id))]  # type: ignore[arg-type]
    assert found == [(then_seen, then_due), (seen, due)]
