"""The crowd in a database of its own, and then several times over, to measure the cost of reading it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Table, text
from sqlmodel import Session, SQLModel, func, select

from app.core.migrating import open_database
from app.core.settings import Settings
from app.trials.responses import Evidence, Response
from app.trials.tables import ParticipantSession, Trial
from bench.crowd import fill

# What a session of the crowd answers on the average; of twelve trials, and some leave.
ANSWERS_PER_SESSION = 11.2
FILLED_SESSIONS = 9_000

_TABLES: tuple[type[Any], ...] = (ParticipantSession, Trial, Response, Evidence)
# What of a copied row points at another copied one.
_POINTS_AT: dict[str, type[Any]] = {
    "session_id": ParticipantSession,
    "trial_id": Trial,
    "response_id": Response,
}
_OWN = {"id": "id + :n * {self}", "ordinal": "ordinal + :n * {self}"}


def database_url(path: Path) -> URL:
    return URL.create("sqlite", database=str(path.absolute()))


def fill_database(path: Path, n_responses: int) -> None:
    """About `n_responses` answers to trials, drawn for ten thousand sessions at most and then copied."""
    path.parent.mkdir(exist_ok=True)
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    settings = Settings(
        LIKELY_HUMAN_DATA=path.parent,
        DATABASE_URL=database_url(part).render_as_string(hide_password=False),
        LIKELY_HUMAN_SECRET="bench",
    )  # type: ignore[call-arg]
    database = open_database(settings)
    n_sessions = round(n_responses / ANSWERS_PER_SESSION)
    n_drawn = min(n_sessions, FILLED_SESSIONS)
    with database.transaction() as session:
        fill(session, n_drawn, datetime(2026, 1, 1, tzinfo=UTC))
        session.flush()
        _copy(session, round(n_sessions / n_drawn) - 1)
        session.execute(text("UPDATE study SET state = 'live'"))
    with database.transaction() as session:
        session.execute(text("ANALYZE"))
    database.close()
    part.replace(path)


def _copy(session: Session, times: int) -> None:
    largest = {table: session.exec(select(func.max(table.id))).one() or 0 for table in _TABLES}
    for table in _TABLES:
        rows = SQLModel.metadata.tables[str(table.__tablename__)]
        columns = [column.name for column in rows.columns]
        values = [_value(name, rows, largest[table], largest) for name in columns]
        statement = (
            f"INSERT INTO {rows.name} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {rows.name} "
            f"WHERE id <= {largest[table]} ORDER BY id"
        )
        for n in range(1, times + 1):
            session.execute(text(statement), {"n": n})


def _value(column: str, rows: Table, own: int, largest: dict[type[Any], int]) -> str:
    if column in _OWN:
        return _OWN[column].format(self=own)
    if column in _POINTS_AT:
        return f"{column} + :n * {largest[_POINTS_AT[column]]}"
    return column
