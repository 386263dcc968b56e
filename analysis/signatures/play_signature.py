"""A signature of play: a decision in bins, by zones of the observations before it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.signatures.measures import Distance, conditional, linear, unordered

_ROUNDING = 1e-9
TENTHS = tuple(at / 20 for at in range(1, 20, 2))
"""Edges of zones of a share, in tenths around 0, 0.1, ..., 1."""


@dataclass(frozen=True, slots=True)
class Given:
    """An observation before a decision, and the edges of its zones: `edges` rise, each begins the next zone.

    A missing observation (NaN) is a zone of its own, the first.
    """

    what: str
    edges: tuple[float, ...]

    @property
    def n_zones(self) -> int:
        return len(self.edges) + 2

    def zone(self, value: float) -> int:
        """The zone that a value is in."""
        # An offer of 3 of 10 belongs to the zone from .3 on, whose float it can miss by rounding.
        return 0 if np.isnan(value) else 1 + int(np.searchsorted(self.edges, value + _ROUNDING, side="right"))


@dataclass(frozen=True, slots=True)
class PlaySignature:
    """A decision of one game, in `n_bins` bins of `width` around `low`, `low + width`, ...; given observations.

    The distance within a zone is linear Earth Mover's Distance in `unit`; if the bins have no order (`is_ordered`), all
    are 1 apart. `roles_differ`: the roles of its game decide differently, while no signature separates them.
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
    roles_differ: bool = False

    @property
    def n_zones(self) -> int:
        return int(np.prod([one.n_zones for one in self.given]))

    @property
    def distance(self) -> Distance:
        return conditional(self.n_zones, linear(self.width) if self.is_ordered else unordered)

    def bin(self, given: Sequence[float], did: float) -> int:
        """The bin in which a decision is counted: its zone's bins follow those of the previous zone."""
        zone = 0
        for one, value in zip(self.given, given, strict=True):
            zone = zone * one.n_zones + one.zone(value)
        within = int(np.floor((did - self.low) / self.width + 0.5 + _ROUNDING))
        return zone * self.n_bins + min(max(within, 0), self.n_bins - 1)


def shares_of(
    name: str, game: str, title: str, unit: str, *given: Given, roles_differ: bool = False
) -> PlaySignature:
    """A decision for a share, from 0 to 1 in steps of 0.05."""
    return PlaySignature(name, game, title, unit, given, 0.0, 0.05, 21, roles_differ=roles_differ)


def changes_of(name: str, game: str, title: str, unit: str, *given: Given) -> PlaySignature:
    """A change of a share, from -1 to 1 in steps of 0.05."""
    return PlaySignature(name, game, title, unit, given, -1.0, 0.05, 41)


def yes_no_of(name: str, game: str, title: str, unit: str, *given: Given) -> PlaySignature:
    """Yes (1) or no (0)."""
    return PlaySignature(name, game, title, unit, given, 0.0, 1.0, 2)


def unordered_of(name: str, game: str, title: str, unit: str, n_bins: int, *given: Given) -> PlaySignature:
    """One of several options without an order, by its place from 0."""
    return PlaySignature(name, game, title, unit, given, 0.0, 1.0, n_bins, is_ordered=False)
