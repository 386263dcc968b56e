"""Judges of classes and of ratings against scikit-learn, SciPy, pingouin, loops over single ratings, and odd cases."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control, kendalltau, multinomial, pearsonr, spearmanr, ttest_1samp
from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix  # type: ignore[import-untyped]

from analysis.data.rating_table import Ratings, check_ratings
from analysis.errors import AnalysisError, SchemaError
from analysis.judging.items import (
    check_item_verdicts,
    classes,
    read_item_verdicts,
    render_items,
    validate_items,
)
from analysis.judging.items.numbers import OWN_SCALE, jackknifed, kendall, quantities
from analysis.judging.items.table import Items
from analysis.judging.items.validation import ItemGroup, ItemJudge, ItemValidation
from tests.analysis.by_pingouin import pingouin_icc

pytestmark = pytest.mark.slow

CLASSES = ("cat", "dog", "eel")


def rated(scores: Mapping[str, Sequence[object]], level: str = "ordinal", **more: Any) -> Ratings:
    """Per item the score of each rater r0, r1, ...; None is no rating."""
    rows = [
        {"item": item, "rater": f"r{number}", "score": score}
        for item, given in scores.items()
        for number, score in enumerate(given)
        if score is not None
    ]
    return check_ratings(pd.DataFrame(rows), level=level, **more)


def said(values: Mapping[str, object], judge: str = "j", **cells: str) -> pd.DataFrame:
    rows = [{"judge": judge, "item": item, "value": value, **cells} for item, value in values.items()]
    return check_item_verdicts(pd.DataFrame(rows))


def only(validation: ItemValidation) -> tuple[ItemGroup, ItemJudge]:
    [group] = validation.criteria
    [judge] = group.judges
    json.dumps(validation.to_dict(), allow_nan=False)
    assert render_items(validation)
    return group, judge


def random_classes(
    seed: int, n: int = 60, raters: int = 5
) -> tuple[dict[str, list[str | None]], dict[str, str]]:
    rng = np.random.default_rng(seed)
    people: dict[str, list[str | None]] = {}
    judge = {}
    for number in range(n):
        truth = rng.choice(CLASSES)
        named = [str(truth if rng.random() < 0.6 else rng.choice(CLASSES)) for _ in range(raters + 1)]
        people[f"i{number}"] = [one if rng.random() < 0.9 else None for one in named[1:]]
        judge[f"i{number}"] = named[0]
    return people, judge


def most(values: Sequence[object]) -> object:
    """The plurality answer; None if there is none."""
    counted = [*Counter(values).most_common(), (None, 0)]
    return None if counted[0][1] == counted[1][1] else counted[0][0]


@pytest.mark.parametrize("seed", range(4))
def test_accuracy_kappa_and_confusion_are_scikit_learn_s_against_the_plurality(seed: int) -> None:
    people, judge = random_classes(seed)
    label = {item: most([one for one in given if one]) for item, given in people.items()}
    known = [item for item in people if label[item] is not None]
    truth, verdict = [label[item] for item in known], [judge[item] for item in known]
    group, found = only(validate_items(rated(people, "nominal"), said(judge), resamples=0))
    assert found.measures["accuracy"].value.value == pytest.approx(accuracy_score(truth, verdict))
    assert found.measures["kappa"].value.value == pytest.approx(cohen_kappa_score(truth, verdict))
    assert np.array(found.confusion).tolist() == confusion_matrix(truth, verdict, labels=CLASSES).tolist()
    assert (found.classes, group.n_tied) == (CLASSES, len(people) - len(known))


def test_the_ceilings_of_classes_are_counted_one_rating_by_one() -> None:
    people, judge = random_classes(9, n=40, raters=4)
    credits, own, others_said, weight = [], [], [], []
    for given in people.values():
        votes = [one for one in given if one]
        held = [(vote, most(votes[:n] + votes[n + 1 :])) for n, vote in enumerate(votes)]
        decided = [(vote, label) for vote, label in held if label is not None]
        credits += [vote == label for vote, label in decided]
        own += [vote for vote, _ in decided]
        others_said += [label for _, label in decided]
        weight += [1 / len(votes)] * len(decided)
    _, found = only(validate_items(rated(people, "nominal"), said(judge), resamples=0))
    assert found.measures["accuracy"].ceiling.value == pytest.approx(np.average(credits, weights=weight))
    expected = cohen_kappa_score(own, others_said, sample_weight=weight)
    assert found.measures["kappa"].ceiling.value == pytest.approx(expected)


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_of_three_classes_one_rater_reaches_what_the_judges_number_is_with_one_rater_fewer(n: int) -> None:
    """Exactly: every count of n ratings with its multinomial probability; a judge that is one of these raters is ahead
    of no one."""
    share = np.array([0.6, 0.3, 0.1])

    def counts_of(n: int) -> list[tuple[int, int, int]]:
        return [(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)]

    def plurality(counts: tuple[int, int, int]) -> int | None:
        top = max(counts)
        return counts.index(top) if counts.count(top) == 1 else None

    of_others = [(plurality(counts), multinomial.pmf(counts, n - 1, share)) for counts in counts_of(n - 1)]
    decided = sum(chance for label, chance in of_others if label is not None)
    right = sum(share[label] * chance for label, chance in of_others if label is not None) / decided
    counts = counts_of(n)
    value = np.array(
        [label for each in counts for label, k in enumerate(each) for _ in range(k)], dtype=float
    )
    items = Items(
        "", tuple(map(str, range(len(counts)))), np.repeat(np.arange(len(counts)), n), np.arange(len(value)), value,
        CLASSES, None, 0,
    )  # fmt: skip
    weights = np.array([[multinomial.pmf(each, n, share) for each in counts]])
    found = classes.person_quantities(items)["accuracy"].statistic(weights)[0]
    assert found == pytest.approx(right)
    ahead = [
        classes.over_person(items, np.full(len(counts), float(label))).statistic(weights)[0]
        for label in range(3)
    ]
    assert share @ ahead == pytest.approx(0.0, abs=1e-12)


def test_judge_minus_one_rater_is_what_both_reach_against_the_same_others() -> None:
    people, judge = random_ratings(6, n=30, raters=3)
    whole = {item: given for item, given in people.items() if None not in given}
    _, found = only(validate_items(rated(whole), said({item: judge[item] for item in whole}), resamples=0))
    over = found.measures["spearman"].over_person
    assert over is not None
    values, own = np.array(list(whole.values())), np.array([judge[item] for item in whole])
    rng, drawn = np.random.default_rng(1), []
    for _ in range(400):
        place = rng.integers(3, size=len(values))
        one = values[np.arange(len(values)), place]
        others = (values.sum(axis=1) - one) / 2
        drawn.append(spearmanr(own, others).statistic - spearmanr(one, others).statistic)
    assert over.value == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / 50**0.5)
    assert found.measures["pearson"].over_person is None


def from_the_paper(
    people: Mapping[str, Sequence[Any]], judge: Mapping[str, Any], score: Any, epsilon: float, fewest: int
) -> tuple[float, float]:
    """Winning rate and average advantage probability by the steps of the paper's section 3, in plain Python."""
    p_values, advantages = [], []
    for rater in range(max(map(len, people.values()))):
        d, as_good = [], []
        for item, given in people.items():
            others = [one for n, one in enumerate(given) if n != rater and one is not None]
            if given[rater] is None or not others or item not in judge:
                continue
            human, machine = (round(score(one, others), 9) for one in (given[rater], judge[item]))
            d.append(int(human >= machine) - int(machine >= human))
            as_good.append(int(machine >= human))
        if len(d) >= fewest:
            p_values.append(ttest_1samp(d, epsilon, alternative="less").pvalue)
            advantages.append(np.mean(as_good))
    rejected = false_discovery_control(p_values, method="by") <= 0.05
    return float(np.mean(rejected)), float(np.mean(advantages))


