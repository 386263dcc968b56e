"""Signatures of play: worked by hand, and on players whose ways of deciding are known."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from analysis.errors import AnalysisError
from analysis.signatures import Act, SeatPlay, SignatureResult, compare_play, render_play
from analysis.signatures.measures import linear, unordered
from analysis.signatures.play import SETTLED, PlaySignatures
from analysis.signatures.published_play import PLAY_SIGNATURES
from analysis.signatures.text import band_words
from analysis.terminal import WIDTH

pytestmark = pytest.mark.slow

NAMED = {one.name: one for one in PLAY_SIGNATURES}
OFFER = "sug-offer-given-received"
ANSWER = "sug-answer-given-offer"


def counted(name: str, acts: Sequence[tuple[tuple[float, ...], float]]) -> np.ndarray:
    one = NAMED[name]
    found = np.zeros(one.n_zones * one.n_bins)
    for given, did in acts:
        found[one.bin(given, did)] += 1
    return found


def seat(source: str, player: str, match: int, acts: Sequence[Act], game: str = "sug") -> SeatPlay:
    return SeatPlay(f"m{match}", game, source, player, "c", "player", tuple(acts))


def reciprocal(source: str, player: str, seed: int, gives: float, matches: int = 20) -> list[SeatPlay]:
    """Offers the share `gives` of what it last got, more or less; accepts 0.3 and more."""
    rng = np.random.default_rng(seed)
    found = []
    for match in range(matches):
        got = rng.choice([math.nan, 0.1, 0.3, 0.5, 0.8], 20)
        offers = np.clip(np.where(np.isnan(got), 0.4, gives * got) + rng.choice([-0.1, 0, 0.1], 20), 0, 1)
        asked = rng.choice([0.1, 0.2, 0.3, 0.4, 0.5], 20)
        acts = [Act(OFFER, (float(x),), float(y)) for x, y in zip(got, offers, strict=True)]
        acts += [Act(ANSWER, (float(x),), float(x >= 0.3)) for x in asked]
        found.append(seat(source, player, match, acts))
    return found


PEOPLE = [one for at in range(6) for one in reciprocal("human", f"p{at}", at, 0.8 + 0.04 * at)]
SAME = reciprocal("same", "same", 50, 0.9)
MEAN = reciprocal("mean", "mean", 51, 0.2)


def result(found: PlaySignatures, name: str = OFFER) -> SignatureResult:
    return next(one for one in found.signatures if one.signature == name)


def test_a_worked_example_of_each_distance() -> None:
    """By hand, and on a line as SciPy's Wasserstein distance has it."""
    # Within zone "got 0.1": 0.2 and 0.4 against 0.3 and 0.3, 0.1 apart. "Got 0.5": 0.5 against 0.2, 0.3 apart.
    one = counted(OFFER, [((0.1,), 0.2), ((0.1,), 0.4), ((0.5,), 0.5)])
    other = counted(OFFER, [((0.1,), 0.3), ((0.1,), 0.3), ((0.5,), 0.2)])
    assert wasserstein_distance([0.2, 0.4], [0.3, 0.3]) == pytest.approx(0.1)
    assert NAMED[OFFER].distance(one, other) == pytest.approx((2 * 0.1 + 0.3) / 3)
    # A situation that only one of them met says nothing, and two that met none in common have no distance.
    more = one + counted(OFFER, [((0.9,), 1.0)] * 5)
    assert NAMED[OFFER].distance(more, other) == pytest.approx(
        (0.1 * (2 / 8 + 2 / 3) + 0.3 * (1 / 8 + 1 / 3)) / (3 / 8 + 1)
    )
    assert np.isnan(NAMED[OFFER].distance(counted(OFFER, [((0.9,), 1.0)]), other))
    # Yes or no: how far the shares of yes are apart.
    yes = counted(ANSWER, [((0.3,), 1.0)] * 3 + [((0.3,), 0.0)])
    no = counted(ANSWER, [((0.3,), 1.0)] + [((0.3,), 0.0)] * 3)
    assert NAMED[ANSWER].distance(yes, no) == pytest.approx(0.5)
    # Without an order all bins are 1 apart: proposers, partners, others.
    p, q = np.array([4.0, 1.0, 0.0]), np.array([1.0, 1.0, 3.0])
    assert unordered(p, q) == pytest.approx(0.6)
    assert linear(1.0)(p, q) == pytest.approx(1.2)


def test_zones_begin_at_their_edges_and_nothing_yet_is_a_zone_of_its_own() -> None:
    health = NAMED["wac-bid-given-health"].given[0]
    assert [health.zone(value) for value in (math.nan, 0.2, 0.25, 0.49, 0.5, 0.75, 1.0)] == [
        0,
        1,
        2,
        2,
        3,
        4,
        4,
    ]
    answers = NAMED[ANSWER].given[0]
    assert [answers.zone(at / 10) for at in range(11)] == list(range(1, 12)), "a zone for each tenth"
    one = NAMED["wac-bid-given-health"]
    assert [one.bin((math.nan,), did) for did in (0.0, 0.024, 0.025, 0.3, 1.0, 7.0)] == [0, 0, 1, 6, 20, 20]


