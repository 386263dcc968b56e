"""The data of the judges page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from app.admin.pages import AdminPage
from app.jobs.queue import JobView


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """A judge; `cannot` says why it cannot judge this study, empty where it can. `package` is empty for ours."""

    name: str
    title: str
    is_chosen: bool
    cannot: str
    package: str


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One group of pairs in a judge's table: each number with that of one participant for comparison."""

    name: str
    pairs: str
    agrees: str
    agrees_people: str
    finds: str
    finds_people: str
    ranks: str
    ranks_people: str


@dataclass(frozen=True, slots=True)
class JudgePanel:
    """One judge against people; `standing` is `ok`, `bad` or empty and colours the finding."""

    name: str
    finding: str
    standing: str
    sentences: Sequence[str]
    rows: Sequence[GroupRow]


@dataclass(frozen=True, slots=True)
class FigureView:
    address: str
    alt: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A finished run. `missing` is the reason why there is nothing to show, or only verdicts.

    `is_blinded`: results about people are left out while the study runs.
    """

    job: JobView
    says: str
    missing: str
    warning: str
    notes: Sequence[str]
    judges: Sequence[JudgePanel]
    comparisons: Sequence[str]
    figure: FigureView | None
    files: Sequence[tuple[str, str]]
    is_blinded: bool
    is_of_items: bool = False


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run that was asked for; `is_current` is false once answers have come in since."""

    job: JobView
    says: str
    is_shown: bool
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesPage(AdminPage):
    template: ClassVar[str] = "judges.html"
    tab: ClassVar[str] = "judges"
    slug: str
    refused: Sequence[str]
    choices: Sequence[JudgeChoice]
    modes: Sequence[tuple[str, str]]
    form: Mapping[str, str]
    largest: str
    standing: Sequence[JobView]
    failed: JobView | None
    shown: ShownRun | None
    has_pairs: bool
    has_ratings: bool
    runs: Sequence[RunRow]
