"""Whole matches in the service itself: two to five people find each other, play in real browsers, and are paid."""

import re
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Page, Request, expect
from sqlalchemy import URL
from sqlmodel import col, select

from app.core.database import Database
from app.core.settings import Settings
from app.main import create_app
from app.serving import address_of, bind
from app.tasks.game.parts import amount
from app.tasks.game.tables import GameEvent, Match, Seat
from tests.tasks.game.people import SLUG, open_game

from .game_pages import HELLO
from .steps import NARROW
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
    """The service over one database, with a study of matches for each slug."""

    def __init__(self, url: URL, folder: Path, studies: Mapping[str, Mapping[str, Any]]) -> None:
        address = url.render_as_string(hide_password=False)
        settings = Settings(LIKELY_HUMAN_DATA=folder, DATABASE_URL=address, LIKELY_HUMAN_SECRET="test")  # type: ignore[call-arg]
        self.database = Database(url, checkpointing=True)
        for slug, block in studies.items():
            open_game(self.database, folder, slug=slug, **block)
        bound = bind("127.0.0.1", 0)
        bound.listen()  # who comes before the service runs waits for it
        self.site = address_of(bound)
        self.server = uvicorn.Server(uvicorn.Config(create_app(settings, self.database), log_level="warning"))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [bound]}, daemon=True)
        self.thread.start()

    def address(self, slug: str = SLUG) -> str:
        return f"{self.site}/s/{slug}"

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join()

    def match(self, game: str) -> Match:
        with self.database.reading() as session:
            return session.exec(
                select(Match).where(Match.game == game).order_by(col(Match.id).desc())
            ).first()  # type: ignore[return-value]

    def moves(self, match: Match | None = None) -> list[GameEvent]:
        moves = select(GameEvent).where(col(GameEvent.kind) == "move").order_by(col(GameEvent.seq))
        with self.database.reading() as session:
            return list(session.exec(moves.where(col(GameEvent.match_id) == match.id) if match else moves))

    def payoffs(self, match: Match) -> list[str]:
        seats = select(Seat).where(col(Seat.match_id) == match.id).order_by(col(Seat.seat))
        with self.database.reading() as session:
            return [seat.payoff for seat in session.exec(seats)]


@pytest.fixture
def serve(database_url: URL, tmp_path: Path) -> Iterator[Any]:
    running: list[Served] = []

    def begin(**block: Any) -> Served:
        running.append(Served(database_url, tmp_path, {SLUG: block}))
        return running[-1]

    yield begin
    for served in running:
        served.stop()


AT_ONCE = {"ready_s": 0, "wait_max_s": 240}
RESIDENTS = [
    {"name": "Alex", "need": 8, "salary": 70},
    {"name": "Bob", "need": 9, "salary": 75},
    {"name": "Cindy", "need": 10, "salary": 100},
]
SHORT = {
    "price": {"game": "glee-negotiation", "configs": {"rounds": 4}},
    "advice": {"game": "glee-persuasion", "configs": {"rounds": 2, "messages": "text"}},
    "yes-or-no": {
        "game": "glee-persuasion",
        "configs": {"rounds": 2, "messages": "binary", "buyer": "myopic"},
    },
    "water": {
        "game": "wac",
        "configs": {
            "residents": RESIDENTS,
            "supply_low": 10,
            "supply_high": 10,
            "days": 3,
            "start_health": 3,
        },
    },
}


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Iterator[Served]:
    """One service with a short study of each game whose tests share it."""
    folder = tmp_path_factory.mktemp("games")
    shutil.copy(migrated_sqlite, folder / "play.sqlite3")
    url = URL.create("sqlite", database=str(folder / "play.sqlite3"))
    served = Served(url, folder, {slug: {**block, "matching": AT_ONCE} for slug, block in SHORT.items()})
    yield served
    served.stop()


def come_in(sit: Sit, served: Served, slug: str = SLUG, **options: Any) -> Page:
    page = sit(served.address(slug), **options)
    press(page, "I agree to take part")
    return page


def by_seat(pages: Sequence[Page], names: Sequence[str]) -> list[Page]:
    """The pages by what they call their seat, which is drawn."""
    found = {}
    for page in pages:
        who = page.locator(".purse .who b").first
        expect(who).to_have_text(re.compile("|".join(names)))
        found[who.inner_text()] = page
    return [found[name] for name in names]


def paid(page: Page, end: str, earned: str) -> None:
    """The last page of a match, and the one of the study."""
    headline(page, end)
    expect(page.locator(".card-page .who")).to_contain_text(earned)
    press(page, "Continue")
    expect(page.get_by_text("PAID7")).to_be_visible()


