"""Rules between keys of a study file.

They look at the raw file, which may be wrong elsewhere, so that they are reported together with everything
else: what is not of the expected shape is passed over here, and named by the model.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from app.studies.file.problems import Fault, Place, nearest, quoted
from app.studies.file.questions import type_of
from app.studies.file.scales import SCALES

# Ids with a column of their own in the exported data, and what a question of that id must be.
_COLUMN_TYPES = {"choice": "2afc", "uncertainty": "likert", "rationale": "text"}
# What a study without blocks has instead of them.
_ALONE = ("pairs", "sample", "trials")
_ENDS = ("minimum", "maximum")
# Of a scale's number of steps: 0.1 is not quite a tenth.
ROUNDING = 1e-9
_DOUBT = ("uncertain", "unsure", "not ", "guess")


def broken_rules(raw: object) -> Iterator[Fault]:
    """Every broken rule, each at its place."""
    if isinstance(raw, Mapping):
        questions = list(_questions(raw))
        yield from _parts(raw)
        yield from _scale_names(raw)
        yield from _ids(questions)
        yield from _one_choice(questions)
        for place, question in questions:
            yield from _labels_or_scale(raw, place, question)
            yield from _range(place, question)
            yield from _column(raw, place, question)
            yield from _certainty(place, question)
            yield from _anchors(raw, place, question)
            yield from _yes_no(place, question)
        yield from _code_to_send(raw)


Keys = Mapping[str, Any]
Questions = Sequence[tuple[Place, Keys]]


def _labels(raw: Keys, question: Keys) -> tuple[str, ...]:
    """A likert's labels, written out or by scale; empty when there are none to be found."""
    labels = question.get("labels")
    if labels is None:
        labels = {**_keys(raw.get("scales")), **SCALES}.get(str(question.get("scale")))
    return tuple(label for label in _list(labels) if isinstance(label, str))


def _keys(value: object) -> Keys:
    """The keys of a mapping or of a model; of anything else, none."""
    return value if isinstance(value, Mapping) else dict(value) if isinstance(value, BaseModel) else {}


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, (list, tuple)) else ()


def _id(question: Keys) -> str | None:
    """The id as the model will take it."""
    id_ = question.get("id")
    return id_.strip() if isinstance(id_, str) else None


def _blocks(raw: Keys) -> list[tuple[Place, Keys]]:
    """The blocks, each with its place; without `blocks:` the file itself is one."""
    listed = [(("blocks", at), _keys(block)) for at, block in enumerate(_list(raw.get("blocks")))]
    return [*listed] or [((), raw)]


def _questions(raw: Keys) -> Iterator[tuple[Place, Keys]]:
    """Every question with its place: `("background", i)`, `("trials", "questions", i)`, or those within a block."""
    lists: dict[Place, object] = {("background",): raw.get("background")}
    for place, block in _blocks(raw):
        if block.get("task") == "rating":
            lists[*place, "questions"] = block.get("questions")
        else:
            lists[*place, "trials", "questions"] = _keys(block.get("trials")).get("questions")
    for place, questions in lists.items():
        for index, question in enumerate(_list(questions)):
            if keys := _keys(question):
                yield (*place, index), keys


def _parts(raw: Keys) -> Iterator[Fault]:
    """What a study consists of: pairs and trials, or blocks."""
    blocks = _blocks(raw)
    if blocks[0][0]:
        for key in _ALONE:
            if raw.get(key) is not None:
                remedy = f"move `{key}` into a block of pairs, or remove `blocks`"
                yield Fault((key,), f"both `blocks` and `{key}` are given", remedy)
        yield from _block_ids(blocks)
    elif "blocks" in raw and not any(raw.get(key) is not None for key in _ALONE):
        if isinstance(raw["blocks"], (list, tuple)):
            yield Fault(("blocks",), "there is no block", "list at least one, with `id` and `task`")
        return
    elif "trials" not in raw:
        yield Fault(("trials",), "trials is missing", "add `trials:`")
    for place, block in blocks:
        if not place or block.get("task") == "pair":
            yield from _pairs_or_sample(place, block)


def _block_ids(blocks: Sequence[tuple[Place, Keys]]) -> Iterator[Fault]:
    seen: set[str] = set()
    for place, block in blocks:
        id_ = _id(block)
        if id_ in seen:
            yield Fault(
                (*place, "id"), f"the block {quoted(id_ or '')} comes twice", "give each block its own id"
            )
        if id_ is not None:
            seen.add(id_)


def _pairs_or_sample(place: Place, raw: Keys) -> Iterator[Fault]:
    given = [key for key in ("pairs", "sample") if raw.get(key) is not None]
    if len(given) == 2:
        yield Fault((*place, "sample"), "both `pairs` and `sample` are given", "keep one of the two")
    elif not given:
        where = next(((*place, key) for key in ("pairs", "sample") if key in raw), place)
        yield Fault(where, "neither `pairs` nor `sample` is given", "add `pairs: pairs.csv` or a `sample:`")


def _one_choice(questions: Questions) -> Iterator[Fault]:
    of_block: dict[Place, list[tuple[Place, str | None]]] = {}
    for place, question in questions:
        if _is_of_trial(place):
            of_block.setdefault(place[:-1], []).append((place, type_of(question)))
    for where, asked in of_block.items():
        choices = [place for place, type_ in asked if type_ == "2afc"]
        if not choices:
            remedy = "add `{id: choice, type: 2afc, ask: ...}`"
            yield Fault(where, "no question of type 2afc: there is nothing to choose", remedy)
        for place in choices[1:]:
            yield Fault(place, "a second question of type 2afc", "keep one; ask the rest as choice or likert")


