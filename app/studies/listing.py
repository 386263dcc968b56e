"""Studies and their versions as lists show them, in a few queries however many there are."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, bindparam
from sqlalchemy import select as select_columns
from sqlmodel import Session, SQLModel, col, func, select

from app.accounts.logins import Who
from app.accounts.tables import AuditEntry, User
from app.core.statements import Hot
from app.studies.access import StudyHere, studies_seen
from app.studies.current import Current
from app.studies.file.comparable import unit_counts
from app.studies.summaries import by_task, units_in, units_of
from app.studies.tables import Draft, StudyShare
from app.studies.tags import tags_of
from app.tasks.listed import units_in_words
from app.trials.tables import Mode, ParticipantSession, State, Status, Study, StudyVersion, Unit

_version, _session, _unit = (
    SQLModel.metadata.tables[str(table.__tablename__)] for table in (StudyVersion, ParticipantSession, Unit)
)
# Every page of a study asks.
_UNITS = Hot(
    select_columns(_unit.c.block, func.count())
    .where(_unit.c.version_id == bindparam("version_id"))
    .group_by(_unit.c.block)
)
_SESSIONS = Hot(
    select_columns(_session.c.mode, _session.c.status, func.count())
    .join(_version, _version.c.id == _session.c.version_id)
    .where(_version.c.study_id == bindparam("study_id"))
    .group_by(_session.c.mode, _session.c.status)
)

# Sessions by mode and status.
Counts = Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """Counts of units, by task."""

    units: Mapping[str, int]

    @property
    def contents(self) -> str:
        """`2 pairs and 15 items`."""
        return units_in_words(self.units)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyBrief(_Counted):
    """Facts about one study and how far it is.

    `version` is 0 where no version is saved yet; `units` are then the draft's.

    `target` is the number of live sessions that are wanted, None where none is set.
    """

    slug: str
    title: str
    state: State
    version: int
    is_unsaved: bool
    sessions: Counts
    target: int | None

    def n_sessions(self, mode: str) -> int:
        return sum(n for (of, _), n in self.sessions.items() if of == mode)

    def n_completed(self, mode: str) -> int:
        return self.sessions.get((mode, Status.COMPLETED), 0)

    @property
    def finished(self) -> int:
        """The completed sessions that the list shows: those of the pilot until the launch."""
        return self.n_completed(Mode.LIVE if self.target_counts else Mode.PILOT)

    @property
    def target_counts(self) -> bool:
        """False before the launch, when there are sessions of a pilot at most."""
        return self.state not in (State.DRAFT, State.PILOT) or bool(self.n_sessions(Mode.LIVE))

    @property
    def wanted(self) -> int | None:
        """The number that `finished` is to come to; None where that is open."""
        return self.target if self.target_counts else None

    @property
    def is_full(self) -> bool:
        return self.target is not None and self.n_completed(Mode.LIVE) >= self.target


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyLine(StudyBrief):
    """One study for the list. `owner` is the address of its maker, empty where that was the command line."""

    shared_with: Sequence[str]
    changed_at: datetime
    changed_by: str
    archived_at: datetime | None
    owner: str
    tags: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionLine(_Counted):
    """One version in the history; `sessions` by mode, whatever their outcome."""

    number: int
    sha256: str
    saved_at: datetime
    saved_by: str
    reason: str
    frozen_at: datetime | None
    sessions: Mapping[str, int]


def every_line(session: Session, who: Who) -> Sequence[StudyLine]:
    """Every study that the user sees, archived ones too, last changed first."""
    seen = [study.id for study in studies_seen(session, who)]
    lines = _lines(session, session.exec(select(Study).where(col(Study.id).in_(seen))).all())
    return sorted(lines, key=lambda line: (line.changed_at, line.slug), reverse=True)


def study_lines(session: Session, who: Who, *, archived: bool = False) -> Sequence[StudyLine]:
    """Every study that the user sees and that is not archived (or only those that are), last changed first."""
    return [line for line in every_line(session, who) if (line.archived_at is not None) is archived]


def study_line(session: Session, study: StudyHere) -> StudyLine:
    [line] = _lines(session, session.exec(select(Study).where(Study.id == study.id)).all())
    return line


def study_brief(session: Session, row: Current) -> StudyBrief:
    """The part of a study's line that its pages need, of the study's row."""
    design, units = None, {}
    if row.design is not None:
        design = json.loads(row.design)
        units = by_task(design, dict(_UNITS.all(session, {"version_id": row.version_id})))
    counts = _SESSIONS.all(session, {"study_id": row.id})
    sessions = {(mode, status): n for mode, status, n in counts}
    return StudyBrief(**_brief(row, row.number or 0, design, row.draft, units, sessions))


def _lines(session: Session, studies: Sequence[Study]) -> list[StudyLine]:
    ids = [study.id or 0 for study in studies]
    shared, changed = _shared(session, ids), _changed(session, studies)
    owners, tags = _makers(session, studies), tags_of(session, ids)
    lines = []
    for study, brief in zip(studies, _briefs(session, studies), strict=True):
        changed_at, changed_by = changed.get(study.slug, (study.created_at, ""))
        lines.append(
            StudyLine(
                **brief,
                shared_with=shared.get(study.id or 0, ()),
                changed_at=changed_at,
                changed_by=changed_by,
                archived_at=study.archived_at,
                owner=owners.get(study.slug, ""),
                tags=tags.get(study.id or 0, ()),
            )
        )
    return lines


def _briefs(session: Session, studies: Sequence[Study]) -> list[dict[str, Any]]:
    """The fields of each study's brief."""
    ids = [study.id or 0 for study in studies]
    versions = {v.study_id: v for v in session.execute(_newest(ids))}
    drafts = {d.study_id: d for d in session.exec(select(Draft).where(col(Draft.study_id).in_(ids)))}
    designs = {version.id: json.loads(version.design) for version in versions.values()}
    units, sessions = units_in(session, designs), _sessions(session, ids)
    briefs = []
    for study, id_ in zip(studies, ids, strict=True):
        version, draft = versions.get(id_), drafts.get(id_)
        of = version.id if version else 0
        number, keys = version.number if version else 0, draft.keys if draft else None
        briefs.append(_brief(study, number, designs.get(of), keys, units.get(of, {}), sessions.get(id_, {})))
    return briefs


