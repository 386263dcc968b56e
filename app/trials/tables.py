"""A participant's session, its trials, and later decisions about it. Its answers are in `responses.py`.

An id that is used outside its row (in a process, a link, a folder name) is never reused.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from app.core.schema import NEVER_AGAIN, json_column, one_of, text_column
from app.library import tables  # noqa: F401  (stimuli, that units show, and users)
from app.trials.design import BLOCK, Kind, Slot


class State(StrEnum):
    """A study's state: it takes entries while `pilot` or `live`, answers until `closed`."""

    DRAFT = "draft"
    PILOT = "pilot"
    LIVE = "live"
    PAUSED = "paused"
    CLOSED = "closed"


class Study(SQLModel, table=True):
    """A study. Once closed, sessions under way may continue until `closes_at`; then they are shown `closing`.

    An archived study is left out of the list, and closed to participants in any state. `target`, `opens_at` and
    `ends_at` are set while the study runs, in place of what its file says; NULL where the file's hold. `collection_id`
    is its own collection; NULL until something is put into it.
    """

    __tablename__ = "study"
    __table_args__ = (one_of("state", State), NEVER_AGAIN)

    id: int | None = Field(default=None, primary_key=True)
    slug: str = Field(unique=True)
    state: str = State.DRAFT
    closes_at: datetime | None = None
    closing: str = Field(default="", sa_column=text_column())
    archived_at: datetime | None = None
    created_at: datetime
    target: int | None = None
    opens_at: datetime | None = None
    ends_at: datetime | None = None
    collection_id: int | None = Field(default=None, foreign_key="collection.id", unique=True)


class StudyArm(SQLModel, table=True):
    """An arm as it was changed while the study runs: `target` in place of the file's, NULL where that holds."""

    __tablename__ = "study_arm"

    study_id: int = Field(foreign_key="study.id", primary_key=True, ondelete="CASCADE")
    arm: str = Field(primary_key=True)
    target: int | None = None
    paused_at: datetime | None = None


class StudyVersion(SQLModel, table=True):
    """One numbered design. Frozen once a session counts (any but a preview): a change then makes the next version.

    `sides_known` is false if answers were imported that do not say which clip was on the left, else NULL. `written` is
    the study file that the design was read from, with comments; NULL if there was none.
    """

    __tablename__ = "study_version"
    __table_args__ = (
        UniqueConstraint("study_id", "number"),
        CheckConstraint("number >= 1", name="number"),
        CheckConstraint("padded_bytes >= 0", name="padded_bytes"),
        NEVER_AGAIN,
    )

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    number: int
    sha256: str
    design: str = Field(sa_column=text_column())
    padded_bytes: int
    reason: str = Field(default="", sa_column=text_column())
    saved_by: int | None = Field(default=None, foreign_key="user_account.id")
    created_at: datetime
    frozen_at: datetime | None = None
    sides_known: bool | None = None
    written: str | None = Field(default=None, sa_column=text_column(nullable=True))


class Registration(SQLModel, table=True):
    """A pre-registration of a version as it was written: its text with the hash, and where it was registered."""

    __tablename__ = "registration"

    id: int | None = Field(default=None, primary_key=True)
    version_id: int = Field(foreign_key="study_version.id", index=True)
    sha256: str
    text: str = Field(sa_column=text_column())
    address: str | None = None
    registered_at: datetime
    registered_by: int | None = Field(default=None, foreign_key="user_account.id")


class Mode(StrEnum):
    LIVE = "live"
    PILOT = "pilot"
    PREVIEW = "preview"
    SIMULATED = "simulated"


