"""What the data page is given."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from app.admin.pages import AdminPage
from app.jobs.queue import JobView


@dataclass(frozen=True, slots=True)
class TableRow:
    """One downloadable table and what a row of it is."""

    what: str
    title: str
    about: str


@dataclass(frozen=True, slots=True)
class RunRow:
    """A report or package that was asked for; `link` opens it, empty until it is there, or while it `is_blinded`."""

    job: JobView
    asked_at: datetime
    says: str
    link: str
    is_current: bool
    is_blinded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPage(AdminPage):
    """`answers` counts answered main trials by mode; `modes` can be chosen for labels and reports.

    `walks` are the runs that made clips of walks; None where nobody walks.
    """

    template: ClassVar[str] = "data.html"
    tab: ClassVar[str] = "data"
    slug: str
    tables: Sequence[TableRow]
    answers: Sequence[tuple[str, int]]
    modes: Sequence[tuple[str, str]]
    reports: Sequence[RunRow]
    packages: Sequence[RunRow]
    walks: Sequence[RunRow] | None = None
    form: dict[str, str]
