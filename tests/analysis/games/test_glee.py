"""Worked cases of GLEE's measures, by hand from the definitions of section 2 of the paper."""

import pytest

from analysis.errors import AnalysisError
from analysis.games.glee import bargaining_scores, negotiation_scores, persuasion_scores


def test_a_deal_in_bargaining() -> None:
    # M = 10,000, discounts 0.9 and 0.8; Bob's 4,500 / 5,500 is accepted in round 2.
    for definition in ("corrected", "as_published"):
        scores = bargaining_scores(0.45, 2, (0.9, 0.8), definition)
        assert scores.alice == pytest.approx(0.405)
        assert scores.bob == pytest.approx(0.44)
        assert scores.efficiency == pytest.approx(0.845)
        assert scores.fairness == pytest.approx(0.99)


def test_no_deal_in_bargaining_is_fair_in_the_paper_and_bobs_in_the_script() -> None:
    paper = bargaining_scores(None, 12, (0.9, 0.8))
    assert (paper.alice, paper.bob, paper.efficiency, paper.fairness) == (0, 0, 0, 1)
    script = bargaining_scores(None, 12, (0.9, 0.8), "as_published")
    assert (script.alice, script.fairness) == (0, 0)
    assert script.bob == script.efficiency == pytest.approx(0.8**11)


def test_a_share_outside_the_money_is_refused() -> None:
    with pytest.raises(AnalysisError, match=r"Alice's share is 1\.2"):
        bargaining_scores(1.2, 1, (0.9, 0.8))


def test_a_sale_in_negotiation() -> None:
    scores = negotiation_scores(10_500, (8_000, 12_000), 10_000)
    assert scores.alice == pytest.approx(0.25)
    assert scores.bob == pytest.approx(0.15)
    assert scores.efficiency == 1
    assert scores.fairness == pytest.approx(0.99)


def test_efficiency_in_negotiation() -> None:
    cases = {  # price, values: by the paper, by the script
        (None, (120, 80)): (1, 1),
        (None, (80, 120)): (0, 0),
        (None, (100, 100)): (1, 1),
        (100, (100, 100)): (1, 1),
        (110, (100, 100)): (0, 1),
        (130, (80, 120)): (0, 1),
        (100, (120, 80)): (0, 0),
    }
    for (price, values), (paper, script) in cases.items():
        assert negotiation_scores(price, values, 100).efficiency == paper, (price, values)
        assert negotiation_scores(price, values, 100, "as_published").efficiency == script, (price, values)


def test_fairness_in_negotiation_can_be_negative() -> None:
    assert negotiation_scores(200, (80, 120), 100).fairness == pytest.approx(-3)
    assert negotiation_scores(None, (80, 120), 100).fairness == 1


def test_persuasion_by_the_paper_and_by_the_script_of_the_printed_table() -> None:
    # T = 20, v = 1.2, 7 good rounds: 6 of them bought, 9 of the 13 bad ones not.
    paper = persuasion_scores(20, 7, (6, 4), 1.2)
    assert paper.efficiency == pytest.approx(6 / 7)
    assert paper.fairness == pytest.approx(9 / 13)
    assert paper.alice == pytest.approx(0.5)
    assert paper.bob == pytest.approx(-0.14)
    assert persuasion_scores(20, 7, (6, 4), 1.2, "as_published").bob == pytest.approx(-0.19)


def test_persuasion_without_good_or_without_bad_rounds() -> None:
    assert persuasion_scores(20, 0, (0, 3), 2).efficiency is None
    assert persuasion_scores(20, 20, (20, 0), 2).fairness is None


def test_counts_that_cannot_be_are_refused() -> None:
    with pytest.raises(AnalysisError, match="8 of 7 good"):
        persuasion_scores(20, 7, (8, 4), 1.2)


def test_the_printed_buyers_gains_follow_from_the_script_and_one_is_impossible() -> None:
    """Table 4's buyers (efficiency, fairness, printed gain), at the mean p and v of the printed levels."""
    p, value = (1 / 3 + 0.5 + 0.8) / 3, (1.2 + 1.25 + 2 + 3 + 4) / 5
    for efficiency, fairness, script, paper in (
        (0.93, 0.21, 0.66, 0.29),
        (0.84, 0.59, 0.49, 0.40),
        (0.35, 0.61, 0.74, 0.07),
    ):
        rounds = 10**6
        good = round(p * rounds)
        bought = (round(efficiency * good), round((1 - fairness) * (rounds - good)))
        assert persuasion_scores(rounds, good, bought, value, "as_published").bob == pytest.approx(
            script, abs=0.01
        )
        assert persuasion_scores(rounds, good, bought, value).bob == pytest.approx(paper, abs=0.01)
    assert p * (value - 1) < 0.75