class Status(StrEnum):
    """Progress of a session: `arrived` waits for the consent answer, `active` for all others.

    `unplayable` reached the last page without a single playable clip; `failed-checks` was ended by the study's checks
    of comprehension or attention. Those of `COUNTED_ALONE` are only a count: nothing about a person is kept with them.
    `full` consented when no place was left; `left` did not answer the consent page; `withdrawn` deleted their answers;
    `screened-out` gave an answer to a screening question with which the study ends; `unsuited` came with a device that
    the study does not take.
    """

    ARRIVED = "arrived"
    ACTIVE = "active"
    COMPLETED = "completed"
    REFUSED = "refused"
    UNDER_AGE = "under-age"
    UNPLAYABLE = "unplayable"
    FULL = "full"
    LEFT = "left"
    WITHDRAWN = "withdrawn"
    SCREENED_OUT = "screened-out"
    UNSUITED = "unsuited"
    FAILED_CHECKS = "failed-checks"


DECLINED = (Status.REFUSED, Status.UNDER_AGE)

COUNTED_ALONE = (
    *DECLINED,
    Status.FULL,
    Status.LEFT,
    Status.WITHDRAWN,
    Status.SCREENED_OUT,
    Status.UNSUITED,
)

BEGUN = (Status.ACTIVE, Status.COMPLETED, Status.UNPLAYABLE, Status.FAILED_CHECKS)


class ParticipantSession(SQLModel, table=True):
    """One person's run. `ordinal` counts planned sessions of a version and mode: balance rests on its being unique.

    Before consent a row has its version, mode, arm and the day of its arrival: `participant`, `recruiter` and times are
    written with consent. `is_signed` says that a link of ours vouched for `participant`. `step` is the index of the
    current page among the session's pages; `page_shown_at` when that page was first served. `blocks` has the blocks
    that it goes through, in its order, each with the number of its trials; NULL where these are all of its version's,
    whole and in order. `seen_at` is when it last asked for or answered a page, `released_at` when its slot was given
    back because it was idle. `language` is that of its pages, `consent_sha256` the hash of the consent text in it.
    `device` holds what the browser said of screen and connection, and the answers about viewing conditions.
    """

    __tablename__ = "participant_session"
    __table_args__ = (
        UniqueConstraint("version_id", "mode", "ordinal"),
        one_of("mode", Mode),
        one_of("status", Status),
        CheckConstraint("step >= 0", name="step"),
        Index("ix_participant_session_version_participant", "version_id", "participant"),
        NEVER_AGAIN,
    )

    id: int | None = Field(default=None, primary_key=True)
    version_id: int = Field(foreign_key="study_version.id")
    arm: str = "main"
    mode: str
    participant: str | None = None
    is_signed: bool = False
    recruiter: dict[str, str] = Field(sa_column=json_column())
    ordinal: int | None = None
    seed: int | None = None
    blocks: list[list[Any]] | None = Field(default=None, sa_column=json_column(nullable=True))
    status: str = Status.ARRIVED
    step: int = 0
    page_shown_at: datetime | None = None
    arrived_at: datetime
    consented_at: datetime | None = None
    ended_at: datetime | None = None
    language: str | None = None
    consent_sha256: str | None = None
    seen_at: datetime | None = None
    released_at: datetime | None = None
    device: dict[str, Any] | None = Field(default=None, sa_column=json_column(nullable=True))


class ParticipantIdentity(SQLModel, table=True):
    """A participant's identity as a recruiter gives it, apart from the answers: as given, or as a keyed hash alone."""

    __tablename__ = "participant_identity"

    session_id: int = Field(foreign_key="participant_session.id", primary_key=True, ondelete="CASCADE")
    external_id: str | None = Field(default=None, index=True)
    hashed_id: str | None = Field(default=None, index=True)
    parameters: dict[str, str] = Field(sa_column=json_column())


class SessionToken(SQLModel, table=True):
    """The key to a session, as SHA-256: the random token itself exists only in the participant's browser."""

    __tablename__ = "session_token"

    sha256: str = Field(primary_key=True)
    session_id: int = Field(foreign_key="participant_session.id", index=True)


