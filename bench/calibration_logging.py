"""The accuracy of a judge that learns only how positions were logged: the same walker under both labels, one logged
differently.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from analysis.learning.catalogue import NETWORKS
from analysis.learning.examples import Example
from analysis.learning.leaks import check_leaks
from analysis.learning.logged import InCommon, in_common
from analysis.learning.paths import Path, resampled
from analysis.learning.training import train

_HZ, _SECONDS, _SCENES, _SETS = 30, 6.0, 40, 100
_NETWORK = "turn-speed-ff"

DESIGN = (
    f"{_SCENES} scenes with two walks of {_SECONDS:g} s by the same walker, one labelled a person; *check*: of {_SETS} "
    f"such sets those in which `logging` is found. *Pairs named*: by `{_NETWORK}` in 20 epochs, of one set, on walks "
    "that it never saw, with positions as logged (`--allow logging`), and brought to one step and precision. The "
    f"standard error of a share of {_SCENES} pairs is 0.08"
)


def _walk(rng: np.random.Generator) -> Path:
    t = np.arange(round(_HZ * _SECONDS)) / _HZ
    heading = rng.uniform(0, 6) + 0.6 * np.sin(rng.uniform(3, 5) * t + rng.uniform(0, 6))
    speed = 3.0 + 0.4 * np.sin(rng.uniform(4, 6) * t)
    x, y = (
        np.cumsum(part * speed) / _HZ + rng.uniform(20, 40) for part in (np.cos(heading), np.sin(heading))
    )
    return Path(t, x, y, np.zeros(len(t)), None)


def _rounded(path: Path) -> Path:
    return replace(path, x_m=np.round(path.x_m, 2), y_m=np.round(path.y_m, 2))


def _repeated(path: Path) -> Path:
    held = np.arange(len(path.t_s)) // 2 * 2
    return replace(path, x_m=path.x_m[held], y_m=path.y_m[held])


_CHANGES: Sequence[tuple[str, Callable[[Path], Path]]] = (
    ("nothing", lambda path: path),
    ("rounded to 2 decimals", _rounded),
    ("every second repeated", _repeated),
    ("4.3 Hz", lambda path: resampled(path, 4.3)),
)


def _examples(seed: int, change: Callable[[Path], Path]) -> list[Example]:
    rng = np.random.default_rng(seed)
    return [
        Example(
            name=f"{source}-{scene}",
            content=f"{source} {scene}",
            is_human=source == "human",
            source=source,
            maker=source,
            scene=str(scene),
            path=_walk(rng) if source == "human" else change(_walk(rng)),
        )
        for scene in range(_SCENES)
        for source in ("human", "agent")
    ]


def _is_found(examples: Sequence[Example], common: InCommon) -> bool:
    settings = replace(NETWORKS[_NETWORK].settings, step_s=common.step_s, decimals=common.decimals)
    return next(check.found for check in check_leaks(examples, settings) if check.name == "logging")


def _common(examples: Sequence[Example]) -> InCommon:
    return in_common([each.path for each in examples], [each.source for each in examples])


def _named(examples: Sequence[Example], *, alike: bool) -> float:
    network = NETWORKS[_NETWORK]
    quick = replace(network, settings=replace(network.settings, epochs=20))
    allowed = ("logging", "length", "ends", "place")
    return train(quick, examples, allowed=allowed, alike=alike).evaluation.pooled.pairs or 0.0


def logging_text() -> str:
    """A Markdown table: the change to one class, how often it is found, and the judge's accuracy."""
    lines = [
        "| one class | check, as logged | check, in common | pairs named, as logged | pairs named, in common |",
        "|---|---|---|---|---|",
    ]
    for name, change in _CHANGES:
        sets = [_examples(seed, change) for seed in range(_SETS)]
        found = [
            sum(_is_found(one, InCommon()) for one in sets),
            sum(_is_found(one, _common(one)) for one in sets),
        ]
        named = [_named(sets[0], alike=alike) for alike in (False, True)]
        lines.append(f"| {name} | {found[0]} | {found[1]} | {named[0]:.2f} | {named[1]:.2f} |")
    return "\n".join(lines)
