"""The guard over `Database.write` in every test, and preparing before a write."""

import asyncio
import csv
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from sqlmodel import Session, select

from app.core.database import TRIES, Database
from app.core.errors import Stale
from app.trials.tables import Study

FILE = Path(__file__)
BESIDE: dict[str, Callable[[], object]] = {
    "open": lambda: FILE.read_bytes(),
    "os.stat": lambda: FILE.is_file(),
    "os.access": lambda: os.access(FILE, os.R_OK),
    "os.listdir": lambda: os.listdir(FILE.parent),
    "csv.reader": lambda: list(csv.reader(["a,b"])),
    "yaml.compose": lambda: yaml.compose("a: b"),
}


def doing(session: Session, do: Callable[[], object]) -> None:
    do()


def test_whatever_a_write_does_beside_sql_is_found(database: Database, beside_sql: list[str]) -> None:
    for name, do in BESIDE.items():
        do()
        asyncio.run(database.write(doing, do))
        assert any(found.startswith(name) for found in beside_sql), name
        beside_sql.clear()


def test_sql_and_what_is_read_outside_a_write_are_not_found(
    database: Database, beside_sql: list[str]
) -> None:
    def prepare(session: Session) -> int:
        return len([do() for do in BESIDE.values()])

    def write(session: Session, n: int) -> tuple[int, int]:
        return n, len(session.exec(select(Study)).all())

    assert asyncio.run(database.prepare_and_write(prepare, write)) == (len(BESIDE), 0)
    assert beside_sql == []


def test_a_write_is_prepared_again_where_what_was_read_has_changed(database: Database) -> None:
    prepared: list[int] = []

    def prepare(session: Session) -> int:
        prepared.append(len(prepared))
        return prepared[-1]

    def job(wanted: int) -> Callable[[Session, int], int]:
        def run(session: Session, n: int) -> int:
            if n < wanted:
                raise Stale
            return n

        return run

    assert asyncio.run(database.prepare_and_write(prepare, job(1))) == 1
    prepared.clear()
    with pytest.raises(Stale, match="at the same moment"):
        asyncio.run(database.prepare_and_write(prepare, job(TRIES)))
    assert len(prepared) == TRIES
