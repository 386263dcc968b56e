"""The items of a rating block: read from a CSV file and joined with the stimuli's facts."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import Field

from app.core.problems import Fault, counted, listed, nearest, quoted
from app.core.rowfiles import RowFile, check_id, check_name, rows_under, word_in
from app.questions.base import Frozen
from app.trials.design import Kind
from app.trials.stimuli import Sources, StimulusFacts

COLUMNS = ("item", "stimulus", "text", "condition", "kind", "group", "right", "why")
# Of practice with feedback: written and compared where some row has one.
_OF_FEEDBACK = ("right", "why")
REQUIRED = ("item",)
MOST_TEXT = 20_000


class DesignItem(Frozen):
    """An item with the hash of its stimulus, empty where that is not kept here. A `text` stands for a stimulus.

    `right` says which answers are right (`reference.py`), `why` is shown after practice.
    """

    id: str
    stimulus: str = ""
    text: str = ""
    source: str = ""
    condition: str = ""
    kind: Kind
    group: str = ""
    position: int = Field(ge=1)
    sha256: str = ""
    right: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One row of an item file, as far as it can be read without knowing the stimuli."""

    line: int
    id: str
    stimulus: str
    text: str
    condition: str
    kind: Kind
    group: str
    right: str = ""
    why: str = ""


@dataclass(slots=True)
class ItemFile(RowFile):
    """An item list's rows and problems."""

    rows: list[ItemRow] = field(default_factory=list)


def read_item_file(file: str, text: str, first_line: int = 1, *, by_row: bool = False) -> ItemFile:
    """Read the rows of `text`; the rest says where it stands, for problems."""
    found = ItemFile(file, first_line, by_row)
    for line, row in rows_under(found, text, COLUMNS, REQUIRED):
        _read_row(found, line, row)
    _check_together(found)
    return found


def _read_row(found: ItemFile, line: int, row: Mapping[str, str]) -> None:
    check_id(found, line, "item", row["item"])
    for column in ("condition", "group"):
        check_name(found, line, column, row[column])
    if bool(row["stimulus"]) == bool(row["text"]):
        said = "both a stimulus and a text" if row["text"] else "neither a stimulus nor a text"
        found.refuse(line, f"there is {said}", "name a stimulus, or write the text that is rated")
    if len(row["text"]) > MOST_TEXT:
        found.refuse(line, f"the text has {len(row['text'])} characters", f"use at most {MOST_TEXT}")
    found.rows.append(
        ItemRow(
            line=line,
            id=row["item"],
            stimulus=row["stimulus"],
            text=row["text"],
            condition=row["condition"],
            kind=word_in(found, line, "kind", row["kind"], Kind) or Kind.MAIN,
            group=row["group"],
            right=row["right"],
            why=row["why"],
        )
    )


def _check_together(found: ItemFile) -> None:
    first: dict[str, int] = {}
    shown: dict[str, ItemRow] = {}
    for row in found.rows:
        if row.id and row.id in first:
            message = f"the item {quoted(row.id)} comes twice; it stands {found.where(first[row.id])} already"
            found.refuse(row.line, message, "give each item its own id")
        first.setdefault(row.id, row.line)
        if row.kind is Kind.MAIN and row.stimulus:
            before = shown.setdefault(row.stimulus, row)
            if before is not row:
                message = f"the item {quoted(row.id)} shows the same stimulus as {quoted(before.id)}"
                found.refuse(row.line, message, f"remove this row, or the one {found.where(before.line)}")
    if not any(row.kind is Kind.MAIN for row in found.rows) and (found.rows or not found.problems):
        found.refuse(
            None, "there is no main item, so the questions would give no data", "add items of kind main"
        )


