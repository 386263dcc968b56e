"""A player's rows as they are drawn, with replacement, in each resample."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from analysis.signatures.measures import Counts, Ints


@dataclass(frozen=True, slots=True)
class Resamples:
    """A player's kinds of rows, and how often each was drawn in each resample; summed when asked for, as the sums of
    thousands of players take gigabytes. Rows without a count are left out."""

    counts: "Counts"
    times: "Ints"

    @classmethod
    def of(cls, counts: "Counts", rng: np.random.Generator, resamples: int) -> Self:
        """Draws as many rows as there are, with replacement, in each resample."""
        n = len(counts)
        times = rng.multinomial(n, np.full(n, 1 / n), size=resamples)
        if n > 1:
            kinds, kind_of = np.unique(counts, axis=0, return_inverse=True)
            counts, times = kinds, times @ np.eye(len(kinds), dtype=np.int64)[kind_of.ravel()]
        counted = counts.any(axis=1)
        # No row is drawn more than n times: for most players one byte is enough.
        return cls(counts[counted], times[:, counted].astype(np.min_scalar_type(n)))

    def rows(self) -> "Counts":
        """The player's counts, a row for each resample."""
        found: Counts = self.times.astype(np.int64) @ self.counts
        return found

    def one_kind(self) -> "Counts | None":
        """The only row that there is, in least terms: distances are of shares; None where there are several."""
        if len(self.counts) != 1:
            return None
        found: Counts = self.counts[0] / np.gcd.reduce(self.counts[0].astype(np.int64))
        return found