@pytest.mark.parametrize("seed", range(3))
def test_the_alternative_annotator_test_of_classes_is_the_paper_s_by_accuracy(seed: int) -> None:
    people, judge = random_classes(seed, n=80)
    judge.pop("i3")

    def accuracy(one: str, others: list[str]) -> float:
        return sum(one == other for other in others) / len(others)

    _, found = only(validate_items(rated(people, "nominal"), said(judge), resamples=0, epsilon=0.2))
    test = found.alternative_annotator
    assert (test.winning_rate, test.advantage) == pytest.approx(
        from_the_paper(people, judge, accuracy, 0.2, 30)
    )
    assert test.n_tested == 5


def random_ratings(
    seed: int, n: int = 60, raters: int = 4, noise: float = 0.8
) -> tuple[dict[str, list[float | None]], dict[str, float]]:
    rng = np.random.default_rng(seed)
    people: dict[str, list[float | None]] = {}
    judge = {}
    for number in range(n):
        quality = rng.normal(3, 1)
        scores = np.clip(rng.normal(quality, noise, raters + 1).round(), 1, 5).tolist()
        people[f"i{number}"] = [one if rng.random() < 0.9 else None for one in scores[1:]]
        judge[f"i{number}"] = scores[0]
    return people, judge


def means(people: Mapping[str, Sequence[float | None]]) -> dict[str, float]:
    return {
        item: float(np.mean([x for x in given if x is not None]))
        for item, given in people.items()
        if any(given)
    }


