"""The published HNTT numbers: to the digits printed, and recomputed in plain Python from changed data."""

import json
import math
import random
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from analysis import Analysis, analyze, hntt_responses, read_hntt
from tests.analysis.tables import GOLD, HNTT, hntt_rows, published, write_csv

pytestmark = pytest.mark.slow

Row = dict[str, str]
Numbers = dict[str, dict[str, Any]]

PUBLISHED = json.loads((GOLD / "published.json").read_text(), parse_float=Decimal)


def analysed(path: Path) -> Analysis:
    return analyze(hntt_responses(read_hntt(path)), resamples=0)


def of_rows(rows: list[Row], tmp_path: Path) -> dict[str, Any]:
    return analysed(write_csv(tmp_path / "hntt.csv", rows)).to_dict()


@pytest.fixture(scope="module")
def gold() -> dict[str, Any]:
    return published(0).to_dict()


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    items = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    )
    if items is None:
        yield path, value
        return
    for key, item in items:
        yield from leaves(item, (*path, key))


PRINTED = [
    pytest.param(path, value, id=".".join(map(str, path)))
    for path, value in leaves({part: PUBLISHED[part] for part in ("as_published", "corrected")})
]


@pytest.mark.parametrize(("path", "printed"), PRINTED)
def test_every_published_number_is_met_to_its_last_digit(
    gold: dict[str, Any], path: tuple[str | int, ...], printed: Decimal | int
) -> None:
    """Source: gold/published.json; Devlin et al. 2021, section 5.1."""
    value: Any = gold
    for key in path:
        value = value[key]
    digits = -int(Decimal(printed).as_tuple().exponent)
    assert round(Decimal(value), digits) == printed


def test_the_numbers_have_the_shape_of_the_published_ones(gold: dict[str, Any]) -> None:
    for part in ("as_published", "corrected"):
        assert [path for path, _ in leaves(gold[part])] == [path for path, _ in leaves(PUBLISHED[part])]


def test_the_four_differences_are_told_with_their_numbers(gold: dict[str, Any]) -> None:
    one_sided, phantom, smaller, ties = gold["what_differs"]
    assert "0.046 (accuracy), 0.002 (uncertainty), 0.013 (prefers hybrid)" in one_sided
    assert "not significant at 0.05 (p = 0.091)" in one_sided
    assert "a 31st, empty participant" in phantom
    assert "0.81 and 0.64, not 0.78 and 0.62" in phantom
    assert "341.0 (accuracy)" in smaller
    assert "559.0 (accuracy)" in smaller
    assert "without a seed; here 0 of 20 pairs are tied" in ties


def test_the_majority_agrees_with_the_truth_as_published(gold: dict[str, Any]) -> None:
    key = "majority_vote_agrees_with_truth"
    assert gold[key] == PUBLISHED[key]


def by_hand(rows: list[Row]) -> tuple[Numbers, Numbers]:
    """Both procedures from the text of the rows, in plain Python: no code of ours, no statistics library."""
    printed: dict[str, list[list[float]]] = defaultdict(lambda: [[], []])
    right: dict[str, list[list[float]]] = defaultdict(lambda: [[], []])
    people: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for row in rows:
        people[int(row["studyno"]) - 1, row["subjno"]].append(row)
    for (study, _), answers in people.items():
        human = [row for row in answers if row["ground"] != "0"]
        agents = [row for row in answers if row["ground"] == "0"]
        hits = sum(row["subj_resp"] == row["ground"] for row in human)
        hybrid = sum(row["subj_resp"] == ("A" if row["vidA_type"] == "2" else "B") for row in agents)
        printed["accuracy"][study].append(hits / len(human))
        printed["prefers_hybrid"][study].append(hybrid / len(agents))
        for measure, part, asked in (("accuracy", hits, human), ("prefers_hybrid", hybrid, agents)):
            answered = sum(row["subj_resp"] in ("A", "B") for row in asked)
            if answered:
                right[measure][study].append(part / answered)
        certainties = [int(row["certainty"]) for row in human if row["certainty"]]
        if certainties:
            for numbers in (printed, right):
                numbers["uncertainty"][study].append(sum(certainties) / len(certainties))
    for group in printed["prefers_hybrid"]:
        group.append(0.0)
    as_published: Numbers = {}
    corrected: Numbers = {}
    for measure in ("accuracy", "uncertainty", "prefers_hybrid"):
        u1, u2, p = mann_whitney_by_hand(*printed[measure])
        as_published[measure] = summary_by_hand(printed[measure]) | {"min_u": min(u1, u2), "p": p / 2}
        u1, u2, p = mann_whitney_by_hand(*right[measure])
        corrected[measure] = summary_by_hand(right[measure]) | {"u1": u1, "u2": u2, "p_two_sided": p}
        if measure != "prefers_hybrid":
            del corrected[measure]["sd_ddof0"]
    return as_published, corrected


