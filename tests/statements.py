"""SQL compiled once in each process: each test has engines of its own, and each of them would compile it anew."""

from typing import Any

from sqlalchemy import Connection, Engine, event, util
from sqlalchemy.engine.default import DefaultDialect

_compiled: util.LRUCache[Any, Any] = util.LRUCache(2_000)


def compile_once() -> None:
    """For all engines that connect from now on; a statement is kept by its dialect, and each engine has its own."""
    DefaultDialect.__hash__ = lambda self: hash(type(self))  # type: ignore[method-assign]
    DefaultDialect.__eq__ = lambda self, other: type(self) is type(other)  # type: ignore[method-assign]

    @event.listens_for(Engine, "engine_connect")
    def share(connection: Connection) -> None:
        connection.engine._compiled_cache = _compiled
