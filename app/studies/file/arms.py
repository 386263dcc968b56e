"""Arms: between-subjects conditions of a study. Each changes values of the study file by their paths in it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from app.core.problems import Fault, Place, nearest, quoted
from app.core.widgets import Widget
from app.questions.base import AsWritten, Frozen, Part, rule_error
from app.tasks.registry import BLOCKS, SHORT
from app.trials.design import BLOCK
from app.trials.parts import BLOCK_PATTERN, Count

MAIN = "main"
"""The one arm of a study without arms."""
TEXTS = ("instructions", "completion.message")
OF_BLOCK = ("instructions", "self_assessment")
_UNITS = "give each arm a block of its own, with `arms: [...]` in it"
_BEFORE = "all arms have the same: people read it before they get an arm"
# The keys of a study file that an arm may set, as far as they are not refused below.
_BY_ARM = ("title", "background", "instructions", "scales", "trials", "blocks", "block_order", "completion")
_OF_COMPLETION = ("minutes", "pay", "contact")
_OF_PLACES = ("arms", "target", "idle_minutes", "opens", "ends")
_OF_ANY_BLOCK = ("id", "task", "arms")


class Arm(Part):
    """One arm of a between-subjects study."""

    # What the ids of new ones begin with.
    named: ClassVar[str] = "arm-"

    id: Annotated[str, Widget(is_short=True, settles=True)] = Field(
        pattern=BLOCK_PATTERN,
        title="Name in the data",
        description="Names the arm in the data; lower-case letters, digits and -, at most 40, each arm its own.",
    )
    target: Annotated[Count | None, Widget(unit="people", is_short=True)] = Field(
        default=None,
        title="Participants",
        description="How many live sessions of this arm are to count; an arm that has them takes no one else. Every "
        "arm has a target, or none.",
    )
    set: Annotated[dict[str, Any], Widget(rows=4, placeholder="blocks.watch.trials.watch: free")] = Field(
        default={},
        title="What differs from the study",
        description="Values of the study file that are others in this arm, each by its path: the keys down to it with "
        "dots between them, blocks and questions by their ids.",
    )


def _checked_moment(text: str) -> str:
    moment(text)
    return text


def moment(text: str) -> datetime:
    """A time in UTC. Raises a broken rule."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        what = "is no date and time" if at is None else "has no time zone"
        raise rule_error(
            f"{quoted(text)} {what}",
            "write it as 2026-03-01T09:00+01:00, with Z or the hours from UTC at its end",
        )
    try:
        return at.astimezone(UTC)
    except OverflowError:  # in UTC it is before the first year, or after the last
        raise rule_error(f"{quoted(text)} is no date and time", "choose another year") from None


Moment = Annotated[AsWritten, Field(max_length=40), AfterValidator(_checked_moment)]
AT = Widget(placeholder="2026-03-01T09:00+01:00")


class DesignArm(Frozen):
    """An arm at run time: `set` as the file says it, texts in it, and `changes` of the design that follow from it."""

    id: str
    target: int | None = None
    set: Mapping[str, Any] = {}
    changes: Mapping[str, Any] = {}


# The study file with an arm's values


def is_text_path(path: object) -> bool:
    """True where the value at a path is Markdown or the name of a file that holds it."""
    parts = str(path).split(".")
    return path in TEXTS or (len(parts) == 3 and parts[0] == "blocks" and parts[2] in OF_BLOCK)


def text_places(data: object) -> Iterator[Place]:
    """The places in a study file where arms name texts."""
    arms = data.get("arms") if isinstance(data, Mapping) else None
    for at, arm in enumerate(arms if isinstance(arms, list) else ()):
        changed = arm.get("set") if isinstance(arm, Mapping) else None
        for path in changed if isinstance(changed, Mapping) else ():
            if is_text_path(path):
                yield "arms", at, "set", path


def alone(data: Mapping[str, Any]) -> dict[str, Any]:
    """The file's keys without arms and places, as a study of one arm has them."""
    blocks = data.get("blocks")
    own = {key: value for key, value in data.items() if key not in _OF_PLACES}
    if isinstance(blocks, list):
        own["blocks"] = [
            {key: value for key, value in block.items() if key != "arms"}
            if isinstance(block, dict)
            else block
            for block in blocks
        ]
    return own


