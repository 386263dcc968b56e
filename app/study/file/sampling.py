"""Drawing pairs: uniformly at random within each condition, matched, seeded, no clip pair twice.

The same clips, seed and condition give the same pairs on every machine and Python: candidates are sorted by
name and ranked by numbers from `random.Random("<seed>/<condition>").random()`, whose sequence Python
promises to keep. Each condition has its own generator, so that adding one, or asking for more pairs, keeps
what was drawn.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.study.design import Kind
from app.study.file.model import Sample
from app.study.file.pairs import PairSpec, StimulusFacts, content_of, truth_by_source
from app.study.file.problems import Fault, Place, counted, listed, nearest, quoted

Clips = Sequence[StimulusFacts]
ClipPair = tuple[StimulusFacts, StimulusFacts]
MATCH = ("sample", "match")


@dataclass(frozen=True, slots=True)
class Drawn:
    """The pairs drawn, practice first; none where there are faults."""

    pairs: tuple[PairSpec, ...]
    faults: tuple[Fault, ...]


def sample_pairs(sample: Sample, stimuli: Mapping[str, StimulusFacts]) -> Drawn:
    """Draw the pairs that `sample` asks for. Every fault is found, each at its place in the study file."""
    clips = _by_source(stimuli)
    faults = _absent_attributes(sample, stimuli)
    can_match = not faults
    drawn: list[PairSpec] = []
    seen: set[frozenset[str]] = set()
    for condition, sources in _resolved(sample, clips).items():
        if isinstance(sources, Fault):
            faults.append(sources)
        elif can_match:
            first, second = (clips[source] for source in sources)
            candidates = _candidates(first, second, sample.match, seen)
            faults += _too_few(sample, condition, len(candidates), first, second)
            drawn += _draw(sample, condition, candidates)
    ordered = () if faults else sorted(drawn, key=lambda pair: pair.kind is Kind.MAIN)
    numbered = (replace(pair, position=position) for position, pair in enumerate(ordered, start=1))
    return Drawn(tuple(numbered), tuple(faults))


def _by_source(stimuli: Mapping[str, StimulusFacts]) -> dict[str, list[StimulusFacts]]:
    clips: dict[str, list[StimulusFacts]] = {}
    for name in sorted(stimuli):
        clips.setdefault(stimuli[name].source, []).append(stimuli[name])
    return clips


def _absent_attributes(sample: Sample, stimuli: Mapping[str, StimulusFacts]) -> list[Fault]:
    known = sorted({name for clip in stimuli.values() for name in clip.attributes})
    otherwise = f"the stimuli have {listed(known, 'and') if known else 'no attributes'}"
    return [
        Fault(MATCH, f"match: no stimulus has the attribute {quoted(name)}", nearest(name, known, otherwise))
        for name in sample.match
        if name not in known
    ]


def _place(sample: Sample, condition: str) -> Place:
    return ("sample", "conditions" if condition in sample.conditions else "practice", condition)


def _resolved(sample: Sample, clips: Mapping[str, Clips]) -> dict[str, tuple[str, str] | Fault]:
    """Each condition, by the alphabet, with its two sources or with what keeps it from having them."""
    resolved: dict[str, tuple[str, str] | Fault] = {}
    asked: dict[frozenset[str], str] = {}
    for condition in sorted({*sample.conditions, *sample.practice}):
        place, sources = _place(sample, condition), _sources(condition, clips)
        if len(sources) != 1:
            resolved[condition] = _unresolved(condition, place, sources, clips)
            continue
        other = asked.setdefault(frozenset(sources[0]), condition)
        message = f"{quoted(condition)} asks for the same clips as {quoted(other)}"
        same = Fault(place, message, "keep one of the two")
        resolved[condition] = sources[0] if other == condition else same
    return resolved


def _sources(condition: str, clips: Mapping[str, Clips]) -> list[tuple[str, str]]:
    """Every way to read the condition as two sources; a source's own name may hold a `-`."""
    cuts = [i for i, character in enumerate(condition) if character == "-"]
    splits = [(condition[:i], condition[i + 1 :]) for i in cuts]
    return [(first, second) for first, second in splits if first in clips and second in clips]


