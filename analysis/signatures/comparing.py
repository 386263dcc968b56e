"""Sources held against people by their signatures: distances, the band of people, a map, and how soon all settles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.distances import Closing, closing, taken_for_human
from analysis.errors import AnalysisError
from analysis.results import Result
from analysis.signatures.against import (
    HUMAN,
    RESAMPLES,
    Lacking,
    Measured,
    SignatureResult,
    against_people,
)
from analysis.signatures.company import mixed_company, other_scenes
from analysis.signatures.measures import SIGNATURES, Counts, Scale, Signature, scale_of, standing_share
from analysis.signatures.paths import Path, path_features

FORMAT = "likely-human signatures 1"
SETTLED = 1000
"""Fewer observations than this make no settled signature."""


@dataclass(frozen=True, slots=True)
class ClipPath:
    """One clip: its name, source, player and path, and whether no one played it, as in a noise model.

    `logged` names the program that logged the positions: clips of one have one scale of speed. `match` is the name
    shared with other players' clips, `scene` its location, such as start and goal; empty if unknown.
    """

    name: str
    source: str
    player: str
    path: Path
    is_simulated: bool = False
    logged: str = ""
    match: str = ""
    scene: str = ""


@dataclass(frozen=True, slots=True)
class SourceMoves(Result):
    """The data of one source: `n_angles` of the first signature, after leaving out `standing` (a share of all), and the
    means of its clips' features (None if no clip is long enough).
    """

    source: str
    n_players: int
    n_clips: int
    seconds: float
    n_angles: int
    standing: float | None
    features: Mapping[str, float] | None


@dataclass(frozen=True, slots=True)
class Signatures(Result):
    """The whole protocol: people, other sources, distances, and people's choices (`closing`, None without votes).

    `scales` are those by which speeds were measured, one for each logging program; `full_m_per_s` and `moving_m_per_s`
    are of all clips together, and mean little if there are several.
    """

    format: str
    human: str
    seed: int
    resamples: int
    full_m_per_s: float
    moving_m_per_s: float
    scales: Mapping[str, Scale]
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
        Checked responses, already selected: how often each source was taken for human is reported with its distance.
    seed, resamples
        Of the bootstrap over players and clips, which says how often the nearest is the nearest; 0 resamples: none.

    Raises
    ------
    AnalysisError
        Without clips of people, without any other source, or if no clip moves.
    """
    groups = _grouped(clips)
    if human not in groups:
        raise AnalysisError(
            f"no clip with positions has the source {human!r}; there is {', '.join(groups) or 'none'}"
        )
    if len(groups) == 1:
        raise AnalysisError(
            f"all clips with positions have the source {human!r}: there is nothing to compare with people"
        )
    scale = scale_of([clip.path for clip in clips])
    if not scale.moving_m_per_s:
        raise AnalysisError("nobody moves in any clip")
    scales = _scales(clips)
    results = tuple(_signature(one, groups, human, scales, seed, resamples) for one in SIGNATURES)
    distances = [distance for one in results for distance in one.distances]
    return Signatures(
        format=FORMAT,
        human=human,
        seed=seed,
        resamples=resamples,
        full_m_per_s=scale.full_m_per_s,
        moving_m_per_s=scale.moving_m_per_s,
        scales=scales,
        sources=tuple(_moves(source, players, scales) for source, players in groups.items()),
        signatures=results,
        closing=None if votes is None else closing(distances, taken_for_human(votes, seed=seed)),
        notes=(
            *_notes(groups, human),
            *_note_on_scales(scales, clips),
            *_note_on_company(clips, human),
        ),
    )


Players = Mapping[str, Sequence[ClipPath]]


def _grouped(clips: Sequence[ClipPath]) -> dict[str, dict[str, list[ClipPath]]]:
    """Clips by source, then by player, both alphabetical; clips by name, so that their order changes nothing."""
    found: dict[str, dict[str, list[ClipPath]]] = {}
    for clip in sorted(clips, key=lambda one: (one.source, one.player, one.name)):
        found.setdefault(clip.source, {}).setdefault(clip.player, []).append(clip)
    return found


