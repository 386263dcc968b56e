"""Entry at a study's address, with a new session or one to continue.

The id in a link is a claim and opens nothing: a session begun with it continues only in the same browser. A link that
we signed vouches for its participant: it continues in every browser and takes precedence over sessions begun with the
bare id. An id is taken at consent, not on opening the link, because programs open links, too. Until then it is not in
the database (`coming.py`).
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from sqlmodel import Session, col, select, update

from app.accounts.logins import token_hash
from app.core.errors import Closed, NotFound, StudyError
from app.core.language import gettext as _
from app.core.language import noop
from app.sessions import beginning_queries
from app.sessions.exclusions import leave_out
from app.sessions.identity import Person, is_same, sessions_of, took_part_in, was_screened_out
from app.sessions.places import Why, idle_after, places_of
from app.sessions.runs import StudyRun, run_of, spoken
from app.studies.file.load import StudyDesign
from app.trials.loads import loads_of
from app.trials.states import STATES
from app.trials.tables import (
    BEGUN,
    COUNTED_ALONE,
    Mode,
    ParticipantIdentity,
    ParticipantSession,
    SessionToken,
    State,
    Status,
    Study,
    StudyVersion,
)

NO_STUDY = noop("There is no study at this address. Please check the link that you were given.")
NO_SUCH_SESSION = noop("The session of this link no longer exists. Please ask for a new link.")
OVERTAKEN = "the same participant took part by a signed link"
# 16 random bytes in base64url without padding, as `secrets.token_urlsafe` writes them.
TOKEN_LENGTH = 22
WHO_INVITED = noop("the person who invited you to this study")
ENDED = noop("This study has ended and takes no more participants. Thank you for your interest.")
PAUSED = noop("This study is paused and takes no new participants at present.")
FULL = noop("This study has all the answers that it needs. Thank you for your interest.")
NOT_YET = noop("This study is not open yet.")
TOOK_PART_TITLE = noop("You have helped already")
TOOK_PART = noop(
    "You took part in an earlier study of these researchers, and this one needs people who did not. You have done "
    "nothing wrong, and nothing about this visit is kept. Thank you for your interest."
)
LATER = noop("Please open the link that you were given again later.")


class BegunElsewhere(StudyError):
    """The id is already taking part, in another browser."""

    status_code = 403
    title = noop("Begun in another browser")

    def __init__(self, design: StudyDesign) -> None:
        self.design = design
        super().__init__(
            _(
                "The study was started with this link in another browser. Please open the link there to continue "
                "where you left off. If you no longer have that browser, or if it was not you, please ask for a "
                "link of your own. Contact: {contact}"
            ).format(contact=design.completion.contact or _(WHO_INVITED))
        )


class NotOpen(Closed):
    """The study takes no new participants at present, or any more."""

    def __init__(
        self, state: State, design: StudyDesign, why: Why | None = None, opens_at: datetime | None = None
    ) -> None:
        self.why: Why = why or ("paused" if state is State.PAUSED else "ended")
        said = {"paused": (PAUSED, LATER), "ended": (ENDED,), "full": (FULL,), "not-yet": (NOT_YET,)}
        super().__init__(" ".join(map(_, said[self.why])))
        self.state, self.design, self.opens_at = state, design, opens_at


class TookPart(StudyError):
    """The id took part in a study whose participants this one does not take."""

    status_code = 403
    title = TOOK_PART_TITLE

    def __init__(self, design: StudyDesign) -> None:
        self.design = design
        super().__init__(_(TOOK_PART))


class ScreenedOut(StudyError):
    """The person answered the screening questions before, and could not take part."""

    status_code = 403

    def __init__(self, design: StudyDesign) -> None:
        self.design = design
        super().__init__(_("You cannot take part in this study."))


@dataclass(frozen=True, slots=True)
class Visit:
    """A visitor. `participant` is the id in their link; `is_signed` tells whether we signed the link.

    `session_id` comes from a link to one session, `language` from one that names it. `kept` are the tokens stored in
    the browser, newest first; `marks` maps some of them to the mark (`coming.mark_of`) of their undecided visitor, and
    `mark` is this visitor's. `hashed` is the id's keyed hash. `is_screened_out` is what the browser remembers of who
    came without an id.
    """

    slug: str
    mode: Mode = Mode.LIVE
    participant: str | None = None
    recruiter: Mapping[str, str] = field(default_factory=dict)
    is_signed: bool = False
    session_id: int | None = None
    language: str = ""
    kept: Sequence[str] = ()
    marks: Mapping[str, str] = field(default_factory=dict)
    mark: str = ""
    hashed: str = ""
    is_screened_out: bool = False

    @property
    def person(self) -> Person | None:
        return Person(self.participant, self.hashed) if self.participant else None


def kept_token(session: Session, visit: Visit) -> str | None:
    """The token, of those stored in the browser, with which the visitor continues. Changes nothing."""
    if visit.mode is Mode.PREVIEW or not visit.kept:
        return None
    tokens = {token_hash(token): token for token in visit.kept}
    rows = session.exec(
        select(SessionToken.sha256, ParticipantSession, ParticipantIdentity)
        .join(ParticipantSession, col(ParticipantSession.id) == SessionToken.session_id)
        .outerjoin(ParticipantIdentity, col(ParticipantIdentity.session_id) == ParticipantSession.id)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .where(
            col(SessionToken.sha256).in_(tokens),
            Study.slug == visit.slug,
            col(ParticipantSession.mode).in_(_modes(visit.mode)),
            col(ParticipantSession.status).in_([Status.ARRIVED, *BEGUN]),
        )
    )
    mine = {tokens[sha256]: (one, identity) for sha256, one, identity in rows}
    return next((token for token in visit.kept if token in mine and _fits(visit, token, *mine[token])), None)


def is_undecided(session: Session, slug: str, token: str, now: datetime) -> bool:
    """True if the token's session waits for the answer to the consent page.

    Raises NotOpen where there is no room any more: that is told before anybody is asked.
    """
    named = {"slug": slug, "sha256": token_hash(token)}
    found = beginning_queries.UNDECIDED.first(session, named)
    if found is not None and found.mode == Mode.LIVE:
        run = run_of(session, found.version_id, found.sha256)
        _refuse_without_place(session, found.study_id, run, found.version_id, now)
    return found is not None


def _fits(visit: Visit, token: str, one: ParticipantSession, identity: ParticipantIdentity | None) -> bool:
    if visit.session_id is not None:
        return one.id == visit.session_id
    if one.status == Status.ARRIVED:  # whose it is, the browser alone knows
        return visit.marks.get(token, "") == visit.mark
    if (who := visit.person) is not None:
        return is_same(who, one.participant, identity) and (one.is_signed or not visit.is_signed)
    return True


def enter(session: Session, visit: Visit, now: datetime) -> str:
    """Begin or continue a session and return a token for it.

    A session continues, even a pilot session once the study is live; a finished participant returns to the last page.
    Someone who declined may reconsider. Every preview is new. For a new visitor only the day is stored. Raises
    BegunElsewhere, ScreenedOut, TookPart, NotOpen, NotFound.
    """
    if token := kept_token(session, visit):
        return token
    study = beginning_queries.STUDY_NAMED.first(session, {"slug": visit.slug})
    version = beginning_queries.NEWEST_VERSION.first(session, {"study_id": study.id}) if study else None
    if study is None or version is None:
        raise NotFound(_(NO_STUDY))
    if visit.session_id is not None:
        return _open(session, study.id, visit.session_id)
    who = visit.person if visit.mode is not Mode.PREVIEW else None
    if who is not None:
        begun = _begun_by(session, study.id, who, visit.mode)
        if visit.is_signed and (token := _vouched_for(session, visit, begun)):
            return token
        # An id can be guessed: the page shows nothing of its session and says whom to ask (decision 0010).
        if begun and not visit.is_signed:
            raise BegunElsewhere(spoken(run_of(session, version.id, version.sha256)).design)
    # Before all other reasons: whoever comes again finds the page, and the code, of the first time.
    if _was_sent_away(session, study.id, visit, who):
        raise ScreenedOut(spoken(run_of(session, version.id, version.sha256)).design)
    mode = _mode_now(State(study.state)) if visit.mode is Mode.LIVE else visit.mode
    if mode is None:
        raise NotOpen(State(study.state), spoken(run_of(session, version.id, version.sha256)).design)
    if mode is Mode.LIVE:
        here = spoken(run_of(session, version.id, version.sha256))
        _refuse_without_place(session, study.id, here, version.id, now)
    if who is not None and mode in (Mode.LIVE, Mode.PILOT):
        refuse_who_took_part(session, who, spoken(run_of(session, version.id, version.sha256)).design)
    if version.frozen_at is None and mode is not Mode.PREVIEW:
        # What people were shown must not change afterwards (decision 0002), so the first visit freezes it.
        session.execute(update(StudyVersion).where(col(StudyVersion.id) == version.id).values(frozen_at=now))
    row = {
        "version_id": version.id,
        "arm": "main",
        "mode": mode,
        "is_signed": False,
        "recruiter": {},
        "status": Status.ARRIVED,
        "step": 0,
        "arrived_at": day_of(now),
    }
    return _add_token(session, beginning_queries.ADD_SESSION.add(session, row))


def _was_sent_away(session: Session, study_id: int, visit: Visit, who: Person | None) -> bool:
    """True if the screening questions have sent the visitor away: by their id, or without one by what their browser
    remembers.
    """
    if visit.mode not in (Mode.LIVE, Mode.PILOT):
        return False
    return was_screened_out(session, study_id, who) if who else visit.is_screened_out


def _refuse_without_place(
    session: Session, study_id: int, run: StudyRun, version_id: int, now: datetime
) -> None:
    """Raise NotOpen where nobody may begin live now: full, too early, or over."""
    places = places_of(session, study_id, run.design, now)
    why = places.closed_because(now)
    if why is None and not any(
        _has_units(session, version_id, run, arm.arm, now) for arm in places.open_arms()
    ):
        why = "full"
    if why is not None:
        raise NotOpen(places.state, run.design, why, places.opens_at)


def _has_units(session: Session, version_id: int, run: StudyRun, arm: str, now: datetime) -> bool:
    """False where a block that may not be left out has all the answers that it should have, in an arm."""
    blocks = run_of(session, version_id, run.version_sha256, arm).blocks
    since = now - idle_after(run.design)
    left = 0
    for block in blocks:
        wanted = block.design.wanted_per_unit
        main = [unit.id for unit in block.units if unit.kind == "main"]
        loads = loads_of(session, version_id, Mode.LIVE, block.id, since, arm) if wanted else {}
        is_full = bool(wanted) and all(loads.get(unit, 0) >= (wanted or 0) for unit in main)
        if is_full and not block.design.skips_when_full:
            return False
        left += not is_full
    return left > 0 or not blocks


def refuse_who_took_part(session: Session, who: Person, design: StudyDesign) -> None:
    """Raises TookPart for who took part in a study that the design keeps apart from its own."""
    others = design.recruitment.not_if_in if design.recruitment else ()
    if took_part_in(session, who, others):
        raise TookPart(design)


def day_of(at: datetime) -> datetime:
    """Midnight of its day (UTC): all of the time that is kept of who does not take part."""
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _modes(mode: Mode) -> Sequence[Mode]:
    """Modes that exclude one another for a participant: nobody takes part in both the pilot and the live study."""
    return [Mode.LIVE, Mode.PILOT] if mode in (Mode.LIVE, Mode.PILOT) else [mode]


def _mode_now(state: State) -> Mode | None:
    """The mode for a new participant at the study's address; None if it takes none. Raises NotFound for a draft."""
    if state is State.DRAFT:
        raise NotFound(_(NO_STUDY))
    return STATES[state].enters_as