def _unresolved(
    condition: str, place: Place, sources: Sequence[tuple[str, str]], clips: Mapping[str, Clips]
) -> Fault:
    if sources:
        ways = listed(f"{first} and {second}" for first, second in sources)
        return Fault(place, f"{quoted(condition)} can be read as {ways}", "rename one of the sources")
    if not clips:
        remedy = "import them with `likely-human stimuli import`"
        return Fault(place, f"{quoted(condition)}: there are no stimuli yet", remedy)
    known = [f"{first}-{second}" for first in clips for second in clips if first != second]
    otherwise = f"write two of the sources {listed(clips, 'and')} joined by `-`"
    message = f"{quoted(condition)} does not name two sources of the stimuli"
    return Fault(place, message, nearest(condition, known, otherwise))


def _candidates(
    first: Clips, second: Clips, match: Sequence[str], seen: set[frozenset[str]]
) -> list[ClipPair]:
    """Every pair of different clips that agree on `match`, once; an absent attribute agrees with nothing."""

    def key(clip: StimulusFacts) -> tuple[str, ...] | None:
        values = tuple(clip.attributes.get(name, "") for name in match)
        return values if all(values) else None

    by_key: dict[tuple[str, ...] | None, list[StimulusFacts]] = {}
    for clip in second:
        by_key.setdefault(key(clip), []).append(clip)
    candidates: list[ClipPair] = []
    for a in first:
        for b in by_key.get(key(a), []) if key(a) is not None else []:
            contents = frozenset((content_of(a), content_of(b)))
            if len(contents) == 2 and contents not in seen:
                seen.add(contents)
                candidates.append((a, b))
    return candidates


def _too_few(sample: Sample, condition: str, n: int, first: Clips, second: Clips) -> list[Fault]:
    n_main, n_practice = sample.conditions.get(condition, 0), sample.practice.get(condition, 0)
    if n >= n_main + n_practice:
        return []
    given = {clip.name: clip for clip in (*first, *second)}.values()
    lacking = sum(not all(clip.attributes.get(name) for name in sample.match) for clip in given)
    asked = counted(n_main + n_practice, "pair") + (f" ({n_practice} for practice)" if n_practice else "")
    clips = listed(dict.fromkeys(f"{len(clips)} {clips[0].source}" for clips in (first, second)), "and")
    on = f" that agree on {listed(sample.match, 'and')}" if sample.match else ""
    without = f"; {counted(lacking, 'clip')} without it left out" if lacking else ""
    message = f"{condition}: {asked} asked for, but {clips} clips make only {n}{on}{without}"
    key = "conditions" if n < n_main else "practice"
    return [Fault(("sample", key, condition), message, "ask for fewer, or import more clips")]


def _draw(sample: Sample, condition: str, candidates: Sequence[ClipPair]) -> list[PairSpec]:
    """Rank the candidates at random: the first are the main pairs, the next the practice pairs."""
    rng = random.Random(f"{sample.seed}/{condition}")
    ranks = [rng.random() for _ in candidates]
    ranked = [pair for _, pair in sorted(zip(ranks, candidates, strict=True), key=lambda drawn: drawn[0])]
    n_main, n_practice = sample.conditions.get(condition, 0), sample.practice.get(condition, 0)
    main, practice = ranked[:n_main], ranked[n_main : n_main + n_practice]
    return [
        *(_spec(condition, Kind.MAIN, f"{n:02d}", *pair) for n, pair in enumerate(main, start=1)),
        *(_spec(condition, Kind.PRACTICE, f"p{n:02d}", *pair) for n, pair in enumerate(practice, start=1)),
    ]


def _spec(condition: str, kind: Kind, number: str, a: StimulusFacts, b: StimulusFacts) -> PairSpec:
    return PairSpec(
        id=f"{condition}-{number}",
        a=a.name,
        b=b.name,
        source_a=a.source,
        source_b=b.source,
        condition=condition,
        kind=kind,
        truth=truth_by_source(a.source, b.source),
        position=0,
    )
