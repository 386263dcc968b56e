"""The data of the design page: the form field by field, and the faults to correct."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal

from app.admin.pages import AdminPage
from app.core.language import direction_of

Widget = Literal["line", "text", "table", "number", "choice", "open", "check", "hidden"]
PageName = Literal["consent", "screening", "background", "instructions", "comprehension", "trial", "debrief"]
Options = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceView:
    """One of the choices that are shown at once. `why_not` is why it cannot be made, and `change` the id of the field
    that changes that; `cost` is what it takes. Those that are `rare` stand apart.
    """

    value: str
    label: str
    about: str = ""
    cost: str = ""
    why_not: str = ""
    change: str = ""
    is_rare: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldView:
    """One field; its name is its place in the study file, and its id. A number has its `unit` after it, and the sign of
    its currency `before`; `sums` say what it comes to.

    `settles` marks what changes the form's shape: it is sent once it is chosen or left, not while it is typed.
    """

    name: str
    label: str
    widget: Widget
    value: str
    help: str
    error: str = ""
    options: Options = ()
    rows: int = 1
    is_markdown: bool = False
    is_half: bool = False
    settles: bool = False
    optional: bool = False
    placeholder: str = ""
    counts: str = ""
    before: str = ""
    unit: str = ""
    sums: Sequence[str] = ()
    choices: Sequence[ChoiceView] = ()
    is_way: bool = False


@dataclass(frozen=True, slots=True)
class FieldsView:
    """Fields that follow one another."""

    fields: Sequence[FieldView]
    is_a: ClassVar[str] = "fields"


@dataclass(frozen=True, slots=True)
class GroupView:
    """Fields that belong together. Where `is_folded`, its `gist` says what stands in them."""

    at: str
    title: str
    intro: str
    parts: Sequence["Part"]
    error: str = ""
    is_folded: bool = False
    sums: Sequence[str] = ()
    gist: str = ""
    is_a: ClassVar[str] = "group"

    @property
    def has_list(self) -> bool:
        """True for a group around the list at its own place, which says what is wrong."""
        return any(isinstance(part, ListView) and part.at == self.at for part in self.parts)


@dataclass(frozen=True, slots=True)
class CardView:
    """A block, a question or a scale. `points` are the labels of a likert that uses a named scale.

    `page` is its page among those that participants see. Among many others in a block, it shows only its `gist` until
    opened; `match` is where a match of it can be tried; `is_folded` is None if it is always open.
    """

    at: str
    title: str
    parts: Sequence["Part"]
    gist: str = ""
    is_folded: bool | None = None
    about: str = ""
    said: str = ""
    page: str = ""
    points: Sequence[str] = ()
    error: str = ""
    is_first: bool = False
    is_last: bool = False
    is_named: bool = False
    match: str = ""


@dataclass(frozen=True, slots=True)
class ListView:
    """Cards: the blocks, the questions of a part, the scales. Without `types` there is one kind of entry."""

    at: str
    title: str
    intro: str
    cards: Sequence[CardView]
    noun: str
    types: Options = ()
    error: str = ""
    is_ordered: bool = True
    is_a: ClassVar[str] = "list"


@dataclass(frozen=True, slots=True)
class PicksView:
    """Boxes of which any may be ticked."""

    at: str
    title: str
    help: str
    fields: Sequence[FieldView]
    error: str = ""
    is_a: ClassVar[str] = "picks"


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A change of an arm: its field, or the part that the arm sets whole, and the part of the form that the study has
    it in."""

    at: str
    where: str
    label: str
    part: FieldsView | GroupView


@dataclass(frozen=True, slots=True)
class ChangesView:
    """The changes of an arm, and what else may change, by the parts of the form."""

    at: str
    title: str
    changes: Sequence[ChangeView]
    offered: Sequence[tuple[str, Options]]
    error: str = ""
    is_a: ClassVar[str] = "changes"


