"""Walks over HTTP: what was pressed comes in batches, and the server's own replay is the answer."""

import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.tasks.walk.assignment import balanced_orders, walks_of
from app.tasks.walk.tables import Walk, WalkSteps
from app.trials.responses import Evidence, Response
from app.trials.tables import ParticipantSession, Trial, Unit
from stimuli import steps
from stimuli.steps import Walker
from tests.clock import Clock
from tests.tasks.walk.walking import Walking, load_walks

STILL = [(0, 0)] * 30


@pytest.fixture
def opened(database: Database, tmp_path: Path) -> Database:
    with database.transaction() as session:
        load_walks(session, tmp_path)
    return database


def is_noted(opened: Database) -> bool:
    """That the page was shown, which is written after the page is sent."""
    with opened.reading() as session:
        return session.exec(select(ParticipantSession.page_shown_at)).one() is not None


def on_a_walk(client: TestClient, opened: Database) -> Walking:
    walking = Walking(client)
    assert walking.answer() == "trial-1"
    while not is_noted(opened):
        time.sleep(0.01)
    return walking


def kept(session: Session) -> tuple[Walk, list[Any]]:
    walk = session.exec(select(Walk)).one()
    rows = session.exec(select(WalkSteps).order_by(col(WalkSteps.from_tick))).all()
    return walk, [tuple(step) for row in rows for step in row.steps]


@pytest.mark.both_databases
def test_the_server_walks_what_was_pressed_and_takes_its_own_word(
    client: TestClient, opened: Database
) -> None:
    walking = on_a_walk(client, opened)
    settings, pressed = walking.settings, walking.pressed()
    walker = Walker(*settings["at"]["walker"])
    for keys, turn in pressed[:90]:
        walker = steps.step(walker, keys, turn)
    Clock.wait(60)
    first = walking.send(pressed[:90], fps=[45, 3000], input="keys")
    assert first.json() == {"tick": 90, "walker": list(walker), "over": None}
    # Nobody arrives by saying so.
    refused = client.post(walking.address, data={"submit_id": "trial-1.x", "over": "arrived", "seconds": "1"})
    assert refused.status_code == 422
    assert "not over yet" in refused.text
    # What comes twice, and what comes after arrival, changes nothing.
    again = walking.send(pressed[60:] + STILL, 60, fps=[600, 20_000], input="mouse")
    assert again.json()["over"] == "arrived"
    assert walking.send(STILL, len(pressed)).json() == again.json()
    assert walking.send(pressed[:90]).json() == again.json()
    assert walking.answer(walked='{"hidden_ms": 12000, "loads": 1, "stalls": 2}') == "trial-2"
    with opened.reading() as session:
        walk, stored = kept(session)
        assert stored == pressed
        assert (walk.tick, walk.over, walk.input, walk.slow_ms) == (
            len(pressed),
            "arrived",
            "keys;mouse",
            3000,
        )
        answer = session.exec(select(Response).where(col(Response.trial_id).is_not(None))).one()
        assert answer.answers["walk"] == "arrived"
        assert answer.answers["seconds"] == round(len(pressed) / 30, 2)
        assert answer.answers["metres"] == pytest.approx(walk.length_um / 1e6, abs=0.01)
        assert answer.raised == "hidden"
        assert session.exec(select(Evidence.hidden_ms, Evidence.stalls)).one() == (12_000, 2)


def test_a_walk_goes_on_where_the_server_has_got_to(client: TestClient, opened: Database) -> None:
    walking = on_a_walk(client, opened)
    pressed = walking.pressed()
    Clock.wait(60)
    state = walking.send(pressed[:120]).json()
    walking.look()
    assert walking.settings["at"] == {"tick": 120, "walker": state["walker"]}
    # After a gap, and after other steps of another tab, the browser is told where to go on.
    for steps_, start in ((pressed[150:180], 150), ([(1, 7)] * 40, 100), ([(1, 7)] * 5, 100)):
        refused = walking.send(steps_, start)
        assert (refused.status_code, refused.json()["tick"]) == (409, 120)
    assert walking.send(pressed[120:], 120).json()["over"] == "arrived"
    walking.look()
    assert walking.settings["over"] == "arrived"
    with opened.reading() as session:
        assert kept(session)[1] == pressed


