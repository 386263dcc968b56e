"""Problems of a study file and the files it names."""

from collections.abc import Iterable

from app.core.errors import StudyError
from app.core.problems import Problem


class StudyFileProblems(StudyError):
    """All problems of a study file and the files it names, one line each."""

    status_code = 422
    title = "The study file has errors"

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
