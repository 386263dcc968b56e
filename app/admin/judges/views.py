"""The data of the judges page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from app.admin.pages import AdminPage
from app.jobs.queue import JobView
from app.judges.checking import Check
from app.judges.known import Criterion
from app.judges.standing import About, JudgeHere
from app.reports.page.drawn import Drawn, ShownSection

Kind = Literal["pairs", "items", "both", "play", "none"]


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """A judge that can run here and has not; `package` is empty for ours."""

    name: str
    title: str
    is_chosen: bool
    package: str


@dataclass(frozen=True, slots=True)
class CannotRun:
    """The judges that cannot run on this study for the same reason."""

    names: Sequence[str]
    reason: str


@dataclass(frozen=True, slots=True)
class TrainedCard:
    """A trained judge in four facts; `ran` is true where it has judged these pairs already."""

    name: str
    facts: Sequence[tuple[str, str]]
    is_chosen: bool
    ran: bool


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A finished run: its figures and numbers as on Results, and the judges in it.

    `missing` is the reason why there is nothing to show, or only verdicts. `is_blinded`: results about people are left
    out while the study runs. `is_current` is false once answers have come in since.
    """

    job: JobView
    says: str
    about: About
    missing: str
    warning: str
    notes: Sequence[str]
    drawn: Sequence[Drawn]
    statistics: Sequence[ShownSection]
    judges: Sequence[JudgeHere]
    files: Sequence[tuple[str, str]]
    is_blinded: bool
    is_current: bool
    is_newest: bool


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run that was asked for; `is_current` is false once answers have come in since."""

    job: JobView
    says: str
    is_shown: bool
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesPage(AdminPage):
    """`kind` is what people are asked here: pairs, items, both, neither (`play`: matches, walks), or nothing yet."""

    template: ClassVar[str] = "judges.html"
    tab: ClassVar[str] = "judges"
    slug: str
    kind: Kind
    noun: str
    question: str
    n_pairs: int
    n_items: int
    criteria: Sequence[Criterion]
    refused: Sequence[str]
    choices: Sequence[JudgeChoice]
    ran: Sequence[str]
    cannot: Sequence[CannotRun]
    trained: Sequence[TrainedCard]
    modes: Sequence[tuple[str, str]]
    form: Mapping[str, str]
    largest: str
    standing: Sequence[JobView]
    failed: JobView | None
    shown: Sequence[ShownRun]
    runs: Sequence[RunRow]
    check: Check | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage(JudgesPage):
    """The form to run judges as a page; with a script it is a dialog of the page of judges."""

    template: ClassVar[str] = "judges-run.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPage(AdminPage):
    """The answer to a file that was chosen, as a part of the page."""

    template: ClassVar[str] = "judges-checked.html"
    tab: ClassVar[str] = "judges"
    check: Check
