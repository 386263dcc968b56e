"""Where a session stands in its study: what its current page is made from."""

from dataclasses import dataclass

from app.sessions.runs import StudyRun
from app.studies.file.load import StudyDesign
from app.trials.here import Where


@dataclass(frozen=True, slots=True)
class StudyWhere(Where):
    """Where a session stands, with the whole design of its version."""

    run: StudyRun

    @property
    def design(self) -> StudyDesign:
        return self.run.design
