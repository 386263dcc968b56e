"""Signatures of play: how often players did what, given what they had perceived; and sources held against people.

Each is a table of counts, what was perceived (zones) by what was done (bins). Distances are taken within each zone, so
that who meets other situations is not therefore far: `measures.conditional`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.distances import Closing, closing, taken_for_human
from analysis.errors import AnalysisError
from analysis.results import Result
from analysis.signatures.against import HUMAN, RESAMPLES, Measured, SignatureResult, against_people
from analysis.signatures.measures import Counts, Distance, conditional, linear, unordered

FORMAT = "likely-human play signatures 1"
SETTLED = 500
"""Fewer decisions than this make no settled signature (`docs/signatures.md` says what was measured)."""
SIMULATED = "simulated"
_ROLES_DIFFER = frozenset({"wac"})
"""Games whose roles decide differently while no signature keeps them apart."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Given:
    """Something perceived before a decision, and where its zones end: `edges` rise, each begins the next zone.

    What is not there yet (NaN) is a zone of its own, the first."""

    what: str
    edges: tuple[float, ...]

    @property
    def n_zones(self) -> int:
        return len(self.edges) + 2

    def zone(self, value: float) -> int:
        """The zone that a value is in."""
        return 0 if np.isnan(value) else 1 + int(np.searchsorted(self.edges, value + _ROUNDING, side="right"))


@dataclass(frozen=True, slots=True)
class PlaySignature:
    """A decision of one game, in `n_bins` bins of `width` around `low`, `low + width`, ...; what was perceived before.

    The distance within a zone is linear Earth Mover's Distance in `unit`; where the bins have no order (`is_ordered`),
    all are 1 apart.
    """

    name: str
    game: str
    title: str
    unit: str
    given: tuple[Given, ...]
    low: float
    width: float
    n_bins: int
    is_ordered: bool = True

    @property
    def n_zones(self) -> int:
        return int(np.prod([one.n_zones for one in self.given]))

    @property
    def distance(self) -> Distance:
        return conditional(self.n_zones, linear(self.width) if self.is_ordered else unordered)

    def bin(self, given: Sequence[float], did: float) -> int:
        """Where a decision is counted: its zone's bins follow those of the zone before."""
        zone = 0
        for one, value in zip(self.given, given, strict=True):
            zone = zone * one.n_zones + one.zone(value)
        within = int(np.floor((did - self.low) / self.width + 0.5 + _ROUNDING))
        return zone * self.n_bins + min(max(within, 0), self.n_bins - 1)


def _shares(name: str, game: str, title: str, unit: str, *given: Given) -> PlaySignature:
    """A decision for a share, from 0 to 1 in steps of 0.05."""
    return PlaySignature(name, game, title, unit, given, 0.0, 0.05, 21)


def _changes(name: str, game: str, title: str, unit: str, *given: Given) -> PlaySignature:
    """A change of a share, from -1 to 1 in steps of 0.05."""
    return PlaySignature(name, game, title, unit, given, -1.0, 0.05, 41)


def _yes_no(name: str, game: str, title: str, unit: str, *given: Given) -> PlaySignature:
    """Yes (1) or no (0)."""
    return PlaySignature(name, game, title, unit, given, 0.0, 1.0, 2)


_TENTHS = tuple(at / 20 for at in range(1, 20, 2))
_SEAT = Given("which of the two seats it has: 0, 1", (0.5,))
_ENDOWMENT, _MONEY, _BALANCE = "shares of the endowment", "shares of the money", "shares of the balance"

