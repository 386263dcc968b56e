"""People in tests who play live matches over HTTP, by the forms of their pages."""

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from app.accounts.logins import token_hash
from app.core.database import Database
from app.studies.file.load import load_study
from app.studies.versions import load_version, set_state
from app.tasks.game.fold import forget_folds, match_table, state_of
from app.tasks.game.games import GAMES
from app.tasks.game.moves import MoveSchema
from app.tasks.game.posted import posted_value
from app.tasks.game.tables import Match, Seat
from app.trials.tables import SessionToken, State
from tests.clock import Clock
from tests.factories import NOW, submit_id_on

SLUG = "play"


def game_block(**keys: Any) -> dict[str, Any]:
    """A block of a short game of two people, who are matched at once."""
    block = {"id": "play", "task": "game", "game": "glee-bargaining", "configs": {"rounds": 4}}
    return {**block, "matching": {"ready_s": 0}, **keys}


def open_game(
    database: Database,
    folder: Path,
    state: State = State.LIVE,
    more: Sequence[dict[str, Any]] = (),
    slug: str = SLUG,
    completion: Mapping[str, Any] | None = None,
    exclude: Any = None,
    **keys: Any,
) -> None:
    """A study of one block of matches, and of `more` blocks after it."""
    study = {
        "study": slug,
        "title": "A game",
        "consent": {"version": "1", "text": "# Consent\n\nVoluntary.\n"},
        "blocks": [game_block(**keys), *more],
        "completion": {"code": "PAID7", **(completion or {})},
        **({"exclude": exclude} if exclude else {}),
    }
    path = folder / "game.yaml"
    path.write_text(yaml.safe_dump(study))
    with database.transaction() as session:
        load_version(session, load_study(path, {}), NOW)
        set_state(session, slug, state)


def forget(database: Database) -> None:
    """As a restart of the service does: nothing but rows is left."""
    with database.reading() as session:
        forget_folds(session)


class Person:
    """One session. `stage` is that of its page; `end` after the last one."""

    def __init__(self, client: TestClient, database: Database, *, slug: str = SLUG, **params: str) -> None:
        self.client, self.database = client, database
        client.cookies.clear()
        response = client.get(f"/s/{slug}", params=params)
        self.address, self.html = response.url.path, response.text
        self.post(decision="agree", of_age="yes")

    def look(self) -> str:
        self.html = self.client.get(self.address).text
        return self.stage

    @property
    def stage(self) -> str:
        if 'name="submit_id"' not in self.html and "data-state" not in self.html:
            return "end"
        for stage, sign in (
            ("waiting", 'data-part="waiting"'),
            ("ready", 'data-part="ready"'),
            ("questions", 'data-part="questions'),
            ("left", 'data-part="left"'),
            ("playing", 'data-part="purse"'),
        ):
            if sign in self.html:
                return stage
        return "result"

    def post(self, **fields: str) -> str:
        """Send a form of the page as it was last seen."""
        response = self.client.post(self.address, data={"submit_id": submit_id_on(self.html), **fields})
        assert response.status_code == 200, response.text
        self.html = response.text
        return self.stage

    def act(self, do: str, **fields: str) -> str:
        return self.post(do=do, **fields)

    @property
    def seat(self) -> Seat:
        """The last seat."""
        with self.database.reading() as session:
            return session.exec(
                select(Seat)
                .join(SessionToken, col(SessionToken.session_id) == col(Seat.session_id))
                .where(SessionToken.sha256 == token_hash(self.address.rpartition("/")[2]))
                .order_by(col(Seat.id).desc())
            ).first()  # type: ignore[return-value]

    def legal(self) -> tuple[str, MoveSchema] | None:
        """The phase and the moves, where it is this person's turn."""
        with self.database.reading() as session:
            row = (
                session.connection()
                .execute(match_table.select().where(match_table.c.id == self.seat.match_id))
                .one()
            )
            game, state = GAMES[row.game], state_of(session, row)
            phase = game.to_move(state)
            if self.seat.seat not in phase.seats or row.status != "running":
                return None
            return phase.phase_id, game.legal(state, self.seat.seat)

    def move_form(self, rng: random.Random) -> dict[str, str] | None:
        """A legal move as the page's form would send it."""
        found = self.legal()
        if found is None:
            return None
        phase_id, legal = found
        move = legal.sample(rng)
        fields = {name: posted_value(value) for name, value in move.items()}
        return {"do": "move", "phase_id": phase_id, **fields}

    def move(self, rng: random.Random) -> bool:
        """Make a legal move, if it is this person's turn."""
        form = self.move_form(rng)
        if form is None:
            return False
        self.look()
        self.post(**form)
        return True


def play_on(people: list[Person], seed: int = 0, agents_s: float = 30.0) -> None:
    """Everybody moves as long as the match goes on; where nobody can, time passes for the agents."""
    rng = random.Random(seed)
    for _ in range(2_000):
        if not running(people[0].database):
            break
        if not sum(person.move(rng) for person in people):
            Clock.wait(agents_s)
            for person in people:
                person.look()
    for person in people:
        person.look()


def running(database: Database) -> int:
    with database.reading() as session:
        return len(session.exec(select(Match.id).where(Match.status == "running")).all())


def matches(session: Session) -> list[Match]:
    return list(session.exec(select(Match).order_by(col(Match.id))))


def money_on(html: str) -> list[str]:
    return re.findall(r"£\d+\.\d\d", html)
