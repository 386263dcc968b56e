"""A service of 0.3 with data in it, upgraded in place: nothing is lost, and every export is what it was.

`gold/0.3.json.gz` holds the rows of a database that the code of 0.3 (commit aca69b5) has filled, with what that code
exported from them: sessions of every mode and status, exclusions, odd telemetry, an imported study.

What changes on purpose: columns at the end; who declined leaves the decision and its date alone (0006); tokens are
kept as hashes (0006); pseudonyms are numbered by chance; how intervals are made
from few people, so bounds are not compared.
"""

import csv
import gzip
import io
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from alembic.command import downgrade
from alembic.config import Config
from sqlalchemy import URL, text
from sqlmodel import Session, SQLModel, col, select

from analysis import analyze
from app.database import Database, make_engine
from app.reporting.export import csv_lines, export
from app.reporting.facts import study_facts
from app.reporting.frames import responses_frame
from app.reporting.kinds import Format, What
from app.reporting.packaging.collect import SELECTED, Collection
from app.reporting.packaging.pseudonyms import Pseudonyms
from app.study.sessions import locate, mark_shown, submit
from app.study.tables import Response
from tests.conftest import migrate
from tests.factories import NOW

ROOT = Path(__file__).parent.parent
DECLINED = ("refused", "under-age")


@cache
def gold() -> Any:
    return json.loads(gzip.decompress((Path(__file__).parent / "gold" / "0.3.json.gz").read_bytes()))


@pytest.fixture
def upgraded(database_url: URL) -> URL:
    engine = make_engine(database_url, writing=True, enforcing=False)
    with engine.begin() as connection:
        SQLModel.metadata.drop_all(connection)
        connection.execute(text("DROP TABLE alembic_version"))
    engine.dispose()
    migrate(database_url, "0003")
    engine = make_engine(database_url, writing=True, enforcing=False)
    is_postgres = database_url.get_backend_name() == "postgresql"
    with engine.begin() as connection:
        if is_postgres:
            connection.execute(text("SET session_replication_role = replica"))  # tables in any order
        for table, held in gold()["rows"].items():
            names = [name for name, _ in held["columns"]]
            values = ", ".join(f":{name}" for name in names)
            rows = [
                {name: _stored(row[name], type_, is_postgres) for name, type_ in held["columns"]}
                for row in _rows(held)
            ]
            connection.execute(text(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values})"), rows)
            if is_postgres and "id" in names:
                at = f"setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
                connection.execute(text(f"SELECT {at}"))
    engine.dispose()
    migrate(database_url)
    return database_url


@pytest.fixture
def after(upgraded: URL) -> Iterator[Database]:
    database = Database(upgraded)
    yield database
    database.close()


