"""Words about a task that are known without loading it: the list of studies and the serving process need no more."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Named:
    """`units` counts them in words, one and several; `tables` are the names of those that the task exports, if any.

    The first of them has every answer; the others say more of these, or less.
    """

    units: tuple[str, str]
    tables: tuple[str, ...] = ()
