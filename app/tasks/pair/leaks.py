"""Leaks in a block of pairs: rounds that differ within a pair, and clues of which the true member has more, or less, in
too many pairs to be chance.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final

from app.core.problems import listed
from app.library.kinds import StimulusKind
from app.tasks.pair.design import Member
from app.tasks.pair.terms import DesignPair
from app.trials.clues import Clues, LeakName
from app.trials.leaks import (
    BlockLeaks,
    CluesOf,
    Trivial,
    absent,
    in_words,
    leaks_found,
    looked_at,
    n_of,
)

TELLING: Final = 0.6
"""A clue that is right in more of the pairs than this, and not by chance, tells the source."""
LEVEL: Final = 0.05


def sign_test(more: int, less: int) -> float:
    """The exact two-sided p of the sign test, ties left out."""
    n, most = more + less, max(more, less)
    tail = sum(math.comb(n, k) for k in range(most, n + 1)) / 2**n if n else 1.0
    return min(1.0, 2 * tail)


FEWEST: Final = next(n for n in itertools.count(1) if sign_test(n, 0) < LEVEL)
"""The fewest pairs with a true member of which a clue can be more than chance."""

_HAS: Mapping[LeakName, str] = {
    "message-length": "longer messages",
    "message-count": "more messages",
    "round-numbers": "more round numbers",
    "typing": "more messages or reasons with typing errors",
    "reason-length": "longer reasons",
    "file-size": "more bytes",
    "page-size": "more lines and cells on the page",
}


def leaks_of_pairs(
    block: str,
    pairs: Sequence[DesignPair],
    shows: StimulusKind,
    allowed: Sequence[LeakName],
    clues_of: CluesOf,
) -> BlockLeaks | None:
    """The leaks of a block's main pairs; None where no record or text of them is in the library."""
    sources = {source for pair in pairs for source in (pair.source_a, pair.source_b)}
    hashes = {pair.a: pair.clip_a_sha256 for pair in pairs} | {pair.b: pair.clip_b_sha256 for pair in pairs}
    clues = clues_of(hashes, sources)
    if not clues:
        return None
    there = [pair for pair in pairs if pair.a in clues and pair.b in clues]
    unequal = [pair for pair in there if clues[pair.a].rounds != clues[pair.b].rounds]
    found: list[tuple[LeakName, str]] = []
    if unequal:
        first = unequal[0]
        lengths = f"{first.id}: {clues[first.a].rounds} and {clues[first.b].rounds}"
        found.append(
            (
                "rounds",
                f"the two of {n_of(len(unequal), len(there), 'pair')} show different numbers of rounds ({lengths})",
            )
        )
    found += absent(clues, "record" if shows is StimulusKind.RECORD else "text")
    with_truth = [pair for pair in there if pair.truth]
    signs = {name: [_sign(pair, clues, name) for pair in with_truth] for name in _measured(clues)}
    found += [(name, said) for name, each in signs.items() if (said := _telling(name, each))]
    untold = [name for name, each in signs.items() if _is_untold(each)]
    return BlockLeaks(
        block,
        leaks_found(block, allowed, found, clues),
        (*looked_at(clues), *(name for name in signs if name not in untold)),
        _untold(untold, bool(with_truth)),
        _trivial(with_truth, signs),
    )


def _untold(names: Sequence[LeakName], has_truth: bool) -> str:
    if not names:
        return ""
    why = f"Too few pairs with a true member differ in them: it takes {FEWEST}."
    return (
        f"It cannot be told whether these give the source away: {listed(in_words(names), 'and')}. "
        f"{why if has_truth else 'No pair has a true member.'}"
    )


def _measured(clues: Mapping[str, Clues]) -> list[LeakName]:
    return list(dict.fromkeys(name for one in clues.values() for name in one.measured))


def _sign(pair: DesignPair, clues: Mapping[str, Clues], name: LeakName) -> int:
    """1 if the true member has more, -1 if it has less, else 0."""
    true, other = (pair.a, pair.b) if pair.truth is Member.A else (pair.b, pair.a)
    x, y = (clues[one].measured.get(name, 0.0) for one in (true, other))
    return (x > y) - (x < y)


def _telling(name: LeakName, signs: Sequence[int]) -> str:
    """A sentence if the true members have more, or less, in too many pairs to be chance; else empty."""
    more, less, n = signs.count(1), signs.count(-1), len(signs)
    if not n or _share(signs) <= TELLING or sign_test(more, less) >= LEVEL:
        return ""
    which = "true" if more > less else "other"
    return f"the {which} member has {_HAS[name]} in {n_of(max(more, less), n, 'pair')}"


def _share(signs: Sequence[int]) -> float:
    """The share of pairs in which the clue is right one way; equal ones count half."""
    return (max(signs.count(1), signs.count(-1)) + signs.count(0) / 2) / len(signs)


def _is_untold(signs: Sequence[int]) -> bool:
    """True if the clue might tell the source, and pairs that differ in it are too few to be more than chance."""
    if not signs:
        return True
    is_few = 0 < len(signs) - signs.count(0) < FEWEST
    return is_few and (len(signs) < FEWEST or _share(signs) > TELLING)


def _trivial(pairs: Sequence[DesignPair], signs: Mapping[LeakName, Sequence[int]]) -> Trivial | None:
    """Each pair is decided by the clue and direction that does best on the pairs that share no record with it."""
    if len(pairs) < 4 or not signs:
        return None
    members = [{pair.a, pair.b} for pair in pairs]
    scores, chosen = [], []
    for at, own in enumerate(members):
        rest = [i for i, other in enumerate(members) if i != at and not own & other]
        sums = {name: sum(each[i] for i in rest) for name, each in signs.items()}
        best = max(sums, key=lambda name: abs(sums[name]))
        way = (sums[best] > 0) - (sums[best] < 0)
        # A pair in which the clue is equal can only be guessed: half right.
        scores.append((1 + way * signs[best][at]) / 2)
        chosen.append(best)
    return Trivial(fmean(scores), len(pairs), max(signs, key=chosen.count))
