"""Drawing pairs: at random within each condition, matched, seeded, no clip pair twice.

`use: even` draws each clip as seldom as possible (`even.py`); `use: free` draws uniformly, regardless of clips already
used. Pairs drawn before and stored (`drawn`) are read, not drawn.

In a free draw the same clips, seed and condition give the same pairs on every machine and Python: candidates are sorted
by name and ranked by numbers from `random.Random("<seed>/<condition>").random()`, whose sequence Python promises to
keep. Each condition has its own generator, so that adding one, or asking for more pairs, keeps earlier pairs.
"""

import heapq
import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from app.core.problems import Fault, Place, counted, listed, nearest, quoted
from app.library.kinds import StimulusKind
from app.tasks.pair.even import DrawRequest, Group, draw_evenly
from app.tasks.pair.pairs import (
    PairSpec,
    check_clips,
    design_pair,
    read_pair_file,
    resolve_rows,
    truth_by_source,
)
from app.tasks.pair.terms import DesignPair, Sample
from app.trials.design import Kind
from app.trials.stimuli import HUMAN, StimulusFacts, content_of, of_kind, own_of

Clips = Sequence[StimulusFacts]
ClipPair = tuple[StimulusFacts, StimulusFacts]
Match = tuple[str, ...] | None
MATCH = ("sample", "match")
TEXTS = ("numbers", "length", "full")
"""How `game records --text` shows messages: the attribute `text` of its records, and the end of a condition."""
PAIRING: Place = ("sample", "pairing")
_MAKE_RECORDS = "use records of games, of one decision each for the same situation"
DRAWN: Place = ("sample", "drawn")
_AGAIN = "remove `drawn` to draw again"


@dataclass(frozen=True, slots=True)
class DrawnPairs:
    """The pairs drawn, practice first; none where there are faults."""

    pairs: tuple[PairSpec, ...]
    faults: tuple[Fault, ...]


def sample_pairs(
    sample: Sample, stimuli: Mapping[str, StimulusFacts], true_source: str = HUMAN
) -> DrawnPairs:
    """Draw the pairs that `sample` asks for. Every fault is found, each at its place in the study file."""
    if sample.drawn is not None:
        return _stored_draw(sample, sample.drawn, stimuli, true_source)
    every, stimuli = stimuli, of_kind(own_of(stimuli), sample.shows, sample.without)
    clips = _by_source(stimuli)
    faults = _absent_attributes(sample, stimuli) if stimuli else []
    can_match = not faults
    found: dict[str, _Candidates] = {}
    seen = _Seen(stimuli)
    for condition, sources in _resolved(sample, clips).items():
        if isinstance(sources, Fault):
            faults.append(sources if stimuli else replace(sources, remedy=_of_none(sample.shows, every)))
        elif can_match:
            text = _text_of(condition, clips)
            first, second = (with_text(clips[source], text) for source in sources)
            candidates = _candidates(first, second, sample, seen)
            faults += _too_few(sample, condition, len(candidates), first, second)
            found[condition] = candidates
    draw = _draw_evenly if sample.use == "even" else _draw_freely
    drawn = [] if faults else [_spec(*pair, true_source) for pair in draw(sample, found)]
    ordered = sorted(drawn, key=lambda pair: pair.kind is Kind.MAIN)
    numbered = (replace(pair, position=position) for position, pair in enumerate(ordered, start=1))
    return DrawnPairs(tuple(numbered), tuple(faults))


def kept_apart(drawn: Sequence[PairSpec], taken: Collection[str], block: object) -> tuple[PairSpec, ...]:
    """The pairs that a block draws; with the block's id before each of theirs where an earlier block took one."""
    if not any(pair.id in taken for pair in drawn):
        return tuple(drawn)
    return tuple(replace(pair, id=f"{block}-{pair.id}") for pair in drawn)


def _of_none(shows: StimulusKind, every: Mapping[str, StimulusFacts]) -> str:
    """The remedy if there are no stimuli to draw from: texts are not drawn, and records by their pairing."""
    kinds = {facts.kind for facts in every.values()}
    if shows is StimulusKind.CLIP and StimulusKind.RECORD in kinds:
        return "upload them first; records are drawn with `pairing`"
    if StimulusKind.TEXT in kinds:
        return f"upload them first; `sample` draws {shows}s alone, pairs of texts are listed in `pairs`"
    return "upload them first"


