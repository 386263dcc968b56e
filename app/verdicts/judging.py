"""The verdict on a session, stored in the transaction that ends it; and those of a whole study, as sessions that end
change what others are held against.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from sqlmodel import Session, col, func, select

from analysis.quality.records import ENDED
from analysis.quality.rules import ChosenRule, Cohort, Verdict
from analysis.quality.verdicts import needs_cohort, verdict, verdicts
from app.core.problems import counted
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind
from app.studies.file.design import StudyDesign
from app.studies.queries import study_named
from app.trials.tables import Mode, ParticipantSession, SessionVerdict, Study, StudyVersion
from app.verdicts.records import records_of


def judge_session(session: Session, design: StudyDesign, session_id: int, now: datetime) -> None:
    """Store the verdict on a session that has just ended, by the rules that look at it alone.

    Where others are needed, a job judges the whole study again.
    """
    rules = [rule.chosen for rule in design.exclude]
    if not rules:
        return
    session.flush()
    version = session.exec(
        select(StudyVersion.number)
        .join(ParticipantSession, col(ParticipantSession.version_id) == col(StudyVersion.id))
        .where(ParticipantSession.id == session_id)
    ).one()
    records = records_of(session, design.study, {version: design}, only=[session_id])  # none of a preview
    for record in records:
        _store(session, {session_id: verdict(rules, record, Cohort())}, now)
    if records:
        judge_others(session, design, now)


def judge_others(session: Session, design: StudyDesign, now: datetime) -> None:
    """Have those judged again that are held against a session which has come or gone."""
    if needs_cohort([rule.chosen for rule in design.exclude]):
        ask_again(session, design.study, now)


def ask_again(session: Session, slug: str, now: datetime) -> None:
    """Have the whole study judged by the worker; one job for each study stands for all askings."""
    study_id = study_named(session, slug).id
    mine = (Job.kind == Kind.VERDICTS, Job.study_id == study_id)
    job = session.exec(select(Job).where(*mine).order_by(col(Job.id).desc()).limit(1)).first()
    if job is None or job.status in (JobStatus.FAILED, JobStatus.CANCELLED):
        queue.ask(session, Kind.VERDICTS, {"slug": slug}, now=now, study_id=study_id)
    elif job.status != JobStatus.QUEUED:
        if job.status == JobStatus.DONE:
            job.asked_at = now  # who ended before was judged then: `not_judged` counts from here
        queue.ask_again(job)
        session.add(job)


def not_judged(session: Session, slug: str) -> str:
    """While the whole study waits to be judged: how many sessions ended meanwhile, in words. Empty otherwise."""
    found = session.exec(
        select(Job.study_id, func.min(Job.asked_at))
        .join(Study, col(Study.id) == col(Job.study_id))
        .where(Study.slug == slug, Job.kind == Kind.VERDICTS, col(Job.status).in_(queue.STANDING))
        .group_by(col(Job.study_id))
    ).first()
    if found is None:
        return ""
    study_id, asked_at = found
    n = session.exec(
        select(func.count())
        .select_from(SessionVerdict)
        .join(ParticipantSession, col(ParticipantSession.id) == SessionVerdict.session_id)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(StudyVersion.study_id == study_id, SessionVerdict.judged_at >= asked_at)
    ).one()
    verb = "is" if n == 1 else "are"
    return (
        f"{counted(n, 'session')} {verb} not judged yet"
        if n
        else "the exclusion rules are being applied again"
    )


def n_ended(session: Session, slug: str) -> int | None:
    """The number of ended sessions of a study without exclusion rules; None where a version has some."""
    if any(design.exclude for design in _designs(session, slug).values()):
        return None
    ended = (
        select(func.count())
        .select_from(ParticipantSession)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(
            StudyVersion.study_id == study_named(session, slug).id,
            col(ParticipantSession.status).in_(ENDED),
            ParticipantSession.mode != Mode.PREVIEW,
        )
    )
    return session.exec(ended).one()


def study_verdicts(session: Session, slug: str) -> Mapping[int, Verdict]:
    """The verdict on each ended session of a study whose version has rules."""
    designs = _designs(session, slug)
    if not any(design.exclude for design in designs.values()):
        return {}
    rules: Mapping[int, list[ChosenRule]] = {
        number: [rule.chosen for rule in design.exclude] for number, design in designs.items()
    }
    records = records_of(session, slug, designs)
    found = verdicts(lambda version: rules[version], records)
    return {int(each.session): found[each.session] for each in records if rules[each.version]}


def unused_by_rule(session: Session, slug: str) -> Mapping[str, int]:
    """Sessions that are not used, by the first rule that leaves each out; previews have no verdict."""
    rules = (names.partition(";")[0] for _, names in _unused(session, slug))
    return dict(Counter(rules).most_common())


def unused_sessions(session: Session, slug: str) -> frozenset[int]:
    """The ids of the sessions that are not used."""
    return frozenset(id_ for id_, _ in _unused(session, slug))


def _unused(session: Session, slug: str) -> Iterable[tuple[int, str]]:
    return session.exec(
        select(SessionVerdict.session_id, SessionVerdict.names)
        .join(ParticipantSession, col(ParticipantSession.id) == SessionVerdict.session_id)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(StudyVersion.study_id == study_named(session, slug).id, col(SessionVerdict.use).is_(False))
    )


def store_verdicts(session: Session, found: Mapping[int, Verdict], now: datetime) -> int:
    """Store those verdicts that are new or others than before; returns how many these are."""
    table = SessionVerdict
    was = {
        row.session_id: (row.use, row.pay, row.names)
        for row in session.exec(select(table).where(col(table.session_id).in_(list(found))))
    } if found else {}  # fmt: skip
    changed = {id_: each for id_, each in found.items() if was.get(id_) != (each.use, each.pay, each.names)}
    _store(session, changed, now)
    return len(changed)


def _store(session: Session, found: Mapping[int, Verdict], now: datetime) -> None:
    there = _still_ended(session, found)
    for id_, each in found.items():
        if id_ in there:
            rules = {name: dict(given) for name, given in each.rules.items()}
            row = SessionVerdict(
                session_id=id_, use=each.use, pay=each.pay, rules=rules, names=each.names, judged_at=now
            )
            session.merge(row)
    session.flush()


def _still_ended(session: Session, ids: Collection[int]) -> frozenset[int]:
    """The sessions that are still ended, as nobody has withdrawn them meanwhile."""
    ended = select(ParticipantSession.id).where(
        col(ParticipantSession.id).in_(list(ids)), col(ParticipantSession.status).in_(ENDED)
    )
    return frozenset(id_ for id_ in session.exec(ended) if id_ is not None)


def _designs(session: Session, slug: str) -> dict[int, StudyDesign]:
    study_id = study_named(session, slug).id
    versions = session.exec(
        select(StudyVersion.number, StudyVersion.design).where(StudyVersion.study_id == study_id)
    )
    return {number: StudyDesign.model_validate_json(text) for number, text in versions}
