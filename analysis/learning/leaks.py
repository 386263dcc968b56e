"""Leaks that would let a judge name the source without behaviour; each is a reason to refuse a training."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.clues.within_pairs import share_within
from analysis.learning.examples import Example, Pairs, labels_of, matched_pairs
from analysis.learning.fitting import Labels
from analysis.learning.logged import as_logged, logged
from analysis.learning.networks import PLACES, Settings
from analysis.learning.paths import Path, turn_and_speed
from analysis.results import Result
from analysis.stats.auc import auc, newcombe
from analysis.stats.exact import clopper_pearson
from analysis.stats.intervals import Floats

THRESHOLD = 0.6
LEVEL = 0.99
"""Several numbers are looked at, so the interval that has to lie above the threshold is a wide one."""
EDGE_S = 1.0
# Sources differ at every moment by what they are; a leak is what only an end shows.
_MARGIN = 0.1
_RATE_HZ = 30.0
_STANDING = 0.05
_SLACK_S = 0.1
# Less than one frame at 30 Hz, and one centimetre.
_SAME_LENGTH_S, _SAME_PLACE_M = 0.02, 0.01
_MATCH = "Match the sources, or cut clips alike"

LEAKS = {
    "ends": "The first or last second tells the sources apart, apart from how they move in between",
    "outside-clip": "Positions go on where the clip does not: what no participant saw would be learnt",
    "length": "How long a clip lasts tells the sources apart",
    "place": "Where clips begin or end, or their goal, tells the sources apart",
    "logging": "How positions were logged tells the sources apart: step, precision, repeated values or headings",
    "encoder": "How clips were encoded tells the sources apart: codec, size or frame rate",
    "scene": "Nothing says which clips share a scene, so that clips of one scene may be on both sides of a fold",
    "person": "Nothing says who made the clips of people, so that a person's style may be learnt for humanity",
}


@dataclass(frozen=True, slots=True)
class LeakCheck(Result):
    """One leak checked: its measurement (`value`, an AUC if it is one), and whether it was found."""

    name: str
    found: bool
    says: str
    value: float | None


def check_leaks(examples: Sequence[Example], settings: Settings, pairs: Pairs = ()) -> tuple[LeakCheck, ...]:
    """Every leak of `LEAKS`, found or not. Different positions are no leak for a judge that reads none, as one of turn
    and speed; positions, images from above and pictures contain them.

    Numbers are compared over all clips (AUC) and within `pairs` (rows, the person's clip first; those of a scene if
    there are none): a leak is found if either separates, and `value` is the worse of the two.
    """
    pairs = pairs or [pair for pair in matched_pairs(examples) if examples[pair[0]].scene]
    return (
        _ends(examples, pairs),
        _outside(examples),
        _separated_by(
            "length",
            examples,
            {"its length": [example.path.duration_s for example in examples]},
            pairs,
            least=_SAME_LENGTH_S,
        ),
        _place(examples, settings, pairs),
        _logging(examples, settings, pairs),
        _encoder(examples, settings),
        _missing("scene", [example for example in examples if not example.scene]),
        _missing("person", [example for example in examples if example.is_human and not example.maker]),
    )


def _ends(examples: Sequence[Example], pairs: Pairs) -> LeakCheck:
    """Numbers of the first and last second relative to the clip's own, compared with those of a second in between."""
    is_human = labels_of(examples)
    seconds = [_seconds(example.path) for example in examples]
    long_enough = np.array([second is not None for second in seconds])
    if not (is_human & long_enough).any() or not (~is_human & long_enough).any():
        return LeakCheck(
            "ends", False, f"{LEAKS['ends']}: not looked at, as clips last less than {3 * EDGE_S:g} s", None
        )
    table = np.full((len(examples), 3, len(_NUMBERS)), np.nan)  # clips, places, numbers
    table[long_enough] = [second for second in seconds if second is not None]
    worst, where = 0.5, ""
    for number, what in enumerate(_NUMBERS):
        between = _apart(table[:, 1, number], is_human, pairs)
        for place, which in ((0, "first"), (2, "last")):
            at_end = _apart(table[:, place, number], is_human, pairs)
            for one, other, by in (
                (at_end.area, between.area, "AUC"),
                (at_end.share, between.share, "within pairs"),
            ):
                sure = at_end.area_is_sure if by == "AUC" else at_end.share_is_sure
                if one - other > _MARGIN and sure and one > worst:
                    worst, where = (
                        one,
                        f"{what} in the {which} second: {by} {one:.2f}, {other:.2f} in between",
                    )
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


def _place(examples: Sequence[Example], settings: Settings, pairs: Pairs) -> LeakCheck:
    """The AUC of start, end and goal, each in the direction that tells most, and the share of pairs likewise."""
    is_human = labels_of(examples)
    areas = {
        "start": _furthest([_at(example.path, 0) for example in examples], is_human, pairs),
        "end": _furthest([_at(example.path, -1) for example in examples], is_human, pairs),
    }
    goals = [example.goal_m for example in examples if example.goal_m is not None]
    if len(goals) == len(examples):
        areas["goal"] = _furthest(goals, is_human, pairs)
    numbers = ", ".join(f"{what} {one.says}" for what, one in areas.items())
    unknown = (
        "" if "goal" in areas else "; the goal not looked at, as positions have no goal_x_m and goal_y_m"
    )
    worst = max(one.worse for one in areas.values())
    says = f"{LEAKS['place']} ({numbers}{unknown})"
    if not any(one.tells for one in areas.values()):
        return LeakCheck("place", False, says, worst)
    if settings.reads not in PLACES:
        return LeakCheck("place", False, f"{says}; this judge reads no places", worst)
    how = PLACES[settings.reads]
    return LeakCheck("place", True, f"{says}{how and f'; {how}'}. {_MATCH}", worst)


