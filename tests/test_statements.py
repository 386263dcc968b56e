"""Statements of every page turn: run by SQLite's driver with the same rows as SQLAlchemy's own way, and few."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import JSON, Text, bindparam, cast, insert, literal_column, select, type_coerce, update
from sqlalchemy.exc import IntegrityError, InvalidRequestError, StatementError
from sqlmodel import SQLModel

from app.core.database import Database
from app.core.statements import Hot, keep_driver
from app.jobs.tables import Job
from app.trials.tables import Study

_study, _job = (SQLModel.metadata.tables[str(table.__tablename__)] for table in (Study, Job))
COLUMNS = (_study.c.id, _study.c.slug, _study.c.state, _study.c.closes_at, _study.c.target)
AT = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)


def test_rows_are_those_of_sqlalchemy(database: Database) -> None:
    add = Hot(insert(_study).returning(_study.c.id))
    change = Hot(update(_study).where(_study.c.id == bindparam("which")).values(target=bindparam("wanted")))
    find = Hot(select(*COLUMNS).where(_study.c.slug == bindparam("slug"), _study.c.state == "closed"))
    with database.transaction() as session:
        values = {"slug": "a", "state": "closed", "closing": "", "created_at": AT, "closes_at": AT}
        added = add.first(session, values).id
        change.run(session, {"which": added, "wanted": 7})
        expected = session.connection().execute(find.statement, {"slug": "a"}).all()
        found = find.all(session, {"slug": "a"})
        assert [tuple(row) for row in found] == [tuple(row) for row in expected]
        assert (found[0].id, found[0].closes_at, found[0].target) == (added, AT, 7)
        assert find.first(session, {"slug": "b"}) is None


def test_times_are_stored_as_sqlalchemy_does(database: Database) -> None:
    add, change = Hot(insert(_study)), update(_study).values(closes_at=bindparam("at"))
    for at in (
        AT,
        AT.replace(microsecond=7),
        datetime(2026, 7, 1, 1, 2, 3, tzinfo=timezone(timedelta(hours=2))),
    ):
        with database.transaction() as session:
            row = {"slug": str(at), "state": "closed", "closing": "", "created_at": AT, "closes_at": at}
            add.run(session, row)
            stored = select(cast(_study.c.closes_at, Text)).where(_study.c.slug == str(at))
            by_driver = session.connection().execute(stored).scalar()
            session.connection().execute(change, {"at": at})
            assert session.connection().execute(stored).scalar() == by_driver
            found = Hot(select(_study.c.closes_at).where(_study.c.slug == bindparam("slug")))
            assert found.first(session, {"slug": str(at)}).closes_at == at
    naive = {**row, "slug": "naive", "closes_at": AT.replace(tzinfo=None)}
    with pytest.raises((StatementError, ValueError)), database.transaction() as session:
        add.run(session, naive)


def test_json_is_read_as_sqlalchemy_does(database: Database) -> None:
    """A number as JSON is one to SQLite, too, and NULL is no JSON."""
    for stored in ("NULL", "5", "'5'", "'null'", """'{"a": [1.5, true, "ü"]}'"""):
        find = Hot(select(type_coerce(literal_column(stored), JSON).label("found")))
        with database.reading() as session:
            expected = session.connection().execute(find.statement).scalar()
            assert find.first(session, {}).found == expected


def test_json_is_written_as_sqlalchemy_does(database: Database) -> None:
    """Empty or not, and whatever is in its texts and numbers."""
    add, change = Hot(insert(_job)), update(_job).where(_job.c.id == bindparam("which"))
    row = {
        "kind": "mail",
        "status": "done",
        "done": 0,
        "total": 0,
        "doing": "",
        "message": "",
        "tries": 0,
        "asked_at": AT,
    }
    for value in (
        {},
        {"a": [0.0, 8.25, 1e300, -3, True, None]},
        {"ü": '\u2028 <"\\>\n\t', "b": [[], {"c": {}}]},
        {"d": (1, [2])},
    ):
        with database.transaction() as session:
            number = add.add(session, {**row, "params": value})
            stored = select(cast(_job.c.params, Text)).where(_job.c.id == number)
            by_driver = session.connection().execute(stored).scalar()
            session.connection().execute(change.values(params=value), {"which": number})
            assert session.connection().execute(stored).scalar() == by_driver
    with pytest.raises((StatementError, TypeError)), database.transaction() as session:
        add.add(session, {**row, "params": {"a": object()}})


def test_a_missing_value_is_refused(database: Database) -> None:
    """To SQLite's driver it would be NULL, which no row is equal to, and which a column may take."""
    change = Hot(update(_study).where(_study.c.id == bindparam("which")).values(target=bindparam("wanted")))
    for values in ({"which": 1}, {"wanted": 7}):
        with pytest.raises((StatementError, InvalidRequestError)), database.transaction() as session:
            change.run(session, values)


def test_the_number_of_an_added_row_is_told(database: Database) -> None:
    add, find = Hot(insert(_study)), Hot(select(_study.c.id).where(_study.c.slug == bindparam("slug")))
    with database.transaction() as session:
        for slug in ("a", "b"):
            number = add.add(session, {"slug": slug, "state": "closed", "closing": "", "created_at": AT})
            assert find.first(session, {"slug": slug}).id == number


def test_several_rows_are_written_by_one_statement(database: Database) -> None:
    add = Hot(insert(_study))
    rows = [{"slug": slug, "state": "closed", "closing": "", "created_at": AT} for slug in ("a", "b", "c")]
    with database.transaction() as session:
        add.run(session, *rows)
    with database.reading() as session:
        assert list(session.connection().execute(select(_study.c.slug)).scalars()) == ["a", "b", "c"]


def test_a_broken_constraint_is_told_as_of_every_statement(database: Database) -> None:
    """The database looks for SQLAlchemy's errors, such as that of a lock that another process holds."""
    add = Hot(insert(_study))
    row = {"slug": "a", "state": "closed", "closing": "", "created_at": AT}
    with pytest.raises(IntegrityError), database.transaction() as session:
        add.run(session, row, row)


def test_a_session_whose_driver_is_kept_has_the_same_rows_and_errors(database: Database) -> None:
    """A session as in the group of writes, where the driver is looked for once."""
    add, find = Hot(insert(_study)), Hot(select(_study.c.slug))
    row = {"slug": "a", "state": "closed", "closing": "", "created_at": AT}
    with database.transaction() as session:
        keep_driver(session, session.connection())
        add.run(session, row)
        assert [tuple(each) for each in find.all(session, {})] == [("a",)]
        with pytest.raises(IntegrityError):
            add.run(session, row)
        session.rollback()
