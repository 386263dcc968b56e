"""The mixed model, against simulations with known truth, statsmodels, and the plain numbers of the published study."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import norm, ttest_ind

from analysis.data.hntt import hntt_responses, read_hntt
from analysis.results import plain
from analysis.stats import mixed
from analysis.stats.crossed import Codes
from analysis.stats.mixed import METHOD, MixedModel, fit_mixed, mixed_difference, mixed_model
from tests.analysis.mirrored import mirrored
from tests.analysis.tables import HNTT, answer, checked, person

pytestmark = pytest.mark.slow

Numbers = np.ndarray


def simulated(
    rng: np.random.Generator, n_people: int, n_pairs: int, intercept: float, sds: tuple[float, float]
) -> tuple[Codes, Codes, Numbers]:
    people, pairs = np.repeat(np.arange(n_people), n_pairs), np.tile(np.arange(n_pairs), n_people)
    effects = rng.normal(0, sds[0], size=n_people)[people] + rng.normal(0, sds[1], size=n_pairs)[pairs]
    return people, pairs, (rng.random(len(people)) < expit(intercept + effects)).astype(np.int64)


def held(number: mixed.ModelNumber | None, truth: float) -> bool:
    assert number is not None
    return number.low <= truth <= number.high


@pytest.mark.exhaustive
def test_its_intervals_hold_the_truth_of_simulated_studies() -> None:
    """Source: simulation of 30 studies of 30 people and 8 pairs with known intercept, spreads and mean."""
    rng = np.random.default_rng(1)
    mean = float(expit(1 + (0.6**2 + 0.8**2) ** 0.5 * rng.normal(size=400_000)).mean())
    models = [fit_mixed(*simulated(rng, 30, 8, 1.0, (0.6, 0.8))) for _ in range(30)]
    for name, truth in (
        ("intercept", 1.0),
        ("mean_probability", mean),
        ("sd_participants", 0.6),
        ("sd_pairs", 0.8),
    ):
        assert sum(held(getattr(model, name), truth) for model in models) >= 25
    intercepts = [model.intercept.value for model in models if model.intercept]
    assert np.mean(intercepts) == pytest.approx(1.0, abs=4 * float(np.std(intercepts)) / 30**0.5)


@pytest.mark.exhaustive
def test_at_chance_it_finds_a_difference_in_about_5_percent_of_simulated_studies() -> None:
    """Source: simulation; pooled, a test of the same answers finds one far more often."""
    rng = np.random.default_rng(2)
    studies = [simulated(rng, 20, 12, 0.0, (0.5, 0.7)) for _ in range(40)]
    models = [fit_mixed(*study) for study in studies]
    assert sum(model.intercept is not None and (model.intercept.p or 0) < 0.05 for model in models) <= 6
    pooled = [abs(value.mean() - 0.5) > 1.96 * (0.25 / len(value)) ** 0.5 for _, _, value in studies]
    assert sum(pooled) >= 10


def test_a_large_study_gives_the_numbers_it_was_made_with() -> None:
    """Source: simulation of 400 people and 40 pairs, 15,000 and more answers, some missing."""
    rng = np.random.default_rng(3)
    people, pairs, values = simulated(rng, 400, 40, -0.5, (1.0, 0.4))
    kept = rng.random(len(values)) < 0.95
    model = fit_mixed(people[kept], pairs[kept], values[kept])
    assert (model.n, model.n_participants, model.n_pairs) == (int(kept.sum()), 400, 40)
    assert model.sd_participants is not None
    assert model.sd_participants.value == pytest.approx(1.0, abs=0.12)
    assert model.sd_participants.high - model.sd_participants.low < 0.25
    assert held(model.intercept, -0.5)
    assert held(model.sd_pairs, 0.4)


def test_of_few_pairs_the_spread_is_that_of_the_data_under_the_prior() -> None:
    """Source: four pairs whose log odds 400 people tell almost exactly; of normal effects with a flat mean and a
    half-normal spread of scale 2, the posterior along a line. With twice the scale its mean would be 2.93."""
    n, shares = 400, np.array([0.12, 0.35, 0.8, 0.95])
    error = 1 / (n * shares * (1 - shares))
    spread = np.linspace(0.001, 30, 10_000)
    weight = 1 / (spread[:, None] ** 2 + error)
    apart = logit(shares) - ((weight * logit(shares)).sum(axis=1) / weight.sum(axis=1))[:, None]
    log_density = (
        (np.log(weight) - weight * apart**2).sum(axis=1) - np.log(weight.sum(axis=1)) - spread**2 / 4
    )
    mean = np.average(spread, weights=np.exp(log_density / 2))
    assert mean == pytest.approx(2.324, abs=0.001)
    rng = np.random.default_rng(1)
    value = np.array([rng.permutation(n) < round(n * share) for share in shares]).T.astype(np.int64)
    model = fit_mixed(np.repeat(np.arange(n), 4), np.tile(np.arange(4), n), value.ravel())
    assert model.sd_pairs is not None
    assert model.sd_pairs.value == pytest.approx(mean, rel=0.05)


def test_p_is_two_sided_and_near_that_of_a_normal_posterior() -> None:
    """Of 60 people and 20 pairs the posterior is nearly normal."""
    model = fit_mixed(*simulated(np.random.default_rng(6), 60, 20, 0.3, (0.4, 0.4)))
    assert model.intercept is not None
    assert model.intercept.sd is not None
    z = abs(model.intercept.value) / model.intercept.sd
    assert 0.5 < z < 3
    assert model.intercept.p == pytest.approx(2 * norm.sf(z), rel=0.3)


def test_people_of_two_studies_are_different_people_unless_they_are_said_to_be_the_same() -> None:
    one, two = (
        checked(*(row | {"study": study} for who in "pqr" for row in person(who, "aab")))
        for study in ("s", "t")
    )
    assert mixed_difference(one, two).n_participants == 6
    assert mixed_difference(one, two, same_people=True).n_participants == 3


def test_a_difference_between_studies_is_found_and_turns_round() -> None:
    """Source: simulation; 0.9 in log odds lies between the two studies, each with its own people and pairs."""
    rng = np.random.default_rng(4)
    one, two = (simulated(rng, 60, 20, intercept, (0.5, 0.5)) for intercept in (0.0, 0.9))
    people, pairs = (np.concatenate([one[at], two[at] + one[at].max() + 1]) for at in (0, 1))
    values, group = np.concatenate([one[2], two[2]]), np.repeat([0, 1], 1_200)
    model, turned = fit_mixed(people, pairs, values, group), fit_mixed(people, pairs, values, 1 - group)
    assert held(model.difference, 0.9)
    assert held(model.intercept, 0.0)
    assert model.difference is not None
    assert turned.difference is not None
    assert turned.difference.value == pytest.approx(-model.difference.value, abs=1e-4)
    assert turned.difference.p == pytest.approx(model.difference.p, abs=1e-3)
    assert model.difference.p is not None
    assert model.difference.p < 0.01


def test_a_shared_pair_makes_a_difference_surer_than_pairs_of_their_own() -> None:
    """Where both studies show the same pairs, what pairs are like falls out of the difference."""
    rng = np.random.default_rng(5)
    people, pairs, values = simulated(rng, 80, 10, 0.3, (0.3, 1.2))
    letters = [
        (f"p{who}", f"q{pair}", "a" if value else "b")
        for who, pair, value in zip(people.tolist(), pairs.tolist(), values.tolist(), strict=True)
    ]
    rows = [answer(participant=who, pair=pair, choice=choice) for who, pair, choice in letters]
    one = checked(*(row for row in rows if int(row["participant"][1:]) < 40))
    other = [row | {"study": "t"} for row in rows if int(row["participant"][1:]) >= 40]
    turned = checked(*map(mirrored, other))
    own = checked(*(row | {"stimulus_a": f"{row['stimulus_a']}2"} for row in other))
    shared, apart = mixed_difference(one, turned), mixed_difference(one, own)
    assert (shared.n_pairs, apart.n_pairs) == (10, 20)
    assert shared.difference is not None
    assert apart.difference is not None
    assert shared.difference.sd is not None
    assert apart.difference.sd is not None
    assert shared.difference.sd < 0.6 * apart.difference.sd


def test_of_the_published_study_it_says_what_the_means_say_less_surely() -> None:
    """Source: the means of the published answers, and a t test over participants, which knows nothing of pairs."""
    rows = hntt_responses(read_hntt(HNTT))
    one, two = (rows[rows["study"] == name] for name in ("hntt-1", "hntt-2"))
    for study, accuracy in ((one, 0.8389), (two, 0.7667)):
        model = mixed_model(study)
        assert (model.outcome, model.n, model.n_participants, model.n_pairs) == ("correct", 180, 30, 6)
        assert model.mean_probability is not None
        assert model.mean_probability.value == pytest.approx(accuracy, abs=0.02)
        assert held(model.mean_probability, accuracy)
        assert "Pooling the answers would overstate the evidence" in str(model.warning)
        assert model.method == METHOD
    model = mixed_difference(one, two)
    shares = [
        study.groupby("participant", observed=True)["correct"].mean().astype(float) for study in (one, two)
    ]
    assert model.difference is not None
    assert model.difference.p is not None
    assert ttest_ind(*shares).pvalue < model.difference.p < 0.5


@settings(deadline=None, max_examples=4)
@given(st.lists(st.text("ab-", min_size=2, max_size=4), min_size=2, max_size=5), st.data())
def test_neither_row_order_nor_which_clip_is_a_matters(choices: list[str], data: st.DataObject) -> None:
    rows = [row for number, letters in enumerate(choices) for row in person(f"人{number}", letters)]
    turned = [mirrored(row) if data.draw(st.booleans()) else row for row in data.draw(st.permutations(rows))]
    model = mixed_model(checked(*rows))
    assert model == mixed_model(checked(*turned))
    assert (model.intercept is None) == (model.reason is not None)
    json.dumps(plain(model), allow_nan=False)


def test_without_a_truth_the_choice_of_the_source_named_first_is_modelled() -> None:
    about = {"truth": "", "condition": "hybrid-symbolic", "source_a": "symbolic", "source_b": "hybrid"}
    rows = [*person("p1", "bba", **about), *person("p2", "bab", **about), *person("p3", "bb-", **about)]
    model = mixed_model(checked(*rows))
    assert (model.outcome, model.n) == ("chose hybrid over symbolic", 8)
    assert model.intercept is not None
    assert model.intercept.value > 0
    two = mixed_model(checked(*rows, *person("p4", "ab", truth="")))
    assert two.reason == "there is no truth, and 2 preferences: one is needed"
    assert mixed_difference(checked(*rows), checked(*person("p1", "ab"), *person("p2", "ba"))).reason == (
        "the outcomes differ: chose hybrid over symbolic in the one study, correct in the other"
    )


def test_few_pairs_are_said_to_leave_it_to_the_prior() -> None:
    model = mixed_model(checked(*(row for n in range(8) for row in person(f"p{n}", "ab" if n % 3 else "ba"))))
    assert str(model.warning).startswith("Only 2 pairs: how far pairs differ rests mostly on the prior.")


def _model(*choices: str) -> MixedModel:
    return mixed_model(
        checked(*(row for n, letters in enumerate(choices) for row in person(f"p{n}", letters)))
    )


@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        (("--", "-"), "no answer counts"),
        (("abab",), "one participant: the participant variance is not identifiable"),
        (("a", "b", "a"), "one pair: the pair variance is not identifiable"),
        (
            ("aa", "aaa"),
            "complete separation (all answers of a study are the same): the log odds are infinite",
        ),
        (
            ("a-", "-b", "b"),
            "one answer for each participant: the participant variance is not identifiable",
        ),
    ],
)
def test_what_cannot_be_fitted_says_why(choices: tuple[str, ...], reason: str) -> None:
    model = _model(*choices)
    assert (model.reason, model.intercept, model.method, model.warning) == (reason, None, None, None)


def test_a_study_too_large_or_alike_or_empty_says_why() -> None:
    people, pairs = np.arange(200_001) // 10, np.arange(200_001) % 10
    assert str(fit_mixed(people, pairs, pairs % 2).reason).startswith(
        "too large for the model: 200,001 answers of 20,001"
    )
    some = checked(*person("p1", "ab"), *person("p2", "ba"))
    assert mixed_difference(some, checked(*person("p1", "aa"), *person("p2", "a"))).reason == (
        "complete separation (all answers of a study are the same): the log odds are infinite"
    )
    assert mixed_difference(some, checked(*person("p1", "-"))).reason == "a study has no answer that counts"


def test_a_fit_that_goes_nowhere_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.stats.crossed._MOST_STEPS", 1)
    assert _model("aab", "aba", "bba").reason == "the fit did not converge"
