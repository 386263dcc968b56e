"""Matches in real browsers: whole ones of two and three people, by keyboard, without scripts, over a bad line."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from .conftest import WAIT_MS
from .game_pages import HELLO, match_of, play_until, seat_page, specimens
from .match_rig import MatchRig
from .parts import each_part_once
from .rig import serving
from .steps import AXE_CONTEXT, NARROW, Check, fits

pytestmark = pytest.mark.browser

Sit = Callable[..., Page]
BACK = {"viewport": {"width": 1280, "height": 900}}


@pytest.fixture(scope="module")
def matches() -> Iterator[MatchRig]:
    rig = MatchRig()
    rig.pages = specimens()
    with serving(rig) as served:
        yield served


@pytest.fixture
def sit(browser: Browser) -> Iterator[Sit]:
    """Open an address in a browser of its own, in which nothing may go wrong."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            faults.append(message.text)

    def open_page(address: str, before: str = "", **options: Any) -> Page:
        context = browser.new_context(**{**BACK, **options})
        contexts.append(context)
        context.set_default_timeout(WAIT_MS)
        context.add_init_script(before)
        page = context.new_page()
        page.on("console", hear)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


def headline(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def said(page: Page, text: str) -> None:
    expect(page.locator("[data-say]")).to_contain_text(text)


def propose(page: Page, own: str, message: str = "") -> None:
    page.get_by_label("How much of the 10,000 for you?").fill(own)
    if message:
        page.get_by_label("Message to the other player").fill(message)
    page.locator("button[data-saying]").click()


@pytest.mark.exhaustive  # in the service itself: test_play.py
def test_two_people_bargain_to_a_deal(matches: MatchRig, sit: Sit) -> None:
    table, (alice_at, bob_at) = matches.begin("glee-bargaining")
    alice, bob = sit(alice_at), sit(bob_at, viewport=NARROW)
    assert alice.title() == "Your turn · A study of five games"
    assert bob.title() == "Please wait · A study of five games"
    headline(bob, "The other player makes an offer")
    propose(alice, "7000", HELLO)
    headline(alice, "The other player answers your offer")
    said(bob, "Answer the offer")
    expect(bob).to_have_title("Your turn · A study of five games")
    expect(bob.get_by_text("The other player offers you 3,000 of 10,000")).to_be_visible()
    expect(bob.get_by_text(HELLO)).to_be_visible()
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
    for page, own in ((alice, "4,050"), (bob, "4,400")):
        headline(page, "You have a deal")
        expect(page.locator(".card-page .who")).to_contain_text(own)
        press(page, "Continue")
        headline(page, "Thank you")
    assert [logged.event.move for logged in table.match.log if logged.event.kind == "move"] == [
        {"kind": "propose", "alice_gain": 7000},
        {"kind": "answer", "answer": "reject"},
        {"kind": "propose", "alice_gain": 4500},
        {"kind": "answer", "answer": "accept"},
    ]
    assert len(table.posts) == 6


def offer(page: Page, to: int, points: int) -> None:
    page.get_by_role("radio", name=f"Player {to}").check(force=True)
    page.get_by_role("radio", name=f"{points} points", exact=True).check(force=True)
    press(page, f"Offer {points} to Player {to}")


def answer_all(page: Page, choice: str) -> None:
    """A seat without an offer has nothing to answer."""
    picks = page.get_by_role("radio", name=choice)
    if picks.count():
        for pick in picks.all():
            pick.check()
        press(page, "Send my answers")
    elif page.get_by_role("button", name=choice, exact=True).count():
        press(page, choice)


def test_three_people_play_the_sharing_game(matches: MatchRig, sit: Sit) -> None:
    """One gets two offers, one an offer, one none; then a round in which all is rejected."""
    table, addresses = matches.begin("sug", players=3, rounds=2)
    pages = [sit(address) for address in addresses]
    for page, (to, points) in zip(pages, ((2, 5), (1, 5), (2, 3)), strict=True):
        offer(page, to, points)
    for page, title in zip(
        pages,
        ("Answer the offer", "Answer the 2 offers", "Nobody made you an offer in this round"),
        strict=True,
    ):
        headline(page, title)
    answer_all(pages[0], "Accept")
    pages[1].locator("[data-question=offer_1]").get_by_label("Accept").check()
    press(pages[1], "Send my answers")
    expect(pages[1].get_by_text("Please answer this question.")).to_be_visible()
    pages[1].locator("[data-question=offer_3]").get_by_label("Reject").check()
    press(pages[1], "Send my answers")
    for page, points in zip(pages, (10, 10, 0), strict=True):
        headline(page, "Make an offer")
        expect(page.locator(".purse .who")).to_contain_text(f"{points} points")
    for seat, page in enumerate(pages, 1):
        offer(page, seat % 3 + 1, 10)
    for page in pages:
        headline(page, "Answer the offer")
        answer_all(page, "Reject")
    for page in pages:
        headline(page, "The match is over")
    assert table.match.outcome
    assert list(map(int, table.match.outcome.payoffs)) == [10, 10, 0]
    assert len(table.posts) == 3 + 2 + 3 + 3


def test_a_round_by_keyboard_alone(matches: MatchRig, sit: Sit) -> None:
    table, addresses = matches.begin("sug", players=3, rounds=2)
    page, *others = [sit(address) for address in addresses]
    keys = page.keyboard
    keys.press("?")
    expect(page.get_by_role("region", name="The sharing game: the rules")).to_be_focused()
    expect(page.locator("[data-clock]")).to_be_visible()
    keys.press("Escape")
    expect(page.locator("summary", has_text="Rules")).to_be_focused()
    keys.press("r")
    keys.press("r")
    expect(page.get_by_role("region", name="The sharing game: the rules")).to_be_hidden()
    keys.press("Tab")
    keys.press("Space")
    expect(page.get_by_role("radio", name="Player 2")).to_be_checked()
    keys.press("ArrowRight")
    expect(page.get_by_role("radio", name="Player 3")).to_be_checked()
    keys.press("Tab")
    for _ in range(4):
        keys.press("ArrowRight")
    keys.press("Tab")
    expect(page.get_by_role("button", name="Offer 4 to Player 3")).to_be_focused()
    keys.press("Enter")
    headline(page, "Your offer is made")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    offer(others[0], 1, 3)
    offer(others[1], 1, 2)
    headline(page, "Answer the 2 offers")
    for _ in range(2):
        keys.press("Tab")
        keys.press("ArrowRight")
    keys.press("Tab")
    keys.press("Enter")
    headline(page, "Your answer is given")
    assert [post["do"] for post in table.posts] == ["move"] * 4


def test_a_match_without_scripts(matches: MatchRig, sit: Sit) -> None:
    """The page comes again by itself while there is nothing to fill in, and not when there is."""
    _, (alice_at, bob_at) = matches.begin("glee-bargaining")
    alice, bob = sit(alice_at, java_script_enabled=False), sit(bob_at, java_script_enabled=False)
    refresh = "meta[http-equiv=refresh]"
    assert (alice.locator(refresh).count(), bob.locator(refresh).count()) == (0, 1)
    alice.locator("summary", has_text="Rules").click()
    expect(alice.get_by_text("Two players divide 10,000 points.", exact=False)).to_be_visible()
    alice.locator("summary", has_text="Rules").click()
    field = alice.get_by_label("How much of the 10,000 for you?")
    field.fill("6000")
    alice.get_by_label("Message to the other player").fill(HELLO)
    press(alice, "Make this offer")
    headline(alice, "The other player answers your offer")
    headline(bob, "Answer the offer")  # which it came to by itself
    press(bob, "Accept")
    headline(bob, "You have a deal")
    headline(alice, "You have a deal")
    press(alice, "Continue")
    headline(alice, "Thank you")


def test_what_is_being_typed_survives_news_a_reload_and_a_lost_line(matches: MatchRig, sit: Sit) -> None:
    table, (alice_at, _) = matches.begin("glee-bargaining")
    page = sit(alice_at)
    message = page.get_by_label("Message to the other player")
    page.get_by_label("How much of the 10,000 for you?").fill("6100")
    message.fill("I was going to say")
    message.press("Home")
    page.keyboard.type("What ")
    table.notices = ("The other player has been away and is back.",)
    expect(page.get_by_text(table.notices[0]).first).to_be_visible()
    said(page, table.notices[0])
    expect(page.locator("[data-say]")).not_to_contain_text("..")
    expect(message).to_be_focused()
    page.keyboard.type("then ")
    expect(message).to_have_value("What then I was going to say")
    expect(page.get_by_text("372 characters left.")).to_be_visible()
    page.context.set_offline(True)
    table.notices = ("Something else.",)
    expect(page.get_by_text("No connection to the study.", exact=False).first).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_text("Something else.").first).to_be_visible()
    expect(page.locator("[data-line]")).to_be_hidden()
    expect(message).to_have_value("What then I was going to say")
    page.reload()
    expect(message).to_have_value("What then I was going to say")
    expect(page.get_by_label("How much of the 10,000 for you?")).to_have_value("6100")
    press(page, "Offer: 6,100 for me")
    headline(page, "The other player answers your offer")
    page.reload()
    headline(page, "The other player answers your offer")


