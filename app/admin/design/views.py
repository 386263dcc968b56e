"""What the design's page is given: the form field by field, and what is still to be corrected."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal

from app.admin.pages import AdminPage

Widget = Literal["line", "text", "table", "number", "choice", "check", "hidden"]
PageName = Literal["consent", "background", "instructions", "trial", "debrief"]
Options = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldView:
    """One field; its name is its place in the study file, and its id.

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


@dataclass(frozen=True, slots=True)
class FieldsView:
    """Fields that follow one another."""

    fields: Sequence[FieldView]
    is_a: ClassVar[str] = "fields"


@dataclass(frozen=True, slots=True)
class GroupView:
    """Fields that belong together. `is_folded` where nothing need stand in them, and nothing does."""

    at: str
    title: str
    intro: str
    parts: Sequence["Part"]
    error: str = ""
    is_folded: bool = False
    is_a: ClassVar[str] = "group"


@dataclass(frozen=True, slots=True)
class CardView:
    """A block, a question or a scale. `points` are the labels of a likert that takes them from a named scale.

    `page` is its page among those that participants see. With many others in a block, it is shown by its `gist` until
    it is opened; `is_folded` is None where it is always open.
    """

    at: str
    title: str
    parts: Sequence["Part"]
    gist: str = ""
    is_folded: bool | None = None
    about: str = ""
    page: str = ""
    points: Sequence[str] = ()
    error: str = ""
    is_first: bool = False
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class ListView:
    """The blocks, the questions of a part, or the scales. Without `types` there is one kind of entry, in no order."""

    at: str
    title: str
    intro: str
    cards: Sequence[CardView]
    noun: str
    types: Options = ()
    error: str = ""
    is_a: ClassVar[str] = "list"


Part = FieldsView | GroupView | ListView


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


@dataclass(frozen=True, slots=True)
class FaultView:
    """Something to correct: `at` is the id of the field, empty where the form has none.

    `drop` is the button's action where all that can be done is to take the key out.
    """

    at: str
    where: str
    message: str
    remedy: str
    drop: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultsPage(AdminPage):
    """The list of what is to be corrected alone, as scripts put it into the page."""

    template: ClassVar[str] = "design-faults.html"
    unfilled: Sequence[str]
    faults: Sequence[FaultView]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldsPage(AdminPage):
    """The form's fields alone, as scripts put them into the page."""

    template: ClassVar[str] = "design-fields.html"
    slug: str
    sections: Sequence[SectionView]


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignPage(FieldsPage):
    """The whole page. `is_conflict` says that the fields hold what was typed, which is not saved.

    `newest_version` is 0 where there is none."""

    template: ClassVar[str] = "design-form.html"
    tab: ClassVar[str] = "design"
    faults: Sequence[FaultView]
    pages: Sequence[tuple[str, str]]
    shown: PageName
    revision: str
    saved_at: datetime | None
    saved_by: str
    newest_version: int
    next_version: int
    needs_reason: bool
    playable: Sequence[str]
    unfilled: Sequence[str]
    is_conflict: bool = False
