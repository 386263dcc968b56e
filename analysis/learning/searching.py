"""The published search: window, dropout and hidden units, one after the other."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from analysis.learning.networks import Settings

SEARCH_WINDOWS = (5, 10, 20)
SEARCH_DROPOUT = (0.0, 0.5, 0.85)
SEARCH_HIDDEN = (0, 16, 32)
"""As published; a recurrent network has no state without hidden units, so that there 0 is left out."""


def search_steps(settings: Settings) -> Sequence[Callable[[Settings], Iterator[Settings]]]:
    """The settings tried, one after the other, each from the best so far."""

    def of_windows(best: Settings) -> Iterator[Settings]:
        yield from (replace(best, window=width) for width in SEARCH_WINDOWS if width != settings.window)

    def of_dropout(best: Settings) -> Iterator[Settings]:
        yield from (replace(best, dropout=share) for share in SEARCH_DROPOUT if share != settings.dropout)

    def of_hidden(best: Settings) -> Iterator[Settings]:
        least = 1 if settings.kind == "gru" else 0
        yield from (
            replace(best, hidden=units)
            for units in SEARCH_HIDDEN
            if units != settings.hidden and units >= least
        )

    return (of_windows, of_dropout, of_hidden) if settings.kind == "gru" else (of_dropout, of_hidden)


def candidates(settings: Settings) -> Sequence[Settings]:
    """All settings that a search can try, counted once."""
    return [settings, *(tried for step in search_steps(settings) for tried in step(settings))]
