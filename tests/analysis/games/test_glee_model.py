"""The regression of GLEE's appendix D: against its formula in statsmodels, and differences of means by hand."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from analysis.errors import AnalysisError
from analysis.figures.glee import effects_figure
from analysis.games.glee_model import glee_model
from tests.analysis.figures.sheets import kept_sheets

FACTORS = {"a": ["1", "2", "3"], "m": ["x", "y"], "t": ["10", "20"]}


def full(repeats: int = 2) -> pd.DataFrame:
    """Every combination of levels and players, with a gain that depends on the player and the first factor."""
    rng = np.random.default_rng(1)
    names = [*FACTORS, "alice", "bob"]
    rows = [
        dict(zip(names, row, strict=True))
        for row in product(*FACTORS.values(), "hg", "gr")
        for _ in range(repeats)
    ]
    table = pd.DataFrame(rows)
    table["gain"] = rng.normal(size=len(table)) + table["a"].astype(float) * (table["alice"] == "h")
    return table


def test_it_is_the_papers_formula_as_statsmodels_reads_it() -> None:
    table = full()
    pairs = [f"{p}:{q}" for p in FACTORS for q in FACTORS if p != q]
    terms = [*FACTORS, "alice", "bob", "alice:bob", *(f"{p}:{z}" for z in ("alice", "bob") for p in FACTORS)]
    terms += [*pairs, *(f"({pair}):{z}" for z in ("alice", "bob") for pair in pairs)]
    fit = smf.ols(f"gain ~ {' + '.join(terms)}", table).fit()
    found = glee_model(table, "gain", FACTORS)
    assert (found.games, found.configurations, found.rank) == (96, 12, int(fit.df_model) + 1)
    assert found.r_squared_adjusted == pytest.approx(fit.rsquared_adj)
    grid = table.drop_duplicates([*FACTORS, "alice", "bob"])
    predicted = fit.predict(grid)
    for one in found.means:
        assert one.fitted == pytest.approx(predicted[grid[one.role] == one.player].mean())
        assert one.mean == pytest.approx(table.loc[table[one.role] == one.player, "gain"].mean())
    clipped = glee_model(table, "gain", FACTORS, (0.0, 1.0))
    for one in clipped.means:
        assert one.fitted == pytest.approx(predicted.clip(0, 1)[grid[one.role] == one.player].mean())
    # An effect is a contrast of the same model; statsmodels has its interval.
    own = grid[grid["alice"] == "h"]
    design = fit.model.data.orig_exog.loc[own.index]
    contrast = design[own["a"] == "3"].mean() - design[own["a"] == "1"].mean()
    expected = fit.t_test(contrast.to_numpy())
    (effect,) = (
        one
        for one in found.effects
        if (one.role, one.player, one.factor, one.level) == ("alice", "h", "a", "3")
    )
    assert effect.at == "all"
    assert effect.difference == pytest.approx(float(expected.effect[0]))
    assert (effect.low, effect.high) == pytest.approx(tuple(expected.conf_int()[0]))


def test_of_a_full_design_an_effect_is_a_difference_of_means() -> None:
    table = full()
    for one in glee_model(table, "gain", FACTORS).effects:
        own = table[table[one.role] == one.player].groupby(one.factor)["gain"].mean()
        assert one.difference == pytest.approx(own[one.level] - own[one.base]), one


def test_of_main_and_variants_alone_effects_are_at_the_main_configuration() -> None:
    main = {"a": "1", "m": "x", "t": "10"}
    rows = [main] * 4 + [{**main, name: level} for name, known in FACTORS.items() for level in known[1:]] * 3
    table = pd.DataFrame(rows).assign(alice="h", bob="g")
    table["gain"] = np.random.default_rng(2).normal(size=len(table))
    found = glee_model(table, "gain", FACTORS)
    assert found.baseline == main
    means = table.groupby(list(main))["gain"].mean()
    for one in found.effects:
        assert one.at == "baseline"
        varied = tuple({**main, one.factor: one.level}.values())
        assert one.difference == pytest.approx(means[varied] - means[tuple(main.values())])
        assert one.low is not None
    # A player who met the others at one configuration alone says nothing of the factors.
    single = pd.concat([table, pd.DataFrame([{**main, "alice": "z", "bob": "g", "gain": 1.0}])])
    of_z = [one for one in glee_model(single, "gain", FACTORS).effects if one.player == "z"]
    assert of_z
    assert all(one.low is None for one in of_z)


def test_what_cannot_be_fitted_is_refused() -> None:
    table = full(1)
    with pytest.raises(AnalysisError, match="a has 9, which is not among its levels"):
        glee_model(table.assign(a="9"), "gain", FACTORS)
    with pytest.raises(AnalysisError, match="there are 0 games"):
        glee_model(table.assign(gain=np.nan), "gain", FACTORS)
    constant = glee_model(table.assign(gain=0.5), "gain", FACTORS)
    assert constant.r_squared_adjusted is None
    assert all(abs(one.difference) < 1e-9 for one in constant.effects)


def test_rounding_is_no_effect_in_numbers_and_figures() -> None:
    """A measure that is always the same, and one that is a factor's level exactly, leave residuals of 1e-16."""
    table = full()
    table["same"], table["exact"] = 1 / 3, table["a"].astype(float) / 3
    same, exact = (glee_model(table, measure, FACTORS) for measure in ("same", "exact"))
    for one in [*same.effects, *(one for one in exact.effects if one.factor != "a")]:
        assert (one.difference, one.low, one.high) == (0, None, None), one
    for one in exact.effects:
        if one.factor == "a":
            assert one.difference == pytest.approx((int(one.level) - 1) / 3)
            assert one.low is None, "nothing varies about the predictions"
    for model, reaches in ((same, 0.01), (exact, 2 / 3)):
        with kept_sheets() as sheets:
            effects_figure([model], "a", "effects")
        low, high = sheets[0].axes[0].get_xlim()
        assert low <= -0.01
        assert reaches <= high < 1
