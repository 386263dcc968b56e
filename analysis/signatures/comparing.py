"""Sources held against people by their signatures: distances, the band of people, a map, and how soon all settles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analysis.distances import Closing, SourceDistance, closing, taken_for_human
from analysis.errors import AnalysisError
from analysis.options import LEVEL
from analysis.results import Result
from analysis.signatures.mds import Map, classical_mds
from analysis.signatures.measures import SIGNATURES, Counts, Scale, Signature, scale_of, standing_share
from analysis.signatures.paths import Path, path_features
from analysis.stats.intervals import Floats, no_interval

if TYPE_CHECKING:
    from analysis.signatures.measures import Distance

FORMAT = "likely-human signatures 1"
SETTLED = 1000
"""Fewer observations than this make no settled signature."""
RESAMPLES = 1000
DRAWS = 100
_DUST = 1e-9
SIZES = (1, 2, 5, 10, 20, 50, 100, 200)
HUMAN = "human"
NOT_COVERED = (
    "in simulations resampling players and clips held the true distance in as few as 69 of 100 comparisons, according "
    "to how many there are"
)
"""Why no distance has an interval; the simulation is `bench/calibration_signatures.py`."""


@dataclass(frozen=True, slots=True)
class ClipPath:
    """One clip: its name, its source, who played it, and where it went."""

    name: str
    source: str
    player: str
    path: Path


@dataclass(frozen=True, slots=True)
class SourceMoves(Result):
    """What there is of one source: `n_angles` of the first signature, after leaving out `standing` (a share of
    all), and the means of its clips' features (None where no clip is long enough)."""

    source: str
    n_players: int
    n_clips: int
    seconds: float
    n_angles: int
    standing: float | None
    features: Mapping[str, float] | None


@dataclass(frozen=True, slots=True)
class Band(Result):
    """How far each person is from the others, left out in turn: median, and from 5 to 95 % of `n` people."""

    median: float | None
    low: float | None
    high: float | None
    n: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class Settling(Result):
    """Two disjoint random sets of `n_clips` clips of a source (of `n_observations` in the middle) held against each
    other: the distance's median and 95 % point over the draws."""

    source: str
    n_clips: int
    n_observations: float
    median: float
    high: float


@dataclass(frozen=True, slots=True)
class SignatureResult(Result):
    """One signature of all sources. `reason` says why it was refused; then there is nothing else.

    `distances`: of each other source to people, the mean over persons, without an interval (`NOT_COVERED`). `nearest`
    has the least (None: several have), `nearest_share` says in how many of the resamples. `not_settled` names sources
    with too few observations, `shares` holds the two published signatures themselves.
    """

    signature: str
    title: str
    unit: str
    published: bool
    reason: str | None
    band: Band | None = None
    distances: tuple[SourceDistance, ...] = ()
    nearest: str | None = None
    nearest_share: float | None = None
    not_settled: tuple[str, ...] = ()
    settling: tuple[Settling, ...] = ()
    map: Map | None = None
    shares: Mapping[str, Sequence[float]] | None = None


@dataclass(frozen=True, slots=True)
class Signatures(Result):
    """The whole protocol: people, other sources, distances, and how people chose (`closing`, None without votes)."""

    format: str
    human: str
    seed: int
    resamples: int
    full_m_per_s: float
    moving_m_per_s: float
    sources: tuple[SourceMoves, ...]
    signatures: tuple[SignatureResult, ...]
    closing: Closing | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoSignatures:
    """Paths that could not be compared, and why, in words that begin no sentence."""

    reason: str


