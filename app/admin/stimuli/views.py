"""The data of the clip pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from app.admin.pages import AdminPage
from app.admin.stimuli.chooser import Chooser
from app.catalog.collections import CollectionView
from app.catalog.sheet import Change
from app.core.problems import Problem
from app.jobs.queue import JobView
from app.library.uploads import UploadView
from app.tasks.rating.views import RecordView

Options = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class EditForm:
    """A clip's form. What cannot be changed says why; `attributes` are (name, value)."""

    name: str
    source: str
    attributes: Sequence[tuple[str, str]]
    fixed_name: str = ""
    fixed_source: str = ""


@dataclass(frozen=True, slots=True)
class ClipCard:
    """One stimulus in the library; addresses carry the hash, so that a clip processed anew is fetched anew.

    A record or a text (`kind`) has no `clip` and no `poster`, but an `excerpt`.
    """

    name: str
    kind: str
    source: str
    attributes: Sequence[tuple[str, str]]
    facts: str
    seconds: str
    used: str
    added_at: datetime
    clip: str
    poster: str
    excerpt: str
    form: EditForm


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryPage(AdminPage):
    """The library. `studies` are those that two chosen clips can be put into as a pair; `sheet` is the address of the
    table of what fits. `marks` are those of the sources; `n_before` is how many were shown before more were asked for.
    `collection` is the one that is shown alone.

    `n_other` clips of the collection `of_rules` (its name and title) were processed by other rules than its own;
    `is_moved` where clips were put into it just now.
    """

    template: ClassVar[str] = "stimuli-library.html"
    tab: ClassVar[str] = "stimuli"
    chooser: Chooser
    cards: Sequence[ClipCard]
    counted: str
    is_table: bool
    here: str
    keys: Sequence[str]
    sheet: str
    studies: Options
    collections: Options
    known_sources: Sequence[str]
    marks: Mapping[str, str]
    n_before: int
    n_other: int
    of_rules: tuple[str, str]
    may_apply: bool
    is_moved: bool
    reprocessing: JobView | None
    may_cancel: bool
    collection: str


@dataclass(frozen=True, slots=True)
class UseRow:
    """A use of a clip; `link` is empty if the user does not see the study."""

    place: str
    pairs: str
    is_frozen: bool
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipPage(AdminPage):
    """One stimulus: its picture, or its content (`record`, or `text` as HTML), and its uses. `fixed` says why the user
    cannot change it, and is empty where they can.
    """

    template: ClassVar[str] = "stimuli-clip.html"
    tab: ClassVar[str] = "stimuli"
    card: ClipCard
    facts: Sequence[tuple[str, str]]
    added_at: datetime
    uses: Sequence[UseRow]
    known_sources: Sequence[str]
    back: str
    has_original: bool
    record: RecordView | None
    text: str
    fixed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPage(AdminPage):
    """The changes that a returned table would make; `text` and `digest` are sent with the confirmation."""

    template: ClassVar[str] = "stimuli-sheet.html"
    tab: ClassVar[str] = "stimuli"
    changes: Sequence[Change]
    n_changes: int
    n_clips: int
    faults: Sequence[Problem]
    n_rows: int
    text: str
    digest: str


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A file that has come and is not in the library yet; `says` where it is in the queue."""

    upload: UploadView
    says: str


@dataclass(frozen=True, slots=True)
class FrameSize:
    """The one frame size of a collection's clips, empty while none is set, and the rule for it; `may_change` it."""

    size: str
    rule: str
    may_change: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadPage(AdminPage):
    """The upload form. `typed` is the input of a form that was not accepted; `faults` name its refused files;
    `estimate` says about how long the files in the queue take.
    """

    template: ClassVar[str] = "stimuli-upload.html"
    tab: ClassVar[str] = "stimuli"
    known_sources: Sequence[str]
    known_keys: Sequence[str]
    typed: Mapping[str, str]
    faults: Sequence[str]
    unfinished: Sequence[UploadView]
    queue: Sequence[QueueRow]
    estimate: str
    recent: Sequence[UploadView]
    largest_bytes: int
    small_bytes: int
    frame: FrameSize
    collection: CollectionView
    choices: Sequence[CollectionView]


@dataclass(frozen=True, slots=True)
class MaskRow:
    """One box, in percent of the picture, as typed."""

    number: int
    x: str
    y: str
    width: str
    height: str
    error: str


@dataclass(frozen=True, slots=True)
class TriedClip:
    """The clip that the rules are tried on."""

    name: str
    original: str
    frame: str
    duration_s: float


@dataclass(frozen=True, slots=True)
class Preview:
    """A clip before and after; empty until its job is done."""

    job: JobView
    before: str = ""
    after: str = ""
    frame: str = ""
    facts: Sequence[tuple[str, str, str]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesPage(AdminPage):
    """`values` are the fields as typed or, before that, the rules in force; `errors` by field."""

    template: ClassVar[str] = "stimuli-rules.html"
    tab: ClassVar[str] = "stimuli"
    values: Mapping[str, str]
    errors: Mapping[str, str]
    masks: Sequence[MaskRow]
    clip: TriedClip | None
    clip_name: str
    names: Sequence[str]
    n_clips: int
    n_other: int
    preview: Preview | None
    reprocessing: JobView | None
    may_cancel: bool
    last: JobView | None
    saved_at: datetime | None
    frame: FrameSize
    collection: CollectionView
    choices: Sequence[CollectionView]


@dataclass(frozen=True, slots=True)
class ClueRow:
    """One line of the table of clues; the plot is SVG of our own making, all text in it escaped."""

    title: str
    finding: str
    warns: bool
    auc: str
    interval: str
    p: str
    within: str
    comparisons: Sequence[str]
    difference: str
    remedy: str
    plot: str


@dataclass(frozen=True, slots=True)
class ClueRun:
    """A report that was asked for."""

    job: JobView
    says: str
    is_shown: bool
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CluesPage(AdminPage):
    """A finished report, on the current clips (`is_current`) or earlier ones, and all requested reports."""

    template: ClassVar[str] = "clues.html"
    tab: ClassVar[str] = "clues"
    slug: str
    n_clips: int
    counted: str
    has_clips: bool
    of_what: str
    standing: JobView | None
    failed: JobView | None
    shown: JobView | None
    is_current: bool
    verdict: str
    says: str
    because: Sequence[str]
    sources: str
    together: str
    rows: Sequence[ClueRow]
    small_rows: Sequence[ClueRow]
    inside: Sequence[ClueRow]
    inside_says: str
    threshold: str
    runs: Sequence[ClueRun]
