"""Pre-registrations of versions: their text and hash, where they were registered, and what is different since."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from sqlmodel import Session, col, func, select

from app.accounts.audit import Actor, record
from app.core.errors import NotFound, StudyError
from app.core.schema import clean
from app.studies.access import StudyHere
from app.studies.file.design import StudyDesign
from app.studies.file.difference import design_differences
from app.studies.file.hypotheses import DesignHypothesis
from app.trials.tables import Mode, ParticipantSession, Registration, StudyVersion

LONGEST_ADDRESS = 500
TEMPLATES = {"aspredicted": "AsPredicted", "osf": "OSF Preregistration"}
"""The forms in whose order a pre-registration is written, by name."""


class BadRegistration(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class RegistrationView:
    """A registration; `is_before_data` is False if a live session had begun before it."""

    id: int
    version: int
    sha256: str
    text: str
    address: str | None
    at: datetime
    is_before_data: bool


def register(
    session: Session,
    by: Actor,
    study: StudyHere,
    version: int,
    text: str,
    address: str,
    now: datetime,
) -> RegistrationView:
    """Store a pre-registration of a version; noted in the audit log. Raises BadRegistration, NotFound."""
    row = session.exec(
        select(StudyVersion).where(StudyVersion.study_id == study.id, StudyVersion.number == version)
    ).first()
    if row is None:
        raise NotFound.of_study(study.slug, f"has no version {version}: save the design first")
    where = checked_address(address)
    text = clean(text)
    found = Registration(
        version_id=row.id or 0,
        sha256=text_hash(text),
        text=text,
        address=where,
        registered_at=now,
        registered_by=by.user_id,
    )
    session.add(found)
    session.flush()
    after = {"version": version, "sha256": found.sha256, "address": where}
    record(
        session, by, "study.register", now=now, study=study.slug, subject=f"version {version}", after=after
    )
    return _view(found, version, _first_live(session, study.id))


def version_to_register(session: Session, study: StudyHere) -> int:
    """The newest version's number. Raises NotFound without one."""
    newest = session.exec(
        select(func.max(StudyVersion.number)).where(StudyVersion.study_id == study.id)
    ).one()
    if newest is None:
        raise NotFound.of_study(study.slug, "has no version yet: save the design first")
    return newest


def registered_text(session: Session, study: StudyHere, registration: int) -> str:
    """The text as it was registered. Raises NotFound."""
    found = next((one for one in registrations(session, study.id) if one.id == registration), None)
    if found is None:
        raise NotFound("There is no such registration of this study.")
    return found.text


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def checked_address(address: str) -> str | None:
    """The address where it was registered, None where none is given. Raises BadRegistration."""
    address = clean(address.strip())
    if not address:
        return None
    parts = urlsplit(address) if address.isascii() and address.isprintable() else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or " " in address:
        raise BadRegistration("The address of the registration is a web address that begins with https://.")
    if len(address) > LONGEST_ADDRESS:
        raise BadRegistration(f"The address has at most {LONGEST_ADDRESS} characters.")
    return address


def registrations(session: Session, study_id: int) -> Sequence[RegistrationView]:
    """All registrations of a study, the first one first."""
    rows = session.exec(
        select(Registration, StudyVersion.number)
        .join(StudyVersion, col(StudyVersion.id) == Registration.version_id)
        .where(StudyVersion.study_id == study_id)
        .order_by(col(Registration.id))
    ).all()
    first = _first_live(session, study_id) if rows else None
    return [_view(row, number, first) for row, number in rows]


def registration_that_counts(found: Sequence[RegistrationView]) -> RegistrationView | None:
    """The newest that was made before anybody took part live, else the first of all; None without any."""
    before = [one for one in found if one.is_before_data]
    return before[-1] if before else next(iter(found), None)


@dataclass(frozen=True, slots=True)
class Commitment:
    """Commitments of a study: the registration that counts, its design, and what is different in the newest version.

    `kept` are hypotheses as they were registered, `changed` those of the newest version that differ from the registered
    ones of their id, `added` those without one."""

    registration: RegistrationView
    design: StudyDesign
    kept: Sequence[DesignHypothesis]
    changed: Sequence[DesignHypothesis]
    added: Sequence[DesignHypothesis]
    deviations: Sequence[str]


def commitment(
    session: Session, study_id: int, designs: Sequence[tuple[int, StudyDesign]]
) -> Commitment | None:
    """None for a study that is not registered; `designs` are its versions in order."""
    found = registration_that_counts(registrations(session, study_id))
    if found is None:
        return None
    by_number = dict(designs)
    design, newest = by_number[found.version], designs[-1][1]
    registered = {one.id: one for one in design.hypotheses}
    return Commitment(
        registration=found,
        design=design,
        kept=design.hypotheses,
        changed=[one for one in newest.hypotheses if one.id in registered and registered[one.id] != one],
        added=[one for one in newest.hypotheses if one.id not in registered],
        deviations=tuple(_deviations(found, design, designs)),
    )


MOST_DEVIATIONS = 30


def _deviations(
    found: RegistrationView, design: StudyDesign, designs: Sequence[tuple[int, StudyDesign]]
) -> Sequence[str]:
    """A sentence for each thing that is not as it was registered."""
    said = [] if found.is_before_data else ["it was registered after somebody had taken part live"]
    number, newest = designs[-1]
    changes = design_differences(design, newest)
    for one in changes[:MOST_DEVIATIONS]:
        was = f"{_short(one.before)} → {_short(one.after)}" if one.before or one.after else one.kind
        said.append(f"{one.place} (version {number}): {was}")
    if len(changes) > MOST_DEVIATIONS:
        said.append(f"and {len(changes) - MOST_DEVIATIONS} further changes of the design")
    return said


def _short(text: str) -> str:
    line = " ".join(text.split())
    return (line if len(line) <= 80 else f"{line[:79]}…") or "nothing"


def _first_live(session: Session, study_id: int) -> datetime | None:
    """The time at which the first person consented live."""
    return session.exec(
        select(func.min(ParticipantSession.consented_at))
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(StudyVersion.study_id == study_id, ParticipantSession.mode == Mode.LIVE)
    ).one()


def _view(row: Registration, number: int, first_live: datetime | None) -> RegistrationView:
    at = row.registered_at
    return RegistrationView(
        id=row.id or 0,
        version=number,
        sha256=row.sha256,
        text=row.text,
        address=row.address,
        at=at.astimezone(UTC),
        is_before_data=first_live is None or at <= first_live,
    )
