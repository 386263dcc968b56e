"""Databases as earlier revisions kept them: their rows go in at that revision, and what they say comes out."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import URL, text
from sqlmodel import Session, SQLModel, col, select

from analysis import analyze
from app.core.engines import make_engine
from app.core.errors import StudyError
from app.reports.export import export
from app.reports.facts import designs_of, tables_of
from app.reports.frames import responses_frame
from app.reports.kinds import Format
from app.reports.packaging.collect import Collection, selected_of
from app.reports.packaging.pseudonyms import Pseudonyms, pseudonyms_of
from app.reports.study_facts import study_facts
from app.trials.tables import Study
from tests.conftest import migrate

Held = Mapping[str, Any]


def empty(url: URL) -> None:
    """The test's database without a single table."""
    engine = make_engine(url, writing=True, enforcing=False)
    with engine.begin() as connection:
        SQLModel.metadata.drop_all(connection)
        connection.execute(text("DROP TABLE alembic_version"))
    engine.dispose()


def restore(url: URL, held: Held, revision: str) -> None:
    """Make the tables of a revision in an empty database and put rows into them: by table, its columns and its rows."""
    migrate(url, revision)
    engine = make_engine(url, writing=True, enforcing=False)
    is_postgres = url.get_backend_name() == "postgresql"
    with engine.begin() as connection:
        if is_postgres:
            connection.execute(text("SET session_replication_role = replica"))  # tables in any order
        for table, there in held.items():
            names = [name for name, _ in there["columns"]]
            values = ", ".join(f":{name}" for name in names)
            rows = [
                {name: _stored(row[name], type_, is_postgres) for name, type_ in there["columns"]}
                for row in rows_in(there)
            ]
            connection.execute(text(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values})"), rows)
            if is_postgres and "id" in names:
                at = f"setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
                connection.execute(text(f"SELECT {at}"))
    engine.dispose()


def rows_in(there: Held) -> Iterator[dict[str, Any]]:
    names = [name for name, _ in there["columns"]]
    return (dict(zip(names, row, strict=True)) for row in there["rows"])


def _stored(value: Any, type_: str, is_postgres: bool) -> Any:
    """As SQLite holds it, or as PostgreSQL takes it."""
    if not is_postgres or value is None:
        return value
    if type_ == "BOOLEAN":
        return bool(value)
    return f"{value}+00:00" if type_ == "DATETIME" else value


def outputs(session: Session, folder: Path, *, with_numbers: bool = True) -> dict[str, str]:
    """Every export as CSV and JSON lines, every table of a package with names, pseudonyms and unlinked, all numbers."""
    found = {}
    for slug in session.exec(select(Study.slug).order_by(col(Study.slug))).all():
        for what in tables_of(designs_of(session, slug).values()):
            for format_ in (Format.CSV, Format.JSONL):
                path = folder / "now"
                try:
                    export(session, slug, what, format_, path)
                except StudyError as refusal:
                    found[f"{slug}/{what}.{format_}"] = f"refused: {refusal}"
                else:
                    found[f"{slug}/{what}.{format_}"] = path.read_bytes().decode()
        packages = {
            "names": Pseudonyms(None),
            "pseudonyms": pseudonyms_of(session, slug, keeps_links=True),
            "unlinked": pseudonyms_of(session, slug),
        }
        for kind, pseudonyms in packages.items():
            collection = Collection(folder / slug / kind, study_facts(session, slug), pseudonyms)
            for what in selected_of(collection.facts):
                collection.add_selected(session, what)
            responses = collection.responses()
            for mode in ("live", "pilot", "simulated"):
                if (responses["mode"] == mode).any():
                    collection.add_labels(responses, mode)
                    collection.add_preferences(responses, mode)
                    break
            for table in collection.tables:
                found[f"{slug}/{kind}/{table.path}"] = (collection.folder / table.path).read_bytes().decode()
        for mode in ("live", "simulated") if with_numbers else ():
            frame = responses_frame(session, slug)
            if (frame["mode"] == mode).any():
                numbers = analyze([frame], mode=mode, seed=1, resamples=100).to_dict()
                found[f"{slug}/analyze/{mode}"] = json.dumps(numbers, ensure_ascii=False)
    return found
