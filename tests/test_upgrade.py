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
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from alembic.command import downgrade
from alembic.config import Config
from sqlalchemy import URL, inspect, text
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from analysis import analyze
from app.core.database import Database
from app.core.engines import make_engine
from app.core.spreadsheet import csv_lines
from app.reports.export import export
from app.reports.frames import responses_frame
from app.reports.kinds import Format, What
from app.reports.packaging.collect import Collection, selected_of
from app.reports.packaging.pseudonyms import Pseudonyms
from app.reports.study_facts import study_facts
from app.sessions.state_machine import mark_shown, submit
from app.sessions.where import locate
from app.tasks.game.replay import replayed
from app.tasks.game.tables import GameEvent
from app.trials.responses import Response
from tests.conftest import migrate
from tests.factories import NOW
from tests.old_databases import empty, outputs, restore, rows_in
from tests.tasks.game.people import SLUG, Person, forget, open_game, play_on

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
DECLINED = ("refused", "under-age")


@cache
def gold() -> Any:
    return json.loads(gzip.decompress((Path(__file__).parent / "gold" / "0.3.json.gz").read_bytes()))


@cache
def gold_of_0_4() -> Any:
    return json.loads(gzip.decompress((Path(__file__).parent / "gold" / "0.4.json.gz").read_bytes()))


@pytest.fixture(scope="module")
def kept_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that keeps SQLite's upgraded database for the tests after the first."""
    return tmp_path_factory.mktemp("upgraded") / "0.3.sqlite3"


@pytest.fixture
def upgraded(database_url: URL, kept_file: Path) -> URL:
    file = database_url.database or "" if database_url.get_backend_name() == "sqlite" else None
    if file and kept_file.exists():
        shutil.copy(kept_file, file)
        return database_url
    empty(database_url)
    restore(database_url, gold()["rows"], "0003")
    migrate(database_url)
    if file:
        shutil.copy(file, kept_file)
    return database_url


@pytest.fixture
def after(upgraded: URL) -> Iterator[Database]:
    database = Database(upgraded)
    yield database
    database.close()


@pytest.mark.both_databases
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
            for what in selected_of(collection.facts):
                collection.add_selected(session, what)
            for path, before in gold()["packages"][kind].items():
                _same_table(
                    (tmp_path / kind / path).read_bytes().decode(), before, f"{kind}: {path}", is_sqlite
                )
        for slug, before in gold()["numbers"].items() if is_sqlite else ():  # of responses that are the same
            now = analyze([responses_frame(session, slug)], seed=1, resamples=100).to_dict()
            _same_numbers(json.loads(json.dumps(now)), before, slug)


def _pseudonyms() -> Mapping[str, str]:
    """The participants' numbers in the old package: numbers were given by arrival, which they are no longer."""
    tables = (gold()["packages"][kind] for kind in ("names", "pseudonyms"))
    people = (next(table for path, table in each.items() if "participants" in path) for each in tables)
    real, numbered = (list(csv.DictReader(io.StringIO(table, newline=""))) for table in people)
    return {one["participant"]: two["participant"] for one, two in zip(real, numbered, strict=True)}


_PAIR = (
    "SELECT u.*, a.stimulus_id AS stimulus_a_id, a.sha256 AS clip_a_sha256, a.bytes AS clip_a_bytes, "
    "a.duration_s AS clip_a_duration_s, b.stimulus_id AS stimulus_b_id, b.sha256 AS clip_b_sha256, "
    "b.bytes AS clip_b_bytes, b.duration_s AS clip_b_duration_s FROM unit u "
    "JOIN unit_member a ON a.unit_id = u.id AND a.slot = 'a' "
    "JOIN unit_member b ON b.unit_id = u.id AND b.slot = 'b'"
)
_TRIAL = "SELECT t.*, unit_id AS pair_id, {left} AS left_member FROM trial t"
_PLAYBACK = "SELECT e.*, slot AS member FROM evidence e"
# Where the rows of a table of before are since 0013: on PostgreSQL, and on SQLite.
NOW_FROM = {
    "pair": (_PAIR, _PAIR),
    "trial": (_TRIAL.format(left="plan ->> 'left'"), _TRIAL.format(left="json_extract(plan, '$.left')")),
    "playback": (_PLAYBACK, _PLAYBACK),
}


