"""The rules for rows of verdicts: what is wrong in a row, and how to put it right."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analysis.files.numbers import is_plain
from app.core.problems import counted, listed, shown
from app.judges.known import Known, KnownPair
from app.judges.verdict_files import Line

EXAMPLE_JUDGE = "name-of-your-judge"
_CHOICES, _SCALES, _OF_ITEMS = ("a", "b", "tie"), ("probability", "support"), ("people", "own")
_FEWEST_ALIKE = 3


@dataclass(frozen=True, slots=True)
class Found:
    """A fault as a rule found it; of an unknown name `value` is looked for among the `known` ones once it is shown.

    `others` are the other rows of a fault that is said once for all.
    """

    what: str
    remedy: str
    row: int = 0
    columns: Sequence[str] = ()
    value: str = ""
    known: Sequence[str] | None = None
    others: Sequence[int] = ()


def pair_faults(lines: Sequence[Line], header: Sequence[str], known: Known | None) -> list[Found]:
    """The faults of verdicts of pairs and of single stimuli."""
    if "item" in header and not {"pair", "stimulus"} & set(header):
        lines = [_renamed(line) for line in lines]
        return [_renamed_back(one) for one in _pair_faults(lines, known)]
    return list(_pair_faults(lines, known))


def _pair_faults(lines: Sequence[Line], known: Known | None) -> Iterator[Found]:
    pairs = {pair.name: pair for pair in known.pairs} if known else {}
    numbers = {line.row: number_in(line.cells.get("score", "")) for line in lines}
    seen: dict[tuple[str, ...], int] = {}
    # One of each for all faults: a copy for each wrong row would fill the memory.
    names, stimuli = tuple(pairs), tuple(known.stimuli if known else ())
    for line in lines:
        yield from _judge_name(line)
        yield from _about_one(line)
        yield from _choice(line, pairs)
        yield from _score(line, numbers[line.row])
        yield from _one_of(line, "scale", _SCALES)
        yield from _twice(line, seen, ("judge", "run", "study", "pair", "stimulus"))
        if known is not None:
            yield from _names(line, known, pairs, names, stimuli)
    by_judge: dict[str, list[Line]] = {}
    for line in lines:
        by_judge.setdefault(line.cells["judge"], []).append(line)
    for judge, rows in by_judge.items():
        yield from _mixed(judge, rows)
        yield from _scored(judge, rows, numbers)


def item_faults(lines: Sequence[Line], header: Sequence[str], known: Known | None) -> list[Found]:
    """The faults of judges' values for rated items."""
    return list(_item_faults(lines, known))


def _item_faults(lines: Sequence[Line], known: Known | None) -> Iterator[Found]:
    seen: dict[tuple[str, ...], int] = {}
    items = set(known.items) | set(known.others) if known else set()
    criteria = [one.id for one in known.criteria] if known else []
    for line in lines:
        yield from _judge_name(line)
        yield from _one_of(line, "scale", _OF_ITEMS)
        yield from _twice(line, seen, ("judge", "run", "criterion", "item"))
        item, criterion = line.cells["item"], line.cells.get("criterion", "")
        if not item:
            yield Found("the item is missing", "Name the item that is judged", line.row, ("item",))
        elif known and item not in items:
            yield _unknown(line, "item", item, "item", known.items)
        if known and criterion and criterion not in criteria:
            yield _unknown(line, "criterion", criterion, "question", criteria)
        if known:
            yield from _value(line, known, criterion)


def _value(line: Line, known: Known, criterion: str) -> Iterator[Found]:
    text = line.cells["value"]
    asked = [one for one in known.criteria if criterion in ("", one.id)]
    if not text or not asked:
        return
    if all(one.is_number for one in asked):
        if number_in(text) is None:
            yield _no_number(line, "value", text, "the number that the item gets")
        return
    options = list(dict.fromkeys(option for one in asked for option in one.options))
    if text in options or any(one.is_number and number_in(text) is not None for one in asked):
        return
    if options and not any(one.is_number for one in asked):
        what = f"the value {shown(text)} is none of the answers that people could give"
        yield Found(what, f"Write {listed(options)}, or leave it empty", line.row, ("value",), text, options)


