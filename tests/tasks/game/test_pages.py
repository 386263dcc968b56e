"""The pages of matches: every legal move can be made on them, and what a seat may not know changes no byte of them."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from itertools import islice
from typing import Any

import pytest

from app.core.errors import InvalidAnswer
from app.core.money import decimal, money
from app.core.templating import html_of
from app.tasks.game.base import AnyGame, Event, GameConfig, View
from app.tasks.game.games import GAMES
from app.tasks.game.moves import Choice, MoveKind, MoveSchema, Number
from app.tasks.game.pages import (
    Body,
    GamePage,
    Playing,
    Ready,
    playing,
    result,
    rules_of,
    state_html,
    unmatched,
    waiting,
    with_version,
)
from app.tasks.game.parts import Amount, Bonus, Clock, Entered, amount
from app.tasks.game.posted import move_of, posted_value
from tests.browser.game_pages import specimens
from tests.tasks.game.random_play import steps
from tests.tasks.game.test_protocol import some_configs

# Events of a match that are looked at: the first rounds, in which there is as much to see as later.
MOST = 30


def page_of(body: Body, **more: Any) -> GamePage:
    fields: dict[str, Any] = {
        "study_title": "S",
        "action": "/p/t",
        "submit_id": "1.x",
        "done": 1,
        "steps": 3,
        **more,
    }
    return with_version(GamePage(body=body, **fields))


def body_of(game: AnyGame, state: object, seat: int) -> Body:
    view = game.view(state, seat)
    if game.done(state):
        return result(game.name, view)
    return playing(
        game.name, view, game.legal(state, seat) if view.acting else None, leaving="You can leave."
    )


def page_at(game: AnyGame, state: object, seat: int, **more: Any) -> GamePage:
    rules = rules_of(game, GameConfig(), game.view(state, seat))
    return page_of(body_of(game, state, seat), rules=rules, **more)


class Controls(HTMLParser):
    """The fields of the form that makes a move: hidden ones with their values, and by name what else can be posted."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.hidden: dict[str, str] = {}
        self.offered: dict[str, set[str]] = {}
        self.bounds: dict[str, tuple[str, str]] = {}
        self._inside = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {key: value or "" for key, value in attrs}
        if tag == "form":
            self._inside = has.get("data-act") == "move"
        name = has.get("name", "")
        if not self._inside or not name:
            return
        if has.get("type") == "hidden":
            self.hidden[name] = has["value"]
        elif tag in ("input", "button", "textarea"):
            self.offered.setdefault(name, set()).add(has.get("value", ""))
            if has.get("type") == "number":
                self.bounds[name] = (has["min"], has.get("max", ""))


def filled_in(
    legal: MoveSchema, kind: MoveKind, move: Mapping[str, Any], controls: Controls
) -> dict[str, str]:
    """The form that makes this move. Fails where the page does not offer it."""
    form = dict(controls.hidden)
    for field in kind.fields:
        value, name = move[field.name], field.name
        if isinstance(field, Number) and f"rest-{name}" in controls.offered:
            name, value = f"rest-{name}", (field.maximum or 0) + field.minimum - value
        text = posted_value(value)
        if name in controls.bounds:
            low, high = controls.bounds[name]
            assert int(low) <= int(text) <= int(high or text)
        else:
            assert text in controls.offered[name]
        form[name] = text
    if kind.message:
        assert "message" in controls.offered
        form["message"] = "hello\r\nthere"
    return form


@pytest.mark.slow
def test_every_legal_move_can_be_made_on_the_page_and_is_read_back_as_it_was() -> None:
    rng, n_moves = random.Random(3), 0
    for game in GAMES.values():
        for seed, config in enumerate(some_configs(game, 3)):
            for state, event in islice(steps(game, config, seed), MOST):
                if event.seat is None:
                    continue
                legal = game.legal(state, event.seat)
                controls = Controls(html_of(page_at(game, state, event.seat)))
                assert controls.hidden["phase_id"] == event.phase_id
                assert controls.hidden["do"] == "move"
                move = legal.sample(rng)
                kind = legal.kind(move["kind"])
                act = move_of(legal, filled_in(legal, kind, move, controls))
                assert act == (move, "hello\nthere" if kind.message else "", "")
                n_moves += 1
    assert n_moves > 200


