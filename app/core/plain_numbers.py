"""Numbers in settings that people write: pydantic alone reads `1_0` as 10."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from analysis.files.numbers import is_plain


def _whole(value: Any) -> Any:
    if isinstance(value, str) and not is_plain(value):
        raise PydanticKnownError("int_parsing")
    return value


def _decimal(value: Any) -> Any:
    if isinstance(value, str) and not is_plain(value):
        raise PydanticKnownError("float_parsing")
    return value


_LOOKS: dict[object, Callable[[Any], Any]] = {"int": _whole, "float": _decimal}


def _looked_at(schema: Any) -> Any:
    """A copy of a schema with checks added; parts already processed (of a nested model) stay as they are."""
    if isinstance(schema, list | tuple):
        return type(schema)(map(_looked_at, schema))
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    if kind == "function-before" and schema["function"]["function"] in _LOOKS.values():
        return schema
    if isinstance(kind, str) and kind in _LOOKS:
        return core_schema.no_info_before_validator_function(_LOOKS[kind], schema)
    return {key: _looked_at(each) for key, each in schema.items()}


class PlainNumbers(BaseModel):
    """A model whose numbers are plain, those in lists and mappings, too: any other text is refused as no number."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The schema that pydantic makes, with every number looked at first."""
        found: CoreSchema = _looked_at(handler(source))
        return found
