"""Arms by yes / no judgements, classes and ratings: against SciPy, pingouin and statsmodels, and by simulation."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pingouin
import pytest
from scipy.stats import mannwhitneyu, norm
from statsmodels.stats.multitest import multipletests

from analysis.data.checking import coded
from analysis.data.judgements import Judgements
from analysis.detection.arms import compare_judgements_by_arm
from analysis.detection.compared import PULLED_DIFFERENCE
from analysis.findings.arms import rating_arms_figure, rating_arms_section
from analysis.ratings.arms import compare_classes_by_arm, compare_ratings_by_arm
from analysis.stats.arms import ArmsCompared, MeasureByArm

pytestmark = pytest.mark.slow

Person = tuple[str, str, int, int, int, int]
"""Arm, name, hits, signals, false alarms, noises."""


def judged(people: Sequence[Person]) -> tuple[Judgements, pd.Series]:
    """The answers behind these counts, and the arm of each."""
    rows = [
        (arm, who, f"{kind}{at}", truth, "person" if at < called else "agent")
        for arm, who, hits, n_signal, false_alarms, n_noise in people
        for kind, truth, called, n in (("h", "person", hits, n_signal), ("a", "agent", false_alarms, n_noise))
        for at in range(n)
    ]
    table = pd.DataFrame(rows, columns=["arm", "participant", "stimulus", "truth", "answer"])
    own = table[["participant", "stimulus", "truth", "answer"]].assign(condition=None)
    return Judgements(own.astype(object).apply(coded), "made", "person", "agent"), table["arm"]


def drawn(
    arm: str, n: int, n_trials: int, d_prime: float, rng: np.random.Generator, sd: float = 0.5
) -> list[Person]:
    """People whose d' is normal; their criterion is 0.2, SD 0.3."""
    d, c = rng.normal(d_prime, sd, n), rng.normal(0.2, 0.3, n)
    hits, false_alarms = (rng.binomial(n_trials, norm.cdf(side * d / 2 - c)) for side in (1, -1))
    return [(arm, f"{arm}{at}", int(hits[at]), n_trials, int(false_alarms[at]), n_trials) for at in range(n)]


def corrected(people: Sequence[Person], arm: str) -> np.ndarray:
    """d' by its definition, with the log-linear correction."""
    found = [
        norm.ppf((hits + 0.5) / (n_signal + 1)) - norm.ppf((false_alarms + 0.5) / (n_noise + 1))
        for of, _, hits, n_signal, false_alarms, n_noise in people
        if of == arm
    ]
    return np.array(found)


def measure(found: ArmsCompared, name: str, of: str | None = None) -> MeasureByArm:
    return next(one for one in found.measures if (one.measure, one.of) == (name, of))


def test_judgements_are_compared_over_people_with_both_u_and_the_p_of_scipy_and_pingouin() -> None:
    rng = np.random.default_rng(4)
    people = [*drawn("fast", 14, 12, 0.6, rng), *drawn("slow", 17, 12, 1.4, rng)]
    found = compare_judgements_by_arm(*judged(people), resamples=0)
    assert [one.measure for one in found.measures] == ["accuracy", "d_prime", "criterion"]
    fast, slow = corrected(people, "fast"), corrected(people, "slow")
    one = measure(found, "d_prime")
    [pair] = one.pairs
    theirs = mannwhitneyu(fast, slow, method="asymptotic")
    assert (pair.test.u1, pair.test.u2) == (theirs.statistic, 14 * 17 - theirs.statistic)
    assert pair.test.p == pytest.approx(theirs.pvalue)
    [row] = pingouin.mwu(fast, slow).to_dict("records")
    assert pair.test.effect == pytest.approx(row["CLES"])
    assert pair.test.rank_biserial == pytest.approx(2 * row["CLES"] - 1)
    assert pair.test.effect_interval.low is not None
    assert pair.test.shift.low is None
    assert pair.test.shift.reason == PULLED_DIFFERENCE
    shares = {
        arm: np.array([(h + n - f) / (s + n) for of, _, h, s, f, n in people if of == arm])
        for arm in ("fast", "slow")
    }
    [of_accuracy] = measure(found, "accuracy").pairs
    by_share = mannwhitneyu(shares["fast"], shares["slow"], method="asymptotic")
    assert (of_accuracy.test.u1, of_accuracy.test.p) == pytest.approx((by_share.statistic, by_share.pvalue))
    # The numbers of an arm are the group's, with an interval: participants' corrected values are pulled towards 0.
    assert all(arm.described.interval.low is not None for arm in one.arms)
    assert (one.arms[1].described.mean or 0) > slow.mean()


