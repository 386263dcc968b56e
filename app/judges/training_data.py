"""Training data: the clips of a folder with a manifest, or those of a study's pairs."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqlmodel import Session, col, select

from analysis.learning.catalogue import Network
from analysis.learning.examples import Example, Pairs
from analysis.learning.networks import Settings
from analysis.learning.training import fitting_settings
from app.core.errors import Conflict, StudyError
from app.judges.base import JudgeFailed, StimulusFiles
from app.judges.frames import encoding_of, read_frames
from app.judges.frozen import FrozenFeatures
from app.judges.located import MANIFEST, are_positions, located
from app.judges.runner import OnProgress, PairToJudge
from app.judges.study import main_pairs
from app.judges.trained import track_and_goal
from app.library.clips.manifest import is_simulated, read_manifest
from app.library.clips.probe import measure
from app.library.tables import Stimulus

PLAYER, VERSION, SCENE, GOAL = "player", "version", "scene", "goal"


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip as its manifest describes it; `recorded` is the file of positions as it was handed in, `hashes` are the
    SHA-256 of all files that it is known by."""

    name: str
    source: str
    attributes: Mapping[str, str]
    files: StimulusFiles
    recorded: Path | None
    shown_s: float | None
    hashes: frozenset[str]

    @property
    def scene(self) -> str:
        """The attribute it shares with clips of other players; empty if unknown."""
        return self.attributes.get(SCENE, "") or self.attributes.get(GOAL, "")


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Clips with labels, their files, and (of a study) which of them are compared, the person's first."""

    on: str
    examples: Sequence[Example]
    files: Sequence[StimulusFiles]
    pairs: Pairs
    is_simulated: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """A main pair of a study with its stimuli by name; `truth` is `a`, `b` or None."""

    pair: str
    a: Stimulus
    b: Stimulus
    truth: str | None


def of_folder(
    folder: Path,
    human: str,
    network: Network,
    on_progress: OnProgress,
    frozen: FrozenFeatures | None = None,
) -> TrainingSet:
    """The clips listed in a folder's manifest (docs/clips.md), all of which need positions, as read by `network`,
    through `frozen` if it needs one.

    Paths of the source `human` are people's. Raises StudyError and ClipError in words.
    """
    if are_positions(folder):
        return _without_clips(folder, human, network, on_progress, frozen)
    rows = read_manifest(folder / MANIFEST).rows
    clips = []
    for done, row in enumerate(rows, start=1):
        span = measure(row.file)
        files = StimulusFiles(row.file, row.positions)
        shown_s = float(span.end - span.start)
        hashes = frozenset(_sha256(file) for file in (row.file, row.positions) if file)
        clips.append(Clip(row.name, row.source, row.attributes, files, row.positions, shown_s, hashes))
        on_progress(done, len(rows), row.name)
    return _set(str(folder), clips, human, (), network, on_progress, frozen)


def _without_clips(
    folder: Path, human: str, network: Network, on_progress: OnProgress, frozen: FrozenFeatures | None
) -> TrainingSet:
    if network.settings.sees:
        raise StudyError(f"{folder} has positions without clips, and this judge looks at clips")
    with located(folder) as paths:
        clips = [
            Clip(
                one.name,
                one.source,
                one.attributes,
                StimulusFiles(None, one.positions),
                one.positions,
                None,
                frozenset({_sha256(one.positions)}),
            )
            for one in paths
        ]
        return _set(str(folder), clips, human, (), network, on_progress, frozen)


def compared(session: Session, slug: str) -> Sequence[Compared]:
    """The main pairs of the version that is judged, with their stimuli."""
    rows = main_pairs(session, slug)
    names = {str(row[f"stimulus_{member}"]) for row in rows for member in "ab"}
    found = session.exec(select(Stimulus).where(col(Stimulus.name).in_(names))).all()
    by_name = {stimulus.name: stimulus for stimulus in found}
    return [
        Compared(
            str(row["pair"]), by_name[str(row["stimulus_a"])], by_name[str(row["stimulus_b"])], row["truth"]
        )
        for row in rows
    ]


