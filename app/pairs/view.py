"""The pairs of a draft: which they are, how often each clip is used, on which side the true one is. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import ValidationError

from app.core.problems import Fault, counted
from app.pairs.capacity import pairable, true_first
from app.studies.file.comparable import blocks_in
from app.studies.file.drafts import check_draft
from app.tasks.pair.design import Member, Sides
from app.tasks.pair.pairs import (
    PairSpec,
    check_clips,
    read_pair_file,
    resolve_rows,
    shown_in,
)
from app.tasks.pair.sampling import kept_apart, sample_pairs
from app.tasks.pair.terms import Sample
from app.tasks.rating.items import item_ids
from app.trials.design import Kind
from app.trials.stimuli import HUMAN, StimulusFacts, true_source_of

Way = Literal["none", "listed", "drawn", "both", "blocks"]
Stimuli = Mapping[str, StimulusFacts]
_KINDS = tuple(Kind)


@dataclass(frozen=True, slots=True)
class FoundPairs:
    """The pairs that can be made out in a draft. `bad_lines` are those lines of the list that `faults` speak of."""

    way: Way
    pairs: tuple[PairSpec, ...]
    faults: tuple[Fault, ...]
    bad_lines: frozenset[int] = frozenset()
    lines: tuple[int, ...] = ()  # of each pair, where they are listed


def find_pairs(keys: Mapping[str, Any], stimuli: Stimuli) -> FoundPairs:
    """Read a draft's pairs as far as possible, whatever faults they or the rest of the draft have.

    For a study with blocks, the pairs of all of them.
    """
    if keys.get("blocks") is not None:
        by_block = find_by_block(keys, stimuli).values()
        pairs = tuple(pair for found in by_block for pair in found.pairs)
        return FoundPairs("blocks", pairs, tuple(fault for found in by_block for fault in found.faults))
    listed, sample, true_source = keys.get("pairs"), keys.get("sample"), true_source_of(keys)
    given = {key: keys[key] for key in ("pairs", "sample") if keys.get(key) is not None}
    if not given:
        return FoundPairs("none", (), ())
    given["truth"] = {"source": true_source}
    if listed is None:
        pairs = _drawn(sample, stimuli, true_source)
        return FoundPairs("drawn", pairs, () if pairs else _faults(given, stimuli))
    found = read_pair_file("", listed if isinstance(listed, str) else "", by_row=True)
    check_clips(found, stimuli)
    pairs = tuple(resolve_rows(found, stimuli, true_source))
    known = [row.line for row in found.rows if row.a in stimuli and row.b in stimuli]
    bad = frozenset(problem.line for problem in found.problems)
    way: Way = "both" if sample is not None else "listed"
    faults = _faults(given, stimuli) if bad or way == "both" else ()
    return FoundPairs(way, pairs, faults, bad, tuple(known))


def find_by_block(keys: Mapping[str, Any], stimuli: Stimuli) -> Mapping[str, FoundPairs]:
    """The pairs of each block of pairs, with the ids that they have in the study."""
    taken, by_block = set[str](), dict[str, FoundPairs]()
    for block in blocks_in(keys):
        taken |= item_ids(block)
        if block.get("task") != "pair":
            continue
        given = {key: block.get(key) for key in ("pairs", "sample")} | {"truth": keys.get("truth")}
        found = find_pairs(given, stimuli)
        if found.way == "drawn":
            found = replace(found, pairs=kept_apart(found.pairs, taken, block.get("id")))
        taken |= {pair.id for pair in found.pairs}
        by_block[str(block.get("id"))] = found
    return by_block


def _faults(given: Mapping[str, Any], stimuli: Stimuli) -> tuple[Fault, ...]:
    """Faults in the words of forms and at the places of the design."""
    check = check_draft(given, stimuli)
    return (*check.within("pairs"), *check.within("sample"))


def _drawn(sample: object, stimuli: Stimuli, true_source: str) -> tuple[PairSpec, ...]:
    """The pairs drawn; none where anything is wrong."""
    try:
        return sample_pairs(Sample.model_validate(sample), stimuli, true_source).pairs
    except ValidationError:
        return ()


@dataclass(frozen=True, slots=True)
class ClipUse:
    """The number of pairs a clip is in, by kind in the order of `Kind`. Every session shows all pairs."""

    name: str
    source: str
    by_kind: tuple[int, ...]

    @property
    def n(self) -> int:
        return sum(self.by_kind)


@dataclass(frozen=True, slots=True)
class SourceUse:
    """The number of a source's clips, of those used, and of their uses in total."""

    source: str
    n_clips: int
    n_used: int
    by_kind: tuple[int, ...]

    @property
    def n(self) -> int:
        return sum(self.by_kind)


