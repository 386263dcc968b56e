"""The form's presentation of a study file's field, declared on the model with its limits, if its type does not say.

A field's label is its `title`, its help its `description`, its limits are the model's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class Widget:
    """`rows` are the lines of a text field; `words` the labels of choices, under "" that of none; `placeholder` an
    example.

    `items` are the labels of a list of fixed length, each entry a field of its own. `chosen_from` names what of the
    study the field is chosen from: `arms`, `groups` (conditions, groups and arms), `measures`, `means` (those with
    two ends) or `sources`.

    An `is_short` field shares its line with the next. With `is_markdown` the text is formatted; with `is_table` it is
    CSV. `is_unseen` is a hidden field; `is_nowhere` keeps a key out of forms: it is edited elsewhere. A field that
    `settles` determines the fields after it.
    """

    rows: int = 1
    words: Mapping[str, str] = field(default_factory=dict)
    placeholder: str = ""
    items: Sequence[str] = ()
    chosen_from: str = ""
    is_short: bool = False
    is_markdown: bool = False
    is_table: bool = False
    is_unseen: bool = False
    is_nowhere: bool = False
    settles: bool = False


@dataclass(frozen=True, slots=True)
class Ways:
    """A key that a study file may write in several ways, each with a name and words (`words`), and what stands there
    when it is chosen (`begins`). `model` has the fields of the present `way`; None where it is one field, `is_whole`
    where there is nothing to fill in."""

    way: str
    words: Mapping[str, str]
    begins: Mapping[str, Any]
    model: type[BaseModel] | None = None
    is_whole: bool = False


AT_ONCE = Widget()


def widget_of(metadata: object) -> Widget:
    """The widget in a field's metadata, or the default."""
    found = (each for each in metadata if isinstance(each, Widget)) if isinstance(metadata, list) else ()
    return next(iter(found), AT_ONCE)
