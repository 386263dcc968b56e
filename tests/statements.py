"""SQL compiled once in each process: each test has engines of its own, and each of them would compile it anew.

And no time that SQLAlchemy has not made text of, as a value without a type is: the driver would write it otherwise than
columns have it, by an adapter that Python 3.12 gives up.
"""

import sqlite3
from datetime import datetime
from typing import Any, NoReturn

from sqlalchemy import Connection, Engine, event, util
from sqlalchemy.engine.default import DefaultDialect

_compiled: util.LRUCache[Any, Any] = util.LRUCache(2_000)


def compile_once() -> None:
    """For all engines that connect from now on; a statement is kept by its dialect, and each engine has its own."""
    DefaultDialect.__hash__ = lambda self: hash(type(self))  # type: ignore[method-assign]
    DefaultDialect.__eq__ = lambda self, other: type(self) is type(other)  # type: ignore[method-assign]

    sqlite3.register_adapter(datetime, _refused)

    @event.listens_for(Engine, "engine_connect")
    def share(connection: Connection) -> None:
        connection.engine._compiled_cache = _compiled


def _refused(value: datetime) -> NoReturn:
    raise TypeError(f"{value!r} is bound without a column's type")
