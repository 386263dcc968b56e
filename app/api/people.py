"""Users, one's own account and tokens, the audit log, jobs: for programs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr

from app.api.access import StudyDep, WhoDep, anyone, editors, owners_only
from app.dependencies import DatabaseDep, Now, without_nul
from app.jobs.calling import call_off
from app.jobs.queue import JobView, job_for
from app.jobs.tables import JobStatus, Kind
from app.people import adding, auditlog, logins, tokens, users
from app.people.account import PasswordChange, change_password
from app.people.auditlog import AuditFilter
from app.people.passwords import LONGEST, SHORTEST
from app.people.tables import Role

everybody = APIRouter(dependencies=[anyone], tags=["account"])
owners = APIRouter(dependencies=[owners_only], tags=["users"])
log = APIRouter(dependencies=[owners_only], tags=["audit"])
study_log = APIRouter(dependencies=[editors], tags=["audit"])
jobs = APIRouter(dependencies=[editors], tags=["jobs"])

Id = Annotated[int, Path(ge=1, lt=2**31)]
Before = Annotated[int, Query(ge=0, lt=2**31, description="Only entries older than the one of this id")]
Limit = Annotated[int, Query(ge=1, le=500)]
Text = Annotated[str, Query(max_length=300)]
Password = Annotated[StrictStr, Field(min_length=SHORTEST, max_length=LONGEST)]


class _Seen(BaseModel):
    """Made from the domain's own views, attribute by attribute."""

    model_config = ConfigDict(from_attributes=True)


class UserOut(_Seen):
    id: int
    email: str
    role: Role
    created_at: datetime
    disabled_at: datetime | None
    seen_at: datetime | None


class UserIn(BaseModel):
    """Without a password, one is generated and comes back in the reply, this once."""

    email: Annotated[StrictStr, Field(max_length=254)]
    role: Role
    password: Password | None = None


class UserMade(BaseModel):
    """`password` is the generated one, or null where you gave one."""

    id: int
    email: str
    password: str | None


class UserChange(BaseModel):
    """What is left out stays as it is."""

    role: Role | None = None
    disabled: StrictBool | None = None


class PasswordIn(BaseModel):
    password: Password | None = None


class PasswordMade(BaseModel):
    """`password` is the generated one, or null where you gave one."""

    password: str | None


class AccountOut(BaseModel):
    id: int
    email: str
    role: Role


class OwnPasswordIn(BaseModel):
    old: Annotated[StrictStr, Field(max_length=LONGEST)]
    new: Password


class LoginOut(_Seen):
    id: int
    browser: str
    created_at: datetime
    seen_at: datetime


class TokenIn(BaseModel):
    name: Annotated[StrictStr, Field(min_length=1, max_length=tokens.LONGEST_NAME)]


class TokenMade(BaseModel):
    """`token` is not kept and cannot be shown again."""

    token: str


class TokenOut(_Seen):
    id: int
    name: str
    created_at: datetime
    used_at: datetime | None


class EntryOut(_Seen):
    id: int
    at: datetime
    actor: str
    action: str
    study: str | None
    subject: str
    before: Any
    after: Any


class JobOut(_Seen):
    id: int
    kind: Kind
    status: JobStatus
    done: int
    total: int
    doing: str
    message: str
    is_over: bool
    asked_at: datetime
    ended_at: datetime | None


@owners.get("/users", response_model=list[UserOut])
async def list_users(database: DatabaseDep) -> Sequence[users.UserView]:
    """List everybody who may come in, with when they were last here."""
    return await database.read(users.users)


@owners.post("/users", status_code=201)
async def add_user(database: DatabaseDep, who: WhoDep, wanted: UserIn, now: Now) -> UserMade:
    """Let somebody in."""
    new = adding.NewUser(wanted.email, wanted.role, wanted.password)
    made = await adding.add_user(database, new, who.actor, now)
    return UserMade(id=made.id, email=made.email, password=made.generated)


@owners.get("/users/{user_id}", response_model=UserOut)
async def show_user(database: DatabaseDep, user_id: Id) -> users.UserView:
    """Show one user."""
    return await database.read(users.user_with, user_id)


@owners.patch("/users/{user_id}", response_model=UserOut)
async def change_user(
    database: DatabaseDep, who: WhoDep, user_id: Id, wanted: UserChange, now: Now
) -> users.UserView:
    """Give a user another role, or switch them off (ending their logins and tokens) or on again."""
    return await database.write(
        users.change_user, user_id, role=wanted.role, disabled=wanted.disabled, by=who.actor, now=now
    )