def _scales(clips: Sequence[ClipPath]) -> Mapping[str, Scale]:
    """A scale for each logging program. Raises AnalysisError if no one moves in any of its clips."""
    found: dict[str, Scale] = {}
    for logged in sorted({clip.logged for clip in clips}):
        found[logged] = scale_of([clip.path for clip in clips if clip.logged == logged])
        if not found[logged].moving_m_per_s:
            raise AnalysisError(f"nobody moves in any clip that {logged!r} logged")
    return found


def _note_on_scales(scales: Mapping[str, Scale], clips: Sequence[ClipPath]) -> list[str]:
    if len(scales) == 1:
        return []
    shared = {
        logged for logged in scales if len({clip.source for clip in clips if clip.logged == logged}) > 1
    }
    alone = [logged or "what is not said" for logged in scales if logged not in shared]
    said = "Positions were logged by several things, each with a full speed of its own"
    if alone:
        said += f"; {', '.join(alone)} logged one source alone, whose speed nobody else's is held against"
    return [f"{said}."]


def _note_on_company(clips: Sequence[ClipPath], human: str) -> list[str]:
    mixed = mixed_company(((clip.match, clip.source) for clip in clips if clip.match), human)
    apart = other_scenes(((clip.source, clip.scene) for clip in clips if clip.scene), human)
    return [f"{said[0].upper()}{said[1:]}." for said in (mixed, apart) if said]


def _notes(groups: Mapping[str, Players], human: str) -> list[str]:
    people, notes = len(groups[human]), list[str]()
    of_people = [clip for own in groups[human].values() for clip in own]
    if n_simulated := sum(clip.is_simulated for clip in of_people):
        notes.append(
            f"{n_simulated} of {len(of_people)} clips of people are simulated: no person made these paths, and no "
            "distance says anything of people."
        )
    if people == 1:
        notes.append(
            "There is one person: nothing is known of how far people are from each other, nor whether another would be "
            "as near."
        )
    # Angles are counted eight times a second.
    unsettled = [
        p for p, own in groups[human].items() if sum(clip.path.lasts_s for clip in own) < SETTLED / 8
    ]
    if unsettled and people > 1:
        notes.append(
            f"{len(unsettled)} of {people} people have less than {SETTLED / 8:.0f} s: their band is partly noise."
        )
    return notes


def _moves(source: str, players: Players, scales: Mapping[str, Scale]) -> SourceMoves:
    clips = [clip for own in players.values() for clip in own]
    paths = [clip.path for clip in clips]
    left_out, n_all = (
        sum(counts)
        for counts in zip(*(standing_share(clip.path, scales[clip.logged]) for clip in clips), strict=True)
    )
    measured = [
        one.to_dict() for clip in clips if (one := path_features(clip.path, scales[clip.logged].full_m_per_s))
    ]
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
    one: Signature,
    groups: Mapping[str, Players],
    human: str,
    scales: Mapping[str, Scale],
    seed: int,
    resamples: int,
) -> SignatureResult:
    measured = Measured(one.name, one.title, one.unit, one.distance, "clips", SETTLED, one.published)
    counted: dict[str, dict[str, Counts]] = {}
    lacking: list[Lacking] = []
    for source, players in groups.items():
        rows = {
            player: [one.count(clip.path, scales[clip.logged]) for clip in clips]
            for player, clips in players.items()
        }
        known = {player: [row for row in own if row is not None] for player, own in rows.items()}
        counted[source] = {player: np.array(own) for player, own in known.items() if own}
        n, n_known = (sum(map(len, each.values())) for each in (rows, known))
        if n_known < n:
            lacking.append(Lacking(source, n_known, n))
    if not counted[human] or not any(counted[source] for source in counted if source != human):
        none = next(each for each in lacking if not each.n_known)
        return measured.refused(f"{one.needs} in {none.n} of {none.n} clips of {none.source}")
    found = against_people(measured, counted, human, seed=seed, resamples=resamples)
    return replace(found, needs=one.needs, lacking=tuple(lacking)) if lacking else found