def _by_source(stimuli: Mapping[str, StimulusFacts]) -> dict[str, list[StimulusFacts]]:
    clips: dict[str, list[StimulusFacts]] = {}
    for name in sorted(stimuli):
        clips.setdefault(stimuli[name].source, []).append(stimuli[name])
    return clips


def _absent_attributes(sample: Sample, stimuli: Mapping[str, StimulusFacts]) -> list[Fault]:
    known = sorted({name for clip in stimuli.values() for name in clip.attributes})
    otherwise = f"the {sample.shows}s have {listed(known, 'and') if known else 'no attributes'}"
    faults = [
        Fault(
            MATCH,
            f"match: no {sample.shows} has the attribute {quoted(name)}",
            nearest(name, known, otherwise),
        )
        for name in sample.match
        if name not in known
    ]
    lacking = [name for name in (*sample.agree, *sample.differ) if name not in (*known, *sample.match)]
    if lacking and stimuli:
        message = f"pairing {sample.pairing}: no record has {listed(map(quoted, lacking), 'and')}"
        faults.append(Fault(PAIRING, message, _MAKE_RECORDS))
    return faults


def _place(sample: Sample, condition: str) -> Place:
    return ("sample", "conditions" if condition in sample.conditions else "practice", condition)


def _resolved(sample: Sample, clips: Mapping[str, Clips]) -> dict[str, tuple[str, str] | Fault]:
    """Each condition, by the alphabet, with its two sources or with what keeps it from having them."""
    resolved: dict[str, tuple[str, str] | Fault] = {}
    asked: dict[tuple[frozenset[str], str], str] = {}
    for condition in sorted({*sample.conditions, *sample.practice}):
        text = _text_of(condition, clips)
        place, sources = _place(sample, condition), _sources(without_text(condition, text), clips)
        if len(sources) != 1:
            resolved[condition] = _unresolved(condition, place, sources, clips, sample.shows)
            continue
        if lacking := [source for source in sources[0] if not with_text(clips[source], text)]:
            message = (
                f"{quoted(condition)}: no record of {listed(lacking, 'and')} shows messages as {quoted(text)}"
            )
            resolved[condition] = Fault(
                place, message, f"import records that show messages as {quoted(text)}"
            )
            continue
        other = asked.setdefault((frozenset(sources[0]), text), condition)
        message = f"{quoted(condition)} asks for the same {sample.shows}s as {quoted(other)}"
        same = Fault(place, message, "keep one of the two")
        resolved[condition] = sources[0] if other == condition else same
    return resolved


def _text_of(condition: str, clips: Mapping[str, Clips]) -> str:
    """The message display of both records of a condition such as `human-model.full`; empty if unspecified."""
    text = condition.rpartition(".")[2]
    return text if text in TEXTS and not _sources(condition, clips) else ""


def without_text(condition: str, text: str) -> str:
    """The two sources of a condition alone."""
    return condition.removesuffix(f".{text}") if text else condition


def with_text(clips: Clips, text: str) -> Clips:
    """Records displayed this way; all if unspecified."""
    return [clip for clip in clips if clip.attributes.get("text") == text] if text else clips


def _sources(condition: str, clips: Mapping[str, Clips]) -> list[tuple[str, str]]:
    """Every way to read the condition as two sources; a source's own name may hold a `-`."""
    cuts = [i for i, character in enumerate(condition) if character == "-"]
    splits = [(condition[:i], condition[i + 1 :]) for i in cuts]
    return [(first, second) for first, second in splits if first in clips and second in clips]


def _unresolved(
    condition: str, place: Place, sources: Sequence[tuple[str, str]], clips: Mapping[str, Clips], shows: str
) -> Fault:
    if sources:
        ways = listed(f"{first} and {second}" for first, second in sources)
        return Fault(place, f"{quoted(condition)} can be read as {ways}", "rename one of the sources")
    if not clips:
        return Fault(place, f"{quoted(condition)}: there are no {shows}s yet", "upload them first")
    known = [f"{first}-{second}" for first in clips for second in clips if first != second]
    otherwise = f"write two of the sources {listed(clips, 'and')} joined by `-`"
    message = f"{quoted(condition)} does not name two sources of the {shows}s"
    return Fault(place, message, nearest(condition, known, otherwise))


