"""What the list of studies and a study's overview are given."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from app.experimenter.pages import AdminPage
from app.study.access import SharedWith
from app.study.drafts import DraftView
from app.study.listing import StudyLine


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiesPage(AdminPage):
    template: ClassVar[str] = "studies-list.html"
    tab: ClassVar[str] = "studies"
    studies: Sequence[StudyLine]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a study's way. `says` is how far it is, in words; `link` where it is taken."""

    name: str
    about: str
    is_done: bool
    says: str
    link: str


@dataclass(frozen=True, slots=True)
class CountLine:
    """Sessions of one mode: how many came, and how many went to the end."""

    mode: str
    n: int
    n_completed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewPage(AdminPage):
    """`next` is the first step not done, None when all are; `email` what was typed into the form that shares."""

    template: ClassVar[str] = "studies-overview.html"
    tab: ClassVar[str] = "overview"
    study: StudyLine
    address: str
    draft: DraftView
    steps: Sequence[Step]
    next: Step | None
    counts: Sequence[CountLine]
    shared_with: Sequence[SharedWith]
    email: str = ""