def _same_rows(session: Session) -> None:
    """Every row of before is there with its values, but for what was to be forgotten of who declined."""
    sessions = rows_in(gold()["rows"]["participant_session"])
    declined = {row["id"] for row in sessions if row["status"] in DECLINED and row["mode"] != "preview"}
    assert declined
    is_sqlite = session.get_bind().dialect.name == "sqlite"
    there = inspect(session.connection()).get_table_names()
    there = [table for table in there if table != "trial" or "pair" in there]
    for table, held in gold()["rows"].items():
        names = [name for name, _ in held["columns"] if name != "token" or table != "participant_session"]
        source = table if table in there else f"({NOW_FROM[table][is_sqlite]}) AS {table}"
        found = session.connection().execute(text(f"SELECT {', '.join(names)} FROM {source}")).mappings()
        types = dict(held["columns"])
        now = {
            _key(row): {name: _comparable(row[name], types[name], is_sqlite) for name in names}
            for row in found
        }
        for row in rows_in(held):
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
    *("p_a", "label", "n_disagreements", "disagreements", "n_label_is_truth", "n_truth", "n_truth_expected"),
    "boundary",  # a sentence, which said more than is known
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


def test_units_members_plans_and_evidence_change_no_export_package_or_number(
    database_url: URL, tmp_path: Path, exhaustive: bool
) -> None:
    """`gold/0.4.json.gz`: a database that the code of commit 822b7cb filled, and all that it said, on each backend.

    Practice, attention checks, ties, a slider, two versions, sessions of every mode, exclusions standing and lifted,
    odd telemetry, clips that would not play, imported answers with sides and without. Numbers are of responses, which
    are the same: they are computed in make test-all, on one backend.
    """
    is_sqlite = database_url.get_backend_name() == "sqlite"
    with_numbers = exhaustive and is_sqlite
    held = gold_of_0_4()
    empty(database_url)
    restore(database_url, held["rows"], held["revision"])
    migrate(database_url)
    database = Database(database_url)
    with database.reading() as session:
        now = outputs(session, tmp_path, with_numbers=with_numbers)
    database.close()
    before = held["outputs"]["sqlite"] | held["outputs"].get(database_url.get_backend_name(), {})
    before = {name: said for name, said in before.items() if with_numbers or "/analyze/" not in name}
    assert now.keys() == before.keys()
    for name, text_before in before.items():
        if now[name] == text_before:
            continue
        if "/analyze/" in name:
            _same_numbers(json.loads(now[name]), json.loads(text_before), name)
        elif name.endswith(".csv"):
            _same_cells(now[name], text_before, name)
        else:
            _same_lines(now[name], text_before, name)


def _same_cells(now: str, before: str, name: str) -> None:
    """Up to new columns at the end."""
    was = list(csv.reader(io.StringIO(before, newline="")))
    assert [row[: len(was[0])] for row in csv.reader(io.StringIO(now, newline=""))] == was, name


def _same_lines(now: str, before: str, name: str) -> None:
    """Up to new keys at the end of a line."""
    lines, were = now.splitlines(), before.splitlines()
    assert len(lines) == len(were), name
    for line, was in zip(lines, were, strict=True):
        kept = list(json.loads(line).items())[: len(json.loads(was))]
        assert json.dumps(dict(kept), ensure_ascii=False) == was, name


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
    active = [row for row in rows_in(gold()["rows"]["participant_session"]) if row["status"] == "active"]
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
    """The promise of migrations on downgrades: new columns go, all else stays."""
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
    export(session, slug, "responses", Format.CSV, folder / "now.csv")
    with (folder / "now.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.both_databases
def test_a_match_under_way_goes_on_after_an_upgrade(
    client: TestClient, database: Database, database_url: URL, tmp_path: Path
) -> None:
    """Back to the revision before and up again; a copy of SQLite's file, made meanwhile, has the same events."""
    open_game(database, tmp_path, game="sug", configs={"players": 3, "rounds": 3})
    people = [Person(client, database) for _ in range(3)]
    for person in people:
        person.look()
    rng = random.Random(1)
    assert all(person.move(rng) for person in people)
    before = _events(database)
    engine = make_engine(database_url, writing=True, enforcing=False)
    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(ROOT / "migrations"))
        downgrade(config, "0017")
    engine.dispose()
    migrate(database_url)
    forget(database)
    assert _events(database) == before
    if database.is_local:
        copy = tmp_path / "copy.sqlite3"
        with (
            closing(sqlite3.connect(database_url.database or "")) as old,
            closing(sqlite3.connect(copy)) as new,
        ):
            old.backup(new)
        copied = Database(URL.create("sqlite", database=str(copy)))
        assert _events(copied) == before
        copied.close()
    play_on(people)
    assert [person.stage for person in people] == ["result"] * 3
    with database.reading() as session:
        export(session, SLUG, "moves", Format.CSV, tmp_path / "moves.csv")
    assert len(list(replayed(tmp_path / "moves.csv"))) == 1


def _events(database: Database) -> list[tuple[int, str]]:
    with database.reading() as session:
        return [(e.seq, e.state_hash) for e in session.exec(select(GameEvent).order_by(col(GameEvent.seq)))]