def test_a_move_is_made_once_whatever_the_line_and_the_fingers_do(matches: MatchRig, sit: Sit) -> None:
    table, (alice_at, bob_at) = matches.begin("glee-bargaining")
    alice, bob = sit(alice_at), sit(bob_at)
    table.lose = 2
    alice.get_by_label("How much of the 10,000 for you?").fill("6000")
    alice.locator("button[data-saying]").dblclick()
    headline(alice, "The other player answers your offer")
    headline(bob, "Answer the offer")
    assert len({post["submit_id"] for post in table.posts}) == 1
    second = alice.context.new_page()  # another tab of the same person
    second.goto(alice_at)
    press(bob, "Reject")
    for page in (alice, second):
        headline(page, "The other player makes an offer")
    propose(bob, "5000")
    second.get_by_role("button", name="Accept").dblclick()
    for page in (alice, second, bob):
        headline(page, "You have a deal")
    moves = [logged for logged in table.match.log if logged.event.kind == "move"]
    assert len(moves) == 4


def test_a_wrong_amount_is_named_at_its_field_and_nothing_is_sent(matches: MatchRig, sit: Sit) -> None:
    table, (alice_at, _) = matches.begin("glee-bargaining")
    page = sit(alice_at)
    field = page.get_by_label("How much of the 10,000 for you?")
    for wrong in ("", "10001", "-1", "1.5"):
        field.fill(wrong)
        page.locator("button[data-saying]").click()
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_be_focused()
    assert table.posts == []
    page.evaluate("document.querySelector('[name=alice_gain]').removeAttribute('max')")
    field.fill("10001")
    page.locator("button[data-saying]").click()
    expect(page.get_by_text("10,001 is not possible here: from 0 to 10,000.")).to_be_visible()
    field.fill("5000")
    page.locator("button[data-saying]").click()
    headline(page, "The other player answers your offer")


