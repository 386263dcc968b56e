"""Conditions as a fixed effect, against R's lme4, and what cannot be fitted."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis import analyze, render
from analysis.choice.conditions import compare_conditions
from analysis.data.preference import preference_per_participant
from analysis.stats.mixed_conditions import ConditionsModel, conditions_model
from tests.analysis.tables import answer, checked

GOLD = Path(__file__).parents[1] / "gold" / "r"
R: dict[str, Any] = json.loads((GOLD / "conditions.json").read_text())
CONDITIONS = ["human-hybrid", "human-symbolic", "hybrid-symbolic"]


def answers() -> pd.DataFrame:
    """The table that lme4 was given; member a is the true one of every pair."""
    rows = [
        answer(
            participant=row["participant"],
            session=row["participant"],
            trial=f"{row['participant']}-{row['pair']}",
            position=str(at + 1),
            pair=row["pair"],
            condition=row["condition"],
            truth="a",
            choice="a" if row["right"] else "b",
        )
        for at, row in enumerate(pd.read_csv(GOLD / "conditions.csv").to_dict("records"))
    ]
    return checked(*rows)


def fitted(rows: pd.DataFrame) -> ConditionsModel:
    return conditions_model(rows, CONDITIONS)


@pytest.mark.slow
def test_conditions_of_the_same_people_are_what_lme4_fits() -> None:
    """Source: glmer(right ~ condition + (1 | participant) + (1 | pair)) of R (tests/gold/r/conditions.R).

    Maximum likelihood has no prior of the two SDs: with it estimates move by up to a tenth of an SE, and SEs and
    SDs are up to 30% larger (18 pairs say little of how far pairs differ)."""
    rows = answers()
    model = fitted(rows)
    assert (model.n, model.n_participants, model.n_crossed, model.n_pairs) == (R["n"], 30, 30, 18)
    assert [one.condition for one in model.conditions] == CONDITIONS
    numbers = [model.intercept, *(one.log_odds for one in model.conditions[1:])]
    assert model.conditions[0].log_odds is None
    for number, estimate, se, p in zip(numbers, R["estimate"], R["se"], R["p"], strict=True):
        assert number is not None
        assert number.value == pytest.approx(estimate, abs=0.1 * se)
        assert number.sd == pytest.approx(se, rel=0.25)
        assert number.sd >= 0.98 * se
        assert number.low < number.value < number.high
        assert number.high - number.low == pytest.approx(2 * 1.96 * se, rel=0.3)
        assert number.p == pytest.approx(p, abs=0.06)
    sds = [one.value for one in (model.sd_participants, model.sd_pairs) if one]
    assert sds == pytest.approx(R["sds"], rel=0.3)
    turned = conditions_model(rows.sample(frac=1, random_state=3).reset_index(drop=True), CONDITIONS)
    assert turned.to_dict() == model.to_dict(), "the order of the rows is of no consequence"
    result = analyze(rows, resamples=0)
    assert result.studies[0].conditions.mixed is not None
    kept = result.to_dict()["studies"][0]["conditions"]
    assert list(kept)[-1] == "mixed"
    assert kept["mixed"]["reason"] is None
    text = render(result)
    assert "Conditions in one mixed model" in text
    assert "30 of 30 people answered in several conditions" in text
    assert max(map(len, text.splitlines())) <= 100


def test_what_cannot_be_fitted_has_a_plain_reason() -> None:
    rows = answers()
    without = rows.assign(truth=rows["truth"].where(rows["condition"] == CONDITIONS[0]))
    assert fitted(without).reason == "only human-hybrid has answers with a truth that count"
    right = rows["choice"].where(rows["condition"] != CONDITIONS[1], "a")
    assert (
        fitted(rows.assign(choice=right)).reason
        == "all answers of human-symbolic are right: the log odds are infinite"
    )
    nobody = fitted(rows[:0])
    assert (nobody.reason, nobody.n, nobody.conditions) == (
        "no condition has answers with a truth that count",
        0,
        (),
    )
    one = rows[rows["participant"] == "p01"].reset_index(drop=True)
    assert str(fitted(one).reason).startswith("one participant: ")
    alone = rows[rows["condition"] == CONDITIONS[0]].reset_index(drop=True)
    assert compare_conditions(alone, preference_per_participant(alone)).mixed is None