def _at(path: Path, moment: int) -> Sequence[float]:
    return [float(values[moment]) for values in (path.x_m, path.y_m, path.z_m)]


def _furthest(places: Sequence[Sequence[float]], is_human: Labels, pairs: Pairs) -> "_Apart":
    """The coordinate that tells most."""
    found = (_apart(column, is_human, pairs, least=_SAME_PLACE_M) for column in np.array(places).T)
    return max(found, key=lambda one: (one.tells, one.worse))


def _logging(examples: Sequence[Example], settings: Settings, pairs: Pairs) -> LeakCheck:
    """The differences left once positions are brought to one step and precision, as the judge reads them."""
    if settings.sees:
        return LeakCheck(
            "logging", False, f"{LEAKS['logging']}: not looked at, as this judge reads no positions", None
        )
    found = [logged(as_logged(example.path, settings.in_common)) for example in examples]
    numbers = {
        "step of time": [one.step_s for one in found],
        "regularity of time": [round(one.irregular, 2) for one in found],
        "decimals of positions": [float(one.decimals) for one in found],
        "repeated values": [one.repeats for one in found],
    }
    if settings.by_heading:
        numbers["decimals of headings"] = [float(one.heading_decimals) for one in found]
    check = _separated_by("logging", examples, numbers, pairs)
    lacking = sum(example.path.heading_rad is None for example in examples)
    if lacking and not check.found:
        said = f"{check.says}; {lacking} of {len(examples)} paths have no headings, so none are read"
        return LeakCheck("logging", False, said, check.value)
    return check


def _encoder(examples: Sequence[Example], settings: Settings) -> LeakCheck:
    kinds = sorted({example.encoding for example in examples} - {""})
    if not settings.sees or not kinds:
        why = "this judge sees no pictures" if not settings.sees else "nothing is known of the files"
        return LeakCheck("encoder", False, f"{LEAKS['encoder']}: not looked at, as {why}", None)
    shares = {kind: [float(example.encoding == kind) for example in examples] for kind in kinds}
    return _separated_by("encoder", examples, shares)


def _separated_by(
    name: str,
    examples: Sequence[Example],
    values: dict[str, list[float]],
    pairs: Pairs = (),
    least: float = 0.0,
) -> LeakCheck:
    is_human = labels_of(examples)
    apart = {what: _apart(np.array(numbers), is_human, pairs, least) for what, numbers in values.items()}
    what = max(apart, key=lambda what: (apart[what].tells, apart[what].worse))
    one = apart[what]
    advice = f". {_MATCH}" if one.tells else ""
    return LeakCheck(name, one.tells, f"{LEAKS[name]} ({what}: {one.says}){advice}", one.worse)


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


@dataclass(frozen=True, slots=True)
class _Apart:
    """The separation of the sources by a number, in the stronger direction: over all clips (`area`, an AUC), and by the
    share of pairs in which the person's clip has more, or less (ties by half); 0.5 to 1.
    """

    area: float
    area_is_sure: bool
    share: float
    share_is_sure: bool
    n_pairs: int

    @property
    def tells(self) -> bool:
        return self.area_is_sure or self.share_is_sure

    @property
    def worse(self) -> float:
        """The worse of the certain values, if there are any."""
        sure = [
            value
            for value, is_sure in ((self.area, self.area_is_sure), (self.share, self.share_is_sure))
            if is_sure
        ]
        return max(sure or [self.area])

    @property
    def says(self) -> str:
        of_pairs = f", {self.share:.2f} of {self.n_pairs} pairs" if self.n_pairs else ""
        return f"AUC {self.area:.2f}{of_pairs}"


def _apart(values: Floats, is_human: Labels, pairs: Pairs = (), least: float = 0.0) -> _Apart:
    """The separation of values. NaN is left out; within a pair, values differing by at most `least` are equal."""
    known = ~np.isnan(values)
    human, agent = values[is_human & known], values[~is_human & known]
    # Rounded: durations and steps that are equal as decimals have to tie, though their floats differ.
    area = auc(np.round(human, 9), np.round(agent, 9))
    area = max(area, 1 - area)
    low, _ = newcombe(min(area, 1.0), len(human), len(agent), level=LEVEL)
    differences = np.array([values[a] - values[b] for a, b in pairs])
    differences = np.where(np.abs(differences) <= least + 1e-9, 0.0, differences)
    one = share_within("human", None, differences)
    if one.strength is None or one.low is None:
        return _Apart(area, low > THRESHOLD, one.strength or 0.5, False, one.n_pairs)
    most = max(one.n_higher, one.n_lower)
    untied, _ = clopper_pearson(most, one.n_higher + one.n_lower, LEVEL)
    sure = (untied * (one.n_higher + one.n_lower) + one.n_equal / 2) / one.n_pairs > THRESHOLD
    return _Apart(area, low > THRESHOLD, one.strength, bool(sure), one.n_pairs)


def refused(checks: Sequence[LeakCheck], allowed: Sequence[str]) -> Iterator[str]:
    """A sentence for each leak that was found and not allowed by name."""
    for check in checks:
        if check.found and check.name not in allowed:
            yield f"{check.says}. --allow {check.name} trains all the same, and the card says so"
