"""Every page of a study whose answers came with a mapping file."""

from pathlib import Path

import pytest

from app.database import Database
from app.reporting.mapped import import_mapped
from tests.experimenter.persons import Person
from tests.factories import NOW

MAPPING = """\
kind: 2afc
study: elsewhere-1
columns: {participant: who, pair: item, choice: pick, certainty: sure, source_a: one, source_b: two}
constants: {truth: human}
named_by: {choice: source, truth: source}
"""


@pytest.fixture
def here(database: Database, tmp_path: Path) -> str:
    lines = [f"w{n % 4},pair {n // 4} | é,{'human' if n % 3 else 'bot'},{7 * n},human,bot" for n in range(12)]
    (tmp_path / "t.csv").write_text(
        "who,item,pick,sure,one,two\n" + "\n".join(lines) + "\n", encoding="utf-8"
    )
    (tmp_path / "map.yaml").write_text(MAPPING)
    with database.transaction() as session:
        import_mapped(session, tmp_path / "t.csv", tmp_path / "map.yaml", NOW)
    return "/admin/studies/elsewhere-1"


def test_its_pages_open_and_show_its_answers(here: str, owner: Person) -> None:
    pages = (
        "",
        "/design",
        "/pairs",
        "/versions",
        "/launch",
        "/monitor",
        "/sessions",
        "/sessions/1",
        "/data",
        "/judges",
    )
    texts = {}
    for page in pages:
        reply = owner.get(f"{here}{page}")
        assert reply.status_code == 200, (page, reply.text[:500])
        texts[page] = reply.text
    assert "How certain?" in texts["/sessions/1"]
    assert "pair 2 | é" in texts["/monitor"]
