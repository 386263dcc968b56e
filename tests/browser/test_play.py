"""Whole matches in the service itself: two and five people find each other, play in real browsers, and are paid."""

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Page, Request, expect
from sqlalchemy import URL
from sqlmodel import col, select

from app.core.database import Database
from app.core.serving import address_of, bind
from app.core.settings import Settings
from app.main import create_app
from app.tasks.game.tables import GameEvent, Match, Seat
from tests.conftest import migrate
from tests.tasks.game.people import SLUG, open_game

from .game_pages import HELLO
from .test_access import NARROW
from .test_game import Sit, answer_all, headline, offer, press, propose, said, sit

__all__ = ["sit"]
pytestmark = pytest.mark.browser

QUESTION = {
    "id": "q1",
    "ask": "What do you get without a deal?",
    "options": ["Half", "Nothing"],
    "answer": "Nothing",
}


class Served:
    def __init__(self, folder: Path, **block: Any) -> None:
        url = URL.create("sqlite", database=str(folder / "play.sqlite3"))
        migrate(url)
        settings = Settings(LIKELY_HUMAN_DATA=folder, DATABASE_URL=str(url), LIKELY_HUMAN_SECRET="test")  # type: ignore[call-arg]
        self.database = Database(url, checkpointing=True)
        open_game(self.database, folder, **block)
        bound = bind("127.0.0.1", 0)
        bound.listen()  # who comes before the service runs waits for it
        self.address = f"{address_of(bound)}/s/{SLUG}"
        self.server = uvicorn.Server(uvicorn.Config(create_app(settings, self.database), log_level="warning"))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [bound]}, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join()

    def moves(self) -> list[GameEvent]:
        with self.database.reading() as session:
            moves = select(GameEvent).where(col(GameEvent.kind) == "move").order_by(col(GameEvent.seq))
            return list(session.exec(moves))


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Any]:
    running: list[Served] = []

    def begin(**block: Any) -> Served:
        running.append(Served(tmp_path, **block))
        return running[-1]

    yield begin
    for served in running:
        served.stop()


def come_in(sit: Sit, served: Served, **options: Any) -> Page:
    page = sit(served.address, **options)
    press(page, "I agree to take part")
    return page


def test_two_people_meet_bargain_and_are_paid(serve: Any, sit: Sit) -> None:
    served: Served = serve(
        matching={"ready_s": 30, "wait_max_s": 240, "wait_pay_minor_per_min": 10},
        comprehension={"questions": [QUESTION], "tries": 2},
        bonus={"minor_per_unit": 0.05, "cap_minor": 300, "currency": "GBP"},
    )
    alice, bob = come_in(sit, served), come_in(sit, served, viewport=NARROW)
    for page in (alice, bob):
        headline(page, "A few questions on the rules")
        page.get_by_label("Half").check()
        press(page, "Check my answers")
        expect(page.get_by_text("You have 1 try left.", exact=False)).to_be_visible()
        page.keyboard.press("?")
        expect(page.get_by_text("Without a deal in the end, both get nothing.", exact=False)).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_label("Nothing").check()
        press(page, "Check my answers")
        if page is alice:
            headline(page, "Waiting for others to play with")
            expect(page.get_by_text("4 minutes", exact=True)).to_be_visible()
            page.reload()
    for page in (alice, bob):
        headline(page, "Are you ready?")
        press(page, "I am ready")
    for page in (alice, bob):
        expect(page.locator(".purse")).to_be_visible()
    if bob.title().startswith("Your turn"):  # who sits where is drawn
        alice, bob = bob, alice
    headline(alice, "Make an offer")
    alice.reload()
    propose(alice, "7000", HELLO)
    headline(alice, "The other player answers your offer")
    said(bob, "Answer the offer")
    expect(bob).to_have_title("Your turn · A game")
    expect(bob.get_by_text(HELLO)).to_be_visible()
    bob.reload()
    press(bob, "Reject")
    headline(bob, "Make an offer")
    propose(bob, "5500")
    press(alice, "Accept")
    for page, own in ((alice, "4,050 points, £2.03"), (bob, "4,400 points, £2.20")):
        headline(page, "You have a deal")
        expect(page.locator(".card-page .who")).to_contain_text(own)
        press(page, "Continue")
        expect(page.get_by_text("PAID7")).to_be_visible()
    assert [(event.seat, event.auto) for event in served.moves()] == [(1, ""), (2, ""), (2, ""), (1, "")]


def noting(requests: list[str]) -> Callable[[Request], None]:
    return lambda request: requests.append(request.url)


def test_matches_go_on_by_events_and_by_polls_where_streams_do_not_get_through(serve: Any, sit: Sit) -> None:
    served: Served = serve(updates="server-sent-events", matching={"ready_s": 0, "wait_max_s": 240})
    asked: dict[str, list[str]] = {"alice": [], "bob": []}
    pages = []
    for name, requests in asked.items():
        page = sit("about:blank")
        page.on("request", noting(requests))
        if name == "bob":
            page.route("**/state/events*", lambda route: route.abort())
        page.goto(served.address)
        press(page, "I agree to take part")
        pages.append(page)
    for page in pages:
        expect(page.locator("[data-headline]")).to_have_text(
            re.compile("Make an offer|The other player makes an offer")
        )
    first, second = sorted(pages, key=lambda page: not page.title().startswith("Your turn"))
    propose(first, "7000", HELLO)
    said(second, "Answer the offer")
    expect(second.get_by_text(HELLO)).to_be_visible()
    press(second, "Reject")
    headline(second, "Make an offer")
    propose(second, "5500")
    press(first, "Accept")
    for page in pages:
        headline(page, "You have a deal")
    assert any("/state/events?" in url for url in asked["alice"])
    assert not [url for url in asked["alice"] if "/state?" in url]
    assert any("/state?" in url for url in asked["bob"])


def test_five_people_meet_and_share_for_two_rounds(serve: Any, sit: Sit) -> None:
    served: Served = serve(game="sug", configs={"rounds": 2})
    pages = [come_in(sit, served) for _ in range(5)]
    for number in (1, 2):
        for page in pages:
            headline(page, "Make an offer")
        seats = [int(page.locator(".who b").first.inner_text().split()[-1]) for page in pages]
        assert sorted(seats) == [1, 2, 3, 4, 5]
        for page, seat in zip(pages, seats, strict=True):
            offer(page, seat % 5 + 1, 2 * number + 1)
        for page in pages:
            headline(page, "Answer the offer")
            answer_all(page, "Accept")
    for page in pages:
        headline(page, "The match is over")
        expect(page.locator(".card-page .who")).to_contain_text("20 points")
        press(page, "Continue")
        expect(page.get_by_text("PAID7")).to_be_visible()
    with served.database.reading() as session:
        assert [match.status for match in session.exec(select(Match))] == ["finished"]
        assert [seat.payoff for seat in session.exec(select(Seat))] == ["20"] * 5
    assert len(served.moves()) == 20
