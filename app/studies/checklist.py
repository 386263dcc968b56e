"""The launch checklist: everything that would ruin the data or should be known before participants come."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from sqlmodel import Session, col, select

from app.core.errors import Stale
from app.core.problems import counted, listed
from app.library.clips.store import ClipStore
from app.library.kinds import StimulusKind
from app.library.tables import Stimulus
from app.studies.access import StudyHere
from app.studies.design_checks import design_checks
from app.studies.file.design import StudyDesign
from app.studies.leaks import leak_checks, leaks_of
from app.studies.tables import Draft
from app.trials.checks import Check, Verdict
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, Status, StudyVersion, Unit, UnitMember

_VERDICTS: tuple[Verdict, ...] = ("blocker", "warning", "unknown", "ok")
# What spoils the data for good comes before what costs an inconvenience; a check that is not named comes first.
_CONSEQUENCE = (
    "texts",
    "numbers",
    "languages",
    "clips",
    "pairs",
    "items",
    "names",
    "partners",
    "walks",
    "age",
    "version",
    "processing",
    "leaks",
    "clues",
    "sides",
    "timing",
    "places",
    "retention",
    "completion",
    "recruitment",
    "pilot",
)


class Clues(Protocol):
    """The state of a study's clue report: its verdict, and whether something `tells` the source or nothing is known."""

    @property
    def job_id(self) -> int | None: ...
    @property
    def is_current(self) -> bool: ...
    @property
    def was_seen(self) -> bool: ...
    @property
    def tells(self) -> bool: ...
    @property
    def cannot_tell(self) -> bool: ...
    @property
    def says(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ChecklistContext:
    """The checklist's context outside the study's own tables: the clips' files, and the clue reports.

    `files` maps each clip's hash to whether its file exists; None while files have not been checked.
    """

    store: ClipStore
    clues: Callable[[Session, StudyHere], Clues]
    files: Mapping[str, bool] | None = None

    def looked(self, session: Session, study: StudyHere) -> "ChecklistContext":
        """A copy with the files of the newest version's clips checked, for a write that depends on them."""
        version = newest_of(session, study)
        hashes = (
            select(UnitMember.sha256)
            .join(Unit, col(Unit.id) == UnitMember.unit_id)
            .where(Unit.version_id == (version.id if version else None), col(UnitMember.sha256).is_not(None))
        )
        found = set(session.exec(hashes.distinct()))
        return replace(self, files={sha256: self.has_file(sha256) for sha256 in found if sha256})

    def has_file(self, sha256: str) -> bool:
        """Raises Stale for a clip that the version did not have when its files were looked at."""
        if self.files is None:
            return self.store.clip_path(sha256).is_file()
        if sha256 not in self.files:
            raise Stale
        return self.files[sha256]


def checklist(session: Session, study: StudyHere, around: ChecklistContext) -> tuple[Check, ...]:
    """All launch checks: blockers first, then warnings, then what is not known, each by consequence."""
    version = newest_of(session, study)
    if version is None:
        return (
            Check(
                "version",
                "A version is saved",
                "blocker",
                "No version of the design is saved yet.",
                "versions",
            ),
        )
    design = StudyDesign.model_validate_json(version.design)
    members = session.exec(
        select(UnitMember, Unit.name, Stimulus.kind)
        .join(Unit, col(Unit.id) == UnitMember.unit_id)
        .join(Stimulus, col(Stimulus.id) == UnitMember.stimulus_id)
        .where(Unit.version_id == version.id)
        .order_by(col(Unit.position), col(UnitMember.slot))
    ).all()
    clips = [(member, name) for member, name, kind in members if kind == StimulusKind.CLIP]
    checks = (
        _saved(session, study, version),
        *(
            _of_clips(session, around, clips)
            if clips or (not members and all(block.of_stimuli for block in design.blocks))
            else ()
        ),
        *design_checks(session, design),
        *leak_checks(leaks_of(session, design)),
        *([_clues(around.clues(session, study))] if design.stimuli else []),
        _pilot(session, version),
    )
    return tuple(sorted(checks, key=_weight))


def _weight(check: Check) -> tuple[int, int]:
    known = _CONSEQUENCE.index(check.code) if check.code in _CONSEQUENCE else -1
    return _VERDICTS.index(check.verdict), known


def _saved(session: Session, study: StudyHere, version: StudyVersion) -> Check:
    if session.exec(select(Draft.id).where(Draft.study_id == study.id)).first() is not None:
        detail = f"The design has changes that version {version.number} does not have: participants would not see them."
        return Check("version", "No unsaved changes", "warning", detail, "versions")
    return Check(
        "version",
        "A version is saved",
        "ok",
        f"Version {version.number} is what participants see.",
        "versions",
    )


def _of_clips(
    session: Session, around: ChecklistContext, members: Sequence[tuple[UnitMember, str]]
) -> tuple[Check, ...]:
    """Checks of the clips shown; contents of records and texts are in the database with the version."""
    return _clips(around, members), _processing(session, [member for member, _ in members])


def _clips(around: ChecklistContext, members: Sequence[tuple[UnitMember, str]]) -> Check:
    """`members` come with the names of their pairs."""
    title = "Clips"
    hashes = {member.sha256 for member, _ in members}
    if not hashes or None in hashes:
        return Check("clips", title, "blocker", "There are no clips to show: answers were imported.", "pairs")
    missing = {sha256 for sha256 in hashes if sha256 and not around.has_file(sha256)}
    if missing:
        of = dict.fromkeys(pair for member, pair in members if member.sha256 in missing)
        names = listed(list(of)[:5], "and")
        detail = f"The files of {counted(len(missing), 'clip')} are not in the data folder, among others of {names}."
        return Check("clips", title, "blocker", detail, "pairs")
    return Check(
        "clips", title, "ok", f"All {counted(len(hashes), 'clip')} are there, processed by one set of rules."
    )


def _processing(session: Session, members: Sequence[UnitMember]) -> Check:
    title = "Processing"
    ids = {member.stimulus_id for member in members}
    rows = session.exec(select(Stimulus.id, Stimulus.clip_sha256).where(col(Stimulus.id).in_(ids)))
    now = dict(rows.all())
    changed = {member.stimulus_id for member in members if now.get(member.stimulus_id) != member.sha256}
    if changed:
        detail = (
            f"{counted(len(changed), 'clip')} were processed again since this version was saved; it still shows "
            "them as they were. Save the design again to show the new ones."
        )
        return Check("processing", title, "warning", detail, "versions")
    return Check("processing", title, "ok", "No clip was processed again since this version was saved.")


def _clues(clues: Clues) -> Check:
    """The report's own verdict: a warning if something tells the source, and not fine if there are too few clips to
    tell.
    """
    verdict: Verdict = "warning"
    if clues.job_id is None:
        detail = "No clue report yet: it is not known whether the clips give their source away."
    elif not clues.is_current:
        detail = "The newest clue report is of other clips, or of an earlier release. Look for clues again."
    elif clues.tells:
        detail = f"{clues.says} The report says what helps."
    elif not clues.was_seen:
        detail = "The clue report is ready; nobody has opened it yet."
    else:
        verdict, detail = "unknown" if clues.cannot_tell else "ok", clues.says
    return Check("clues", "Clue report", verdict, detail, "clues")


def _pilot(session: Session, version: StudyVersion) -> Check:
    """Only a session counts in which nothing was answered unwatched: the clips were then really shown."""
    title = "Pilot"
    done = (
        ParticipantSession.version_id == version.id,
        ParticipantSession.mode == Mode.PILOT,
        ParticipantSession.status == Status.COMPLETED,
    )
    unwatched = select(Response.id).where(
        Response.session_id == ParticipantSession.id, col(Response.unwatched).is_(True)
    )
    if has_session(session, *done, ~unwatched.exists()):
        return Check(
            "pilot", title, "ok", f"Someone completed version {version.number} as a pilot.", "monitor"
        )
    if has_session(session, *done):
        detail = (
            f"The pilot sessions that completed version {version.number} answered trials whose clips cannot "
            "have been watched. Complete it once as a participant would."
        )
    else:
        detail = f"No one has completed version {version.number} as a pilot."
    return Check("pilot", title, "warning", detail, "launch")


def newest_of(session: Session, study: StudyHere) -> StudyVersion | None:
    newest = col(StudyVersion.number).desc()
    return session.exec(
        select(StudyVersion).where(StudyVersion.study_id == study.id).order_by(newest).limit(1)
    ).first()


def has_session(session: Session, *where: Any) -> bool:
    one = select(ParticipantSession.id).join(
        StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id
    )
    return session.exec(one.where(*where).limit(1)).first() is not None