class _Seen:
    """The contents already paired. If every clip has its own content, no pair repeats."""

    def __init__(self, stimuli: Mapping[str, StimulusFacts]) -> None:
        contents = {content_of(clip) for clip in stimuli.values()}
        self.has_twins = len(contents) < len(stimuli)
        self.pairs: set[tuple[str, str]] = set()

    def is_new(self, a: StimulusFacts, b: StimulusFacts) -> bool:
        one, other = content_of(a), content_of(b)
        pair = (one, other) if one < other else (other, one)
        if one == other or pair in self.pairs:
            return False
        self.pairs.add(pair)
        return True


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Clip pairs in the order in which they are ranked: each `a` with its partners, from the `start`th on.

    They are not written out: two sources of 5,000 clips make 25 million.
    """

    rows: Sequence[tuple[StimulusFacts, Clips, int]]
    ends: Sequence[int]
    has_twins: bool

    def groups(self) -> list[Group]:
        """The same candidates as groups in which every clip pairs with every other."""
        if self.has_twins:
            return [Group((a,), partners) for a, partners, _ in self.rows if partners]
        members: dict[int, tuple[list[StimulusFacts], Clips]] = {}
        for a, partners, _ in self.rows:
            if partners:
                # Clips of one key share one list of partners, so the list's identity stands for the key.
                members.setdefault(id(partners), ([], partners))[0].append(a)
        return [Group(first, second) for first, second in members.values()]

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    def at(self, index: int) -> ClipPair:
        row = bisect_right(self.ends, index)
        a, partners, start = self.rows[row]
        return a, partners[start + index - (self.ends[row - 1] if row else 0)]


def _candidates(first: Clips, second: Clips, sample: Sample, seen: _Seen) -> _Candidates:
    """Every pair of different clips that agree and differ as `sample` says, once; an absent attribute agrees with
    nothing."""
    match, must_look = sample.agree, seen.has_twins or bool(sample.differ)
    by_key: dict[Match, list[StimulusFacts]] = {}
    for clip in second:
        by_key.setdefault(_key(clip, match), []).append(clip)
    met: Counter[Match] = Counter()
    rows: list[tuple[StimulusFacts, Clips, int]] = []
    for a in first:
        key = _key(a, match)
        met[key] += 1
        partners: Clips = by_key.get(key, ()) if key is not None else ()
        if must_look:
            partners = [b for b in partners if _differ(a, b, sample.differ) and seen.is_new(a, b)]
            start = 0
        else:  # within one source, the clips before `a` have met it
            start = min(met[key], len(partners)) if first is second else 0
        rows.append((a, partners, start))
    ends = list(accumulate(len(partners) - start for _, partners, start in rows))
    return _Candidates(rows, ends, must_look)


def _differ(a: StimulusFacts, b: StimulusFacts, names: Sequence[str]) -> bool:
    """True if both have each of these attributes, with different values."""
    values = [(a.attributes.get(name), b.attributes.get(name)) for name in names]
    return all(one and other and one != other for one, other in values)


def _key(clip: StimulusFacts, match: Sequence[str]) -> Match:
    values = tuple(clip.attributes.get(name, "") for name in match)
    return values if all(values) else None


def _too_few(sample: Sample, condition: str, n: int, first: Clips, second: Clips) -> list[Fault]:
    n_main, n_practice = sample.conditions.get(condition, 0), sample.practice.get(condition, 0)
    if n >= n_main + n_practice:
        return []
    given = {clip.name: clip for clip in (*first, *second)}.values()
    lacking = sum(not all(clip.attributes.get(name) for name in sample.agree) for clip in given)
    asked = counted(n_main + n_practice, "pair") + (f" ({n_practice} for practice)" if n_practice else "")
    clips = listed(dict.fromkeys(f"{len(clips)} {clips[0].source}" for clips in (first, second)), "and")
    on = f" that agree on {listed(sample.agree, 'and')}" if sample.agree else ""
    on += f" and differ in {listed(sample.differ, 'and')}" if sample.differ else ""
    without = f"; {counted(lacking, sample.shows)} without it left out" if lacking else ""
    message = f"{condition}: {asked} asked for, but {clips} {sample.shows}s make only {n}{on}{without}"
    key = "conditions" if n < n_main else "practice"
    return [Fault(("sample", key, condition), message, f"ask for fewer, or import more {sample.shows}s")]


_Drawn = tuple[str, Kind, str, StimulusFacts, StimulusFacts]


def _draw_freely(sample: Sample, found: Mapping[str, _Candidates]) -> Iterator[_Drawn]:
    """Rank each condition's candidates at random: the first are the main pairs, the next the practice pairs."""
    for condition, candidates in found.items():
        rng = random.Random(f"{sample.seed}/{condition}")
        n_main, n_practice = sample.conditions.get(condition, 0), sample.practice.get(condition, 0)
        ranks = ((rng.random(), index) for index in range(len(candidates)))
        # Holds only as many as are asked for; a sort would hold all candidates, which may be 25 million.
        ranked = [candidates.at(index) for _, index in heapq.nsmallest(n_main + n_practice, ranks)]
        yield from _numbered(condition, ranked[:n_main], ranked[n_main:])