@pytest.mark.parametrize("seed", range(4))
def test_the_correlations_are_scipy_s_and_the_icc_is_pingouin_s(seed: int) -> None:
    people, judge = random_ratings(seed)
    mean = means(people)
    x, y = np.array([judge[item] for item in mean]), np.array(list(mean.values()))
    _, found = only(validate_items(rated(people, scale=(1, 5)), said(judge), resamples=0))
    measured = {name: one.value.value for name, one in found.measures.items()}
    assert measured["spearman"] == pytest.approx(spearmanr(x, y).statistic)
    assert measured["pearson"] == pytest.approx(pearsonr(x, y).statistic)
    assert measured["kendall"] == pytest.approx(kendalltau(x, y).statistic)
    assert measured["icc"] == pytest.approx(pingouin_icc(np.column_stack([x, y]))["single"])
    assert list(measured) == ["spearman", "pearson", "kendall", "icc"]


@pytest.mark.parametrize("seed", range(3))
def test_the_alternative_annotator_test_of_ratings_is_the_paper_s_by_negative_rmse(seed: int) -> None:
    people, judge = random_ratings(seed, n=80)

    def negative_rmse(one: float, others: list[float]) -> float:
        return -float(np.sqrt(np.mean([(one - other) ** 2 for other in others])))

    _, found = only(validate_items(rated(people), said(judge), resamples=0, epsilon=0.15))
    test = found.alternative_annotator
    expected = from_the_paper(people, judge, negative_rmse, 0.15, 30)
    assert (test.winning_rate, test.advantage) == pytest.approx(expected)


def test_the_ceiling_of_ratings_with_two_raters_each_is_the_correlation_of_the_two_over_all_ways_to_draw() -> (
    None
):
    """Two raters an item: a draw is one of them and the other. Over many draws the mean is that over random ways."""
    people, judge = random_ratings(4, n=30, raters=2)
    both = {item: given for item, given in people.items() if None not in given}
    _, found = only(validate_items(rated(both), said({item: judge[item] for item in both}), resamples=0))
    rng = np.random.default_rng(0)
    pairs = np.array(list(both.values()), dtype=float)
    drawn = []
    for _ in range(500):
        first = rng.integers(2, size=len(pairs))
        own, other = pairs[np.arange(len(pairs)), first], pairs[np.arange(len(pairs)), 1 - first]
        drawn.append(
            [
                spearmanr(own, other).statistic,
                pearsonr(own, other).statistic,
                kendalltau(own, other).statistic,
            ]
        )
    ceilings = [found.measures[name].ceiling.value for name in ("spearman", "pearson", "kendall")]
    assert ceilings == pytest.approx(np.mean(drawn, axis=0), abs=0.02)


def test_a_judge_as_good_as_people_reaches_the_ceiling_and_one_at_random_does_not() -> None:
    """Simulation with known truth: the judge is drawn as one more rater."""
    people, judge = random_ratings(1, n=400)
    rng = np.random.default_rng(2)
    shuffled = dict(zip(judge, rng.permutation(list(judge.values())), strict=True))
    _, good = only(validate_items(rated(people), said(judge), resamples=0))
    _, bad = only(validate_items(rated(people), said(shuffled), resamples=0))
    for name in ("spearman", "pearson", "kendall"):
        one = good.measures[name]
        assert one.value.value == pytest.approx(one.ceiling.value, abs=0.08)
        assert abs(bad.measures[name].value.value or 0) < 0.12
    assert good.alternative_annotator.passes is True
    assert bad.alternative_annotator.passes is False


