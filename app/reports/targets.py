"""Targets of commands: a study's slug, an exported file, or an external file with its mapping."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from analysis import read_responses
from analysis.data.columns import ANALYZED_COLUMNS, RESPONSE_COLUMNS, Column
from analysis.data.judgements import Judgements, as_classes
from analysis.data.naming import note_names
from analysis.data.rating_table import Ratings
from analysis.data.reading import is_rating_rows, read_rating_rows
from analysis.data.selection import with_unwatched
from app.core.errors import StudyError

if TYPE_CHECKING:
    from sqlmodel import Session

_SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")


def is_file(target: str) -> bool:
    """True if a target names a file: by its suffix, or because it exists. A slug has no dot."""
    path = Path(target)
    return path.suffix.lower() in _SUFFIXES or path.is_file()


def is_folder(target: str) -> bool:
    """True if a target names a folder of files. The folder that `study template` writes is called as its study, and
    holds no data: its name means the study.
    """
    path = Path(target)
    is_a_study = target == path.name and (path / "study.yaml").is_file()
    has_data = any(
        (path / name).is_file() for name in ("manifest.csv", "participants.csv", "participants.jsonl")
    )
    return path.is_dir() and not (is_a_study and not has_data)


def is_ratings(mapping: Path | None) -> bool:
    """True for a mapping of ratings, which `ratings_of` reads, rather than 2AFC answers."""
    return mapping is not None and _kind_of(mapping) == "ratings"


def is_yes_no(mapping: Path | None) -> bool:
    """True for a mapping of judgements of single stimuli, which `judgements_of` reads."""
    return mapping is not None and _kind_of(mapping) == "yes-no"


def _kind_of(mapping: Path) -> str:
    # Imported here and below: of most tables the columns are ours, and reading mappings is a part of a start.
    from analysis.data.mapping import mapping_kind

    return mapping_kind(mapping)


def notes_of(mapping: Path | None) -> tuple[str, ...]:
    """Notes for readers on how an external table was interpreted."""
    if mapping is None:
        return ()
    from analysis.data.mapping import mapping_notes

    return mapping_notes(mapping)


def frame_of(
    session: "Session | None",
    target: str,
    mapping: Path | None = None,
    columns: Sequence[Column] = RESPONSE_COLUMNS,
) -> pd.DataFrame:
    """The checked responses of a target, with at least `columns`. With a `mapping` it is an external file.

    `session` may be None if every target is a file. Raises the analysis' errors for an unusable file or mapping,
    NotFound for an unknown study and StudyError for a slug without a session.
    """
    if mapping is not None:
        from analysis.data.mapping import read_mapped

        return read_mapped(target, mapping)
    if is_file(target):
        return read_responses(target, columns)
    if session is None:
        raise StudyError(f"{target} is no file, and no study can be looked up here")
    # Imported here: numbers of files need no database.
    from app.reports.frames import responses_frame

    frame = responses_frame(session, target, columns)
    note_names(target, frame)
    return frame


def judgements_of(target: str, mapping: Path) -> Judgements:
    """The checked judgements of single stimuli of a file from elsewhere."""
    from analysis.data.mapping import read_judgements

    return read_judgements(target, mapping)


def ratings_of(target: str, mapping: Path) -> Ratings:
    """The checked ratings of a file from elsewhere; judgements of single stimuli are classes of these."""
    if is_yes_no(mapping):
        return as_classes(judgements_of(target, mapping))
    from analysis.data.mapping import read_ratings

    return read_ratings(target, mapping)


def frames_of(
    session: "Session | None", targets: Sequence[str], mapping: Path | None = None, *, unwatched: bool = False
) -> list[pd.DataFrame]:
    """The analysed responses of each target, as `frame_of`; on request with answers that cannot have been watched."""
    frames = [frame_of(session, target, mapping, ANALYZED_COLUMNS) for target in targets]
    return [with_unwatched(frame) for frame in frames] if unwatched else frames


@dataclass(frozen=True, slots=True)
class Split:
    """Targets by content, which for a study may be both: `pairs` are those with answers to pairs."""

    pairs: Sequence[str]
    ratings: Sequence[pd.DataFrame]


def split_targets(session: "Session | None", targets: Sequence[str]) -> Split:
    """The checked ratings of studies and exported files, and the targets that have answers to pairs.

    Raises StudyError for a study of ratings that has none, and what `read_rating_rows` raises.
    """
    pairs, ratings = [], []
    for target in targets:
        rated = rating_rows_of(session, target)
        if rated is not None and len(rated):
            ratings.append(rated)
        if rated is None or _has_answers_to_pairs(session, target):
            pairs.append(target)
        elif rated.empty:
            raise StudyError(f"{target}: nobody has rated an item of this study yet")
    return Split(pairs, ratings)


def rating_rows_of(session: "Session | None", target: str) -> pd.DataFrame | None:
    """The checked ratings of an exported file of them, or of a study with a block of ratings; None of any other."""
    if is_file(target):
        return read_rating_rows(target) if is_rating_rows(target) else None
    if session is None:
        return None
    from app.reports.facts import designs_of, refuse_play_alone
    from app.reports.rated import ratings_frame
    from app.tasks.rating.settings import RatingDesign

    refuse_play_alone(session, target)
    has_ratings = any(design.blocks_of(RatingDesign) for design in designs_of(session, target).values())
    if not has_ratings:
        return None
    frame = ratings_frame(session, target)
    note_names(target, frame)
    return frame


def _has_answers_to_pairs(session: "Session | None", target: str) -> bool:
    if session is None or is_file(target):
        return False
    from app.tasks.pair.responses import responses

    return session.execute(responses(target, ["study"]).limit(1)).first() is not None
