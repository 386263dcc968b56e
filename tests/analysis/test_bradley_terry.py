"""Strengths of sources: Agresti's baseball season, choix, crowd-kit, statsmodels, simulation and hand-worked cases."""

import warnings
from typing import Any

import choix
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.errors import AnalysisError
from analysis.stats.agreement.resampling import normal_sums
from analysis.stats.bradley_terry import BradleyTerry, bradley_terry, bradley_terry_of_wins
from analysis.stats.bradley_terry.fit import Cells, fit
from tests.analysis.tables import answer, checked, person
from tests.analysis.test_agreement import relabelled, undefined

pytestmark = pytest.mark.slow

# The American League's Eastern Division in 1987: wins of the home team (a row) against each visitor, then its losses.
# Agresti (2002), Categorical Data Analysis, Table 10.10; R's BradleyTerry2, data(baseball).
TEAMS = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
HOME = """
-  43 42 43 61 42 60
33 -  42 43 60 61 43
25 43 -  24 43 42 60
33 51 25 -  43 42 61
51 25 33 42 -  52 60
25 33 34 43 42 -  24
25 15 16 24 16 34 -
"""


def baseball(left: bool) -> pd.DataFrame:
    rows = []
    for home, cells in zip(TEAMS, HOME.strip().splitlines(), strict=True):
        for away, cell in zip(TEAMS, cells.split(), strict=True):
            if cell != "-":
                rows += [(home, away, int(cell[0]), home), (away, home, int(cell[1]), home)]
    table = pd.DataFrame(rows, columns=["winner", "loser", "n", "left"])
    return table if left else table.drop(columns="left")


def strengths(found: BradleyTerry) -> dict[str, float]:
    return {one.source: one.strength.value for one in found.strengths if one.strength.value is not None}


def test_the_baseball_season_has_agrestis_strengths() -> None:
    """Agresti's Table 10.11, column 3: above Baltimore 1.58, 1.44, 1.29, 1.25, 1.11 and 0.68."""
    found = bradley_terry_of_wins(baseball(left=False))
    worth = strengths(found)
    above = [round(worth[team] - worth["Baltimore"], 2) for team in TEAMS[:6]]
    assert above == [1.58, 1.44, 1.29, 1.25, 1.11, 0.68]
    assert sum(worth.values()) == pytest.approx(0, abs=1e-12)
    assert found.left_advantage.reason == "no comparison says which source stood left"
    assert (found.n_comparisons, found.n_side_unknown, found.n_participants) == (273, 273, None)


def test_the_baseball_season_has_agrestis_home_advantage() -> None:
    """Agresti's Table 10.11, column 5, and R: BTm(..., ~ team + at.home) has at.home 0.302."""
    found = bradley_terry_of_wins(baseball(left=True))
    assert found.left_advantage.value is not None
    assert round(found.left_advantage.value, 3) == 0.302
    worth = np.exp(list(strengths(found).values()))
    assert sorted((worth / worth.sum()).round(3)) == [0.044, 0.088, 0.137, 0.157, 0.164, 0.190, 0.220]
    assert (found.left_advantage.n, found.n_side_unknown) == (273, 0)