@pytest.mark.exhaustive
def test_the_jackknife_interval_of_kendall_s_tau_holds_its_truth() -> None:
    """Bivariate normal with correlation 0.6: tau is 2/pi arcsin 0.6 = 0.4097. 300 sets of 12 and of 40 items."""
    truth = 2 / np.pi * np.arcsin(0.6)
    rng = np.random.default_rng(8)
    for n in (12, 40):
        held = 0
        for _ in range(300):
            x, y = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=n).T
            interval = kendall([(x, y)], 1).interval
            held += interval.low is not None and interval.low <= truth <= (interval.high or 0)
        assert held >= 0.90 * 300, (n, held)


def test_the_interval_of_an_icc_of_few_items_holds_its_truth() -> None:
    """Two values of 8 items with correlation and ICC 0.6; the percentile bootstrap held 84% to 90% here."""
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        x, y = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=8).T
        quantity = quantities(x, y, on_scale=True)["icc"]
        value = float(quantity.statistic(np.ones((1, 8)))[0])
        interval = jackknifed(value, quantity.statistic(1 - np.eye(8)), 1)
        held += interval.low is not None and interval.low <= 0.6 <= (interval.high or 0)
    assert held >= 0.90 * 300, held


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_a_weight_is_an_item_that_stands_that_often(level: str) -> None:
    """The bootstrap's weights against the plain number of tables with repeated items."""
    from analysis.judging.items import classes, numbers
    from analysis.judging.items.table import collect_items, said_of

    given: Any = random_classes if level == "nominal" else random_ratings
    people, judge = given(3, n=12)
    verdicts, scale = said(judge), None if level == "nominal" else (1, 5)
    [items] = collect_items(rated(people, level, scale=scale), verdicts)
    [one] = said_of(items, verdicts, "verdicts")
    measured = (
        classes.judge_quantities(items, one.value)
        if level == "nominal"
        else numbers.quantities(one.value, numbers.means_of(items), on_scale=True)
    )
    weights = np.random.default_rng(1).multinomial(len(items), np.full(len(items), 1 / len(items)), size=4)
    for row in weights:
        repeated = [
            (name, copy) for name, times in zip(items.names, row, strict=True) for copy in range(times)
        ]
        again = {f"{name}/{copy}": people[name] for name, copy in repeated}
        _, plain = only(
            validate_items(
                rated(again, level, scale=scale),
                said({f"{n}/{c}": judge[n] for n, c in repeated}),
                resamples=0,
            )
        )
        for name, quantity in measured.items():
            drawn = float(quantity.statistic(row[None, :].astype(float))[0])
            assert drawn == pytest.approx(plain.measures[name].value.value), name


# Odd cases: a number or a plain reason.


def test_one_class_has_an_accuracy_and_the_reason_why_there_is_no_kappa() -> None:
    _, found = only(
        validate_items(rated({"a": ["x", "x"], "b": ["x", "x"]}, "nominal"), said({"a": "x", "b": "x"}))
    )
    assert found.measures["accuracy"].value.value == 1.0
    assert found.measures["kappa"].value.reason == "only one class is named: agreement by chance is complete"
    assert found.confusion == ((2,),)