def summary_by_hand(groups: list[list[float]]) -> dict[str, Any]:
    means = [sum(group) / len(group) for group in groups]
    sds = [
        math.sqrt(sum((value - mean) ** 2 for value in group) / len(group))
        for group, mean in zip(groups, means, strict=True)
    ]
    return {"mean": means, "sd_ddof0": sds, "n": [len(group) for group in groups]}


def mann_whitney_by_hand(x: list[float], y: list[float]) -> tuple[float, float, float]:
    """U by counting pairs; two-sided p by the normal approximation, tie- and continuity-corrected."""
    u1 = sum((a > b) + (a == b) / 2 for a in x for b in y)
    n1, n2 = len(x), len(y)
    n = n1 + n2
    ties = sum(t**3 - t for t in (list(x + y).count(value) for value in set(x + y)))
    sd = math.sqrt(n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1))))
    z = (abs(u1 - n1 * n2 / 2) - 0.5) / sd
    return u1, n1 * n2 - u1, math.erfc(z / math.sqrt(2))


def changed(seed: int) -> list[Row]:
    """The gold rows relabelled, reshuffled and with blanks; one person answers no human-agent question at all."""
    rng = random.Random(seed)
    rows = hntt_rows()
    names = [f"Zoë {number}" for number in range(1, 31)]
    rng.shuffle(names)
    turned_questions = set(rng.sample(range(1, 11), 4))
    for row in rows:
        if row["studyno"] == "2" and row["subjno"] == "5" and row["ground"] != "0":
            row |= {"subj_resp": "0", "certainty": ""}
        if rng.random() < 0.08:
            row["subj_resp"] = rng.choice(["0", ""])
        if rng.random() < 0.05:
            row["certainty"] = ""
        if int(row["question_id"]) in turned_questions or rng.random() < 0.1:
            row |= turned(row)
        row["subjno"] = names[int(row["subjno"]) - 1]
    rng.shuffle(rows)
    return rows


def turned(row: Row) -> Row:
    letters = {"A": "B", "B": "A"}
    return {
        "vidA_type": row["vidB_type"],
        "vidB_type": row["vidA_type"],
        "ground": letters.get(row["ground"], "0"),
        "subj_resp": letters.get(row["subj_resp"], row["subj_resp"]),
    }


def assert_same(ours: Numbers, theirs: Numbers) -> None:
    assert [path for path, _ in leaves(ours)] == [path for path, _ in leaves(theirs)]
    for (path, value), (_, expected) in zip(leaves(ours), leaves(theirs), strict=True):
        assert value == pytest.approx(expected, abs=1e-12), path


def test_the_hand_calculation_gives_the_published_numbers_too(gold: dict[str, Any]) -> None:
    as_published, corrected = by_hand(hntt_rows())
    assert_same(gold["as_published"], as_published)
    assert_same(gold["corrected"], corrected)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.exhaustive)])
def test_changed_data_move_the_numbers_as_a_hand_calculation_says(
    gold: dict[str, Any], tmp_path: Path, seed: int
) -> None:
    rows = changed(seed)
    ours = of_rows(rows, tmp_path)
    as_published, corrected = by_hand(rows)
    assert_same(ours["as_published"], as_published)
    assert_same(ours["corrected"], corrected)
    assert ours["corrected"]["accuracy"]["n"] == [30, 29]
    assert ours["as_published"]["accuracy"]["n"] == [30, 30]
    assert ours["corrected"] != gold["corrected"]


