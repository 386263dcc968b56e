"""The stimuli that a study's pairs can be made of, and the number of pairs of every two sources. No database."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.library.kinds import StimulusKind
from app.tasks.pair.pairings.base import Pairing
from app.tasks.pair.pairings.registry import PAIRINGS
from app.tasks.pair.pairs import condition_by_source
from app.tasks.pair.sampling import TEXTS, with_text, without_text
from app.trials.stimuli import HUMAN, StimulusFacts, content_of, of_kind, own_of

Stimuli = Mapping[str, StimulusFacts]


def pairable(stimuli: Stimuli, sample: object = None, shown: StimulusKind = StimulusKind.CLIP) -> Stimuli:
    """The study's own stimuli that its pairs can be made of: every number of clips on a page of pairs is of these.

    The `sample`'s pairing says their kind, or `shown`, where none is named.
    """
    pairing = _pairing(sample)
    kind, without = (StimulusKind.RECORD, pairing.without) if pairing else (shown, ())
    return of_kind(own_of(stimuli), kind, without)


def true_first(true_source: str) -> Callable[[str], tuple[bool, str]]:
    """The order in which sources are named: the true one, then by the alphabet."""
    return lambda source: (source != true_source, source)


@dataclass(frozen=True, slots=True)
class Capacity:
    """The number of different pairs of two sources that match; `n_lacking` clips lack an attribute."""

    condition: str
    first: str
    second: str
    n_first: int
    n_second: int
    possible: int
    n_lacking: int


def capacities(
    stimuli: Stimuli, sample: object, conditions: Sequence[str] = (), true_source: str = HUMAN
) -> tuple[Capacity, ...]:
    """The capacity of every two sources, the true one first, by `conditions` where these name them in their own order.

    Clips known under two names count once; if such twins differ in matched attributes, `possible` may be too high by
    those pairs, and for records by those that do not differ as the `sample`'s pairing requires.
    """
    match = _matched(sample)
    by_source: dict[str, list[StimulusFacts]] = {}
    for clip in pairable(stimuli, sample).values():
        by_source.setdefault(clip.source, []).append(clip)
    sources = sorted(by_source, key=true_first(true_source))
    names = {frozenset(cut): each for each in conditions if (cut := _cut(each, by_source)) is not None}
    result = []
    for i, first in enumerate(sources):
        for second in sources[i:]:
            by_name = condition_by_source(first, second, true_source)
            condition = names.get(frozenset((first, second)), by_name)
            cut = _cut(condition, by_source) or (first, second)
            result.append(_capacity(condition, *cut, by_source, match))
    for condition in conditions:
        text = condition.rpartition(".")[2]
        cut_text = _cut(without_text(condition, text), by_source) if text in TEXTS else None
        if cut_text and _cut(condition, by_source) is None:
            shown = {source: with_text(clips, text) for source, clips in by_source.items()}
            result.append(_capacity(condition, *cut_text, shown, match))
    return tuple(result)


def _matched(sample: object) -> tuple[str, ...]:
    """The attributes on which a draw has both members agree, as far as given."""
    keys = sample if isinstance(sample, Mapping) else {}
    match = keys.get("match") or ()
    names = (match,) if isinstance(match, str) else tuple(filter(None, map(str, match)))
    pairing = _pairing(sample)
    return tuple(dict.fromkeys((*(pairing.agree if pairing else ()), *names)))


def _pairing(sample: object) -> Pairing | None:
    return PAIRINGS.get(str(sample.get("pairing") or "")) if isinstance(sample, Mapping) else None


def _cut(condition: str, sources: Mapping[str, object]) -> tuple[str, str] | None:
    """The two sources that a condition names, if it names just two."""
    cuts = [
        (condition[:i], condition[i + 1 :])
        for i, character in enumerate(condition)
        if character == "-" and condition[:i] in sources and condition[i + 1 :] in sources
    ]
    return cuts[0] if len(cuts) == 1 else None


def _capacity(
    condition: str,
    first: str,
    second: str,
    by_source: Mapping[str, Sequence[StimulusFacts]],
    match: Sequence[str],
) -> Capacity:
    ones, others = (_contents(by_source[source], match) for source in (first, second))
    clips = [*by_source[first], *(by_source[second] if second != first else ())]
    possible = 0
    for key in ones.keys() & others.keys():
        one, other = ones[key], others[key]
        n_both = len(one & other)
        # Less each clip with itself, and less the second way round of two contents that both sources have.
        possible += len(one) * len(other) - n_both - n_both * (n_both - 1) // 2
    lacking = sum(not all(clip.attributes.get(name) for name in match) for clip in clips)
    return Capacity(
        condition, first, second, len(by_source[first]), len(by_source[second]), possible, lacking
    )


def _contents(clips: Iterable[StimulusFacts], match: Sequence[str]) -> dict[tuple[str, ...], set[str]]:
    """The clips' contents, by the values of the matched attributes; clips lacking one are left out."""
    contents: dict[tuple[str, ...], set[str]] = {}
    for clip in clips:
        values = tuple(clip.attributes.get(name, "") for name in match)
        if all(values):
            contents.setdefault(values, set()).add(content_of(clip))
    return contents
