"""The headline under every combination of exclusion rules, by the function of the headline itself."""

from itertools import chain, combinations
from statistics import mean

import numpy as np
import pandas as pd
import pytest

from analysis import analyze, analyze_judgement_rows, analyze_rating_rows, render
from analysis.choice.what_if import pairs_what_if
from analysis.data.codes import Mask
from analysis.data.columns import RATING_COLUMNS, names
from analysis.data.flow import Flow, FlowStep, Loss
from analysis.data.schema import check_rating_rows
from analysis.findings.items import RatedItems, figures, sections
from analysis.findings.what_if import no_headline
from analysis.stats.description import Description, describe
from analysis.stats.what_if import Measure, WhatIf, what_if
from analysis.text.detection import render_judgement_blocks
from analysis.text.ratings import render_rating_blocks
from tests.analysis.tables import answer, checked

pytestmark = pytest.mark.slow

# By person: the rules met, whether they are used, and how many of four answers are right.
PEOPLE = [
    ("", True, 4), ("", True, 3), ("slow-frames", True, 3), ("unwatched", False, 0), ("unwatched;hidden", False, 1),
    ("hidden;slow-frames", False, 2), ("", True, 2),
]  # fmt: skip
RULES = ("hidden", "unwatched")
SUBSETS = list(chain.from_iterable(combinations(RULES, n) for n in range(3)))


def rows(**cells: str) -> list[dict[str, str]]:
    common = {"truth": "a"} | cells
    return [
        answer(
            participant=f"p{at}", session=f"s{at}", trial=f"t{at}-{n}", pair=f"q{n}",
            choice="a" if n < right else "b", use=str(use).lower(), pay="true", rules=rules, **common,
        )
        for at, (rules, use, right) in enumerate(PEOPLE)
        for n in range(4)
    ]  # fmt: skip


def items() -> pd.DataFrame:
    """Each person says of four items whether a person made them, and scores them from 1 to 5."""
    made = []
    for at, (rules, use, right) in enumerate(PEOPLE):
        for n in range(4):
            truth, other = ("Yes", "No") if n % 2 else ("No", "Yes")
            about = {
                "study": "made", "version": 1, "mode": "live", "block": "rate", "participant": f"p{at}",
                "session": f"s{at}", "position": n + 1, "trial": f"t{at}-{n}", "item": f"i{n}", "kind": "main",
                "use": use, "pay": True, "rules": rules or None,
            }  # fmt: skip
            seen = {
                "question": "seen",
                "text": truth if n < right else other,
                "level": "nominal",
                "truth": truth,
            }
            logic = {"question": "logic", "value": score(right, n), "level": "ordinal", "scale_low": 1}
            made += [
                {**about, **seen, "options": '["Yes", "No"]'},
                {**about, **logic, "scale_high": 5, "ask": "How logical is it?"},
            ]
    table = pd.DataFrame(made, columns=list(names(RATING_COLUMNS)), dtype=object)
    return check_rating_rows(table.where(table.notna(), None), "made")


def score(right: int, n: int) -> int:
    return 1 + (right + n) % 5


def kept(chosen: tuple[str, ...]) -> list[int]:
    """How many are right of each whom these rules do not leave out; slow frames are only remarked."""
    return [right for rules, _, right in PEOPLE if not {*rules.split(";")} & {*chosen}]


def require_every_subset(found: WhatIf | None, expected: dict[tuple[str, ...], float]) -> None:
    assert found is not None
    assert [(one.rule, one.n_sessions, one.n_alone) for one in found.rules] == [
        ("hidden", 2, 1),
        ("unwatched", 2, 1),
    ]
    assert found.own.rules == RULES
    assert len(found.specifications) == len(SUBSETS) == 4
    for chosen in SUBSETS:
        one = found.of(chosen)
        assert one.headline.mean == pytest.approx(expected[chosen])
        assert one.n_left_out == len(PEOPLE) - len(kept(chosen))


def of_pairs(**cells: str) -> tuple[WhatIf, object]:
    study = analyze(checked(*rows(**cells)), resamples=200).studies[0]
    found = study.further["what_if"]
    assert isinstance(found, WhatIf)
    return found, study.accuracy if study.led_by is None else study.led_by.description


