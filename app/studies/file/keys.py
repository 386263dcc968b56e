"""The keys of a draft: a study file's keys as edited on pages, complete or not.

Drafts come from forms, JSON and uploads, so they may contain anything. `as_written` converts them to what the YAML
reader would give; `tidied` to the form used by pages and files.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.core.errors import StudyError
from app.studies.file import hypotheses, stopping
from app.studies.file.exclusion import tidied_rules
from app.studies.file.yamlsource import MOST_NODES
from app.tasks.listed import SHORT_KEYS
from app.tasks.registry import BLOCKS, SHORT
from app.trials.tidying import Tidy, number, questions, section, stripped, whole, yes_or_no

ORDER: Sequence[str] = (
    "study",
    "title",
    "consent",
    "devices",
    "screening",
    "viewing_conditions",
    "background",
    "instructions",
    "comprehension",
    "truth",
    "pairs",
    "sample",
    "scales",
    "trials",
    "blocks",
    "block_order",
    "arms",
    "target",
    "idle_minutes",
    "opens",
    "ends",
    "stop_when",
    "exclude",
    "hypotheses",
    "retention",
    "completion",
    "recruitment",
    "languages",
)
_CONSENT = ("version", "text", "minimum_age", "play_shown")
_COMPREHENSION = ("questions", "tries", "failed")
_DEVICES = ("minimum_width", "telephones", "browsers", "smooth", "minimum_mbps", "kept")
_TRUTH = ("source",)
_COMPLETION = ("message", "code", "redirect", "contact", "minutes", "pay", "codes")
_ARM = ("id", "target", "set")
_CODES = ("finished", "no_consent", "screened_out", "failed_checks", "full", "partial", "failed")
_RECRUITMENT = ("from", "parameters", "ids", "not_if_in")
_LINK_PARAMETERS = ("participant", "study", "session")
_DEEPEST = 12
_MOST_VALUES = MOST_NODES // 2  # each may have a key
# What no page can show and no database keeps: half a character, and none.
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")


class UnwieldyDraft(StudyError):
    """Keys that no study has: nested without end, or unfolding to very many values."""

    status_code = 422
    title = "This is no study"


def as_written(keys: object) -> Any:
    """Mappings, lists, text and None, with line feeds as line ends. Raises UnwieldyDraft."""
    return _Writing().value(keys, 0)


class _Writing:
    def __init__(self) -> None:
        self.n_values = 0

    def value(self, value: object, depth: int) -> object:
        self.n_values += 1
        if depth > _DEEPEST:
            raise UnwieldyDraft(f"the study is nested more than {_DEEPEST} levels deep; it needs five")
        if self.n_values > _MOST_VALUES:
            raise UnwieldyDraft(f"the study holds more than {_MOST_VALUES} values; it needs some hundreds")
        match value:
            case None:
                return None
            case Mapping():
                return {_text(key): self.value(inner, depth + 1) for key, inner in value.items()}
            case list() | tuple():
                return [self.value(inner, depth + 1) for inner in value]
        return _text(value)


def _text(value: object) -> str:
    if isinstance(value, str):
        return _NO_CHARACTER.sub("\ufffd", value.replace("\r\n", "\n").replace("\r", "\n"))
    if isinstance(value, bool):
        return "true" if value else "false"
    if (
        isinstance(value, int) and value.bit_length() > 10_000
    ):  # Python writes no more than 4,300 decimal digits
        return f"{value:#x}"
    return str(value)


def tidied(keys: object) -> dict[str, Any]:
    """The keys as used by pages: in the documented order, without missing ones.

    Whole numbers, numbers and booleans become Python's where a key requires one and the value is one; all else is text.
    Raises UnwieldyDraft.
    """
    written = as_written(keys)
    return section(written, ORDER, _PARTS) if isinstance(written, dict) else {}


def _blocks(value: Any) -> Any:
    return [_block(block) for block in value] if isinstance(value, list) else stripped(value)


def _block(block: Any) -> Any:
    model = BLOCKS.get(str(block.get("task"))) if isinstance(block, dict) else None
    models = [model] if model else [*BLOCKS.values()]  # where the task is misspelt, say
    order = dict.fromkeys(key for each in models for key in each.key_order)
    own = {key: tidy for each in models for key, tidy in each.tidies.items()}
    return section(block, ("id", "task", "arms", "instructions", *order), {**_OF_ANY_BLOCK, **own})


def _arms(value: Any) -> Any:
    if not isinstance(value, list):
        return stripped(value)
    return [section(arm, _ARM, {"target": whole, "set": _set_by_arm}) for arm in value]


def _set_by_arm(value: Any) -> Any:
    return {str(key): _plain(inner) for key, inner in value.items()} if isinstance(value, dict) else value


def _plain(value: Any) -> Any:
    """The value with whole numbers and booleans as such, where the text can be told from them again."""
    match value:
        case dict():
            return {key: _plain(inner) for key, inner in value.items()}
        case list():
            return [_plain(inner) for inner in value]
        case "true" | "false":
            return value == "true"
    return whole(value)


_OF_ANY_BLOCK: Mapping[str, Tidy] = {"per_participant": whole, "questions": questions}
_PARTS: Mapping[str, Tidy] = {
    "consent": lambda value: section(value, _CONSENT, {"minimum_age": whole, "play_shown": yes_or_no}),
    "devices": lambda value: section(
        value,
        _DEVICES,
        {
            "minimum_width": whole,
            "telephones": yes_or_no,
            "smooth": yes_or_no,
            "minimum_mbps": number,
            "kept": yes_or_no,
        },
    ),
    "screening": questions,
    "viewing_conditions": yes_or_no,
    "background": questions,
    "comprehension": lambda value: section(value, _COMPREHENSION, {"questions": questions, "tries": whole}),
    "truth": lambda value: section(value, _TRUTH, {}),
    **{key: SHORT.tidies[key] for key in SHORT_KEYS},
    "blocks": _blocks,
    "arms": _arms,
    "target": whole,
    "idle_minutes": whole,
    "stop_when": lambda value: section(
        value, stopping.KEYS, {"narrower_than": number, "expected": number, "at_least": whole}
    ),
    "exclude": tidied_rules,
    "hypotheses": hypotheses.tidy,
    "retention": lambda value: section(value, ("days",), {"days": whole}),
    "completion": lambda value: section(
        value,
        _COMPLETION,
        {"minutes": whole, "codes": lambda codes: section(codes, _CODES, {})},
    ),
    "recruitment": lambda value: section(
        value, _RECRUITMENT, {"parameters": lambda names: section(names, _LINK_PARAMETERS, {})}
    ),
}
