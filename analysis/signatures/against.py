"""One signature of every source, compared with people: distances, their band, the nearest, a map, convergence.

It works on any counts, which have a row for each clip or match of a player, and add up.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from analysis.distances import SourceDistance
from analysis.options import LEVEL
from analysis.results import Result
from analysis.signatures.drawn import Resamples
from analysis.signatures.mds import Map, classical_mds
from analysis.stats.intervals import Floats, no_interval

if TYPE_CHECKING:
    from analysis.signatures.measures import Counts, Distance, Ints

RESAMPLES = 1000
DRAWS = 100
MAP_PEOPLE = 1000
"""A map has no more people than this, drawn by the seed: laying out n takes n^3 steps, and who could tell more dots."""
BAND_PEOPLE = 2000
"""A band of more people than this, of as many kinds, is that of so many drawn by the seed: n are n^2 distances."""
HUMAN = "human"
SIZES = (1, 2, 5, 10, 20, 50, 100, 200)
NOT_COVERED = (
    "in simulations resampling players and clips held the true distance in as few as 69 of 100 comparisons, according "
    "to how many there are"
)
"""Why no distance has an interval; the simulation is `bench/calibration_signatures.py`."""
_DUST = 1e-9

Counted = Mapping[str, Mapping[str, "Counts"]]
"""By source and player, a row of counts for each clip or match."""


@dataclass(frozen=True, slots=True)
class Band(Result):
    """The distance of each person to the others, left out in turn: median, and 5 to 95% of `n` people."""

    median: float | None
    low: float | None
    high: float | None
    n: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class Settling(Result):
    """Two disjoint random sets of `n_clips` clips (or matches) of a source, of `n_observations` in the middle, held
    against each other: the distance's median and 95% point over the draws."""

    source: str
    n_clips: int
    n_observations: float
    median: float
    high: float


@dataclass(frozen=True, slots=True)
class Lacking(Result):
    """The clips of a source from which a signature is computed, `n_known` of `n`, if some lack its input."""

    source: str
    n_known: int
    n: int


@dataclass(frozen=True, slots=True)
class SignatureResult(Result):
    """One signature of all sources. `reason` is why it was refused; then there is nothing else.

    `distances`: of each other source to people, the mean over persons, without an interval (`NOT_COVERED`). `nearest`
    has the least (None: several have, or there is one source alone), `nearest_share` the share of resamples in which it
    does. `not_settled` names sources with fewer than `settled_at` observations, `not_compared` those without a
    distance, as they have no observation where people have any. `shares` holds the two published signatures themselves.
    The band is that of `BAND_PEOPLE` people drawn if there are more. `left_off_map` is the number of people without a
    place on the map: beyond the `MAP_PEOPLE` that are drawn, or without a distance to others there. `lacking` has the
    sources with clips that lack the signature's input, which `needs` names: it is computed from the others.
    """

    signature: str
    title: str
    unit: str
    published: bool
    reason: str | None
    settled_at: int
    band: Band | None = None
    distances: tuple[SourceDistance, ...] = ()
    nearest: str | None = None
    nearest_share: float | None = None
    not_settled: tuple[str, ...] = ()
    not_compared: tuple[str, ...] = ()
    settling: tuple[Settling, ...] = ()
    map: Map | None = None
    shares: Mapping[str, Sequence[float]] | None = None
    left_off_map: int = 0
    needs: str = ""
    lacking: tuple[Lacking, ...] = ()

    def bands_away(self, source: str) -> float | None:
        """A source's distance in upper ends of the band of people: above 1 it lies outside; None without a band.

        Where people are all alike, the end is 0, and the distance 0 or infinitely many of it."""
        far = next((each.distance for each in self.distances if each.source == source), None)
        high = self.band.high if self.band else None
        if far is None or high is None:
            return None
        return far / high if high > _DUST else np.inf if far > _DUST else 0.0


@dataclass(frozen=True, slots=True)
class Measured:
    """A signature's name, unit and distance, the unit of its rows (`clips`, `matches`), and the number of observations
    at which it is settled.
    """

    name: str
    title: str
    unit: str
    distance: "Distance"
    rows_are: str
    settled_at: int
    published: bool = False

    def refused(self, reason: str) -> SignatureResult:
        """The signature with a reason and no number."""
        return SignatureResult(self.name, self.title, self.unit, self.published, reason, self.settled_at)


