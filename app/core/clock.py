"""The service's time where several hosts serve one database: PostgreSQL's, so that all of them agree on every deadline.

A host whose clock is fast would end phases that have just begun, and one whose clock is slow would never end any.
SQLite is served by one process, whose own clock is then the only one.
"""

import logging
import time
from datetime import UTC, datetime, timedelta

from sqlalchemy import text
from sqlmodel import Session

from app.core.database import Database

SAME = timedelta(seconds=0.05)
"""Clocks that differ by less are taken for the same, as those of hosts that are kept in time do."""
WORTH_SAYING = timedelta(seconds=5)
_NOW = text("SELECT clock_timestamp()")
_log = logging.getLogger("likely-human")
_behind = timedelta(0)


def behind() -> timedelta:
    """The correction added to this host's clock; negative if it is fast."""
    return _behind


def set_behind(by: timedelta) -> None:
    """Count the time by the database's clock, which is ahead of this host's by so much."""
    global _behind
    if abs(by) > WORTH_SAYING and abs(by - _behind) > WORTH_SAYING:
        how = "behind" if by > timedelta(0) else "ahead of"
        _log.warning(
            "This host's clock is %.0f s %s the database server's, whose time is used. Set both by NTP.",
            abs(by).total_seconds(),
            how,
        )
    _behind = by


async def agree(database: Database) -> None:
    """Measure how far this host's clock is from the database server's; nothing with SQLite."""
    if database.is_local:
        return
    by, took = await database.peek(_measured)
    if abs(by - _behind) > max(SAME, took):  # what a round trip may explain is no difference
        set_behind(by)


def _measured(session: Session) -> tuple[timedelta, timedelta]:
    """The offset of this host's clock behind the database's, and the round trip; the error is half the latter."""
    connection = session.connection()
    connection.execute(_NOW)  # a connection that was not used for a while is looked at first
    # The wall clock may be set between the two, so the round trip is taken by the monotonic one.
    here, began = datetime.now(UTC), time.monotonic()
    there: datetime = connection.execute(_NOW).scalar_one()
    took = timedelta(seconds=time.monotonic() - began)
    # NTP's assumption: there and back take equally long, so the database read its clock halfway.
    return there - (here + took / 2), took
