"""A study's keys in a form in which the same study is the same value: defaults, labels and pairs written out."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from app.questions.drafted import by_id, with_defaults
from app.questions.scales import SCALES
from app.studies.file import hypotheses
from app.studies.file.checks import comparable_checks
from app.studies.file.design import StudyDesign
from app.studies.file.devices import Devices
from app.studies.file.drafts import keys_of_design
from app.studies.file.exclusion import comparable_rules
from app.studies.file.keys import tidied
from app.studies.file.model import Completion, StudyFile, Truth
from app.studies.file.recruitment import LinkParameters, Recruitment
from app.tasks.listed import SHORT_KEYS, SHORT_TASK
from app.tasks.registry import BLOCKS, SHORT
from app.trials.design import BLOCK

# A row of a list, by its columns.
RowKeys = Mapping[str, str]


def has_blocks(keys: object) -> bool:
    return isinstance(keys, Mapping) and keys.get("blocks") is not None


def blocks_in(keys: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The blocks of a draft, as far as they are any."""
    blocks = keys.get("blocks")
    return [block for block in blocks if isinstance(block, Mapping)] if isinstance(blocks, list) else []


def as_blocks(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a study without blocks, written as the one block that they are short for."""
    if has_blocks(keys):
        return dict(keys)
    own = {key: keys[key] for key in SHORT_KEYS if key in keys}
    blocks = [{"id": BLOCK, "task": SHORT_TASK, **own}] if own else []
    return {**{key: value for key, value in keys.items() if key not in SHORT_KEYS}, "blocks": blocks}


def unit_counts(keys: Mapping[str, Any]) -> Mapping[str, int]:
    """The number of units that a draft requests by task, in the order of its blocks; no stimulus is looked at."""
    counts = Counter[str]()
    for block in blocks_in(as_blocks(keys)):
        if (task := str(block.get("task"))) in BLOCKS:
            counts[task] += BLOCKS[task].n_units(block)
    return counts


def comparable(keys: object, *, in_blocks: bool = False) -> dict[str, Any]:
    """A draft's. Lists of questions and of units become mappings by id, and what says nothing goes.

    With `in_blocks` a study without blocks is written as the one block that it is short for.
    """
    draft = as_blocks(tidied(keys)) if in_blocks else tidied(keys)
    if isinstance(draft.get("blocks"), list):
        draft["blocks"] = _blocks(draft["blocks"], draft)
        draft.setdefault("block_order", StudyFile.model_fields["block_order"].default)
    return _comparable(draft)


def comparable_design(design: StudyDesign, *, in_blocks: bool = False) -> dict[str, Any]:
    """A stored version's: how its pairs were drawn, and which they are."""
    keys, rows = keys_of_design(design), [dict(block.rows()) for block in design.blocks]
    if not design.is_one_block:
        blocks = [{**block, **listed} for block, listed in zip(keys["blocks"], rows, strict=True)]
        return comparable({**keys, "blocks": blocks})
    return comparable({**keys, **rows[0]}, in_blocks=in_blocks)


def _comparable(draft: dict[str, Any]) -> dict[str, Any]:
    own = draft.pop("scales", None)
    labels = {**(own if isinstance(own, dict) else {}), **SCALES}
    known = {
        "background": by_id(draft.get("background"), labels),
        "truth": with_defaults(Truth, draft.get("truth", {})),
        **({"arms": _arms(draft["arms"])} if isinstance(draft.get("arms"), list) else {}),
        "exclude": comparable_rules(draft.get("exclude")),
    }
    keys = {key: draft[key] for key in SHORT_KEYS if key in draft}
    of_block = SHORT.comparable(keys if "blocks" in draft else {"trials": {}, **keys}, labels)
    rows: dict[str, Any] = {}
    for key, *_ in SHORT.lists:  # rows come last, as they are
        draft.pop(str(key), None)
        rows |= {str(key): listed} if (listed := of_block.pop(str(key), None)) else {}
    known |= comparable_checks(draft, labels)
    known |= {"devices": with_defaults(Devices, draft["devices"])} if "devices" in draft else {}
    if "hypotheses" in draft:
        known["hypotheses"] = hypotheses.comparable(draft["hypotheses"])
    known |= {**of_block, "completion": _completion(draft.get("completion", {}))}
    known |= {"recruitment": _recruitment(draft["recruitment"])} if "recruitment" in draft else {}
    return {**_without_nothing({**draft, **known}), **rows}


def _arms(arms: list[Any]) -> dict[str, Any]:
    """Arms by their ids."""
    return {
        str(arm["id"]) if isinstance(arm, dict) and arm.get("id") else f"#{number}": arm
        for number, arm in enumerate(arms, start=1)
    }


def _completion(completion: Any) -> Any:
    keys = with_defaults(Completion, completion)
    return {**keys, "codes": completion.get("codes")} if isinstance(completion, dict) else keys


def _recruitment(recruitment: Any) -> Any:
    keys = with_defaults(Recruitment, recruitment)
    names = recruitment.get("parameters", {}) if isinstance(recruitment, dict) else {}
    return {**keys, "parameters": with_defaults(LinkParameters, names)} if isinstance(keys, dict) else keys


def _blocks(blocks: list[Any], draft: Mapping[str, Any]) -> Any:
    """Blocks by id, each in the form of a study of its own, as far as it has the same keys."""
    own = draft.get("scales")
    labels = {**(own if isinstance(own, dict) else {}), **SCALES}
    named: dict[str, Any] = {}
    for number, block in enumerate(blocks, start=1):
        if not isinstance(block, dict):
            named[f"#{number}"] = block
            continue
        id_ = block.get("id")
        name = id_ if isinstance(id_, str) and id_ and id_ not in named else f"#{number}"
        named[name] = _block(block, labels)
    return named


def _block(block: dict[str, Any], labels: Mapping[str, Any]) -> dict[str, Any]:
    model = BLOCKS.get(str(block.get("task")))
    keys = with_defaults(model, block) if model else dict(block)
    for name, field in model.model_fields.items() if model else ():
        if isinstance(field.default, BaseModel):
            of_part = keys[name] if isinstance(keys[name], dict) else {}
            keys[name] = with_defaults(type(field.default), of_part)
    return model.comparable(keys, labels) if model else keys


def _without_nothing(value: Any) -> Any:
    """Texts without blanks round them, and no empty list, mapping or text."""
    if isinstance(value, str):
        return value.strip()
    if not isinstance(value, dict):
        return value
    inner = {key: _without_nothing(part) for key, part in value.items()}
    return {key: part for key, part in inner.items() if part not in (None, "", [], (), {})}


def drawn_as_asked(was: Mapping[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The new keys without previously drawn pairs if the requested draw has changed, in the study or in a block."""
    if isinstance(blocks := new.get("blocks"), list):
        before = {str(block.get("id")): block for block in blocks_in(was)}
        kept = [
            drawn_as_asked(before.get(str(block.get("id")), {}), block) if isinstance(block, dict) else block
            for block in blocks
        ]
        return {**new, "blocks": kept}
    old, sample = was.get("sample"), new.get("sample")
    if not isinstance(old, dict) or not isinstance(sample, dict) or sample.get("drawn") != old.get("drawn"):
        return new
    rules = ({key: value for key, value in each.items() if key != "drawn"} for each in (old, sample))
    return new if next(rules) == (asked := next(rules)) else {**new, "sample": asked}
