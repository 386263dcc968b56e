"""Simulated participants on the map, through the real pages, and the tables of their walks."""

import csv
import io
import zipfile
from pathlib import Path

import pytest

from app.core.database import Database
from app.core.settings import Settings
from app.reports.export import export
from app.reports.kinds import Format
from app.reports.package import build_package
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from tests.factories import NOW
from tests.tasks.walk.walking import SLUG, load_walks

pytestmark = [pytest.mark.any_database, pytest.mark.slow]


def test_simulated_participants_arrive_and_their_positions_are_where_they_walked(
    settings: Settings, database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_walks(session, tmp_path, practice=1, walks=2)
    assert run_simulation(settings, database, SLUG, n=2, traits=Traits(), seed=1) == 2
    with database.reading() as session:
        for what in ("walks", "positions"):
            export(session, SLUG, what, Format.CSV, tmp_path / f"{what}.csv")
        build_package(session, SLUG, tmp_path / "package.zip", made_at=NOW)
    walks, positions = (
        list(csv.DictReader((tmp_path / f"{w}.csv").read_text().splitlines())) for w in ("walks", "positions")
    )
    assert [row["kind"] for row in walks] == ["practice", "main", "main"] * 2
    assert {(row["ended"], row["mode"], row["flags"]) for row in walks} == {("arrived", "simulated", "")}
    for walk in walks:
        rows = [row for row in positions if row["trial"] == walk["trial"]]
        assert len(rows) == round(float(walk["duration_s"]) * 30)
        first, last = rows[0], rows[-1]
        assert abs(float(first["x_m"]) - float(walk["start_x_m"])) < 0.12
        away = [float(last[axis]) - float(last[f"goal_{axis}"]) for axis in ("x_m", "y_m")]
        assert 1.8 < sum(d * d for d in away) ** 0.5 <= 2.0001
    # A package has both, with sessions and walks numbered anew.
    with zipfile.ZipFile(tmp_path / "package.zip") as package:
        texts = {
            what: package.read(
                next(name for name in package.namelist() if f"description-{what}_data.csv" in name)
            )
            for what in ("walks", "positions")
        }
    packed, places = (list(csv.DictReader(io.StringIO(text.decode()))) for text in texts.values())
    assert sorted(row["path_m"] for row in packed) == sorted(row["path_m"] for row in walks)
    assert (
        {row["trial"] for row in places} == {row["trial"] for row in packed} == {str(n) for n in range(1, 7)}
    )