def test_from_three_arms_on_p_is_corrected_within_each_measure_of_judgements_as_statsmodels_does() -> None:
    rng = np.random.default_rng(6)
    people = [row for arm, d in (("a", 0.2), ("b", 1.2), ("c", 0.9)) for row in drawn(arm, 12, 10, d, rng)]
    found = compare_judgements_by_arm(*judged(people), resamples=0)
    for one in found.measures:
        raw = [pair.test.p or 0.0 for pair in one.pairs]
        assert [pair.p_holm for pair in one.pairs] == pytest.approx(
            list(multipletests(raw, method="holm")[1])
        )
        assert {pair.n_family for pair in one.pairs} == {3}


def test_arms_with_few_and_many_stimuli_are_compared_with_a_warning_except_in_accuracy() -> None:
    rng = np.random.default_rng(5)
    people = [*drawn("few", 6, 10, 1, rng), *drawn("many", 6, 15, 1, rng), *drawn("more", 6, 14, 1, rng)]
    found = compare_judgements_by_arm(*judged(people), resamples=0)
    warned = {pair.arms: pair.warning for pair in measure(found, "d_prime").pairs}
    assert "arm few judged 20 stimuli each and those of many 30" in (warned["few", "many"] or "")
    assert (warned["few", "more"], warned["many", "more"]) == (None, None)
    assert not any(pair.warning for pair in measure(found, "accuracy").pairs)


def test_one_arm_is_not_compared_and_an_arm_of_one_class_has_accuracy_alone() -> None:
    rng = np.random.default_rng(7)
    people = drawn("a", 5, 6, 1, rng)
    assert compare_judgements_by_arm(*judged(people)).reason == "there is one arm"
    only = [("b", f"b{at}", at, 6, 0, 0) for at in range(5)]
    found = compare_judgements_by_arm(*judged([*people, *only]), resamples=0)
    assert [one.measure for one in found.measures] == ["accuracy"]


def test_judgements_far_apart_are_a_claim_with_a_table_and_a_figure() -> None:
    people = [
        *(("low", f"l{at}", 5 + at % 3, 10, 4 + at % 3, 10) for at in range(20)),
        *(("high", f"h{at}", 9, 10, at % 3, 10) for at in range(20)),
    ]
    found = compare_judgements_by_arm(*judged(people), resamples=0).labelled({"d_prime": "sensitivity d'"})
    [section] = rating_arms_section(found, "yes-no")
    assert [text.partition(":")[0] for text in section.can_say] == [
        "People in arm high are right more often than in arm low",
        "People in arm high score in sensitivity d' higher than in arm low",
    ]
    figure = rating_arms_figure("x", "yes-no:b", [measure(found, "accuracy")], "yes-no")
    assert [(mark.name, mark.says) for mark in figure.marks] == [("high", "90%"), ("low", "55%")]
    assert figure.said == section.can_say[0]


def named(*rows: tuple[str, str, str]) -> pd.DataFrame:
    """Scores by the criterion `kind`."""
    return pd.DataFrame(
        [(arm, rater, "kind", score) for arm, rater, score in rows],
        columns=["arm", "rater", "criterion", "score"],
    )


def test_classes_are_compared_by_each_raters_share_as_scipy_does_with_holm_over_all() -> None:
    rng = np.random.default_rng(8)
    rows = [
        (arm, f"{arm}{who}", str(rng.choice(["bot", "human", "unsure"], p=weights)))
        for arm, weights in (("x", (0.2, 0.6, 0.2)), ("y", (0.5, 0.3, 0.2)))
        for who in range(15)
        for _ in range(8)
    ]
    found = compare_classes_by_arm(named(*rows), ["kind"], resamples=0)
    assert [one.of for one in found.measures] == ["bot", "human", "unsure"]
    counts = Counter(rows)
    raw = []
    for one in found.measures:
        x, y = ([counts[arm, f"{arm}{who}", one.of or ""] / 8 for who in range(15)] for arm in ("x", "y"))
        theirs = mannwhitneyu(x, y, method="asymptotic")
        [pair] = one.pairs
        assert (pair.test.u1, pair.test.u2) == (theirs.statistic, 225 - theirs.statistic)
        assert pair.test.p == pytest.approx(theirs.pvalue)
        assert [arm.described.mean for arm in one.arms] == pytest.approx([np.mean(x), np.mean(y)])
        raw.append(theirs.pvalue)
    assert [one.pairs[0].p_holm for one in found.measures] == pytest.approx(
        list(multipletests(raw, method="holm")[1])
    )