def unmatched_groups(questions: object, rows: Sequence[ItemRow]) -> Iterator[Fault]:
    """Faults for groups in `when` that no item has, and items without questions; places are within the block."""
    known = sorted({row.group for row in rows if row.group})
    asked: list[Sequence[str]] = []
    is_clear = True
    for index, question in enumerate(questions if isinstance(questions, (list, tuple)) else ()):
        groups = _groups_in(question)
        asked.append(groups)
        for group in groups:
            if group not in known:
                is_clear = False
                otherwise = (
                    f"use {listed(known)}" if known else "fill in the column `group` of the items first"
                )
                where = ("questions", index, "when", "group")
                yield Fault(where, f"no item has the group {quoted(group)}", nearest(group, known, otherwise))
    unasked = [row.id for row in rows if not any(not groups or row.group in groups for groups in asked)]
    if asked and unasked and is_clear:
        more = f" and of {counted(len(unasked) - 1, 'other')}" if len(unasked) > 1 else ""
        message = f"no question is asked of the item {quoted(unasked[0])}{more}"
        yield Fault(("questions",), message, "ask one without `when`, or of their group as well")


def _groups_in(question: object) -> Sequence[str]:
    """The groups to which a question applies; none where it applies to all, or says nothing that can be read."""
    when = question.get("when") if isinstance(question, Mapping) else None
    groups = when.get("group") if isinstance(when, Mapping) else None
    listed_groups = [groups] if isinstance(groups, str) else groups
    if not isinstance(listed_groups, (list, tuple)):
        return ()
    return [group.strip() for group in listed_groups if isinstance(group, str)]


def resolve_items(found: ItemFile, stimuli: Mapping[str, StimulusFacts]) -> list[DesignItem]:
    """Join rows with the stimuli they name; what does not fit is added to the file's problems.

    The condition of an item that says none is the source of its stimulus.
    """
    items: list[DesignItem] = []
    for row in found.rows:
        facts = stimuli.get(row.stimulus)
        if row.stimulus and facts is None:
            message = f"column 'stimulus': there is no stimulus {quoted(row.stimulus)}"
            found.refuse(row.line, message, nearest(row.stimulus, stimuli, "upload it first"))
            continue
        items.append(
            DesignItem(
                id=row.id,
                stimulus=row.stimulus,
                text=row.text,
                source=facts.source if facts else "",
                condition=row.condition or (facts.source if facts else ""),
                kind=row.kind,
                group=row.group,
                position=len(items) + 1,
                sha256=facts.clip_sha256 if facts else "",
                right=row.right,
                why=row.why,
            )
        )
    return items


def items_by_id(text: str) -> Mapping[str, Mapping[str, str]] | str:
    """Rows by the items' ids; the text itself where it cannot be read."""
    found = read_item_file("", text, by_row=True)
    if found.problems:
        return text
    return {
        row.id: {
            cell: text
            for cell in COLUMNS[1:]
            if (text := str(getattr(row, cell))) or cell not in _OF_FEEDBACK
        }
        for row in found.rows
    }


def followed(text: str, change: Sources) -> str:
    """The list without conditions that are written out but say no more than the source did; itself if all say more."""
    before, after = change.before, change.after
    found = read_item_file("", text, by_row=True)
    if found.problems:
        return text
    rows = [
        replace(row, condition=after[row.stimulus].source)
        if row.stimulus in before and row.stimulus in after and row.condition == before[row.stimulus].source
        else row
        for row in found.rows
    ]
    return text if rows == found.rows else items_as_csv(rows)


def item_ids(block: Mapping[str, Any]) -> frozenset[str]:
    """The ids of the items that a block of a draft lists."""
    items = block.get("items")
    rows = read_item_file("", items, by_row=True).rows if isinstance(items, str) else ()
    return frozenset(row.id for row in rows)


def items_as_csv(items: Iterable[DesignItem | ItemRow]) -> str:
    """The items as `items:` takes them, with everything said."""
    text = io.StringIO()
    # The csv module ends lines with CRLF unless told.
    writer = csv.writer(text, lineterminator="\n")
    rows = list(items)
    columns = [
        column
        for column in COLUMNS[1:]
        if column not in _OF_FEEDBACK or any(getattr(row, column) for row in rows)
    ]
    writer.writerow((COLUMNS[0], *columns))
    writer.writerows((row.id, *(getattr(row, column) for column in columns)) for row in rows)
    return text.getvalue()
