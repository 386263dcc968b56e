"""Tables from elsewhere with several answers in a row, as one answer a row: by rater, by item, by count, by list."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from analysis.data.checking import categorical
from analysis.data.codes import Codes, Counts, Mask, same_codes
from analysis.data.elsewhere.list_cells import Path, entries_of, path_of
from analysis.data.elsewhere.mapping_file import MappingFile
from analysis.data.elsewhere.table_files import TableFile
from analysis.data.elsewhere.wide_section import SLOT, Wide
from analysis.data.elsewhere.yaml_entries import Entry
from analysis.errors import AnalysisError, SchemaError, shown

# 12.0 is whole, as pandas writes it in columns with gaps.
_COUNT = re.compile(r"\d{1,9}(\.0+)?")
# More answers than any table that is counted by hand has; a column of ids taken for counts has more.
_MOST_ANSWERS = 20_000_000


@dataclass(frozen=True, slots=True)
class LongTable:
    """One row per answer. `cells` are theirs by our names; `rows` numbers the row of the file of each, and `places`
    names, for our names that stand in several columns of theirs, these and which of them each answer is from."""

    cells: Mapping[str, pd.Series]
    rows: Counts
    places: Mapping[str, tuple[Sequence[str], Codes]]

    def __len__(self) -> int:
        return len(self.rows)

    def theirs(self, name: str, at: int) -> str | None:
        """The column of theirs that our cell is from, where `wide` says."""
        if name not in self.places:
            return None
        columns, which = self.places[name]
        return columns[int(which[at])]


def long_table(mapping: MappingFile, file: TableFile, prose: Sequence[str] = ()) -> LongTable:
    """The columns named in a mapping, one row per answer, for any layout.

    An empty cell in place of an answer is no answer and gives no row, unless `values` defines it.

    Raises
    ------
    MappingError
        If the `wide` section names columns that the file does not have.
    SchemaError
        At the first cell that is no count, no list, or a list of another length than its row's others.
    """
    slotted = mapping.slotted
    theirs = {name: entry.text for name, entry in mapping.columns.items() if name not in slotted}
    texts = {their for name, their in theirs.items() if name in prose}
    texts -= {their for name, their in theirs.items() if name not in prose}
    wide = mapping.wide
    if wide is None or wide.layout is None:
        table = file.read(list(dict.fromkeys(theirs.values())), texts)
        rows = np.arange(len(table)) + file.first_row
        cells = {name: table[their] for name, their in theirs.items()}
        return LongTable({**cells, **(_unknown(mapping, len(table)) if wide else {})}, rows, {})
    unfold = {"raters": _grouped, "items": _grouped, "counts": _counted, "lists": _listed}[wide.layout]
    needed, unfolded = unfold(mapping, wide, file)
    nested = list(needed) if wide.layout == "lists" else []
    beside = [part for parts in slotted.values() for part in parts if part != SLOT]
    table = file.read(list(dict.fromkeys([*theirs.values(), *beside, *needed])), texts - set(needed), nested)
    long = unfolded(table)
    if not len(long.source):
        raise AnalysisError(
            f"{file.path}: the columns of wide.{wide.layout} hold no answer (columns {', '.join(needed)}); "
            f"look at wide in {mapping.path}"
        )
    cells = {name: table[their].take(long.source).reset_index(drop=True) for name, their in theirs.items()}
    given = {**cells, **long.cells}
    for name, parts in slotted.items():
        columns = {part: long.slots if part == SLOT else table[part].take(long.source) for part in parts}
        given[name] = file.together(pd.DataFrame({part: c.to_numpy() for part, c in columns.items()}), parts)
    if wide.anonymous:
        given |= _unknown(mapping, len(long.source))
    return LongTable(given, long.source + file.first_row, long.places)


def _unknown(mapping: MappingFile, n: int) -> dict[str, pd.Series]:
    """A new rater for every answer, as nothing tells which are one person's."""
    return {mapping.rater: pd.Series([f"unknown-{number}" for number in range(1, n + 1)], dtype=object)}


@dataclass(frozen=True, slots=True)
class _Unfolded:
    """`source` is the row of the table, from 0, that each answer is from."""

    source: Counts
    cells: Mapping[str, pd.Series]
    places: Mapping[str, tuple[Sequence[str], Codes]]
    slots: pd.Series = field(default_factory=pd.Series)


_Unfold = Callable[[pd.DataFrame], _Unfolded]


