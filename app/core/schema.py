"""Conventions shared by all tables: names of constraints, and column types missing in SQLModel."""

import re
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import SQLModel

# Alembic drops a constraint by its name only, and SQLite gives none by itself.
SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


# In `__table_args__`: a deleted row's id is never given to another. PostgreSQL does so anyway.
NEVER_AGAIN = {"sqlite_autoincrement": True}

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def clean(text: str) -> str:
    """The text without what no database or reply takes."""
    return _UNSTORABLE.sub("�", text)


def cleaned(value: Any) -> Any:
    """A JSON value with every text in it clean."""
    match value:
        case str():
            return clean(value)
        case dict():
            return {cleaned(key): cleaned(inner) for key, inner in value.items()}
        case list() | tuple():
            return [cleaned(inner) for inner in value]
    return value


def one_of(column: str, values: type[StrEnum]) -> CheckConstraint:
    allowed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({allowed})", name=column)


def json_column(nullable: bool = False) -> Column[Any]:
    """JSON; where it may be absent, absent is SQL's NULL."""
    # PostgreSQL's plain JSON has no equality, so neither GROUP BY nor DISTINCT works on it.
    type_ = JSON(none_as_null=nullable).with_variant(JSONB(none_as_null=nullable), "postgresql")
    return Column(type_, nullable=nullable)


def text_column(nullable: bool = False) -> Column[Any]:
    return Column(Text(), nullable=nullable)
