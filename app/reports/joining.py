"""Answers from SQL in columns: the parts of `responses_in_parts`, joined by their keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import Connection, Select

from app.tasks.pair.in_parts import ANSWER_DIGITS, ITSELF, KEY_BITS, LEFT, RARE, InParts, is_on_a_side
from app.trials.flags import is_one_sided

_ROWS_AT_ONCE = 2_000  # few enough that their cells stay in the processor's cache
_KEYS_AT_ONCE = 10_000  # of 32,766 values that SQLite takes with a statement, and 65,535 that PostgreSQL does
_FEW = 0.1  # of answers: to find one by its key takes ten times as long as to come by it
_BITS = sum(digit.bits for digit in ANSWER_DIGITS.values())

Types = Mapping[str, pa.DataType]
Cells: TypeAlias = Any  # of Arrow, in one chunk or several; it has no types
Table = dict[str, Cells]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_NEVER_NULL = {"keys", "number"}
_OF_PARTS: Types = {
    **dict.fromkeys(("keys", "number", "answer_key", "session_key", "pair_key", "session_kind"), pa.int64()),
    **dict.fromkeys((*RARE, *(f"{name}_again" for name in RARE)), pa.string()),
    "certainty": pa.float64(),
    **dict.fromkeys(("practice", "one_sided"), pa.bool_()),
}


class Changed(Exception):
    """Others changed or deleted something between two statements, as PostgreSQL lets them."""


@dataclass(frozen=True, slots=True)
class _Answers:
    """All answers by session and position: keys, and numbers. `alike` is a number without what is the answer's alone.

    `order` has their rows as they came.
    """

    order: Ints
    keys: Ints
    sessions: Ints
    numbers: Ints
    alike: Ints

    @classmethod
    def of(cls, keys: Ints, numbers: Ints) -> "_Answers":
        bits = ANSWER_DIGITS["position"].bits
        sessions = keys >> KEY_BITS
        order = np.argsort((sessions << bits) + _digit(numbers, "position"), kind="stable")
        keys, numbers = keys[order], numbers[order]
        return cls(order, keys & (2**KEY_BITS - 1), sessions[order], numbers, _alike(numbers))


def joined(connection: Connection, parts: InParts, types: Types) -> Table:
    """The columns of all answers, by session and position. Raises Changed."""
    types = {**types, **_OF_PARTS}
    own = _table(connection, parts.answers, types)
    answers = _Answers.of(_ints(own.pop("keys")), _ints(own.pop("number")))
    sessions, pairs = (_table(connection, part, types) for part in (parts.sessions, parts.pairs))
    rare = _rare(connection, parts, answers, types)
    session_at = _places(answers.sessions, sessions.pop("session_key"))
    pair_at = _places(answers.numbers >> _BITS, pairs.pop("pair_key"))
    is_practice = pairs.pop("practice").to_numpy(zero_copy_only=False).astype(bool)[pair_at]
    one_sided = _one_sided(answers.numbers, session_at, is_practice)
    rare_at = pc.index_in(pa.array(answers.keys), rare.pop("answer_key"))  # NULL for most
    kind = 2 * _ints(sessions.pop("session_kind"))[session_at] + one_sided
    said = {name: rare.pop(name) for name in RARE}
    groups, of_group = _groups(
        [
            answers.alike,
            kind,
            *(_ints(_repeated(cells).indices.take(rare_at).fill_null(-1)) for cells in said.values()),
        ]
    )
    alike = _examples(connection, parts, answers, of_group, one_sided, types)
    # As one example stands for many, it has to be still what they are.
    kind_again = 2 * _ints(alike.pop("session_kind")) + _ints(alike.pop("one_sided"))
    is_same = (_alike(_ints(alike.pop("number"))) == answers.alike[of_group]) & (kind_again == kind[of_group])
    for name, cells in said.items():
        is_same &= cells.take(rare_at.take(of_group)).to_pylist() == alike.pop(f"{name}_again").to_pylist()
    if not is_same.all():
        raise Changed
    columns: Table = {name: cells.take(answers.order) for name, cells in own.items()}
    for name in types.keys() & ITSELF:
        digit = _digit(answers.numbers, name)
        columns[name] = pa.array(digit, types[name], mask=digit == 0)
    for once, at in ((sessions, session_at), (pairs, pair_at), (rare, rare_at), (alike, groups)):
        columns |= {name: pc.take(_repeated(cells), at, boundscheck=False) for name, cells in once.items()}
    return columns


def _alike(numbers: Ints) -> Ints:
    """The numbers without what is the answer's alone."""
    found: Ints = numbers >> sum(ANSWER_DIGITS[name].bits for name in ITSELF)
    return found


