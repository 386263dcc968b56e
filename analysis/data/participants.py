"""The flow in an exported table `participants`, as far as it tells."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from analysis.data.flow import Flow, flow_of_participants
from analysis.data.text_files import open_csv, refusal
from analysis.errors import ReadError
from analysis.files.faults import TableFault

NEEDED = ("session", "mode", "status", "trials_answered", "excluded")


def read_flow(path: Path, mode: str) -> Flow:
    """Raises ReadError for a file that is not CSV, or has not the columns of the table."""
    return flow_of_participants(list(_rows(path)), mode)


def _rows(path: Path) -> Iterator[Mapping[str, str]]:
    table = open_csv(path, NEEDED)
    missing = [name for name in NEEDED if name not in table.header]
    if missing:
        raise ReadError(
            str(path),
            f"no column {missing[0]!r}; a table of participants is expected (export --what participants)",
        )
    rows = table.rows()
    try:
        next(rows)
        for row in rows:
            if len(row.cells) == len(table.header):
                yield dict(zip(table.header, row.cells, strict=True))
            elif any(row.cells):
                raise ReadError(
                    str(path), f"row {row.row} has {len(row.cells)} cells, the header {len(table.header)}"
                )
    except TableFault as fault:
        raise refusal(path, fault) from fault