def test_nobody_walks_faster_than_time(client: TestClient, opened: Database) -> None:
    walking = on_a_walk(client, opened)
    Clock.wait(3)
    assert walking.send([(0, 0)] * 180).status_code == 429
    assert walking.send([(0, 0)] * 90).json()["tick"] == 90
    assert walking.send([(0, 0)] * 90, 90).status_code == 429, "of two batches that are short enough"
    Clock.wait(200)
    for tick in range(90, 2700, 600):
        reply = walking.send([(0, 0)] * 600, tick).json()
    assert (reply["tick"], reply["over"]) == (2700, "time")
    assert walking.answer(walked="{") == "trial-2"
    with opened.reading() as session:
        answer = session.exec(select(Response).where(col(Response.trial_id).is_not(None))).one()
        assert (answer.answers["walk"], answer.raised, answer.odd_playback) == (
            "out of time",
            "odd-telemetry",
            "{",
        )


def test_who_cannot_walk_goes_on_and_it_is_known(client: TestClient, opened: Database) -> None:
    walking = on_a_walk(client, opened)
    assert walking.answer(unable="1", walked="{}") == "trial-2"
    with opened.reading() as session:
        answer = session.exec(select(Response).where(col(Response.trial_id).is_not(None))).one()
        assert (answer.unplayable, answer.raised, answer.answers["walk"]) == (
            True,
            "unplayable",
            "could not walk",
        )
    assert walking.answer(unable="1") == "end"
    assert "did not work on your device" in walking.html
    assert "WALKED" not in walking.html  # the completion code


@pytest.mark.both_databases
def test_what_is_no_batch_stores_nothing(client: TestClient, opened: Database) -> None:
    walking = on_a_walk(client, opened)
    address, trial = walking.settings["batches"], walking.settings["trial"]
    Clock.wait(60)
    for body in (
        "[]", "{", "null", '{"trial": 1, "from": 0, "steps": [[0, 0]]}', "[" * 30_000,
        *(f'{{"trial": "{trial}", "from": {start}, "steps": {steps_}}}' for start, steps_ in (
            (0, "[]"), (0, "[[64, 0]]"), (0, "[[1, 180001]]"), (0, "[[1, 0.5]]"), (0, "[[true, 0]]"), (0, "[[1]]"),
            (-1, "[[1, 0]]"), (1.5, "[[1, 0]]"), (0, "[" + ", ".join(["[1, 0]"] * 601) + "]"),
        )),
    ):  # fmt: skip
        assert client.post(address, content=body).status_code == 422, body[:80]
    assert client.post(address, content=b"x" * 40_000).status_code == 413
    odd = walking.send(STILL, fps=["x", None], input=7)
    assert odd.status_code == 200
    moved = client.post(address, json={"trial": "another", "from": 0, "steps": STILL})
    assert (moved.status_code, moved.json()["moved"]) == (409, True)
    assert client.post("/p/nobody/walk", json={"trial": trial, "from": 0, "steps": STILL}).status_code == 404
    with opened.reading() as session:
        walk, stored = kept(session)
        assert (walk.frames, walk.input, stored) == (0, "", STILL)


@pytest.mark.parametrize("n", range(2, 7))
def test_every_goal_is_as_often_at_each_place_and_after_each_other(n: int) -> None:
    orders = balanced_orders(n)
    assert set(Counter((place, one) for order in orders for place, one in enumerate(order)).values()) == {
        len(orders) // n
    }
    after = Counter(two for order in orders for two in pairwise(order))
    assert (len(after), len(set(after.values()))) == (n * (n - 1), 1)
    some = [walks_of(ordinal, goals=n, starts=3, walks=n + 1) for ordinal in range(1, 3 * len(orders) + 1)]
    assert all(len(set(walks)) == n + 1 for walks in some)
    assert len(set(Counter(course for walks in some for course in walks[:n]).values())) == 1


def test_practice_comes_first_from_starts_of_its_own(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_walks(session, tmp_path, practice=2, walks=3, goals=4)
    walking = Walking(client)
    walking.answer()
    assert walking.settings["practice"]
    walking.to("end")
    assert "WALKED" in walking.html
    with database.reading() as session:
        names = session.exec(select(Unit.name, Unit.kind).join(Trial).order_by(col(Trial.position))).all()
    assert [tuple(name) for name in names[:2]] == [("walk:1-21", "practice"), ("walk:2-21", "practice")]
    assert [kind for _, kind in names[2:]] == ["main"] * 3
