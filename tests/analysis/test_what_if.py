"""The headline under every combination of exclusion rules, by the function of the headline itself."""

from itertools import chain, combinations
from statistics import mean

from analysis import analyze, render
from analysis.choice.what_if import WhatIf, what_if
from tests.analysis.tables import answer, checked

# By person: the rules met, whether they are used, and how many of four answers are right.
PEOPLE = [
    ("", True, 4), ("", True, 3), ("slow-frames", True, 3), ("unwatched", False, 0), ("unwatched;hidden", False, 1),
    ("hidden;slow-frames", False, 2), ("", True, 2),
]  # fmt: skip


def rows() -> list[dict[str, str]]:
    return [
        answer(
            participant=f"p{at}", session=f"s{at}", trial=f"t{at}-{n}", pair=f"q{n}", truth="a",
            choice="a" if n < right else "b", use=str(use).lower(), pay="true", rules=rules,
        )
        for at, (rules, use, right) in enumerate(PEOPLE)
        for n in range(4)
    ]  # fmt: skip


def test_every_combination_is_the_mean_over_those_whom_it_does_not_leave_out() -> None:
    """Source: averaged here person by person."""
    found = what_if(checked(*rows()), "live", "missing", seed=1, resamples=0)
    assert found is not None
    assert [(one.rule, one.n_sessions, one.n_alone) for one in found.rules] == [
        ("hidden", 2, 1),
        ("unwatched", 2, 1),
    ]
    subsets = list(chain.from_iterable(combinations(("hidden", "unwatched"), n) for n in range(3)))
    assert len(found.specifications) == len(subsets) == 4
    for chosen in subsets:
        one = found.of(chosen)
        kept = [right / 4 for rules, _, right in PEOPLE if not {*rules.split(";")} & {*chosen}]
        assert (one.accuracy.mean, one.n_left_out) == (mean(kept), len(PEOPLE) - len(kept))
    assert found.own.rules == ("hidden", "unwatched")


def test_the_own_rules_give_the_very_headline_and_are_in_text_and_json() -> None:
    analysis = analyze(checked(*rows()), resamples=200)
    study = analysis.studies[0]
    found = study.further["what_if"]
    assert isinstance(found, WhatIf)
    assert found.own.accuracy == study.accuracy
    assert analysis.to_dict()["studies"][0]["what_if"]["specifications"][0]["mean"] == study.accuracy.mean
    text = render(analysis)
    assert "What if: without an exclusion rule" in text
    assert "3 sessions are left out" in text


def test_without_rules_that_left_somebody_out_there_is_none() -> None:
    assert "what_if" not in analyze(checked(answer()), resamples=0).studies[0].further


def test_of_very_many_rules_not_every_combination_is_computed() -> None:
    names = [f"rule-{at}" for at in range(9)]
    many = [
        answer(
            participant=name,
            session=name,
            trial=name,
            pair="q",
            truth="a",
            use="false",
            pay="true",
            rules=name,
        )
        for name in names
    ]
    found = what_if(checked(answer(), *many), "live", "missing", seed=1, resamples=0)
    assert found is not None
    assert (found.is_complete, len(found.specifications)) == (False, 1 + 9 + 9 + 1)