def with_values(data: Mapping[str, Any], arm: int, changed: Mapping[str, Any]) -> "Applied":
    """The file's keys with those that an arm sets, each path's place in them, and the paths that have none."""
    new: Any = dict(data)
    places: dict[Place, str] = {}
    faults = []
    for path, value in changed.items():
        try:
            place = _place_of(new, str(path))
            new = _put(new, place, value)
            places[place] = path
        except _NoPlace as error:
            faults.append(
                Fault(("arms", arm, "set", path), f"{quoted(str(path))}: {error.message}", error.remedy)
            )
    return Applied(new, places, faults, changed)


class Applied:
    """The keys of a study file in an arm."""

    def __init__(
        self,
        data: dict[str, Any],
        places: Mapping[Place, str],
        faults: Sequence[Fault],
        paths: Mapping[str, Any],
    ) -> None:
        self.data, self.places, self.faults, self.paths = data, places, faults, paths

    def place_to(self, place: Place) -> Place | None:
        """The path that the arm sets at, in or round a place, and how the place goes on below it."""
        for known, path in self.places.items():
            n = min(len(known), len(place))
            if n and known[:n] == place[:n]:
                return path, *place[len(known) :]
        return None


def place_in(data: Mapping[str, Any], path: str) -> Place | None:
    """The place that a path names in a study's keys; None where an arm cannot set what is there."""
    try:
        return _place_of(data, path)
    except _NoPlace:
        return None


class _NoPlace(Exception):
    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message, self.remedy = message, remedy


def _place_of(data: Mapping[str, Any], path: str) -> Place:
    """The place that a path names, whether or not the file has the key there. Raises _NoPlace."""
    parts = [part.strip() for part in path.split(".")]
    _refuse_fixed(data, parts)
    place: list[str | int] = []
    held: Any = data
    for part in parts:
        if isinstance(held, list | tuple):
            ids = [str(each.get("id")) if isinstance(each, Mapping) else "" for each in held]
            if part not in ids:
                of = "block" if place == ["blocks"] else "entry"
                raise _NoPlace(
                    f"there is no {of} {quoted(part)}",
                    nearest(part, ids, f"known here: {', '.join(ids) or 'none'}"),
                )
            place.append(ids.index(part))
            held = held[ids.index(part)]
        elif held is None or isinstance(held, Mapping):
            place.append(part)
            held = held.get(part) if held else None
        else:
            raise _NoPlace(
                f"there is nothing below {quoted('.'.join(parts[: len(place)]))}", "name a key that has keys"
            )
    return tuple(place)


def _refuse_fixed(data: Mapping[str, Any], parts: Sequence[str]) -> None:
    """Refuse what is the same in every arm."""
    first, second = parts[0], parts[1] if len(parts) > 1 else ""
    if first in ("pairs", "sample"):
        raise _NoPlace("an arm cannot change the lists and units of a block", _UNITS)
    if first == "consent" or (first == "completion" and second in _OF_COMPLETION):
        raise _NoPlace(_BEFORE, "take it out of the arm")
    if first not in _BY_ARM:
        raise _NoPlace("an arm cannot set this", nearest(first, _BY_ARM, f"it can set {', '.join(_BY_ARM)}"))
    if first in ("blocks", "completion") and (len(parts) < 3 if first == "blocks" else not second):
        example = "blocks.watch.trials.watch" if first == "blocks" else "completion.message"
        raise _NoPlace("an arm sets single keys", f"write a path down to one, such as `{example}`")
    if first == "blocks":
        _refuse_of_block(data, parts[1], parts[2:])


def _refuse_of_block(data: Mapping[str, Any], id_: str, path: Sequence[str]) -> None:
    if path[0] in _OF_ANY_BLOCK:
        raise _NoPlace(f"an arm cannot change the {path[0]} of a block", _UNITS)
    blocks = data.get("blocks")
    known = (each for each in (blocks if isinstance(blocks, list) else ()) if isinstance(each, Mapping))
    block = next((each for each in known if each.get("id") == id_), {})
    model = BLOCKS.get(str(block.get("task")), SHORT)
    same = {str(at[0]) for at in (*model.lists, *model.written) if at[0] not in OF_BLOCK}
    if path[0] in same or path[0] in model.of_units:
        raise _NoPlace("an arm cannot change the lists and units of a block", _UNITS)


def _put(data: Any, place: Place, value: object) -> Any:
    """A copy of the data with another value at a place, sections made where there are none."""
    if not place:
        return value
    first, *rest = place
    if isinstance(first, int):
        copy = list(data)
        copy[first] = _put(copy[first], tuple(rest), value)
        return copy
    held = dict(data) if isinstance(data, Mapping) else {}
    held[first] = _put(held.get(first), tuple(rest), value)
    return held