@owners.post("/users/{user_id}/password")
async def reset_password(
    database: DatabaseDep, who: WhoDep, user_id: Id, wanted: PasswordIn, now: Now
) -> PasswordMade:
    """Give a user another password; all their logins end."""
    made = await adding.reset_password(database, user_id, wanted.password, who.actor, now)
    return PasswordMade(password=made.generated)


@everybody.get("/account")
async def show_account(who: WhoDep) -> AccountOut:
    """Whose token this is."""
    return AccountOut(id=who.user_id, email=who.email, role=who.role)


@everybody.post("/account/password", status_code=204)
async def change_own_password(database: DatabaseDep, who: WhoDep, wanted: OwnPasswordIn, now: Now) -> None:
    """Change your password; all your logins end, your tokens stay."""
    await change_password(database, who, PasswordChange(wanted.old, wanted.new), now)


@everybody.get("/account/logins", response_model=list[LoginOut])
async def list_logins(database: DatabaseDep, who: WhoDep, now: Now) -> Sequence[logins.LoginView]:
    """List where you are logged in."""
    return await database.read(logins.logins, who, now)


@everybody.delete("/account/logins", status_code=204)
async def end_logins(database: DatabaseDep, who: WhoDep, now: Now) -> None:
    """Log out in every browser."""
    await database.write(logins.log_out_elsewhere, who, now)


@everybody.delete("/account/logins/{login_id}", status_code=204)
async def end_login(database: DatabaseDep, who: WhoDep, login_id: Id, now: Now) -> None:
    """Log out in one browser."""
    await database.write(logins.log_out, who, login_id, now)


@everybody.get("/account/tokens", response_model=list[TokenOut])
async def list_tokens(database: DatabaseDep, who: WhoDep) -> Sequence[tokens.TokenView]:
    """List your tokens, without what they are."""
    return await database.read(tokens.tokens, who)


@everybody.post("/account/tokens", status_code=201)
async def make_token(database: DatabaseDep, who: WhoDep, wanted: TokenIn, now: Now) -> TokenMade:
    """Make a token that acts for you."""
    return TokenMade(token=await database.write(tokens.make_token, who, wanted.name, now))


@everybody.delete("/account/tokens/{token_id}", status_code=204)
async def revoke_token(database: DatabaseDep, who: WhoDep, token_id: Id, now: Now) -> None:
    """Revoke one of your tokens, perhaps the one that you send."""
    await database.write(tokens.revoke_token, who, token_id, now)


@log.get("/audit", response_model=list[EntryOut])
async def list_audit(
    database: DatabaseDep,
    study: Text = "",
    who: Text = "",
    action: Text = "",
    before: Before = 0,
    limit: Limit = auditlog.PAGE,
) -> Sequence[auditlog.EntryView]:
    """List changes by experimenters, the newest first; go on with `before` the last one's id."""
    wanted = AuditFilter(without_nul(study), without_nul(who), without_nul(action), before)
    return await database.read(auditlog.entries, wanted, limit)


@study_log.get("/studies/{slug}/audit", response_model=list[EntryOut])
async def list_study_audit(
    database: DatabaseDep,
    study: StudyDep,
    who: Text = "",
    action: Text = "",
    before: Before = 0,
    limit: Limit = auditlog.PAGE,
) -> Sequence[auditlog.EntryView]:
    """List changes of one study, the newest first; go on with `before` the last one's id."""
    wanted = AuditFilter(study.slug, without_nul(who), without_nul(action), before)
    return await database.read(auditlog.entries, wanted, limit)


@jobs.get("/jobs/{job_id}", response_model=JobOut)
async def show_job(database: DatabaseDep, who: WhoDep, job_id: Id) -> JobView:
    """How far a piece of work in the background is."""
    return await database.read(job_for, who, job_id)


@jobs.post("/jobs/{job_id}/cancel", response_model=JobOut)
async def cancel_job(database: DatabaseDep, who: WhoDep, job_id: Id, now: Now) -> JobView:
    """Call a piece of work off."""
    await database.write(call_off, who, job_id, now)
    return await database.read(job_for, who, job_id)


router = APIRouter()
for part in (owners, everybody, log, study_log, jobs):
    router.include_router(part)
