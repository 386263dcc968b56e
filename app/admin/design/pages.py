"""What the design's page is given: the form field by field, and what is still to be corrected."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal

from app.admin.pages import AdminPage

Widget = Literal["line", "text", "number", "choice", "check"]
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


@dataclass(frozen=True, slots=True)
class CardView:
    """A question or a scale. `points` are the labels of a likert that takes them from a named scale."""

    at: str
    title: str
    fields: Sequence[FieldView]
    points: Sequence[str] = ()
    error: str = ""
    is_first: bool = False
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class ListView:
    """The questions of a section, or the scales. Without `types` there is one kind of entry, in no order."""

    at: str
    title: str
    intro: str
    cards: Sequence[CardView]
    add: str
    types: Options = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class BlockView:
    """A block as the form shows it: `facts` in words, `questions` by what is asked and how it is answered.

    `page` is its page among those that participants see.
    """

    at: str
    page: str
    name: str
    task: str
    facts: Sequence[tuple[str, str]]
    questions: Sequence[tuple[str, str]]
    error: str = ""


@dataclass(frozen=True, slots=True)
class SectionView:
    """A part of the form. `page` is the participant's page that shows it."""

    id: str
    title: str
    page: PageName
    intro: str = ""
    fields: Sequence[FieldView] = ()
    pairs: str = ""
    pairs_error: str = ""
    list: ListView | None = None
    error: str = ""
    blocks: Sequence[BlockView] = ()


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
    unfilled: Sequence[str]
    is_conflict: bool = False
