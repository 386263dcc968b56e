"""A study's keys in a form in which the same study is the same value: defaults, labels and pairs written out."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from app.studies.file.design import StudyDesign
from app.studies.file.drafts import draft_of_design, keys_of_design, keys_of_sample
from app.studies.file.items import read_item_file
from app.studies.file.keys import tidied
from app.studies.file.model import Completion, Truth
from app.studies.file.pairs import COLUMNS, read_pair_file
from app.studies.file.questions import QUESTIONS, type_of
from app.studies.file.rules import finite_number
from app.studies.file.scales import SCALES
from app.tasks.pair.settings import Sample, Trials

PairKeys = Mapping[str, str]
_CELLS = COLUMNS[1:]


def comparable(keys: object) -> dict[str, Any]:
    """A draft's. Lists of questions and of pairs become mappings by id, and what says nothing goes."""
    draft = tidied(keys)
    if isinstance(draft.get("blocks"), list):
        draft["blocks"] = _blocks(draft["blocks"], draft)
    pairs = draft.pop("pairs", None)
    sample = draft.get("sample")
    if isinstance(sample, dict) and isinstance(kept := sample.pop("drawn", None), str):
        pairs = kept if pairs is None else pairs
    return _comparable(draft, _listed_pairs(pairs) if isinstance(pairs, str) else pairs)


def comparable_design(design: StudyDesign) -> dict[str, Any]:
    """A stored version's: how its pairs were drawn, and which they are."""
    if not design.is_one_block:
        return comparable(draft_of_design(design, {}))
    drawn = {"sample": keys_of_sample(design.sample)} if design.sample else {}
    cells = ((p.id, p.a, p.b, p.condition, p.truth or "", p.kind) for p in design.pairs)
    return _comparable(tidied({**keys_of_design(design), **drawn}), _rows(cells))


def _comparable(draft: dict[str, Any], pairs: Any) -> dict[str, Any]:
    own = draft.pop("scales", None)
    labels = {**(own if isinstance(own, dict) else {}), **SCALES}
    trials = {} if "blocks" in draft else _with_defaults(Trials, draft.get("trials", {}))
    if isinstance(trials, dict) and trials:
        trials["questions"] = _by_id(trials.get("questions"), labels)
    sample = draft.get("sample")
    if isinstance(sample, dict) and isinstance(sample.get("match"), str):
        sample["match"] = [sample["match"]]
    known = {
        "background": _by_id(draft.get("background"), labels),
        "truth": _with_defaults(Truth, draft.get("truth", {})),
        "sample": _with_defaults(Sample, sample),
        "trials": trials,
        "completion": _with_defaults(Completion, draft.get("completion", {})),
    }
    return {**_without_nothing({**draft, **known}), **({"pairs": pairs} if pairs else {})}


def _blocks(blocks: list[Any], draft: Mapping[str, Any]) -> Any:
    """Blocks by their ids; each as a study of its own would be, as far as it has the same keys."""
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
    keys = dict(block)
    if isinstance(keys.get("trials"), dict):
        trials = keys["trials"] = _with_defaults(Trials, keys["trials"])
        trials["questions"] = _by_id(trials.get("questions"), labels)
    if "questions" in keys:
        keys["questions"] = _by_id(keys["questions"], labels)
    if isinstance(keys.get("pairs"), str):
        keys["pairs"] = _listed_pairs(keys["pairs"])
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


def _by_id(questions: Any, labels: Mapping[str, Any]) -> Any:
    """Questions by their ids, or by their number where an id is missing or not theirs alone."""
    if not isinstance(questions, list):
        return questions
    named: dict[str, Any] = {}
    for number, question in enumerate(questions, start=1):
        id_ = question.get("id") if isinstance(question, dict) else None
        name = id_ if isinstance(id_, str) and id_ and id_ not in named else f"#{number}"
        named[name] = _question(question, labels)
    return named


def _question(question: Any, labels: Mapping[str, Any]) -> Any:
    model = QUESTIONS.get(type_of(question) or "") if isinstance(question, dict) else None
    if model is None:
        return question
    keys = _with_defaults(model, question)
    limits = {key: finite_number(keys.get(key)) for key in ("minimum", "maximum")}
    keys |= {key: limit for key, limit in limits.items() if limit is not None}
    scale = keys.get("scale")
    if isinstance(scale, str) and scale in labels and keys.get("labels") is None:
        keys = {**keys, "scale": None, "labels": list(labels[scale])}
    return keys


def _listed_pairs(text: str) -> Any:
    """Rows by the pairs' ids; the text itself where it cannot be read."""
    found = read_pair_file("", text, by_row=True)
    if found.problems:
        return text
    return _rows((row.id, row.a, row.b, row.condition, row.truth or "", row.kind) for row in found.rows)


def _rows(cells: Iterable[tuple[str, ...]]) -> dict[str, PairKeys]:
    return {id_: dict(zip(_CELLS, rest, strict=True)) for id_, *rest in cells}