def test_the_same_agent_twice_is_near_and_another_is_far() -> None:
    found = compare_play([*PEOPLE, *SAME, *MEAN], resamples=100)
    offers = result(found)
    far = {each.source: each.distance for each in offers.distances}
    assert (offers.nearest, offers.nearest_share) == ("same", 1.0)
    assert offers.band is not None
    assert offers.band.n == 6
    assert far["same"] < (offers.band.high or 0) < far["mean"]
    assert offers.bands_away("same") == pytest.approx(far["same"] / (offers.band.high or 1))
    # Of one agent with two seeds the distance is that of its own halves; they answer all alike.
    twins = [
        *reciprocal("human", "a", 7, 0.9),
        *reciprocal("human", "b", 8, 0.9),
        *reciprocal("it", "it", 9, 0.9),
    ]
    again = result(compare_play(twins, resamples=0))
    halves = [step.high for step in again.settling if step.source == "it"][-1]
    assert again.distances[0].distance < 1.5 * halves
    assert result(found, ANSWER).distances[0].distance == 0
    assert result(found, ANSWER).nearest is None, "both are equally near"
    # People who answer all alike have a band that ends at 0: who does so, too, is within it, and nobody else.
    takes_all = [seat("eager", "eager", at, [Act(ANSWER, (0.1,), 1.0)] * 20) for at in range(20)]
    answers = result(compare_play([*PEOPLE, *SAME, *takes_all], resamples=0), ANSWER)
    assert (answers.band and answers.band.high) == 0
    assert band_words(answers, "same") == "within"
    assert band_words(answers, "eager") == "outside, beyond its end"


def test_few_decisions_are_not_settled_and_the_curve_goes_down() -> None:
    found = compare_play([*PEOPLE, *SAME[:10], *MEAN], resamples=0)
    assert 10 * 20 < SETTLED <= 20 * 20 * 6
    assert result(found).not_settled == ("mean", "same")
    # 400 offers and 400 answers are 800 acts, and no signature has more than 400 of a person.
    assert SETTLED < 2 * 20 * 20
    assert any(note.startswith("sug: 6 of 6 people have fewer than 500") for note in found.notes)
    curve = [step.median for step in result(found).settling if step.source == "human"]
    assert curve[-1] < curve[0] / 2


def test_one_source_alone_is_nearest_of_none_and_what_nobody_met_is_no_distance() -> None:
    elsewhere = [
        seat("other", "other", 1, [Act(OFFER, (0.95,), 0.5), Act("sug-change-given-answer", (1.0,), 0.0)])
    ]
    alone = compare_play([*PEOPLE, *MEAN], resamples=50)
    assert (result(alone).nearest, result(alone).nearest_share) == (None, None)
    assert "Nearest to people" not in render_play(alone)
    assert "times its end" in render_play(alone)
    found = compare_play([*PEOPLE, *MEAN, *elsewhere], resamples=50)
    assert result(found, ANSWER).not_compared == ("other",)
    assert result(found, "sug-change-given-answer").reason == "no person has an observation"
    assert "No distance, as nothing was counted where people have any: other" in render_play(found)
    assert (
        json.loads(json.dumps(found.to_dict(), allow_nan=False))["format"] == "likely-human play signatures 1"
    )


def test_pooling_is_by_player_and_games_are_compared_apart() -> None:
    """An agent in two seats of a match, or a match cut into two files' rows, is the same play."""
    halves = [
        seat(one.source, one.player, int(one.match[1:]), acts)
        for one in MEAN
        for acts in (one.acts[::2], one.acts[1::2])
    ]
    whole, cut = (compare_play([*PEOPLE, *of], resamples=20).to_dict() for of in (MEAN, halves))
    assert whole == cut
    water = [seat("mean", "mean", 1, [Act("wac-bid-given-health", (0.5,), 0.5)], "wac")]
    found = compare_play([*PEOPLE, *MEAN, *water], resamples=0)
    assert {one.signature.partition("-")[0] for one in found.signatures} == {"sug"}
    assert "wac was not played by human and another source: nothing is compared there." in found.notes


def test_other_configurations_and_simulated_people_are_said() -> None:
    other = [SeatPlay(one.match, "sug", "mean", "mean", "d", "player", one.acts) for one in MEAN]
    simulated = [
        SeatPlay(one.match, "sug", "simulated", one.player, "c", "player", one.acts) for one in PEOPLE
    ]
    found = compare_play([*simulated, *other], human="simulated", resamples=0)
    assert any("mean played other configurations" in note for note in found.notes)
    assert "a number on these says nothing about people" in found.notes[0]
    text = render_play(found)
    assert max(map(len, text.splitlines())) <= WIDTH


def test_people_who_played_with_agents_are_said_to_have_and_those_among_themselves_are_not() -> None:
    def notes(seats: Sequence[SeatPlay]) -> list[str]:
        return [note for note in compare_play(seats, resamples=0).notes if "people among people" in note]

    apart = [replace(one, match=f"agents-{one.match}") for one in MEAN]
    assert notes([*PEOPLE, *apart]) == []
    [note] = notes([*PEOPLE, *apart[5:], *MEAN[:5]])
    assert note.startswith(
        "sug: in 5 of 20 matches of human there were others, too (mean), where the protocol"
    )


def test_an_agent_that_took_over_a_seat_is_company_as_well() -> None:
    apart = [replace(one, match=f"agents-{one.match}") for one in MEAN]
    joined = [replace(one, others="who took over a seat") if one.match == "m1" else one for one in PEOPLE]
    [note] = [note for note in compare_play([*joined, *apart], resamples=0).notes if "people among" in note]
    assert note.startswith("sug: in 1 of 20 matches of human there were others, too (who took over a seat)")


def test_what_cannot_be_compared_is_refused_in_words() -> None:
    with pytest.raises(AnalysisError, match="no seat was played by 'human'; there is mean"):
        compare_play(MEAN)
    with pytest.raises(AnalysisError, match="nothing to compare with people"):
        compare_play(PEOPLE)