def test_two_people_meet_bargain_and_are_paid(serve: Any, sit: Sit) -> None:
    served: Served = serve(
        matching={"ready_s": 30, "wait_max_s": 240, "wait_pay_minor_per_min": 10},
        comprehension={"questions": [QUESTION], "tries": 2},
        bonus={"minor_per_unit": 0.05, "cap_minor": 300, "currency": "GBP"},
    )
    alice, bob = come_in(sit, served), come_in(sit, served, viewport=NARROW)
    for page in (alice, bob):
        headline(page, "A few questions about the rules")
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
    headline(bob, "The other player makes an offer")
    expect(bob).to_have_title("Please wait · A game")
    alice.reload()
    propose(alice, "7000", HELLO)
    headline(alice, "The other player answers your offer")
    said(bob, "Answer the offer")
    expect(bob).to_have_title("Your turn · A game")
    expect(bob.get_by_text("The other player offers you 3,000 of 10,000")).to_be_visible()
    expect(bob.get_by_text(HELLO)).to_be_visible()
    bob.reload()
    press(bob, "Reject")
    said(alice, "The other player rejected your offer of 3,000.")
    headline(bob, "Make an offer")
    bob.get_by_label("How much of the 10,000 for you?").fill("5500")
    for label, value in (
        ("You get", "5,500"),
        ("The other player gets", "4,500"),
        ("Your part is worth now", "4,400"),
    ):
        expect(bob.locator(".tells > div", has_text=label).locator("output")).to_have_text(value)
    press(bob, "Offer: 5,500 for me")
    expect(alice.get_by_text("If you reject, the next round begins")).to_be_visible()
    press(alice, "Accept")
    for page, own in ((alice, "4,050 points, £2.03"), (bob, "4,400 points, £2.20")):
        paid(page, "You have a deal", own)
    assert [(event.seat, event.auto) for event in served.moves()] == [(1, ""), (2, ""), (2, ""), (1, "")]


def noting(requests: list[str]) -> Callable[[Request], None]:
    return lambda request: requests.append(request.url)


@pytest.mark.any_database
def test_matches_go_on_by_events_and_by_polls_where_streams_do_not_get_through(serve: Any, sit: Sit) -> None:
    served: Served = serve(updates="server-sent-events", matching={"ready_s": 0, "wait_max_s": 240})
    asked: dict[str, list[str]] = {"alice": [], "bob": []}
    pages = []
    for name, requests in asked.items():
        page = sit("about:blank")
        page.on("request", noting(requests))
        if name == "bob":
            page.route("**/state/events*", lambda route: route.abort())
        page.goto(served.address())
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


@pytest.mark.any_database
@pytest.mark.exhaustive
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
        paid(page, "The match is over", "20 points")
    with served.database.reading() as session:
        assert [match.status for match in session.exec(select(Match))] == ["finished"]
        assert [seat.payoff for seat in session.exec(select(Seat))] == ["20"] * 5
    assert len(served.moves()) == 20


def name_price(page: Page, price: str, message: str = "") -> None:
    page.get_by_label("Which price do you name?").fill(price)
    if message:
        page.get_by_label("Message to the other player").fill(message)
    page.locator("button[data-saying]").click()


@pytest.mark.exhaustive  # every move of each game by its page's own form: tests/tasks/game/test_pages.py
def test_two_people_negotiate_a_price(games: Served, sit: Sit) -> None:
    pages = [come_in(sit, games, "price"), come_in(sit, games, "price", viewport=NARROW)]
    seller, buyer = by_seat(pages, ("The seller", "The buyer"))
    name_price(seller, "13000", HELLO)
    headline(seller, "The other player answers your price")
    headline(buyer, "Answer the price")
    expect(buyer.get_by_text(HELLO)).to_be_visible()
    expect(buyer.get_by_text("If you accept, you gain −1,000.", exact=False)).to_be_visible()
    press(buyer, "Reject")
    name_price(buyer, "9000")
    press(seller, "Reject")
    name_price(seller, "10500")
    press(buyer, "Accept")
    paid(seller, "Sold for 10,500", "2,500 points")
    paid(buyer, "Sold for 10,500", "1,500 points")
    match = games.match("glee-negotiation")
    assert match.status == "finished"
    assert games.payoffs(match) == ["2500", "1500"]
    assert [(each.seat, each.auto) for each in games.moves(match)] == [
        (seat, "") for seat in (1, 2, 2, 1, 1, 2)
    ]