def test_a_form_that_makes_no_move_is_refused_in_plain_sentences() -> None:
    legal = MoveSchema(
        (MoveKind("offer", (Choice("to", (1, 2)), Number("amount", 0, 1000, 10)), message=True),),
        max_length=5,
    )
    good = {"kind": "offer", "to": "2", "amount": "1,000", "message": " hi\x00\x07 "}
    assert move_of(legal, good) == ({"kind": "offer", "to": 2, "amount": 1000}, "hi", "")
    with pytest.raises(InvalidAnswer) as caught:
        move_of(legal, {**good, "rest-amount": "5", "amount": "20"})
    assert caught.value.errors == {"amount": "The form has two amounts. Please write one."}
    wrong = {
        "kind": ("sell", "That cannot be done now."),
        "to": ("3", "Please choose one."),
        "amount": ("15", "15 is not possible here: from 0 to 1,000, in steps of 10."),
        "message": ("abcdef", "Your message has 6 characters, 1 more than the 5 allowed."),
    }
    for name, (value, said) in wrong.items():
        with pytest.raises(InvalidAnswer) as caught:
            move_of(legal, {**good, name: value})
        assert caught.value.errors == {name: said}
    for text in (
        "",
        "1.5",
        "12,5",
        "1_0",
        "10,00",
        "ten",
        "1e3",
        "٣",
        "9" * 400,
        "-10",
        "1010",
        "0x10",
        "true",
    ):
        with pytest.raises(InvalidAnswer) as caught:
            move_of(legal, {**good, "amount": text})
        assert "from 0 to 1,000" in caught.value.errors["amount"]
    with pytest.raises(InvalidAnswer) as caught:
        move_of(legal, {})
    assert set(caught.value.errors) == {"to", "amount"}


def test_what_was_entered_comes_back_with_what_was_wrong() -> None:
    game = GAMES["glee-bargaining"]
    state = game.initial(game.Config())
    entered = Entered(
        {"alice_gain": "20,000", "message": "<b>half</b>"}, {"alice_gain": "20,000 is not possible here."}
    )
    body = playing(game.name, game.view(state, 1), game.legal(state, 1), entered=entered)
    html = html_of(page_of(body))
    assert "20,000 is not possible here." in html
    assert "&lt;b&gt;half&lt;/b&gt;</textarea>" in html
    assert 'aria-invalid="true"' in html


def hidden_twins(game: AnyGame) -> Iterator[tuple[GameConfig, GameConfig, tuple[int, ...]]]:
    """Two configurations that differ in what alone the other seats know, and the seats that may not know it."""
    partial = {"complete_information": False}
    of: Mapping[str, list[tuple[dict[str, Any], dict[str, Any], tuple[int, ...]]]] = {
        "glee-bargaining": [
            ({"discount_bob": "0.8", **partial}, {"discount_bob": "0.95", **partial}, (1,)),
            ({"discount_alice": "0.8", **partial}, {"discount_alice": "1", **partial}, (2,)),
            ({"rounds": 40}, {"rounds": 99}, (1, 2)),
        ],
        "glee-negotiation": [
            ({"buyer_factor": "0.8", **partial}, {"buyer_factor": "1.5", **partial}, (1,)),
            ({"seller_factor": "0.8", **partial}, {"seller_factor": "1.5", **partial}, (2,)),
        ],
        "glee-persuasion": [({"value": "2", **partial}, {"value": "4", **partial}, (1,))],
        "sug": [({"rounds": 9, "show_rounds": False}, {"rounds": 12, "show_rounds": False}, (1, 2, 3))],
        "wac": [],
        "public-goods": [
            ({"rounds": 9, "show_rounds": False}, {"rounds": 12, "show_rounds": False}, (1, 2, 3))
        ],
    }
    for one, two, seats in of[game.name]:
        yield game.Config(**one), game.Config(**two), seats


def pages_of_twins(
    game: AnyGame, one: GameConfig, two: GameConfig, seat: int
) -> Iterator[tuple[GamePage, GamePage]]:
    """The seat's pages in two matches with the same moves, as long as both go on."""
    s, t = game.initial(one), game.initial(two)
    for state, event in steps(game, one, 5):
        assert state == s
        yield page_at(game, s, seat), page_at(game, t, seat)
        s, t = game.apply(s, event), game.apply(t, event)
        if game.done(s) or game.done(t):
            return


@pytest.mark.slow
def test_what_only_others_know_of_the_configuration_changes_no_byte_of_a_page() -> None:
    n_pages = 0
    for game in GAMES.values():
        for one, two, seats in hidden_twins(game):
            assert rules_of(game, one) == rules_of(game, two)
            for seat in seats:
                for first, second in pages_of_twins(game, one, two, seat):
                    assert html_of(first) == html_of(second)
                    assert first.version == second.version
                    n_pages += 1
    assert n_pages > 20


