"""Rules between keys of a study file.

They examine the raw file, which may have other faults, so that they are reported together with everything else: values
of unexpected shape are skipped here and reported by the model.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from app.core.problems import Fault, Place, quoted
from app.questions.base import QuestionContext
from app.questions.checked import faults_of_key
from app.questions.registry import TYPES, type_of
from app.questions.scales import SCALES
from app.studies.file import hypotheses
from app.studies.file.arms import faults_of_arms
from app.studies.file.checks import CHECKED, checked_key, faults_of_checks
from app.studies.file.exclusion import broken_exclusion
from app.studies.file.recruitment import broken_rules as recruitment_rules
from app.studies.file.redirects import is_address
from app.studies.file.stopping import faults_of_stop
from app.tasks.listed import SHORT_KEYS
from app.tasks.registry import BLOCKS, SHORT
from app.trials.parts import BlockSettings
from app.trials.stimuli import NO_SOURCE
from app.trials.tidying import yes_or_no


def broken_rules(raw: object) -> Iterator[Fault]:
    """Every broken rule, each at its place."""
    if isinstance(raw, Mapping):
        questions = list(_questions(raw))
        yield from _parts(raw)
        yield from _scale_names(raw)
        yield from _ids(questions)
        yield from _of_blocks(raw)
        for place, question, of_two in questions:
            yield from _column(place, question) if of_two else ()
            if type_ := TYPES.get(type_of(question) or ""):
                around = QuestionContext({**_keys(raw.get("scales")), **SCALES}, of_two)
                yield from type_.faults(place, question, around)
                if key := checked_key(_names(place)):
                    yield from faults_of_key(key, place, question, around)
        yield from faults_of_checks(raw)
        yield from broken_exclusion(raw)
        yield from _hypotheses(raw)
        yield from faults_of_stop(
            raw, _keys(raw.get("stop_when")), ends_in(raw), _judged(raw), has_two=_has_two(raw)
        )
        yield from _code_to_send(raw)
        yield from faults_of_arms(raw, [each for each in _blocks(raw) if each[0]] or [((), {})])
        completion = {**_keys(raw.get("completion"))}
        yield from recruitment_rules(
            raw.get("study"),
            _keys(raw.get("recruitment")),
            {**completion, "codes": _keys(completion.get("codes"))},
        )


Keys = Mapping[str, Any]
Questions = Sequence[tuple[Place, Keys, bool]]


def _keys(value: object) -> Keys:
    """The keys of a mapping or of a model; empty for anything else."""
    return value if isinstance(value, Mapping) else dict(value) if isinstance(value, BaseModel) else {}


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, (list, tuple)) else ()


def _names(place: Place) -> tuple[str, ...]:
    """A place by its keys alone."""
    return tuple(part for part in place if isinstance(part, str))


def _id(question: Keys) -> str | None:
    """The id as the model will take it."""
    id_ = question.get("id")
    return id_.strip() if isinstance(id_, str) else None


def _blocks(raw: Keys) -> list[tuple[Place, Keys]]:
    """The blocks, each with its place; without `blocks:` the file itself is one."""
    listed = [(("blocks", at), _keys(block)) for at, block in enumerate(_list(raw.get("blocks")))]
    return [*listed] or [((), raw)]


def _has_two(raw: Keys) -> bool:
    """True if a block shows two stimuli at a time."""
    return any(_model(block).of_two for _, block in _blocks(raw))


def _model(block: Keys) -> type[BlockSettings]:
    """The settings of a block; of the short form where it names no task, as a file without blocks."""
    return BLOCKS.get(str(block.get("task")), SHORT)


def _questions(raw: Keys) -> Iterator[tuple[Place, Keys, bool]]:
    """Every question with its place, and whether a trial shows two stimuli: those about oneself before, of none."""
    for listed in (("background",), *CHECKED):
        yield from ((*at, False) for at in _listed(raw, listed))
    for place, block in _blocks(raw):
        model = _model(block)
        yield from (((*place, *at), question, model.of_two) for at, question in _asked(block))
        checks = _listed(block, (*model.attention_at, "questions"))
        yield from (((*place, *at), question, False) for at, question in checks)


def _asked(block: Keys) -> Iterator[tuple[Place, Keys]]:
    """The questions of a block, with their places in it."""
    model = _model(block)
    has_questions = model.questions_at[0] in model.model_fields
    return _listed(block, model.questions_at) if has_questions else iter(())


def _listed(keys: Keys, place: Place) -> Iterator[tuple[Place, Keys]]:
    value: object = keys
    for key in place:
        value = _keys(value).get(str(key))
    for index, question in enumerate(_list(value)):
        if own := _keys(question):
            yield (*place, index), own


def _parts(raw: Keys) -> Iterator[Fault]:
    """Check the parts of a study: pairs and trials, or blocks."""
    blocks = _blocks(raw)
    if blocks[0][0]:
        for key in SHORT_KEYS:
            if raw.get(key) is not None:
                remedy = f"move `{key}` into a block of pairs, or remove `blocks`"
                yield Fault((key,), f"both `blocks` and `{key}` are given", remedy)
        yield from _block_ids(blocks)
    elif not _has_parts(raw):
        if isinstance(raw["blocks"], (list, tuple)):
            yield Fault(("blocks",), "there is no block", "list at least one, with `id` and `task`")
        return
    elif "trials" not in raw:
        yield Fault(("trials",), "trials is missing", "add `trials:`")


def _has_parts(raw: Keys) -> bool:
    """False where `blocks` is there, and neither a block in it nor anything in their place."""
    return (
        bool(_list(raw.get("blocks")))
        or "blocks" not in raw
        or any(raw.get(k) is not None for k in SHORT_KEYS)
    )


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


def _of_blocks(raw: Keys) -> Iterator[Fault]:
    """Rules that the task of each block has."""
    for place, block in _blocks(raw) if _has_parts(raw) else ():
        if place and str(block.get("task")) not in BLOCKS:
            continue
        asked = [((*place, *at), question) for at, question in _asked(block)]
        yield from _model(block).broken_rules(place, block, asked)


def _ids(questions: Questions) -> Iterator[Fault]:
    seen: set[tuple[Place, str]] = set()
    for place, question, _ in questions:
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
    if needed is not None and type_ is not None and type_ != needed:
        message = f"the id {quoted(id_)} is kept for a {needed} question: the data have a column for it"
        yield Fault((*place, "id"), message, f"choose another id, or type {needed}")


def _hypotheses(raw: Keys) -> Iterator[Fault]:
    """Faults of hypotheses among their own keys, and with the blocks and the truth."""
    about_items, has_pairs = _measured(raw)
    yield from hypotheses.broken_rules(
        raw.get("hypotheses"),
        about_items,
        has_pairs=has_pairs,
        has_truth=_keys(raw.get("truth")).get("source") != NO_SOURCE,
    )


def _measured(raw: Keys) -> tuple[Mapping[str, Keys], bool]:
    """The questions about items by their ids, and whether there are pairs."""
    models = [
        (_model(block), block)
        for place, block in _blocks(raw)
        if not place or str(block.get("task")) in BLOCKS
    ]
    questions = {
        id_: question
        for model, block in models
        for _, question in (() if model.of_two else _asked(block))
        if (id_ := _id(question)) is not None
    }
    return questions, any(model.of_two for model, _ in models)


def about_items(raw: Keys) -> Mapping[str, Keys]:
    """The questions about items by their ids."""
    return _measured(raw)[0]


def measures_in(raw: Keys) -> tuple[Mapping[str, Keys], bool]:
    """The questions about items that are answered with a number, by their ids, and whether there are pairs: the
    measures of a hypothesis."""
    questions, has_pairs = _measured(raw)
    return hypotheses.numbered(questions), has_pairs


def ends_in(raw: Keys) -> Mapping[str, Sequence[tuple[float | None, float | None]]]:
    """The questions about items that are answered with a number, or right or wrong, by their ids, each with the lowest
    and the highest answer in every block that asks it; None where there is none: measures of a target of precision."""
    around = QuestionContext({**_keys(raw.get("scales")), **SCALES}, of_pairs=False)
    found: dict[str, list[tuple[float | None, float | None]]] = {}
    for _, block in _blocks(raw):
        for _, question in () if _model(block).of_two else _asked(block):
            id_ = _id(question)
            if id_ is not None and _is_judged(question):
                found.setdefault(id_, []).append((0.0, 1.0))
            elif id_ is not None and hypotheses.numbered({id_: question}):
                ends = TYPES[str(type_of(question))].ends_in(question, around)
                found.setdefault(id_, []).append(ends)
    return found


def _judged(raw: Keys) -> Collection[str]:
    return [id_ for id_, question in _measured(raw)[0].items() if _is_judged(question)]


def _is_judged(question: Keys) -> bool:
    return type_of(question) == "choice" and yes_or_no(question.get("yes_no")) is True


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
