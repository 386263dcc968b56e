"""A study's keys in a form in which the same study is the same value: defaults, labels and pairs written out."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from app.questions.base import finite_number
from app.questions.registry import QUESTIONS, type_of
from app.questions.scales import SCALES
from app.studies.file.design import StudyDesign
from app.studies.file.drafts import items_as_csv, keys_of_design, keys_of_sample, pairs_as_csv
from app.studies.file.keys import tidied
from app.studies.file.model import Completion, StudyFile, Truth
from app.tasks.pair.pairs import COLUMNS, read_pair_file
from app.tasks.pair.settings import PairDesign
from app.tasks.pair.terms import Sample, Trials
from app.tasks.rating.items import read_item_file
from app.tasks.rating.settings import CRITERIA, RatingDesign
from app.tasks.registry import BLOCKS, AnyDesign
from app.trials.design import BLOCK

PairKeys = Mapping[str, str]
_CELLS = COLUMNS[1:]
OF_ONE_BLOCK = ("pairs", "sample", "trials")


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
    own = {key: keys[key] for key in OF_ONE_BLOCK if key in keys}
    blocks = [{"id": BLOCK, "task": "pair", **own}] if own else []
    return {**{key: value for key, value in keys.items() if key not in OF_ONE_BLOCK}, "blocks": blocks}


def unit_counts(keys: Mapping[str, Any]) -> Mapping[str, int]:
    """The number of units that a draft requests by task, in the order of its blocks; no stimulus is looked at."""
    counts = Counter[str]()
    for block in blocks_in(as_blocks(keys)):
        if (task := str(block.get("task"))) in BLOCKS:
            counts[task] += BLOCKS[task].n_units(block)
    return counts


def comparable(keys: object, *, in_blocks: bool = False) -> dict[str, Any]:
    """A draft's. Lists of questions and of pairs become mappings by id, and what says nothing goes.

    With `in_blocks` a study without blocks is written as the one block that it is short for.
    """
    draft = as_blocks(tidied(keys)) if in_blocks else tidied(keys)
    if isinstance(draft.get("blocks"), list):
        draft["blocks"] = _blocks(draft["blocks"], draft)
        draft.setdefault("block_order", StudyFile.model_fields["block_order"].default)
    return _comparable(draft, _taken_pairs(draft))


def comparable_design(design: StudyDesign, *, in_blocks: bool = False) -> dict[str, Any]:
    """A stored version's: how its pairs were drawn, and which they are."""
    keys, rows = keys_of_design(design), [_keys_of_rows(block) for block in design.blocks]
    if not design.is_one_block:
        blocks = [{**block, **listed} for block, listed in zip(keys["blocks"], rows, strict=True)]
        return comparable({**keys, "blocks": blocks})
    if in_blocks:
        return comparable({**keys, **rows[0]}, in_blocks=True)
    drawn = {"sample": keys_of_sample(design.sample)} if design.sample else {}
    cells = ((p.id, p.a, p.b, p.condition, p.truth or "", p.kind) for p in design.pairs)
    return _comparable(tidied({**keys, **drawn}), _rows(cells))


def _keys_of_rows(block: AnyDesign) -> dict[str, Any]:
    """A block's pairs with how they were drawn, or its items."""
    if isinstance(block, RatingDesign):
        return {"items": items_as_csv(block.items)}
    if not isinstance(block, PairDesign):
        return {}
    drawn = {"sample": keys_of_sample(block.sample)} if block.sample else {}
    return {"pairs": pairs_as_csv(block.pairs), **drawn}


def _comparable(draft: dict[str, Any], pairs: Any) -> dict[str, Any]:
    own = draft.pop("scales", None)
    labels = {**(own if isinstance(own, dict) else {}), **SCALES}
    trials = {} if "blocks" in draft else _with_defaults(Trials, draft.get("trials", {}))
    if isinstance(trials, dict) and trials:
        trials["questions"] = _by_id(trials.get("questions"), labels)
    known = {
        "background": _by_id(draft.get("background"), labels),
        "truth": _with_defaults(Truth, draft.get("truth", {})),
        "sample": _sample(draft.get("sample")),
        "trials": trials,
        "completion": _completion(draft.get("completion", {})),
    }
    return {**_without_nothing({**draft, **known}), **({"pairs": pairs} if pairs else {})}


