"""The Social Ultimatum Game: its rules on rounds worked by hand, what is hidden, and its agents."""

import random
from dataclasses import replace
from fractions import Fraction
from statistics import mean

import pytest

from app.tasks.game.base import Budget, Event, canonical_json
from app.tasks.game.games.sug.agents import Adaptive, AdaptiveAgent, threshold
from app.tasks.game.games.sug.habits import (
    SYNTHETIC,
    Adaptation,
    fitted_beta,
    fitted_gamma,
    recipient_shares,
)
from app.tasks.game.games.sug.rules import Sug, SugConfig
from app.tasks.game.match import Match, match_seed, play
from app.tasks.game.moves import IllegalMove
from tests.tasks.game.random_play import steps

GAME = Sug()
A, B, C, D, E = range(1, 6)
OFFERS = {A: (B, 5), B: (A, 5), C: (B, 3), D: (A, 4), E: (C, 1)}
ANSWERS = {
    A: {"offer_2": "accept", "offer_4": "accept"},
    B: {"offer_1": "accept", "offer_3": "reject"},
    C: {"offer_5": "reject"},
}


def worked_round(**parameters: object) -> Match:
    match = Match(GAME, SugConfig.model_validate(parameters), 1)
    for seat, (to, amount) in OFFERS.items():
        match.append(Event("move", "1-offer", seat, {"kind": "offer", "to": to, "amount": amount}))
    for seat, given in ANSWERS.items():
        match.append(Event("move", "1-answer", seat, {"kind": "answer", **given}))
    return match


def test_the_worked_round_pays_what_it_pays_by_hand() -> None:
    match = worked_round()
    assert match.state.totals == (14, 10, 0, 6, 0)
    assert match.phase.phase_id == "2-offer"
    resolved = [line for line in match.log if line.event.kind == "resolve"]
    assert [line.payoff_round for line in resolved] == [14, 10, 0, 6, 0]
    assert {line.round for line in resolved} == {1}


def test_only_who_got_offers_answers_and_once() -> None:
    match = Match(GAME, SugConfig(), 1)
    for seat, (to, amount) in OFFERS.items():
        match.append(Event("move", "1-offer", seat, {"kind": "offer", "to": to, "amount": amount}))
    assert list(match.phase.seats) == [A, B, C]
    match.append(Event("move", "1-answer", C, {"kind": "answer", "offer_5": "reject"}))
    assert list(match.phase.seats) == [A, B]
    with pytest.raises(IllegalMove, match="seat 3 may not act"):
        match.append(Event("move", "1-answer", C, {"kind": "answer", "offer_5": "accept"}))


def test_all_that_is_paid_is_the_endowment_for_each_offer_accepted() -> None:
    for seed in range(10):
        config = SugConfig(players=3 + seed % 4, rounds=6, endowment=20, step=5)
        state = GAME.initial(config)
        for before, event in steps(GAME, config, seed):
            state = GAME.apply(before, event)
        accepted = [made[2] for rounds in state.history for made in rounds]
        assert sum(state.totals) == 20 * sum(accepted)
        assert len(accepted) == config.players * 6


def test_offers_between_others_change_nothing_that_a_seat_sees() -> None:
    """Another history of C and D, to whom A has nothing to do with, gives A the same views to the byte."""
    one = worked_round().state
    other_round = list(one.history[0])
    other_round[E - 1] = (D, 9, True)
    two = replace(one, history=(tuple(other_round),), totals=(14, 10, 0, 15, 1))
    for seat in (A, B):
        assert canonical_json(GAME.view(one, seat)) == canonical_json(GAME.view(two, seat))
    for seat in (C, D, E):
        assert GAME.view(one, seat) != GAME.view(two, seat)
    public = [replace(s, config=SugConfig(public_history=True)) for s in (one, two)]
    assert GAME.view(public[0], A) != GAME.view(public[1], A)


def test_the_number_of_rounds_is_hidden_where_the_study_says_so() -> None:
    assert GAME.view(worked_round().state, A).rounds == 20
    hidden = [GAME.view(worked_round(show_rounds=False, rounds=n).state, A) for n in (8, 9)]
    assert hidden[0].rounds is None
    assert canonical_json(hidden[0]) == canonical_json(hidden[1])


def test_a_step_divides_the_endowment_and_bounds_the_offers() -> None:
    with pytest.raises(ValueError, match="step 3 does not divide the endowment 10"):
        SugConfig(step=3)
    match = Match(GAME, SugConfig(step=5), 1)
    with pytest.raises(IllegalMove, match="amount is 4; it must be from 0 to 10, in steps of 5"):
        match.append(Event("move", "1-offer", A, {"kind": "offer", "to": B, "amount": 4}))
    with pytest.raises(IllegalMove, match="to is 1; it must be one of 2, 3, 4, 5"):
        match.append(Event("move", "1-offer", A, {"kind": "offer", "to": A, "amount": 5}))


def test_a_threshold_follows_offers_as_in_the_worked_example() -> None:
    once = threshold(5, 0.3, [3, 4])
    assert once == pytest.approx(4.235)
    assert threshold(once, 0.3, [3, 4]) == pytest.approx(0.49 * 4.235 + 0.51 * 3.5)
    assert threshold(5, 0.3, [0]) == threshold(5, 0.3, []) == 5
    assert threshold(5, 1, [2]) == 2