def _rows(held: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    names = [name for name, _ in held["columns"]]
    return (dict(zip(names, row, strict=True)) for row in held["rows"])


def _stored(value: Any, type_: str, is_postgres: bool) -> Any:
    """As SQLite holds it, or as PostgreSQL takes it."""
    if not is_postgres or value is None:
        return value
    if type_ == "BOOLEAN":
        return bool(value)
    return f"{value}+00:00" if type_ == "DATETIME" else value


def test_every_export_table_of_a_package_and_number_is_what_it_was_before_the_upgrade(
    after: Database, tmp_path: Path
) -> None:
    with after.reading() as session:
        _same_rows(session)
        is_sqlite = session.get_bind().dialect.name == "sqlite"
        for name, before in gold()["exports"].items():
            slug, _, what = name.partition("/")
            export(session, slug, What(what), Format.CSV, tmp_path / "now.csv")
            _same_table((tmp_path / "now.csv").read_bytes().decode(), before, name, is_sqlite)
        packages = {"names": Pseudonyms(None), "pseudonyms": Pseudonyms(_pseudonyms())}
        for kind, pseudonyms in packages.items():
            collection = Collection(tmp_path / kind, study_facts(session, "nav"), pseudonyms)
            for what in SELECTED:
                collection.add_selected(session, what)
            for path, before in gold()["packages"][kind].items():
                _same_table(
                    (tmp_path / kind / path).read_bytes().decode(), before, f"{kind}: {path}", is_sqlite
                )
        for slug, before in gold()["numbers"].items() if is_sqlite else ():  # of responses that are the same
            now = analyze([responses_frame(session, slug)], seed=1, resamples=100).to_dict()
            _same_numbers(json.loads(json.dumps(now)), before, slug)


def _pseudonyms() -> Mapping[str, str]:
    """Who was who in the old package: numbers were given by arrival, which they are no longer."""
    tables = (gold()["packages"][kind] for kind in ("names", "pseudonyms"))
    people = (next(table for path, table in each.items() if "participants" in path) for each in tables)
    real, numbered = (list(csv.DictReader(io.StringIO(table, newline=""))) for table in people)
    return {one["participant"]: two["participant"] for one, two in zip(real, numbered, strict=True)}


def _same_rows(session: Session) -> None:
    """Every row of before is there with its values, but for what was to be forgotten of who declined."""
    sessions = _rows(gold()["rows"]["participant_session"])
    declined = {row["id"] for row in sessions if row["status"] in DECLINED and row["mode"] != "preview"}
    assert declined
    is_sqlite = session.get_bind().dialect.name == "sqlite"
    for table, held in gold()["rows"].items():
        names = [name for name, _ in held["columns"] if name != "token" or table != "participant_session"]
        found = session.connection().execute(text(f"SELECT {', '.join(names)} FROM {table}")).mappings()
        types = dict(held["columns"])
        now = {
            _key(row): {name: _comparable(row[name], types[name], is_sqlite) for name in names}
            for row in found
        }
        for row in _rows(held):
            if table == "response" and row["session_id"] in declined:
                assert _key(row) not in now
            elif table == "participant_session" and row["id"] in declined:
                assert now[_key(row)]["status"] == row["status"]
            else:
                before = {name: _comparable(row[name], types[name], True) for name in names}
                assert now[_key(row)] == before, table


def _key(row: Mapping[Any, Any]) -> tuple[Any, ...]:
    return (row["id"],) if "id" in row else tuple(str(value) for value in row.values())


def _comparable(value: Any, type_: str, is_sqlite: bool) -> Any:
    if value is None:
        return None
    if type_ == "JSON":
        return json.loads(value) if is_sqlite else value
    if type_ == "DATETIME":
        return str(value).removesuffix("+00:00").removesuffix(".000000")
    return value


def _same_table(now: str, before: str, name: str, is_sqlite: bool) -> None:
    """Byte for byte, up to new columns at the end. JSONB has its own order of keys, of the cells that hold some."""
    was = list(csv.reader(io.StringIO(before, newline="")))
    rows = [row[: len(was[0])] for row in csv.reader(io.StringIO(now, newline=""))]
    if is_sqlite:
        assert (
            "".join(csv_lines((dict(zip(was[0], row, strict=True)) for row in rows[1:]), rows[0])) == before
        ), name
    else:
        assert [list(map(_sorted, row)) for row in rows] == [list(map(_sorted, row)) for row in was], name


def _sorted(cell: str) -> str:
    return json.dumps(json.loads(cell), sort_keys=True) if cell.startswith("{") else cell


# What 0.4 computes otherwise: the ends of intervals that stand in tables, and the labels of the hierarchical model.
RENEWED = {
    *("ci_low", "ci_high", "accuracy_low", "accuracy_high", "left_low", "left_high", "resamples"),
    *("p_a", "label", "n_disagreements", "disagreements", "n_label_is_truth"),
}


def _same_numbers(now: Any, before: Any, at: str) -> None:
    """The same keys in the same order, new ones behind them, and the same values in all but intervals and labels."""
    if isinstance(before, Mapping):
        assert list(now)[: len(before)] == list(before), at
        for key, value in before.items():
            if "interval" not in key and key not in RENEWED and not (key == "reason" and "ci_low" in before):
                _same_numbers(now[key], value, f"{at}.{key}")
    elif isinstance(before, list):
        assert len(now) == len(before), at
        for index, (one, other) in enumerate(zip(now, before, strict=True)):
            _same_numbers(one, other, f"{at}[{index}]")
    elif isinstance(before, float):
        assert now == pytest.approx(before, rel=1e-6, abs=1e-9), at
    else:
        assert now == before, at


def test_answers_from_before_carry_no_evidence_and_no_rule(after: Database, tmp_path: Path) -> None:
    with after.reading() as session:
        for slug in ("nav", "free", "hntt-1"):
            rows = _responses(session, slug, tmp_path)
            assert {(row["layout"], row["opened_ms"], row["interval_ms"]) for row in rows} == {("", "", "")}
            assert {row["block"] for row in rows} == {"trials"}
            assert "unwatched" not in {row["excluded"] for row in rows}
            assert not any(row["flags"] for row in rows if row["mode"] == "simulated")
            raised = {flag for row in rows for flag in row["flags"].split(";")}
            assert raised.isdisjoint({"short-interval", "not-fetched", "not-served", "rt-long"})
            if slug == "nav":
                assert {"not-watched", "too-fast", "sped-up", "hidden", "unplayable", "one-sided"} <= raised


def test_who_was_under_way_goes_on_with_the_old_link_and_nothing_unknown_is_held_against_them(
    after: Database, tmp_path: Path
) -> None:
    active = [row for row in _rows(gold()["rows"]["participant_session"]) if row["status"] == "active"]
    assert active
    with after.transaction() as session:
        for row in active:
            where = locate(session, row["token"])
            assert where.page.kind == "trial"
            at = NOW + timedelta(days=9)
            mark_shown(session, where.session_id, where.step, at)
            form = {"submit_id": f"{where.page}.now", "choice": "left", "uncertainty": "1", "rt_ms": "20000"}
            submit(session, row["token"], form, at + timedelta(seconds=21), random.Random(1))
            stored = session.exec(
                select(Response).where(Response.session_id == row["id"]).order_by(col(Response.id).desc())
            ).first()
            assert stored is not None
            assert (stored.submit_id, stored.interval_ms) == (f"{where.page}.now", 21_000)
            assert (stored.fetched_a, stored.unwatched, stored.raised) == (None, False, "no-telemetry")


def test_a_service_goes_back_to_the_tables_of_before_with_its_answers(upgraded: URL) -> None:
    """What migrations promise of going back: new columns go, all else stays."""
    engine = make_engine(upgraded, writing=True, enforcing=False)
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        downgrade(config, "0003")
    with Session(engine) as session:
        _same_rows(session)
    engine.dispose()


def _responses(session: Session, slug: str, folder: Path) -> Sequence[Mapping[str, str]]:
    export(session, slug, What.RESPONSES, Format.CSV, folder / "now.csv")
    with (folder / "now.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
