"""The one reader of delimited text: encoding, delimiter and quotation marks are recognised, or the fault is named.

Read are UTF-8 with a byte order mark or without, UTF-16 and UTF-32 with one; commas, semicolons and tabs, also below a
line `sep=;`; cells in quotation marks and, where no cell begins with one, quotation marks as letters.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Final

from analysis.files.faults import TableFault, excerpt
from analysis.files.quotes import BREAK, Data, QuoteScan, Quoting, grammar, n_breaks

DELIMITERS: Final = {",": "commas", ";": "semicolons", "\t": "tabs"}
_MARKS = (
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
    (b"\xef\xbb\xbf", "UTF-8-sig"),
)
# The line that Excel reads for the delimiter, such as sep=;
_SEP = re.compile(rb'"?sep=([,;\t])"?[ \t,;]*(?:\r\n?|\n)', re.IGNORECASE)
_BLANK = re.compile(rb"(?:[ \t,;]*+(?:\r\n?|\n))++")
_SAMPLE_BYTES = 1 << 16
_SAMPLE_ROWS = 100
_SHOWN_ROWS = 5
_AS_UTF8 = "UTF-8, or UTF-16 with a byte order mark; save it again as CSV UTF-8"


class EmptyTable(TableFault):
    """A text without a header."""


class NotUtf8(TableFault):
    """A cell that is not UTF-8."""


@dataclass(frozen=True, slots=True)
class TextRow:
    """A row of cells. `row` counts as a spreadsheet does, `line` is where it begins in the text."""

    row: int
    line: int
    cells: list[str]


@dataclass(frozen=True)
class TextTable:
    """A delimited text. `data` is UTF-8 and begins with the header, which is row `first_row` in line `first_line`.

    `letters` makes all quotation marks letters."""

    data: Data
    delimiter: str
    first_row: int = 1
    first_line: int = 1
    letters: bool = False

    @cached_property
    def header(self) -> tuple[str, ...]:
        """The names of the columns, as they stand."""
        return tuple(next(_records(self.data, self.delimiter, is_quoted=not self.letters), []))

    @cached_property
    def quoting(self) -> Quoting:
        """The interpretation of quotation marks. Raises TableFault at the first ambiguous row."""
        if self.letters:
            return Quoting(quotes=False)
        scan = QuoteScan(self.data, self.delimiter, self.header, self.first_row, self.first_line)
        return scan.quoting()

    def rows(self) -> Iterator[TextRow]:
        """Every row, blank ones and the header, too. Raises TableFault at one that is not certain or not UTF-8."""
        quotes, row, line, start = self.quoting.quotes, self.first_row, self.first_line, 0
        broken = iter(self.quoting.broken)
        span = next(broken, None)
        for found in BREAK.finditer(self.data):
            while span and span[1] <= found.start():
                span = next(broken, None)
            if span and span[0] < found.start():
                continue
            yield self._row(row, line, start, found.start(), quotes)
            # A row without quotes is one line.
            line += 1 + (n_breaks(self.data[start : found.start()]) if quotes else 0)
            row, start = row + 1, found.end()
        if start < len(self.data):
            yield self._row(row, line, start, len(self.data), quotes)

    def _row(self, row: int, line: int, start: int, end: int, quotes: bool) -> TextRow:
        record = self.data[start:end]
        cells = _cells(record, self.delimiter, quotes)
        try:
            record.decode()
        except UnicodeDecodeError:
            at = next(at for at, cell in enumerate(cells) if not _is_utf8(cell))
            column = self.header[at] if row > self.first_row and at < len(self.header) else ""
            problem = f"{excerpt(_legible(cells[at]))} is not UTF-8 but, it seems, Windows-1252"
            raise NotUtf8(problem, _AS_UTF8, row=row, line=line, column=column) from None
        return TextRow(row, line, cells)

    def breaks_noted(self) -> str:
        """A sentence about cells with line breaks, which make fewer rows than lines; empty if there are none."""
        broken = self.quoting.broken
        if not broken:
            return ""
        rows, within, lines, position = list[int](), 0, 0, 0
        for start, end in broken[:_SHOWN_ROWS]:
            lines += n_breaks(self.data[position:start])
            rows.append(self.first_row + lines)
            position = end
        within = sum(n_breaks(self.data[start:end]) for start, end in broken)
        listed = ", ".join(map(str, dict.fromkeys(rows))) + (", ..." if len(broken) > _SHOWN_ROWS else "")
        what = "1 cell holds" if len(broken) == 1 else f"{len(broken):,} cells hold"
        more = "1 more line" if within == 1 else f"{within:,} more lines"
        return f"{what} line breaks (row {listed}), so the file has {more} than rows"


def open_text_table(
    path: Path,
    delimiter: str | None = None,
    usual: str = ",",
    names: Collection[str] = (),
    *,
    letters: bool = False,
) -> TextTable:
    """Like `text_table`, for a file, which is not copied into memory. Raises OSError if it cannot be opened."""
    with path.open("rb") as file:
        try:
            # Mapped and not read: a table may be larger than the memory.
            data: Data = mmap(file.fileno(), 0, access=ACCESS_READ)
        except (OSError, ValueError):
            # Pipes and empty files.
            data = file.read()
    return text_table(data, delimiter, usual, names, letters=letters)


def text_table(
    data: Data,
    delimiter: str | None = None,
    usual: str = ",",
    names: Collection[str] = (),
    *,
    letters: bool = False,
) -> TextTable:
    """The table in the bytes of a file.

    Without a `delimiter` it is the one by which the first rows are equally long: of several that with most of the
    columns `names`, then the `usual` one.

    Raises
    ------
    TableFault
        If there is nothing in it, it is not text, or its delimiter is uncertain.
    """
    text = decoded(data)
    first_row = first_line = 1
    if said := _SEP.match(text):
        text, first_line = text[said.end() :], 2
        delimiter = delimiter or said.group(1).decode()
    if blank := _BLANK.match(text):
        above = n_breaks(blank.group())
        text, first_row, first_line = text[blank.end() :], first_row + above, first_line + above
    if not text[:_SAMPLE_BYTES].strip(b" \t,;\r\n"):
        raise EmptyTable("the file is empty", "a header and at least one row")
    return TextTable(text, delimiter or _delimiter(text, usual, names), first_row, first_line, letters)


def decoded(data: Data) -> Data:
    """The bytes of a text as UTF-8 without a byte order mark. Raises TableFault for anything but text."""
    for mark, encoding in _MARKS:
        if data[: len(mark)] == mark:
            if encoding == "UTF-8-sig":
                return data[len(mark) :]
            try:
                return data[:].decode(encoding).encode()
            except UnicodeError as error:
                problem = f"the file begins as {encoding} and is not {encoding} throughout"
                raise TableFault(problem, _AS_UTF8) from error
    if b"\x00" in data[:4096]:
        raise TableFault("the file holds zero bytes, so it is not UTF-8 text", _AS_UTF8)
    return data


def _delimiter(data: Data, usual: str, names: Collection[str]) -> str:
    sample = data[:_SAMPLE_BYTES]
    found = []
    for delimiter in DELIMITERS:
        rows = [row for row in _sampled(sample, delimiter, len(data)) if any(map(str.strip, row))]
        if rows and len(rows[0]) > 1:
            known = len({name.strip() for name in rows[0]} & set(names))
            found.append((known, {*map(len, rows)} == {len(rows[0])}, delimiter == usual, delimiter))
    if not found:
        return usual
    best = max(found)
    same = [one for one in found if one[:2] == best[:2]]
    if len(same) > 1 and not best[2]:
        ways = " or by ".join(DELIMITERS[one[3]] for one in same)
        raise TableFault(f"its cells are separated by {ways}", "one of them", row=1, line=1)
    return best[3]


def _sampled(sample: bytes, delimiter: str, size: int) -> Iterator[list[str]]:
    rows = list(_records(sample, delimiter, is_quoted=True, most=_SAMPLE_ROWS))
    # The sample may end within its last row.
    return iter(rows[:-1] if len(rows) > 1 and len(sample) < size else rows)


def _records(data: Data, delimiter: str, *, is_quoted: bool, most: int = 1) -> Iterator[list[str]]:
    """The first rows, as far as they are whole."""
    start, cell = 0, grammar(delimiter).cell
    for _ in range(most):
        position = start
        while is_quoted:
            found = cell.match(data, position)
            position = found.end() if found else position
            if data[position : position + 1] != delimiter.encode():
                break
            position += 1
        if start >= len(data):
            return
        end = BREAK.search(data, position)
        stop = end.start() if end else len(data)
        yield _cells(data[start:stop], delimiter, is_quoted)
        start = end.end() if end else len(data)


def _cells(record: bytes, delimiter: str, quotes: bool) -> list[str]:
    mark = delimiter.encode()
    if not quotes or b'"' not in record:
        return [_text(cell) for cell in record.split(mark)]
    cells, position, pattern = [], 0, grammar(delimiter).cell
    while position <= len(record):
        found = pattern.match(record, position)
        end = found.end() if found else position
        if record[end : end + 1] not in (mark, b""):
            # Only in what is refused anyway: a mark within a cell.
            end = record.find(mark, end) if mark in record[end:] else len(record)
        cell = record[position:end]
        if len(cell) > 1 and cell[:1] == cell[-1:] == b'"':
            cell = cell[1:-1].replace(b'""', b'"')
        cells.append(_text(cell))
        position = end + 1
    return cells


def _text(cell: bytes) -> str:
    # Bytes that are no UTF-8 stay as they are, so that the refusal can show the cell.
    return cell.decode("utf-8", "surrogateescape")


def _is_utf8(cell: str) -> bool:
    return cell.isascii() or not any("\udc80" <= letter <= "\udcff" for letter in cell)


def _legible(cell: str) -> str:
    raw = cell.encode("utf-8", "surrogateescape")
    try:
        return raw.decode("cp1252")
    # Windows-1252 leaves five bytes undefined; Latin-1 knows all.
    except UnicodeDecodeError:
        return raw.decode("latin-1")
