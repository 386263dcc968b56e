"""Leaks in a block of ratings: rounds that differ over the items, and what no item may show."""

from collections.abc import Sequence

from app.tasks.rating.items import DesignItem
from app.trials.clues import LeakName
from app.trials.leaks import BlockLeaks, CluesOf, absent, leaks_found, looked_at


def leaks_of_items(
    block: str, items: Sequence[DesignItem], allowed: Sequence[LeakName], clues_of: CluesOf
) -> BlockLeaks | None:
    """The leaks of a block's main items; None where it shows no record or text of the library."""
    shown = [item for item in items if item.stimulus]
    clues = clues_of({item.stimulus: item.sha256 for item in shown}, {item.source for item in shown})
    if not clues:
        return None
    lengths = sorted({one.rounds for one in clues.values()})
    found: list[tuple[LeakName, str]] = []
    if len(lengths) > 1:
        found.append(("rounds", f"items show from {lengths[0]} to {lengths[-1]} rounds"))
    found += absent(clues, "item")
    return BlockLeaks(block, leaks_found(block, allowed, found, clues), looked_at(clues))