def test_without_judges_the_intervals_are_those_of_statsmodels_logistic_regression() -> None:
    """Every contrast with Baltimore, and the home advantage, by sm.GLM on the same games."""
    games = baseball(left=True)
    design = np.zeros((len(games), 7))
    for row, (winner, _, _, left) in enumerate(games.itertuples(index=False)):
        away = games["loser"][row] if left == winner else winner
        for team, sign in ((left, 1), (away, -1)):
            if team != "Baltimore":
                design[row, TEAMS.index(team)] = sign
        design[row, 6] = 1
    won = (games["winner"] == games["left"]).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        glm = sm.GLM(won, design, family=sm.families.Binomial(), freq_weights=games["n"]).fit()
    low, high = glm.conf_int().to_numpy()[6]
    found = bradley_terry_of_wins(games)
    interval = found.left_advantage.interval
    assert [interval.low, interval.high] == pytest.approx([low, high], abs=1e-6)
    assert interval.method == "Wald's, for independent comparisons"
    low, high = 1 / (1 + np.exp(-glm.conf_int().to_numpy()[1]))
    [detroit] = [one for one in found.probabilities if (one.source, one.against) == ("Baltimore", "Detroit")]
    assert [detroit.probability.interval.low, detroit.probability.interval.high] == pytest.approx(
        [1 - high, 1 - low]
    )


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_strengths_are_those_of_choix_and_our_own_maximum(seed: int, n_items: int) -> None:
    """choix.opt_pairwise, which does not share its method with ours; every pair has a win on either side."""
    rng = np.random.default_rng(seed)
    wins = rng.integers(1, 9, (n_items, n_items))
    games = [(i, j) for i in range(n_items) for j in range(n_items) if i != j for _ in range(wins[i, j])]
    expected = choix.opt_pairwise(n_items, games, alpha=0, method="BFGS", tol=1e-8)
    table = pd.DataFrame(games, columns=["winner", "loser"]).astype(str)
    found = bradley_terry_of_wins(table)
    assert list(strengths(found).values()) == pytest.approx(expected - expected.mean(), abs=1e-5)
    one, other = np.triu_indices(n_items, 1)
    cells = Cells(one, other, np.zeros(len(one)), n_items)
    ours = fit(cells, np.concatenate([wins[one, other], wins[other, one]])[np.newaxis].astype(float), False)[
        0
    ]
    assert ours[:-1] == pytest.approx(expected - expected.mean(), abs=1e-5)


def test_worths_are_those_of_crowdkit() -> None:
    games = baseball(left=False)
    each = games.loc[games.index.repeat(games["n"])]
    theirs = pd.DataFrame(
        {"worker": 1, "left": each["winner"], "right": each["loser"], "label": each["winner"]}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from crowdkit.aggregation import BradleyTerry as Theirs

        # Its step is compared with itself, so that any tolerance from 0 would end it after two.
        scores = Theirs(n_iter=2_000, tol=-1).fit_predict(theirs)
    worth = pd.Series(strengths(bradley_terry_of_wins(games)))
    assert (np.exp(worth) / np.exp(worth).sum()).to_numpy() == pytest.approx(
        scores[worth.index].to_numpy(), abs=1e-7
    )


def simulated(
    people: int, trials: int, worth: dict[str, float], side: float, seed: int
) -> list[dict[str, str]]:
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(people):
        for trial in range(trials):
            a, b = rng.choice(list(worth), 2, replace=False)
            left = rng.choice(["a", "b"])
            odds = worth[a] - worth[b] + (side if left == "a" else -side)
            choice = "a" if rng.random() < 1 / (1 + np.exp(-odds)) else "b"
            rows.append(
                answer(
                    participant=f"p{number}",
                    pair=f"q{trial}-{a}-{b}",
                    source_a=a,
                    source_b=b,
                    left=left,
                    choice=choice,
                    truth="",
                )
            )
    return rows


def test_simulated_strengths_and_side_are_recovered_inside_their_intervals() -> None:
    worth = {"human": 0.9, "hybrid": 0.1, "symbolic": -1.0}
    found = bradley_terry(checked(*simulated(80, 12, worth, 0.4, 2)), seed=5, resamples=400)
    for one in found.strengths:
        interval = one.strength.interval
        assert interval.low is not None
        assert interval.high is not None
        assert interval.low < worth[one.source] < interval.high
        assert interval.high - interval.low < 0.6
    side = found.left_advantage.interval
    assert side.low is not None
    assert side.high is not None
    assert 0 < side.low < 0.4 < side.high
    assert (side.method, side.seed) == ("percentile bootstrap over participants", 5)
    assert (found.n_participants, found.n_comparisons) == (80, 960)
    [human] = [one for one in found.probabilities if (one.source, one.against) == ("human", "symbolic")]
    assert human.probability.value == pytest.approx(1 / (1 + np.exp(-1.9)), abs=0.05)
    assert human.probability.interval.low is not None
    assert human.probability.interval.low < 1 / (1 + np.exp(-1.9))


def test_the_bootstrap_is_a_refit_to_participants_drawn_again() -> None:
    """One by one: participants drawn with replacement, their answers pooled, statsmodels' logistic regression."""
    rows = simulated(25, 8, {"x": 0.5, "y": -0.5}, 0.0, 1)
    found = bradley_terry(checked(*rows), resamples=3_000)
    x_won = np.array([(row["choice"] == "a") == (row["source_a"] == "x") for row in rows]).reshape(25, 8)
    rng = np.random.default_rng(3)
    share = x_won[rng.integers(0, 25, (3_000, 25))].mean(axis=(1, 2))
    low, high = np.quantile(np.log(share / (1 - share)) / 2, [0.025, 0.975])
    plain = found.strengths[0].strength_plain.interval
    assert [plain.low, plain.high] == pytest.approx([low, high], abs=0.03)


def test_two_sources_have_the_log_odds_of_their_wins() -> None:
    """By hand: 3 wins of 4, strengths of plus and minus half of log 3."""
    rows = [*person("p1", "ab"), *person("p2", "aa")]
    found = bradley_terry(checked(*rows), resamples=0)
    plain = {one.source: one.strength_plain.value for one in found.strengths}
    assert plain == {"hybrid": pytest.approx(-np.log(3) / 2), "human": pytest.approx(np.log(3) / 2)}
    assert [(one.n_comparisons, one.n_wins) for one in found.strengths] == [(4, 3), (4, 1)]
    assert found.strengths[0].strength.interval.reason == "too few participants for an interval: 2"


def test_blanks_equal_sources_and_missing_sources_are_counted_and_compare_nothing() -> None:
    rows = [
        *person("p1", "ab--"),
        *person("p2", "ab", source_b="human"),
        *person("p3", "aba", source_a=""),
        answer(participant="p4", choice="", source_a=""),
    ]
    found = bradley_terry(checked(*rows), resamples=0)
    assert (found.n_blank, found.n_same_source, found.n_without_source) == (3, 2, 3)
    assert (found.n_comparisons, found.n_participants) == (2, 1)


def wins(*games: tuple[str, str, int]) -> pd.DataFrame:
    return pd.DataFrame(list(games), columns=["winner", "loser", "n"])


@pytest.mark.parametrize(
    ("games", "reason"),
    [
        (
            [("x", "y", 3), ("y", "z", 1), ("z", "y", 2)],
            "x never lost to any other source: no finite number says how far ahead it is",
        ),
        (
            [("x", "y", 3), ("y", "x", 3), ("z", "w", 1), ("w", "z", 2)],
            "no chain of comparisons leads from w, z to x, y",
        ),
        (
            [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "a", 1), ("a", "z", 1)],
            "a, b, c and 1 more never lost to any other source: no finite number says how far ahead it is",
        ),
    ],
)
def test_one_sided_and_unconnected_comparisons_have_no_strengths_for_a_reason(
    games: list[tuple[str, str, int]], reason: str
) -> None:
    found = bradley_terry_of_wins(wins(*games))
    assert found.reason == reason
    assert strengths(found) == {}
    assert found.n_comparisons == sum(n for _, _, n in games)
    assert all(estimate["reason"] for estimate in undefined(found.to_dict()))


