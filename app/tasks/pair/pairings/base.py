"""The definition of a pairing of records."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pairing:
    """A pairing: both records of a pair have the same value of each attribute in `agree`, and different ones of each in
    `differ`; records that have one in `without` are of another kind.

    The attributes are columns of the manifest that `game records` writes. `title` is for a form, `description` explains
    its purpose.
    """

    name: str
    title: str
    description: str
    agree: tuple[str, ...]
    differ: tuple[str, ...]
    without: tuple[str, ...] = ()
