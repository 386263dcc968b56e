"""Errors of the analysis, each as one line that names the position and the values allowed."""


class AnalysisError(Exception):
    """Refused; `str()` is one line fit for a terminal, `on_page` is one for pages where that names options."""

    on_page: str = ""


class ReadError(AnalysisError):
    """A file that cannot be read at all."""

    def __init__(self, origin: str, problem: str) -> None:
        self.origin = origin
        super().__init__(f"{origin}: {problem}")


class SchemaError(AnalysisError):
    """A table that breaks its contract, with the first place where it does.

    `row` counts from 1 as in the file, so the first data row of a CSV is 2 and of a JSONL file 1.
    """

    def __init__(self, origin: str, row: int, column: str, problem: str, allowed: str) -> None:
        self.origin = origin
        self.row = row
        self.column = column
        self.problem = problem
        self.allowed = allowed
        super().__init__(f"{origin}: row {row}, column {column}: {problem}; allowed: {allowed}")


def why_unread(error: OSError) -> str:
    """Why a file could not be read, on one line: that of the system, or of Arrow for a damaged file."""
    return error.strerror or " ".join(str(error).split())


def shown(value: object, longest: int = 40) -> str:
    """`value` as it stands in an error: quoted, on one line, not too long."""
    text = repr(str(value))
    return text if len(text) <= longest else text[: longest - 4] + "...'"
