"""One specimen of each phase of each game, made of real matches of the engine."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.questions.base import Question, QuestionView
from app.questions.registry import views
from app.tasks.game.base import Event, GameConfig
from app.tasks.game.games import GAMES
from app.tasks.game.match import Match, stream
from app.tasks.game.moves import Move
from app.tasks.game.pages import (
    Body,
    GamePage,
    LeftMatch,
    Questions,
    Ready,
    Result,
    playing,
    result,
    rules_of,
    unmatched,
    waiting,
    with_version,
)
from app.tasks.game.parts import Bonus, Clock
from app.tasks.game.presenters.base import seat_of

TITLE = "A study of five games"
OTHERS = "The other players may be people or computer programs."
LEAVING = "A computer program then plays on for you. What you have earned so far is yours."
HELLO = "I think that half each is fair, as you will not get more by waiting."


def config_of(game: str, **settings: Any) -> GameConfig:
    config: GameConfig = GAMES[game].Config(**settings)
    return config


def match_of(game: str, seed: int = 7, **settings: Any) -> Match:
    return Match(GAMES[game], config_of(game, **settings), seed)


def step(match: Match, moves: Mapping[int, Move | tuple[Move, str]] | None = None) -> None:
    """Nature's draw, or a move of everybody who may act: the given ones, else drawn from what is legal."""
    rng = stream(match.seed, f"step {len(match.log)}")
    if chance := match.game.nature(match.state):
        return match.append(Event("nature", match.phase.phase_id, None, chance.draw(rng)))
    phase = match.phase
    for seat in phase.seats:
        given = (moves or {}).get(seat)
        move, message = given if isinstance(given, tuple) else (given, "")
        legal = match.game.legal(match.state, seat)
        match.append(Event("move", phase.phase_id, seat, move or legal.sample(rng), message))
    return None


def play_until(match: Match, phase_id: str) -> Match:
    """Random play up to a phase, or to the end for `done`."""
    while match.outcome is None and match.phase.phase_id != phase_id:
        step(match)
    return match


def body_of(match: Match, seat: int, bonus: Bonus | None = None) -> Body:
    view = match.game.view(match.state, seat)
    if match.outcome:
        return result(match.game.name, view, bonus=bonus)
    legal = match.game.legal(match.state, seat) if view.acting else None
    return playing(match.game.name, view, legal, bonus=bonus, leaving=LEAVING)


def page_of(body: Body, **more: Any) -> GamePage:
    fields: dict[str, Any] = {
        "study_title": TITLE,
        "action": "/p/none",
        "submit_id": "trial-1.x",
        "done": 3,
        "steps": 8,
        "key": "game-1",
        "number": 1,
        "total": 2,
        "others": OTHERS,
        **more,
    }
    return with_version(GamePage(body=body, **fields))


def seat_page(match: Match, seat: int, **more: Any) -> GamePage:
    """The page of one seat as it stands."""
    view = match.game.view(match.state, seat)
    earned = match.game.payoffs(match.state)[seat - 1]
    bonus = Bonus(max(0, round(earned * 2)) % 500, "GBP")
    clock = None if match.outcome else Clock(42_000, 90_000, 20_000, mine=view.acting)
    fields = {"clock": clock, "rules": rules_of(match.game, match.config, view), **more}
    assert seat_of(view) == seat
    return page_of(body_of(match, seat, bonus), **fields)


def bargaining(upto: str, **settings: Any) -> Match:
    """Offers of about half, with messages, rejected until the phase."""
    match = match_of("glee-bargaining", **settings)
    for number in range(1, 13):
        for phase in ("propose", "answer"):
            if match.phase.phase_id == upto or match.outcome:
                return match
            seat = match.phase.seats[0]
            alice = 5_200 + 300 * (number % 3) if seat == 1 else 4_400 - 200 * (number % 3)
            accepts = upto == "done" and number == 3
            given: Move | tuple[Move, str] = {"kind": "answer", "answer": "accept" if accepts else "reject"}
            if phase == "propose":
                text = HELLO if match.config.model_dump()["messages"] else ""
                given = ({"kind": "propose", "alice_gain": alice}, text)
            step(match, {seat: given})
    return match


