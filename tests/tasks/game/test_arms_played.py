"""A live game in two arms over HTTP: who plays with whom, what counts, and what its tables say of the arms."""

import csv
from collections.abc import Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlmodel import col, select
from starlette.testclient import TestClient

from app.accounts.logins import token_hash
from app.core.database import Database
from app.reports.export import export
from app.reports.flow import flows_of
from app.reports.kinds import Format
from app.sessions.exclusions import leave_out
from app.sessions.places import Places
from app.sessions.retargeting import places_for
from app.studies.file.load import load_study
from app.studies.launch import study_here
from app.studies.partners import partner_checks
from app.studies.versions import load_version, set_state
from app.tasks.game.tables import Seat
from app.trials.tables import ParticipantSession, SessionToken, State, Study
from tests.clock import Clock
from tests.factories import NOW
from tests.tasks.game.people import Person, game_block, matches, play_on

pytestmark = [pytest.mark.any_database, pytest.mark.usefixtures("at_now")]


@pytest.fixture
def at_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "at", NOW)


def study_of(target: int, **keys: Any) -> Mapping[str, Any]:
    """A short and a long game, one in each arm."""
    return {
        "study": "play",
        "title": "A game",
        "consent": {"version": "1", "text": "# Consent\n\nVoluntary.\n"},
        "arms": [{"id": name, "target": target} for name in ("short", "long")],
        "blocks": [
            game_block(id=name, configs={"rounds": rounds}, arms=[name], **keys)
            for name, rounds in (("short", 2), ("long", 4))
        ],
        "completion": {"code": "PAID7", "codes": {"full": "FULL1"}},
    }


def open_arms(database: Database, folder: Path, target: int, **keys: Any) -> None:
    path = folder / "game.yaml"
    path.write_text(yaml.safe_dump(study_of(target, **keys)))
    with database.transaction() as session:
        load_version(session, load_study(path, {}), NOW)
        set_state(session, "play", State.LIVE)


def session_of(database: Database, person: Person) -> ParticipantSession:
    sha256 = token_hash(person.address.rpartition("/")[2])
    with database.reading() as session:
        found = select(ParticipantSession).join(SessionToken).where(SessionToken.sha256 == sha256)
        return session.exec(found).one()


def places(database: Database) -> Places:
    with database.reading() as session:
        return places_for(session, study_here(session, "play"), Clock.now(UTC))


def counted(database: Database) -> list[tuple[str, int, int]]:
    return [(arm.arm, arm.completed, arm.active) for arm in places(database).arms]


def test_matches_stay_within_an_arm_and_fill_its_target(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    """The first two are of different arms, and wait though two are there; the next two find their partners."""
    open_arms(database, tmp_path, 2)
    people = [Person(client, database) for _ in range(2)]
    assert [person.look() for person in people] == ["waiting", "waiting"]
    people += [Person(client, database) for _ in range(2)]
    arms = [session_of(database, person).arm for person in people]
    assert sorted(arms[:2]) == sorted(arms[2:]) == ["long", "short"]
    client.cookies.clear()
    full = client.get("/s/play")
    assert (full.status_code, "FULL1" in full.text) == (403, True)
    play_on(people)
    assert counted(database) == [("short", 0, 2), ("long", 0, 2)]
    for person in people:
        assert person.act("next") == "end"
    assert (counted(database), places(database).state) == ([("short", 2, 0), ("long", 2, 0)], "closed")
    with database.reading() as session:
        seated = session.exec(
            select(Seat.match_id, ParticipantSession.arm).join(
                ParticipantSession, col(ParticipantSession.id) == Seat.session_id
            )
        ).all()
        found = {one.id: one.arm for one in matches(session)}
    assert {(match, arm) for match, arm in seated} == set(found.items())
    assert sorted(found.values()) == ["long", "short"]


def test_exports_flow_and_exclusion_have_the_arms(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    """One person excluded by hand frees a place of that arm alone, and takes the whole match out of the numbers."""
    open_arms(database, tmp_path, 2)
    people = [Person(client, database) for _ in range(4)]
    play_on(people)
    for person in people:
        person.act("next")
    out = next(person for person in people if session_of(database, person).arm == "long")
    with database.transaction() as session:
        leave_out(session, "play", session_of(database, out).id or 0, "a friend of ours", NOW)
    assert counted(database) == [("short", 2, 0), ("long", 1, 0)]
    for what in ("moves", "seats_played"):
        path = tmp_path / f"{what}.csv"
        with database.reading() as session:
            export(session, "play", what, Format.CSV, path)
        rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
        assert len({(row["match"], row["arm"]) for row in rows}) == 2
    with database.reading() as session:
        flow = flows_of(session, "play")["live"]
    assert {arm: (steps[0].n, steps[-1].n) for arm, steps in flow.arms.items()} == {
        "short": (2, 2),
        "long": (2, 1),
    }


def test_who_waits_when_the_arm_fills_plays_with_a_program_and_counts(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    """Of three in an arm one is left over: nobody else is let in, so the wait ends at its bound."""
    open_arms(database, tmp_path, 3)
    people = [Person(client, database) for _ in range(6)]
    play_on([person for person in people if person.seat])
    left_over = [person for person in people if person.look() == "waiting"]
    assert sorted(session_of(database, person).arm for person in left_over) == ["long", "short"]
    for person in people:
        if person not in left_over:
            person.act("next")
    assert counted(database) == [("short", 2, 1), ("long", 2, 1)]
    for _ in range(60):
        Clock.wait(10)
        if {person.look() for person in left_over} == {"playing"}:
            break
    play_on(left_over)
    for person in left_over:
        assert person.act("next") == "end"
    assert (counted(database), places(database).state) == ([("short", 3, 0), ("long", 3, 0)], "closed")
    with database.reading() as session:
        assert session.exec(select(Study.state)).one() == "closed"


def test_the_checklist_warns_of_a_target_that_leaves_somebody_over(tmp_path: Path) -> None:
    def said(target: int, **keys: Any) -> list[str]:
        path = tmp_path / "game.yaml"
        path.write_text(yaml.safe_dump(study_of(target, **keys)))
        return [check.detail for check in partner_checks(load_study(path, {}))]

    assert said(2) == []
    [words] = said(3)
    assert words.startswith(
        "Arm short is to have 3, and 2 people play a match in short and arm long is to have 3"
    )
