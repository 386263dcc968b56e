"""Readers for judges of records and texts: the lines of people's play, and the numbers and times in them."""

import re
from collections.abc import Sequence

from app.judges.base import JudgeFailed, StimulusFiles
from app.library.records import BadRecord, Line, Record, Table, parse_record

_MESSAGE = re.compile(r"\A.{1,300}? writes: (.*)\Z", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)")


def record_in(files: StimulusFiles) -> Record | None:
    """The record; None of a text. Raises JudgeFailed where there is nothing to read."""
    if not files.content:
        raise JudgeFailed(None, "there is no record or text to read")
    if not files.content.startswith("{"):
        return None
    try:
        return parse_record(files.content)
    except BadRecord:
        return None


def lines_of(record: Record) -> Sequence[str]:
    """The lines of its rounds."""
    return [part.text for each in record.rounds for part in each.parts if isinstance(part, Line)]


def messages_in(files: StimulusFiles) -> Sequence[str]:
    """The messages that a record shows in full; a text is one."""
    record = record_in(files)
    if record is None:
        return [files.content]
    return [found[1] for line in lines_of(record) if (found := _MESSAGE.match(line))]


def amounts_in(files: StimulusFiles) -> Sequence[float]:
    """The numbers shown in a record's rounds, without messages; all numbers in a text."""
    record = record_in(files)
    if record is None:
        return _numbers(files.content)
    cells = [
        str(cell)
        for each in record.rounds
        for part in each.parts
        if isinstance(part, Table)
        for row in part.rows
        for cell in row
    ]
    shown = [line for line in lines_of(record) if not _MESSAGE.match(line)]
    return [number for text in (*shown, *cells) for number in _numbers(text)]


def _numbers(text: str) -> list[float]:
    return [float(number) for number in _NUMBER.findall(text)]
