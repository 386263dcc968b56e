"""A cohort of honest people and planted cheaters through the real pages: the default rules find and spare."""

import random
from pathlib import Path

import pytest

from app.questions.sides import Side
from app.simulation.cohort import Cohort
from app.simulation.visitors import CHEATS, HONEST, OTHER, REMARKED, TWICE, Shown, Visitor
from bench.cohort import AT_ENTRY, FOUND, SPARED, Found, Shape, added, cohort_text, main, run_cohort

pytestmark = pytest.mark.slow

SMALL = Shape(n_main=8, n_attention=3, seconds=2.0)


@pytest.fixture(scope="module")
def small() -> Found:
    return run_cohort(Cohort(honest=4, planted_each=1, seed=3), SMALL)


def test_every_kind_of_cheater_is_found_and_the_honest_are_spared(small: Found) -> None:
    assert small.found == (len(CHEATS), len(CHEATS)), cohort_text(small)
    assert small.spared == (4, 4), cohort_text(small)


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("clicks at once", "unwatched"),
        ("always left", "same-side"),
        ("hidden tab", "hidden"),
        ("plays at 8x", "sped-up"),
        ("forged, too early", "forged"),
        ("forged, not fetched", "not-fetched"),
        ("fails attention", "attention-failed"),
        (TWICE, AT_ENTRY),
        ("pastes", "shared-text"),
        ("a program", "not-fetched"),
    ],
)
def test_each_is_found_by_the_rule_that_is_meant_for_it(small: Found, kind: str, rule: str) -> None:
    if kind == "pastes":  # one alone shares its texts with nobody
        rule = "repeated-text"
    assert rule in small.lines[kind].rules, cohort_text(small)


def test_texts_of_a_program_are_remarked_on_and_leave_nobody_out(small: Found) -> None:
    (kind,) = REMARKED
    assert (small.lines[kind].remarked, small.lines[kind].left_out) == (1, 0), cohort_text(small)
    assert small.lines[HONEST].remarked == 0
    assert small.lines["pastes"].remarked == 0, "pasting has a rule of its own"


def test_the_table_has_a_line_for_each_kind(small: Found) -> None:
    text = cohort_text(added([small, small]))
    assert [line.split("  ")[0] for line in text.splitlines()[1:-1]] == [HONEST, *CHEATS, *REMARKED]
    assert text.endswith("honest spared: 8 of 8 (100.0%)")


def test_the_same_seed_gives_the_same_table(small: Found) -> None:
    assert cohort_text(run_cohort(Cohort(honest=4, planted_each=1, seed=3), SMALL)) == cohort_text(small)


def test_a_visitor_is_the_same_for_the_same_seed() -> None:
    shown = Shown("main", Side.LEFT, True, {Side.LEFT: 4.0, Side.RIGHT: 4.0})
    for kind in (HONEST, *CHEATS, *REMARKED):
        one, two = (Visitor(kind, random.Random("7/1"), OTHER) for _ in range(2))
        assert [one.does(shown) for _ in range(5)] == [two.does(shown) for _ in range(5)]
    kinds = [visitor.kind for visitor in Cohort(5, 2, 1).visitors()]
    assert sorted(kinds) == sorted([HONEST] * 5 + [*CHEATS, *REMARKED] * 2)


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", [["--seeds", "11", "12"], ["--other", "--seeds", "111"]])
def test_the_cohorts_of_the_documentation_keep_the_promise(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """At least 95 % found and 98 % spared, in the population of the defaults and in a harder one."""
    assert (FOUND, SPARED) == (0.95, 0.98)
    assert main(["--honest", "60", "--each", "4", *options]) == 0, capsys.readouterr().out
    page = (Path(__file__).parents[2] / "docs" / "data-quality.md").read_text(encoding="utf-8")
    assert " ".join(options[options.index("--seeds") :]) in page