def _grouped(mapping: MappingFile, wide: Wide, file: TableFile) -> tuple[Sequence[str], _Unfold]:
    """A column for each rater, or some columns for each item."""
    groups = _groups(mapping, wide, file)
    ours = tuple(next(iter(groups.values())))
    needed = [their for group in groups.values() for their in group.values()]

    def unfolded(table: pd.DataFrame) -> _Unfolded:
        n, slots = len(table), list(groups)
        columns = {name: [group[name] for group in groups.values()] for name in ours}
        stacked = {name: _row_by_row([table[their] for their in of]) for name, of in columns.items()}
        kept = np.flatnonzero(_is_answer(mapping, stacked[mapping.answer]))
        slot = np.tile(np.arange(len(slots)), n)[kept]
        cells = {name: pd.Series(column[kept]) for name, column in stacked.items()}
        named_by_slot = mapping.rater if wide.layout == "raters" else mapping.item
        texts = pd.Series(pd.Categorical.from_codes(slot, categories=pd.Index(slots, dtype="str")))
        if named_by_slot in mapping.unfolded and named_by_slot not in cells:
            cells[named_by_slot] = texts
        source = np.repeat(np.arange(n), len(slots))[kept]
        return _Unfolded(source, cells, {name: (of, slot) for name, of in columns.items()}, texts)

    return needed, unfolded


def _row_by_row(columns: Sequence[pd.Series]) -> pd.Categorical:
    """All cells of the first row, then all of the second."""
    texts, codes = same_codes(*(categorical(column) for column in columns))
    return pd.Categorical.from_codes(np.stack(codes, axis=1).ravel(), categories=pd.Index(texts, dtype="str"))


def _is_answer(mapping: MappingFile, cells: pd.Categorical) -> Mask:
    answers: Mask = cells.codes >= 0
    return answers | ("" in mapping.values.get(mapping.answer, {}))


def _groups(mapping: MappingFile, wide: Wide, file: TableFile) -> dict[str, dict[str, str]]:
    """By rater or item, their column for each of our columns; in the order of the header."""
    if wide.names:
        for entry in wide.names:
            _require_column(mapping, wide, entry, entry.text, file)
        return {entry.text: {mapping.answer: entry.text} for entry in wide.names}
    for name, entry in wide.patterns.items():
        if entry.text.count(SLOT) != 1:
            problem = f"{shown(entry.text)} has not one {SLOT}"
            remedy = f"write {SLOT} once, where the columns differ: Q{SLOT}_choice"
            mapping.refuse(entry.line, f"wide.{wide.layout}.{name}", problem, remedy)
    slots = _slots(mapping, wide, file)
    for slot in slots:
        for entry in wide.patterns.values():
            _require_column(mapping, wide, entry, entry.text.replace(SLOT, slot), file)
    return {
        slot: {name: entry.text.replace(SLOT, slot) for name, entry in wide.patterns.items()}
        for slot in slots
    }


def _slots(mapping: MappingFile, wide: Wide, file: TableFile) -> list[str]:
    """The slots in the columns of the answers; `Q1_conf` is not `Q{n}` if `Q{n}_conf` is given."""
    answers = wide.patterns[mapping.answer]
    longer = [
        _matcher(entry)
        for entry in wide.patterns.values()
        if entry is not answers and len(entry.text) > len(answers.text)
    ]
    taken = {entry.text for entry in mapping.columns.values()}
    found = []
    for their in file.header:
        match = _matcher(answers).fullmatch(their)
        if match and their not in taken and not any(other.fullmatch(their) for other in longer):
            found.append(match[1])
    if not found:
        problem = f"{file.path} has no column like {shown(answers.text)}"
        remedy = f"it has: {', '.join(file.header)}"
        mapping.refuse(answers.line, f"wide.{wide.layout}.{mapping.answer}", problem, remedy)
    return found


def _matcher(entry: Entry) -> re.Pattern[str]:
    before, after = (re.escape(part) for part in entry.text.split(SLOT))
    # DOTALL, because a quoted name of a column may hold line breaks.
    return re.compile(f"{before}(.+){after}", re.DOTALL)


def _require_column(mapping: MappingFile, wide: Wide, entry: Entry, their: str, file: TableFile) -> None:
    if their not in file.header:
        problem = f"{file.path} has no column {shown(their)}"
        mapping.refuse(entry.line, f"wide.{wide.layout}", problem, f"it has: {', '.join(file.header)}")


