"""`likely-human study exclude` and `include`: many sessions at once, by number or by the rule that they met."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.reports.export import rows_of
from app.studies.versions import set_state
from app.trials.tables import Exclusion, State
from tests.factories import NOW, load_file
from tests.program import Done, Program
from tests.reports.people import take, walk
from tests.studies.clips import add_clips

pytestmark = pytest.mark.any_database

Run = Callable[..., Done]
WHY = "Pressed one side"


def _fair(_pair: str, left: str) -> Mapping[str, str]:
    return {"choice": take("a", left), "rt_ms": "12000"}


def _left_handed(_pair: str, _left: str) -> Mapping[str, str]:
    return {"choice": "left", "rt_ms": "12000"}


@pytest.fixture
def run(program: Program, database: Database, tmp_path: Path) -> Run:
    """Four sessions, of which 2 and 4 met the rule `same-side`, which is a remark here."""
    with database.transaction() as session:
        add_clips(session)
        load_file(session, tmp_path, exclude=[{"rule": "same-side", "use": True}])
        set_state(session, "nav", State.LIVE, now=NOW)
        for seed, answer in enumerate((_fair, _left_handed, _fair, _left_handed), start=1):
            walk(session, "nav", answer, seed=seed)
    environment = {
        "LIKELY_HUMAN_DATA": str(tmp_path / "data"),
        "DATABASE_URL": database.url.render_as_string(hide_password=False),
        "COLUMNS": "300",
        "TERM": "dumb",
    }

    def run(*words: object) -> Done:
        return program.run("study", *words, cwd=tmp_path, environment=environment)

    return run


def left_out(database: Database) -> dict[str, str | None]:
    """The reason by session, of those that are excluded."""
    with database.reading() as session:
        rows = list(rows_of(session, "nav", "participants"))
        assert all(row["use"] is (row["excluded"] is None) for row in rows)
        return {row["session"]: row["exclusion_reason"] for row in rows if row["excluded"]}


def audited(database: Database) -> list[tuple[str, str | None, Any]]:
    with database.reading() as session:
        wanted = col(AuditEntry.action).in_(["session.exclude", "session.include"])
        found = session.exec(select(AuditEntry).where(wanted).order_by(col(AuditEntry.id)))
        return [(one.action, one.subject, one.after) for one in found]


def test_those_who_met_a_rule_are_excluded_with_a_reason_and_counted_again(
    run: Run, database: Database
) -> None:
    seen = run("exclude", "nav", "--rule", "same-side", "--reason", WHY, "--preview")
    assert (seen.returncode, seen.stdout.strip()) == (0, "nav: 2 sessions")
    assert (left_out(database), audited(database)) == ({}, []), "a preview changes nothing"
    done = run("exclude", "nav", "--rule", "same-side", "--reason", WHY)
    assert (done.returncode, done.stdout.strip()) == (0, "nav: 2 sessions excluded"), done.stderr
    assert left_out(database) == {"2": WHY, "4": WHY}
    assert audited(database) == [("session.exclude", f"session {id_}", WHY) for id_ in (2, 4)]
    back = run("include", "nav", "--rule", "same-side")
    assert back.stdout.strip() == "nav: 2 sessions counted again"
    assert left_out(database) == {}
    with database.reading() as session:
        assert [one.lifted_at is not None for one in session.exec(select(Exclusion))] == [True, True]


def test_sessions_by_number_are_excluded_once_each(run: Run, database: Database) -> None:
    assert run("exclude", "nav", "--session", 3, "--reason", "Same class").returncode == 0
    done = run("exclude", "nav", "--session", 3, "--session", 1, "--reason", "Another reason")
    assert done.stdout.strip() == "nav: 1 session excluded; 1 already were"
    assert left_out(database) == {"1": "Another reason", "3": "Same class"}, "the first reason stays"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nav", "--reason", WHY], "say which sessions: --session N, once for each, or --rule NAME"),
        (["nav", "--session", 1, "--rule", "same-side", "--reason", WHY], "say which sessions"),
        (["nav", "--rule", "hidden", "--reason", WHY], "nav: no session met the rule hidden"),
        (["nav", "--rule", "hiden", "--reason", WHY], "hiden"),
        (["nav", "--session", 1, "--session", 99, "--reason", WHY], "99"),
        (["nav", "--session", 1, "--reason", "  "], "Give a short reason, for readers of the data."),
        (["other", "--session", 1, "--reason", WHY], "other"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line_and_changes_nothing(
    run: Run, database: Database, words: list[object], said: str
) -> None:
    done = run("exclude", *words)
    assert done.returncode == 1, done.stdout
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert left_out(database) == {}
