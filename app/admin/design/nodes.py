"""The structure of the design form: fields, groups of fields and lists of cards, each at its place in the file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from app.core.problems import Place
from app.core.widgets import RuledOut, Ways, Widget, widget_of

Model = type[BaseModel]
Kind = Literal["text", "number", "lines", "yes-no", "choice", "entries", "yaml", "tag", "way", "whole"]
How = Literal["key", "kept", "item", "pick", "null", "word", "own", "setting"]
WAY, WHOLE = "way", "*"
_NOUNS = {"task": "block", "rule": "rule"}
_NOUNS_AT = {"arms": "arm", "hypotheses": "hypothesis"}


@dataclass(frozen=True, slots=True)
class Leaf:
    """One field. `value` is the draft's, None if absent; `options` are those of a choice, a tag or a way.

    A `way` chooses the form in which the key above it is written; `ways` has the value for each. A `whole` is no field
    of its own: it says that an arm sets the part above it. `how` it is written:
    a `key` goes when it is empty or a default, one that is `kept` stays; an `item` is an entry of a list of fixed
    length (`n_items`), a `pick` stands in its list or does not, as its `pick` where that is not its name; `null` says
    that a key is given and empty; a `word` is a translation of an `original`, and `own` the language of the study
    itself. A `setting` stands in the text `of` another field, one that is `named`.
    `currency` is that of an amount of money; `ruled_out` are the options that others rule out, and `sums` say what the
    value comes to.
    """

    place: Place
    info: FieldInfo
    kind: Kind
    value: Any
    options: Mapping[str, str]
    numbers: bool = False
    ways: Ways | None = None
    how: How = "key"
    title: str = ""
    original: Any = None
    currency: str = ""
    ruled_out: Mapping[str, RuledOut] = field(default_factory=dict)
    sums: Sequence[str] = ()
    n_items: int = 0
    named: bool = False
    of: "Leaf | None" = None
    pick: Any = None

    @property
    def key(self) -> str:
        return str(self.place[-1])

    @property
    def label(self) -> str:
        return self.title or label_of(self.key, self.info)

    @property
    def widget(self) -> Widget:
        return widget_of(self.info.metadata)


@dataclass(frozen=True, slots=True)
class Group:
    """The fields of a model; of an entry of a list, `model` is None where its type is unknown.

    `is_picks`: its fields are the boxes of one list. It `is_rare` where it is seldom changed, and `is_none` where it is
    not given and stands for nothing.
    """

    place: Place
    title: str
    help: str
    value: Any
    parts: tuple["Node", ...]
    is_optional: bool = False
    model: Model | None = None
    is_picks: bool = False
    sums: Sequence[str] = ()
    is_rare: bool = False
    is_none: bool = False


@dataclass(frozen=True, slots=True)
class Cards:
    """A list of parts that differ by their `tag`: questions by `type`, blocks by `task`, exclusion rules by `rule`.

    Others are of one kind, without a tag: arms, hypotheses, residents of a game. `usual` is what the list has where it
    is not given. One that `is_kept` stays where it is empty: an arm may have none of what the study has.
    """

    place: Place
    title: str
    help: str
    tag: str
    variants: Mapping[str, Model]
    entries: tuple[Group, ...]
    usual: Sequence[Mapping[str, Any]] = ()
    is_kept: bool = False

    @property
    def noun(self) -> str:
        own = getattr(self.variants.get(""), "noun", "")
        return _NOUNS_AT.get(str(self.place[-1])) or own or _NOUNS.get(self.tag, "question")

    @property
    def none(self) -> list[Any] | None:
        """The value of an empty list: no key, unless that would bring the usual entries back."""
        return [] if self.usual or self.is_kept else None

    @property
    def name_key(self) -> str:
        """The key that names an entry of a list of one kind: its first; empty where entries have tags or no name."""
        has_name = not self.tag and isinstance(getattr(self.variants[""], "named", None), str)
        return next(iter(self.variants[""].model_fields)) if has_name else ""

    @property
    def nouns(self) -> str:
        return {"hypothesis": "hypotheses"}.get(self.noun, f"{self.noun}s")


@dataclass(frozen=True, slots=True)
class Changes:
    """The values that an arm sets, each by the path of a key in the study file, with the field of that key, or with
    the fields of a part that the arm sets whole.

    `where` has for each path the part of the form in which the study has the key, and `usual` the study's own field.
    """

    place: Place
    title: str
    help: str
    entries: tuple[Leaf | Group, ...]
    where: Mapping[str, str]
    usual: Mapping[str, Leaf]


Node = Leaf | Group | Cards | Changes


def label_of(key: str, info: FieldInfo) -> str:
    """A field's label: every field of a study file has its title, and a key is none (tests/studies/test_labels.py)."""
    return info.title or key


def default_of(leaf: Leaf) -> Any:
    """The value of a key that is not given."""
    return None if leaf.info.is_required() else leaf.info.default


def leaves(node: Node) -> Iterator[Leaf]:
    if isinstance(node, Leaf):
        yield node
    else:
        for part in node.parts if isinstance(node, Group) else node.entries:
            yield from leaves(part)


def lists(node: Node) -> Iterator[Cards]:
    """Every list; outer ones before those they contain."""
    if isinstance(node, Cards):
        yield node
    if not isinstance(node, Leaf):
        for part in node.parts if isinstance(node, Group) else node.entries:
            yield from lists(part)


def groups(node: Node) -> Iterator[Group]:
    if isinstance(node, Group):
        yield node
    if not isinstance(node, Leaf):
        for part in node.parts if isinstance(node, Group) else node.entries:
            yield from groups(part)


def changes(node: Node) -> Iterator[Changes]:
    """The changes of the arms, one after the other."""
    if isinstance(node, Changes):
        yield node
    if not isinstance(node, Leaf):
        for part in node.parts if isinstance(node, Group) else node.entries:
            yield from changes(part)


def boxes_of_values(info: FieldInfo, said: Widget, held: Sequence[Any], place: Place) -> tuple[Leaf, ...]:
    """A box for each value of a list, and for each other one that it has."""
    given = {said.name_of(each): each for each in held}
    return tuple(
        Leaf(
            (*place, name),
            info,
            "yes-no",
            name in given,
            {},
            how="pick",
            title=said.words.get(name, f"{name}, which is none of these"),
            pick=given.get(name, said.values.get(name)),
        )
        for name in dict.fromkeys((*said.values, *given))
    )
