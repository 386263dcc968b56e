"""Leaks: clues in the records and texts of a block that reveal who played, each as a sentence.

Some must be equal or absent (rounds shown, times, names, automatic moves, missing reasons); for the others, the pairs
are counted in which the true member has more than the other. All of it is plain counting, so that the service can do
it.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Final

from sqlmodel import Session, col, select

from app.core.errors import StudyError
from app.core.problems import counted, listed
from app.library.kinds import StimulusKind
from app.library.tables import Content, Stimulus
from app.studies.file.design import StudyDesign
from app.tasks.pair.design import Member
from app.tasks.pair.settings import PairDesign
from app.tasks.pair.terms import DesignPair
from app.tasks.rating.settings import RatingDesign
from app.trials.clues import Clues, clues_in
from app.trials.design import Kind
from app.trials.parts import LeakName

TELLING: Final = 0.6
"""A clue that is right in more of the pairs than this, and not by chance, tells the source."""
LEVEL: Final = 0.05

_REMEDIES: Mapping[LeakName, str] = {
    "rounds": "make the records again with --rounds, so that all show as many",
    "message-length": "make the records again with --text length or --text numbers",
    "message-count": "make the records again with --text numbers",
    "round-numbers": "where that is how they play it is what people judge: allow it by name",
    "times": "take times out of the records",
    "names": "take the names out of the records",
    "typing": "make the records again with --text length or --text numbers",
    "automatic": "make the records again with --automatic leave-out",
    "reasons": "show reasons in every round of every record, or in none",
    "file-size": "show as many rounds, and messages by their length class",
    "page-size": "show as many rounds and rows of all",
    "reason-length": "make the records again with --text numbers",
}
# Of what `game records` did not make, and cannot make again.
_ELSEWHERE: Mapping[LeakName, str] = {
    "rounds": "cut the records to as many rounds, and import them again",
    "message-length": "give lengths, or no messages, in all records, and import them again",
    "message-count": "leave messages out of all records, and import them again",
    "typing": "leave messages out of all records, and import them again",
    "reason-length": "leave reasons out of all records, and import them again",
    "automatic": "leave out the records that have any",
}
# Columns of the manifest of `game records`, which its records keep as attributes.
_OF_GAME_RECORDS = frozenset({"config", "match", "automatic"})
_HAS: Mapping[LeakName, str] = {
    "message-length": "longer messages",
    "message-count": "more messages",
    "round-numbers": "more round numbers",
    "typing": "more messages or reasons with typing errors",
    "reason-length": "longer reasons",
    "file-size": "more bytes",
    "page-size": "more lines and cells on the page",
}


@dataclass(frozen=True, slots=True)
class Leak:
    """One clue to the source in a block; `is_allowed` where the study file allows it by name."""

    name: LeakName
    block: str
    says: str
    is_allowed: bool
    remedy: str


@dataclass(frozen=True, slots=True)
class Trivial:
    """The accuracy of a rule that uses one clue only, on pairs that it was not chosen on."""

    accuracy: float
    n_pairs: int
    clue: LeakName

    @property
    def says(self) -> str:
        return (
            f"A rule that looks at one clue alone ({self.clue}) finds the true member in "
            f"{100 * self.accuracy:.0f}% of {counted(self.n_pairs, 'pair')} that it was not chosen on."
        )


@dataclass(frozen=True, slots=True)
class BlockLeaks:
    """The leaks of one block; `trivial` is None if fewer than four pairs have a truth."""

    block: str
    leaks: tuple[Leak, ...]
    trivial: Trivial | None


def leaks_of(session: Session, design: StudyDesign) -> tuple[BlockLeaks, ...]:
    """Every leak of the blocks that show records or texts of the library; empty if all stimuli of the study are of one
    source.
    """
    if len(_sources(design)) < 2:
        return ()
    contents, found = _contents(session, design), []
    for block in design.blocks:
        match block:
            case PairDesign() if block.shows is not StimulusKind.CLIP:
                pairs = [pair for pair in block.pairs if pair.kind is Kind.MAIN]
                sources = {source for pair in pairs for source in (pair.source_a, pair.source_b)}
                named = {pair.a: pair.clip_a_sha256 for pair in pairs} | {
                    pair.b: pair.clip_b_sha256 for pair in pairs
                }
                clues = _clues(named, contents, sources)
                found.append(_of_pairs(block, pairs, clues))
            case RatingDesign():
                items = [item for item in block.items if item.kind is Kind.MAIN and item.stimulus]
                clues = _clues({i.stimulus: i.sha256 for i in items}, contents, {i.source for i in items})
                if clues:
                    found.append(_of_items(block, clues))
    return tuple(found)


def _sources(design: StudyDesign) -> frozenset[str]:
    """The sources of all main units of the study."""
    return frozenset(
        source
        for block in design.blocks
        for source in (
            [s for pair in block.pairs if pair.kind is Kind.MAIN for s in (pair.source_a, pair.source_b)]
            if isinstance(block, PairDesign)
            else [item.source for item in block.items if item.kind is Kind.MAIN]
            if isinstance(block, RatingDesign)
            else []
        )
    )


def refuse_leaks(session: Session, design: StudyDesign) -> None:
    """Raise StudyError where a clue tells who played, and the study file does not allow it by name."""
    leaks = [leak for block in leaks_of(session, design) for leak in block.leaks if not leak.is_allowed]
    if leaks:
        said = "\n".join(f"{leak.block}: {leak.name}: {leak.says} ({leak.remedy})" for leak in leaks)
        names = ", ".join(dict.fromkeys(leak.name for leak in leaks))
        raise StudyError(
            f"{said}\nor allow it by name: `allow: [{names}]` in the block's trials (or the block)"
        )


@dataclass(frozen=True, slots=True)
class _Kept:
    """A record or text of the library; `is_ours` where `game records` made it."""

    kind: StimulusKind
    content: str
    is_ours: bool


def _contents(session: Session, design: StudyDesign) -> Mapping[str, _Kept]:
    hashes = {sha256 for sha256 in design.hashes.values() if sha256}
    rows = session.exec(
        select(Content.sha256, Content.content, Stimulus.kind, Stimulus.attributes)
        .join(Stimulus, col(Stimulus.content_sha256) == Content.sha256)
        .where(col(Content.sha256).in_(hashes))
    )
    return {
        sha256: _Kept(StimulusKind(kind), content, attributes.keys() >= _OF_GAME_RECORDS)
        for sha256, content, kind, attributes in rows
    }


def _clues(
    named: Mapping[str, str], contents: Mapping[str, _Kept], sources: Iterable[str]
) -> Mapping[str, Clues]:
    """Clues by name, without clips and contents not stored here."""
    names = re.compile(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(sources))) or '(?!)'})(?!\w)", re.IGNORECASE
    )
    there = {name: contents[sha256] for name, sha256 in named.items() if sha256 in contents}
    return {
        name: replace(clues_in(kept.kind, kept.content, names), is_ours=kept.is_ours)
        for name, kept in there.items()
    }


def _of_pairs(block: PairDesign, pairs: Sequence[DesignPair], clues: Mapping[str, Clues]) -> BlockLeaks:
    allowed = block.trials.allow
    there = [pair for pair in pairs if pair.a in clues and pair.b in clues]
    unequal = [pair for pair in there if clues[pair.a].rounds != clues[pair.b].rounds]
    found: list[tuple[LeakName, str]] = []
    if unequal:
        first = unequal[0]
        lengths = f"{first.id}: {clues[first.a].rounds} and {clues[first.b].rounds}"
        found.append(
            (
                "rounds",
                f"the two of {_n_of(len(unequal), len(there), 'pair')} show different numbers of rounds ({lengths})",
            )
        )
    found += _absent(clues, "record" if block.shows is StimulusKind.RECORD else "text")
    with_truth = [pair for pair in there if pair.truth]
    signs = {name: [_sign(pair, clues, name) for pair in with_truth] for name in _measured(clues)}
    found += [(name, said) for name, each in signs.items() if (said := _telling(name, each))]
    return BlockLeaks(block.id, _leaks(block.id, allowed, found, clues), _trivial(with_truth, signs))


def _of_items(block: RatingDesign, clues: Mapping[str, Clues]) -> BlockLeaks:
    lengths = sorted({one.rounds for one in clues.values()})
    found: list[tuple[LeakName, str]] = []
    if len(lengths) > 1:
        found.append(("rounds", f"items show from {lengths[0]} to {lengths[-1]} rounds"))
    found += _absent(clues, "item")
    return BlockLeaks(block.id, _leaks(block.id, block.allow, found, clues), None)


def _leaks(
    block: str,
    allowed: Sequence[LeakName],
    found: Iterable[tuple[LeakName, str]],
    clues: Mapping[str, Clues],
) -> tuple[Leak, ...]:
    """Leaks with an applicable remedy: only records made by `game records` can be remade with its options."""
    are_ours = all(one.is_ours for one in clues.values())
    remedies = _REMEDIES if are_ours else {**_REMEDIES, **_ELSEWHERE}
    return tuple(Leak(name, block, said, name in allowed, remedies[name]) for name, said in found)


def _absent(clues: Mapping[str, Clues], noun: str) -> Iterator[tuple[LeakName, str]]:
    """Leaks that no record may have."""
    checks: tuple[tuple[LeakName, str, Callable[[Clues], bool]], ...] = (
        ("times", "a time", lambda one: one.times > 0),
        ("automatic", "that a move was automatic", lambda one: one.automatic > 0),
        ("reasons", "reasons in some rounds and not in others", lambda one: one.lacks_reasons),
    )
    for name, what, holds in checks:
        n = sum(map(holds, clues.values()))
        if n:
            yield name, f"{_n_of(n, len(clues), noun)} {'shows' if n == 1 else 'show'} {what}"
    named = sorted({name for one in clues.values() for name in one.names})
    if named:
        n = sum(bool(one.names) for one in clues.values())
        yield (
            "names",
            f"{_n_of(n, len(clues), noun)} {'names' if n == 1 else 'name'} a source: {listed(named, 'and')}",
        )


def _n_of(n: int, total: int, noun: str) -> str:
    return f"{n} of {counted(total, noun)}"


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
    most = max(more, less)
    if not n or (most + signs.count(0) / 2) / n <= TELLING or sign_test(more, less) >= LEVEL:
        return ""
    which = "true" if more > less else "other"
    return f"the {which} member has {_HAS[name]} in {_n_of(most, n, 'pair')}"


def sign_test(more: int, less: int) -> float:
    """The exact two-sided p of the sign test, ties left out."""
    n, most = more + less, max(more, less)
    tail = sum(math.comb(n, k) for k in range(most, n + 1)) / 2**n if n else 1.0
    return min(1.0, 2 * tail)


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
        scores.append((1 + way * signs[best][at]) / 2)
        chosen.append(best)
    return Trivial(fmean(scores), len(pairs), max(signs, key=chosen.count))
