"""The ratios of the last release, kept in `kept.json`, and a run's beside them: what fell far is said in red."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.answers import Level

FILE = Path(__file__).parent / "kept.json"
FAR = 0.15
"""The share by which a ratio may fall before it is told."""
_RED, _PLAIN = "\x1b[31m", "\x1b[0m"


def ratios_of(levels: Sequence[Level]) -> dict[str, float]:
    """Answers per second of one site over those of another in the same run, by name; more is better in each."""
    found = {}
    for at_once in dict.fromkeys(level.at_once for level in levels):
        ours, *others = (level for level in levels if level.at_once == at_once)
        for other in others:
            rates = ours.median.answers_per_s, other.median.answers_per_s
            if other.site.startswith("oTree"):
                found[f"{at_once} at once: over oTree"] = rates[0] / rates[1]
            else:
                found[f"{at_once} at once: ratings over pairs"] = rates[1] / rates[0]
    return found


def read_kept(file: Path = FILE) -> Mapping[str, float]:
    """The kept ratios; none where no file is there."""
    kept: Mapping[str, float] = json.loads(file.read_text())["ratios"] if file.exists() else {}
    return kept


def compared_text(ratios: Mapping[str, float], kept: Mapping[str, float], *, coloured: bool = False) -> str:
    """A line for each ratio, with the kept one; red where it has fallen by more than `FAR`. It fails nothing."""
    lines = []
    for name, ratio in ratios.items():
        before = kept.get(name)
        if before is None:
            lines.append(f"{name}: {ratio:.2f} (none kept)")
            continue
        line = f"{name}: {ratio:.2f} (kept: {before:.2f})"
        if ratio < (1 - FAR) * before:
            line += f" REGRESSION: {1 - ratio / before:.0%} less"
            line = f"{_RED}{line}{_PLAIN}" if coloured else line
        lines.append(line)
    return "\n".join(lines)


def is_coloured() -> bool:
    """True if the output is a terminal that shows colours."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ
