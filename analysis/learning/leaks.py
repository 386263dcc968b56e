"""What would let a judge name the source without looking at behaviour; each found is a reason to refuse a training."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.learning.examples import Example, labels_of
from analysis.learning.fitting import Labels
from analysis.learning.networks import PLACES, Settings
from analysis.learning.paths import Path, turn_and_speed
from analysis.results import Result
from analysis.stats.auc import auc, newcombe
from analysis.stats.intervals import Floats

THRESHOLD = 0.6
LEVEL = 0.99
"""Several numbers are looked at, so the interval that has to lie above the threshold is a wide one."""
EDGE_S = 1.0
_MARGIN = 0.1
_RATE_HZ = 30.0
_STANDING = 0.05
_SLACK_S = 0.1
_MATCH = "Match the sources, or cut clips alike"

LEAKS = {
    "ends": "The first or last second tells the sources apart, apart from how they move in between",
    "outside-clip": "Positions go on where the clip does not: what no participant saw would be learnt",
    "length": "How long a clip lasts tells the sources apart",
    "place": "Where clips begin or end, or their goal, tells the sources apart",
    "encoder": "How clips were encoded tells the sources apart: codec, size or frame rate",
    "scene": "Nothing says which clips share a scene, so that clips of one scene may be on both sides of a fold",
    "person": "Nothing says who made the clips of people, so that a person's style may be learnt for humanity",
}


@dataclass(frozen=True, slots=True)
class LeakCheck(Result):
    """One leak that was looked for: what was measured (`value`, an AUC where it is one), and whether it was found."""

    name: str
    found: bool
    says: str
    value: float | None


def check_leaks(examples: Sequence[Example], settings: Settings) -> tuple[LeakCheck, ...]:
    """Every leak of `LEAKS`, found or not. Places that differ are no reason to refuse where a judge reads none, as one
    of turn and speed; positions, images from above and pictures hold them."""
    return (
        _ends(examples),
        _outside(examples),
        _separated_by("length", examples, {"its length": [example.path.duration_s for example in examples]}),
        _place(examples, settings),
        _encoder(examples, settings),
        _missing("scene", [example for example in examples if not example.scene]),
        _missing("person", [example for example in examples if example.is_human and not example.maker]),
    )


def _ends(examples: Sequence[Example]) -> LeakCheck:
    """Numbers of the first and last second relative to the clip's own, held against those of a second in between."""
    is_human = labels_of(examples)
    seconds = [_seconds(example.path) for example in examples]
    long_enough = np.array([second is not None for second in seconds])
    if not (is_human & long_enough).any() or not (~is_human & long_enough).any():
        return LeakCheck(
            "ends", False, f"{LEAKS['ends']}: not looked at, as clips last less than {3 * EDGE_S:g} s", None
        )
    table = np.array([second for second in seconds if second is not None])  # clips, places, numbers
    labels = is_human[long_enough]
    worst, where = 0.5, ""
    for number, what in enumerate(_NUMBERS):
        between = _apart(table[:, 1, number], labels)
        for place, which in ((0, "first"), (2, "last")):
            area = _apart(table[:, place, number], labels)
            if area - between > _MARGIN and _is_sure(area, labels) and area > worst:
                worst, where = area, f"{what} in the {which} second: AUC {area:.2f}, {between:.2f} in between"
    if where:
        return LeakCheck(
            "ends", True, f"{LEAKS['ends']} ({where}). Cut the clips before arrival takes effect", worst
        )
    return LeakCheck("ends", False, f"{LEAKS['ends']}: not found", None)


_NUMBERS = ("speed, as a share of the clip's own", "standing still", "turning, as a share of the clip's own")


def _seconds(path: Path) -> Floats | None:
    """The numbers of the first, a middle and the last second, shape (3, numbers); None for a clip that is too short."""
    turn, speed = turn_and_speed(path, _RATE_HZ, by_heading=path.heading_rad is not None).T
    n = round(EDGE_S * _RATE_HZ)
    if len(speed) < 3 * n:
        return None
    usual, turning = float(np.median(speed)), float(np.abs(turn).mean())
    middle = (len(speed) - n) // 2
    rows = []
    for part in (slice(0, n), slice(middle, middle + n), slice(-n, None)):
        relative = speed[part].mean() / usual if usual > 0 else 0.0
        still = (speed[part] < _STANDING * usual).mean() if usual > 0 else 1.0
        turns = np.abs(turn[part]).mean() / turning if turning > 0 else 0.0
        rows.append([relative, still, turns])
    return np.array(rows)


