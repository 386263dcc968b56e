"""Live matches over HTTP: coming together, playing, deadlines, leaving; what is stored and what is not."""

from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.sessions.tables import Response
from app.tasks.game.tables import GameEvent, Seat
from tests.tasks.game.people import Person, matches, open_game, play_on

pytestmark = pytest.mark.any_database

GAMES: dict[str, tuple[int, dict[str, Any]]] = {
    "sug": (3, {"players": 3, "rounds": 2}),
    "glee-bargaining": (2, {"rounds": 4}),
    "glee-negotiation": (2, {"rounds": 3}),
    "glee-persuasion": (2, {"rounds": 3}),
    "wac": (5, {"days": 3}),
}


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_whole_match_is_played_through_the_pages(
    client: TestClient, database: Database, tmp_path: Path, game: str
) -> None:
    n, config = GAMES[game]
    open_game(database, tmp_path, game=game, configs=config, bonus={"minor_per_unit": 0.5, "cap_minor": 300})
    people = [Person(client, database) for _ in range(n)]
    assert [person.look() for person in people] == ["playing"] * n
    play_on(people)
    assert [person.stage for person in people] == ["result"] * n
    assert [person.act("next") for person in people] == ["end"] * n
    assert all("PAID7" in person.html for person in people)
    with database.reading() as session:
        [match] = matches(session)
        assert match.status == "finished"
        seats = session.exec(select(Seat)).all()
        assert sorted(seat.seat for seat in seats) == list(range(1, n + 1))
        answers = [
            response.answers
            for response in session.exec(select(Response).where(col(Response.trial_id).is_not(None)))
        ]
        assert sorted((a["seat"], a["payoff_units"], a["bonus_minor"]) for a in answers) == [
            (seat.seat, seat.payoff, seat.bonus_minor) for seat in sorted(seats, key=lambda s: s.seat)
        ]
        events = session.exec(select(GameEvent).order_by(col(GameEvent.seq))).all()
        assert [event.seq for event in events] == list(range(1, match.last_seq + 1))
        assert not [event for event in events if event.auto]