def _digit(numbers: Ints, name: str) -> Ints:
    """A digit of each number."""
    names = list(ANSWER_DIGITS)
    below = sum(ANSWER_DIGITS[each].bits for each in names[: names.index(name)])
    found: Ints = (numbers >> below) & (2 ** ANSWER_DIGITS[name].bits - 1)
    return found


def _rare(connection: Connection, parts: InParts, answers: _Answers, types: Types) -> Table:
    """Columns that few answers have: read by their keys where they are few."""
    keys = answers.keys[_digit(answers.numbers, "rare") > 0]
    if len(keys) > _FEW * len(answers.keys):
        return _table(connection, parts.rare(None), types)
    return _together([_table(connection, parts.rare(some.tolist()), types) for some in _in_parts(keys)])


def _one_sided(numbers: Ints, session_at: Ints, is_practice: Mask) -> Mask:
    """Answers of sessions that always pressed the same side."""
    side = _digit(numbers, "side")
    chosen = is_on_a_side(side, _digit(numbers, "unplayable")) & ~is_practice
    n_sessions = int(session_at.max(initial=-1)) + 1
    n_chosen = np.bincount(session_at[chosen], minlength=n_sessions)
    n_left = np.bincount(session_at[chosen & (side == LEFT)], minlength=n_sessions)
    of_session, counts = pd.factorize(n_left << KEY_BITS | n_chosen)
    one_sided = [is_one_sided(count >> KEY_BITS, count & (2**KEY_BITS - 1)) for count in counts.tolist()]
    return np.array(one_sided, dtype=bool)[of_session][session_at]


def _groups(numbers: Sequence[Ints]) -> tuple[Ints, Ints]:
    """A group for each row, alike in all numbers; and a row of each group."""
    groups, found = pd.factorize(numbers[0])
    for more in numbers[1:]:
        codes, distinct = pd.factorize(more)
        groups, found = pd.factorize(groups * len(distinct) + codes)
    row = np.empty(len(found), dtype=np.int64)
    row[groups] = np.arange(len(groups))
    return groups, row


def _examples(
    connection: Connection, parts: InParts, answers: _Answers, rows: Ints, one_sided: Mask, types: Types
) -> Table:
    """The columns in which groups are alike, read of these rows."""
    read = []
    for some in _in_parts(rows):
        keys, sessions = answers.keys[some], np.unique(answers.sessions[some[one_sided[some]]])
        found = _table(connection, parts.examples(keys.tolist(), sessions.tolist()), types)
        at = _places(keys, found.pop("answer_key"))
        read.append({name: cells.take(at) for name, cells in found.items()})
    return _together(read)


def _in_parts(keys: Ints) -> Sequence[Ints]:
    """Parts of as many as a statement takes; one at least."""
    return np.array_split(keys, len(keys) // _KEYS_AT_ONCE + 1)


def _together(parts: Sequence[Table]) -> Table:
    return {
        name: pa.chunked_array([chunk for part in parts for chunk in part[name].chunks], cells.type)
        for name, cells in parts[0].items()
    }


def _repeated(cells: Cells) -> Cells:
    """In one chunk, of which many are taken sooner; texts as codes."""
    whole = cells.combine_chunks()
    return whole.dictionary_encode() if pa.types.is_string(whole.type) else whole


def _ints(cells: Cells) -> Ints:
    return np.asarray(cells, dtype=np.int64)


def _places(keys: Ints, among: Cells) -> Ints:
    """The row of each key. Raises Changed."""
    places = pc.index_in(pa.array(keys), among)
    if places.null_count:
        raise Changed
    return _ints(places)


def _table(connection: Connection, statement: Select[tuple[object, ...]], types: Types) -> Table:
    """The driver's own rows, a part of them at a time, in columns of Arrow.

    SQLAlchemy would make each row anew, and each is a tuple already; its types read whole columns just as well.
    """
    columns = statement.selected_columns
    names = [column.name for column in columns]
    parts: list[Sequence[pa.Array]] = []
    with connection.execute(statement) as result:
        cursor, dialect = result.cursor, connection.dialect
        read = [
            column.type.dialect_impl(dialect).result_processor(dialect, described[1])
            for column, described in zip(columns, cursor.description, strict=True)
        ]
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            if _NEVER_NULL.issuperset(names):
                parts.append([pa.array(part) for part in _all_whole(rows, len(names))])
                continue
            parts.append(
                [
                    pa.array(map(process, cells) if process else cells, types[name])
                    for name, process, cells in zip(names, read, zip(*rows, strict=True), strict=True)
                ]
            )
    return {
        name: pa.chunked_array([part[at] for part in parts], types[name]) for at, name in enumerate(names)
    }


def _all_whole(rows: Sequence[Sequence[int]], width: int) -> Ints:
    """Rows of numbers alone, by columns."""
    return np.fromiter(chain.from_iterable(rows), np.int64, len(rows) * width).reshape(-1, width).T