def _judge_name(line: Line) -> Iterator[Found]:
    name = line.cells["judge"]
    if not name:
        yield Found("the name of the judge is missing", "Write it in the column judge", line.row, ("judge",))
    elif name == EXAMPLE_JUDGE:
        remedy = f"Replace {EXAMPLE_JUDGE} in each row with the name of your judge"
        yield Found("the row still has the name of the example", remedy, line.row, ("judge",))


def _about_one(line: Line) -> Iterator[Found]:
    pair, stimulus = line.cells.get("pair", ""), line.cells.get("stimulus", "")
    if pair and stimulus:
        remedy = "Leave one of the two empty: a row is about a pair, or about one stimulus"
        yield Found("the row names a pair and a stimulus", remedy, line.row, ("pair", "stimulus"))
    elif not pair and not stimulus:
        named = [name for name in ("pair", "stimulus") if name in line.cells]
        yield Found("the pair is missing", f"Write its name in the column {listed(named)}", line.row, named)
    elif stimulus and line.cells.get("choice"):
        remedy = "Leave choice empty, and give a score"
        yield Found("a choice is of a pair, and the row is about one stimulus", remedy, line.row, ("choice",))


def _choice(line: Line, pairs: Mapping[str, KnownPair]) -> Iterator[Found]:
    text = line.cells.get("choice", "")
    if text in ("", *_CHOICES):
        return
    pair = pairs.get(line.cells.get("pair", ""))
    remedy = "Write a, b or tie, or leave it empty where the judge does not say"
    if text.lower() in _CHOICES:
        remedy = f"Write {text.lower()}"
    elif pair and text in (pair.a, pair.b):
        remedy = f"Write {'a' if text == pair.a else 'b'}, which is {shown(text)} in this pair"
    elif text.lower() in ("left", "right"):
        remedy = "Write a or b, the members of the pair; left and right differ from person to person"
    yield Found(f"the choice is {shown(text)}", remedy, line.row, ("choice",))


def _score(line: Line, number: float | None) -> Iterator[Found]:
    text = line.cells.get("score", "")
    if not text:
        return
    if number is None:
        yield _no_number(line, "score", text, "a number")
    elif line.cells.get("scale") == "probability" and line.cells.get("pair") and not 0 <= number <= 1:
        what = f"the score {text} is no probability, as the column scale says"
        yield Found(what, "Write a number from 0 to 1", line.row, ("score", "scale"))


def _no_number(line: Line, column: str, text: str, wanted: str) -> Found:
    percent = number_in(text.removesuffix("%").strip()) if text.endswith("%") else None
    comma = number_in(text.replace(",", ".")) if text.count(",") == 1 else None
    remedy = f"Write {wanted}, or leave it empty"
    if percent is not None:
        remedy = f"Write {percent / 100:g}"
    elif comma is not None:
        remedy = f"Write {comma:g}, with a point"
    return Found(f"the {column} is {shown(text)}, which is no number", remedy, line.row, (column,))


def _one_of(line: Line, column: str, allowed: Sequence[str]) -> Iterator[Found]:
    text = line.cells.get(column, "")
    if text and text not in allowed:
        yield Found(
            f"the {column} is {shown(text)}",
            f"Write {listed(allowed)}, or leave it empty",
            line.row,
            (column,),
        )


def _twice(line: Line, seen: dict[tuple[str, ...], int], names: Sequence[str]) -> Iterator[Found]:
    key = tuple(line.cells.get(name, "") for name in names)
    first = seen.setdefault(key, line.row)
    if first != line.row and any(key[1:]):
        what = f"row {first} is about the same by the same judge"
        remedy = "Take one of the two out; of repeated runs, number them in a column run"
        yield Found(what, remedy, line.row, [name for name in names if line.cells.get(name)])


def _names(
    line: Line, known: Known, pairs: Mapping[str, KnownPair], names: Sequence[str], stimuli: Sequence[str]
) -> Iterator[Found]:
    if line.cells.get("study", "") not in ("", known.slug):
        return
    pair, stimulus = line.cells.get("pair", ""), line.cells.get("stimulus", "")
    if pair and pair not in pairs and pair not in known.others:
        yield _unknown(line, "pair", pair, "pair", names)
    if stimulus and stimulus not in known.stimuli:
        yield _unknown(line, "stimulus", stimulus, known.noun, stimuli)


