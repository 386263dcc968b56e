"""Days of the water auction: the first of the first released game, and rules worked by hand."""

from fractions import Fraction
from typing import Any

from app.tasks.game.base import Outcome
from app.tasks.game.games.wac.parameters import RESIDENTS, WaterConfig
from app.tasks.game.games.wac.presenter import WaterPresenter
from app.tasks.game.games.wac.rules import Status, WaterAuction, allocate
from tests.tasks.game.random_play import after, draw, events, move

GAME = WaterAuction()
NEEDS = (8, 9, 10, 11, 12)
RICH = (1000,) * 5


def day(s: Any, supply: int, *bids: int | None) -> Any:
    """The state after a day."""
    s = draw(GAME, s, supply)
    for seat, bid in enumerate(bids, 1):
        if bid is not None:
            s = move(GAME, s, seat, amount=bid)
    return s


def test_the_first_days_of_the_first_released_game() -> None:
    s = day(GAME.initial(WaterConfig()), 11, 40, 40, 40, 40, 60)
    assert s.past[-1].winners == (1,)
    assert s.statuses[0] == Status(30, 10, 1)
    assert [status.health for status in s.statuses] == [10, 7, 7, 7, 7]
    s = day(s, 17, 50, 85, 90, 80, 110)
    assert s.past[-1].winners == (5,)
    s = day(s, 18, 80, 140, 150, 150, 90)
    assert s.past[-1].winners == (3, 1)
    s = day(s, 15, 60, 250, 110, 250, 130)
    assert s.past[-1].winners == (2,)
    assert s.statuses[3].health == -2
    s = draw(GAME, s, 10)
    assert GAME.to_move(s).seats == (1, 2, 3, 5)
    assert s.statuses[3].balance == 4 * 120


def test_who_never_has_water_dies_on_day_four() -> None:
    s: Any = GAME.initial(WaterConfig(supply_low=0))
    for health in ([7] * 5, [5] * 5, [2] * 5, [-2] * 5):
        s = day(s, 0, 0, 0, 0, 0, 0)
        assert [status.health for status in s.statuses] == health
    assert GAME.done(s) == Outcome("all-dead", (Fraction(3),) * 5)


def test_health_is_bounded_and_the_next_loss_starts_again_at_one() -> None:
    s: Any = GAME.initial(WaterConfig(supply_high=50))
    for _ in range(2):
        s = day(s, 50, 0, 0, 0, 0, 0)
    assert s.statuses[0] == Status(140, 10, 1)


def test_of_equal_bids_the_smaller_need_wins() -> None:
    assert allocate(NEEDS, RICH, (40, 40, 40, 40, 40), 11) == (0,)
    assert allocate(NEEDS, RICH, (0, 0, 50, 50, 0), 18) == (2, 0)
    assert allocate((9, 9), (50, 50), (20, 20), 9) == (0,)


def test_a_high_bid_that_no_longer_fits_is_passed_over() -> None:
    assert allocate(NEEDS, RICH, (10, 20, 90, 100, 80), 19) == (3, 0)


def test_what_cannot_be_paid_cannot_win() -> None:
    assert allocate(NEEDS, (100, 100, 100, 100, 100), (101, 5, 4, 3, 2), 10) == (1,)


def test_nobody_wins_where_nobody_fits_and_nothing_can_win_what_is_left() -> None:
    assert allocate(NEEDS, RICH, (10, 20, 30, 40, 50), 7) == ()
    assert allocate(NEEDS, RICH, (0, None, None, None, None), 8) == (0,)


def test_one_survivor_plays_on_to_the_last_day() -> None:
    s: Any = GAME.initial(WaterConfig(supply_low=0, days=6))
    for _ in range(4):
        s = day(s, 8, 1, 0, 0, 0, 0)
    assert GAME.done(s) is None
    for _ in range(2):
        s = day(s, 8, 1)
    assert GAME.done(s) == Outcome("last-day", (Fraction(6), *[Fraction(3)] * 4))


def test_settings_of_the_paper() -> None:
    grid = WaterConfig.grid()
    assert [(c.personas, c.supply_low, c.supply_high) for c in grid] == [
        (False, 10, 20),
        (False, 15, 25),
        (False, 20, 30),
        (True, 10, 20),
        (True, 15, 25),
        (True, 20, 30),
    ]
    starts = [GAME.metrics(c, [])[1]["rsr_start"] for c in grid[:3]]
    assert [float(rate or 0) for rate in starts] == [0.3, 0.4, 0.5]
    assert GAME.view(GAME.initial(grid[3]), 1).facts["persona"] == grid[3].residents[0].persona
    assert GAME.view(GAME.initial(grid[0]), 1).facts["persona"] is None


def test_measures_of_a_match() -> None:
    for seed in range(5):
        happened = events(GAME, WaterConfig(), seed)
        s = after(GAME, WaterConfig(), happened)
        measured = GAME.metrics(WaterConfig(), happened)
        alive = [seat for seat, status in enumerate(s.statuses, 1) if status.health > 0]
        for seat, resident in enumerate(RESIDENTS, 1):
            own = measured[seat]
            days = sum(day.bids[seat - 1] is not None for day in s.past)
            assert own["days_won"] == sum(seat in day.winners for day in s.past)
            assert own["paid"] == days * resident.salary - s.statuses[seat - 1].balance
            assert own["survived"] == (seat in alive)
            assert own["survivors"] == len(alive)
            assert own["days_alive"] == GAME.payoffs(s)[seat - 1]
            needs = [RESIDENTS[other - 1].need for other in alive]
            assert own["rsr_end"] == (Fraction(15, sum(needs)) if needs else None)


def test_the_drawings_of_an_auction_of_one_day_have_no_second() -> None:
    view = GAME.view(day(GAME.initial(WaterConfig(days=1)), 11, 40, 40, 40, 40, 60), 1)
    marks = [drawing.marks for drawing in WaterPresenter().ended(view).drawings]
    assert [[each.text for each in of if each.text.startswith("day")] for of in marks] == [["day 1"]] * 2
