"""Simulated raters walk the real pages, and the analysis finds again what they were made with."""

import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis import analyze_rating_rows
from app.core.database import Database
from app.core.settings import Settings
from app.reports.rated import ratings_frame
from app.simulation.people import Person, Traits, worth_of
from app.simulation.run import run_simulation
from app.studies.versions import set_state
from app.trials.tables import State
from tests.factories import load_file

pytestmark = [pytest.mark.any_database, pytest.mark.slow]

LEVELS = [str(n) for n in range(1, 10)]
CRITERIA = ("logic", "plan")
ITEMS = [f"i{number}" for number in range(8)]
N = 24


def analysed(settings: Settings, database: Database, folder: Path, slug: str, traits: Traits) -> pd.DataFrame:
    """The raters' severity by criterion, of N people who rate all items."""
    questions = [{"id": id_, "type": "likert", "ask": f"{id_}?", "labels": LEVELS} for id_ in CRITERIA]
    rows = "\n".join(f"{item},A note of {item}." for item in ITEMS)
    block = {"id": "rate", "task": "rating", "items": f"item,text\n{rows}\n", "questions": questions}
    with database.transaction() as session:
        load_file(session, folder, study=slug, sample=None, trials=None, blocks=[block])
        set_state(session, slug, State.LIVE)
    run_simulation(settings, database, slug, n=N, traits=traits, seed=5)
    with database.reading() as session:
        found, *_ = analyze_rating_rows([ratings_frame(session, slug)], resamples=0)
    assert found.selection.n_participants_used == N
    return found.analysis.raters


def halo_and_noise(database: Database, slug: str) -> tuple[float, float]:
    """Of scores less the means of their item and of their rater, in points: scores are whole, which adds 1/12."""
    with database.reading() as session:
        rows = ratings_frame(session, slug)
    table = rows.assign(value=rows["value"].astype(float)).pivot_table(
        index="session", columns=["question", "item"], values="value"
    )
    left = {}
    for criterion in CRITERIA:
        scores = table[criterion].to_numpy()
        left[criterion] = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    freedom = (N - 1) * (len(ITEMS) - 1)
    shared = float((left["logic"] * left["plan"]).sum()) / freedom
    whole = sum(float((one**2).sum()) for one in left.values()) / len(CRITERIA) / freedom
    return max(0.0, shared) ** 0.5, max(0.0, whole - shared - 1 / 12) ** 0.5


@pytest.mark.exhaustive
def test_severity_halo_noise_and_the_worth_of_items_come_back(
    settings: Settings, database: Database, tmp_path: Path
) -> None:
    """Of N people a standard deviation is known to about 15%: bounds are three times that.

    Halo and noise are left where nobody is severe: 0.18, the root of 0.2 squared and 0.4 squared over eight items.
    Halo is what the criteria of one score have in common, and noise what is left of its variance besides rounding.
    """
    harsh = analysed(settings, database, tmp_path, "harsh", Traits(severity=0.8, halo=0.6, noise=0.4))
    even = analysed(settings, database, tmp_path, "even", Traits(severity=0.0, halo=0.2, noise=0.4))
    spread = {
        name: raters.groupby("criterion")["severity"].std() for name, raters in (("h", harsh), ("e", even))
    }
    assert (spread["h"].between(0.46, 1.23)).all()
    assert (spread["e"] < 0.36).all()
    by_person = harsh.pivot_table(index="rater", columns="criterion", values="severity")
    assert by_person["logic"].corr(by_person["plan"]) > 0.8, "severity is a person's, over all criteria"
    halo, noise = halo_and_noise(database, "harsh")
    assert 0.45 < halo < 0.75
    assert 0.25 < noise < 0.55
    assert halo_and_noise(database, "even")[0] < 0.4
    with database.reading() as session:
        rows = ratings_frame(session, "even")
    means = rows.assign(value=rows["value"].astype(float)).groupby(["question", "item"])["value"].mean()
    for criterion in CRITERIA:
        worth = [worth_of(5, item, criterion, len(LEVELS)) for item in ITEMS]
        assert np.corrcoef(worth, [means[criterion, item] for item in ITEMS])[0, 1] > 0.9


def test_who_finds_a_study_of_ratings_full_is_counted_apart(
    settings: Settings, database: Database, tmp_path: Path
) -> None:
    question = {"id": "plan", "type": "likert", "ask": "plan?", "labels": LEVELS}
    block = {
        "id": "rate",
        "task": "rating",
        "items": "item,text\na,A note.\n",
        "per_item": 2,
        "questions": [question],
    }
    with database.transaction() as session:
        load_file(session, tmp_path, study="full", sample=None, trials=None, blocks=[block])
        set_state(session, "full", State.LIVE)
    assert run_simulation(settings, database, "full", n=5, traits=Traits(), seed=1) == 2
    with database.reading() as session:
        assert ratings_frame(session, "full")["session"].nunique() == 2


def test_a_score_is_the_worth_of_the_item_less_severity_with_a_halo_that_criteria_share() -> None:
    """Exactly, where nothing is noise; with it scores scatter about that."""
    worth = {(item, name): worth_of(5, item, name, 9) for item in ITEMS for name in CRITERIA}
    plain = Person(Traits(severity=0.0, halo=0.0, noise=0.0), random.Random(1), 5)
    assert {at: plain.score(*at, 9) for at in worth} == {at: round(value) for at, value in worth.items()}
    severe, haloed, noisy = (
        Person(Traits(**{"severity": 0.0, "halo": 0.0, "noise": 0.0, name: 2.0}), random.Random(1), 5)
        for name in ("severity", "halo", "noise")
    )
    scores = {at: severe.score(*at, 9) for at in worth}
    assert severe.severity
    assert scores == {at: min(9, max(1, round(value - severe.severity))) for at, value in worth.items()}
    for (item, name), value in worth.items():
        moved = value + haloed._halo.setdefault(item, 1.5)
        assert haloed.score(item, name, 9) == min(9, max(1, round(moved)))
    drawn = [noisy.score("i0", "plan", 99) - worth_of(5, "i0", "plan", 99) for _ in range(200)]
    assert np.std(drawn) == pytest.approx(2.0, rel=0.25)