def _unknown(line: Line, column: str, value: str, noun: str, names: Sequence[str]) -> Found:
    what = f"this study has no {noun} {shown(value)}"
    remedy = (
        "Correct the name, or take the row out; the example lists all names" if names else "Take the row out"
    )
    return Found(what, remedy, line.row, (column,), value, names)


def _mixed(judge: str, rows: Sequence[Line]) -> Iterator[Found]:
    first = next((line for line in rows if line.cells.get("pair")), None)
    alone = next((line for line in rows if line.cells.get("stimulus") and not line.cells.get("pair")), None)
    if first and alone:
        what = f"{shown(judge)} judges pairs and single stimuli"
        yield Found(what, "Give one of the two, or two names", max(first.row, alone.row), ("judge",))
    scales = {line.cells.get("scale", "") for line in rows} & set(_SCALES)
    if len(scales) > 1:
        remedy = "Write the same scale in each row of a judge"
        yield Found(f"{shown(judge)} has two scales", remedy, rows[0].row, ("judge", "scale"))


def _scored(judge: str, rows: Sequence[Line], numbers: dict[int, float | None]) -> Iterator[Found]:
    """Scores against choices; a cause that all rows share is said once."""
    scored = [
        (line, number)
        for line in rows
        if line.cells.get("pair") and (number := numbers[line.row]) is not None
    ]
    if not scored:
        return
    scales = {line.cells.get("scale", "") for line in rows}
    values = [number for _, number in scored]
    is_probability = "support" not in scales and all(0 <= value <= 1 for value in values)
    middle = 0.5 if is_probability else 0.0
    wrong = [
        (line, number)
        for line, number in scored
        if _contradicts(line.cells.get("choice", ""), number - middle)
    ]
    has_choice = any(line.cells.get("choice") for line, _ in scored)
    if (
        not scales & set(_SCALES)
        and min(values) >= 0
        and max(values) > 1
        and len(values) > 1
        and (wrong or not has_choice)
    ):
        what = f"the scores of {shown(judge)} go from {min(values):g} to {max(values):g}"
        remedy = "score is the probability that a is chosen, from 0 to 1"
        if max(values) <= 100:
            remedy += ": divide percentages by 100"
        remedy += ". Scores above 0 for a and below 0 for b have support in a column scale"
        worst = next(line for line, value in scored if value > 1)
        others = [line.row for line, _ in scored]
        yield Found(what, _sentence(remedy), worst.row, ("score",), others=others)
        return
    decided = [line for line, number in scored if line.cells.get("choice") in ("a", "b") and number != middle]
    if len(wrong) == len(decided) >= _FEWEST_ALIKE:
        what = f"in all {counted(len(wrong), 'row')} of {shown(judge)} with both, the choice and the score disagree"
        remedy = (
            "score is the probability that a is chosen: write 1 − score, or swap a and b in choice"
            if is_probability
            else "score is above 0 where a is chosen: change its sign, or swap a and b in choice"
        )
        others = [line.row for line, _ in wrong]
        yield Found(what, _sentence(remedy), wrong[0][0].row, ("choice", "score"), others=others)
        return
    for line, number in wrong:
        right = "a" if number > middle else "b"
        text = line.cells["score"]
        what = (
            f"the choice and the score disagree. The score {text} says that {right} is the likelier one, "
            f"the choice says {line.cells['choice']}"
        )
        other = "below" if right == "a" else "above"
        remedy = f"Write {right} as the choice, or a score {other} {middle:.2f}"
        yield Found(what, remedy, line.row, ("choice", "score"))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _contradicts(choice: str, lean: float) -> bool:
    meant = {"a": 1.0, "b": -1.0, "tie": 0.0}.get(choice)
    return meant is not None and lean != 0 and math.copysign(1.0, lean) != meant


def number_in(text: str) -> float | None:
    """The finite number that a cell is; None for any other text."""
    try:
        number = float(text) if is_plain(text) else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _renamed(line: Line) -> Line:
    """A metric of single stimuli may call its columns item and value."""
    cells = dict(line.cells)
    cells["stimulus"] = cells.pop("item")
    if "score" not in cells:
        cells["score"] = cells.pop("value", "")
    return Line(line.row, cells)


def _renamed_back(found: Found) -> Found:
    names = {"stimulus": "item", "score": "value"}
    columns = [names.get(name, name) for name in found.columns]
    return replace(found, columns=columns)
