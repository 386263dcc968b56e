"""What the list of studies and a study's overview are given."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from app.admin.pages import AdminPage
from app.admin.studies.steps import Step
from app.studies.access import SharedWith
from app.studies.drafts import DraftView
from app.studies.listing import StudyLine


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiesPage(AdminPage):
    """The studies that are not archived, or those that are; `n_archived` counts the latter in any case."""

    template: ClassVar[str] = "studies-list.html"
    tab: ClassVar[str] = "studies"
    studies: Sequence[StudyLine]
    archived: bool
    n_archived: int


@dataclass(frozen=True, slots=True)
class CountLine:
    """Sessions of one mode: how many came, and how many went to the end."""

    mode: str
    n: int
    n_completed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewPage(AdminPage):
    """`steps` come with how each stands; `email` is what was typed into the form that shares.

    `name` is what was typed to confirm that the study is to be deleted.
    """

    template: ClassVar[str] = "studies-overview.html"
    tab: ClassVar[str] = "overview"
    study: StudyLine
    address: str
    draft: DraftView
    steps: Sequence[tuple[Step, str]]
    counts: Sequence[CountLine]
    shared_with: Sequence[SharedWith]
    email: str = ""
    name: str = ""