# The design of an arm, as the changes of the study's


def changes_of(base: "Dumped", arm: "Dumped") -> dict[str, Any]:
    """Keys that have another value in an arm's design, those of blocks by block."""
    found = _changed(base.keys, arm.keys, arm.whole, but=("blocks", *_OF_PLACES))
    blocks = {}
    for was, now, whole in zip(base.keys["blocks"], arm.keys["blocks"], arm.whole["blocks"], strict=True):
        if changed := _changed(was, now, whole, but=("arms",)):
            blocks[str(now.get("id", BLOCK))] = changed
    return {**found, **({"blocks": blocks} if blocks else {})}


class Dumped:
    """A design's keys as they are stored, and with every default written out."""

    def __init__(self, keys: Mapping[str, Any], whole: Mapping[str, Any]) -> None:
        self.keys, self.whole = keys, whole


def _changed(
    base: Mapping[str, Any], arm: Mapping[str, Any], whole: Mapping[str, Any], but: Sequence[str]
) -> dict[str, Any]:
    names = [key for key in dict.fromkeys((*base, *arm)) if key not in but and base.get(key) != arm.get(key)]
    # A default is no key of what is stored, and has to be written where the study has another value.
    return {key: arm[key] if key in arm else whole[key] for key in names}


def with_changes(keys: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A design's keys with an arm's changes."""
    of_blocks = changes.get("blocks", {})
    blocks = [{**block, **of_blocks.get(str(block.get("id", BLOCK)), {})} for block in keys["blocks"]]
    return {**keys, **changes, "blocks": blocks}


# Rules between keys


def faults_of_arms(
    raw: Mapping[str, Any], blocks: Sequence[tuple[Place, Mapping[str, Any]]]
) -> Iterator[Fault]:
    """The faults of arms, targets and dates that are not those of one key."""
    arms = [arm if isinstance(arm, Mapping) else {} for arm in _list(raw.get("arms"))]
    ids = [str(arm.get("id", "")).strip() for arm in arms]
    for at, id_ in enumerate(ids):
        if id_ and id_ in ids[:at]:
            yield Fault(("arms", at, "id"), f"the arm {quoted(id_)} comes twice", "give each arm its own id")
        elif id_ == MAIN:
            message = f"{MAIN!r} is the arm of studies without arms"
            yield Fault(("arms", at, "id"), message, "choose another id")
    if len(arms) == 1:
        yield Fault(("arms",), "one arm is none", "list at least two, or remove `arms`")
    for place, block in blocks:
        for name in _list(block.get("arms")):
            if name not in ids:
                remedy = nearest(str(name), ids, f"use {', '.join(ids)}" if ids else "list it under `arms:`")
                yield Fault((*place, "arms"), f"there is no arm {quoted(str(name))}", remedy)
    for at, id_ in enumerate(ids):
        if arms and all(_list(block.get("arms")) and id_ not in _list(block["arms"]) for _, block in blocks):
            yield Fault(("arms", at), f"the arm {quoted(id_)} has no block", "name it in `arms` of a block")
    yield from _targets(raw, arms)
    opens, ends = (_moment(raw.get(key)) for key in ("opens", "ends"))
    if opens and ends and ends <= opens:
        yield Fault(("ends",), "it ends before it opens", "give a later date")


def _targets(raw: Mapping[str, Any], arms: Sequence[Mapping[str, Any]]) -> Iterator[Fault]:
    targets = [_number(arm.get("target")) for arm in arms]
    if any(targets) and None in targets:
        at = targets.index(None)
        yield Fault(
            ("arms", at), "this arm has no target, and others have", "give each arm a target, or none"
        )
    given = [target for target in targets if target is not None]
    whole = _number(raw.get("target"))
    if arms and len(given) == len(arms) and whole is not None and sum(given) < whole:
        message = f"the arms' targets come to {sum(given)}, which is less than the target {whole}"
        yield Fault(("target",), message, "leave it out, or raise the arms' targets")


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _number(value: object) -> int | None:
    return (
        int(value) if isinstance(value, int | str) and str(value).isascii() and str(value).isdigit() else None
    )


def _moment(value: object) -> datetime | None:
    try:
        return moment(str(value)) if value is not None else None
    except ValueError:
        return None