def test_a_side_that_cannot_be_told_from_the_sources_is_left_out() -> None:
    always = bradley_terry_of_wins(wins(("x", "y", 3), ("y", "x", 2)).assign(left="x"))
    assert always.left_advantage.value is None
    assert always.left_advantage.reason == (
        "no two sources were compared in both orders: side bias and strengths are not identifiable"
    )
    assert strengths(always)["x"] == pytest.approx(np.log(1.5) / 2)
    only_left = bradley_terry_of_wins(wins(("x", "y", 3), ("y", "x", 2)).assign(left=["x", "y"]))
    assert only_left.left_advantage.reason == (
        "sides and strengths together explain every choice of some sources: there is no finite estimate"
    )
    assert only_left.strengths[0].strength == only_left.strengths[0].strength_plain


def test_comparisons_whose_side_is_unknown_count_for_the_strengths_alone() -> None:
    """By hand: x won 3 of 4 on the left and 1 of 2 on the right, and all is known; then 10 more of no known side."""
    games = wins(("x", "y", 3), ("y", "x", 1), ("x", "y", 1), ("y", "x", 1), ("x", "y", 6), ("y", "x", 4))
    found = bradley_terry_of_wins(games.assign(left=np.array(["x", "x", "y", "y", None, None])))
    assert (found.left_advantage.n, found.n_side_unknown) == (6, 10)
    known = bradley_terry_of_wins(games.iloc[:4].assign(left=["x", "x", "y", "y"]))
    # log-odds 0 = s - a and log 3 = s + a, where s is the difference of both strengths.
    assert known.left_advantage.value == pytest.approx(np.log(3) / 2)
    assert known.strengths[0].strength.value == pytest.approx(np.log(3) / 4)