def _vouched_for(session: Session, visit: Visit, begun: Mapping[int, bool]) -> str | None:
    """A token for the session that a signed link continues: one begun by such a link, or one begun in this browser with
    the bare id.

    `begun` are all sessions in which the participant consented, and whether each was signed.
    """
    signed = [id_ for id_, is_signed in begun.items() if is_signed]
    if signed:
        # A further token, so that a page that is open in another browser is not cut off (decision 0010).
        return _add_token(session, max(signed))
    token = kept_token(session, replace(visit, is_signed=False))
    if token is None:
        return None
    mine = session.exec(select(SessionToken.session_id).where(SessionToken.sha256 == token_hash(token))).one()
    if mine not in begun:
        return None
    session.execute(
        update(ParticipantSession).where(col(ParticipantSession.id) == mine).values(is_signed=True)
    )
    return token


def _begun_by(session: Session, study_id: int, who: Person, mode: Mode) -> Mapping[int, bool]:
    """The sessions in which a participant has consented, and whether a link of ours vouched for each."""
    of_study = col(StudyVersion.study_id) == study_id
    return sessions_of(session, who, of_study, col(ParticipantSession.mode).in_(_modes(mode)))


def _open(session: Session, study_id: int, session_id: int) -> str:
    """A further token of a session for which an experimenter has made a link."""
    found = session.exec(
        select(ParticipantSession.id)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(
            ParticipantSession.id == session_id,
            StudyVersion.study_id == study_id,
            # Such rows are counts, with nobody to go on.
            col(ParticipantSession.status).not_in(COUNTED_ALONE),
        )
    ).first()
    if found is None:
        raise NotFound(_(NO_SUCH_SESSION))
    return _add_token(session, session_id)


