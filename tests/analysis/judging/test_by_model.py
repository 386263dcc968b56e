"""Accuracy and rank correlation by model, as figures 9 and 10 of the paper have them."""

from pathlib import Path

import pandas as pd
import pytest

from analysis.figures.figure import Figure, NoFigure
from analysis.judging import check_verdicts, validate_judges
from analysis.judging.by_model import accuracy_figure, rank_figure
from analysis.judging.sample import LABELS, RANK
from analysis.judging.validation import JudgeValidation
from app.cli.judging import validate
from tests.analysis.tables import answer, checked

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_splits")]

# Votes for a of five people: four pairs with a person, four of two agents.
VOTES = {
    "h1": "aaaab", "h2": "aaabb", "h3": "aaaaa", "h4": "aabbb",
    "s1": "aaaab", "s2": "aabbb", "s3": "abbbb", "s4": "aaabb",
}  # fmt: skip
# More for a where more people chose a, but on pairs of agents the other way round.
SCORES = {"h1": 0.8, "h2": 0.6, "h3": 0.9, "h4": 0.55, "s1": 0.1, "s2": 0.6, "s3": 0.9, "s4": 0.3}


def judged(*, truth: str = "a") -> JudgeValidation:
    people = checked(
        *(
            answer(participant=f"p{person}", pair=pair, choice=vote, truth=truth if pair[0] == "h" else "")
            for pair, votes in VOTES.items()
            for person, vote in enumerate(votes)
        )
    )
    rows = [{"judge": "net", "pair": pair, "score": score} for pair, score in SCORES.items()]
    return validate_judges(people, check_verdicts(pd.DataFrame(rows)), resamples=50)


def test_accuracy_is_of_pairs_with_a_person_and_of_pairs_of_agents_beside_one_participant() -> None:
    """By hand: it names the person in four of four; the majorities of h1 to h3, not h4's, and none of the agents'."""
    found = judged()
    drawn = accuracy_figure(found)
    assert isinstance(drawn, Figure)
    rows = {(row[0], row[2]): row for row in drawn.numbers.rows}
    assert rows["A person and an agent", "Finds the person"][4] == "1.000"
    assert rows["A person and an agent", "Agrees with the majority of people"][4] == "0.750"
    assert rows["Two agents", "Agrees with the majority of people"][4] == "0.000"
    assert ("Two agents", "Finds the person") not in rows
    of_agents = next(group for group in found.judges[0].groups if group.name == "agent-agent")
    people = of_agents.measures[LABELS].ceiling.value
    assert rows["Two agents", "Agrees with the majority of people"][6] == f"{people:.3f}"
    assert drawn.numbers.head[-2:] == ("as published, mean over runs", "SD over runs")
    assert rows["Two agents", "Agrees with the majority of people"][-2] == "0.000"
    assert drawn.png.startswith(b"\x89PNG")


def test_rank_runs_from_minus_one_to_one() -> None:
    found = judged()
    drawn = rank_figure(found)
    assert isinstance(drawn, Figure)
    rows = {row[0]: row for row in drawn.numbers.rows}
    assert rows["A person and an agent"][4] == "1.000"
    assert rows["Two agents"][4] == "-1.000"
    assert "chance is 0." in drawn.sentence
    assert "net ranked pairs as people do in A person and an agent by 1.00" in drawn.sentence
    of_agents = next(group for group in found.judges[0].groups if group.name == "agent-agent")
    assert of_agents.measures[RANK].corrected.value == pytest.approx(-1)


def test_without_pairs_with_a_person_only_agents_are_drawn() -> None:
    drawn = accuracy_figure(judged(truth=""))
    assert isinstance(drawn, Figure)
    assert {row[0] for row in drawn.numbers.rows} == {"Two agents"}
    silent = check_verdicts(pd.DataFrame([{"judge": "net", "pair": "h1", "choice": None}]))
    people = checked(answer(participant="p", pair="h1", choice="a", truth="a"))
    assert isinstance(rank_figure(validate_judges(people, silent, resamples=0)), NoFigure)


def test_the_command_writes_both_with_their_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(tmp_path / "data"))
    people = checked(
        *(
            answer(participant=f"p{person}", pair=pair, choice=vote, truth="a" if pair[0] == "h" else "")
            for pair, votes in VOTES.items()
            for person, vote in enumerate(votes)
        )
    )
    people.to_csv(tmp_path / "responses.csv", index=False)
    pd.DataFrame(
        [{"judge": "net", "pair": pair, "score": score} for pair, score in SCORES.items()]
    ).to_csv(tmp_path / "verdicts.csv", index=False)  # fmt: skip
    validate(
        [str(tmp_path / "responses.csv")], tmp_path / "verdicts.csv", resamples=0, figures=tmp_path / "drawn"
    )
    assert sorted(path.name for path in (tmp_path / "drawn").iterdir()) == [
        f"{name}-by-model.{kind}" for name in ("accuracy", "rank") for kind in ("csv", "png", "svg")
    ]
    ranks = pd.read_csv(tmp_path / "drawn" / "rank-by-model.csv")
    assert ranks["judge's value"].tolist() == [1.0, -1.0]
