"""Numbers that may change: said while the exclusion rules wait to be applied to a whole study, and only then."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.data import analyze
from app.cli.data import export as export_command
from app.cli.quality import quality
from app.cli.reporting import report
from app.core.database import Database
from app.core.settings import Settings
from app.jobs import queue
from app.jobs.tables import Kind
from app.reports.kinds import What
from app.studies.versions import set_state
from app.trials.tables import Mode, State
from app.verdicts.judging import not_judged
from app.worker.worker import drain
from tests.factories import NOW, load_file
from tests.reports.people import walk
from tests.studies.clips import add_clips
from tests.verdicts.test_judging import silent

pytestmark = pytest.mark.any_database
RULES = [{"rule": "same-side"}, {"rule": "shared-text", "at_least": 1}]

TakePart = Callable[..., None]


@pytest.fixture
def take_part(database: Database, tmp_path: Path) -> TakePart:
    """A session of a study with a rule that holds sessions against each other, or of one without rules."""
    with database.transaction() as session:
        add_clips(session)
        for slug, rules in (("nav", RULES), ("plain", None)):
            load_file(session, tmp_path, study=slug, exclude=rules)
            set_state(session, slug, State.LIVE, now=NOW)

    def take_part(seed: int, slug: str = "nav", mode: Mode = Mode.LIVE) -> None:
        with database.transaction() as session:
            walk(session, slug, silent, seed=seed, recruiter={"PROLIFIC_PID": f"p{seed}"}, mode=mode)

    return take_part


def waiting(database: Database, slug: str = "nav") -> str:
    with database.reading() as session:
        return not_judged(session, slug)


@pytest.mark.both_databases
def test_sessions_wait_for_their_verdict_from_their_end_until_the_job_is_done(
    take_part: TakePart, database: Database, settings: Settings
) -> None:
    assert waiting(database) == ""
    take_part(1)
    assert waiting(database) == "1 session is not judged yet"
    take_part(2)
    take_part(3, mode=Mode.PREVIEW)
    assert waiting(database) == "2 sessions are not judged yet"
    with database.transaction() as session:
        assert queue.take(session, list(Kind), NOW)
    assert waiting(database) == "2 sessions are not judged yet", "a job that runs has stored nothing"
    with database.transaction() as session:
        queue.requeue(session, NOW)
    drain(settings, database)
    assert waiting(database) == ""
    take_part(4)
    assert waiting(database) == "1 session is not judged yet", "those before are judged"
    take_part(5, "plain")
    assert waiting(database, "plain") == waiting(database, "nowhere") == ""


def test_commands_say_so_in_one_line_and_only_while_it_is_true(
    take_part: TakePart,
    database: Database,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", settings.database)
    take_part(1)
    take_part(2)

    def told() -> list[str]:
        capsys.readouterr()
        analyze(["nav"], resamples=0)
        report(["nav"], output=tmp_path / "report", resamples=0)
        export_command("nav", What("responses"), output=tmp_path / "responses.csv")
        quality(["nav"])
        lines = capsys.readouterr().err.splitlines()
        return [line for line in lines if "judged" in line]

    said = "nav: 2 sessions are not judged yet; "
    assert told() == [f"{said}numbers may change."] * 3 + [f"{said}other numbers than these may change."]
    drain(settings, database)
    assert told() == []


def test_quality_says_that_a_study_has_no_rules_and_how_many_sessions(
    take_part: TakePart,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", settings.database)
    take_part(1, "plain")
    take_part(2, "plain", mode=Mode.PREVIEW)
    quality(["plain"])
    assert capsys.readouterr().out == "This study has no rules of exclusion; 1 session ended.\n"
    quality(["plain"], as_json=True)
    read = capsys.readouterr()
    assert (read.out, "no rules of exclusion" in read.err) == ("{}\n", True)
    quality(["nav"])
    assert "0 sessions: 0 not used" in capsys.readouterr().out
