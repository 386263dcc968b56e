"""The form's presentation of a study file's field, declared on the model with its limits, if its type does not say.

A field's label is its `title`, its help its `description`, its limits are the model's own.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
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

    `unit` follows a number, in words (`seconds`, `a person`); a number that `is_money` is in the minor units of the
    part's currency, and shown in its main unit with its sign. `is_open` shows all choices at once, and `is_boxes` a
    list of fixed words as boxes. `values` are the values that boxes stand for where these are not their names, and
    `name_of` gives the name of the box for a value as a study file may write it.

    `fields` is the model whose fields a mapping has that the study file keeps as it is written.

    An `is_rare` field stands with others that are seldom changed, folded, where its part has many. An `is_short` field
    shares its line with the next. With `is_markdown` the text is formatted; with `is_table` it is
    CSV. `is_unseen` is a hidden field; `is_nowhere` keeps a key out of forms: it is edited elsewhere. A field that
    `settles` determines the fields after it.
    """

    rows: int = 1
    words: Mapping[str, str] = field(default_factory=dict)
    placeholder: str = ""
    items: Sequence[str] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    name_of: Callable[[Any], str] = str
    fields: type[BaseModel] | None = None
    chosen_from: str = ""
    unit: str = ""
    is_money: bool = False
    is_open: bool = False
    is_boxes: bool = False
    is_rare: bool = False
    is_short: bool = False
    is_markdown: bool = False
    is_table: bool = False
    is_unseen: bool = False
    is_nowhere: bool = False
    settles: bool = False


@dataclass(frozen=True, slots=True)
class RuledOut:
    """The reason why a choice cannot be made, and the key in its part by which that changes."""

    why: str
    change: str


@dataclass(frozen=True, slots=True)
class Ways:
    """A key that a study file may write in several ways, each with a name and words (`words`), and what stands there
    when it is chosen (`begins`). `model` has the fields of the present `way`; None where it is one field, `is_whole`
    where there is nothing to fill in. `about` says what a way means, and `costs` what it takes; the `rare` ways
    stand apart. Those that are `alike` have the same fields, whose values say which of them it is. With `items` the way
    is a list with a field for each of these labels, and with an `entry` one of parts of this model. `title` is the
    label of the choice between the ways."""

    way: str
    words: Mapping[str, str]
    begins: Mapping[str, Any]
    model: type[BaseModel] | None = None
    is_whole: bool = False
    about: Mapping[str, str] = field(default_factory=dict)
    costs: Mapping[str, str] = field(default_factory=dict)
    rare: Collection[str] = ()
    alike: Collection[str] = ()
    title: str = "Preset"
    items: Sequence[str] = ()
    entry: type[BaseModel] | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """A text that names something and its settings (`adaptive:beta=0.2`): the names with their `words`, and a model
    with the `settings` of each that has some. A setting has a field where it has a title and is not rare, or is
    given."""

    words: Mapping[str, str]
    settings: Mapping[str, type[BaseModel]] = field(default_factory=dict)


_BETWEEN = re.compile(r"(?<!\\):")


def named_parts(text: str) -> list[str]:
    """The name in such a text, then its settings as KEY=VALUE. A colon that belongs to a value is written `\\:`."""
    return [part.replace("\\:", ":").strip() for part in _BETWEEN.split(text.strip())]


def named_text(name: str, settings: Mapping[str, str]) -> str:
    """The text of a name and its settings, as `named_parts` reads it."""
    return ":".join((name, *(f"{key}={_value(value)}" for key, value in settings.items())))


def _value(value: str) -> str:
    # A backslash at the end would belong to the colon after it; blanks around a value are none of it.
    written = value.replace(":", "\\:")
    return f"{written} " if written.endswith("\\") else written


@dataclass(frozen=True, slots=True)
class Shape:
    """The form of a part as far as it depends on the part's own keys, each by its path in the part.

    `currency` is that of its amounts of money. Keys that are `idle` do not apply and are left out of the form.
    `named` are texts with settings, and `ruled_out` choices that cannot be made now. `sums` are sentences on what a
    field or a group comes to. `fields` are the models of mappings whose fields depend on the part's keys.
    """

    currency: str = ""
    idle: Collection[str] = ()
    named: Mapping[str, Named] = field(default_factory=dict)
    ruled_out: Mapping[str, Mapping[str, RuledOut]] = field(default_factory=dict)
    sums: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fields: Mapping[str, type[BaseModel]] = field(default_factory=dict)


AT_ONCE = Widget()


def widget_of(metadata: object) -> Widget:
    """The widget in a field's metadata, or the default."""
    for each in metadata if isinstance(metadata, list) else ():
        if isinstance(each, Widget):
            return each
    return AT_ONCE
