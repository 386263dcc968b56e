"""The order of sources: against the jackknife and Tukey's range by hand, sources that are alike, and its words."""

import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.special import expit
from scipy.stats import studentized_range

from analysis.errors import AnalysisError
from analysis.findings.means import means
from analysis.findings.ranking import ranking as section_of
from analysis.stats.bradley_terry import Ranking, bradley_terry_of_wins, ranking_of_wins
from analysis.summary import analyze
from tests.analysis.tables import answer, checked

pytestmark = pytest.mark.slow


def wins(strengths: list[float], people: int, *, seed: int = 1, rounds: int = 1) -> pd.DataFrame:
    """Everybody compares every two sources, and the left has no advantage."""
    rng = np.random.default_rng(seed)
    rows = []
    for judge in range(people):
        for i in range(len(strengths)):
            for j in range(i):
                for _ in range(rounds):
                    won, left = rng.random() < expit(strengths[i] - strengths[j]), rng.random() < 0.5
                    winner, loser = (i, j) if won else (j, i)
                    rows.append((f"s{winner}", f"s{loser}", f"s{i if left else j}", judge))
    return pd.DataFrame(rows, columns=["winner", "loser", "left", "judge"])


def responses(table: pd.DataFrame) -> pd.DataFrame:
    def row(at: int, winner: str, loser: str, left: str, judge: int) -> dict[str, str]:
        a, b = sorted((winner, loser))
        return answer(
            participant=f"p{judge}",
            position=str(at),
            pair=f"{a}-{b}",
            condition=f"{a}-{b}",
            source_a=a,
            source_b=b,
            truth="",
            left="a" if left == a else "b",
            choice="a" if winner == a else "b",
        )

    cells = zip(*(table[name].tolist() for name in ("winner", "loser", "left", "judge")), strict=True)
    return checked(*(row(at, *one) for at, one in enumerate(cells, start=1)))


def test_sources_are_in_order_and_told_apart_where_they_are_far_apart() -> None:
    found = ranking_of_wins(wins([0, 1.5, 3.0, 3.0], 40))
    assert {one.source for one in found.sources[:2]} == {"s2", "s3"}
    assert [one.source for one in found.sources[2:]] == ["s1", "s0"]
    assert [one.place for one in found.sources] == [1, 2, 3, 4]
    first, second = found.sources[:2]
    assert (first.open_with, second.open_with) == ((second.source,), (first.source,))
    assert first.ahead_of == ("s1", "s0")
    assert found.sources[-1].behind == (first.source, second.source, "s1")
    assert (found.n_settled, len(found.differences)) == (5, 6)


def test_a_difference_has_the_jackknifes_error_and_tukeys_range() -> None:
    table, n = wins([0, 0.4, 1.0], 20), 20
    found = ranking_of_wins(table)
    top = found.differences[0]

    def difference(rows: pd.DataFrame) -> float:
        worth = {one.source: one.strength.value for one in bradley_terry_of_wins(rows, resamples=0).strengths}
        return (worth[top.source] or 0) - (worth[top.against] or 0)

    without = [difference(table[table["judge"] != judge]) for judge in range(n)]
    error = math.sqrt((n - 1) / n * sum((value - difference(table)) ** 2 for value in without))
    reach = studentized_range.ppf(0.95, 3, n - 1) / math.sqrt(2) * error
    interval = top.difference.interval
    assert interval.low is not None
    assert interval.high is not None
    assert (interval.high - interval.low) / 2 == pytest.approx(reach, rel=1e-6)
    assert top.difference.value == pytest.approx(difference(table))


def test_intervals_for_all_pairs_are_wider_than_for_one() -> None:
    table = wins([0, 0.4, 1.0], 60)
    found = ranking_of_wins(table, resamples=500)
    one = {
        (each.source, each.against): each.probability for each in bradley_terry_of_wins(table).probabilities
    }
    alone = one["s0", "s2"].interval
    together = next(each for each in found.differences if {each.source, each.against} == {"s0", "s2"})
    assert together.difference.interval.low is not None
    assert together.difference.interval.low < -math.log(alone.high / (1 - alone.high))  # type: ignore[operator]


