"""Invariances of the whole analysis of any table."""

import json
import math
import random
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from analysis import SchemaError, analyze, check_responses
from tests.analysis.tables import answer, table

pytestmark = pytest.mark.slow

Row = dict[str, str]

NO_TRUTH = {"truth": "", "condition": "hybrid-symbolic", "source_a": "symbolic", "source_b": "hybrid"}
OTHER = {"a": "b", "b": "a", "": "", "tie": "tie"}


def numbers(df: pd.DataFrame) -> dict[str, Any]:
    """The analysis as its JSON; a NaN in it, or a warning on the way, is an error."""
    result = analyze(df, resamples=12).to_dict()
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    return result


def shown(pair: int) -> Row:
    """What a pair is: every third has no truth, and the second has its human as member b."""
    cells = {"stimulus_a": f"x{pair}", "stimulus_b": f"y{pair}"}
    if pair % 3 == 2:
        return cells | NO_TRUTH
    turned = {"truth": "b", "source_a": "hybrid", "source_b": "human"}
    return cells | (turned if pair % 3 == 1 else {})


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)


@st.composite
def answers(draw: st.DrawFn) -> list[Row]:
    """A few people with any names answer some of four pairs in one or two studies, now and then with a blank."""
    people = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    rows = []
    for place, name in enumerate(people):
        study = "two" if place % 2 and draw(st.booleans()) else "one"
        pairs = draw(st.permutations(range(4)))[: draw(st.integers(1, 4))]
        for position, pair in enumerate(pairs, start=1):
            told = {
                "choice": draw(st.sampled_from(["a", "b", "a", "b", "", "tie"])),
                "left": draw(st.sampled_from(["a", "b", "a", ""])),
                "uncertainty": draw(st.sampled_from(["", "1", "3", "5"])),
                "excluded": draw(st.sampled_from(["", "", "", "", "", "too-fast"])),
                "kind": draw(st.sampled_from(["main", "main", "main", "main", "practice"])),
            }
            where = {"study": study, "participant": name, "position": str(position), "pair": f"q{pair}"}
            rows.append(answer(**where, **shown(pair), **told))
    return rows


@settings(deadline=None, max_examples=3)
@given(answers(), st.integers(0, 2**32), st.sampled_from(["str", "object", "category"]))
def test_row_order_extra_columns_and_types_of_columns_change_nothing(
    rows: list[Row], seed: int, dtype: str
) -> None:
    df = table(*rows)
    shuffled = df.sample(frac=1, random_state=random.Random(seed).randrange(2**32)).assign(extra=1.5)
    assert numbers(shuffled.astype({"participant": dtype, "pair": dtype, "trial": dtype})) == numbers(df)


def relabelled(row: Row) -> Row:
    swapped = {
        f"{name}_{one}": row[f"{name}_{OTHER[one]}"] for name in ("stimulus", "source") for one in "ab"
    }
    return row | swapped | {name: OTHER[row[name]] for name in ("truth", "left", "choice")}


def mirrored(value: Any) -> Any:
    """A result as it is when a is called b: only what is told of a pair's members changes."""
    if isinstance(value, list):
        return [mirrored(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: mirrored(item) for key, item in value.items()}
    if "stimulus_a" not in found:
        return found
    for name in ("stimulus", "source", "votes"):
        if f"{name}_a" in found:
            found[f"{name}_a"], found[f"{name}_b"] = found[f"{name}_b"], found[f"{name}_a"]
    for name in ("truth", "majority", "label"):
        if name in found:
            found[name] = OTHER.get(found[name], found[name])
    if found.get("votes_tie"):
        # With ties the share for b is not what the share for a leaves.
        interval = proportion_confint(found["votes_a"], found["n"], method="wilson")
        share = dict(
            zip(("share_a", "ci_low", "ci_high"), (found["votes_a"] / found["n"], *interval), strict=True)
        )
        return found | {name: float(value) for name, value in share.items()}
    if "ci_low" in found:
        found["ci_low"], found["ci_high"] = _rest(found["ci_high"]), _rest(found["ci_low"])
    return found | {name: _rest(found[name]) for name in ("share_a", "p_a") if name in found}


def _rest(share: float | None) -> float | None:
    return None if share is None else 1 - share


def differences(one: Any, two: Any, path: str = "") -> list[str]:
    """Where two results differ by more than rounding."""
    if isinstance(one, dict) and isinstance(two, dict) and list(one) == list(two):
        return [each for key in one for each in differences(one[key], two[key], f"{path}.{key}")]
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        pairs = enumerate(zip(one, two, strict=True))
        return [each for place, (x, y) in pairs for each in differences(x, y, f"{path}[{place}]")]
    if isinstance(one, float) and isinstance(two, float):
        return [] if math.isclose(one, two, rel_tol=1e-7, abs_tol=1e-7) else [f"{path}: {one} {two}"]
    return [] if one == two else [f"{path}: {one} {two}"]


@settings(deadline=None, max_examples=3)
@given(answers())
def test_calling_a_b_and_b_a_mirrors_the_labels_and_changes_nothing_else(rows: list[Row]) -> None:
    turned = numbers(table(*map(relabelled, rows)))
    assert differences(turned, mirrored(numbers(table(*rows)))) == []


@settings(deadline=None, max_examples=15)
@given(answers(), st.data())
def test_a_row_that_stands_twice_is_refused_with_both_numbers(rows: list[Row], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(rows) - 1))
    second = data.draw(st.integers(first + 1, len(rows)))
    with pytest.raises(SchemaError) as caught:
        check_responses(table(*rows[:second], rows[first], *rows[second:]), "answers.csv")
    trial = rows[first]["trial"]
    assert (caught.value.row, caught.value.column) == (second + 2, "trial")
    assert f"{trial!r} was already answered in row {first + 2} (study " in str(caught.value)


@pytest.mark.exhaustive
def test_ten_thousand_raters_are_an_ordinary_study() -> None:
    rows = [
        answer(participant=f"p{n}", pair=f"q{n % 2}", choice="b" if n % 3 == 0 else "a")
        for n in range(10_000)
    ]
    result = numbers(table(*rows))
    [study] = result["studies"]
    # Every third of 10,000, and the first of all, is wrong: 3,334.
    assert study["accuracy"]["n"] == 10_000
    assert study["accuracy"]["mean"] == pytest.approx(0.6666)
    assert [label["n"] for label in result["labels"]] == [5_000, 5_000]
