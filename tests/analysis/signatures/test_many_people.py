"""Thousands of people with one or two choices each: the same numbers as one by one, in a number of steps that ends."""

import numpy as np
import pytest

from analysis.signatures import against
from analysis.signatures.against import Measured, against_people, resampled
from analysis.signatures.measures import Counts, conditional, linear
from analysis.stats.intervals import Floats

ZONES, BINS = 5, 2
FIVE_ZONES = conditional(ZONES, linear(1.0))


def people(n: int, seed: int = 1) -> dict[str, Counts]:
    """People of one to three matches, in some of which they did nothing that counts; nobody did nothing at all."""
    rng = np.random.default_rng(seed)
    found = {}
    for at in range(n):
        rows = np.zeros((1 + at % 3, ZONES * BINS))
        for row in range(0, len(rows), 2):
            rows[row, rng.integers(ZONES * BINS)] = 1
        found[f"p{at}"] = rows
    return found


def agents(seed: int) -> dict[str, Counts]:
    return {"all": np.random.default_rng(seed).integers(0, 4, (30, ZONES * BINS)).astype(float)}


class Asked:
    """A distance that counts of how many points it was asked."""

    def __init__(self) -> None:
        self.n = 0

    def __call__(self, p: Counts, q: Counts) -> Floats:
        self.n += len(p)
        return FIVE_ZONES(p, q)


def measured(distance: Asked) -> Measured:
    return Measured("s", "S", "1", distance, "matches", 500)


@pytest.mark.slow
def test_people_of_few_kinds_take_few_steps() -> None:
    """3,000 people have nine million distances, and 3 million to a source in 1,000 resamples: most are the same."""
    distance, counted = Asked(), {"human": people(3000), "one": agents(1), "other": agents(2)}
    found = against_people(measured(distance), counted, "human", seed=1, resamples=100)
    assert found.band is not None
    assert found.band.n == 3000
    # A third of all have two matches that count, and are drawn one by one.
    assert distance.n < 3000 * 100 * 2 / 2
    assert found.map is not None
    shown = sum(label.startswith("human: ") for label in found.map.labels)
    assert 2 < shown <= against.MAP_PEOPLE
    assert found.left_off_map == 3000 - shown


def test_numbers_are_those_of_everybody_one_by_one() -> None:
    everybody = people(60)
    counted = {"human": everybody, "one": agents(1), "other": agents(2)}
    found = against_people(measured(Asked()), counted, "human", seed=3, resamples=50)
    points = np.array([rows.sum(axis=0) for rows in everybody.values()])
    apart = np.array([[float(FIVE_ZONES(one, other)) for other in points] for one in points])
    means = [np.nanmean(np.delete(row, at)) for at, row in enumerate(apart)]
    assert found.band is not None
    assert found.band.median is not None
    assert np.isclose(found.band.median, np.median(means), rtol=1e-12)
    for each in found.distances:
        pooled = counted[each.source]["all"].sum(axis=0)
        assert np.isclose(each.distance, np.nanmean([float(FIVE_ZONES(pooled, one)) for one in points]))
    assert found.map is not None
    assert found.left_off_map == 60 + 2 - len(found.map.labels)
    places = [list(everybody).index(label.removeprefix("human: ")) for label in found.map.labels[:-2]]
    assert not np.isnan(apart[np.ix_(places, places)]).any()


def test_where_all_differ_the_band_is_that_of_people_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Distances of all to all would be the square of their number; those to sources are of everybody still."""
    rng = np.random.default_rng(6)
    all_differ = {f"p{at}": rng.integers(1, 99, (1, ZONES * BINS)).astype(float) for at in range(300)}
    counted = {"human": all_differ, "one": agents(1), "other": agents(2)}
    whole = against_people(measured(Asked()), counted, "human", seed=1, resamples=0)
    monkeypatch.setattr(against, "BAND_PEOPLE", 40)
    distance = Asked()
    found = against_people(measured(distance), counted, "human", seed=1, resamples=0)
    assert found.distances == whole.distances
    assert whole.band is not None
    assert found.band is not None
    assert (whole.band.n, found.band.n, found.left_off_map) == (300, 40, 260)
    assert found.band.median == pytest.approx(whole.band.median, rel=0.1)
    assert distance.n < 300 * 299 / 2 / 3
    monkeypatch.setattr(against, "BAND_PEOPLE", 80)
    few = against_people(measured(Asked()), {**counted, "human": people(300)}, "human", seed=1, resamples=0)
    assert few.band is not None
    assert few.band.n == 300, "of the same few kinds: all"


def test_resamples_are_those_of_everybody_one_by_one() -> None:
    """Rows of each player are drawn first, then players; who did nothing in a resample has no distance in it."""
    counted = {"human": people(30), "one": agents(1), "other": {**agents(2), "more": agents(4)["all"]}}
    drawn = resampled(counted, "human", FIVE_ZONES, 5, 40)
    rng = np.random.default_rng(5)
    rows_of, times_of = {}, {}
    for source, players in counted.items():
        rows_of[source] = [
            rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), size=40) @ rows
            for rows in players.values()
        ]
        n = len(players)
        times_of[source] = rng.multinomial(n, np.full(n, 1 / n), size=40)
    for source in ("one", "other"):
        for at in range(40):
            pooled = sum(
                times * rows[at] for times, rows in zip(times_of[source][at], rows_of[source], strict=True)
            )
            far = np.array([float(FIVE_ZONES(pooled, rows[at])) for rows in rows_of["human"]])
            times = np.where(np.isnan(far), 0, times_of["human"][at])
            assert np.isclose(drawn[source][at], np.nansum(far * times) / times.sum())