def test_every_combination_is_the_mean_over_those_whom_it_does_not_leave_out() -> None:
    """Source: averaged here person by person."""
    found, _ = of_pairs()
    assert found.measure.name == "accuracy"
    require_every_subset(found, {chosen: mean(right / 4 for right in kept(chosen)) for chosen in SUBSETS})


def test_without_a_right_answer_it_is_the_share_of_the_source_that_the_headline_names() -> None:
    found, headline = of_pairs(truth="")
    assert (found.measure.source, found.measure.against) == ("human", "hybrid")
    assert found.own.headline == headline
    require_every_subset(found, {chosen: mean(right / 4 for right in kept(chosen)) for chosen in SUBSETS})
    text = render(analyze(checked(*rows(truth="")), resamples=200))
    assert "3 sessions are left out and the share of human over hybrid is 75%" in " ".join(text.split())


def test_ratings_have_the_mean_score_by_the_first_question() -> None:
    """Source: averaged here over all scores."""
    [block] = analyze_rating_rows([items()], resamples=200)
    [criterion] = block.analysis.criteria
    assert block.what_if is not None
    own = block.what_if.own.headline
    assert (own.mean, own.interval, own.sd_ddof1, own.n) == (
        criterion.mean, criterion.interval, criterion.sd_ddof1, criterion.n_raters,
    )  # fmt: skip
    assert own.interval.low is not None
    expected = {
        chosen: mean(score(right, n) for right in kept(chosen) for n in range(4)) for chosen in SUBSETS
    }
    assert len(set(expected.values())) > 1
    require_every_subset(block.what_if, expected)
    assert block.to_dict()["what_if"]["specifications"][0]["mean"] == criterion.mean
    assert "What if: without an exclusion rule" in render_rating_blocks([block], full=True)


def test_yes_no_questions_have_the_accuracy() -> None:
    """Source: averaged here person by person."""
    [block] = analyze_judgement_rows([items()], resamples=200)
    assert block.what_if is not None
    assert block.what_if.own.headline == block.analysis.groups[0].accuracy
    require_every_subset(
        block.what_if, {chosen: mean(right / 4 for right in kept(chosen)) for chosen in SUBSETS}
    )
    assert block.to_dict()["what_if"]["measure"]["name"] == "accuracy"
    assert "What if: without an exclusion rule" in render_judgement_blocks([block], full=True)


def test_items_have_section_and_figure_by_the_question_on_its_scale() -> None:
    tables = [items()]
    rated = RatedItems(analyze_rating_rows(tables, resamples=0), analyze_judgement_rows(tables, resamples=0))
    said = [one.sentences[0] for one in sections(rated) if one.name == "whatif"]
    assert "accuracy is 75%" in said[0]
    assert "the mean score by “How logical is it?” is" in said[1]
    drawn = {one.name: one for one in figures(rated, {}) if "whatif" in one.name}
    assert [one.section for one in drawn.values()] == ["yes-no:rate", "ratings:rate"]
    assert drawn["scorewhatif"].ends == ("1", "5")
    assert [one.name for one in drawn["scorewhatif"].marks] == [
        "all rules", "without hidden", "without unwatched", "no rule",
    ]  # fmt: skip


def test_play_has_the_reason_why_there_is_no_number() -> None:
    lost = (Loss("by-hand", 4), Loss("rule:hidden", 2), Loss("rule:slow-frames", 1))
    [section] = no_headline(Flow("live", (FlowStep("finished", 9, lost), FlowStep("analysed", 2))))
    assert section.sentences[0].startswith("Rules left out 3 sessions. No answer is right in a match")
    assert list(no_headline(Flow("live", (FlowStep("finished", 4, lost[:1]),)))) == []
    assert list(no_headline(None)) == []


def test_the_own_rules_give_the_very_headline_and_are_in_text_and_json() -> None:
    analysis = analyze(checked(*rows()), resamples=200)
    study = analysis.studies[0]
    found = study.further["what_if"]
    assert isinstance(found, WhatIf)
    assert found.own.headline == study.accuracy
    assert analysis.to_dict()["studies"][0]["what_if"]["specifications"][0]["mean"] == study.accuracy.mean
    text = render(analysis)
    assert "What if: without an exclusion rule" in text
    assert "3 sessions are left out" in text