def negotiation(upto: str, end: str = "accept", **settings: Any) -> Match:
    """Prices that come nearer to each other until the phase; the third is accepted, or what `end` says."""
    match = match_of("glee-negotiation", **settings)
    prices = (13_500, 7_900, 11_200, 8_800, 10_600, 9_400, 10_200, 9_800)
    for number, price in enumerate(prices, 1):
        for phase in ("propose", "answer"):
            if match.phase.phase_id == upto or match.outcome:
                return match
            seat = match.phase.seats[0]
            accepts = upto == "done" and number == 5
            given: Move | tuple[Move, str] = {"kind": "answer", "answer": end if accepts else "reject"}
            if phase == "propose":
                given = ({"kind": "propose", "price": price}, HELLO if number < 3 else "")
            step(match, {seat: given})
    return match


def persuasion(upto: str, **settings: Any) -> Match:
    """Recommended as it is, mostly; bought when recommended."""
    match = match_of("glee-persuasion", **settings)
    texts = ("This one is good, you can buy it.", "I would not take it.\nReally not.", "Buy it!")
    while match.outcome is None and match.phase.phase_id != upto:
        phase = match.phase
        good = bool(match.state.products) and match.state.products[-1].good
        claims = good or phase.round % 3 == 0
        given: Move | tuple[Move, str] | None = None
        if phase.name == "message":
            given = {"kind": "recommend", "buy": claims}
            if match.config.model_dump()["messages"] == "text":
                given = ({"kind": "message"}, texts[phase.round % 3])
        elif phase.name == "answer":
            given = {"kind": "answer", "buy": claims and phase.round % 5 != 0}
        step(match, {phase.seats[0]: given} if given else None)
    return match


def water(upto: str, **settings: Any) -> Match:
    """Bids that grow with what somebody has."""
    match = match_of("wac", **settings)
    while match.outcome is None and match.phase.phase_id != upto:
        seats = match.phase.seats
        statuses = match.state.statuses
        bids = {
            seat: {
                "kind": "bid",
                "amount": statuses[seat - 1].balance * (3 + (seat * 7 + len(match.log)) % 6) // 9,
            }
            for seat in seats
        }
        step(match, bids)
    return match


def goods(phase_id: str, **settings: Any) -> Match:
    """A group whose members contribute each their own way; those who gave much give points to those who gave little."""
    match = match_of("public-goods", **settings)
    while match.outcome is None and match.phase.phase_id != phase_id:
        made = match.state.contributions
        given: dict[int, Move | tuple[Move, str]] = {}
        for seat in match.phase.seats:
            if match.state.phase == "contribute":
                given[seat] = {"kind": "contribute", "amount": (seat * 6 + len(match.state.past) * 3) % 21}
            else:
                points = {
                    f"points_{other}": max(0, made[seat - 1] - each) // 6
                    for other, each in enumerate(made, 1)
                    if other != seat
                }
                given[seat] = {"kind": "deduct", **points}
        step(match, given)
    return match


def questions() -> tuple[QuestionView, ...]:
    """Comprehension questions after a first try, as the page of a question makes them."""
    options = ("Both of us get our part", "Neither of us gets anything", "Only I get my part")
    asked = [
        Question(
            id="q1", type="choice", required=True, ask="What happens if you reject an offer?", options=options
        ),
        Question(
            id="q2", type="number", required=True, ask="How many points are there to share in each round?"
        ),
    ]
    return views(asked, {"q1": options[2]}, {"q1": "Not right: see the fourth rule."})


def others() -> dict[str, GamePage]:
    """The pages that no game changes."""
    game = GAMES["sug"]
    config = config_of("sug")
    rules: dict[str, Any] = {"rules": rules_of(game, config)}
    clock = Clock(214_000, 300_000, 0, mine=False)
    gone = ("Player 3 has left. A computer program plays on in their place; nothing changes for you.",)
    return {
        "questions": page_of(Questions(questions(), 2, 3), **rules),
        "waiting": page_of(waiting(300, 86, 10, "GBP", "agents"), clock=clock, **rules),
        "waiting-asks": page_of(waiting(300, 300, 10, "GBP", "wait-once-more", asks=True), **rules),
        "ready": page_of(Ready(), clock=Clock(11_000, 15_000, 5_000), **rules),
        "ready-said": page_of(Ready(said=True), clock=Clock(9_000, 15_000, 5_000, mine=False), **rules),
        "left": page_of(
            LeftMatch(
                "You have left the match",
                ("A computer program plays on for you.", "What you have earned is yours."),
                True,
            ),
            clock=Clock(33_000, 45_000, 10_000),
            **rules,
        ),
        "unmatched": page_of(unmatched(50, "GBP"), **rules),
        "stopped": page_of(
            Result(
                "The match has ended",
                (
                    "A player has left, so the match has ended. What you have earned so far stays yours.",
                    "You earned 14 points: £0.28.",
                ),
                None,
                Bonus(28, "GBP"),
            ),
            **rules,
        ),
        "notice": seat_page(play_until(match_of("sug"), "3-offer"), 2, notices=gone),
    }


