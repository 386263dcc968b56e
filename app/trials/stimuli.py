"""The facts of stimuli that a study file is read with: of clips, records and texts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.library.kinds import StimulusKind

HUMAN = "human"
# As the true source: no answer is right or wrong.
NO_SOURCE = "none"


@dataclass(frozen=True, slots=True)
class StimulusFacts:
    """Facts about a stimulus for a study file. `clip_sha256` is the hash of what is shown: clip, record or text.

    `is_own`: it is of a collection that the study uses, or was put into it by name; others can be named, and are not
    counted, offered or drawn.
    """

    name: str
    source: str
    attributes: Mapping[str, str]
    clip_sha256: str
    kind: StimulusKind = StimulusKind.CLIP
    is_own: bool = True


@dataclass(frozen=True, slots=True)
class Sources:
    """A correction: stimuli with their sources before and after it, and the true source before and after."""

    before: Mapping[str, StimulusFacts]
    after: Mapping[str, StimulusFacts]
    old: str
    new: str


def clips_among(stimuli: Mapping[str, StimulusFacts]) -> Mapping[str, StimulusFacts]:
    """The clips alone: records and texts are left out."""
    return of_kind(stimuli, StimulusKind.CLIP)


def own_of(stimuli: Mapping[str, StimulusFacts]) -> Mapping[str, StimulusFacts]:
    """The study's own stimuli."""
    return {name: facts for name, facts in stimuli.items() if facts.is_own}


def of_kind(
    stimuli: Mapping[str, StimulusFacts], kind: StimulusKind, without: Sequence[str] = ()
) -> Mapping[str, StimulusFacts]:
    """The stimuli of one kind that have none of the attributes `without`."""
    return {
        name: facts
        for name, facts in stimuli.items()
        if facts.kind is kind and not any(facts.attributes.get(each) for each in without)
    }


def content_of(clip: StimulusFacts) -> str:
    """The identity of a clip's content: its hash, or its name if the bytes are not stored here."""
    return clip.clip_sha256 or clip.name


def true_source_of(keys: object) -> str:
    """The source that a draft's `truth` names, as far as it names one; `human` unless said."""
    truth = keys.get("truth") if isinstance(keys, Mapping) else None
    source = truth.get("source") if isinstance(truth, Mapping) else None
    return source.strip() if isinstance(source, str) and source.strip() else HUMAN


def attributes_of(stimuli: Mapping[str, StimulusFacts]) -> tuple[tuple[str, int], ...]:
    """Every attribute that some of the stimuli have, and how many of them have it."""
    counts = Counter(name for each in stimuli.values() for name, value in each.attributes.items() if value)
    return tuple(sorted(counts.items()))
