"""Data out, row by row: as CSV, JSONL or Parquet, in the columns of docs/data.md."""

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
from sqlmodel import Session

from analysis.data.columns import VERDICT_COLUMNS
from analysis.results import table_rows
from app.core.errors import StudyError
from app.core.spreadsheet import csv_lines, plain_cell
from app.core.whole_files import written_whole
from app.exports import columns
from app.exports.tables import BATCH_ROWS, ByArm, OfStudy, Row
from app.questions.base import Question
from app.questions.registry import TYPES, answers_of, parts_of
from app.reports.facts import designs_of, tables_of
from app.reports.frames import labels_frame
from app.reports.kinds import Format
from app.reports.preferences import preferences
from app.reports.selects import SHARED
from app.reports.tasks import of_sessions, table_of
from app.sessions.identity import identities_of
from app.studies.file.design import StudyDesign
from app.studies.queries import study_named
from app.tasks.listed import TASKS
from app.tasks.registry import DESIGNS
from app.verdicts.judging import unused_sessions
from app.verdicts.records import with_duration


@dataclass(frozen=True, slots=True)
class Exported:
    """The number of rows written; `mode` is that of the votes behind labels and preferences.

    Preferences leave out the tied pairs: `n_ties` of them.
    """

    n_rows: int
    mode: str | None
    n_ties: int = 0


def export(
    session: Session,
    slug: str,
    what: str,
    format_: Format,
    out: Path | None,
    mode: str | None = None,
    *,
    everything: bool = False,
    real_ids: bool = False,
) -> Exported:
    """Write one table of a study to `out` (standard output when None); `mode` selects the votes that count.

    Left out are sessions that an exclusion rule leaves out, of matches also those of the others who played in them;
    from labels and preferences also answers whose clips cannot have been watched. With `everything` all of these are
    in. With `real_ids`, participants have the ids and link parameters that are kept apart from their answers.

    A file is written atomically. Raises NotFound for an unknown study, StudyError if `out` cannot be written and for a
    table of pairs, or of ratings, of a study that has none.
    """
    study_named(session, slug)
    _require_table(session, slug, what)
    if real_ids and what != "participants":
        raise StudyError("--real-ids adds ids to one table; use it with --what participants")
    wanted = columns_of(session, slug, what, real_ids=real_ids)
    voters, n_ties = None, 0
    rows: Iterable[Row]
    if what == "labels":
        labels = labels_frame(session, slug, mode, unwatched=everything)
        rows, voters = table_rows(labels), labels.attrs["mode"]
    elif what == "preferences":
        preferred = preferences(session, slug, mode, unwatched=everything)
        rows, voters, n_ties = preferred.rows, preferred.mode, preferred.n_ties
    else:
        rows = rows_of(session, slug, what, real_ids=real_ids)
        if not everything:
            rows = _used(session, slug, rows, {column.name for column in wanted})
    with _target(out, format_) as file:
        return Exported(_WRITERS[format_](rows, wanted, file), voters, n_ties)


def _used(session: Session, slug: str, rows: Iterable[Row], names: Collection[str]) -> Iterable[Row]:
    """The rows of which no rule leaves out the session; of matches those that count, as a match counts whole or not."""
    # In the rows a session is a number in some tables, a text in others.
    unused = {str(id_) for id_ in unused_sessions(session, slug)}
    if not unused:
        return rows
    if "match" in names:
        seats = rows_of(session, slug, "seats_played")
        matches = {seat["match"] for seat in seats if str(seat["session"]) in unused}
        return (row for row in rows if row["match"] not in matches)
    return (row for row in rows if str(row["session"]) not in unused)


def _require_table(session: Session, slug: str, what: str) -> None:
    """Refuse a table that no version of the study can have rows for."""
    designs = designs_of(session, slug).values()
    there = tables_of(designs)
    if designs and what not in there:
        missing = next(DESIGNS[task].nouns.lower() for task, named in TASKS.items() if what in named.tables)
        instead = next((each for each in there if each not in SHARED), "answers")
        raise StudyError(
            f"{slug}: there are no {missing} in this study; try --what {instead}",
            on_page=f"There are no {missing} in this study.",
        )


def rows_of(
    session: Session,
    slug: str,
    what: str,
    modes: Sequence[str] | None = None,
    *,
    by_arrival: bool = True,
    real_ids: bool = False,
) -> Iterator[Row]:
    """The rows of a table that is one SELECT, as they are read; of all `modes` unless some are named.

    Sessions are in the order of their arrival, or else in that of their seeds, which reveals nothing.
    """
    table = table_of(what)
    if table.rows is None:
        raise ValueError(f"{what} is computed from votes")
    designs = designs_of(session, slug)
    study = OfStudy(slug, designs)
    rows = table.rows(session, study, modes, by_arrival=by_arrival)
    match what:
        case "answers":
            yield from _by_question(rows, designs)
        case "participants":
            own = _with_own(session, study, _with_background(map(with_duration, rows), designs))
            yield from _with_identities(session, slug, own) if real_ids else own
        case _:
            yield from rows