def specimens() -> dict[str, GamePage]:
    """Every phase of every game, by a short name."""
    sug = {
        "sug-first": (play_until(match_of("sug"), "1-offer"), 3),
        "sug-offer": (play_until(match_of("sug"), "8-offer"), 3),
        "sug-answer": (play_until(match_of("sug", public_history=True), "6-answer"), 0),
        "sug-done": (play_until(match_of("sug"), "done"), 3),
    }
    half: Match = play_until(match_of("sug"), "5-offer")
    half.append(Event("move", "5-offer", 3, {"kind": "offer", "to": 5, "amount": 4}))
    bid = water("5-bid")
    bid.append(Event("move", "5-bid", 3, {"kind": "bid", "amount": 40}))
    contributed = goods("5-contribute")
    contributed.append(Event("move", "5-contribute", 2, {"kind": "contribute", "amount": 12}))
    pairs: dict[str, tuple[Match, int]] = {
        **{name: (match, seat or most_offers(match)) for name, (match, seat) in sug.items()},
        "sug-waits": (half, 3),
        "sug-one": (
            play_until(match_of("sug"), "4-answer"),
            one_offer(play_until(match_of("sug"), "4-answer")),
        ),
        "bargaining-first": (bargaining("1-propose"), 1),
        "bargaining-propose": (bargaining("4-propose"), 2),
        "bargaining-answer": (bargaining("5-answer", complete_information=False), 2),
        "bargaining-waits": (bargaining("4-answer"), 2),
        "bargaining-last": (bargaining("12-answer"), 1),
        "bargaining-done": (bargaining("done"), 1),
        "negotiation-propose": (negotiation("5-propose"), 1),
        "negotiation-answer": (negotiation("4-answer", complete_information=False), 1),
        "negotiation-waits": (negotiation("4-answer"), 2),
        "negotiation-done": (negotiation("done"), 2),
        "negotiation-outside": (negotiation("done", "outside"), 2),
        "persuasion-seller": (persuasion("6-message"), 1),
        "persuasion-binary": (persuasion("6-message", messages="binary"), 1),
        "persuasion-buyer": (persuasion("9-answer"), 2),
        "persuasion-buyer-binary": (persuasion("9-answer", messages="binary", buyer="myopic"), 2),
        "persuasion-buyer-waits": (persuasion("6-message"), 2),
        "persuasion-waits": (persuasion("9-answer"), 1),
        "persuasion-done": (persuasion("done"), 2),
        "wac-first": (water("1-bid"), 3),
        "wac-bid": (water("9-bid", personas=True), 3),
        "wac-waits": (bid, 3),
        "wac-out": (water("12-bid"), out_of(water("12-bid"))),
        "wac-done": (water("done"), 4),
        "goods-first": (goods("1-contribute"), 2),
        "goods-contribute": (goods("5-contribute"), 2),
        "goods-deduct": (goods("5-deduct"), 2),
        "goods-deduct-eight": (goods("3-deduct", players=8, punishment="tenths"), 8),
        "goods-waits": (contributed, 2),
        "goods-done": (goods("done"), 2),
        "goods-none-done": (goods("done", punishment="none"), 2),
    }
    return {**others(), **{name: seat_page(match, seat) for name, (match, seat) in pairs.items()}}


def received(match: Match) -> Sequence[int]:
    """The number of offers each seat has to answer."""
    players = len(match.game.seats(match.config))
    return [len(match.game.view(match.state, seat).facts["received"]) for seat in range(1, players + 1)]


def most_offers(match: Match) -> int:
    counts = received(match)
    return counts.index(max(counts)) + 1


def one_offer(match: Match) -> int:
    return received(match).index(1) + 1


def out_of(match: Match) -> int:
    """A seat without health."""
    return next(seat for seat, status in enumerate(match.state.statuses, 1) if not status.alive)
