"""Studies known by their answers alone. A report of a file needs neither the database nor the designs of studies."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from analysis.data.flow import Flow
from app.core.errors import StudyError
from app.reports.targets import frame_of, notes_of

if TYPE_CHECKING:
    from app.reports.sources import Source


@dataclass(frozen=True, slots=True)
class FileStudy:
    """A study known by its answers alone; `origin` tells where they are from, `taken` what was assumed."""

    slug: str
    origin: str
    called: str = ""
    taken: str = ""

    @property
    def title(self) -> str:
        return self.called or self.slug


def read_file(target: str, mapping: Path | None = None) -> "Iterator[tuple[Source, pd.DataFrame]]":
    """Each study of an exported file, or of one from elsewhere with its mapping, in the order of the file.

    Raises AnalysisError for bad data.
    """
    yield from split(frame_of(None, target, mapping), Path(target).name, " ".join(notes_of(mapping)))


def split(answers: pd.DataFrame, origin: str, taken: str = "") -> "Iterator[tuple[Source, pd.DataFrame]]":
    """Each study of a checked table; `taken` is what was assumed of it."""
    for slug in answers["study"].unique():
        rows = answers[answers["study"] == slug].reset_index(drop=True)
        yield FileStudy(str(slug), f"the file {origin}", taken=taken), rows


def joined(
    read: "Sequence[tuple[Source, pd.DataFrame]]",
) -> "tuple[list[Source], dict[str, pd.DataFrame]]":
    """Sources and their tables by study. Raises StudyError for a study that was given twice."""
    studies: list[Source] = []
    frames: dict[str, pd.DataFrame] = {}
    for study, frame in read:
        if study.slug in frames:
            raise StudyError(f"study {study.slug!r} is in two targets: give it once")
        studies.append(study)
        frames[study.slug] = frame
    return studies, frames


def flows_in(studies: "Iterable[Source]") -> Mapping[str, Mapping[str, Flow]]:
    """The flows of each study that is in the database, by study and mode."""
    return {study.slug: study.flows for study in studies if not isinstance(study, FileStudy)}
