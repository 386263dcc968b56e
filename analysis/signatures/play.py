"""Signatures of play: the frequency of players' actions given their observations; and sources compared with people.

Each is a table of counts, observations (zones) by actions (bins). Distances are taken within each zone, so that meeting
other situations does not add to a distance: `measures.conditional`.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.distances import Closing, closing, taken_for_human
from analysis.errors import AnalysisError
from analysis.results import Result
from analysis.signatures.against import HUMAN, RESAMPLES, Measured, SignatureResult, against_people
from analysis.signatures.company import mixed_company
from analysis.signatures.measures import Counts
from analysis.signatures.play_signature import PlaySignature
from analysis.signatures.published_play import PLAY_SIGNATURES

FORMAT = "likely-human play signatures 1"
SETTLED = 500
"""Fewer decisions than this make no settled signature (`docs/signatures.md` says what was measured)."""
SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class Act:
    """One decision: the name of its signature, the preceding observations (NaN: none yet), and the action."""

    signature: str
    given: tuple[float, ...]
    did: float


@dataclass(frozen=True, slots=True)
class SeatPlay:
    """One player's acts in one seat of one match; `match` is its name, `config` and `role` the player's.

    `others` describes other participants without a permanent seat, in words; empty if there were none.
    """

    match: str
    game: str
    source: str
    player: str
    config: str
    role: str
    acts: tuple[Act, ...]
    others: str = ""


@dataclass(frozen=True, slots=True)
class SourcePlay(Result):
    """The data of one source in one game. `n_acts` are of all signatures: a decision may be an act of several."""

    source: str
    game: str
    n_players: int
    n_matches: int
    n_acts: int


@dataclass(frozen=True, slots=True)
class PlaySignatures(Result):
    """The whole protocol for play: people, other sources, distances, and how people chose (None without votes)."""

    format: str
    human: str
    seed: int
    resamples: int
    sources: tuple[SourcePlay, ...]
    signatures: tuple[SignatureResult, ...]
    closing: Closing | None
    notes: tuple[str, ...]


def compare_play(
    seats: Sequence[SeatPlay],
    *,
    human: str = HUMAN,
    signatures: Sequence[PlaySignature] = PLAY_SIGNATURES,
    votes: pd.DataFrame | None = None,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> PlaySignatures:
    """Hold the play of every source against that of people, by each signature of each game that both played.

    Parameters
    ----------
    seats
        All seats played; their `source` and `player` are what is pooled, a match of a player is a unit of resampling.
    human
        The source that is people.
    signatures
        Those that are counted, of each game: the published ones, unless given.
    votes
        Checked responses, already selected: how often each source was taken for human is reported with its distance.
    seed, resamples
        Of the bootstrap over players and matches, which says how often the nearest is the nearest; 0 resamples: none.

    Raises
    ------
    AnalysisError
        Without play of people, or where no other source played a game of theirs.
    """
    ordered = sorted(seats, key=lambda one: (one.source, one.player, one.match, one.role))
    sources = list(dict.fromkeys(one.source for one in ordered))
    if human not in sources:
        raise AnalysisError(f"no seat was played by {human!r}; there is {', '.join(sources) or 'none'}")
    games = list(dict.fromkeys(one.game for one in seats))
    shared = [game for game in games if _is_shared([one for one in ordered if one.game == game], human)]
    if not shared:
        raise AnalysisError(
            f"no other source played what {human!r} played: there is nothing to compare with people"
        )
    results = tuple(
        _signature(one, [seat for seat in ordered if seat.game == one.game], human, seed, resamples)
        for one in signatures
        if one.game in shared
    )
    roles_differ = {one.game for one in signatures if one.roles_differ}
    distances = [distance for one in results for distance in one.distances]
    return PlaySignatures(
        format=FORMAT,
        human=human,
        seed=seed,
        resamples=resamples,
        sources=tuple(_played(ordered, games)),
        signatures=results,
        closing=None if votes is None else closing(distances, taken_for_human(votes, seed=seed)),
        notes=tuple(_notes(ordered, games, shared, human, roles_differ)),
    )


def _is_shared(seats: Sequence[SeatPlay], human: str) -> bool:
    there = {one.source for one in seats}
    return human in there and len(there) > 1


def _signature(
    one: PlaySignature, seats: Sequence[SeatPlay], human: str, seed: int, resamples: int
) -> SignatureResult:
    rows: dict[str, dict[str, dict[str, Counts]]] = {}
    for seat in seats:
        matches = rows.setdefault(seat.source, {}).setdefault(seat.player, {})
        counts = matches.setdefault(seat.match, np.zeros(one.n_zones * one.n_bins))
        for act in seat.acts:
            if act.signature == one.name:
                counts[one.bin(act.given, act.did)] += 1
    counted = {
        source: {player: np.array(list(matches.values())) for player, matches in players.items()}
        for source, players in rows.items()
    }
    measured = Measured(one.name, one.title, one.unit, one.distance, "matches", SETTLED)
    return against_people(measured, counted, human, seed=seed, resamples=resamples)


def _played(seats: Sequence[SeatPlay], games: Sequence[str]) -> Iterator[SourcePlay]:
    for game in games:
        for source in dict.fromkeys(one.source for one in seats):
            own = [one for one in seats if (one.game, one.source) == (game, source)]
            if own:
                players, matches = ({getattr(one, of) for one in own} for of in ("player", "match"))
                yield SourcePlay(source, game, len(players), len(matches), sum(len(one.acts) for one in own))


def _notes(
    seats: Sequence[SeatPlay],
    games: Sequence[str],
    shared: Sequence[str],
    human: str,
    roles_differ: Collection[str],
) -> Iterator[str]:
    if human == SIMULATED:
        yield "No person played: simulated people stand in for them, and a number on these says nothing about people."
    for game in games:
        own = [one for one in seats if one.game == game]
        if game not in shared:
            yield f"{game} was not played by {human} and another source: nothing is compared there."
            continue
        there = ((one.match, source) for one in own for source in (one.source, one.others) if source)
        if mixed := mixed_company(there, human):
            yield f"{game}: {mixed}."
        people = _mixture([one for one in own if one.source == human], roles_differ)
        others = sorted({one.source for one in own} - {human})
        otherwise = [
            s for s in others if _mixture([one for one in own if one.source == s], roles_differ) != people
        ]
        if otherwise:
            yield (
                f"{game}: {', '.join(otherwise)} played other configurations or roles than {human}, or in other "
                "shares, so a distance may be that of the configurations."
            )
        decided = {one.player: Counter[str]() for one in own if one.source == human}
        for one in own:
            if one.source == human:
                decided[one.player].update(act.signature for act in one.acts)
        few = sum(max(counts.values(), default=0) < SETTLED for counts in decided.values())
        if len(decided) == 1:
            yield (
                f"{game}: there is one person, so nothing is known of how far people are from each other, nor whether "
                "another would be as near."
            )
        elif few:
            yield (
                f"{game}: {few} of {len(decided)} people have fewer than {SETTLED} decisions by any one signature: "
                "their band is partly noise."
            )


def _mixture(seats: Sequence[SeatPlay], roles_differ: Collection[str]) -> Mapping[tuple[str, str], float]:
    counts = Counter((one.config, one.role if one.game in roles_differ else "") for one in seats)
    # Rounded: shares that are equal as fractions have to be equal as floats.
    return {key: round(n / len(seats), 9) for key, n in counts.items()}
