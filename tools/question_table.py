"""The table of question types in docs/study-file.md, made from their settings: `python -m tools.question_table`."""

from collections.abc import Iterator
from pathlib import Path

from pydantic.fields import FieldInfo

from app.questions.registry import TYPES
from tools.made import write_part
from tools.wrap_markdown import LONGEST

PAGE = Path(__file__).parents[1] / "docs" / "study-file.md"
MAKER = "tools/question_table.py"
_HEAD = "| key | of type | value | default | rule |\n|---|---|---|---|---|\n"
_LIMITS = {"ge": "at least", "gt": "more than", "le": "at most", "max_length": "at most"}
_ORDER = ("id", "ask", "type", "required")


def table() -> str:
    """A row for each key that is the same in all its types."""
    rows: dict[tuple[str, str, str, str], list[str]] = {}
    for name, key, field in _fields():
        rule = (field.description or "").removesuffix(".")
        limits = [
            f"{words} {n:g}"
            for limit in field.metadata
            for name, words in _LIMITS.items()
            if (n := getattr(limit, name, None)) is not None and str(n) not in rule
        ]
        named = "; ".join([rule[:1].lower() + rule[1:], *limits])
        # A type's own word is its literal; what it is, its row says.
        row = (key, "word" if key == "type" else _kind(field), _default(field), named)
        rows.setdefault(row, []).append(name)
    in_order = sorted(rows.items(), key=lambda row: _place(row[0][0]))
    return _HEAD + "".join(line for row, types in in_order for line in _lines(row, types))


def _lines(row: tuple[str, str, str, str], types: list[str]) -> list[str]:
    """A key's line; one for each of its types where it would be too long."""
    key, kind, default, rule = row
    line = f"| `{key}` | {_types(types)} | {kind} | {default} | {rule} |"
    if len(line) > LONGEST and len(types) > 1:
        return [each for one in types for each in _lines(row, [one])]
    return [line + "\n"]


def _fields() -> Iterator[tuple[str, str, FieldInfo]]:
    for name, type_ in TYPES.items():
        for key, field in type_.settings.model_fields.items():
            yield name, key, field


def _place(key: str) -> int:
    return _ORDER.index(key) if key in _ORDER else len(_ORDER)


def _types(names: list[str]) -> str:
    return "all" if len(names) == len(TYPES) else ", ".join(f"`{name}`" for name in names)


def _kind(field: FieldInfo) -> str:
    schema = str(field.annotation)
    words = {"tuple": "list of texts", "bool": "true or false", "int": "whole number", "float": "number"}
    return next((kind for word, kind in words.items() if word in schema), "text")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    value = field.default
    return "none" if value is None else f"`{str(value).lower() if isinstance(value, bool) else value}`"


def main() -> None:
    write_part(PAGE, MAKER, table())


if __name__ == "__main__":
    main()
