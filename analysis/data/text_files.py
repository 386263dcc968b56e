"""Files of delimited text, opened; their faults as errors of the analysis."""

from collections.abc import Collection
from pathlib import Path

from analysis.errors import AnalysisError, ReadError, SchemaError
from analysis.files.faults import TableFault
from analysis.files.text_tables import TextTable, open_text_table


def open_csv(
    path: Path,
    known: Collection[str] = (),
    delimiter: str | None = None,
    usual: str = ",",
    *,
    letters: bool = False,
) -> TextTable:
    """The delimited text in a file, as `open_text_table`. Raises ReadError."""
    try:
        table = open_text_table(path, delimiter, usual, known, letters=letters)
    except OSError as error:
        raise ReadError(str(path), f"cannot be read ({error.strerror})") from error
    except TableFault as fault:
        raise refusal(path, fault) from fault
    if table.first_row > 1:
        raise ReadError(str(path), "row 1: the line is empty; allowed: the names of the columns")
    return table


def refusal(path: Path, fault: TableFault) -> AnalysisError:
    """The error that stands for a fault of a delimited text."""
    if fault.column:
        return SchemaError(str(path), fault.row, fault.column, fault.problem, fault.remedy)
    return ReadError(str(path), str(fault))