@pytest.mark.exhaustive
def test_the_time_left_is_the_servers_with_a_clock_an_hour_wrong(matches: MatchRig, sit: Sit) -> None:
    table, (alice_at, _) = matches.begin("glee-bargaining")
    table.remaining_ms = 22_000
    page = sit("about:blank")
    page.clock.install(time=datetime.now(UTC) + timedelta(hours=1))
    page.clock.pause_at(datetime.now(UTC) + timedelta(hours=2))  # from now on, only the test moves it on
    page.goto(alice_at)
    expect(page.locator("[data-left]")).to_have_text("0:22")
    page.clock.run_for(1500)
    expect(page.locator("[data-left]")).to_have_text("0:21")
    expect(page.locator("[data-clock]")).not_to_have_class("clock hurry")
    page.clock.run_for(1000)
    expect(page.locator("[data-clock]")).to_have_class("clock hurry")
    expect(page.locator("[data-clock-say]")).to_have_text("20 seconds left.")


OPEN_RULES = "document.querySelector('.rules').open = true"
TALLEST = "Math.max(0, ...[...document.querySelectorAll('.ways button')].map((each) => each.offsetHeight))"


def test_no_page_of_a_match_breaks_an_axe_rule_or_scrolls_sideways(
    matches: MatchRig, sit: Sit, check: Check, exhaustive: bool
) -> None:
    page = sit("about:blank", **AXE_CONTEXT)
    for name in matches.pages if exhaustive else each_part_once(matches.pages):
        page.goto(f"{matches.base_url}/x/{name}")
        page.evaluate(OPEN_RULES)
        check(page)  # at last on a telephone
        assert page.evaluate(TALLEST) < 56, f"{name}: each answer is one line"
        page.set_viewport_size({"width": 320, "height": 800})
        assert fits(page), name


SEEN = "all => all.filter((each) => each.checkVisibility()).map((each) => each.textContent.trim())"


def test_a_long_history_shows_its_newest_rounds_and_folds_the_others_on_a_telephone(
    matches: MatchRig, sit: Sit
) -> None:
    auction = play_until(match_of("wac"), "14-bid")
    sharing = play_until(match_of("sug", rounds=20, public_history=True), "15-offer")
    matches.pages |= {
        name: seat_page(match, 1, action="/x", submit_id=name)
        for name, match in (("long-auction", auction), ("long-sharing", sharing))
    }
    page = sit(f"{matches.base_url}/x/long-auction", viewport=NARROW)
    for name, noun, last in (("long-auction", "Day", 13), ("long-sharing", "Round", 14)):
        page.goto(f"{matches.base_url}/x/{name}")
        rounds = page.locator(f"[data-part=past] tbody th[data-column={noun}]")
        assert rounds.evaluate_all(SEEN) == [str(last - at) for at in range(5)]
        page.get_by_text(f"{last - 5} earlier").click()
        expect(rounds.filter(has_text=re.compile(r"^\s*1\s*$"))).to_be_visible()
        assert rounds.count() == last
    first = page.locator("[data-part=board-1] tbody :is(th, td)")
    heights = first.evaluate_all("all => all.map((each) => each.getBoundingClientRect().height)")
    assert max(heights) < 40, "each cell of the public table is one line"
    page.goto(f"{matches.base_url}/x/long-auction")
    health, price = (page.locator(".drawing").nth(at).locator("text") for at in (0, 1))
    expect(health).to_have_text(["0", "10", "day 1", "day 20"])
    expect(price).to_have_text(["$0", re.compile(r"^\$\d+$"), "day 1", "day 20"])
    for text in (*health.all(), *price.all()):
        assert (text.bounding_box() or {"x": -1})["x"] >= 0
