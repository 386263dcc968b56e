"""Leaks: clues in the records and texts of a block that reveal who played, each as a sentence.

Those here must be equal or absent whatever the task is (times, names, automatic moves, missing reasons). All of it is
plain counting, so that the service can do it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.core.problems import counted, listed
from app.trials.clues import CLUE_WORDS, Clues, LeakName

# The clues in some stimuli, by name: of the hash of each, and the names of sources to be looked for.
CluesOf = Callable[[Mapping[str, str], Iterable[str]], Mapping[str, Clues]]

_REMEDIES: Mapping[LeakName, str] = {
    "rounds": "make the records again, so that all show as many rounds",
    "message-length": "make the records again, with the length class of messages or without them",
    "message-count": "make the records again, without messages",
    "round-numbers": "where that is how they play it is what people judge: allow it by name",
    "times": "take times out of the records",
    "names": "take the names out of the records",
    "typing": "make the records again, with the length class of messages or without them",
    "automatic": "make the records again, leaving out those with automatic moves",
    "reasons": "show reasons in every round of every record, or in none",
    "file-size": "show as many rounds, and messages by their length class",
    "page-size": "show as many rounds and rows of all",
    "reason-length": "make the records again, without reasons",
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
    """The leaks of one block, the clues that were `looked_at`, and in a sentence what cannot be told, if anything;
    `trivial` is None if fewer than four pairs have a truth.
    """

    block: str
    leaks: tuple[Leak, ...]
    looked_at: tuple[LeakName, ...]
    untold: str = ""
    trivial: Trivial | None = None


def leaks_found(
    block: str,
    allowed: Sequence[LeakName],
    found: Iterable[tuple[LeakName, str]],
    clues: Mapping[str, Clues],
) -> tuple[Leak, ...]:
    """Leaks with an applicable remedy: only records made by `game records` can be remade with its options."""
    are_ours = all(one.is_ours for one in clues.values())
    remedies = _REMEDIES if are_ours else {**_REMEDIES, **_ELSEWHERE}
    return tuple(Leak(name, block, said, name in allowed, remedies[name]) for name, said in found)


def looked_at(clues: Mapping[str, Clues]) -> tuple[LeakName, ...]:
    """The clues that are looked at in these records or texts whatever the task is."""
    are_records = any(one.rounds for one in clues.values())
    return ("rounds", "times", "automatic", "reasons", "names") if are_records else ("times", "names")


def in_words(names: Iterable[LeakName]) -> list[str]:
    """The clues as they stand within a sentence."""
    return [CLUE_WORDS[name].lower() for name in names]


def absent(clues: Mapping[str, Clues], noun: str) -> Iterator[tuple[LeakName, str]]:
    """Leaks that no record may have."""
    checks: tuple[tuple[LeakName, str, Callable[[Clues], bool]], ...] = (
        ("times", "a time", lambda one: one.times > 0),
        ("automatic", "that a move was automatic", lambda one: one.automatic > 0),
        ("reasons", "reasons in some rounds and not in others", lambda one: one.lacks_reasons),
    )
    for name, what, holds in checks:
        n = sum(map(holds, clues.values()))
        if n:
            yield name, f"{n_of(n, len(clues), noun)} {'shows' if n == 1 else 'show'} {what}"
    named = sorted({name for one in clues.values() for name in one.names})
    if named:
        n = sum(bool(one.names) for one in clues.values())
        yield (
            "names",
            f"{n_of(n, len(clues), noun)} {'names' if n == 1 else 'name'} a source: {listed(named, 'and')}",
        )


def n_of(n: int, total: int, noun: str) -> str:
    return f"{n} of {counted(total, noun)}"
