"""Survivors at the end of each game of the water auction, as in table 2 of the paper, for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

MOST_GAMES = 20
"""More games than that do not stand beside each other; the JSON and the figure's numbers have them."""


def marks(setting: Mapping[str, Any]) -> Iterator[str]:
    """A line for each resident with a mark for each game (+ alive, - dead), and the satisfaction rates at the end.

    `setting` is a `WaterSetting` as JSON."""
    runs = setting["runs"]
    if len(runs) > MOST_GAMES:
        return
    rates = setting["survival"]["rates"]
    wide = max(map(len, ("alive (+)", *rates)))
    yield f"{'alive (+)':<{wide}}" + "".join(f"{run['name']:>6.6}" for run in runs)
    for name, rate in rates.items():
        alive = "".join(f"{'+' if run['alive'][name] else '-':>6}" for run in runs)
        yield f"{name:<{wide}}{alive}{rate:>7.2f}"
    end = setting["rsr_end"]
    yield (
        f"{'RSR end':<{wide}}"
        + "".join("     -" if run["rsr_end"] is None else f"{run['rsr_end']:>6.2f}" for run in runs)
        + ("      -" if end is None else f"{end:>7.2f}")
    )
