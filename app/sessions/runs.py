"""What every session of a frozen version shares, kept in memory: it cannot change any more."""

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from sqlmodel import Session, col, select

from app.sessions.design import Kind, Member, PageKey, PairToPlan, pages_of
from app.studies.file.load import StudyDesign
from app.studies.tables import StudyVersion, Unit


@dataclass(frozen=True, slots=True)
class Run:
    """A version's pages in order and their names, its pairs to plan, and how many of them are practice."""

    sha256: str
    design: StudyDesign
    pages: tuple[PageKey, ...]
    page_names: frozenset[str]
    pairs: tuple[PairToPlan, ...]
    n_practice: int


# By database, as ids are its own; then by version and hash.
_runs: WeakKeyDictionary[Any, dict[tuple[int, str], Run]] = WeakKeyDictionary()


def run_of(session: Session, version_id: int, sha256: str) -> Run:
    """The version's run, read at its first use.

    One that is not frozen (it is being previewed) is read each time: saved anew, its pairs are other rows.
    """
    known = _runs.setdefault(session.get_bind(), {})
    run = known.get((version_id, sha256))
    if run is None:
        found = select(StudyVersion.design, StudyVersion.frozen_at).where(StudyVersion.id == version_id)
        text, frozen_at = session.exec(found).one()
        run = _read(session, version_id, sha256, text)
        if frozen_at is not None:
            known[version_id, sha256] = run
    return run


def _read(session: Session, version_id: int, sha256: str, text: str) -> Run:
    design = StudyDesign.model_validate_json(text)
    pages = pages_of(
        background=bool(design.background),
        instructions=design.instructions is not None,
        trials=len(design.pairs),
    )
    rows = session.exec(select(Unit).where(Unit.version_id == version_id).order_by(col(Unit.position)))
    pairs = tuple(PairToPlan(p.id or 0, p.condition, Kind(p.kind), Member(p.truth or "a")) for p in rows)
    n_practice = sum(pair.kind is Kind.PRACTICE for pair in pairs)
    return Run(sha256, design, pages, frozenset(map(str, pages)), pairs, n_practice)
