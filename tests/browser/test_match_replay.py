"""A match on the experimenter's page, in a real browser: its events by slider, keys and links, and its end by hand."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.tables import Role
from app.admin.access import COOKIE
from tests.admin.persons import make_login, make_user
from tests.tasks.game.people import SLUG

from .test_game import Sit, headline, press, propose, sit
from .test_play import Served, by_seat, come_in, serve

__all__ = ["serve", "sit"]
pytestmark = [pytest.mark.browser, pytest.mark.any_database]


def watching(sit: Sit, served: Served, match: int) -> Page:
    with served.database.transaction() as session:
        cookie = make_login(session, make_user(session, Role.OWNER, "ada@example.org"))
    page = sit(f"{served.site}/admin/login")
    page.context.add_cookies([{"name": COOKIE, "value": cookie, "url": f"{served.site}/admin"}])
    page.goto(f"{served.site}/admin/studies/{SLUG}/matches/{match}")
    return page


def test_a_slider_goes_through_a_match_that_is_followed_and_can_be_stopped(
    serve: Callable[..., Served], sit: Sit
) -> None:
    served = serve(game="glee-bargaining", configs={"rounds": 4}, matching={"ready_s": 0})
    pages = [come_in(sit, served) for _ in range(2)]
    alice, bob = by_seat(pages, ["Player 1", "Player 2"])
    page = watching(sit, served, served.match("glee-bargaining").id or 0)
    moment, slider = page.locator("#h-moment"), page.get_by_role("slider", name="Event")
    expect(moment).to_have_text("The match begins")
    expect(page.locator("[data-follows]")).to_have_text("Follows the match")
    propose(alice, "7000")
    expect(moment).to_contain_text("Alice proposes 7,000 for Alice and 3,000 for Bob")
    press(bob, "Reject")
    expect(moment).to_contain_text("Bob gets 0 points, 0 so far")
    expect(page.locator(".events")).to_contain_text("Bob rejects")
    n = int(slider.get_attribute("max") or 0)
    expect(slider).to_have_js_property("value", str(n))

    slider.focus()
    page.keyboard.press("Home")
    expect(moment).to_have_text("The match begins")
    expect(page).to_have_url(re.compile(r"\?at=1$"))
    expect(page.locator("[data-follows]")).to_have_text("")
    expect(page.get_by_role("heading", name="Who played then")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(moment).to_contain_text("Alice proposes 7,000")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(f"event 2 of {n}: Alice proposes 7,000"))
    page.get_by_role("link", name="Now", exact=True).click()
    expect(moment).to_contain_text("Bob gets 0 points")

    page.get_by_text("Stop this match").click()
    page.get_by_label("Why").fill("fire drill")
    page.once("dialog", lambda dialog: dialog.dismiss())
    press(page, f"Stop match {served.match('glee-bargaining').id} now")
    assert served.match("glee-bargaining").status == "running", "the question was answered with no"
    page.once("dialog", lambda dialog: dialog.accept())
    press(page, f"Stop match {served.match('glee-bargaining').id} now")
    expect(page.get_by_role("status").filter(has_text="The match is ended.")).to_be_visible()
    expect(page.locator("#w-seats")).to_contain_text("stopped by hand")
    expect(page.get_by_text("Stop this match")).to_have_count(0)
    for player in (alice, bob):
        headline(player, "The match has ended")