def test_sessions_left_out_by_a_rule_that_is_only_remarked_elsewhere_stay_out() -> None:
    """A version may remark what another leaves out: which rule it was cannot be told."""
    odd = answer(participant="p9", session="s9", trial="t9", pair="q9", use="false", rules="slow-frames")
    study = analyze(checked(*rows(), odd | {"choice": "b", "pay": "true"}), resamples=0).studies[0]
    found = study.further["what_if"]
    assert isinstance(found, WhatIf)
    assert found.own.headline == study.accuracy


def test_without_rules_that_left_somebody_out_there_is_none() -> None:
    assert "what_if" not in analyze(checked(answer()), resamples=0).studies[0].further


def test_of_very_many_rules_not_every_combination_is_computed() -> None:
    named = [f"rule-{at}" for at in range(9)]
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
        for name in named
    ]
    found = pairs_what_if(checked(answer(), *many), "live", "missing", None, seed=1, resamples=0)
    assert found is not None
    assert (found.is_complete, len(found.specifications)) == (False, 1 + 9 + 9 + 1)


def rated_by_many(n_raters: int, n_items: int, rules: tuple[str, ...]) -> pd.DataFrame:
    """Raters whose scores are higher the more rules they meet; of each item some have a second answer."""
    rng = np.random.default_rng(5)
    made = []
    for at in range(n_raters):
        met = [name for name in rules if rng.random() < 0.1]
        for place, n in enumerate([*range(n_items), 0]):
            made.append(
                {
                    "study": "made", "version": 1, "mode": "live", "block": "rate", "participant": f"p{at}",
                    "session": f"s{at}", "position": place + 1, "trial": f"t{at}-{place}", "item": f"i{n}",
                    "kind": "main", "use": not met, "pay": True, "rules": ";".join(met) or None, "question": "logic",
                    "value": int(rng.integers(1, 5)) + bool(met), "level": "ordinal", "scale_low": 1,
                    "scale_high": 5, "ask": "How logical is it?",
                }
            )  # fmt: skip
    table = pd.DataFrame(made, columns=list(names(RATING_COLUMNS)), dtype=object)
    return check_rating_rows(table.where(table.notna(), None), "made")


def test_ratings_under_other_rules_are_as_if_the_study_had_no_others() -> None:
    """Source: the analysis of the rows of those whom the rules do not leave out; its bootstrap is near Student's t."""
    rows = rated_by_many(60, 52, ("hidden", "unwatched"))
    [block] = analyze_rating_rows([rows], resamples=2000)
    assert block.what_if is not None
    own = block.what_if.own.headline
    assert own.interval == block.analysis.criteria[0].interval
    assert own.interval.resamples == 2000
    for one in block.what_if.specifications[1:]:
        pattern = "|".join(one.rules) or "no rule"
        is_met = rows["rules"].astype("str").str.contains(pattern).fillna(False).astype(bool)
        under = rows[~is_met].assign(use=True, rules=None, excluded=None)
        [again] = analyze_rating_rows([check_rating_rows(under.astype(object), "again")], resamples=2000)
        [expected] = again.analysis.criteria
        found = one.headline
        assert (found.mean, found.sd_ddof1, found.n) == (
            expected.mean, expected.sd_ddof1, expected.n_raters,
        )  # fmt: skip
        assert found.interval.method == "Student's t over items and raters"
        for mine, theirs in (
            (found.interval.low, expected.interval.low),
            (found.interval.high, expected.interval.high),
        ):
            assert mine == pytest.approx(theirs, abs=0.03)
    said = [one for one in sections(RatedItems((block,), ())) if one.name == "whatif"]
    assert "interval under other rules Student's t" in said[0].methods[0]


def test_each_set_of_sessions_is_computed_once() -> None:
    """Of eight rules that leave out the same session in pairs, 256 combinations are 16 sets."""
    rows = checked(
        *(
            answer(
                participant=f"p{at}", session=f"s{at}", trial=f"t{at}", pair="q", truth="a", choice="a",
                use="true" if at > 3 else "false", pay="true", rules="" if at > 3 else f"r{at};r{at + 4}",
            )
            for at in range(8)
        )
    )  # fmt: skip
    asked: list[int] = []

    def headline(counts: Mask) -> Description:
        asked.append(int(counts.sum()))
        return describe(np.ones(int(counts.sum())), resamples=0)

    found = what_if(rows, Measure("accuracy"), headline)
    assert found is not None
    assert len(found.specifications) == 256
    assert sorted(asked) == sorted(4 + kept for kept in (0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4))
