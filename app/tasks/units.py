"""How many units there are in words. It imports no design: whoever lists studies waits for none."""

from collections.abc import Mapping

# One of them, and several.
UNITS: dict[str, tuple[str, str]] = {
    "pair": ("{} pair", "{} pairs"),
    "rating": ("{} item", "{} items"),
    "game": ("matches in {} configuration", "matches in {} configurations"),
    "walk": ("walks on {} course", "walks on {} courses"),
}


def units_in_words(counts: Mapping[str, int]) -> str:
    """How many units there are by task: `2 pairs and 15 items`; `0 pairs` where nothing is there yet."""
    return " and ".join(UNITS[task][n != 1].format(n) for task, n in (counts or {"pair": 0}).items())