def _outside(examples: Sequence[Example]) -> LeakCheck:
    known = [example for example in examples if example.shown_s is not None]
    beyond = [e for e in known if e.path.duration_s > (e.shown_s or 0.0) + _SLACK_S]
    if beyond:
        worst = beyond[0]
        return LeakCheck(
            "outside-clip",
            True,
            f"{LEAKS['outside-clip']} ({len(beyond)} of {len(known)} clips; {worst.name} shows {worst.shown_s:.1f} s "
            f"of {worst.path.duration_s:.1f} s). Cut positions to what is shown",
            None,
        )
    looked = f"not found in {len(known)} clips" if known else "not looked at, as no clip's length is known"
    return LeakCheck("outside-clip", False, f"{LEAKS['outside-clip']}: {looked}", None)


def _place(examples: Sequence[Example], settings: Settings) -> LeakCheck:
    """The AUC of start, end and goal, each in the direction that tells most."""
    is_human = labels_of(examples)
    areas = {
        "start": _furthest([_at(example.path, 0) for example in examples], is_human),
        "end": _furthest([_at(example.path, -1) for example in examples], is_human),
    }
    goals = [example.goal_m for example in examples if example.goal_m is not None]
    if len(goals) == len(examples):
        areas["goal"] = _furthest(goals, is_human)
    numbers = ", ".join(f"{what} AUC {area:.2f}" for what, area in areas.items())
    unknown = (
        "" if "goal" in areas else "; the goal not looked at, as positions have no goal_x_m and goal_y_m"
    )
    worst = max(areas.values())
    says = f"{LEAKS['place']} ({numbers}{unknown})"
    if worst <= THRESHOLD or not _is_sure(worst, is_human):
        return LeakCheck("place", False, says, worst)
    if settings.reads not in PLACES:
        return LeakCheck("place", False, f"{says}; this judge reads no places", worst)
    how = PLACES[settings.reads]
    return LeakCheck("place", True, f"{says}{how and f'; {how}'}. {_MATCH}", worst)


def _at(path: Path, moment: int) -> Sequence[float]:
    return [float(values[moment]) for values in (path.x_m, path.y_m, path.z_m)]


def _furthest(places: Sequence[Sequence[float]], is_human: Labels) -> float:
    """The largest AUC of a coordinate."""
    return max(_apart(column, is_human) for column in np.array(places).T)


def _encoder(examples: Sequence[Example], settings: Settings) -> LeakCheck:
    kinds = sorted({example.encoding for example in examples} - {""})
    if not settings.sees or not kinds:
        why = "this judge sees no pictures" if not settings.sees else "nothing is known of the files"
        return LeakCheck("encoder", False, f"{LEAKS['encoder']}: not looked at, as {why}", None)
    shares = {kind: [float(example.encoding == kind) for example in examples] for kind in kinds}
    return _separated_by("encoder", examples, shares)


def _separated_by(name: str, examples: Sequence[Example], values: dict[str, list[float]]) -> LeakCheck:
    is_human = labels_of(examples)
    areas = {what: _apart(np.array(numbers), is_human) for what, numbers in values.items()}
    what = max(areas, key=lambda what: areas[what])
    found = areas[what] > THRESHOLD and _is_sure(areas[what], is_human)
    advice = f". {_MATCH}" if found else ""
    return LeakCheck(name, found, f"{LEAKS[name]} ({what}: AUC {areas[what]:.2f}){advice}", areas[what])


def _missing(name: str, without: Sequence[Example]) -> LeakCheck:
    if without:
        column = "scene or goal" if name == "scene" else "player"
        return LeakCheck(
            name,
            True,
            f"{LEAKS[name]} ({len(without)} clips, {without[0].name} first). Add a column {column}",
            None,
        )
    return LeakCheck(name, False, f"{LEAKS[name]}: not so, all clips say it", None)


def _apart(values: Floats, is_human: Labels) -> float:
    """The AUC of one number, in whichever direction it tells more: 0.5 to 1."""
    area = auc(np.round(values[is_human], 9), np.round(values[~is_human], 9))
    return max(area, 1 - area)


def _is_sure(area: float, is_human: Labels) -> bool:
    """Whether the AUC is above the threshold beyond chance."""
    low, _ = newcombe(min(area, 1.0), int(is_human.sum()), int((~is_human).sum()), level=LEVEL)
    return low > THRESHOLD


def refused(checks: Sequence[LeakCheck], allowed: Sequence[str]) -> Iterator[str]:
    """A sentence for each leak that was found and not allowed by name."""
    for check in checks:
        if check.found and check.name not in allowed:
            yield f"{check.says}. --allow {check.name} trains all the same, and the card says so"