def test_two_classes_are_one_comparison_and_one_or_more_than_eleven_are_none() -> None:
    two = [("x", "ann", "bot"), ("x", "ann", "human"), ("y", "bob", "bot"), ("y", "cyd", "human")]
    found = compare_classes_by_arm(named(*two), ["kind"], resamples=0)
    assert [(one.of, one.pairs[0].n_family) for one in found.measures] == [("bot", 1)]
    assert [arm.described.mean for arm in found.measures[0].arms] == [0.5, 0.5]
    for many in ([f"class {at}" for at in range(12)], ["bot"]):
        rows = [(arm, f"{arm}{who}", name) for arm in "xy" for who in range(2) for name in many]
        found = compare_classes_by_arm(named(*rows), ["kind"], resamples=0)
        assert found.measures == ()
        assert found.reason == "no criterion has answers in two arms and 2 to 11 classes"


def test_classes_far_apart_are_a_claim_and_the_figure_has_each_class_in_each_arm() -> None:
    rows = [
        (arm, f"{arm}{who}", name)
        for arm, mostly in (("x", ["bot", "bot", "cyborg"]), ("y", ["human", "human", "cyborg"]))
        for who in range(12)
        for name in mostly
    ]
    found = compare_classes_by_arm(named(*rows), ["kind"], resamples=0)
    [section] = rating_arms_section(found, "classes")
    assert section.can_say[0].startswith("People in arm x answer “bot” more often by kind than in arm y")
    figure = rating_arms_figure("x", "classes:b", found.measures, "classes")
    assert [(mark.group, mark.name, mark.says) for mark in figure.marks] == [
        ("kind, bot", "x", "67%"), ("kind, bot", "y", "0%"),
        ("kind, cyborg", "x", "33%"), ("kind, cyborg", "y", "33%"),
        ("kind, human", "x", "0%"), ("kind, human", "y", "67%"),
    ]  # fmt: skip
    assert figure.said.startswith(
        "Of 3 comparisons of arms 2 show a difference, such as x and y in kind, bot"
    )
    assert [row[:2] for row in figure.numbers.rows][:2] == [("kind, bot", "x"), ("kind, bot", "y")]


def test_ratings_have_a_figure_of_each_arm_on_their_scale() -> None:
    rows = [
        (arm, f"{arm}{who}", "logic", base + who % 2)
        for arm, base in (("x", 1), ("y", 4))
        for who in range(12)
    ]
    table = pd.DataFrame(rows, columns=["arm", "rater", "criterion", "score"])
    found = compare_ratings_by_arm(table, ["logic"], resamples=0)
    figure = rating_arms_figure("scorearms", "ratings:b", found.measures, scale=(1, 5))
    assert [(mark.name, mark.value, mark.group) for mark in figure.marks] == [("x", 1.5, ""), ("y", 4.5, "")]
    assert (figure.scale, figure.ends, figure.chance) == ((1, 5), ("1", "5"), None)
    assert figure.said.startswith("People in arm x score lower by logic than in arm y")
    assert figure.caution == "12 people are few."


@pytest.mark.exhaustive
@pytest.mark.parametrize(("n", "n_trials"), [(15, 10), (30, 10), (30, 20), (45, 20)])
def test_equal_arms_differ_in_one_of_twenty_simulations_and_intervals_hold_the_truth(
    n: int, n_trials: int
) -> None:
    """Source: simulation; of fewer than 50 people intervals need no bootstrap. Of 400 studies 5% has an SE of 1.1."""
    rng = np.random.default_rng(10 * n + n_trials)
    far = Counter[str]()
    for _ in range(400):
        people = [*drawn("x", n, n_trials, 1.0, rng), *drawn("y", n, n_trials, 1.0, rng)]
        judged_ = compare_judgements_by_arm(*judged(people), resamples=0)
        classes = compare_classes_by_arm(named(*_classed(n, n_trials, rng)), ["kind"], resamples=0)
        for one in (*judged_.measures, *classes.measures):
            [pair], name = one.pairs, one.of or one.measure
            low, high = pair.test.effect_interval.low, pair.test.effect_interval.high
            far[name] += (pair.test.p or 1.0) < 0.05
            far[f"interval of {name}"] += low is None or high is None or not low <= 0.5 <= high
        for arm in measure(judged_, "d_prime").arms:
            low, high = arm.described.interval.low, arm.described.interval.high
            far["d' of an arm"] += low is None or high is None or not low <= 1.0 <= high
    far["d' of an arm"] //= 2
    assert {name: count / 400 for name, count in far.items() if count / 400 > 0.083} == {}


def _classed(n: int, n_items: int, rng: np.random.Generator) -> list[tuple[str, str, str]]:
    """Raters of two equal arms whose own shares of three classes differ (Dirichlet)."""
    return [
        (arm, f"{arm}{who}", str(name))
        for arm in "xy"
        for who, own in enumerate(rng.dirichlet([3.0, 2.0, 1.0], n))
        for name in rng.choice(["bot", "human", "unsure"], n_items, p=own)
    ]