def _taken_pairs(keys: dict[str, Any]) -> Any:
    """The pairs of a study or block, listed or drawn, which are no longer in its keys then."""
    pairs, sample = keys.pop("pairs", None), keys.get("sample")
    if isinstance(sample, dict) and isinstance(kept := sample.pop("drawn", None), str):
        pairs = kept if pairs is None else pairs
    return _listed_pairs(pairs) if isinstance(pairs, str) else pairs


def _completion(completion: Any) -> Any:
    keys = _with_defaults(Completion, completion)
    return {**keys, "codes": completion.get("codes")} if isinstance(completion, dict) else keys


def _sample(sample: Any) -> Any:
    if isinstance(sample, dict) and isinstance(sample.get("match"), str):
        sample = {**sample, "match": [sample["match"]]}
    return _with_defaults(Sample, sample)


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
    keys = _with_defaults(model, block) if model else dict(block)
    for name, field in model.model_fields.items() if model else ():
        if isinstance(field.default, BaseModel):
            of_part = keys[name] if isinstance(keys[name], dict) else {}
            keys[name] = _with_defaults(type(field.default), of_part)
    if pairs := _taken_pairs(keys):
        keys["pairs"] = pairs
    keys["sample"] = _sample(keys.get("sample"))
    if isinstance(keys.get("trials"), dict):
        trials = keys["trials"] = _with_defaults(Trials, keys["trials"])
        trials["questions"] = _by_id(trials.get("questions"), labels)
    if "questions" in keys:
        keys["questions"] = _by_id(keys["questions"], labels, CRITERIA)
    if isinstance(keys.get("items"), str):
        keys["items"] = _listed_items(keys["items"])
    return keys


def _listed_items(text: str) -> Any:
    """Rows by the items' ids; the text itself where it cannot be read."""
    found = read_item_file("", text, by_row=True)
    if found.problems:
        return text
    cells = ("stimulus", "text", "condition", "kind", "group")
    return {row.id: {cell: str(getattr(row, cell)) for cell in cells} for row in found.rows}


def _without_nothing(value: Any) -> Any:
    """Texts without blanks round them, and no empty list, mapping or text."""
    if isinstance(value, str):
        return value.strip()
    if not isinstance(value, dict):
        return value
    inner = {key: _without_nothing(part) for key, part in value.items()}
    return {key: part for key, part in inner.items() if part not in (None, "", [], (), {})}


def _with_defaults(model: type[BaseModel], keys: Any) -> Any:
    if not isinstance(keys, dict):
        return keys
    defaults = {name: field.default for name, field in model.model_fields.items() if not field.is_required()}
    return {**defaults, **keys}


def _by_id(
    questions: Any, labels: Mapping[str, Any], models: Mapping[str, type[BaseModel]] = QUESTIONS
) -> Any:
    """Questions by their ids, or by their number where an id is missing or not theirs alone."""
    if not isinstance(questions, list):
        return questions
    named: dict[str, Any] = {}
    for number, question in enumerate(questions, start=1):
        id_ = question.get("id") if isinstance(question, dict) else None
        name = id_ if isinstance(id_, str) and id_ and id_ not in named else f"#{number}"
        named[name] = _question(question, labels, models)
    return named


def _question(question: Any, labels: Mapping[str, Any], models: Mapping[str, type[BaseModel]]) -> Any:
    model = models.get(type_of(question) or "") if isinstance(question, dict) else None
    if model is None:
        return question
    keys = _with_defaults(model, question)
    limits = {key: finite_number(keys.get(key)) for key in ("minimum", "maximum")}
    keys |= {key: limit for key, limit in limits.items() if limit is not None}
    scale = keys.get("scale")
    if isinstance(scale, str) and scale in labels and keys.get("labels") is None:
        keys = {**keys, "scale": None, "labels": list(labels[scale])}
    when = keys.get("when")
    if isinstance(when, dict) and isinstance(when.get("group"), str):
        keys = {**keys, "when": {**when, "group": [when["group"]]}}
    return keys


def _listed_pairs(text: str) -> Any:
    """Rows by the pairs' ids; the text itself where it cannot be read."""
    found = read_pair_file("", text, by_row=True)
    if found.problems:
        return text
    return _rows((row.id, row.a, row.b, row.condition, row.truth or "", row.kind) for row in found.rows)


def _rows(cells: Iterable[tuple[str, ...]]) -> dict[str, PairKeys]:
    return {id_: dict(zip(_CELLS, rest, strict=True)) for id_, *rest in cells}


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
