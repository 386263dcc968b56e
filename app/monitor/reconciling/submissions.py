"""A recruiter's file of submissions, read into one form."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from app.core.errors import StudyError
from app.core.problems import Problem, listed, quoted
from app.core.spreadsheet import CsvTable, restored
from app.studies.file.recruiters import RECRUITERS, SubmissionFile, plain_name

# A number as a spreadsheet shows a long one: the digits behind are lost. No recruiter's id has a point or a plus.
_ROUNDED = re.compile(r"\d+[.,]\d+E[+-]?\d+|\d+E\+\d+", re.IGNORECASE)
LARGEST = 20_000_000
_MOST_SHOWN, _LONGEST_SHOWN = 12, 60
MOST = 100_000
HOLDS = ("participant", "submission", "status", "code", "seconds")
"""What a column of submissions may hold."""
_ANY = SubmissionFile(
    columns={name: (name,) for name in HOLDS},
    statuses={
        "waiting": ("waiting", "submitted", "awaiting review"),
        "approved": ("approved",),
        "rejected": ("rejected",),
        "returned": ("returned",),
        "timed-out": ("timed-out", "timed out"),
        "active": ("active",),
    },
)


class BadSubmissions(StudyError):
    status_code = 422


class There(StrEnum):
    """The state of a submission at the recruiter."""

    WAITING = "waiting"
    APPROVED = "approved"
    REJECTED = "rejected"
    RETURNED = "returned"
    TIMED_OUT = "timed-out"
    ACTIVE = "active"
    SCREENED_OUT = "screened-out"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Submission:
    """One row of the file. `said` is the recruiter's own word for its state, `cells` the row as it stands."""

    row: int
    participant: str
    submission: str
    there: There
    said: str
    code: str
    minutes: float | None
    cells: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Submissions:
    """`unknown` are words of states that were not recognized; `has` says which columns were found."""

    header: Sequence[str]
    rows: Sequence[Submission]
    has: frozenset[str]
    unknown: Sequence[str] = ()


def columns_named(text: str) -> Mapping[str, str]:
    """`participant=Survey Code, status=State` as a mapping. Raises BadSubmissions."""
    named: dict[str, str] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        holds, is_pair, name = (piece.strip() for piece in part.partition("="))
        if not is_pair or holds not in HOLDS or not name:
            allowed = listed(HOLDS)
            raise BadSubmissions(
                f"{quoted(part)} names no column; write it as participant=NAME, with one of {allowed}."
            )
        named[holds] = name
    return named


def read_submissions(
    source: str | Path, recruiter: str, named: Mapping[str, str] | None = None
) -> Submissions:
    """Read a text or a file; `named` has columns that are other names than usual. Raises BadSubmissions."""
    if isinstance(source, str) and len(source) > LARGEST:
        raise BadSubmissions(f"The file is larger than {LARGEST // 10**6} MB.")
    known = RECRUITERS[recruiter].submissions if recruiter in RECRUITERS else _ANY
    faults: list[str] = []
    table = CsvTable(
        source,
        str(source) if isinstance(source, Path) else "",
        cell=lambda cell: restored(cell.strip()),
        optional=known.without_cells,
        refuse=lambda problem: faults.append(_in_words(problem)),
    )
    header = table.header
    _refuse_faults(faults)  # what is wrong with the file itself, before a column is missed in it
    columns = _columns(header, known, named or {})
    rows, unknown = list[Submission](), dict[str, None]()
    for row in table:
        if len(rows) == MOST:
            raise BadSubmissions(f"The file has more than {MOST:,} rows.")
        one = _submission(row.row, row.cells, columns, known)
        for id_ in (one.participant, one.submission):
            if _ROUNDED.fullmatch(id_):
                raise BadSubmissions(
                    f"Row {row.row}: {quoted(id_)} is a number that a spreadsheet has rounded, and no longer the id. "
                    "Download the file again, and choose it as it is, without opening and saving it."
                )
        if one.there is There.UNKNOWN:
            unknown[one.said] = None
        rows.append(one)
    _refuse_faults(faults)
    if not rows:
        raise BadSubmissions("There is no submission in the file.")
    return Submissions(header, rows, frozenset(columns), tuple(unknown))


def _in_words(problem: Problem) -> str:
    remedy = f"; {problem.remedy}" if problem.remedy else ""
    return f"line {max(problem.line, 1)}: {problem.message}{remedy}"


def _refuse_faults(faults: Sequence[str]) -> None:
    if faults:
        raise BadSubmissions(f"The file cannot be read: {faults[0]}.")


def _columns(header: Sequence[str], known: SubmissionFile, named: Mapping[str, str]) -> Mapping[str, str]:
    """The header's names by what the columns hold."""
    there = {plain_name(name): name for name in reversed(header)}
    found: dict[str, str] = {}
    for holds in HOLDS:
        names = [named[holds]] if holds in named else [*known.columns.get(holds, ())]
        match = next((there[plain_name(name)] for name in names if plain_name(name) in there), None)
        if match is not None:
            found[holds] = match
        elif holds in named:
            raise BadSubmissions(
                f"There is no column {quoted(named[holds])}; the file has {listed(header, 'and')}."
            )
    if "participant" not in found:
        wanted = listed(known.columns["participant"])
        raise BadSubmissions(
            f"There is no column with participants' ids: it would be called {wanted}. {_instead(header, there)}"
        )
    return found


def _instead(header: Sequence[str], there: Mapping[str, str]) -> str:
    """A sentence on the columns that a file has in place of the right ones, and one on what to do."""
    for other in RECRUITERS.values():
        columns = (other.submissions.columns[holds] for holds in ("participant", "submission", "status"))
        if all(any(plain_name(name) in there for name in names) for names in columns):
            return (
                f"The file has the columns of one of {other.name}. Choose a file of the recruiter that the study's "
                "design names, or correct the design."
            )
    shown = [name[:_LONGEST_SHOWN] for name in header[:_MOST_SHOWN]]
    more = f" and {len(header) - _MOST_SHOWN} more" if len(header) > _MOST_SHOWN else ""
    has = f"{', '.join(shown)}{more}" if more else listed(shown, "and") if shown else "no column"
    return f"The first line of the file has {has}. Name the column, as in participant=NAME."


def _submission(
    row: int, cells: Mapping[str, str], columns: Mapping[str, str], known: SubmissionFile
) -> Submission:
    def cell(holds: str) -> str:
        return cells.get(columns.get(holds, ""), "").strip()

    said, code = cell("status"), cell("code")
    there = _state(said, known) if "status" in columns else There.WAITING
    return Submission(
        row=row,
        participant=cell("participant"),
        submission=cell("submission"),
        there=there,
        said=said or there,
        code="" if code.casefold() in {word.casefold() for word in known.no_code} else code,
        minutes=_minutes(cell("seconds")),
        cells=cells,
    )


def _state(said: str, known: SubmissionFile) -> There:
    for meaning, words in known.statuses.items():
        if plain_name(said) in map(plain_name, words):
            return There(meaning)
    return There.UNKNOWN


def _minutes(seconds: str) -> float | None:
    try:
        taken = float(seconds)
    except ValueError:
        return None
    return taken / 60 if 0 <= taken < 10**9 else None