def _brief(
    study: Any,
    number: int,
    design: Mapping[str, Any] | None,
    draft: Mapping[str, Any] | None,
    units: Mapping[str, int],
    sessions: Counts,
) -> dict[str, Any]:
    """The fields of a brief: of the study's row, its newest version, and the keys of its draft; None without one."""
    keys = (design or {}) if draft is None else draft
    return {
        "slug": study.slug,
        "title": _title(keys),
        "state": State(study.state),
        "version": number,
        "units": unit_counts(keys) if design is None else units,
        "is_unsaved": draft is not None,
        "sessions": sessions,
        "target": study.target or _target(keys),
    }


def _title(keys: Any) -> str:
    title = keys.get("title")
    return title if isinstance(title, str) else ""


def _target(keys: Any) -> int | None:
    """The target of a study file, or the sum of its arms' where each has one."""
    arms = keys.get("arms")
    of_arms = [arm.get("target") for arm in arms if isinstance(arm, dict)] if isinstance(arms, list) else []
    if isinstance(whole := keys.get("target"), int):
        return whole
    wanted = [each for each in of_arms if isinstance(each, int)]
    return sum(wanted) if wanted and len(wanted) == len(of_arms) else None


def _newest(ids: Sequence[int]) -> Select[*tuple[Any, ...]]:
    newest = (
        select_columns(col(StudyVersion.study_id), func.max(col(StudyVersion.number)).label("number"))
        .where(col(StudyVersion.study_id).in_(ids))
        .group_by(col(StudyVersion.study_id))
        .subquery()
    )
    return select_columns(
        col(StudyVersion.id), col(StudyVersion.study_id), col(StudyVersion.number), col(StudyVersion.design)
    ).join(
        newest,
        (col(StudyVersion.study_id) == newest.c.study_id) & (col(StudyVersion.number) == newest.c.number),
    )