@pytest.mark.exhaustive
def test_a_buyer_takes_and_leaves_what_a_seller_writes(games: Served, sit: Sit) -> None:
    seller, buyer = by_seat([come_in(sit, games, "advice") for _ in range(2)], ("The seller", "The buyer"))
    earned = 0
    for number, buys in ((1, True), (2, False)):
        headline(seller, "What do you tell the buyer?")
        headline(buyer, "The seller is looking at the product")
        product = seller.locator(".facts > div", has_text="This product")
        is_good = "high" in product.locator("dd b").inner_text()
        seller.get_by_label("Message to the buyer").fill(f"This is number {number}.")
        press(seller, "Send this message")
        headline(seller, "The buyer decides")
        headline(buyer, "Buy, or not?")
        expect(buyer.locator(".quote")).to_contain_text(f"This is number {number}.")
        expect(buyer.locator(".facts")).not_to_contain_text("This product")
        press(buyer, "Buy for 10,000" if buys else "Do not buy")
        earned += (10_000 if is_good else -10_000) if buys else 0
        if number == 1:
            quality = f"the product was of {'high' if is_good else 'low'} quality"
            for page in (seller, buyer):
                expect(page.locator("[data-news]")).to_contain_text(quality)
    paid(seller, "The match is over", "10,000 points")
    paid(buyer, "The match is over", f"{amount(earned)} points")
    assert games.payoffs(games.match("glee-persuasion")) == ["10000", str(earned)]


@pytest.mark.exhaustive
def test_a_new_buyer_each_time_hears_yes_or_no(games: Served, sit: Sit) -> None:
    pages = [come_in(sit, games, "yes-or-no") for _ in range(2)]
    seller, buyer = by_seat(pages, ("The seller", "The buyer"))
    for says, heard in (("Recommend", "recommends"), ("Do not recommend", "does not recommend")):
        headline(seller, "Do you recommend it?")
        press(seller, says)
        headline(buyer, "Buy, or not?")
        expect(buyer.get_by_role("heading", name=f"The seller {heard} this product")).to_be_visible()
        expect(buyer.locator("table.rounds")).to_have_count(0)
        press(buyer, "Do not buy")
    paid(seller, "The match is over", "0 points")
    paid(buyer, "The match is over", "0 points")
    match = games.match("glee-persuasion")
    assert match.config["messages"] == "binary"
    assert [each.move for each in games.moves(match) if each.phase == "message"] == [
        {"kind": "recommend", "buy": True},
        {"kind": "recommend", "buy": False},
    ]


def test_three_people_bid_for_water_until_one_is_out(games: Served, sit: Sit) -> None:
    """Alex gets water on days 1 and 3, Bob on day 2; Cindy loses 1 and then 2 of her 3 health, and goes on."""
    pages = [come_in(sit, games, "water") for _ in range(3)]
    alex, bob, cindy = by_seat(pages, ("Alex", "Bob", "Cindy"))
    for day, bids in ((1, (30, 20, 10)), (2, (20, 60, 40)), (3, (50, 10, None))):
        for page, bid in zip((alex, bob, cindy), bids, strict=True):
            if bid is None:
                continue
            headline(page, "Bid for today's water: 10 units for everybody")
            expect(page.locator(".purse .at")).to_have_text(f"Day {day} of 3")
            page.get_by_label("Your bid in dollars").fill(str(bid))
            press(page, f"Bid {bid} dollars")
        if day == 1:
            headline(alex, "Bid for today's water: 10 units for everybody")
            expect(alex.locator("[data-news]")).to_have_text("Day 1: water went to you ($30).")
        if day == 2:
            headline(cindy, "You have no health left and are out")
            expect(bob.locator("[data-news]")).to_have_text("Day 2: water went to you ($60). Cindy is out.")
            press(cindy, "Continue now")
            expect(cindy.get_by_text("PAID7")).to_be_visible()
    paid(alex, "The match is over", "3 points")
    paid(bob, "The match is over", "3 points")
    assert games.payoffs(games.match("wac")) == ["3", "3", "1"]


@pytest.mark.any_database
@pytest.mark.exhaustive
def test_a_whole_way_without_scripts(serve: Any, sit: Sit) -> None:
    """Questions, the wait, the ready check, moves and the end: pages that come again by themselves where one waits."""
    served: Served = serve(
        matching={"ready_s": 30, "wait_max_s": 240},
        comprehension={"questions": [QUESTION], "tries": 2},
    )
    pages = [come_in(sit, served, java_script_enabled=False) for _ in range(2)]
    for page in pages:
        headline(page, "A few questions about the rules")
        page.get_by_label("Nothing").check()
        press(page, "Check my answers")
        if page is pages[0]:
            headline(page, "Waiting for others to play with")
    for page in pages:
        headline(page, "Are you ready?")
        press(page, "I am ready")
    for page in pages:
        expect(page.locator(".purse")).to_be_visible()
    alice, bob = sorted(pages, key=lambda page: page.locator("form[data-act=move]").count(), reverse=True)
    alice.get_by_label("How much of the 10,000 for you?").fill("6000")
    press(alice, "Make this offer")
    headline(bob, "Answer the offer")
    press(bob, "Accept")
    paid(bob, "You have a deal", "4,000 points")
    paid(alice, "You have a deal", "6,000 points")
    assert [(each.seat, each.auto) for each in served.moves()] == [(1, ""), (2, "")]
