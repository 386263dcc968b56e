"""The layout of two clips: in the study file, on the page, and in what is made of the browser's report."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.reports.export import rows_of
from app.reports.report import build_report
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.studies.file.drafts import keys_of_design
from app.studies.file.load import load_study
from app.studies.versions import stimulus_facts
from app.trials.tables import Mode
from tests.clock import Clock
from tests.factories import NOW, open_study, study_file
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

CLIP = {"duration_s": 1.0, "played": [[0, 1]], "watched": True, "plays": 1, "stalls": 0, "stall_ms": 0,
        "dropped_frames": 0, "frames": 30, "errors": [], "failed": False, "max_rate": 1}  # fmt: skip
IN_TURN: dict[str, Any] = {"v": 1, "loads": 1, "drift_ms_max": None, "hidden_ms": 0, "layout": "sequential",
                           "left": CLIP, "right": CLIP}  # fmt: skip


def trials(**keys: str) -> dict[str, object]:
    given = study_file()["trials"]
    assert isinstance(given, dict)
    return given | keys


def rows(database: Database, what: str = "responses") -> list[Mapping[Any, Any]]:
    with database.reading() as session:
        return list(rows_of(session, "nav", what))


def opened(
    database: Database, library: tuple[ClipStore, Sequence[ImportedClip]], folder: Path, layout: str
) -> None:
    with database.transaction() as session:
        open_study(session, folder, library[1], trials=trials(layout=layout))


def test_in_turn_the_page_says_so_and_the_answer_needs_the_time_of_both(
    client: TestClient,
    database: Database,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    tmp_path: Path,
) -> None:
    opened(database, library, tmp_path, "sequential")
    walk = Walk(client).to("trial-1")
    assert 'data-layout="sequential" data-in-turn' in walk.html
    assert walk.html.count("First video") >= 2
    walk.answer(playback=json.dumps(IN_TURN), rt_ms="2600")
    for side in ("left", "right"):
        client.get(f"{walk.address}/clips/2-{side}.mp4")
    Clock.wait(1)  # enough for two at once
    client_says = json.dumps({**IN_TURN, "drift_ms_max": 9_000})
    walk.watch = lambda: None  # type: ignore[method-assign]
    walk.answer(playback=client_says, rt_ms="1000")
    first, second = rows(database)
    assert (first["layout"], first["flags"], first["excluded"]) == ("sequential", None, None)
    assert (second["layout"], second["excluded"]) == ("sequential", "unwatched")
    assert second["flags"] == "too-fast;short-interval;rt-odd"
    assert {row["drift_ms_max"] for row in rows(database, "playback")} == {None}


def test_a_study_that_shows_both_at_once_takes_no_report_of_turns(
    client: TestClient, study: str, database: Database
) -> None:
    walk = Walk(client, study).to("trial-1")
    assert "data-layout" not in walk.html
    assert "First video" not in walk.html
    walk.answer(playback=json.dumps({**IN_TURN, "drift_ms_max": 9_000}), rt_ms="2600")
    [row] = rows(database)
    assert (row["layout"], row["flags"]) == (None, "out-of-step")


@pytest.mark.slow
@pytest.mark.usefixtures("few_resamples")
def test_simulated_people_see_what_their_window_allows(
    client: TestClient,
    database: Database,
    settings: Settings,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    tmp_path: Path,
) -> None:
    opened(database, library, tmp_path, "by-width")
    run_simulation(settings, database, "nav", n=3, traits=Traits(), seed=3)
    seen = {row["participant"]: {each["layout"] for each in rows(database) if each["participant"] == row["participant"]}
            for row in rows(database)}  # fmt: skip
    assert {frozenset(layouts) for layouts in seen.values()} == {
        frozenset({"side-by-side"}),
        frozenset({"sequential"}),
    }
    with database.reading() as session:
        build_report(session, "nav", tmp_path / "report", mode=Mode.SIMULATED, made_at=NOW)
    page = (tmp_path / "report/report.html").read_text(encoding="utf-8")
    assert "Layouts of the clips" in page
    found = json.loads((tmp_path / "report/results.json").read_text(encoding="utf-8"))
    told = found["studies"][0]["layouts"]
    assert [one["layout"] for one in told["layouts"]] == ["side-by-side", "sequential"]
    assert sum(one["n_answers"] for one in told["layouts"]) == 30
    assert list((tmp_path / "report").rglob("*layouts*.csv"))


def test_the_layout_is_a_key_of_the_study_file_and_the_usual_one_leaves_the_hash(
    database: Database, library: tuple[ClipStore, Sequence[ImportedClip]], tmp_path: Path
) -> None:
    with database.transaction() as session:
        open_study(session, tmp_path, library[1])
        facts = stimulus_facts(session)

    def design(**keys: str) -> Any:
        path = tmp_path / "other.yaml"
        path.write_text(yaml.safe_dump(study_file(trials=trials(**keys))))
        return load_study(path, facts)

    plain = design()
    assert design(layout="side-by-side").sha256() == plain.sha256()
    assert "layout" not in plain.canonical_json()
    turned = design(layout="sequential")
    assert turned.sha256() != plain.sha256()
    assert keys_of_design(turned)["trials"]["layout"] == "sequential"