def _draw_evenly(sample: Sample, found: Mapping[str, _Candidates]) -> Iterator[_Drawn]:
    asked = [
        DrawRequest(
            candidates.groups(), sample.conditions.get(condition, 0), sample.practice.get(condition, 0)
        )
        for condition, candidates in found.items()
    ]
    for condition, (main, practice) in zip(found, draw_evenly(asked, f"{sample.seed}/even"), strict=True):
        yield from _numbered(condition, main, practice)


def _numbered(condition: str, main: Sequence[ClipPair], practice: Sequence[ClipPair]) -> Iterator[_Drawn]:
    for n, pair in enumerate(main, start=1):
        yield condition, Kind.MAIN, f"{n:02d}", *pair
    for n, pair in enumerate(practice, start=1):
        yield condition, Kind.PRACTICE, f"p{n:02d}", *pair


def _stored_draw(
    sample: Sample, text: str, stimuli: Mapping[str, StimulusFacts], true_source: str
) -> DrawnPairs:
    """The stored draw. It must still match what is requested, with clips that still exist."""
    found = read_pair_file("", text, by_row=True)
    check_clips(found, stimuli)
    pairs = tuple(resolve_rows(found, stimuli, true_source))
    faults = [Fault(DRAWN, problem.message, _AGAIN) for problem in found.problems]
    counts = Counter((pair.condition, pair.kind) for pair in pairs)
    asked = Counter({(name, Kind.MAIN): n for name, n in sample.conditions.items()})
    asked += Counter({(name, Kind.PRACTICE): n for name, n in sample.practice.items()})
    for condition, kind in () if faults else sorted({*counts, *asked}):
        n, wanted = counts[condition, kind], asked[condition, kind]
        if n != wanted:
            message = f"{condition}: {counted(n, f'{kind} pair')} kept, but {wanted} asked for"
            faults.append(Fault(DRAWN, message, _AGAIN))
    for pair in () if faults else pairs:
        named = {f"{pair.source_a}-{pair.source_b}", f"{pair.source_b}-{pair.source_a}"}
        if named.isdisjoint({pair.condition, *(without_text(pair.condition, text) for text in TEXTS)}):
            message = f"the pair {quoted(pair.id)} is of {pair.source_a} and {pair.source_b}, not of {pair.condition}"
            faults.append(Fault(DRAWN, message, _AGAIN))
    return DrawnPairs(() if faults else pairs, tuple(faults))


def _spec(
    condition: str, kind: Kind, number: str, a: StimulusFacts, b: StimulusFacts, true_source: str
) -> PairSpec:
    return PairSpec(
        id=f"{condition}-{number}",
        a=a.name,
        b=b.name,
        source_a=a.source,
        source_b=b.source,
        condition=condition,
        kind=kind,
        truth=truth_by_source(a.source, b.source, true_source),
        position=0,
    )


def draws(
    pairs: Sequence[DesignPair], sample: Sample, true_source: str, stimuli: Mapping[str, StimulusFacts]
) -> bool:
    """True if a draw gives these pairs, whatever their stimuli show by now."""
    drawn = [design_pair(pair, stimuli) for pair in sample_pairs(sample, stimuli, true_source).pairs]
    hashes = {"clip_a_sha256": "", "clip_b_sha256": ""}
    return [p.model_copy(update=hashes) for p in drawn] == [p.model_copy(update=hashes) for p in pairs]