def test_blanks_are_told_as_a_further_difference(tmp_path: Path) -> None:
    rows = hntt_rows()
    rows[0]["subj_resp"] = rows[6]["subj_resp"] = "0"
    sentences = of_rows(rows, tmp_path)["what_differs"]
    assert len(sentences) == 5
    assert sentences[4].startswith("Blank choices (2 here) are counted as wrong")


def test_turning_a_and_b_everywhere_changes_nothing_but_the_names(
    gold: dict[str, Any], tmp_path: Path
) -> None:
    ours = of_rows([row | turned(row) for row in hntt_rows()], tmp_path)
    for part in ("settings", "comparisons", "as_published", "corrected", "what_differs"):
        assert ours[part] == gold[part]
    # In this layout video A is on the left: what is turned are the sides, too. Dawid-Skene's tables name members.
    of_sides = {"bias", "bradley_terry", "dawid_skene", "ranking"}
    for study, other in zip(ours["studies"], gold["studies"], strict=True):
        assert {key: study[key] for key in study if key not in of_sides} == {
            key: other[key] for key in other if key not in of_sides
        }
        # The same up to rounding: what is summed comes in another order.
        strengths = [
            [one["strength"]["value"] for one in each["ranking"]["sources"]] for each in (study, other)
        ]
        assert strengths[0] == pytest.approx(strengths[1])
    assert [label["votes_a"] for label in ours["labels"]] == [label["votes_b"] for label in gold["labels"]]


def test_the_order_of_the_rows_never_matters(gold: dict[str, Any], tmp_path: Path) -> None:
    rows = hntt_rows()
    random.Random(1).shuffle(rows)
    assert of_rows(rows, tmp_path) == gold


def test_the_studies_in_the_other_order_change_places(gold: dict[str, Any]) -> None:
    responses = hntt_responses(read_hntt(HNTT))
    second, first = (responses[responses["study"] == f"hntt-{number}"] for number in (2, 1))
    ours = analyze([second, first], resamples=0).to_dict()
    for measure, numbers in gold["corrected"].items():
        theirs = ours["corrected"][measure]
        assert (theirs["u1"], theirs["u2"]) == (numbers["u2"], numbers["u1"])
        assert theirs["p_two_sided"] == numbers["p_two_sided"]
        assert ours["as_published"][measure]["min_u"] == gold["as_published"][measure]["min_u"]


def test_the_published_numbers_do_not_depend_on_what_else_is_asked(gold: dict[str, Any]) -> None:
    responses = hntt_responses(read_hntt(HNTT))
    ours = analyze(responses, resamples=0, blank="wrong", alternative="greater", ties="random").to_dict()
    for part in ("as_published", "corrected", "what_differs"):
        assert ours[part] == gold[part]


def test_one_study_or_other_studies_have_no_published_numbers() -> None:
    responses = hntt_responses(read_hntt(HNTT))
    alone = analyze(responses[responses["study"] == "hntt-1"], resamples=0)
    clips = {f"stimulus_{m}": "mine-" + responses[f"stimulus_{m}"].astype("str") for m in "ab"}
    renamed = responses.assign(**clips)
    for analysis in (alone, analyze(renamed, resamples=0)):
        parts = analysis.to_dict()
        for part in ("as_published", "corrected", "what_differs", "majority_vote_agrees_with_truth"):
            assert parts[part] is None


def test_data_without_any_difference_give_reasons_not_numbers(tmp_path: Path) -> None:
    """Everyone right, everyone equally certain, everyone for the hybrid: nothing to rank."""
    rows = hntt_rows()
    for row in rows:
        hybrid = "A" if row["vidA_type"] == "2" else "B"
        row |= {"certainty": "3", "subj_resp": hybrid if row["ground"] == "0" else row["ground"]}
    ours = of_rows(rows, tmp_path)
    assert ours["as_published"]["accuracy"]["p"] is None
    assert ours["corrected"]["accuracy"]["u1"] == 450.0
    assert "the accuracy difference is not significant at 0.05 (p = not defined)" in ours["what_differs"][0]