PLAY_SIGNATURES: tuple[PlaySignature, ...] = (
    _shares(
        "sug-offer-given-received",
        "sug",
        "Amount offered, given the last offer received from that partner",
        _ENDOWMENT,
        Given("the partner's last offer, of the endowment", (0.25, 0.45, 0.55)),
    ),
    _changes(
        "sug-change-given-answer",
        "sug",
        "Change of the offer to a partner, given its last answer",
        _ENDOWMENT,
        Given("whether the partner accepted the last offer to it: 0, 1", (0.5,)),
    ),
    _yes_no(
        "sug-answer-given-offer",
        "sug",
        "Offer accepted, given its amount",
        "share of answers",
        Given("the offer, of the endowment", _TENTHS),
    ),
    PlaySignature(
        "sug-recipient-given-proposers",
        "sug",
        "Whom it proposes to, given how many had proposed to it",
        "share of proposals",
        (Given("how many proposed to it in the round before", (0.5, 1.5)),),
        0.0,
        1.0,
        3,
        is_ordered=False,
    ),
    _shares(
        "wac-bid-given-health",
        "wac",
        "Bid, given one's own health",
        _BALANCE,
        Given("health, of the most", (0.25, 0.5, 0.75)),
    ),
    _shares(
        "wac-bid-given-drought",
        "wac",
        "Bid, given one's days without water",
        _BALANCE,
        Given("days without water since the last", (0.5, 1.5, 2.5)),
    ),
    _shares(
        "wac-bid-given-supply",
        "wac",
        "Bid, given the day's supply",
        _BALANCE,
        Given("supply, in one's own needs", (1.0, 1.5, 2.0, 2.5)),
    ),
    _changes(
        "bargaining-change-given-offer",
        "glee-bargaining",
        "Change of the demand, given the other's last offer",
        _MONEY,
        _SEAT,
        Given("what the other's last offer leaves one, of the money", (0.3, 0.45, 0.55)),
    ),
    _yes_no(
        "bargaining-answer-given-offer",
        "glee-bargaining",
        "Offer accepted, given what it leaves one",
        "share of answers",
        _SEAT,
        Given("what the offer leaves one, of the money", _TENTHS),
    ),
    _changes(
        "negotiation-change-given-offer",
        "glee-negotiation",
        "Change of the demand, given the other's last price",
        _MONEY,
        _SEAT,
        Given("the gain that the other's last price leaves one, of the money", (0.0, 0.1, 0.2)),
    ),
    PlaySignature(
        "negotiation-answer-given-price",
        "glee-negotiation",
        "Answer to a price, given what it leaves one",
        "share of answers",
        (_SEAT, Given("the gain that the price leaves one, of the money", (0.0, 0.1, 0.2))),
        0.0,
        1.0,
        3,
        is_ordered=False,
    ),
    _yes_no(
        "persuasion-buys-given-message",
        "glee-persuasion",
        "Product bought, given the message and how honest the seller has been",
        "share of answers",
        Given("whether the seller speaks for it: 0, 1", (0.5,)),
        Given("share of the products it spoke for that were good, as far as the buyer saw", (0.5, 0.8)),
    ),
    _yes_no(
        "persuasion-recommends-given-quality",
        "glee-persuasion",
        "Product recommended, given its quality",
        "share of messages",
        Given("whether it is good: 0, 1", (0.5,)),
    ),
)
"""Every signature of play: of `sug`, `wac`, and GLEE's bargaining, negotiation and persuasion."""


@dataclass(frozen=True, slots=True)
class Act:
    """One decision: the name of its signature, what was perceived before (NaN: nothing yet), and what was done."""

    signature: str
    given: tuple[float, ...]
    did: float


@dataclass(frozen=True, slots=True)
class SeatPlay:
    """What one player did in one seat of one match; `match` is its name, `config` and `role` what it played as."""

    match: str
    game: str
    source: str
    player: str
    config: str
    role: str
    acts: tuple[Act, ...]


@dataclass(frozen=True, slots=True)
class SourcePlay(Result):
    """What there is of one source in one game. `n_acts` are of all signatures: a decision may be an act of several."""

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
    votes
        Checked responses, already selected: how often each source was taken for human stands beside its distance.
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
            f"no other source played what {human!r} played: there is nothing to hold against people"
        )
    results = tuple(
        _signature(one, [seat for seat in ordered if seat.game == one.game], human, seed, resamples)
        for one in PLAY_SIGNATURES
        if one.game in shared
    )
    distances = [distance for one in results for distance in one.distances]
    return PlaySignatures(
        format=FORMAT,
        human=human,
        seed=seed,
        resamples=resamples,
        sources=tuple(_played(ordered, games)),
        signatures=results,
        closing=None if votes is None else closing(distances, taken_for_human(votes, seed=seed)),
        notes=tuple(_notes(ordered, games, shared, human)),
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
    seats: Sequence[SeatPlay], games: Sequence[str], shared: Sequence[str], human: str
) -> Iterator[str]:
    if human == SIMULATED:
        yield "No person played: simulated people stand in for them, and a number on these says nothing about people."
    for game in games:
        own = [one for one in seats if one.game == game]
        if game not in shared:
            yield f"{game} was not played by {human} and another source: nothing is compared there."
            continue
        people = _mixture([one for one in own if one.source == human])
        others = sorted({one.source for one in own} - {human})
        mixed = [s for s in others if _mixture([one for one in own if one.source == s]) != people]
        if mixed:
            yield (
                f"{game}: {', '.join(mixed)} played other configurations or roles than {human}, or in other shares, so "
                "a distance may be that of the configurations."
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


def _mixture(seats: Sequence[SeatPlay]) -> Mapping[tuple[str, str], float]:
    counts = Counter((one.config, one.role if one.game in _ROLES_DIFFER else "") for one in seats)
    return {key: round(n / len(seats), 9) for key, n in counts.items()}
