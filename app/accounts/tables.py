"""Tables of users, logins and the audit log."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from app.accounts.roles import Role as Role
from app.core.schema import json_column, one_of, text_column


class User(SQLModel, table=True):
    """`name` is shown instead of the address where it is given; `mails` are kinds of news wanted by email."""

    __tablename__ = "user_account"
    __table_args__ = (one_of("role", Role),)

    id: int | None = Field(default=None, primary_key=True)
    email: str = Field(unique=True)
    password_hash: str
    role: str
    created_at: datetime
    disabled_at: datetime | None = None
    name: str | None = None
    mails: Any = Field(default=None, sa_column=json_column(nullable=True))


class PasswordLink(SQLModel, table=True):
    """Lets a user choose a password without the old one, once; kept as its hash."""

    __tablename__ = "password_link"

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(foreign_key="user_account.id", index=True)
    token_sha256: str = Field(unique=True)
    made_at: datetime
    expires_at: datetime
    used_at: datetime | None = None


class Login(SQLModel, table=True):
    """One browser that came in. The cookie's value is not kept, only its hash."""

    __tablename__ = "login"

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(foreign_key="user_account.id", index=True)
    token_sha256: str = Field(unique=True)
    browser: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None


class LoginAttempt(SQLModel, table=True):
    """A login that failed; `who` is the address typed or the network address it came from."""

    __tablename__ = "login_attempt"
    __table_args__ = (Index("ix_login_attempt_who_at", "who", "at"),)

    id: int | None = Field(default=None, primary_key=True)
    who: str
    at: datetime


class ApiToken(SQLModel, table=True):
    """Lets a program act for a user; shown once, kept as its hash. Without `expires_at` it lasts until revoked."""

    __tablename__ = "api_token"

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(foreign_key="user_account.id", index=True)
    name: str
    token_sha256: str = Field(unique=True)
    created_at: datetime
    used_at: datetime | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None


class AuditEntry(SQLModel, table=True):
    """One change: append-only. `actor` is an email address, or `command line`."""

    __tablename__ = "audit_entry"
    __table_args__ = (Index("ix_audit_entry_study_id", "study", "id"),)

    id: int | None = Field(default=None, primary_key=True)
    at: datetime
    user_id: int | None = Field(default=None, foreign_key="user_account.id")
    actor: str
    action: str
    study: str | None = None
    subject: str = Field(sa_column=text_column())
    before: Any = Field(default=None, sa_column=json_column(nullable=True))
    after: Any = Field(default=None, sa_column=json_column(nullable=True))