def _add_token(session: Session, session_id: int) -> str:
    # Only the hash is stored, so a copy of the database opens no session.
    token = secrets.token_urlsafe(16)
    beginning_queries.ADD_TOKEN.run(session, {"sha256": token_hash(token), "session_id": session_id})
    return token


def claim(
    session: Session,
    slug: str,
    who: Person,
    mode: Mode,
    design: StudyDesign,
    now: datetime,
    *,
    is_signed: bool,
) -> None:
    """Reserve an id at consent: each id takes part once. A signed session excludes those begun with the bare id.

    Raises BegunElsewhere, ScreenedOut, TookPart.
    """
    # Without the locks two consents with one id, sent at the same time, would not see each other: neither within a
    # study nor where two keep out each other's participants. In order, so that two of them cannot wait for each other.
    kept_out = design.recruitment.not_if_in if design.recruitment else ()
    held = select(Study.slug, Study.id).where(col(Study.slug).in_([slug, *kept_out])).order_by(col(Study.id))
    studies = dict(session.exec(held.with_for_update()).all())
    others = _begun_by(session, studies[slug] or 0, who, mode)
    if not others:
        if was_screened_out(session, studies[slug] or 0, who):
            raise ScreenedOut(design)
        refuse_who_took_part(session, who, design)
    if others and (not is_signed or any(others.values())):
        raise BegunElsewhere(design)
    for other in others:
        leave_out(session, slug, other, OVERTAKEN, now)