def compare_signatures(
    clips: Sequence[ClipPath],
    *,
    human: str = HUMAN,
    votes: pd.DataFrame | None = None,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> Signatures:
    """Hold the paths of every source against those of people.

    Parameters
    ----------
    clips
        All clips, cut to what was shown; their `source` and `player` are what is pooled.
    human
        The source that is people.
    votes
        Checked responses, already selected: how often each source was taken for human stands beside its distance.
    seed, resamples
        Of the bootstrap over players and clips, which says how often the nearest is the nearest; 0 resamples: none.

    Raises
    ------
    AnalysisError
        Without clips of people, without any other source, or where nobody moves.
    """
    groups = _grouped(clips)
    if human not in groups:
        raise AnalysisError(
            f"no clip with positions has the source {human!r}; there is {', '.join(groups) or 'none'}"
        )
    if len(groups) == 1:
        raise AnalysisError(
            f"all clips with positions have the source {human!r}: there is nothing to hold against people"
        )
    scale = scale_of([clip.path for clip in clips])
    if not scale.moving_m_per_s:
        raise AnalysisError("nobody moves in any clip")
    results = tuple(_signature(one, groups, human, scale, seed, resamples) for one in SIGNATURES)
    distances = [distance for one in results for distance in one.distances]
    return Signatures(
        format=FORMAT,
        human=human,
        seed=seed,
        resamples=resamples,
        full_m_per_s=scale.full_m_per_s,
        moving_m_per_s=scale.moving_m_per_s,
        sources=tuple(_moves(source, players, scale) for source, players in groups.items()),
        signatures=results,
        closing=None if votes is None else closing(distances, taken_for_human(votes, seed=seed)),
        notes=tuple(_notes(groups, human)),
    )


Players = Mapping[str, Sequence[ClipPath]]


def _grouped(clips: Sequence[ClipPath]) -> dict[str, dict[str, list[ClipPath]]]:
    """By source, then by player, both by the alphabet; clips by name, so that their order changes nothing."""
    found: dict[str, dict[str, list[ClipPath]]] = {}
    for clip in sorted(clips, key=lambda one: (one.source, one.player, one.name)):
        found.setdefault(clip.source, {}).setdefault(clip.player, []).append(clip)
    return found


def _notes(groups: Mapping[str, Players], human: str) -> list[str]:
    people = len(groups[human])
    notes = []
    if people == 1:
        notes.append(
            "There is one person: nothing is known of how far people are from each other, nor whether another would be "
            "as near."
        )
    unsettled = [
        p for p, own in groups[human].items() if sum(clip.path.lasts_s for clip in own) < SETTLED / 8
    ]
    if unsettled and people > 1:
        notes.append(
            f"{len(unsettled)} of {people} people have less than {SETTLED / 8:.0f} s: their band is partly noise."
        )
    return notes


def _moves(source: str, players: Players, scale: Scale) -> SourceMoves:
    paths = [clip.path for own in players.values() for clip in own]
    left_out, n_all = (
        sum(counts) for counts in zip(*(standing_share(path, scale) for path in paths), strict=True)
    )
    measured = [one.to_dict() for path in paths if (one := path_features(path, scale.full_m_per_s))]
    features = (
        {str(name): float(mean) for name, mean in pd.DataFrame(measured).mean().items()} if measured else None
    )
    return SourceMoves(
        source=source,
        n_players=len(players),
        n_clips=len(paths),
        seconds=float(sum(path.lasts_s for path in paths)),
        n_angles=n_all - left_out,
        standing=left_out / n_all if n_all else None,
        features=features,
    )


def _signature(
    one: Signature, groups: Mapping[str, Players], human: str, scale: Scale, seed: int, resamples: int
) -> SignatureResult:
    counted: dict[str, dict[str, Counts]] = {}
    for source, players in groups.items():
        for player, clips in players.items():
            rows = [one.count(clip.path, scale) for clip in clips]
            if any(row is None for row in rows):
                lacking = sum(row is None for row in rows)
                reason = f"{one.needs} in {lacking} of {len(rows)} clips of {source}"
                return SignatureResult(one.name, one.title, one.unit, one.published, reason)
            counted.setdefault(source, {})[player] = np.array(rows)
    pooled = {source: sum(c.sum(axis=0) for c in of.values()) for source, of in counted.items()}
    people = {player: counts.sum(axis=0) for player, counts in counted[human].items()}
    if any(not np.sum(counts) for counts in (*pooled.values(), *people.values())):
        return SignatureResult(
            one.name, one.title, one.unit, one.published, "some source or person has no observation"
        )
    others = [source for source in counted if source != human]
    drawn = resampled(counted, human, one.distance, seed, resamples)
    distances = tuple(
        _distance(one, source, np.asarray(pooled[source]), people, counted[source], seed) for source in others
    )
    nearest = _nearest(distances)
    labels = [*(f"{human}: {player}" for player in people), *others]
    points = [*people.values(), *(np.asarray(pooled[source]) for source in others)]
    return SignatureResult(
        signature=one.name,
        title=one.title,
        unit=one.unit,
        published=one.published,
        reason=None,
        band=_band(people, one.distance),
        distances=distances,
        nearest=nearest,
        nearest_share=None if nearest is None else _nearest_share(nearest, drawn),
        not_settled=tuple(source for source, counts in pooled.items() if np.sum(counts) < SETTLED),
        settling=tuple(
            step for source, of in counted.items() for step in _settling(source, of, one.distance, seed)
        ),
        map=classical_mds(labels, np.array([[float(one.distance(a, b)) for b in points] for a in points])),
        shares={s: [float(x) for x in np.asarray(c) / np.sum(c)] for s, c in pooled.items()}
        if one.published
        else None,
    )


def _distance(
    one: Signature,
    source: str,
    pooled: Counts,
    people: Mapping[str, Counts],
    players: Mapping[str, Counts],
    seed: int,
) -> SourceDistance:
    value = to_people(pooled, people, one.distance)
    # It is never below 0 and grows with noise; few players say little of others.
    none = no_interval(NOT_COVERED, seed, 0, "none")
    return SourceDistance(source, one.name, value, none, sum(map(len, players.values())), "clips")


def to_people(pooled: Counts, people: Mapping[str, Counts], distance: "Distance") -> float:
    """The mean over persons of the distance between a source's counts and the person's."""
    return float(np.mean([float(distance(pooled, person)) for person in people.values()]))


def resampled(
    counted: Mapping[str, Mapping[str, Counts]], human: str, distance: "Distance", seed: int, resamples: int
) -> dict[str, Floats]:
    """Of each other source, its distance to people in each resample: players drawn first, then clips within each."""
    if not resamples:
        return {}
    rng = np.random.default_rng(seed)
    drawn: dict[str, tuple[list[Counts], Floats]] = {}
    for source, players in counted.items():
        clips = [_clips_drawn(counts, rng, resamples) for counts in players.values()]
        times = rng.multinomial(len(clips), np.full(len(clips), 1 / len(clips)), size=resamples)
        drawn[source] = clips, times.astype(float)
    people, times_of = drawn[human]
    found = {}
    for source, (drawn_clips, drawn_times) in drawn.items():
        if source == human:
            continue
        pooled = sum(drawn_times[:, at, None] * counts for at, counts in enumerate(drawn_clips))
        each = np.stack([distance(np.asarray(pooled), person) for person in people], axis=1)
        found[source] = (each * times_of).sum(axis=1) / times_of.sum(axis=1)
    return found


def _clips_drawn(counts: Counts, rng: np.random.Generator, resamples: int) -> Counts:
    n = len(counts)
    times = rng.multinomial(n, np.full(n, 1 / n), size=resamples)
    found: Counts = times @ counts
    return found


def _nearest(distances: Sequence[SourceDistance]) -> str | None:
    """The source with the least distance; None where several have it."""
    least = min(each.distance for each in distances)
    names = [each.source for each in distances if each.distance <= least + _DUST]
    return names[0] if len(names) == 1 else None


def _nearest_share(nearest: str, drawn: Mapping[str, Floats]) -> float | None:
    if not drawn:
        return None
    least = np.min(list(drawn.values()), axis=0)
    return float(np.mean(drawn[nearest] <= least))


def _band(people: Mapping[str, Counts], distance: "Distance") -> Band:
    if len(people) == 1:
        return Band(None, None, None, 1, "one person has no others to be held against")
    each = []
    for player, own in people.items():
        others = [float(distance(own, counts)) for other, counts in people.items() if other != player]
        each.append(float(np.mean(others)))
    low, median, high = (float(value) for value in np.quantile(each, (0.05, 0.5, 0.95)))
    return Band(median, low, high, len(each), None)


def _settling(source: str, players: Mapping[str, Counts], distance: "Distance", seed: int) -> list[Settling]:
    clips = np.concatenate(list(players.values()))
    rng = np.random.default_rng([seed, len(clips)])
    found = []
    for size in SIZES:
        if 2 * size > len(clips):
            break
        order = np.array([rng.permutation(len(clips))[: 2 * size] for _ in range(DRAWS)])
        one, other = clips[order[:, :size]].sum(axis=1), clips[order[:, size:]].sum(axis=1)
        found_here = distance(one, other)
        values = found_here[~np.isnan(found_here)]
        if not len(values):
            continue
        found.append(
            Settling(
                source,
                size,
                float(np.median(one.sum(axis=1))),
                float(np.median(values)),
                float(np.quantile(values, LEVEL)),
            )
        )
    return found