def test_a_fall_after_s_offers_gives_the_smallest_beta_that_passes_the_middle() -> None:
    for s, printed in ((1, 0.500), (2, 0.293), (3, 0.206), (5, 0.129), (10, 0.067)):
        rounds = [*([[(B, 8, True)]] * s), [(B, 4, True)]]
        beta = fitted_beta(rounds, A)
        assert beta is not None
        assert round(beta, 3) == printed
        value = 8.0
        for _ in range(s):
            value = beta * 4 + (1 - beta) * value
        assert value == pytest.approx(6)
    # Rounds with offers to others teach nothing of B; another amount begins the count anew.
    apart = [[(to, amount, True)] for to, amount in ((B, 7), (B, 8), (C, 8), (B, 8), (C, 9), (C, 9), (B, 4))]
    assert fitted_beta(apart, A) == pytest.approx(1 - 2 ** (-1 / 2))
    assert fitted_beta([[(B, 4, True)], [(B, 5, True)], [(C, 3, True)]], A) is None


@pytest.mark.slow
def test_the_fitted_beta_grows_with_the_one_that_was_played() -> None:
    """Counted in rounds since the last offer to the partner, it hardly did: 0.43 for 0.05, and 0.49 for 0.5."""
    config = SugConfig()
    fitted = []
    for beta in (0.05, 0.206, 0.5):
        agent = AdaptiveAgent(alpha=0.4, beta=beta, gamma=0.05)
        played = [
            play(GAME, config, [agent.player() for _ in range(5)], match_seed(3, config, number)).state
            for number in range(10)
        ]
        found = [fitted_beta(state.history, seat) for state in played for seat in range(1, 6)]
        fitted.append(mean(one for one in found if one is not None))
    assert fitted[0] + 0.05 < fitted[1] < fitted[2] - 0.05


def test_a_refused_amount_is_not_offered_again_to_the_same_partner_at_once() -> None:
    """With one partner who refuses everything under 5 the adaptive model goes up until it is accepted."""
    player = Adaptive(Adaptation(alpha=0.2, beta=0.0, gamma=0.0))
    match = Match(GAME, SugConfig(players=3, rounds=12), 1)
    offered: list[tuple[int, int]] = []
    rng = random.Random(1)
    while match.outcome is None:
        seat = match.phase.seats[0]
        legal = GAME.legal(match.state, seat)
        if seat == A:
            move = player.act(GAME.view(match.state, A), legal, rng, Budget()).move
        elif match.phase.name == "offer":
            move = {"kind": "offer", "to": C if seat == B else B, "amount": 5}
        else:
            made = GAME.view(match.state, seat).facts["received"]
            say = {f"offer_{o['from']}": "accept" if o["amount"] >= 5 else "reject" for o in made}
            move = {"kind": "answer", **say}
        match.append(Event("move", match.phase.phase_id, seat, move))
    offered = [made[0][:2] for made in match.state.history]
    refused = [offer for offer in offered if offer[1] < 5]
    assert len(refused) == len(set(refused)) == 6
    assert {offer[1] for offer in offered[6:]} == {5}


def test_exploring_is_the_share_of_offers_below_what_was_known_to_be_accepted() -> None:
    rounds = [
        [(B, 5, True), (C, 2, True), (A, 4, True)],
        [(B, 3, False), (C, 1, True), (B, 9, True)],
        [(B, 4, True), (C, 1, True), (B, 9, True)],
        [(B, 2, True), (C, 1, True), (B, 9, True)],
    ]
    # Known to A: 5 and 4 after round 1 (nothing of B to C), so of three offers 3 and 2 are below and 4 is not.
    assert fitted_gamma(rounds, A) == 2 / 3
    # Known to anybody: B's 2 to C after round 1, its 1 after round 2; nothing that A offers is below.
    assert fitted_gamma(rounds, A, "anybody") == 0
    assert fitted_gamma(rounds, C, "anybody") == 0
    nobody = [[(B, 3, False), (A, 2, False), (A, 1, False)]] * 3
    assert fitted_gamma(nobody, A) == fitted_gamma(nobody, A, "anybody") == 0
    late = [
        *nobody,
        [(B, 5, True), (A, 2, False), (A, 1, False)],
        [(B, 4, True), (A, 2, False), (A, 9, False)],
    ]
    assert fitted_gamma(late, A) == 1, (
        "of the rounds in which an accepted offer is known, of which there is one"
    )
    assert fitted_gamma(late, C) == 0
    assert fitted_gamma(late, C, "anybody") == 0
    assert fitted_gamma([*late, [(B, 4, True), (A, 2, False), (A, 3, False)]], C, "anybody") == 1 / 2


def test_recipients_are_ranked_by_how_often_they_were_chosen() -> None:
    rounds = [[(to, 5, True)] for to in (B, C, B, B)]
    assert recipient_shares(rounds, A, 5) == [0.75, 0.25, 0.0, 0.0]


def test_the_synthetic_habits_have_the_mean_offer_and_rejections_they_are_documented_with() -> None:
    offers = SYNTHETIC.offers
    mean = sum(i * weight for i, weight in enumerate(offers)) / sum(offers) / 10
    rejected = sum(w * r for w, r in zip(offers, SYNTHETIC.rejections, strict=True)) / sum(offers)
    assert mean == pytest.approx(0.40, abs=0.005)
    assert rejected == pytest.approx(0.16, abs=0.005)


def test_measures_of_a_match_are_counts_of_it() -> None:
    match = worked_round()
    measures = GAME.metrics(match.config, match.events)  # type: ignore[arg-type]
    assert measures[B] == {
        "mean_offer": Fraction(5),
        "offers_accepted": Fraction(1),
        "offers_received": Fraction(2),
        "accepts": Fraction(1, 2),
    }
    assert measures[E]["accepts"] is None