def columns_of(
    session: Session, slug: str, what: str, *, real_ids: bool = False
) -> tuple[columns.Column, ...]:
    """A table's columns: `participants` has one for each background question of any version, and those of its tasks;
    those of some tables depend on the study.
    """
    table = table_of(what)
    if what != "participants":
        return table.columns_of(designs_of(session, slug)) if table.columns_of else table.columns
    designs = designs_of(session, slug)
    asked = {part.id: (part, entry) for part, entry in _of_background(designs)}
    own = (columns.background_column(part.id, part.ask, entry) for part, entry in asked.values())
    of_tasks = (column for part in of_sessions(designs) for column in part.columns)
    ids = [columns.RECRUITER_ID] if real_ids else []
    first, later = table.columns[: columns.BEFORE_BACKGROUND], table.columns[columns.BEFORE_BACKGROUND :]
    return (*first, *own, *of_tasks, *later, *ids, *VERDICT_COLUMNS)


def _with_background(rows: Iterable[Row], designs: Mapping[int, StudyDesign]) -> Iterator[Row]:
    """Each session with the text that it agreed to, and its background answers by question."""
    names = dict.fromkeys(f"{columns.BACKGROUND}{part.id}" for part, _ in _of_background(designs))
    texts = {n: sha256(design.consent.text.encode()).hexdigest() for n, design in designs.items()}
    asked = ByArm(designs, lambda design: design.background)
    for row in rows:
        given = row["background"] or {}
        own = {
            f"{columns.BACKGROUND}{part.id}": _as_text(part, value)
            for question in asked.of(row) or ()
            for part, value in answers_of(question, given.get(question.id))
        }
        # Sessions of before texts had languages have no hash of their own.
        agreed = row["consent_sha256"] or texts[row["version"]] if row["consented_at"] is not None else None
        yield {**row, "consent_sha256": agreed, **names, **own}


def _of_background(designs: Mapping[int, StudyDesign]) -> Iterator[tuple[Question, str]]:
    """Background questions as exported, of every version and arm, with the kind of content in each one's cells."""
    for design in designs.values():
        # The study's own last: of a question that arms ask in other words, its column is described by these.
        for asked in (*(design.for_arm(arm.id) for arm in design.arms), design):
            for question in asked.background:
                for part in parts_of(question):
                    yield part, TYPES[question.type].entry or TYPES[part.type].entry


def _with_own(session: Session, study: OfStudy, rows: Iterable[Row]) -> Iterator[Row]:
    """Each session with what its tasks add."""
    parts = [part.values(session, study) for part in of_sessions(study.designs)]
    for row in rows:
        yield {**row, **{name: value for part in parts for name, value in part(row).items()}}


def _with_identities(session: Session, slug: str, rows: Iterable[Row]) -> Iterator[Row]:
    """Each session with the recruiter's id and link parameters, wherever they are kept."""
    found = identities_of(session, slug)
    for row in rows:
        identity = found.get(int(row["session"]))
        if identity is None:
            yield {**row, "recruiter_id": row["participant"]}
        else:
            id_ = identity.external_id or identity.hashed_id
            yield {**row, "recruiter_id": id_, "recruiter": identity.parameters}


def _as_text(question: Question, value: Any) -> str:
    return str(TYPES[question.type].written(value))


def _by_question(responses: Iterable[Row], designs: Mapping[int, StudyDesign]) -> Iterator[Row]:
    """One row for each question answered; what is asked nowhere in the design (`seconds` of a walk) as it is."""
    asked_in = ByArm(designs, _every_question)
    for row in responses:
        own = {
            "choice": row["side"],
            "uncertainty": row["uncertainty"],
            "rationale": row["rationale"],
            "certainty": row["certainty"],
        }
        questions = asked_in.of(row) or {}
        for question, value in [*own.items(), *sorted(row["answers"].items())]:
            asked = questions.get(question)
            if asked is None and value is not None:
                yield {**row, "question": question, "value": str(value)}
            for part, of_part in answers_of(asked, value) if asked is not None else ():
                yield {**row, "question": part.id, "value": _as_text(part, of_part)}


def _every_question(design: StudyDesign) -> Mapping[str, Question]:
    """The questions of a design by id, of its blocks and outside of them."""
    groups = (*(block.asked for block in design.blocks), *design.asked_aside())
    return {question.id: question for asked in groups for question in asked}


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


def write_csv(rows: Iterable[Row], wanted: Sequence[columns.Column], file: IO[bytes]) -> int:
    names = [column.name for column in wanted]
    n_lines = 0
    for line in csv_lines(rows, names):
        file.write(line.encode())
        n_lines += 1
    return n_lines - 1


def write_jsonl(rows: Iterable[Row], wanted: Sequence[columns.Column], file: IO[bytes]) -> int:
    n = 0
    for row in rows:
        values = {column.name: plain_cell(row[column.name]) for column in wanted}
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
