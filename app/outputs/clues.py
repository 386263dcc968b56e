"""The clue report of a study: its clips, records and texts, the request, and its result for the launch."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from app.accounts.audit import record
from app.accounts.logins import Who
from app.catalog.uses import parts_of
from app.core.database import Database
from app.core.errors import Conflict, NotFound
from app.core.statements import Hot
from app.jobs import queue
from app.jobs.queue import JobView
from app.jobs.tables import JobStatus, Kind
from app.library.contents import is_kept
from app.library.documents import Document
from app.library.kinds import StimulusKind, kinds_in_words
from app.library.tables import Stimulus
from app.pairs.view import find_pairs
from app.studies.access import StudyHere
from app.studies.current import Current, current
from app.studies.drafts import DraftHere, draft_here
from app.studies.file.design import StudyDesign
from app.tasks.pair.settings import pairs_of
from app.tasks.rating.items import DesignItem, ItemRow, read_item_file
from app.tasks.rating.settings import RatingDesign
from app.trials.design import Kind as PairKind
from app.trials.stimuli import HUMAN, StimulusFacts, true_source_of
from app.trials.tables import Unit, UnitMember

SEED = 1


@dataclass(frozen=True, slots=True, order=True)
class ClueClip:
    """One stimulus as a study shows it; `clip_sha256` is the hash of the clip, or of the content of a record or text.

    `original_sha256` is empty if no original is kept. A `text` comes from the list of items itself and has no source:
    its condition is used instead.
    """

    name: str
    source: str
    clip_sha256: str
    original_sha256: str
    kind: str = StimulusKind.CLIP
    text: str = ""

    @property
    def shown(self) -> tuple[str, str]:
        """The facts that a report depends on."""
        return self.source, self.clip_sha256


@dataclass(frozen=True, slots=True)
class ClueClips:
    """The stimuli of a study's main pairs and items: of its newest version or, `version` being None, of its draft."""

    version: int | None
    clips: tuple[ClueClip, ...]
    true_source: str = HUMAN
    pairs: tuple[tuple[str, str], ...] = ()

    @property
    def says(self) -> str:
        """The number of each kind: `18 clips`."""
        return kinds_in_words(Counter(clip.kind for clip in self.clips))


@dataclass(frozen=True, slots=True)
class CluesState:
    """The newest finished report; `is_current` where it is of just the clips that the newest version shows.

    `says` is its verdict in one sentence, `tells` whether something gives the source away, `cannot_tell` whether there
    are too few clips to say so.
    """

    job_id: int | None
    is_current: bool
    was_seen: bool
    tells: bool
    cannot_tell: bool
    says: str


def clips_of(session: Session, study: StudyHere, looked_at: DraftHere | None = None) -> ClueClips:
    """The stimuli that a clue report of the study would be of; `looked_at` is its draft where that was read."""
    row = looked_at.row if looked_at else current(session, study)
    if row.design is not None:
        design = StudyDesign.model_validate_json(row.design)
        items = (item for block in design.blocks if isinstance(block, RatingDesign) for item in block.items)
        clips = (*_of_version(session, row), *_written(items))
        pairs = ((pair.a, pair.b) for pair in pairs_of(design.blocks) if pair.kind is PairKind.MAIN)
        return ClueClips(row.number, tuple(sorted(clips)), design.truth.source, _in_order(pairs))
    looked_at = looked_at or draft_here(session, study, row)
    keys, facts = looked_at.draft.keys, looked_at.stimuli
    parts = list(parts_of(keys))
    names = {name for part in parts for name in _main(part, facts)}
    pairs = (
        (pair.a, pair.b)
        for part in parts
        for pair in find_pairs(part, facts).pairs
        if pair.kind is PairKind.MAIN
    )
    stimuli = session.exec(select(Stimulus).where(col(Stimulus.name).in_(names), is_kept()))
    lists = (part.get("items") for part in parts_of(keys))
    rows = (
        row for text in lists if isinstance(text, str) for row in read_item_file("", text, by_row=True).rows
    )
    clips = (*(_clip(s) for s in stimuli), *_written(rows))
    return ClueClips(None, tuple(sorted(clips)), true_source_of(keys), _in_order(pairs))