@pytest.mark.slow
def test_what_others_do_before_it_is_shown_changes_no_byte_of_a_page() -> None:
    """Another offer, bid, answer or quality: whoever may not see it gets the same page."""
    rng, n_pages = random.Random(5), 0
    for game in GAMES.values():
        for seed, config in enumerate(some_configs(game, 2)):
            for state, event in islice(steps(game, config, seed), MOST):
                one, two = game.apply(state, event), game.apply(state, other(game, state, event, rng))
                for role in game.seats(config):
                    same = one != two and game.view(one, role.seat) == game.view(two, role.seat)
                    legal = [_legal(game, s, role.seat) for s in (one, two)]
                    if not same or legal[0] != legal[1]:
                        continue
                    pages = [page_at(game, s, role.seat) for s in (one, two)]
                    assert html_of(pages[0]) == html_of(pages[1])
                    n_pages += 1
    assert n_pages > 60


def other(game: AnyGame, state: Any, event: Event, rng: random.Random) -> Event:
    """Something else that could have happened."""
    if event.seat is None:
        chance = game.nature(state)
        assert chance is not None
        return replace(event, move=chance.draw(rng))
    return replace(event, move=game.legal(state, event.seat).sample(rng))


def _legal(game: AnyGame, state: Any, seat: int) -> MoveSchema | None:
    return game.legal(state, seat) if seat in game.to_move(state).seats else None


def test_a_secret_is_only_on_pages_of_those_who_may_know_it() -> None:
    """The quality before the buyer decides, a pending bid: words that the page of whoever knows it does have."""
    game = GAMES["glee-persuasion"]
    state = game.initial(game.Config())
    state = game.apply(state, Event("nature", "1-nature", None, {"kind": "good", "value": False}))
    assert "of low quality" in state_html(page_at(game, state, 1))
    assert "is of low quality" not in state_html(page_at(game, state, 2))
    water = GAMES["wac"]
    bids = water.apply(
        water.initial(water.Config()), Event("nature", "1-nature", None, {"kind": "supply", "value": 12})
    )
    bids = water.apply(bids, Event("move", "1-bid", 2, {"kind": "bid", "amount": 61}))
    assert "$61" in state_html(page_at(water, bids, 2))
    assert all("$61" not in state_html(page_at(water, bids, seat)) for seat in (1, 3, 4, 5))


def test_a_page_is_new_when_its_viewer_sees_something_new_and_only_then() -> None:
    game = GAMES["sug"]
    start = game.initial(game.Config())
    offer = Event("move", "1-offer", 1, {"kind": "offer", "to": 2, "amount": 4})
    moved = game.apply(start, offer)
    assert page_at(game, start, 2).version == page_at(game, moved, 2).version
    assert page_at(game, start, 1).version != page_at(game, moved, 1).version
    base = page_at(game, start, 1, clock=Clock(30_000, 90_000))
    same = [
        page_at(game, start, 1, clock=Clock(12_345, 90_000), submit_id="other"),
        page_at(game, start, 1, clock=Clock(0, 90_000)),
    ]
    assert {page.version for page in same} == {base.version}
    assert (
        page_at(game, start, 1, clock=Clock(30_000, 90_000), notices=("Player 3 has left.",)).version
        != base.version
    )


def test_no_page_says_who_or_what_the_other_players_are() -> None:
    """But where the study says so, or what happens to whoever leaves."""
    for name, page in specimens().items():
        words = state_html(replace(page, others="", notices=(), body=_without_leaving(page.body))).lower()
        said = [
            word
            for word in ("program", "robot", "bots", "agent", "human", "machine", "model")
            if word in words
        ]
        assert said == [] or name in ("waiting", "left"), name


def _without_leaving(body: Body) -> Body:
    return replace(body, leaving="") if isinstance(body, Playing) else body


def test_every_phase_has_a_way_on_or_comes_again_by_itself_without_a_script() -> None:
    """A page that could be filled in is never loaded anew under whoever fills it in."""
    for name, page in specimens().items():
        html = html_of(page)
        refreshes = 'http-equiv="refresh"' in html
        assert refreshes or page.acts, name
        if page.stage != "ready":
            assert refreshes is not page.acts, name
        assert html.count("<h1") == 1, name
        assert "<form" in html or page.stage == "ready", name
        assert page.rules.title in html
        assert all(line.replace("'", "&#39;") in html for line in page.rules.lines), name


