"""Verdicts are brought to their pairs, and every row is accounted for."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pytest

from analysis import check_responses
from analysis.errors import AnalysisError
from analysis.files.faults import noting
from analysis.judging import validate_judges
from analysis.judging.matching import RunCounts
from analysis.judging.pairs import collect_pairs
from tests.analysis.judging.cases import choices, matched, verdicts, votes
from tests.analysis.tables import answer, table

pytestmark = pytest.mark.slow


def counts(responses: pd.DataFrame, rows: Sequence[Mapping[str, object]]) -> RunCounts:
    return validate_judges(responses, verdicts(rows), resamples=0).judges[0].runs[0]


def test_missing_abstained_tied_and_unknown_verdicts_are_counted() -> None:
    responses = votes({"q1": "aab", "q2": "abb", "q3": "abb", "q4": "aab"})
    found = counts(responses, choices({"q1": "a", "q2": "tie", "q3": "", "x10": "b", "x9": "a"}))
    assert (found.n_rows, found.n_pairs, found.n_judged, found.n_tied) == (5, 4, 2, 1)
    assert (found.n_abstained, found.n_missing, found.n_unknown) == (1, 1, 2)
    assert found.unknown == ("x9", "x10")
    assert found.n_judged + found.n_abstained + found.n_missing == found.n_pairs


def test_a_verdict_s_name_that_looks_like_one_of_the_study_is_said() -> None:
    responses = votes({"q1": "aab", "q2": "abb", "q3": "abb"})
    with noting() as notes:
        found = counts(responses, choices({"Q1": "a", "q2": "a", "q3\u200b": "b", "x9": "a"}))
    assert found.n_unknown == 3
    assert notes == [
        "column pair of the verdicts, and of the study: 'Q1' and 'q1' differ only in upper and lower case. "
        "They count as different",
        "column pair of the verdicts, and of the study: 'q3\\u200b' and 'q3' differ only in invisible letters. "
        "They count as different",
    ]


def test_verdicts_on_attention_pairs_and_other_modes_are_told_from_unknown_ones() -> None:
    rows = [
        answer(pair="q1"),
        answer(pair="check", kind="attention"),
        answer(pair="old", participant="p2", mode="pilot"),
    ]
    found = counts(check_responses(table(*rows)), choices({"q1": "a", "check": "a", "old": "a", "new": "a"}))
    assert (found.n_not_main, found.n_unknown, found.unknown) == (2, 1, ("new",))


def test_a_clip_s_scores_give_the_pair_s_and_equal_ones_a_tie() -> None:
    responses = votes({"q1": "aab", "q2": "aab", "q3": "aab", "q4": "aab"})
    rows = {"q1-a": 2.0, "q1-b": 1.0, "q2-a": 1.0, "q2-b": 1.0, "q3-a": 0.2, "nobody": 3.0}
    judged, _ = matched(responses, [{"judge": "j", "stimulus": k, "score": v} for k, v in rows.items()])
    run = judged.runs[0]
    assert run.support.tolist()[:2] == [1.0, 0.5]
    found = run.counts
    assert (found.n_judged, found.n_missing, found.n_tied, found.n_unknown) == (2, 2, 1, 1)
    assert judged.scores == "clips"


def test_a_clip_without_a_score_is_an_abstention() -> None:
    responses = votes({"q1": "aab"})
    rows: list[dict[str, object]] = [
        {"judge": "j", "stimulus": "q1-a", "score": 1.0},
        {"judge": "j", "stimulus": "q1-b", "score": None},
    ]
    assert counts(responses, rows).n_abstained == 1


def test_scores_of_clips_within_0_and_1_are_no_probabilities() -> None:
    rows = [{"judge": "j", "stimulus": f"q1-{member}", "score": 0.5} for member in "ab"]
    assert matched(votes({"q1": "aab"}), rows)[0].scores == "clips"


def test_the_first_member_has_the_truth_or_the_source_named_first_or_the_earlier_clip() -> None:
    rows = [
        answer(pair="q1", truth="b", source_a="hybrid", source_b="human"),
        answer(pair="q2", truth="", condition="symbolic-hybrid", source_a="hybrid", source_b="symbolic"),
        answer(pair="q3", truth="", condition="", source_a="symbolic", source_b="hybrid"),
        answer(pair="q4", truth="", source_a="human", source_b="human", stimulus_a="z", stimulus_b="y"),
    ]
    pairs = collect_pairs(check_responses(table(*rows)))
    assert pairs.table["stimulus_first"].tolist() == ["q1-b", "q2-b", "q3-b", "y"]
    assert pairs.named.tolist() == [True, True, True, False]
    assert pairs.has_truth.tolist() == [True, False, False, False]
    assert pairs.votes.tolist() == [[0, 1, 0]] * 4


def test_a_name_that_two_studies_share_needs_the_study() -> None:
    responses = check_responses(
        pd.concat([votes({"q1": "aab"}, study="one"), votes({"q1": "abb"}, study="two")]).astype(object)
    )
    with pytest.raises(
        AnalysisError, match=r"the pair 'q1', which is in the studies 'one' and 'two': add a column"
    ):
        validate_judges(responses, verdicts(choices({"q1": "a"})), resamples=0)
    rows = [*choices({"q1": "a"}, study="one"), *choices({"q1": "b"}, study="two")]
    group = validate_judges(responses, verdicts(rows), resamples=0).judges[0].groups[0]
    assert group.measures["label_accuracy"].corrected.value == 1.0


def test_a_pair_named_with_and_without_its_study_is_named_twice() -> None:
    rows = [*choices({"q1": "a"}), *choices({"q1": "b"}, study="s")]
    with pytest.raises(AnalysisError, match=r"'q1' twice, with and without its study \(j\)"):
        validate_judges(votes({"q1": "aab"}), verdicts(rows), resamples=0)


def test_a_pair_whose_clips_changed_is_judged_by_its_clips_only() -> None:
    rows = [answer(pair="q1"), answer(pair="q1", participant="p2", version="2", stimulus_b="new")]
    responses = check_responses(table(*rows))
    found = counts(responses, choices({"q1": "a"}))
    assert (found.n_pairs, found.n_judged, found.n_changed, found.n_missing) == (2, 0, 1, 2)
    clips = [{"judge": "j", "stimulus": name, "score": n} for n, name in enumerate(["q1-b", "new", "q1-a"])]
    assert counts(responses, clips).n_judged == 2


@pytest.mark.slow
def test_very_many_unknown_verdicts_are_only_counted() -> None:
    names = pd.Series(np.arange(50_000)).astype(str)
    frame = pd.DataFrame({"judge": "j", "pair": "x" + names, "choice": "a"})
    found = validate_judges(votes({"q1": "aab"}), frame, resamples=0).judges[0].runs[0]
    assert (found.n_unknown, found.n_missing, len(found.unknown)) == (50_000, 1, 10)
