"""Hypotheses decided by the tests that they name: against SciPy and statsmodels on the same values."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from analysis.findings.hypotheses import EXPLORATORY, hypotheses_section, said, with_hypotheses
from analysis.findings.model import Findings, Section
from analysis.hypotheses import DecidedHypothesis, Expected, Hypothesis, Registered, decide_hypotheses
from analysis.options import Alternative
from analysis.text.hypotheses import render_hypotheses
from tests.analysis.tables import answer, checked

EASY, HARD = "human-symbolic", "human-hybrid"
H1 = Hypothesis(
    id="h1",
    says="Hybrids are harder to tell.",
    compare=(HARD, EASY),
    by="condition",
    measure="accuracy",
    source=None,
    direction="less",
    test="wilcoxon",
    alpha=0.05,
    correction="none",
    smallest=None,
)
REGISTERED = Registered(1, "2026-03-01T12:00:00+00:00", "https://osf.io/abcde", "ab" * 32, ("h1",), (), ())


def rows_of(shares: dict[str, dict[str, int]], **cells: str) -> list[dict[str, str]]:
    """By condition, the right answers of each person, of eight."""
    return [
        answer(
            participant=person,
            condition=condition,
            pair=f"{condition}-{place}",
            trial=f"{condition}-{place}",
            choice="a" if place < right else "b",
            **cells,
        )
        for condition, people in shares.items()
        for person, right in people.items()
        for place in range(8)
    ]


def answers(shares: dict[str, dict[str, int]], **cells: str) -> pd.DataFrame:
    return checked(*rows_of(shares, **cells))


def drawn(n: int, means: tuple[float, float], seed: int) -> dict[str, dict[str, int]]:
    rng = np.random.default_rng(seed)
    return {
        condition: {f"p{at}": int(rng.binomial(8, mean)) for at in range(n)}
        for condition, mean in zip((HARD, EASY), means, strict=True)
    }


def one(hypothesis: Hypothesis, responses: pd.DataFrame, **more: object) -> DecidedHypothesis:
    found = decide_hypotheses("s", Expected((hypothesis,)), mode="live", responses=responses, resamples=0)
    return found.hypotheses[0]


def shares_of(given: dict[str, dict[str, int]]) -> tuple[np.ndarray, np.ndarray]:
    first, second = (np.array([*given[name].values()]) / 8 for name in (HARD, EASY))
    return first, second


def test_wilcoxon_is_the_one_of_scipy_in_the_direction_named() -> None:
    given = drawn(40, (0.6, 0.8), 1)
    first, second = shares_of(given)
    directions: tuple[Alternative, ...] = ("less", "greater", "two-sided")
    for direction in directions:
        found = one(replace(H1, direction=direction), answers(given))
        apart = first - second
        expected = stats.wilcoxon(
            apart[apart != 0], alternative=direction, method="asymptotic", correction=True
        ).pvalue
        assert found.p == pytest.approx(expected)
    assert one(H1, answers(given)).difference == pytest.approx((first - second).mean())


def test_mann_whitney_compares_arms_as_scipy_does() -> None:
    rng = np.random.default_rng(2)
    slow, fast = rng.binomial(8, 0.8, 30), rng.binomial(8, 0.6, 30)
    tables = [
        answers({HARD: {f"{arm}{at}": int(right) for at, right in enumerate(rights)}}, arm=arm)
        for arm, rights in (("slow", slow), ("fast", fast))
    ]
    of_arms = replace(H1, compare=("slow", "fast"), by="arm", test="mann-whitney", direction="greater")
    found = one(of_arms, pd.concat(tables, ignore_index=True))
    assert found.n == (30, 30)
    assert found.p == pytest.approx(stats.mannwhitneyu(slow, fast, alternative="greater").pvalue)
    assert (found.verdict, found.warning) == ("supported", None)


def test_mann_whitney_of_the_same_people_is_run_as_named_and_says_so() -> None:
    found = one(replace(H1, test="mann-whitney"), answers(drawn(12, (0.5, 0.9), 3)))
    assert found.p is not None
    assert (
        found.warning
        == "12 participants have a value on both sides, and the test takes them for different people"
    )


def test_against_chance_all_trials_are_tested_against_one_half() -> None:
    given = drawn(30, (0.7, 0.7), 4)
    first, second = shares_of(given)
    above = replace(H1, compare=("all", "chance"), by="all", direction="greater")
    found = one(above, answers(given))
    apart = np.round((first + second) / 2 - 0.5, 12)
    expected = stats.wilcoxon(apart[apart != 0], alternative="greater", method="asymptotic", correction=True)
    assert found.p == pytest.approx(expected.pvalue)
    assert list(found.means) == pytest.approx([((first + second) / 2).mean(), 0.5])


def test_preference_is_the_share_of_choices_of_the_source() -> None:
    rows = [
        answer(
            participant=f"p{at}",
            condition=condition,
            pair=f"{condition}{place}",
            trial=f"{condition}{place}",
            source_a="hybrid",
            source_b="symbolic",
            truth="",
            choice="a" if place < n_hybrid else "b",
        )
        for condition, n_hybrid in (("near", 1), ("far", 3))
        for at in range(10)
        for place in range(4)
    ]
    of = replace(H1, compare=("near", "far"), measure="preference", source="symbolic", direction="greater")
    found = one(of, checked(*rows))
    assert (found.means, found.difference) == ((0.75, 0.25), 0.5)
    assert found.verdict == "supported"


def test_a_question_about_items_is_each_participants_mean() -> None:
    rated = pd.DataFrame(
        [
            {
                "mode": "live",
                "kind": "main",
                "excluded": None,
                "participant": f"p{at}",
                "item": f"{condition}-{item}",
                "question": "strategy",
                "value": base + item,
                "condition": condition,
                "arm": "main",
                "group": None,
            }
            for condition, base in (("human", 3.0), ("llm", 2.0))
            for at in range(9)
            for item in (0, 1)
        ]
    )
    of = replace(H1, compare=("human", "llm"), measure="strategy", direction="greater")
    found = decide_hypotheses("s", Expected((of,)), mode="live", ratings=rated, resamples=0).hypotheses[0]
    assert (found.means, found.difference, found.n) == ((3.5, 2.5), 1.0, (9, 9))
    assert found.p == pytest.approx(1 / 2**9)


def test_the_three_verdicts() -> None:
    many = {f"p{at}": 6 for at in range(20)} | {f"q{at}": 7 for at in range(20)}
    same = {HARD: many, EASY: dict(zip(many, reversed(many.values()), strict=True))}
    alike = one(H1, answers(same))
    assert alike.verdict == "not supported"
    assert said(alike, None).endswith("and the interval excludes a difference of 10 points as expected.")
    few = one(H1, answers(drawn(5, (0.72, 0.74), 8)))
    assert few.verdict == "cannot be told"
    assert "does not exclude a difference of 10 points" in said(few, None)
    apart = one(H1, answers(drawn(40, (0.6, 0.8), 1)))
    assert apart.verdict == "supported"
    assert said(apart, None).startswith(
        "h1 is supported: accuracy lower in human-hybrid than in human-symbolic"
    )


def test_without_a_smallest_difference_a_scale_is_not_supported_only_the_other_way() -> None:
    rng = np.random.default_rng(7)
    noisy = checked(
        *(
            answer(
                participant=f"p{at}",
                condition=name,
                pair=f"{name}{place}",
                uncertainty=str(base + rng.integers(2)),
            )
            for name, base in ((HARD, 2), (EASY, 3))
            for at in range(20)
            for place in range(4)
        )
    )
    less = replace(H1, measure="uncertainty")
    more = replace(less, direction="greater")
    assert one(less, noisy).verdict == "supported"
    assert one(more, noisy).verdict == "not supported"


def test_nothing_to_test_cannot_be_told_and_says_why() -> None:
    found = one(replace(H1, compare=("nobody", "none")), answers(drawn(5, (0.6, 0.8), 8)))
    assert (found.p, found.verdict) == (None, "cannot be told")
    assert "not tested with 0 people, no participant has a value in both" in said(found, None)


def test_holm_is_over_the_hypotheses_that_ask_for_it() -> None:
    given = answers(drawn(20, (0.62, 0.72), 5))
    one_sided = replace(H1, id="a", correction="holm")
    both = [one_sided, replace(one_sided, id="b", direction="two-sided")]
    found = decide_hypotheses(
        "s", Expected((*both, H1)), mode="live", responses=given, resamples=0
    ).hypotheses
    expected = multipletests([one.p for one in found[:2]], method="holm")[1]
    assert [one.p_corrected for one in found] == [*map(pytest.approx, expected), None]
    assert [one.n_family for one in found] == [2, 2, 0]
    assert found[0].p_to_read == found[0].p_corrected


def test_practice_other_modes_and_excluded_answers_do_not_count() -> None:
    given = drawn(20, (0.5, 0.9), 6)
    alone = one(H1, answers(given))
    other = [
        {**row, "session": f"{row['participant']}-{at}"}
        for at, cells in enumerate(({"kind": "practice"}, {"mode": "pilot"}, {"excluded": "manual"}))
        for row in rows_of(drawn(20, (0.9, 0.5), 7), **cells)
    ]
    assert one(H1, checked(*rows_of(given), *other)) == alone


PAGE = Findings(
    "s",
    "live",
    None,
    (),
    can_say=("People can tell.",),
    not_yet=("Which.",),
    sections=(Section("means", "Means"),),
)


def test_a_registered_study_marks_its_hypotheses_and_calls_the_rest_exploratory() -> None:
    held = replace(REGISTERED, deviations=("order (version 2): random → fixed",))
    found = decide_hypotheses(
        "s", Expected((H1,), held), mode="live", responses=answers(drawn(40, (0.6, 0.8), 1)), resamples=0
    )
    view = with_hypotheses(PAGE, found)
    assert [(one.name, one.plan) for one in view.sections] == [
        ("hypotheses", "pre-registered h1"),
        ("means", EXPLORATORY),
    ]
    assert view.can_say[0].startswith("h1 (pre-registered) is supported")
    assert (view.can_say[1], view.not_yet) == ("People can tell. Exploratory.", ("Which. Exploratory.",))
    assert view.registration == (
        "Version 1 was registered on 2026-03-01 at https://osf.io/abcde (SHA-256 of the text: abababababab). "
        "What is not listed here is exploratory.",
        "Deviations from the registration: order (version 2): random → fixed.",
    )
    assert "Pre-registered hypotheses" in render_hypotheses([found])


def test_a_changed_hypothesis_is_not_pre_registered() -> None:
    changed = replace(H1, id="h1 (version 2)", alpha=0.1)
    held = replace(REGISTERED, changed=("h1 (version 2)",))
    found = decide_hypotheses(
        "s",
        Expected((H1, changed, replace(H1, id="h9")), held),
        mode="live",
        responses=answers(drawn(40, (0.6, 0.8), 1)),
        resamples=0,
    )
    assert [one.status for one in found.hypotheses] == [
        "pre-registered",
        "changed since it was registered",
        "not registered",
    ]


def test_without_a_registration_the_section_says_that_nothing_is_confirmatory() -> None:
    found = decide_hypotheses(
        "s", Expected((H1,)), mode="live", responses=answers(drawn(40, (0.6, 0.8), 1)), resamples=0
    )
    (section,) = hypotheses_section(found)
    assert section.title == "Hypotheses"
    assert section.sentences[0].endswith("are not registered: nothing here is confirmatory.")
    assert [one.plan for one in with_hypotheses(PAGE, found).sections] == ["", ""]
    assert with_hypotheses(PAGE, found).can_say[1] == "People can tell."


def test_a_study_without_hypotheses_keeps_its_page() -> None:
    assert with_hypotheses(PAGE, None) is PAGE
