"""A session's state in its study: the data of its current page."""

from app.sessions.runs import StudyRun
from app.studies.file.load import StudyDesign
from app.trials.here import Where


class StudyWhere(Where):
    """A session's state, with the whole design of its version."""

    __slots__ = ()
    run: StudyRun

    @property
    def design(self) -> StudyDesign:
        return self.run.design

    @property
    def spoken(self) -> str:
        """The language of its pages, where the study has several; else empty."""
        return self.design.language if len(self.run.languages) > 1 else ""
