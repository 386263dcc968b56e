"""Data out, row by row: as CSV, JSONL or Parquet, in the columns of docs/data.md."""

import csv
import json
import os
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
from sqlmodel import Session, col

from analysis.results import table_rows
from app.errors import StudyError
from app.reporting import columns, selects
from app.reporting.frames import labels_frame
from app.reporting.kinds import Format, What
from app.reporting.preferences import preferences
from app.study.tables import ParticipantSession
from app.study.versions import study_named

BATCH_ROWS = 5_000

Row = Mapping[Any, Any]


@dataclass(frozen=True, slots=True)
class Exported:
    """How many rows were written; `mode` is that of the votes behind labels and preferences.

    Preferences leave out the pairs that are tied: `n_ties` of them.
    """

    n_rows: int
    mode: str | None
    n_ties: int = 0


def export(
    session: Session, slug: str, what: What, format_: Format, out: Path | None, mode: str | None = None
) -> Exported:
    """Write one table of a study to `out` (standard output when None); `mode` chooses whose votes count.

    A file appears whole or not at all. Raises NotFound for an unknown study, StudyError where `out` cannot be written.
    """
    study_named(session, slug)
    wanted = columns.COLUMNS[what]
    voters, n_ties = None, 0
    rows: Iterable[Row]
    if what is What.LABELS:
        labels = labels_frame(session, slug, mode)
        rows, voters = table_rows(labels), labels.attrs["mode"]
    elif what is What.PREFERENCES:
        preferred = preferences(session, slug, mode)
        rows, voters, n_ties = preferred.rows, preferred.mode, preferred.n_ties
    else:
        rows = rows_of(session, slug, what)
    with _target(out, format_) as file:
        return Exported(_WRITERS[format_](rows, wanted, file), voters, n_ties)


def rows_of(session: Session, slug: str, what: What, modes: Sequence[str] | None = None) -> Iterator[Row]:
    """The rows of a table that is one SELECT, as they are read; of all `modes` unless some are named."""
    select = getattr(selects, what.value)(slug)
    if modes is not None:
        select = select.where(col(ParticipantSession.mode).in_(modes))
    result = session.execute(select.execution_options(yield_per=BATCH_ROWS))
    rows = (row._mapping for row in result)
    yield from _by_question(rows) if what is What.ANSWERS else rows


def _by_question(responses: Iterable[Row]) -> Iterator[Row]:
    for row in responses:
        own = {"choice": row["side"], "uncertainty": row["uncertainty"], "rationale": row["rationale"]}
        for question, value in [*own.items(), *sorted(row["answers"].items())]:
            if value is not None:
                yield {**row, "question": question, "value": str(value)}


@contextmanager
def _target(out: Path | None, format_: Format) -> Iterator[IO[bytes]]:
    if out is None:
        if format_ is Format.PARQUET:
            raise StudyError("Parquet goes into a file; say which with --out FILE.parquet")
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with written_whole(out) as file:
        yield file


@contextmanager
def written_whole(out: Path) -> Iterator[IO[bytes]]:
    """A file that appears at `out` at the end of the block, or not at all. Raises StudyError where it cannot."""
    if not out.name:
        raise StudyError(f"--out {str(out)!r} names no file")
    part = out.with_name(f".{out.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(out)
    except OSError as error:
        raise StudyError(f"cannot write {out}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)


def _plain(value: Any) -> Any:
    """A value as text formats hold it: times in ISO 8601 UTC with Z."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return value


def _cell(value: Any) -> str:
    value = _plain(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def write_csv(rows: Iterable[Row], wanted: Sequence[columns.Column], file: IO[bytes]) -> int:
    names = [column.name for column in wanted]
    n_lines = 0
    for line in csv_lines(rows, names):
        file.write(line.encode())
        n_lines += 1
    return n_lines - 1


def csv_lines(rows: Iterable[Row], names: Sequence[str]) -> Iterator[str]:
    """The header and each row as one piece of CSV text."""
    pieces: list[str] = []

    class Sink:
        def write(self, text: str) -> None:
            pieces.append(text.removesuffix("\r\n") + "\n")

    # Told that lines end in both characters, the writer quotes a cell that holds either of them.
    writer = csv.writer(Sink(), lineterminator="\r\n")
    writer.writerow(names)
    for row in rows:
        yield pieces.pop()
        writer.writerow([_cell(row[name]) for name in names])
    yield pieces.pop()


def write_jsonl(rows: Iterable[Row], wanted: Sequence[columns.Column], file: IO[bytes]) -> int:
    n = 0
    for row in rows:
        values = {column.name: _plain(row[column.name]) for column in wanted}
        file.write(json.dumps(values, ensure_ascii=False).encode() + b"\n")
        n += 1
    return n


_PARQUET_TYPES: Mapping[str, pa.DataType] = {
    **dict.fromkeys(("text", "prose", "choice", "json"), pa.string()),
    **dict.fromkeys(("number", "fraction"), pa.float64()),
    "integer": pa.int64(),
    "boolean": pa.bool_(),
    "time": pa.timestamp("us", tz="UTC"),
}


def _write_parquet(rows: Iterable[Row], wanted: Sequence[columns.Column], file: IO[bytes]) -> int:
    schema = pa.schema([(column.name, _PARQUET_TYPES[column.type]) for column in wanted])
    n = 0
    with pq.ParquetWriter(file, schema) as writer:
        for batch in _batches(rows):
            arrays = [
                pa.array([_parquet_value(row[c.name], c.type) for row in batch], _PARQUET_TYPES[c.type])
                for c in wanted
            ]
            writer.write_batch(pa.record_batch(arrays, schema=schema))
            n += len(batch)
    return n


def _parquet_value(value: Any, type_: str) -> Any:
    return json.dumps(value, ensure_ascii=False) if type_ == "json" and value is not None else value


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH_ROWS:
            yield batch
            batch = []
    if batch:
        yield batch


_WRITERS: Mapping[Format, Callable[[Iterable[Row], Sequence[columns.Column], IO[bytes]], int]] = {
    Format.CSV: write_csv,
    Format.JSONL: write_jsonl,
    Format.PARQUET: _write_parquet,
}