@dataclass(frozen=True, slots=True)
class Usage:
    """Clips by use, the most used first; sources by the alphabet, the true one first.

    Unused clips are not among `clips`.
    """

    clips: tuple[ClipUse, ...]
    sources: tuple[SourceUse, ...]

    @property
    def n_clips(self) -> int:
        """The number of clips that pairs can be made of, with those of other collections that some are made of."""
        return sum(use.n_clips for use in self.sources)


DrawState = Literal["", "kept", "outdated", "loose"]


def draw_state(keys: Mapping[str, Any], found: FoundPairs, stimuli: Stimuli) -> DrawState:
    """The effect of added or removed clips on drawn pairs.

    `kept`: none, and a draw would give the same now. `outdated`: none, but a draw would give others. `loose`: they are
    drawn anew each time, as they are not stored yet. Empty if none are drawn.
    """
    sample = keys.get("sample")
    if found.way != "drawn" or not isinstance(sample, Mapping):
        return ""
    if sample.get("drawn") is None:
        return "loose" if found.pairs else ""
    anew = {key: value for key, value in sample.items() if key != "drawn"}
    drawn = _drawn(anew, stimuli, true_source_of(keys))
    one, other = ([replace(pair, id="") for pair in pairs] for pairs in (drawn, found.pairs))
    return "kept" if one == other else "outdated"


def usage_of(
    pairs: Sequence[PairSpec], stimuli: Stimuli, true_source: str = HUMAN, sample: object = None
) -> Usage:
    """The number of pairs that show each clip, and of each source how many clips there are and how many are shown."""
    clips: dict[str, Counter[Kind]] = {}
    offered = pairable(stimuli, sample, shown_in(pairs, stimuli))
    source_of = {clip.name: clip.source for clip in offered.values()}
    for pair in pairs:
        for name, source in ((pair.a, pair.source_a), (pair.b, pair.source_b)):
            clips.setdefault(name, Counter())[pair.kind] += 1
            source_of.setdefault(name, stimuli[name].source if name in stimuli else source)
    uses = [ClipUse(name, source_of[name], _by_kind(kinds)) for name, kinds in clips.items()]
    there = Counter(source_of.values())
    sources = [
        _source_use(source, there[source], [use for use in uses if use.source == source])
        for source in sorted(there, key=true_first(true_source))
    ]
    return Usage(tuple(sorted(uses, key=lambda use: (-use.n, use.name))), tuple(sources))


def _by_kind(kinds: Mapping[Kind, int]) -> tuple[int, ...]:
    return tuple(kinds.get(kind, 0) for kind in _KINDS)


def _source_use(source: str, n_clips: int, uses: Sequence[ClipUse]) -> SourceUse:
    totals = tuple(sum(use.by_kind[i] for use in uses) for i in range(len(_KINDS)))
    return SourceUse(source, n_clips, len(uses), totals)


@dataclass(frozen=True, slots=True)
class Balance:
    """The pairs of one kind and condition, by their true member.

    In any one session, `left_low` to `left_high` of them have the balanced member on the left: the true one, or `a` if
    there is none. With random sides the number varies freely.
    """

    kind: Kind
    condition: str
    n: int
    truth_a: int
    truth_b: int
    left_low: int
    left_high: int

    @property
    def without_truth(self) -> int:
        return self.n - self.truth_a - self.truth_b