def of_study(
    slug: str,
    known: Sequence[Compared],
    recorded: Sequence[PairToJudge],
    shown: Sequence[PairToJudge],
    network: Network,
    on_progress: OnProgress,
    frozen: FrozenFeatures | None = None,
) -> TrainingSet:
    """The clips of a study's main pairs as read by `network`, through `frozen` if it needs one.

    The source that its pairs call the truth is people's.

    `recorded` has the original files of positions, `shown` those cut to what the clips show.
    """
    people = {(pair.a if pair.truth == "a" else pair.b).source for pair in known if pair.truth}
    if len(people) != 1:
        sources = ", ".join(sorted(people)) or "none"
        raise Conflict(
            f"the pairs of {slug!r} call {sources} the truth; to train a judge of who made a clip they have to name "
            "one source"
        )
    human = people.pop()
    clips = clips_of(known, recorded, shown)
    place = {name: number for number, name in enumerate(clips)}
    pairs = []
    for pair in known:
        if pair.truth:
            one, other = (pair.a, pair.b) if pair.truth == "a" else (pair.b, pair.a)
            pairs.append((place[one.name], place[other.name]))
    return _set(slug, list(clips.values()), human, pairs, network, on_progress, frozen)


def clips_of(
    known: Sequence[Compared], recorded: Sequence[PairToJudge], shown: Sequence[PairToJudge]
) -> Mapping[str, Clip]:
    """The clips of a study's main pairs by name; see `of_study`."""
    of_pair = {pair.pair: pair for pair in known}
    clips: dict[str, Clip] = {}
    for was, now in zip(recorded, shown, strict=True):
        pair = of_pair[was.pair]
        for stimulus, before, after, hashes in (
            (pair.a, was.a, now.a, was.hashes_a),
            (pair.b, was.b, now.b, was.hashes_b),
        ):
            clips[stimulus.name] = Clip(
                stimulus.name,
                stimulus.source,
                stimulus.attributes,
                after,
                before.positions,
                stimulus.duration_s,
                hashes,
            )
    return clips


def _set(
    on: str,
    clips: Sequence[Clip],
    human: str,
    pairs: Pairs,
    network: Network,
    on_progress: OnProgress,
    frozen: FrozenFeatures | None,
) -> TrainingSet:
    sources = sorted({clip.source for clip in clips})
    if human not in sources or len(sources) < 2:
        raise StudyError(
            f"{on} holds clips of {', '.join(sources)}; {human!r} and at least one other source are needed "
            "(--human names the source that people made)",
            on_page=f"{on} holds clips of {', '.join(sources)}; {human!r} and at least one other source are needed.",
        )
    simulated = any(clip.source == human and is_simulated(clip.attributes) for clip in clips)
    examples = []
    for done, clip in enumerate(clips, start=1):
        examples.append(_example(clip, human, network.settings))
        on_progress(done, len(clips), clip.name)
    if frozen is not None:
        examples = _looked_at(frozen, clips, examples, network.settings, on_progress)
    return TrainingSet(on, examples, [clip.files for clip in clips], pairs, simulated)


def _looked_at(
    frozen: FrozenFeatures,
    clips: Sequence[Clip],
    examples: Sequence[Example],
    settings: Settings,
    on_progress: OnProgress,
) -> list[Example]:
    """Examples with the pretrained network's features; the area shown from above is that of all examples."""
    fitting, found = fitting_settings(settings, examples), []
    for done, (clip, example) in enumerate(zip(clips, examples, strict=True), start=1):
        try:
            path = None if settings.sees else example.path
            found.append(replace(example, frames=frozen.looked_at(clip.files, fitting, path)))
        except JudgeFailed as failure:
            raise StudyError(f"{clip.name}: {failure}") from None
        on_progress(done, len(clips), clip.name)
    return found


def _example(clip: Clip, human: str, settings: Settings) -> Example:
    if clip.recorded is None:
        reads = "by which leaks are looked for" if settings.sees else "which this judge reads"
        raise StudyError(f"{clip.name} has no positions, {reads}; leave the clip out, or add them")
    try:
        path, goal_m = track_and_goal(clip.files, settings)
        frames = read_frames(clip.files, settings) if settings.sees and settings.looks else None
    except JudgeFailed as failure:
        raise StudyError(f"{clip.name}: {failure}") from None
    of = clip.attributes
    is_human = clip.source == human
    return Example(
        name=clip.name,
        content=_sha256(clip.recorded),
        files=clip.hashes,
        is_human=is_human,
        source=clip.source,
        maker=of.get(PLAYER, "") if is_human else of.get(VERSION, "") or of.get(PLAYER, "") or clip.source,
        scene=clip.scene,
        path=path,
        shown_s=clip.shown_s,
        goal_m=goal_m,
        frames=frames,
        encoding=encoding_of(clip.files.clip) if settings.sees and clip.files.clip else "",
    )


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