def _sessions(session: Session, ids: Sequence[int]) -> dict[int, dict[tuple[str, str], int]]:
    table = ParticipantSession
    counts = (
        select_columns(col(StudyVersion.study_id), col(table.mode), col(table.status), func.count())
        .join(StudyVersion, col(StudyVersion.id) == table.version_id)
        .where(col(StudyVersion.study_id).in_(ids))
        .group_by(col(StudyVersion.study_id), col(table.mode), col(table.status))
    )
    found: dict[int, dict[tuple[str, str], int]] = {}
    for study_id, mode, status, n in session.execute(counts):
        found.setdefault(study_id, {})[mode, status] = n
    return found


def _shared(session: Session, ids: Sequence[int]) -> dict[int, list[str]]:
    people = (
        select_columns(col(StudyShare.study_id), col(User.email))
        .join(User, col(User.id) == StudyShare.user_id)
        .where(col(StudyShare.study_id).in_(ids))
        .order_by(col(User.email))
    )
    found: dict[int, list[str]] = {}
    for study_id, email in session.execute(people):
        found.setdefault(study_id, []).append(email)
    return found


def _makers(session: Session, studies: Sequence[Study]) -> dict[str, str]:
    """The address of the maker of each study, as the audit log has it."""
    made = (
        select_columns(col(AuditEntry.study), col(User.email))
        .join(User, col(User.id) == AuditEntry.user_id)
        .where(
            col(AuditEntry.study).in_([study.slug for study in studies]),
            col(AuditEntry.action) == "study.create",
        )
        .order_by(col(AuditEntry.id))
    )
    return {row[0]: row[1] for row in session.execute(made)}


def _changed(session: Session, studies: Sequence[Study]) -> dict[str, tuple[datetime, str]]:
    """The time and author of each study's last change of any kind."""
    slugs = [study.slug for study in studies]
    last = (
        select_columns(func.max(col(AuditEntry.id)))
        .where(col(AuditEntry.study).in_(slugs))
        .group_by(col(AuditEntry.study))
    )
    entries = select_columns(col(AuditEntry.study), col(AuditEntry.at), col(AuditEntry.actor)).where(
        col(AuditEntry.id).in_(last)
    )
    return {slug: (at, actor) for slug, at, actor in session.execute(entries)}


def version_lines(session: Session, study: StudyHere) -> Sequence[VersionLine]:
    """A study's versions, the newest first."""
    versions = session.execute(
        select_columns(
            col(StudyVersion.id),
            col(StudyVersion.number),
            col(StudyVersion.sha256),
            col(StudyVersion.created_at),
            col(StudyVersion.reason),
            col(StudyVersion.frozen_at),
            col(User.email),
        )
        .outerjoin(User, col(User.id) == StudyVersion.saved_by)
        .where(col(StudyVersion.study_id) == study.id)
        .order_by(col(StudyVersion.number).desc())
    ).all()
    units = units_of(session, [version.id for version in versions])
    sessions = _sessions_by_version(session, study)
    return [
        VersionLine(
            number=version.number,
            sha256=version.sha256,
            saved_at=version.created_at,
            saved_by=version.email or "",
            reason=version.reason,
            frozen_at=version.frozen_at,
            units=units.get(version.id, {}),
            sessions=sessions.get(version.id, {}),
        )
        for version in versions
    ]


def _sessions_by_version(session: Session, study: StudyHere) -> dict[int, dict[str, int]]:
    table = ParticipantSession
    counts = (
        select_columns(col(table.version_id), col(table.mode), func.count())
        .join(StudyVersion, col(StudyVersion.id) == table.version_id)
        .where(col(StudyVersion.study_id) == study.id)
        .group_by(col(table.version_id), col(table.mode))
    )
    found: dict[int, dict[str, int]] = {}
    for version_id, mode, n in session.execute(counts):
        found.setdefault(version_id, {})[mode] = n
    return found


def completed_of(session: Session, study: StudyHere, number: int) -> Mapping[str, int]:
    """The number of completed sessions of a version, by mode."""
    table = ParticipantSession
    completed = (
        select_columns(col(table.mode), func.count())
        .join(StudyVersion, col(StudyVersion.id) == table.version_id)
        .where(
            col(StudyVersion.study_id) == study.id,
            col(StudyVersion.number) == number,
            col(table.status) == Status.COMPLETED,
        )
        .group_by(col(table.mode))
    )
    return {mode: int(n) for mode, n in session.execute(completed)}
