"""Simulated participants walk the real pages over HTTP, and what comes out is what they were made with."""

import random
from pathlib import Path

import pytest
from scipy.stats import binomtest
from sqlmodel import select

from analysis import analyze
from app.core.database import Database
from app.core.errors import StudyError
from app.core.settings import Settings
from app.questions.sides import TIE, Side
from app.reports.frames import responses_frame
from app.simulation.people import Person, Traits
from app.simulation.run import run_simulation
from app.simulation.walk import Stuck
from app.trials.tables import ParticipantSession
from tests.factories import load_file, study_file

pytestmark = pytest.mark.any_database


def simulate(settings: Settings, database: Database, n: int, seed: int = 1, **traits: float) -> None:
    run_simulation(settings, database, "nav", n=n, traits=Traits(**traits), seed=seed)


def test_the_accuracy_that_people_were_made_with_comes_out(
    settings: Settings, database: Database, study: str
) -> None:
    """People who are never right, whichever side the service draws; shares between are those of `Person` below.

    Worse than chance, which neither the usual people nor blind ones are."""
    simulate(settings, database, 2, accuracy=0.0)
    with database.reading() as session:
        rows = responses_frame(session, study)
        modes = set(session.exec(select(ParticipantSession.mode)))
    assert modes == {"simulated"}
    assert len(rows) == 2 * 11
    assert analyze([rows], resamples=0).to_dict()["studies"][0]["accuracy"]["mean"] == 0


def test_side_bias_shows_in_what_is_pressed(settings: Settings, database: Database, study: str) -> None:
    simulate(settings, database, 2, side_bias=1.0)
    with database.reading() as session:
        rows = responses_frame(session, study)
    assert (rows["choice"].astype(str) == rows["left"].astype(str)).all()
    simulated = analyze([rows], resamples=0).to_dict()["studies"][0]["accuracy"]["mean"]
    assert simulated == 0.5  # sides are balanced exactly, so a blind presser is right half the time


def test_ties_are_given_where_the_page_offers_them(
    settings: Settings, database: Database, study: str, tmp_path: Path
) -> None:
    """The same people on a page with the answer and on one without."""
    simulate(settings, database, 1, tie=1.0)
    [choice, *others] = study_file()["trials"]["questions"]  # type: ignore[index]
    with database.transaction() as session:
        without = responses_frame(session, study)["choice"]
        load_file(session, tmp_path, trials={"questions": [{**choice, "allow_tie": True}, *others]})
    assert set(without) <= {"a", "b"}
    simulate(settings, database, 1, tie=1.0)
    with database.reading() as session:
        said = responses_frame(session, study)["choice"][len(without) :]
    assert set(said) == {"tie"}


def test_ties_are_given_as_often_as_asked() -> None:
    person = Person(Traits(tie=0.3), random.Random(4))
    said = [person.answer(Side.LEFT, is_true=True, allow_tie=True) for _ in range(2000)]
    assert binomtest(said.count(TIE), len(said), 0.3).pvalue > 0.001
    assert TIE not in {person.answer(Side.LEFT, is_true=True, allow_tie=False) for _ in range(50)}


def test_a_study_that_is_not_there_is_one_clear_refusal(settings: Settings, database: Database) -> None:
    with pytest.raises(Stuck, match="404; is the study loaded"):
        run_simulation(settings, database, "none", n=1, traits=Traits(), seed=1)


def test_numbers_differ_from_answer_to_answer_and_keep_to_their_bounds() -> None:
    person = Person(Traits(), random.Random(5))
    for low, high in (
        (None, None),
        (0, None),
        (None, -3),
        (0, 120),
        (0, 1e20),
        (0.25, 0.75),
        (7, 7),
    ):
        given = [float(person.number(low, high)) for _ in range(50)]
        assert all((low is None or low <= n) and (high is None or n <= high) for n in given), (low, high)
        assert len(set(given)) > 10 or low == high, (low, high)
        assert (low, high) == (0.25, 0.75) or all(n.is_integer() for n in given)


@pytest.mark.slow
@pytest.mark.parametrize(
    "traits",
    [
        Traits(accuracy=0.9),
        Traits(accuracy=0.8, lapse=0.3),
        Traits(accuracy=0.7, side_bias=0.5),
        Traits(accuracy=1.0, lapse=0.2, side_bias=0.2),
        Traits(accuracy=0.0),
    ],
)
def test_people_are_right_as_often_as_expected(traits: Traits) -> None:
    """Against the closed form of `expected_accuracy`, by an exact binomial test over balanced sides."""
    hits = 0
    n = 4000
    for number in range(n):
        target = (Side.LEFT, Side.RIGHT)[number % 2]
        hits += Person(traits, random.Random(number)).choose(target, is_true=True) is target
    assert binomtest(hits, n, traits.expected_accuracy).pvalue > 0.001


def test_speed_and_uncertainty_move_what_they_name() -> None:
    def people(**traits: float) -> list[Person]:
        return [Person(Traits(**traits), random.Random(n)) for n in range(300)]

    slow, fast = (sum(p.rt_ms() for p in people(speed=s)) for s in (1.0, 2.0))
    assert slow / fast == pytest.approx(2, rel=0.001)
    sure, unsure = (sum(p.point(5) for p in people(uncertainty=u)) / 300 for u in (0.1, 0.9))
    assert 1 <= sure < 2 < 4 < unsure <= 5


@pytest.mark.parametrize(
    "bad", [{"accuracy": 1.5}, {"lapse": -0.1}, {"lapse": 0.6, "side_bias": 0.6}, {"speed": 0.0}]
)
def test_traits_that_cannot_be_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(StudyError):
        Traits(**bad)


def test_nobody_comes_in_as_simulated_without_a_pass(
    settings: Settings, database: Database, study: str
) -> None:
    from starlette.testclient import TestClient

    from app.main import create_app
    from app.sessions.entry import pass_for
    from app.trials.tables import Mode

    with TestClient(create_app(settings, Database(database.url))) as client:
        for forged in (
            "simulated",
            "x.y",
            pass_for("other", Mode.SIMULATED, "test"),
            pass_for(study, Mode.SIMULATED, "guess"),
        ):
            assert client.get(f"/s/{study}", params={"as": forged}).status_code == 403
        assert (
            client.get(f"/s/{study}", params={"as": pass_for(study, Mode.SIMULATED, "test")}).status_code
            == 200
        )
