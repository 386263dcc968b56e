"""Numbers in settings that people write: pydantic alone reads `1_0` as 10."""

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import ValidationInfo
from pydantic_core import PydanticKnownError

from analysis.files.numbers import is_plain


def plain_number(value: Any, annotation: Any) -> Any:
    """The value of a field, unchanged. Raises as pydantic does where a text stands for a number that is not plain."""
    kinds = set(_kinds(annotation))
    if isinstance(value, str) and not is_plain(value) and str not in kinds:
        if int in kinds:
            raise PydanticKnownError("int_parsing")
        if float in kinds:
            raise PydanticKnownError("float_parsing")
    return value


def plain_numbers(cls: Any, value: Any, info: ValidationInfo) -> Any:
    """`plain_number` of any field of a model, as its `field_validator("*", mode="before")`."""
    return plain_number(value, cls.model_fields[info.field_name].annotation)


def _kinds(annotation: Any) -> Iterator[Any]:
    yield annotation
    for each in get_args(annotation):
        yield from _kinds(each)
