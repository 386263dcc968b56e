"""Quotation marks of a delimited text: whether they quote, are letters, or leave the rows ambiguous.

A cell that begins with a quotation mark ends with one, and those within it are doubled (RFC 4180). If that holds
throughout, the marks are even in number, so that one mark too many or too few is always found. If no cell begins with a
mark, marks are letters. Anything else is refused.

Two stray marks can pass for one cell with line breaks: `p1,"good` ... `p7,bad"`. So a cell with line breaks is refused
if each of its lines reads as a whole row, unless there is other evidence that the writer of the file quotes, or that
its lines are prose, with text where columns have numbers.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from mmap import mmap
from typing import NoReturn

from analysis.files.faults import TableFault, excerpt

Data = bytes | mmap
BREAK = re.compile(rb"\r\n?|\n")
_BARE_LF = re.compile(rb"(?<!\r)\n")
# What tables have that a mapping file describes; others know no such option.
OR_MAPPED = ", or a mapping file with `quoting: none`"
_CELLS = f"quotation marks around a whole cell and those within it doubled{OR_MAPPED}"
_BREAKS = "no line breaks in cells, or every cell of the file in quotation marks"
# Up to here a line of prose often has as many delimiters as a row.
_NARROW = 3
# Rows whose numbers say what a row looks like.
_FEWEST_ROWS = 10
_NUMBER = re.compile(rb"[+-]?\d+(?:[.,]\d+)?")


def n_breaks(text: bytes) -> int:
    """The number of line breaks: CR LF, LF or CR."""
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


@dataclass(frozen=True, slots=True)
class Grammar:
    """Regular expressions for one delimiter. None of them backtracks."""

    begins: re.Pattern[bytes]
    quoted: re.Pattern[bytes]
    flat: re.Pattern[bytes]
    enclosed: re.Pattern[bytes]
    cell: re.Pattern[bytes]
    delimiter: bytes

    def width(self, line: bytes) -> int:
        """The cells of one line by itself: a mark that nothing in the line closes is a letter."""
        return 1 + self.enclosed.sub(b"", line).count(self.delimiter)


@lru_cache
def grammar(delimiter: str) -> Grammar:
    """The grammar of texts with this delimiter."""
    mark = re.escape(delimiter.encode())
    # As `(?:\A|(?<=[,\r\n]))"`, with the mark first: it is then searched for at the speed of memchr.
    begins = rb'"(?<![^%s\r\n]")' % mark
    closes = rb'"(?=[%s\r\n]|\Z)' % mark
    # Possessive (*+): without going back, an unclosed mark cannot cost time that grows with the square.
    quoted = rb'%s[^"]*+(?:""[^"]*+)*+%s' % (begins, closes)
    one_line = rb'%s[^"\r\n]*+(?:""[^"\r\n]*+)*+%s' % (begins, closes)
    return Grammar(
        begins=re.compile(begins),
        quoted=re.compile(quoted),
        flat=re.compile(rb'[^"]*+(?:%s[^"]*+)*+' % one_line),
        enclosed=re.compile(one_line),
        cell=re.compile(rb'(?:"[^"]*+(?:""[^"]*+)*+"|[^"%s\r\n]*+)' % mark),
        delimiter=delimiter.encode(),
    )


@dataclass(frozen=True, slots=True)
class Quoting:
    """The interpretation of a text's marks: `quotes` is False if they are letters or there are none. `broken` has the
    positions of cells with line breaks.
    """

    quotes: bool
    broken: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class QuoteScan:
    """The marks of a text, looked at once. `header` has the names of its columns and stands in `row` and `line`."""

    data: Data
    delimiter: str
    header: tuple[str, ...] = ()
    row: int = 1
    line: int = 1
    _spans: list[tuple[int, int]] = field(default_factory=list)

    @property
    def _grammar(self) -> Grammar:
        return grammar(self.delimiter)

    def quoting(self) -> Quoting:
        """The interpretation of the marks. Raises TableFault at the first ambiguous row."""
        if not self._grammar.begins.search(self.data):
            return Quoting(quotes=False)
        self._scan()
        for start, end in self._records():
            self._require_certain(start, end)
        return Quoting(quotes=True, broken=tuple(self._spans))

    def place_of(self, position: int) -> tuple[int, int]:
        """The row and the line of a place outside of quotes."""
        lines = n_breaks(self.data[:position])
        within = sum(n_breaks(self.data[start:end]) for start, end in self._spans if end <= position)
        return self.row + lines - within, self.line + lines

    def _scan(self) -> None:
        position, size = 0, len(self.data)
        while True:
            position = _end(self._grammar.flat, self.data, position)
            if position == size:
                return
            end = _end(self._grammar.quoted, self.data, position)
            if end == position:
                self._refuse(position)
            self._spans.append((position, end))
            position = end

    def _refuse(self, position: int) -> NoReturn:
        row, line = self.place_of(position)
        start = self._record_start(position)
        begins = self._grammar.begins.match(self.data, position)
        at = sum(1 for _ in self._cells(start, position)) - (begins is None)
        column = self.header[at] if at < len(self.header) else ""
        shown = self._shown(position)
        whole = re.compile(rb'"[^"]*+(?:""[^"]*+)*+"').match(self.data, position) if begins else None
        if begins is None:
            problem = f"a quotation mark stands within a cell, before {excerpt(shown[1:])}"
        elif whole is None:
            problem = f"the quotation mark before {excerpt(shown[1:])} is never closed"
        elif BREAK.search(whole.group()):
            problem = f"the quotation mark before {excerpt(shown[1:])} is not closed in this row"
        else:
            problem = f"text follows the closing quotation mark of {excerpt(shown)}"
        raise TableFault(problem, _CELLS, row=row, line=line, column=column)

    def _shown(self, position: int) -> str:
        """The text from a quotation mark on, up to the next delimiter or line break."""
        text = BREAK.split(self.data[position : position + 200])[0].split(self._grammar.delimiter)[0]
        # replace, because the cut after 200 bytes can split a letter.
        return text.decode("utf-8", "replace")

    def _record_start(self, position: int) -> int:
        """The beginning of the row of a place outside of quotes."""
        while True:
            found = _last_break(self.data, position)
            span = self._span_at(found)
            if span is None:
                return found + 1
            position = span[0]

    def _span_at(self, position: int) -> tuple[int, int] | None:
        """The cell with line breaks around a place."""
        at = bisect_right(self._spans, (position, len(self.data)))
        span = self._spans[at - 1] if at else (0, 0)
        return span if span[0] <= position < span[1] else None

    def _records(self) -> Iterator[tuple[int, int]]:
        """The rows that have a cell with line breaks, as places in the text."""
        done = 0
        for start, _ in self._spans:
            if start >= done:
                begin = _last_break(self.data, start) + 1
                done = self._record_end(begin)
                yield begin, done

    def _record_end(self, position: int) -> int:
        while True:
            position = _end(self._grammar.cell, self.data, position)
            if self.data[position : position + 1] != self._grammar.delimiter:
                return position
            position += 1

    def _require_certain(self, start: int, end: int) -> None:
        # Two stray marks can be legal: they look like one cell with line breaks (decision 0028).
        width, whole = len(self.header), self._whole_lines(start, end)
        is_header = start == 0
        if not (is_header or _may_be_rows(whole)) or self._ends_differ:
            return
        # In a narrow table prose may look so; a line that can only be a quoted one then decides.
        if not is_header and (not all(whole) or width <= _NARROW) and self._writer_quotes:
            return
        if self._is_always_quoted(start, end) or (not is_header and self._reads_as_prose(start, end)):
            return
        row, line = self.place_of(start)
        position = next(a for a, _ in self._spans if a >= start)
        at = sum(1 for _ in self._cells(start, position))
        raise TableFault(
            f"the cell that begins with {excerpt(self._shown(position)[1:])} goes over several lines, of which "
            f"{sum(whole)} have as many cells as a row: its quotation mark may be a stray one",
            _BREAKS,
            row=row,
            line=line,
            column=self.header[at] if at < width else "",
        )

    @cached_property
    def _ends_differ(self) -> bool:
        """Rows end with CR LF and the line breaks within cells are LF alone, as a spreadsheet writes them."""
        if any(b"\r" in self.data[start:end] for start, end in self._spans):
            return False
        within = sum(self.data[start:end].count(b"\n") for start, end in self._spans)
        return self.data.find(b"\r\n") >= 0 and len(_BARE_LF.findall(self.data)) == within

    @cached_property
    def _writer_quotes(self) -> bool:
        """A row that is whole only because of its quotes shows that the writer of the file quotes."""
        for found in self._grammar.enclosed.finditer(self.data):
            if self._grammar.delimiter in found.group() and self._span_at(found.start()) is None:
                return True
        return any(not _may_be_rows(self._whole_lines(start, end)) for start, end in self._records())

    def _whole_lines(self, start: int, end: int) -> list[bool]:
        """For each line of a row, whether it has as many cells as the header."""
        lines = BREAK.split(self.data[start:end])
        return [self._grammar.width(line) == len(self.header) for line in lines]

    def _is_always_quoted(self, start: int, end: int) -> bool:
        """Each column with line breaks in this row is quoted in every row, the header included."""
        cells = enumerate(self._cells(start, end))
        return self._quoted_columns.issuperset(at for at, (a, b) in cells if BREAK.search(self.data[a:b]))

    def _reads_as_prose(self, start: int, end: int) -> bool:
        """Each line after the first has text where every row of one line has a number, so that none can be a row."""
        columns = self._number_columns
        return bool(columns) and not any(
            all(_NUMBER.fullmatch(cells[at].strip()) for at in columns)
            for line in BREAK.split(self.data[start:end])[1:]
            if len(cells := line.split(self._grammar.delimiter)) > max(columns)
        )

    @cached_property
    def _number_columns(self) -> set[int]:
        """Columns with a number in every row of one line; none where such rows are few."""
        found, n = set(range(len(self.header))), 0
        for position, last in self._rows():
            if position == 0 or BREAK.search(self.data, position, last):
                continue
            cells = [self.data[a:b].strip(b'" ') for a, b in self._cells(position, last)]
            found = {at for at in found if at < len(cells) and _NUMBER.fullmatch(cells[at])}
            n += 1
        return found if n >= _FEWEST_ROWS else set()

    @cached_property
    def _quoted_columns(self) -> set[int]:
        found = set(range(len(self.header)))
        for position, last in self._rows():
            marks = [self.data[a : a + 1] for a, _ in self._cells(position, last)]
            found = {at for at in found if at < len(marks) and marks[at] == b'"'}
            if not found:
                break
        return found

    def _rows(self) -> Iterator[tuple[int, int]]:
        """The places of all rows that hold something, the header first."""
        position, size = 0, len(self.data)
        while position < size:
            last = self._record_end(position)
            if last > position:
                yield position, last
            ended = BREAK.match(self.data, last)
            position = ended.end() if ended else size

    def _cells(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The places of the cells of a row, up to a place."""
        position = start
        while position < end:
            last = _end(self._grammar.cell, self.data, position)
            yield position, last
            position = last + 1


def _may_be_rows(whole: Sequence[bool]) -> bool:
    """True if the lines of a row could be rows of which the first and the last have a stray mark: both are then as wide
    as a row, or one between them is.
    """
    return (whole[0] and whole[-1]) or any(whole[1:-1])


def _last_break(data: Data, position: int) -> int:
    """The end of the last line break before a place; -1 without one."""
    found = data.rfind(b"\n", 0, position)
    return max(found, data.rfind(b"\r", found + 1, position))


def _end(pattern: re.Pattern[bytes], data: Data, position: int) -> int:
    """The end of a match at a place; the place itself without one."""
    found = pattern.match(data, position)
    return found.end() if found else position