class Trial(SQLModel, table=True):
    """One unit at one position. `plan` says how this session sees it, as its task stores and reads it.

    `sent` has the bytes that were sent, as ranges, by where on the page they were shown; None of a place
    whose clip the server did not have. It is NULL where that was not recorded: in sessions begun before 0.4, and in
    imported ones.
    """

    __tablename__ = "trial"
    __table_args__ = (
        UniqueConstraint("session_id", "position"),
        CheckConstraint("position >= 1", name="position"),
        NEVER_AGAIN,
    )

    id: int | None = Field(default=None, primary_key=True)
    session_id: int = Field(foreign_key="participant_session.id")
    position: int
    unit_id: int = Field(foreign_key="unit.id", index=True)
    plan: dict[str, str] = Field(sa_column=json_column())
    sent: dict[str, list[list[int]] | None] | None = Field(default=None, sa_column=json_column(nullable=True))


class Exclusion(SQLModel, table=True):
    """A session left out of the analysis, with the reason; taken back by `lifted_at`, never deleted."""

    __tablename__ = "exclusion"
    __table_args__ = (
        Index(
            # Unique where not lifted: rows of exclusions taken back stay, and two people may press at once.
            "uq_exclusion_standing",
            "session_id",
            unique=True,
            sqlite_where=text("lifted_at IS NULL"),
            postgresql_where=text("lifted_at IS NULL"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    session_id: int = Field(foreign_key="participant_session.id", index=True)
    reason: str = Field(sa_column=text_column())
    excluded_by: int | None = Field(default=None, foreign_key="user_account.id")
    excluded_at: datetime
    lifted_by: int | None = Field(default=None, foreign_key="user_account.id")
    lifted_at: datetime | None = None


class SessionVerdict(SQLModel, table=True):
    """The verdicts of a study's exclusion rules on a session: used in the numbers, paid. `rules` has for each rule that
    was met the values that met it; `names` are these rules, joined by `;`.
    """

    __tablename__ = "session_verdict"
    __table_args__ = (
        # The monitor asks for those of all studies, each few seconds.
        Index(
            "ix_session_verdict_unused",
            "session_id",
            sqlite_where=text("use IS 0"),
            postgresql_where=text("use IS FALSE"),
        ),
    )

    session_id: int = Field(foreign_key="participant_session.id", primary_key=True, ondelete="CASCADE")
    use: bool
    pay: bool
    rules: dict[str, Any] = Field(sa_column=json_column())
    names: str = Field(sa_column=text_column())
    judged_at: datetime


class SessionNote(SQLModel, table=True):
    __tablename__ = "session_note"

    id: int | None = Field(default=None, primary_key=True)
    session_id: int = Field(foreign_key="participant_session.id", index=True)
    text: str = Field(sa_column=text_column())
    written_by: int | None = Field(default=None, foreign_key="user_account.id")
    written_at: datetime


class Unit(SQLModel, table=True):
    """The stimuli of one trial: one or several, each in a slot (`UnitMember`).

    `truth` is the slot of the true one, NULL if there is none. `item_group` names units that belong together.
    """

    __tablename__ = "unit"
    __table_args__ = (
        UniqueConstraint("version_id", "name"),
        UniqueConstraint("version_id", "position"),
        one_of("kind", Kind),
        one_of("truth", Slot),
    )

    id: int | None = Field(default=None, primary_key=True)
    version_id: int = Field(foreign_key="study_version.id")
    name: str
    position: int
    condition: str
    kind: str
    truth: str | None = None
    block: str = BLOCK
    item_group: str | None = None


class UnitMember(SQLModel, table=True):
    """A stimulus in a slot of a unit, with the clip it had when the version was saved: processing anew changes none."""

    __tablename__ = "unit_member"
    __table_args__ = (one_of("slot", Slot),)

    unit_id: int = Field(foreign_key="unit.id", primary_key=True, ondelete="CASCADE")
    slot: str = Field(primary_key=True)
    stimulus_id: int = Field(foreign_key="stimulus.id")
    sha256: str | None = None
    bytes: int | None = None
    duration_s: float | None = None
