"""Users, the caller's account and tokens, the audit log, jobs: for programs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict

from app.accounts import auditlog, logins, tokens, users
from app.accounts.auditlog import AuditFilter
from app.accounts.logins import NotAllowed
from app.accounts.tables import Role
from app.api.access import StudyDep, WhoDep, anyone, editors, owners_only
from app.core.dependencies import DatabaseDep, Now, without_nul
from app.jobs.queue import JobView
from app.jobs.tables import JobStatus, Kind
from app.studies.jobs import call_off, job_for

everybody = APIRouter(dependencies=[anyone], tags=["account"])
owners = APIRouter(dependencies=[owners_only], tags=["users"])
browser_only = APIRouter(dependencies=[editors], include_in_schema=False)
log = APIRouter(dependencies=[owners_only], tags=["audit"])
study_log = APIRouter(dependencies=[editors], tags=["audit"])
jobs = APIRouter(dependencies=[editors], tags=["jobs"])

Id = Annotated[int, Path(ge=1, lt=2**31)]
Before = Annotated[int, Query(ge=0, lt=2**31, description="Only entries older than the one of this id")]
Limit = Annotated[int, Query(ge=1, le=500)]
Text = Annotated[str, Query(max_length=300)]
AuditKind = Annotated[
    Literal["", "changes", "exports", "uploads", "logins"], Query(description="Only entries of this kind")
]


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


class AccountOut(BaseModel):
    id: int
    email: str
    role: Role


class LoginOut(_Seen):
    id: int
    browser: str
    created_at: datetime
    seen_at: datetime


class TokenOut(_Seen):
    id: int
    name: str
    created_at: datetime
    used_at: datetime | None
    expires_at: datetime | None


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


@owners.get("/users/{user_id}", response_model=UserOut)
async def show_user(database: DatabaseDep, user_id: Id) -> users.UserView:
    """Show one user."""
    return await database.read(users.user_with, user_id)


@everybody.get("/account")
async def show_account(who: WhoDep) -> AccountOut:
    """Show the account of this token."""
    return AccountOut(id=who.user_id, email=who.email, role=who.role)


@everybody.get("/account/logins", response_model=list[LoginOut])
async def list_logins(database: DatabaseDep, who: WhoDep, now: Now) -> Sequence[logins.LoginView]:
    """List where you are logged in."""
    return await database.read(logins.logins, who, now)


@everybody.get("/account/tokens", response_model=list[TokenOut])
async def list_tokens(database: DatabaseDep, who: WhoDep) -> Sequence[tokens.TokenView]:
    """List your tokens, without their values."""
    return await database.read(tokens.tokens, who)


@everybody.delete("/account/tokens/{token_id}", status_code=204)
async def revoke_token(database: DatabaseDep, who: WhoDep, token_id: Id, now: Now) -> None:
    """Revoke the token that you send; others are revoked on your account's page."""
    await database.write(tokens.revoke_token, who, token_id, now)


@owners.post("/users", include_in_schema=False)
@owners.patch("/users/{rest:path}", include_in_schema=False)
@owners.post("/users/{rest:path}", include_in_schema=False)
@browser_only.post("/account/password")
@browser_only.delete("/account/logins")
@browser_only.delete("/account/logins/{rest:path}")
@browser_only.post("/account/tokens")
async def refuse_program() -> None:
    """Refuse programs: a stolen token must not yield a password, a login, a user or another token."""
    raise NotAllowed(
        "A token changes no users, roles, passwords, logins or tokens. Log in with a browser, at /admin."
    )


@log.get("/audit", response_model=list[EntryOut])
async def list_audit(
    database: DatabaseDep,
    study: Text = "",
    kind: AuditKind = "",
    who: Text = "",
    action: Text = "",
    before: Before = 0,
    limit: Limit = auditlog.PAGE,
) -> Sequence[auditlog.EntryView]:
    """List experimenters' actions, newest first; continue with `before` set to the last one's id."""
    wanted = AuditFilter(kind, without_nul(study), without_nul(who), without_nul(action), before)
    return await database.read(auditlog.entries, wanted, limit)


@study_log.get("/studies/{slug}/audit", response_model=list[EntryOut])
async def list_study_audit(
    database: DatabaseDep,
    study: StudyDep,
    kind: AuditKind = "",
    who: Text = "",
    action: Text = "",
    before: Before = 0,
    limit: Limit = auditlog.PAGE,
) -> Sequence[auditlog.EntryView]:
    """List the actions on one study, newest first; continue with `before` set to the last one's id."""
    wanted = AuditFilter(kind, study.slug, without_nul(who), without_nul(action), before)
    return await database.read(auditlog.entries, wanted, limit)


@jobs.get("/jobs/{job_id}", response_model=JobOut)
async def show_job(database: DatabaseDep, who: WhoDep, job_id: Id) -> JobView:
    """Show the progress of a background job."""
    return await database.read(job_for, who, job_id)


@jobs.post("/jobs/{job_id}/cancel", response_model=JobOut)
async def cancel_job(database: DatabaseDep, who: WhoDep, job_id: Id, now: Now) -> JobView:
    """Call a piece of work off."""
    await database.write(call_off, who, job_id, now)
    return await database.read(job_for, who, job_id)


router = APIRouter()
for part in (owners, everybody, browser_only, log, study_log, jobs):
    router.include_router(part)