def test_items_on_which_everybody_differs_have_no_plurality_and_a_reason() -> None:
    ratings = rated({"a": ["x", "y"], "b": ["y", "x"]}, "nominal")
    group, found = only(validate_items(ratings, said({"a": "x", "b": "y"})))
    assert group.n_tied == 2
    assert found.measures["accuracy"].value.reason is not None
    assert "no item has both a class that most raters named" in found.measures["accuracy"].value.reason


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_one_rater_has_numbers_and_no_ceiling(level: str) -> None:
    scores = {f"i{n}": [n % 3] for n in range(9)}
    group, found = only(
        validate_items(rated(scores, level), said({f"i{n}": (n + n // 5) % 3 for n in range(9)}))
    )
    assert (group.n_raters, group.n_items_one_rater) == (1, 9)
    for one in found.measures.values():
        assert one.value.value is not None
        assert one.ceiling.value is None
        assert one.ceiling.reason
    assert (
        found.alternative_annotator.reason == "no rater rated an item that others rated and the judge judged"
    )


def test_items_that_nobody_rated_or_the_judge_left_out_are_counted() -> None:
    scores: dict[str, list[object]] = {f"i{n}": [n % 5 + 1, n % 4 + 1] for n in range(8)}
    table = said({"i1": 3, "i2": 2, "i3": "", "i4": 1, "new1": 2, "new2": 4, "i5": 5})
    _, found = only(validate_items(rated(scores), table, resamples=50))
    counts = found.counts
    assert (counts.n_rows, counts.n_items, counts.n_judged, counts.n_abstained) == (7, 8, 4, 1)
    assert (counts.n_missing, counts.n_unrated, counts.unrated) == (3, 2, ("new1", "new2"))
    text = render_items(validate_items(rated(scores), table, resamples=0))
    assert (
        "4 of 8 items judged; 1 abstained; 3 missing; 2 rows about items without ratings (new1, new2)."
        in " ".join(text.split())
    )


def test_a_rater_with_one_answer_is_counted_and_not_tested() -> None:
    people: dict[str, list[object]] = {f"i{n}": [n % 3 + 1, (n + 1) % 3 + 1, None] for n in range(35)}
    people["i0"][2] = 3
    _, found = only(validate_items(rated(people), said(dict.fromkeys(people, 2) | {"i0": 1}), resamples=0))
    assert (found.alternative_annotator.n_tested, found.alternative_annotator.n_too_few) == (2, 1)


def test_a_metric_on_its_own_scale_has_correlations_and_the_reason_for_the_rest() -> None:
    people, judge = random_ratings(5, n=40)
    metric = {item: 100 + 7 * value for item, value in judge.items()}
    _, found = only(validate_items(rated(people, scale=(1, 5)), said(metric), resamples=0))
    _, same = only(validate_items(rated(people, scale=(1, 5)), said(judge), resamples=0))
    assert found.on_scale is False
    for name in ("spearman", "pearson", "kendall"):
        assert found.measures[name].value.value == pytest.approx(same.measures[name].value.value)
    assert found.measures["icc"].value.reason == found.alternative_annotator.reason == OWN_SCALE
    assert found.measures["icc"].ceiling.value is not None
    within = {item: 1 + value / 5 for item, value in judge.items()}
    _, told = only(validate_items(rated(people, scale=(1, 5)), said(within, scale="own"), resamples=0))
    assert told.on_scale is False


@pytest.mark.parametrize(
    ("scores", "values", "reason"),
    [
        ({"a": [1], "b": [2]}, {"a": 1, "b": 2}, "it needs three items"),
        (
            {"a": [1], "b": [2], "c": [3]},
            {"a": 2, "b": 2, "c": 2},
            "the judge gives every item the same value",
        ),
        ({"a": [2], "b": [2], "c": [2]}, {"a": 1, "b": 2, "c": 2}, "every item has the same mean rating"),
    ],
)
def test_what_cannot_be_related_has_a_reason(
    scores: dict[str, list[object]], values: dict[str, object], reason: str
) -> None:
    _, found = only(validate_items(rated(scores), said(values)))
    assert {one.value.value for one in found.measures.values()} == {None}
    assert all(str(one.value.reason).startswith(reason) for one in found.measures.values())


def test_a_value_without_a_criterion_is_held_against_every_criterion() -> None:
    rows = [
        {"item": f"i{n}", "rater": rater, "criterion": criterion, "score": (n * k) % 5 + 1}
        for n in range(6)
        for k, criterion in enumerate(("style", "logic"), start=1)
        for rater in ("r1", "r2")
    ]
    table = pd.DataFrame(
        [{"judge": "m", "item": f"i{n}", "value": n % 5 + 1, "criterion": ""} for n in range(6)]
        + [{"judge": "s", "item": f"i{n}", "value": n % 5 + 1, "criterion": "style"} for n in range(6)]
    )
    found = validate_items(check_ratings(pd.DataFrame(rows)), check_item_verdicts(table), resamples=0)
    assert [(one.criterion, [judge.judge for judge in one.judges]) for one in found.criteria] == [
        ("style", ["m", "s"]),
        ("logic", ["m"]),
    ]
    both = pd.DataFrame(
        [*table.to_dict("records"), {"judge": "s", "item": "i0", "value": 1, "criterion": ""}]
    )
    with pytest.raises(SchemaError, match="by another row with or without the criterion"):
        validate_items(check_ratings(pd.DataFrame(rows)), check_item_verdicts(both), resamples=0)


def test_many_classes_are_told_by_their_largest_confusions_and_fit_the_terminal() -> None:
    people = {f"i{n}": [f"class {n % 30}"] * 2 for n in range(90)}
    judge = said({f"i{n}": f"class {n // 3}" for n in range(90)})
    validation = validate_items(rated(people, "nominal"), judge, resamples=0)
    text = render_items(validation)
    assert "30 classes; the largest confusions:" in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("judge|item|value\n", "are the fields separated by commas, semicolons or tabs"),
        ("judge,item\nm,a\n", "value: the column is missing"),
        ("judge,item,value\nm,,1\n", "row 2, column item: the cell is empty"),
        ("judge,item,value\nm,a,1\nm,a,2\n", "row 3, column item: 'a' was already judged"),
        ("judge,item,value,scale\nm,a,1,mine\n", "row 2, column scale: 'mine' is not allowed"),
    ],
)
def test_a_bad_file_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "judge.csv"
    path.write_text(text)
    with pytest.raises(AnalysisError, match=message):
        read_item_verdicts(path)


def test_a_value_that_is_no_number_is_refused_where_people_gave_numbers() -> None:
    table = said({"a": 1, "b": "good"})
    with pytest.raises(
        SchemaError, match="row 3, column value: 'good' is not a number; allowed: a number, or empty"
    ):
        validate_items(rated({"a": [1], "b": [2]}), table)


def test_names_that_do_not_meet_are_refused_in_words() -> None:
    with pytest.raises(AnalysisError, match="no verdict is of an item that was rated; compare the names"):
        validate_items(rated({"a": [1], "b": [2]}), said({"A": 1}))


def test_files_of_numbers_and_of_texts_are_the_same(tmp_path: Path) -> None:
    people = {f"i{n}": [n % 3 + 1, n % 2 + 1] for n in range(9)}
    table = pd.DataFrame(
        {"judge": "m", "item": [f"i{n}" for n in range(9)], "value": [n % 3 + 1 for n in range(9)]}
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet")
    table.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    for level in ("nominal", "interval"):
        found = [
            validate_items(
                rated(people, level), read_item_verdicts(tmp_path / f"t.{kind}"), resamples=0
            ).to_dict()
            for kind in ("csv", "parquet", "jsonl")
        ]
        assert found[0] == found[1] == found[2]


def test_the_order_of_rows_never_changes_a_number() -> None:
    people, judge = random_ratings(6, n=20)
    ratings, table = rated(people), said(judge)
    mixed = check_ratings(ratings.table.sample(frac=1, random_state=1).drop(columns="row"))
    shuffled = check_item_verdicts(table.sample(frac=1, random_state=2).drop(columns="row"))
    one, other = (
        validate_items(r, v, resamples=40).to_dict() for r, v in ((ratings, table), (mixed, shuffled))
    )
    assert one["criteria"] == other["criteria"]


def test_the_keys_of_the_json_are_the_documented_ones() -> None:
    people, judge = random_classes(1, n=12)
    found = validate_items(rated(people, "nominal"), said(judge), resamples=0).to_dict()
    assert list(found) == ["format", "settings", "criteria"]
    assert list(found["settings"]) == [
        *("judges_of", "agreement_level", "seed", "resamples", "level", "epsilon", "q", "min_instances"),
    ]
    [group] = found["criteria"]
    assert list(group) == [
        *(
            "criterion",
            "n_items",
            "n_items_one_rater",
            "n_tied",
            "n_raters",
            "n_ratings",
            "n_left_out",
            "judges",
        ),
    ]
    [one] = group["judges"]
    assert list(one) == [
        *("judge", "run", "counts", "measures", "classes", "confusion", "on_scale", "alternative_annotator"),
    ]
    assert {name: list(measure) for name, measure in one["measures"].items()} == {
        "accuracy": ["value", "ceiling", "over_person"],
        "kappa": ["value", "ceiling", "over_person"],
    }
