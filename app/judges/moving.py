"""The paths of clips, as shown: of a study's, or of a folder with a manifest. What signatures are made of."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from sqlmodel import Session, col, select

from analysis.errors import AnalysisError
from analysis.signatures import ClipPath, NoSignatures, Signatures, compare_signatures
from analysis.signatures import Path as Course
from app.core.errors import Conflict, NotFound, StudyError
from app.judges.base import JudgeFailed, StimulusFiles
from app.judges.located import MANIFEST, PLAYER, Located
from app.judges.positions import TIME, read_positions
from app.judges.runner import Span
from app.judges.spans import Spans, cut_positions
from app.judges.study import version_to_judge
from app.library.clips.manifest import is_simulated, read_manifest
from app.library.clips.store import ClipStore
from app.library.tables import Stimulus
from app.studies.file.design import StudyDesign
from app.trials.design import Kind
from app.trials.tables import Unit, UnitMember

LOGGED = "logged_by"
MATCH, SCENE = "match", "scene"
NOT_SAID = "not said"
_OPTIONAL = ("heading_rad", "goal_x_m", "goal_y_m", "wall_m", "goal_in_view", "others_in_view")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A path: of a clip, and which part of its positions it shows (None: all), or without one.

    `logged` is what wrote its positions down; empty where one thing wrote all. `match` is where others were as well,
    `scene` where it was.
    """

    name: str
    source: str
    player: str
    positions: Path
    span: Span | None
    is_simulated: bool
    logged: str = ""
    match: str = ""
    scene: str = ""


def recorded_of_study(
    session: Session, slug: str, store: ClipStore, player: str = PLAYER
) -> Sequence[Recorded]:
    """The clips of the main units of the version that judges look at, by name; `player` names an attribute.

    Raises NotFound for an unknown study, Conflict for one without a version.
    """
    version, spans = version_to_judge(session, slug), Spans(session)
    members = session.exec(
        select(UnitMember, Stimulus)
        .join(Unit, col(Unit.id) == UnitMember.unit_id)
        .join(Stimulus, col(Stimulus.id) == UnitMember.stimulus_id)
        .where(
            Unit.version_id == version.id, Unit.kind == Kind.MAIN, col(Stimulus.positions_sha256).is_not(None)
        )
        .order_by(Stimulus.name)
    )
    found: dict[str, Recorded] = {}
    for member, stimulus in members:
        span = spans.of_member(member, stimulus, version.created_at)
        if span is not None:
            positions = store.positions_path(stimulus.positions_sha256 or "")
            who = stimulus.attributes.get(player) or NOT_SAID
            simulated = is_simulated(stimulus.attributes)
            where = (stimulus.attributes.get(key, "") for key in (LOGGED, MATCH, SCENE))
            found[stimulus.name] = Recorded(
                stimulus.name, stimulus.source, who, positions, span, simulated, *where
            )
    return list(found.values())


def recorded_of_folder(folder: Path, player: str = PLAYER) -> Sequence[Recorded]:
    """The clips of a folder's `manifest.csv` that have positions. Raises ClipError naming a fault in it."""
    rows = read_manifest(folder / MANIFEST).rows
    return [
        _whole(row.name, row.source, row.positions, row.attributes, player)
        for row in rows
        if row.positions is not None
    ]


def recorded_without_clips(paths: Sequence[Located], player: str = PLAYER) -> Sequence[Recorded]:
    """The same of paths that have no clips: all of each counts."""
    return [_whole(one.name, one.source, one.positions, one.attributes, player) for one in paths]


def _whole(name: str, source: str, positions: Path, attributes: Mapping[str, str], player: str) -> Recorded:
    where = (attributes.get(key, "") for key in (LOGGED, MATCH, SCENE))
    who = attributes.get(player) or NOT_SAID
    return Recorded(name, source, who, positions, None, is_simulated(attributes), *where)


def paths_of(clips: Sequence[Recorded], origin: str) -> Iterator[ClipPath]:
    """Each clip's path, read from its file. Raises StudyError naming the clip whose positions are no table of them."""
    with tempfile.TemporaryDirectory(prefix="positions-") as folder:
        for clip in clips:
            file = (
                clip.positions
                if clip.span is None
                else cut_positions(clip.positions, clip.span, Path(folder))
            )
            try:
                track = read_positions(StimulusFiles(None, file), ("x_m", "y_m"), _OPTIONAL)
            except JudgeFailed as failure:
                raise StudyError(f"{origin}: the positions of {clip.name!r}: {failure.reason}") from None
            goal = None
            if "goal_x_m" in track and "goal_y_m" in track:
                goal = np.column_stack([track["goal_x_m"], track["goal_y_m"]])
            seen = (track.get(name) for name in ("wall_m", "goal_in_view", "others_in_view"))
            path = Course(track[TIME], track["x_m"], track["y_m"], track.get("heading_rad"), goal, *seen)
            where = clip.logged, clip.match, clip.scene
            yield ClipPath(clip.name, clip.source, clip.player, path, clip.is_simulated, *where)


def signatures_of_studies(
    session: Session, slugs: Sequence[str], store: ClipStore, *, seed: int = 1
) -> Signatures | NoSignatures | None:
    """Compare the sources of these studies' clips, people being the true source of the first; players are numbered.

    None where no clip has positions; a reason where they cannot be read or compared. Raises NotFound for an unknown
    study."""
    clips: dict[tuple[str, str, str], ClipPath] = {}
    humans: list[str] = []
    try:
        for slug in slugs:
            try:
                version = version_to_judge(session, slug)
            except Conflict:
                continue
            humans.append(StudyDesign.model_validate_json(version.design).truth.source)
            recorded = recorded_of_study(session, slug, store)
            clips |= {(clip.source, clip.player, clip.name): clip for clip in paths_of(recorded, slug)}
        if not clips:
            return None
        return compare_signatures(_numbered(list(clips.values())), human=humans[0], seed=seed)
    except NotFound:
        raise
    except (StudyError, AnalysisError) as error:
        return NoSignatures(str(error))


def _numbered(clips: Sequence[ClipPath]) -> Sequence[ClipPath]:
    """Clips with numbers in place of players' names, as reports are passed on."""
    players = sorted({clip.player for clip in clips})
    digits = len(str(len(players)))
    numbers = {player: f"{at:0{digits}d}" for at, player in enumerate(players, start=1)}
    return [replace(clip, player=numbers[clip.player]) for clip in clips]