def against_people(
    one: Measured, counted: Counted, human: str, *, seed: int, resamples: int
) -> SignatureResult:
    """Hold every other source against people; players without an observation are left out."""
    kept = {
        source: {player: rows for player, rows in players.items() if rows.sum()}
        for source, players in counted.items()
    }
    if not kept[human]:
        return one.refused("no person has an observation")
    others = [source for source, players in kept.items() if source != human and players]
    pooled = {source: _total(kept[source].values()) for source in others}
    people: Mapping[str, Counts] = {player: rows.sum(axis=0) for player, rows in kept[human].items()}
    to_persons = {source: _to_persons(pooled[source], people, one.distance) for source in others}
    n_all = len(people)
    people = _drawn_people(people, seed)
    points = np.array([*people.values(), *pooled.values()])
    apart = _Apart.of(points, one.distance)
    n_people = len(people)
    none = no_interval(NOT_COVERED, seed, 0, "none")
    distances = tuple(
        SourceDistance(
            source, one.name, _mean_known(far), none, sum(map(len, counted[source].values())), one.rows_are
        )
        for source, far in to_persons.items()
        if not np.isnan(far).all()
    )
    if not distances:
        return one.refused("no source has an observation where people have any")
    compared = {each.source for each in distances}
    labels = [*(f"{human}: {player}" for player in people), *others]
    nearest = _nearest(distances)
    drawn = (
        {}
        if nearest is None
        else resampled(
            {source: of for source, of in kept.items() if of}, human, one.distance, seed, resamples
        )
    )
    observed = {human: _total(kept[human].values()), **pooled}
    on_map = _on_map(n_people, len(points), apart, seed)
    return SignatureResult(
        signature=one.name,
        title=one.title,
        unit=one.unit,
        published=one.published,
        reason=None,
        settled_at=one.settled_at,
        band=_band(apart, n_people),
        distances=distances,
        nearest=nearest,
        nearest_share=None if nearest is None else _nearest_share(nearest, drawn),
        not_settled=tuple(
            source for source in counted if source in observed and observed[source].sum() < one.settled_at
        ),
        not_compared=tuple(source for source in counted if source != human and source not in compared),
        settling=tuple(
            step for source, of in kept.items() if of for step in _settling(source, of, one.distance, seed)
        ),
        map=_map(labels, apart, on_map),
        shares={source: [float(x) for x in counts / counts.sum()] for source, counts in observed.items()}
        if one.published
        else None,
        left_off_map=n_all - sum(at < n_people for at in on_map),
    )


def _total(rows: "Iterable[Counts]") -> "Counts":
    found: Counts = np.sum([each.sum(axis=0) for each in rows], axis=0)
    return found


@dataclass(frozen=True, slots=True)
class _Apart:
    """Distances of every point to every other, NaN where there is none.

    Kept by kinds of points, as people of one or two choices are thousands, of a few hundred kinds."""

    kinds: Floats
    kind_of: "Ints"

    @classmethod
    def of(cls, points: Floats, distance: "Distance") -> Self:
        """The distances of points, one a row."""
        # Between distinct counts only: 5,291 people took more than ten minutes, and take 10 s so (CHANGELOG.md).
        distinct, kind_of = np.unique(points, axis=0, return_inverse=True)
        kinds = np.empty((len(distinct), len(distinct)))
        for at, one in enumerate(distinct):
            rest = distinct[at:]
            kinds[at, at:] = kinds[at:, at] = distance(np.broadcast_to(one, rest.shape), rest)
        return cls(kinds, kind_of.ravel())

    def row(self, at: int) -> Floats:
        """Distances of one point to all, itself among them."""
        found: Floats = self.kinds[self.kind_of[at]][self.kind_of]
        return found

    def among(self, points: Sequence[int]) -> Floats:
        """Distances of some points to each other: a symmetric matrix in their order."""
        kinds = self.kind_of[list(points)]
        found: Floats = self.kinds[np.ix_(kinds, kinds)]
        return found


def _mean_known(values: Floats) -> float:
    return float(values[~np.isnan(values)].mean())


def to_people(pooled: "Counts", people: "Mapping[str, Counts]", distance: "Distance") -> float:
    """The mean over persons of the distance between a source's counts and the person's."""
    return _mean_known(_to_persons(pooled, people, distance))


def _to_persons(pooled: "Counts", people: "Mapping[str, Counts]", distance: "Distance") -> Floats:
    """The distance to each person, NaN where there is none."""
    persons = np.array(list(people.values()))
    return distance(np.broadcast_to(pooled, persons.shape), persons)


def _drawn_people(people: "Mapping[str, Counts]", seed: int) -> "Mapping[str, Counts]":
    """All of them, or `BAND_PEOPLE` drawn where more than that all differ."""
    if len({counts.tobytes() for counts in people.values()}) <= BAND_PEOPLE:
        return people
    rng, names = np.random.default_rng([seed, len(people), BAND_PEOPLE]), list(people)
    return {names[at]: people[names[at]] for at in sorted(rng.choice(len(names), BAND_PEOPLE, replace=False))}