def _counted(mapping: MappingFile, wide: Wide, file: TableFile) -> tuple[Sequence[str], _Unfold]:
    """A column for each answer that says how many gave it."""
    for their, entry in wide.counts.items():
        _require_column(mapping, wide, entry, their, file)
    needed = list(wide.counts)

    def unfolded(table: pd.DataFrame) -> _Unfolded:
        counts = np.stack([_numbers(table[their], their, file) for their in needed], axis=1)
        if counts.sum() > _MOST_ANSWERS:
            row, column = np.unravel_index(int(counts.argmax()), counts.shape)
            problem = f"{counts[row, column]} answers, and {counts.sum()} in all"
            allowed = f"counts, at most {_MOST_ANSWERS} in all"
            raise SchemaError(
                str(file.path), int(row) + file.first_row, needed[int(column)], problem, allowed
            )
        places = np.repeat(np.arange(counts.size), counts.ravel())
        option = places % len(needed)
        answers = _by_code([entry.text for entry in wide.counts.values()], option)
        return _Unfolded(places // len(needed), {mapping.answer: answers}, {mapping.answer: (needed, option)})

    return needed, unfolded


def _by_code(texts: Sequence[str], codes: Codes) -> pd.Series:
    """The texts by their place; two columns may count the same answer."""
    distinct = sorted(set(texts))
    places = np.array([distinct.index(text) for text in texts])[codes]
    return pd.Series(pd.Categorical.from_codes(places, categories=pd.Index(distinct, dtype="str")))


def _numbers(column: pd.Series, their: str, file: TableFile) -> Counts:
    cells = categorical(column)
    texts = [str(text) for text in cells.categories]
    bad = np.array([*(not _COUNT.fullmatch(text.strip()) for text in texts), False])[cells.codes]
    if bad.any():
        row = int(bad.argmax())
        problem = f"{shown(cells[row])} is no count"
        raise SchemaError(
            str(file.path), row + file.first_row, their, problem, "a whole number from 0, or empty for 0"
        )
    numbers: Counts = np.array(
        [int(float(text)) if _COUNT.fullmatch(text.strip()) else 0 for text in texts] + [0], dtype=np.int64
    )[cells.codes]
    return numbers


def _listed(mapping: MappingFile, wide: Wide, file: TableFile) -> tuple[Sequence[str], _Unfold]:
    """Cells that are arrays, whose entries in one row belong together by position."""
    paths = {name: path_of(entry.text, file.header) for name, entry in wide.lists.items()}
    for name, path in paths.items():
        _require_column(mapping, wide, wide.lists[name], path.column, file)
    needed = list(dict.fromkeys(path.column for path in paths.values()))

    def unfolded(table: pd.DataFrame) -> _Unfolded:
        source: list[int] = []
        found: dict[str, list[object]] = {name: [] for name in paths}
        for row, cells in enumerate(zip(*(table[column] for column in needed), strict=True)):
            entries = _entries(dict(zip(needed, cells, strict=True)), paths, wide, file, row)
            n = len(entries[mapping.answer])
            source += [row] * n
            for name, some in entries.items():
                found[name] += some
        kept = np.flatnonzero(
            _is_answer(mapping, categorical(pd.Series(found[mapping.answer], dtype=object)))
        )
        columns = {name: pd.Series(some, dtype=object).take(kept) for name, some in found.items()}
        nowhere = np.zeros(len(kept), dtype=np.int8)
        return _Unfolded(
            np.array(source, dtype=np.int64)[kept],
            {name: column.reset_index(drop=True) for name, column in columns.items()},
            {name: ([path.column], nowhere) for name, path in paths.items()},
        )

    return needed, unfolded


def _entries(
    cells: Mapping[str, object], paths: Mapping[str, Path], wide: Wide, file: TableFile, row: int
) -> dict[str, list[object]]:
    """The entries of one row by our names, all equally many."""
    found: dict[str, list[object]] = {}
    for name, path in paths.items():
        try:
            found[name] = entries_of(cells[path.column], path, wide.separator)
        except ValueError as error:
            raise SchemaError(
                str(file.path),
                row + file.first_row,
                path.column,
                str(error),
                "an array of texts or numbers, or of objects with these; or empty",
            ) from error
    first, *others = found
    for name in others:
        if len(found[name]) != len(found[first]):
            problem = f"{len(found[name])} entries, but {len(found[first])} in {paths[first].column}"
            raise SchemaError(
                str(file.path),
                row + file.first_row,
                paths[name].column,
                problem,
                "as many entries in each array of a row",
            )
    return found