def test_rules_tell_a_seat_its_own_part_and_before_the_match_nobodys() -> None:
    def said(game: AnyGame, config: GameConfig, view: View | None) -> str:
        return " ".join(rules_of(game, config, view).lines)

    for game in GAMES.values():
        for config in some_configs(game, 8):
            start = game.initial(config)
            texts = [
                said(game, config, None),
                *(said(game, config, game.view(start, s.seat)) for s in game.seats(config)),
            ]
            assert all(len(text) > 200 for text in texts)
            if game.name.startswith("glee"):
                assert len(set(texts)) == 3
    config = GAMES["glee-bargaining"].Config(rounds=99)
    assert "not announced" in said(GAMES["glee-bargaining"], config, None)


def test_amounts_and_money_are_written_one_way() -> None:
    assert [amount(n) for n in (0, 7, -1, 10_000, Fraction(8019, 2), "1/3", -Fraction(1, 1000))] == [
        "0", "7", "−1", "10,000", "4,009.50", "0.33", "0"]  # fmt: skip
    assert [amount(n, signed=True) for n in (5, 0, -5)] == ["+5", "0", "−5"]
    assert [money(n, c) for n, c in ((48, "GBP"), (123_456, "USD"), (5, "CHF"), (500, "JPY"))] == [
        "£0.48", "$1,234.56", "0.05 CHF", "¥500"]  # fmt: skip
    assert [money(n, c) for n, c in ((1_234_567, "KWD"), (5, "TND"), (2500, "PYG"))] == [
        "1,234.567 KWD", "0.005 TND", "2,500 PYG"]  # fmt: skip
    assert [decimal(n, c) for n, c in ((48, "GBP"), (5, "TND"), (0, "PYG"))] == ["0.48", "0.005", "0"]


def test_the_clock_rounds_up_and_never_shows_less_than_nothing() -> None:
    assert [(Clock(ms, 90_000).text, Clock(ms, 90_000).warns) for ms in (90_000, 20_001, 20_000, 1, 0, -500)] == [
        ("1:30", False), ("0:21", False), ("0:20", True), ("0:01", True), ("0:00", True), ("0:00", True)]  # fmt: skip
    assert Clock(5_000, 0).total == 5


def test_few_amounts_are_buttons_and_many_are_typed() -> None:
    assert Amount("a", "A", 0, 10).buttons == tuple(range(11))
    assert Amount("a", "A", 0, 100, 10).buttons == tuple(range(0, 101, 10))
    assert Amount("a", "A", 0, 100).buttons == ()
    assert Amount("a", "A", 0, None).buttons == ()


def test_waiting_promises_a_bound_and_pay_and_no_place_in_a_queue() -> None:
    page = page_of(waiting(300, 130, 10, "GBP", "agents"), clock=Clock(170_000, 300_000, 0, mine=False))
    html = html_of(page)
    for text in ("5 minutes", "£0.10 a minute", "£0.20 so far", "computer programs take the free seats"):
        assert text in html
    unasked = page_of(waiting(300, 130, 10, "GBP", "agents", is_asked=False))
    assert "asked whether you are still here" in state_html(page)
    assert "asked whether you are still here" not in state_html(unasked)
    later = page_of(waiting(300, 170, 10, "GBP", "agents"), clock=Clock(130_000, 300_000, 0, mine=False))
    assert page.version == later.version
    asks = page_of(waiting(60, 60, 0, "GBP", "wait-once-more", asks=True))
    assert asks.acts
    assert 'value="again"' in html_of(asks)
    assert "paid" not in state_html(asks)
    exit_page = html_of(page_of(unmatched(50, "EUR")))
    assert "You are paid €0.50" in exit_page
    assert 'value="next"' in exit_page


def test_the_tab_says_whose_turn_it_is() -> None:
    headings = {name: page.heading for name, page in specimens().items()}
    assert headings["sug-offer"] == headings["bargaining-answer"] == "Your turn"
    assert headings["sug-waits"] == headings["wac-out"] == "Please wait"
    assert headings["ready"] == "Are you ready?"
    assert page_of(Ready(said=True)).heading == headings["waiting"] == "Waiting for others"


def test_a_bonus_at_its_cap_says_so() -> None:
    game = GAMES["sug"]
    state = game.initial(game.Config())
    body = playing("sug", game.view(state, 1), game.legal(state, 1), bonus=Bonus(300, "GBP", full=True))
    assert "£3.00 (the most there is)" in html_of(page_of(body))
