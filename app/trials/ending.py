"""The end of a session: its way out, the reason, and the amounts earned. Pure: no database, no web, no clock."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Way(StrEnum):
    """The ways out of a study that may have a code of their own, as `completion.codes` names them."""

    FINISHED = "finished"
    NO_CONSENT = "no_consent"
    SCREENED_OUT = "screened_out"
    FAILED_CHECKS = "failed_checks"
    FULL = "full"
    PARTIAL = "partial"
    FAILED = "failed"


# What kept somebody from a whole trial: they left it, did not wait for it, failed its test, or nobody else came.
Shortfall = Literal["left", "withdrew", "questions", "nobody"]


@dataclass(frozen=True, slots=True)
class Earned:
    """Amounts earned in one currency, in its minor units."""

    currency: str
    bonus_minor: int = 0
    wait_minor: int = 0

    @property
    def total_minor(self) -> int:
        return self.bonus_minor + self.wait_minor


@dataclass(frozen=True, slots=True)
class BlockEnd:
    """The outcome of one block's trials. `n_whole` were answered in full; `earned` is None if nothing is paid."""

    n_whole: int
    shortfalls: tuple[Shortfall, ...] = ()
    earned: Earned | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """The outcome of a session. `why` is the gravest shortfall, None if there was none."""

    way: Way = Way.FINISHED
    why: Shortfall | None = None
    earned: tuple[Earned, ...] = ()


FINISHED = Ending()


def ending_of(blocks: Sequence[BlockEnd]) -> Ending:
    """Derive a session's ending from those of its blocks.

    Leaving a match or its waiting room is partial. A participant kept from all trials by a failed test or a lack of
    other players was screened out, or partial if others were done; one who did all the remaining blocks has finished,
    unless the test was failed.
    """
    found = {shortfall for block in blocks for shortfall in block.shortfalls}
    has_whole = any(block.n_whole for block in blocks)
    earned = _summed(block.earned for block in blocks)
    for own in ("left", "withdrew"):
        if own in found:
            return Ending(Way.PARTIAL, own, earned)
    if "questions" in found:
        return Ending(Way.PARTIAL if has_whole else Way.SCREENED_OUT, "questions", earned)
    if "nobody" in found:
        return Ending(Way.FINISHED if has_whole else Way.PARTIAL, "nobody", earned)
    return Ending(earned=earned)


def _summed(given: Iterable[Earned | None]) -> tuple[Earned, ...]:
    bonus, wait = Counter[str](), Counter[str]()
    for each in given:
        if each is not None:
            bonus[each.currency] += each.bonus_minor
            wait[each.currency] += each.wait_minor
    return tuple(Earned(currency, bonus[currency], wait[currency]) for currency in bonus)