def test_judges_are_what_is_resampled_where_they_are_known() -> None:
    games = wins(*[("x", "y", 3), ("y", "x", 1)] * 12).assign(judge=np.repeat(np.arange(12), 2))
    found = bradley_terry_of_wins(games, resamples=50)
    assert found.n_participants == 12
    interval = found.strengths[0].strength.interval
    assert interval.reason == "without one of them the value is the same: there is no spread"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": [1.5, 1]}, "wins: row 1, column n: '1.5' is not allowed; allowed: a whole number from 0"),
        ({"n": [1, -1]}, "wins: row 2, column n"),
        ({"winner": ["x", None]}, "wins: row 2, column winner: the cell is empty; allowed: a name"),
        (
            {"loser": ["y", "y"]},
            "wins: row 2, column loser: 'y' is not allowed; allowed: another than the winner",
        ),
        (
            {"left": ["x", "z"]},
            "wins: row 2, column left: 'z' is not allowed; allowed: the winner, the loser or nothing",
        ),
    ],
)
def test_bad_tables_of_wins_are_refused_in_one_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        bradley_terry_of_wins(wins(("x", "y", 1), ("y", "x", 1)).assign(**change))


def test_a_table_without_winners_is_refused() -> None:
    with pytest.raises(AnalysisError, match="the column winner is missing; needed: winner, loser"):
        bradley_terry_of_wins(wins(("x", "y", 1)).drop(columns="winner"))


@pytest.mark.parametrize(
    "rows",
    [[], person("p1", "--"), person("p1", "aa", source_b="human"), person("p1", "ab"), person("p1", "aa")],
    ids=["empty", "blanks", "equal sources", "one person", "one-sided"],
)
def test_degenerate_answers_give_numbers_or_reasons(rows: list[dict[str, str]]) -> None:
    found = bradley_terry(checked(*rows) if rows else checked(answer()).iloc[:0], resamples=20).to_dict()
    assert all(estimate["reason"] for estimate in undefined(found))


def test_the_normal_limit_has_the_mean_and_the_covariance_of_resampled_sums() -> None:
    rng = np.random.default_rng(6)
    parts = rng.poisson(2.0, (400, 3)).astype(float)
    drawn = np.concatenate(list(normal_sums(400, parts.sum(axis=0), parts.T @ parts, 1, 20_000)))
    assert drawn.mean(axis=0) == pytest.approx(parts.sum(axis=0), rel=0.01)
    # Of sums of 400 drawn with replacement: 400 times the covariance, in closed form.
    assert np.cov(drawn.T) == pytest.approx(400 * np.cov(parts.T, ddof=0), abs=40)


CAST = st.lists(
    st.tuples(
        st.sampled_from(["p1", "p2", "π3"]),
        st.sampled_from(["q1", "q2", "q3", "q4"]),
        st.sampled_from("ab-"),
        st.sampled_from("ab"),
    ),
    max_size=12,
    unique_by=lambda cast: cast[:2],
)
SOURCES = {
    "q1": ("human", "hybrid"),
    "q2": ("hybrid", "symbolic"),
    "q3": ("symbolic", "human"),
    "q4": ("x", "x"),
}


@settings(deadline=None, max_examples=8)
@given(CAST, st.sets(st.sampled_from(["q1", "q2", "q3", "q4"])), st.randoms(use_true_random=False))
def test_neither_row_order_nor_the_names_of_members_change_anything(
    cast: list[tuple[str, str, str, str]], turned: set[str], random: Any
) -> None:
    rows = [
        answer(
            participant=name,
            pair=pair,
            choice=choice.replace("-", ""),
            left=left,
            source_a=SOURCES[pair][0],
            source_b=SOURCES[pair][1],
        )
        for name, pair, choice, left in cast
    ]
    shuffled = random.sample(rows, len(rows))
    other = [relabelled(row) if row["pair"] in turned else row for row in shuffled]
    assert bradley_terry(checked(*rows), resamples=20) == bradley_terry(checked(*other), resamples=20)