@dataclass(frozen=True, slots=True)
class WordView:
    """A text of the study, and the field of its translation. `is_gone` where the study has the text no longer."""

    field: FieldView
    original: str
    is_due: bool = False
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class TranslationsView:
    """The study's texts in its own language and another, by the parts of the form; `n_due` have no translation."""

    at: str
    title: str
    language: str
    own: str
    parts: Sequence[tuple[str, Sequence[WordView]]]
    n: int
    n_due: int
    error: str = ""
    is_folded: bool = False
    is_a: ClassVar[str] = "translations"

    @property
    def direction(self) -> str:
        return direction_of(self.language)

    @property
    def own_direction(self) -> str:
        return direction_of(self.own)


Part = FieldsView | GroupView | ListView | PicksView | ChangesView | TranslationsView


@dataclass(frozen=True, slots=True)
class SectionView:
    """A part of the form. `page` is the participant's page that shows it; `n_faults` are those in it."""

    id: str
    title: str
    page: PageName
    intro: str = ""
    parts: Sequence[Part] = ()
    pairs: str = ""
    pairs_error: str = ""
    error: str = ""
    n_faults: int = 0

    @property
    def is_list(self) -> bool:
        """True for a section of one list, which has the section's name and says what is wrong."""
        return any(isinstance(part, ListView) and part.at == self.id for part in self.parts)


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A section in the index; `n_due` are the faults and the unfilled places in it."""

    slug: str
    title: str
    n_due: int = 0


@dataclass(frozen=True, slots=True)
class FaultView:
    """A fault to correct: `at` is the id of the field, empty if the form has none.

    `drop` is the button's action if the only remedy is to remove the key.
    """

    at: str
    where: str
    message: str
    remedy: str
    drop: str = ""


@dataclass(frozen=True, slots=True)
class ClashView:
    """A place that two editors changed, with both versions as text; `place` and `value` are mine as JSON."""

    at: str
    label: str
    mine: str
    theirs: str
    place: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClashesPage(AdminPage):
    """The places that two editors changed at once, as scripts insert them into the page."""

    template: ClassVar[str] = "design-clashes.html"
    slug: str
    section: str
    revision: str
    clashes: Sequence[ClashView]
    merged_with: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultsPage(AdminPage):
    """The list of a section's faults alone, as scripts insert it into the page.

    `n_faults` counts those of all sections, `elsewhere` those of each other one, and `n_new` those of a card that was
    just added and is not in the list yet.
    """

    template: ClassVar[str] = "design-faults.html"
    slug: str
    unfilled: Sequence[str]
    faults: Sequence[FaultView]
    n_faults: int
    elsewhere: Sequence[IndexEntry]
    n_new: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldsPage(AdminPage):
    """The form's fields alone, as scripts put them into the page."""

    template: ClassVar[str] = "design-fields.html"
    slug: str
    sections: Sequence[SectionView]


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignPage(FieldsPage):
    """The page of a section, or of all of them. `is_conflict`: the fields hold typed values that are not saved.

    `newest_version` is 0 if there is none. `new` is the place of a card that was just added. `undo` and `redo` name the
    changes that these buttons act on.
    """

    template: ClassVar[str] = "design-form.html"
    tab: ClassVar[str] = "design"
    section: str
    index: Sequence[IndexEntry]
    faults: Sequence[FaultView]
    n_faults: int
    elsewhere: Sequence[IndexEntry]
    n_new: int
    new: str
    pages: Sequence[tuple[str, str]]
    shown: str
    revision: str
    saved_at: datetime | None
    saved_by: str
    newest_version: int
    next_version: int
    needs_reason: bool
    playable: Sequence[str]
    unfilled: Sequence[str]
    is_conflict: bool = False
    undo: str = ""
    redo: str = ""
    clashes: Sequence[ClashView] = ()
    merged_with: str = ""

    @property
    def number(self) -> int:
        """The section's place in the index; 0 where all are shown."""
        return next((at for at, each in enumerate(self.index, start=1) if each.slug == self.section), 0)

    @property
    def section_title(self) -> str:
        return self.index[self.number - 1].title if self.number else "All sections"
