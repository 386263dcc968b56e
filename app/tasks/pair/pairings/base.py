"""What a way to pair records says."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pairing:
    """Both records of a pair have the same value of each attribute in `agree`, and different ones of each in `differ`;
    records that have one in `without` are of another kind.

    The attributes are columns of the manifest that `game records` writes. `title` is for a form, `description` says
    what it is for.
    """

    name: str
    title: str
    description: str
    agree: tuple[str, ...]
    differ: tuple[str, ...]
    without: tuple[str, ...] = ()
