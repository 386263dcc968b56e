"""The observer's board: what was offered and answered stays in view until somebody moves in the next round."""

from dataclasses import replace
from datetime import timedelta

import pytest

from app.matches.watching import Matches, Waiter, seat_names
from app.tasks.game.games import GAMES, KITS
from app.tasks.game.tables import EntryStatus
from tests.factories import NOW
from tests.tasks.game.random_play import after, events


def texts(game: str, state: object) -> str:
    rules, kit = GAMES[game], KITS[game]
    seen = kit.observe(rules.view(state, "observer"), seat_names(rules, rules.Config()), rules.payoffs(state))
    return "\n".join(
        [seen.board.title, *(" ".join(cell.text for cell in row.cells) for row in seen.board.rows)]
    )


@pytest.mark.slow
def test_the_last_event_of_a_round_shows_the_moves_that_it_ends_in_every_game_with_rounds() -> None:
    for game in ("sug", "wac", "public-goods"):
        rules = GAMES[game]
        happened = events(rules, rules.Config(), 3)
        n_over, n_seen = 0, 0
        for n in range(1, len(happened) + 1):
            state = after(rules, rules.Config(), happened[:n])
            over = len(rules.view(state, "observer").history)
            if over > n_over:
                n_seen += "not yet" not in texts(game, state)
            n_over = over
        assert n_seen == n_over > 1, game
        assert "not yet" not in texts(game, after(rules, rules.Config(), happened)), game


def test_an_answered_round_is_named_and_the_next_one_begins_with_its_first_offer() -> None:
    rules = GAMES["sug"]
    happened = events(rules, rules.Config(), 3)
    ends = next(
        n
        for n in range(1, len(happened))
        if rules.view(after(rules, rules.Config(), happened[:n]), "observer").history
    )
    shown = texts("sug", after(rules, rules.Config(), happened[:ends]))
    assert shown.startswith("Round 1\n")
    assert "accepted" in shown or "rejected" in shown
    assert texts("sug", after(rules, rules.Config(), happened[: ends + 1])).startswith("This round\n")


def test_who_missed_the_ready_check_is_not_on_the_way_to_a_match() -> None:
    waits = Waiter(1, "ann", "play", EntryStatus.WAITING, NOW, NOW + timedelta(minutes=1), None)
    away = replace(waits, session_id=2, status=EntryStatus.AWAY)
    now = Matches(NOW, "live", {}, (waits, away), (), (), 0, 0, 0)
    assert (len(now.waiting), now.n_on_the_way) == (2, 1)