def _in_order(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Pairs of two stimuli in a canonical order, whichever is called a."""
    return tuple(sorted((min(a, b), max(a, b)) for a, b in pairs))


def _written(items: Iterable[DesignItem | ItemRow]) -> Iterator[ClueClip]:
    """The texts that stand in lists of items, as far as they can be compared."""
    for item in items:
        if item.kind is PairKind.MAIN and item.text and item.condition:
            sha256 = Document(StimulusKind.TEXT, item.text).sha256
            yield ClueClip(item.id, item.condition, sha256, "", StimulusKind.TEXT, item.text)


def _main(part: Mapping[str, Any], facts: Mapping[str, StimulusFacts]) -> Iterator[str]:
    """Names of stimuli shown by the main pairs and items of a draft, or of one of its blocks."""
    for pair in find_pairs(part, facts).pairs:
        if pair.kind is PairKind.MAIN:
            yield from (pair.a, pair.b)
    items = part.get("items")
    for item in read_item_file("", items, by_row=True).rows if isinstance(items, str) else ():
        if item.kind is PairKind.MAIN and item.stimulus in facts:
            yield item.stimulus


# Every page of a study before its launch asks.
_MAIN = Hot(
    select_columns(
        col(Stimulus.name),
        col(Stimulus.source),
        col(UnitMember.sha256),
        func.coalesce(Stimulus.original_sha256, ""),
        col(Stimulus.kind),
    )
    .join(UnitMember, col(UnitMember.stimulus_id) == Stimulus.id)
    .join(Unit, col(Unit.id) == UnitMember.unit_id)
    .where(
        col(Unit.version_id) == bindparam("version_id"),
        col(Unit.kind) == PairKind.MAIN,
        col(UnitMember.sha256).is_not(None),
    )
    .distinct()
)


def _of_version(session: Session, row: Current) -> tuple[ClueClip, ...]:
    """The clips of the newest version as saved: they may have been reprocessed since."""
    return tuple(sorted(ClueClip(*clip) for clip in _MAIN.all(session, {"version_id": row.version_id})))


def _clip(stimulus: Stimulus) -> ClueClip:
    return ClueClip(
        stimulus.name,
        stimulus.source,
        stimulus.shown_sha256 or "",
        stimulus.original_sha256 or "",
        stimulus.kind,
    )


async def have_report(database: Database, who: Who, study: StudyHere, now: datetime) -> int:
    """Like `ask_clues`, with the clips looked up beforehand."""
    found = await database.read(clips_of, study)
    return await database.write(ask_clues, who, study, now, found)


def ask_clues(
    session: Session, who: Who, study: StudyHere, now: datetime, found: ClueClips | None = None
) -> int:
    """Start a report, or return the one under way. Raises Conflict if there are no clips.

    `found` are the clips; otherwise they are looked up here.
    """
    found = found or clips_of(session, study)
    if not found.clips:
        raise Conflict("There is nothing to look at: make pairs or items first.")
    params = {
        "version": found.version,
        "true_source": found.true_source,
        "clips": [list(astuple(clip)) for clip in found.clips],
        "pairs": [list(pair) for pair in found.pairs],
    }
    standing = queue.jobs_of(session, Kind.CLUES, study.id, limit=1, standing=True)
    if standing and standing[0].params == params:
        return standing[0].id
    record(session, who.actor, "clues.ask", now=now, study=study.slug, after={"version": found.version})
    return queue.ask(session, Kind.CLUES, params, now=now, asked_by=who.user_id, study_id=study.id)


def clips_in(params: Mapping[str, Any]) -> tuple[ClueClip, ...]:
    """The clips that a job is asked to look at."""
    return tuple(ClueClip(*map(str, clip)) for clip in params["clips"])


def pairs_in(params: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The pairs that a job is asked to look within; jobs of earlier releases have none."""
    return tuple((str(a), str(b)) for a, b in params.get("pairs", ()))


def clue_runs(session: Session, study: StudyHere) -> Sequence[JobView]:
    """Every report that was asked for, the newest first."""
    return queue.jobs_of(session, Kind.CLUES, study.id, limit=100)


def clue_run(session: Session, study: StudyHere, job_id: int) -> JobView:
    """Raises NotFound."""
    for job in queue.jobs_of(session, Kind.CLUES, study.id, limit=1000):
        if job.id == job_id:
            return job
    raise NotFound("There is no such clue report.")


def is_of(job: JobView, found: ClueClips) -> bool:
    """True if a report covers exactly these clips and pairs, and was made by a release that gives a verdict."""
    shown = {clip.shown for clip in clips_in(job.params)}
    has_verdict = job.result is None or "verdict" in job.result["report"]
    is_same = shown == {clip.shown for clip in found.clips} and pairs_in(job.params) == found.pairs
    return has_verdict and is_same


@dataclass(frozen=True, slots=True)
class ClueVerdict:
    """The verdict of a finished report: its text for all pages, and its reasons, strongest first."""

    code: str
    says: str
    because: tuple[str, ...] = ()

    @property
    def tells(self) -> bool:
        return self.code == "telling"


def verdict_of(result: Mapping[str, Any]) -> ClueVerdict:
    """See docs/analysis.md; a report of an earlier release, which had other rules, has none."""
    report = result["report"]
    if "verdict" not in report:
        return ClueVerdict("none", "This report was made by an earlier release. Look for clues again.")
    return ClueVerdict(report["verdict"], report["says"], tuple(report.get("because", ())))


def clues_state(session: Session, study: StudyHere) -> CluesState:
    """The clue report's state for the launch checklist: prefers one of the clips shown now to a newer one of others."""
    done = [job for job in clue_runs(session, study) if job.status is JobStatus.DONE]
    if not done:
        return CluesState(None, is_current=False, was_seen=False, tells=False, cannot_tell=False, says="")
    found = clips_of(session, study)
    current = [job for job in done if found.version is not None and is_of(job, found)]
    job = (current or done)[0]
    verdict = verdict_of(job.result)
    return CluesState(
        job_id=job.id,
        is_current=bool(current),
        was_seen=any(each.seen_at is not None for each in current or done[:1]),
        tells=verdict.tells,
        cannot_tell=verdict.code == "too-few",
        says=" ".join((verdict.says, *verdict.because[:1])),
    )
