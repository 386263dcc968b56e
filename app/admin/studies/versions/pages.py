"""What the pages of a study's versions are given."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from app.admin.pages import AdminPage
from app.core.problems import Problem
from app.studies.file.difference import Difference
from app.studies.history import Comparison
from app.studies.listing import VersionLine


@dataclass(frozen=True, slots=True)
class FaultLine:
    """Something to correct, and where in the form that is done."""

    place: str
    message: str
    remedy: str
    link: str


@dataclass(frozen=True, slots=True)
class Unsaved:
    """The draft. `changes` is None where there is no version to compare it with; `may_save` that nothing is wrong."""

    revision: int
    saved_at: datetime | None
    saved_by: str
    faults: Sequence[FaultLine]
    changes: Sequence[Difference] | None
    next_number: int
    needs_reason: bool

    @property
    def may_save(self) -> bool:
        return not self.faults


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionsPage(AdminPage):
    """`reason` is what was typed; `problems` what is wrong with an uploaded study file."""

    template: ClassVar[str] = "versions.html"
    tab: ClassVar[str] = "versions"
    slug: str
    versions: Sequence[VersionLine]
    unsaved: Unsaved | None
    choices: Sequence[tuple[str, str]]
    reason: str = ""
    reason_error: str = ""
    problems: Sequence[Problem] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparePage(AdminPage):
    template: ClassVar[str] = "versions-compare.html"
    tab: ClassVar[str] = "versions"
    slug: str
    comparison: Comparison
    choices: Sequence[tuple[str, str]]