def resampled(
    counted: Counted, human: str, distance: "Distance", seed: int, resamples: int
) -> dict[str, Floats]:
    """For each other source, its distance to people in each resample: players drawn first, then rows within each."""
    if not resamples:
        return {}
    rng = np.random.default_rng(seed)
    drawn: dict[str, tuple[list[Resamples], Floats]] = {}
    for source, players in counted.items():
        rows = [Resamples.of(counts, rng, resamples) for counts in players.values()]
        times = rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), size=resamples)
        drawn[source] = rows, times.astype(float)
    people, times_of = drawn.pop(human)
    pooled = {
        source: np.asarray(sum(times[:, at, None] * one.rows() for at, one in enumerate(players)))
        for source, (players, times) in drawn.items()
    }
    each = _to_each(pooled, people, distance)
    return {source: _mean_over(far, times_of) for source, far in each.items()}


def _to_each(
    pooled: "Mapping[str, Counts]", people: "Sequence[Resamples]", distance: "Distance"
) -> dict[str, Floats]:
    """Distances of each source in each resample (a row) to each person (a column).

    Who did one thing alone did it in every resample or did nothing, so for people alike it is computed once."""
    known: dict[tuple[str, bytes], Floats] = {}
    each = {source: np.empty((len(counts), len(people))) for source, counts in pooled.items()}
    for at, person in enumerate(people):
        one = person.one_kind()
        rows = person.rows() if one is None else one
        for source, counts in pooled.items():
            if one is None:
                each[source][:, at] = distance(counts, rows)
                continue
            key = source, one.tobytes()
            if key not in known:
                known[key] = distance(counts, np.broadcast_to(one, counts.shape))
            each[source][:, at] = np.where(person.times[:, 0] > 0, known[key], np.nan)
    return each


def _mean_over(far: Floats, times: Floats) -> Floats:
    """In each resample the mean over persons, as often as they were drawn; NaN if no distance is known."""
    weight = np.where(np.isnan(far), 0.0, times)
    total = weight.sum(axis=1)
    found: Floats = np.divide(
        np.nansum(far * weight, axis=1), total, out=np.full(len(total), np.nan), where=total > 0
    )
    return found


def _nearest(distances: Sequence[SourceDistance]) -> str | None:
    """The source with the least distance; None where several have it, or there is no other."""
    least = min(each.distance for each in distances)
    names = [each.source for each in distances if each.distance <= least + _DUST]
    return names[0] if len(names) == 1 and len(distances) > 1 else None


def _nearest_share(nearest: str, drawn: Mapping[str, Floats]) -> float | None:
    if not drawn:
        return None
    least = np.fmin.reduce(list(drawn.values()))
    return float(np.mean(drawn[nearest] <= least))


def _band(apart: _Apart, n: int) -> Band:
    if n == 1:
        return Band(None, None, None, 1, "a single person cannot be compared with others")
    rows = (np.delete(apart.row(at)[:n], at) for at in range(n))
    each = [_mean_known(row) for row in rows if not np.isnan(row).all()]
    if not each:
        return Band(None, None, None, n, "no two people have observations where the other has any")
    low, median, high = (float(value) for value in np.quantile(each, (0.05, 0.5, 0.95)))
    return Band(median, low, high, len(each), None)


def _on_map(n_people: int, n_points: int, apart: _Apart, seed: int) -> list[int]:
    """The points with a distance to each other, people first; who has fewest goes first."""
    people: Sequence[int] = range(n_people)
    if n_people > MAP_PEOPLE:
        drawn = np.random.default_rng([seed, n_people]).choice(n_people, MAP_PEOPLE, replace=False)
        people = sorted(int(at) for at in drawn)
    kept = [*people, *range(n_people, n_points)]
    is_unknown = np.isnan(apart.among(kept))
    lacking = is_unknown.sum(axis=1)
    stays = np.full(len(kept), True)
    # The point with the most unknown distances goes first, so that as many as possible stay.
    while lacking.any():
        goes = int(lacking.argmax())
        stays[goes] = False
        lacking = np.where(stays, lacking - is_unknown[goes], 0)
    return [at for at, on_map in zip(kept, stays, strict=True) if on_map]


def _map(labels: Sequence[str], apart: _Apart, kept: Sequence[int]) -> Map | None:
    return classical_mds([labels[at] for at in kept], apart.among(kept)) if len(kept) > 1 else None


def _settling(
    source: str, players: "Mapping[str, Counts]", distance: "Distance", seed: int
) -> list[Settling]:
    rows = np.concatenate(list(players.values()))
    rng = np.random.default_rng([seed, len(rows)])
    found = []
    for size in SIZES:
        if 2 * size > len(rows):
            break
        order = np.array([rng.permutation(len(rows))[: 2 * size] for _ in range(DRAWS)])
        one, other = rows[order[:, :size]].sum(axis=1), rows[order[:, size:]].sum(axis=1)
        values = distance(one, other)
        known = values[~np.isnan(values)]
        if not len(known):
            continue
        median, high = float(np.median(known)), float(np.quantile(known, LEVEL))
        found.append(Settling(source, size, float(np.median(one.sum(axis=1))), median, high))
    return found