def balance_of(pairs: Iterable[PairSpec], sides: Sides) -> tuple[Balance, ...]:
    """Pairs per condition and kind, main pairs first, and where truth will be."""
    groups: dict[tuple[int, str], list[PairSpec]] = {}
    for pair in pairs:
        groups.setdefault((_KINDS.index(pair.kind), pair.condition), []).append(pair)
    return tuple(
        _balance(_KINDS[kind], condition, members, sides)
        for (kind, condition), members in sorted(groups.items(), key=lambda group: group[0])
    )


def _balance(kind: Kind, condition: str, pairs: Sequence[PairSpec], sides: Sides) -> Balance:
    n = len(pairs)
    truth_a, truth_b = (sum(pair.truth is member for pair in pairs) for member in Member)
    low, high = {
        "balanced": (n // 2, (n + 1) // 2),
        "random": (0, n),
        "fixed": (n - truth_b, n - truth_b),
    }[sides]
    return Balance(kind, condition, n, truth_a, truth_b, low, high)


def sides_of(keys: Mapping[str, Any]) -> Sides:
    """A draft's layout of sides; the default if missing or invalid."""
    trials = keys.get("trials")
    sides = trials.get("sides") if isinstance(trials, Mapping) else None
    return sides if sides in ("random", "fixed") else "balanced"


@dataclass(frozen=True, slots=True)
class Advice:
    """A note on pairs that are allowed but may spoil the data, or certainly do if `is_serious`."""

    message: str
    remedy: str
    is_serious: bool = False


def advice_on(pairs: Sequence[PairSpec], sides: Sides, shown: str = "clip") -> tuple[Advice, ...]:
    """Advice on pairs; `shown` is the noun for their stimuli."""
    every = (_one_sided(pairs, sides), _seen_in_practice(pairs, shown), _repeated(pairs, shown))
    return tuple(advice for advice in every if advice)


def _one_sided(pairs: Sequence[PairSpec], sides: Sides) -> Advice | None:
    main = [pair for pair in pairs if pair.kind is Kind.MAIN and pair.truth]
    n_left = sum(pair.truth is Member.A for pair in main)
    if sides != "fixed" or len(main) < 2 or 2 * abs(2 * n_left - len(main)) <= len(main):
        return None
    often = max(n_left, len(main) - n_left)
    how_often = "always" if often == len(main) else f"in {often} of {len(main)} pairs"
    side = "left" if 2 * n_left > len(main) else "right"
    return Advice(
        f"Sides are fixed, and the true member is {how_often} on the {side}: "
        f"always pressing {side} is right as often.",
        "Set sides to balanced in the design, or turn half of the pairs round",
        is_serious=True,
    )


def _seen_in_practice(pairs: Sequence[PairSpec], shown: str) -> Advice | None:
    practised = {name for pair in pairs if pair.kind is Kind.PRACTICE for name in (pair.a, pair.b)}
    again = {name for pair in pairs if pair.kind is Kind.MAIN for name in (pair.a, pair.b)} & practised
    if not again:
        return None
    come = counted(len(again), f"{shown} comes", f"{shown}s come")
    return Advice(
        f"{come} in practice and again in a main pair, where people then know {_it(len(again))} already.",
        f"Use {shown}s for practice that no main pair shows",
    )


def _repeated(pairs: Sequence[PairSpec], shown: str) -> Advice | None:
    times = Counter(name for pair in pairs if pair.kind is not Kind.PRACTICE for name in (pair.a, pair.b))
    often = [name for name, n in times.items() if n > 1]
    if not often:
        return None
    most = max(times.values())
    return Advice(
        f"{counted(len(often), f'{shown} is', f'{shown}s are')} shown to every participant more than once (up to "
        f"{most} "
        "times): later trials then also measure memory.",
        f"Use more {shown}s or fewer pairs, if that matters in your study",
    )


def _it(n: int) -> str:
    return "it" if n == 1 else "them"
