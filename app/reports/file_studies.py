"""Studies known by their answers alone. A report of a file needs neither the database nor the designs of studies."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeVar

import pandas as pd

from analysis.data.flow import Flow
from app.core.errors import StudyError
from app.reports.targets import frame_of, notes_of

Flows = Mapping[str, Flow]
"""By mode."""


class Source(Protocol):
    """A study with its answers, in the database or in a file."""

    @property
    def slug(self) -> str: ...

    @property
    def flows(self) -> Flows: ...


S = TypeVar("S", bound=Source)


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

    @property
    def flows(self) -> Flows:
        """None: a file tells no more of its sessions than its answers do."""
        return MappingProxyType({})


def read_file(target: str, mapping: Path | None = None) -> Iterator[tuple[FileStudy, pd.DataFrame]]:
    """Each study of an exported file, or of one from elsewhere with its mapping, in the order of the file.

    Raises AnalysisError for bad data.
    """
    yield from split(frame_of(None, target, mapping), Path(target).name, " ".join(notes_of(mapping)))


def split(answers: pd.DataFrame, origin: str, taken: str = "") -> Iterator[tuple[FileStudy, pd.DataFrame]]:
    """Each study of a checked table; `taken` is what was assumed of it."""
    for slug in answers["study"].unique():
        rows = answers[answers["study"] == slug].reset_index(drop=True)
        yield FileStudy(str(slug), f"the file {origin}", taken=taken), rows


def joined(read: Iterable[tuple[S, pd.DataFrame]]) -> tuple[list[S], dict[str, pd.DataFrame]]:
    """Sources and their tables by study. Raises StudyError for a study that was given twice."""
    studies: list[S] = []
    frames: dict[str, pd.DataFrame] = {}
    for study, frame in read:
        if study.slug in frames:
            raise StudyError(f"study {study.slug!r} is in two targets: give it once")
        studies.append(study)
        frames[study.slug] = frame
    return studies, frames


def flows_in(studies: Iterable[Source]) -> Mapping[str, Flows]:
    """The flows of each study that is in the database, by study and mode."""
    return {study.slug: study.flows for study in studies if study.flows}