def test_with_many_people_the_errors_are_those_of_statsmodels_for_clusters() -> None:
    """Source: statsmodels' logistic regression on the same answers, its covariance robust for clusters of people; the
    bootstrap draws people, so that both are of the same size."""
    table = wins([0, 0.4, 1.0, 1.2], 120, rounds=2)
    found = ranking_of_wins(table, resamples=2_000)
    names = ["s0", "s1", "s2", "s3"]
    first = table[["winner", "loser"]].min(axis=1)
    second = table[["winner", "loser"]].max(axis=1)
    design = np.array([(first == name).astype(float) - (second == name).astype(float) for name in names[:-1]])
    side = np.where(table["left"] == first, 1.0, -1.0)
    model = sm.Logit((table["winner"] == first).to_numpy(dtype=float), np.column_stack([*design, side]))
    fitted = model.fit(disp=0, cov_type="cluster", cov_kwds={"groups": table["judge"].to_numpy()})
    worth = dict(zip(names, [*fitted.params[:3], 0.0], strict=True))
    covariance = np.zeros((4, 4))
    covariance[:3, :3] = fitted.cov_params()[:3, :3]
    for one in found.differences:
        contrast = np.array([(name == one.source) - (name == one.against) for name in names], dtype=float)
        assert one.difference.value == pytest.approx(worth[one.source] - worth[one.against], abs=1e-5)
        reach = (
            studentized_range.ppf(0.95, 4, 119) / math.sqrt(2) * math.sqrt(contrast @ covariance @ contrast)
        )
        interval = one.difference.interval
        assert interval.low is not None
        assert interval.high is not None
        assert (interval.high - interval.low) / 2 == pytest.approx(reach, rel=0.08)


def test_it_is_said_where_sources_met_unequally_often() -> None:
    table = wins([0, 0.4, 1.0], 40)

    def notes(rows: pd.DataFrame) -> str:
        analysis = analyze(responses(rows), resamples=0)
        (section,) = means(analysis.studies[0], analysis.settings)
        return " ".join(section.notes)

    assert "unequally often" not in notes(table)
    of_two = table[["winner", "loser"]].isin(["s0", "s1"]).all(axis=1)
    assert "unequally often, 16 to 40 times" in notes(table[~of_two | (table["judge"] < 16)])
    assert "unequally often" not in notes(table[~of_two]), "who never met is no pair"


@pytest.mark.exhaustive
def test_alike_sources_are_told_apart_in_at_most_one_study_in_twenty() -> None:
    told = [ranking_of_wins(wins([0.0] * 4, 20, seed=seed)).n_settled > 0 for seed in range(300)]
    assert sum(told) <= 0.05 * 300 + 2 * math.sqrt(0.05 * 0.95 * 300)


def test_there_is_none_of_two_sources_and_a_reason_where_one_never_lost() -> None:
    assert ranking_of_wins(wins([0, 1], 10)).reason == "fewer than three sources are compared"
    found = ranking_of_wins(wins([0, 0, 99], 10))
    assert found.sources == ()
    assert "s2 never lost to any other source" in (found.reason or "")
    with pytest.raises(AnalysisError, match="the column judge is missing"):
        ranking_of_wins(wins([0, 0, 1], 3).drop(columns="judge"))


def test_two_people_give_an_order_and_tell_nothing_apart() -> None:
    found = ranking_of_wins(wins([0, 0.5, 1.0], 2, rounds=12))
    assert len(found.sources) == 3
    assert found.n_settled == 0
    assert all(one.difference.interval.low is None for one in found.differences)


def test_it_is_said_who_is_ahead_and_who_is_not_told_apart_yet() -> None:
    analysis = analyze(responses(wins([0, 1.5, 3.0, 3.0], 40)), resamples=200)
    study = analysis.studies[0]
    found = study.further["ranking"]
    assert isinstance(found, Ranking)
    (section,) = section_of(study, analysis.settings)
    first, second = (one.source for one in found.sources[:2])
    assert section.sentences == (
        "5 of 6 pairs of sources are told apart.",
        f"Not told apart yet: {first} from {second}.",
    )
    assert section.not_yet == section.sentences[1:]
    assert section.can_say[0] == f"{first} is chosen over s1 and s0."
    (figure,) = section.figures
    assert [mark.name for mark in figure.marks] == [one.source for one in found.sources]
    assert figure.marks[0].beside == f"not yet: {second}"
    assert [row[-1] for row in section.tables[1].rows].count("not yet") == 1
    assert analysis.to_dict()["studies"][0]["ranking"]["differences"][0]["is_settled"] is False
