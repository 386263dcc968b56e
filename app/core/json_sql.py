"""Expressions that SQLite and PostgreSQL need in different words: lower case, the entries of an object, whole JSON."""

from typing import Any

from sqlalchemy import ColumnElement, Integer, SQLColumnExpression, String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class Lowered(FunctionElement[str]):
    """A text in lower case, of every alphabet. SQLite's own `lower` knows ASCII alone: `engines` gives it this one."""

    name = "lowered"
    type = String()
    inherit_cache = True


class Entries(FunctionElement[Any]):
    """The entries of a JSON object as rows, by `.table_valued("key", "value")`."""

    name = "entries"
    inherit_cache = True


class WholeFirst(FunctionElement[int]):
    """The first of two expressions of the same value on SQLite, the second on PostgreSQL.

    The first compares JSON as a whole before it looks into it. SQLite has it as text; PostgreSQL looks into it sooner.
    """

    name = "whole_first"
    type = Integer()
    inherit_cache = True


@compiles(Lowered)
def _lowered(element: Lowered, compiler: SQLCompiler, **kw: Any) -> str:
    return f"lowered({compiler.process(element.clauses, **kw)})"


@compiles(Lowered, "postgresql")
def _lowered_postgresql(element: Lowered, compiler: SQLCompiler, **kw: Any) -> str:
    return f"lower({compiler.process(element.clauses, **kw)})"


@compiles(Entries)
def _entries(element: Entries, compiler: SQLCompiler, **kw: Any) -> str:
    return f"json_each({compiler.process(element.clauses, **kw)})"


@compiles(Entries, "postgresql")
def _entries_postgresql(element: Entries, compiler: SQLCompiler, **kw: Any) -> str:
    return f"jsonb_each_text({compiler.process(element.clauses, **kw)})"


@compiles(WholeFirst)
def _whole_first(element: WholeFirst, compiler: SQLCompiler, **kw: Any) -> str:
    first, _ = element.clauses
    return compiler.process(first, **kw)


@compiles(WholeFirst, "postgresql")
def _whole_first_postgresql(element: WholeFirst, compiler: SQLCompiler, **kw: Any) -> str:
    _, second = element.clauses
    return compiler.process(second, **kw)


def has_text(column: SQLColumnExpression[Any], text: str) -> ColumnElement[bool]:
    """The condition that a text occurs in a column, in capitals or not; `%` and `_` stand for themselves."""
    return Lowered(column).contains(text.lower(), autoescape=True)