def _is_of_trial(place: Place) -> bool:
    """Whether a question is of a trial with two clips, whose answers have columns of their own."""
    return place[-3:-1] == ("trials", "questions")


def _anchors(raw: Keys, place: Place, question: Keys) -> Iterator[Fault]:
    """Keep anchors to the answers that there are."""
    labels = _labels(raw, question)
    for answer in _keys(question.get("anchors")):
        number = finite_number(answer)
        if labels and number is not None and number > len(labels):
            message = f"an anchor of answer {number:g}, and there are {len(labels)} answers"
            yield Fault((*place, "anchors"), message, "give anchors to the answers that there are")


def _yes_no(place: Place, question: Keys) -> Iterator[Fault]:
    """Keep questions that have a right answer to two options."""
    options = _list(question.get("options"))
    if question.get("yes_no") is True and len(options) != 2:
        message = f"a yes_no question has two options, and there are {len(options)}"
        yield Fault(
            (*place, "yes_no"), message, "give two options, first that of the true source, or remove it"
        )


def _ids(questions: Questions) -> Iterator[Fault]:
    seen: set[tuple[Place, str]] = set()
    for place, question in questions:
        id_ = _id(question)
        if id_ is not None and (place[:-1], id_) in seen:
            message = f"the id {quoted(id_)} comes twice"
            yield Fault((*place, "id"), message, "give each question its own id")
        seen.add((place[:-1], id_ or ""))


def _scale_names(raw: Keys) -> Iterator[Fault]:
    for name in _keys(raw.get("scales")):
        if name in SCALES:
            yield Fault(("scales", name), f"the scale {quoted(name)} is built in", "choose another name")


def _labels_or_scale(raw: Keys, place: Place, question: Keys) -> Iterator[Fault]:
    if type_of(question) != "likert":
        return
    scale, known = question.get("scale"), [*SCALES, *_keys(raw.get("scales"))]
    if scale is not None and question.get("labels") is not None:
        yield Fault((*place, "scale"), "both `labels` and `scale` are given", "keep one of the two")
    elif scale is None and question.get("labels") is None:
        yield Fault(place, "a likert question has neither `labels` nor `scale`", "add one of the two")
    elif isinstance(scale, str) and scale not in known:
        remedy = nearest(scale, known, f"define it under `scales`, or use {', '.join(sorted(SCALES))}")
        yield Fault((*place, "scale"), f"there is no scale {quoted(scale)}", remedy)


def _range(place: Place, question: Keys) -> Iterator[Fault]:
    type_ = type_of(question)
    if type_ in ("number", "slider"):
        ends = (0, 100) if type_ == "slider" else (None, None)
        low, high = (finite_number(question.get(key, end)) for key, end in zip(_ENDS, ends, strict=True))
        if low is not None and high is not None and not low < high:
            message = f"there is nothing to answer between {low:g} and {high:g}"
            where = "maximum" if "maximum" in question else "minimum"
            yield Fault((*place, where), message, "make `minimum` less than `maximum`")
        elif type_ == "slider" and low is not None and high is not None:
            yield from _steps(place, question, low, high)


def _steps(place: Place, question: Keys, low: float, high: float) -> Iterator[Fault]:
    step = finite_number(question.get("step", 1))
    if step is None or step <= 0:
        return
    steps = (high - low) / step
    if abs(steps - round(steps)) > ROUNDING * max(1, steps):
        message = f"steps of {step:g} from {low:g} do not end at {high:g}"
        where = "step" if "step" in question else "maximum"
        yield Fault((*place, where), message, "choose a `step` that divides the whole scale")


def finite_number(value: object) -> float | None:
    """The number that a value is or says; None where it is none."""
    try:
        number = float(value) if isinstance(value, (str, int, float)) else math.nan
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _column(raw: Keys, place: Place, question: Keys) -> Iterator[Fault]:
    """Keep `choice`, `uncertainty` and `rationale` what the exported columns of those names mean."""
    id_, type_ = _id(question) or "", type_of(question)
    needed = _COLUMN_TYPES.get(id_)
    if not _is_of_trial(place) or needed is None or type_ is None:
        return
    if type_ != needed:
        message = f"the id {quoted(id_)} is kept for a {needed} question: the data have a column for it"
        yield Fault((*place, "id"), message, f"choose another id, or type {needed}")
    elif id_ == "uncertainty":
        yield from _uncertainty(place, _labels(raw, question))


def _certainty(place: Place, question: Keys) -> Iterator[Fault]:
    """Keep the slider `certainty` what the exported column of that name means: more is more certain."""
    if not _is_of_trial(place) or _id(question) != "certainty" or type_of(question) != "slider":
        return
    labels = [label for label in _list(question.get("labels")) if isinstance(label, str)]
    if labels and _doubtful(labels[-1]) and not _doubtful(labels[0]):
        message = "`certainty` runs the wrong way: the largest number is the most certain"
        yield Fault((*place, "labels"), message, "turn the labels round, or choose another id")


def _uncertainty(place: Place, labels: tuple[str, ...]) -> Iterator[Fault]:
    if labels and _doubtful(labels[0]) and not _doubtful(labels[-1]):
        message = "`uncertainty` runs the wrong way: answer 1 is the most certain one"
        yield Fault((*place, "labels"), message, "turn the labels round, or choose another id")


def _doubtful(label: str) -> bool:
    return any(word in label.lower() for word in _DOUBT)


def _code_to_send(raw: Keys) -> Iterator[Fault]:
    completion = _keys(raw.get("completion"))
    redirect = completion.get("redirect")
    if completion.get("code") is None and isinstance(redirect, str) and "{code}" in redirect:
        yield Fault(
            ("completion", "redirect"), "redirect sends {code}, but there is no `code`", "add `code:`"
        )
