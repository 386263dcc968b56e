"""Rules between keys of a study file.

They examine the raw file, which may have other faults, so that they are reported together with everything else: values
of unexpected shape are skipped here and reported by the model.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from app.core.problems import Fault, Place, quoted
from app.questions.base import QuestionContext
from app.questions.registry import TYPES, type_of
from app.questions.scales import SCALES
from app.studies.file.redirects import is_address
from app.tasks.registry import BLOCKS

# What a study without blocks has instead of them.
_ALONE = ("pairs", "sample", "trials")


def broken_rules(raw: object) -> Iterator[Fault]:
    """Every broken rule, each at its place."""
    if isinstance(raw, Mapping):
        questions = list(_questions(raw))
        yield from _parts(raw)
        yield from _scale_names(raw)
        yield from _ids(questions)
        yield from _one_choice(questions)
        for place, question in questions:
            yield from _column(place, question)
            if type_ := TYPES.get(type_of(question) or ""):
                around = QuestionContext({**_keys(raw.get("scales")), **SCALES}, _is_of_pairs(place))
                yield from type_.faults(place, question, around)
        yield from _code_to_send(raw)


Keys = Mapping[str, Any]
Questions = Sequence[tuple[Place, Keys]]


def _keys(value: object) -> Keys:
    """The keys of a mapping or of a model; empty for anything else."""
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
        model = BLOCKS.get(str(block.get("task")))
        if model is not None and "questions" in model.model_fields:
            lists[*place, "questions"] = block.get("questions")
        else:
            lists[*place, "trials", "questions"] = _keys(block.get("trials")).get("questions")
    for place, questions in lists.items():
        for index, question in enumerate(_list(questions)):
            if keys := _keys(question):
                yield (*place, index), keys


def _parts(raw: Keys) -> Iterator[Fault]:
    """Check the parts of a study: pairs and trials, or blocks."""
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
        if _is_of_pairs(place):
            of_block.setdefault(place[:-1], []).append((place, type_of(question)))
    for where, asked in of_block.items():
        choices = [place for place, type_ in asked if type_ == "2afc"]
        if not choices:
            remedy = "add `{id: choice, type: 2afc, ask: ...}`"
            yield Fault(where, "no question of type 2afc: there is nothing to choose", remedy)
        for place in choices[1:]:
            yield Fault(place, "a second question of type 2afc", "keep one; ask the rest as choice or likert")


def _is_of_pairs(place: Place) -> bool:
    """True if a question belongs to a trial with two clips, whose answers have columns of their own."""
    return place[-3:-1] == ("trials", "questions")


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


def _column(place: Place, question: Keys) -> Iterator[Fault]:
    """Check that `choice`, `uncertainty` and `rationale` match the exported columns of those names."""
    id_, type_ = _id(question) or "", type_of(question)
    needed = next((name for name, each in TYPES.items() if id_ in each.kept_ids), None)
    if _is_of_pairs(place) and needed is not None and type_ is not None and type_ != needed:
        message = f"the id {quoted(id_)} is kept for a {needed} question: the data have a column for it"
        yield Fault((*place, "id"), message, f"choose another id, or type {needed}")


def _code_to_send(raw: Keys) -> Iterator[Fault]:
    completion = _keys(raw.get("completion"))
    codes = _keys(completion.get("codes"))
    code, finished, redirect = completion.get("code"), codes.get("finished"), completion.get("redirect")
    if code is not None and finished is not None and code != finished:
        yield Fault(
            ("completion", "codes", "finished"),
            "there are two codes for who finished, `code` and `codes.finished`",
            "write one of them",
        )
    if code is None and finished is None and isinstance(redirect, str) and "{code}" in redirect:
        yield Fault(
            ("completion", "redirect"), "redirect sends {code}, but there is no `code`", "add `code:`"
        )
    for name, end in codes.items():
        if isinstance(end, str) and is_address(end) and "{code}" in end:
            yield Fault(
                ("completion", "codes", name),
                "this address takes the place of a code, so that {code} means nothing in it",
                "write the code out",
            )
