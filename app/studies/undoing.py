"""The last changes of a draft: to be undone and done again, and for what the draft was when a form was opened."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session, col, delete, select

from app.studies.merging import Unfitting, changes_between, taken_back
from app.studies.tables import DraftChange

MOST_CHANGES = 50
# A long text is saved every few seconds while it is typed: as many saves are kept for forms that were opened meanwhile.
MOST_SAVES = 1000
# What is typed in one place without a longer break is one change.
_BREAK = timedelta(minutes=2)
EDIT, UNDO, REDO, REPLACE = "edit", "undo", "redo", "replace"
# The draft became a version, whose keys are written in another way at most: nothing to be undone by itself.
SAVE = "save"


@dataclass(slots=True)
class Change:
    """One change, of one or many saves: the revisions before and after it, its place, and who made it.

    One that `replaces` put a whole other draft there, such as one from a file.
    """

    before: int
    after: int
    place: str
    by: int | None
    at: datetime
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class Steps:
    """The changes that can be undone and those that can be done again, the next one last."""

    done: Sequence[Change]
    undone: Sequence[Change]


def remember(
    session: Session,
    study_id: int,
    was: Mapping[str, Any],
    now: Mapping[str, Any],
    revisions: tuple[int, int],
    by: int | None,
    at: datetime,
    kind: str = EDIT,
) -> None:
    """Keep a change from one revision to the next; only the last ones are kept, and none of before a change that was
    not kept, such as a version loaded at the command line.
    """
    rows = _rows(session, study_id)
    if rows and rows[-1].revision != revisions[0]:
        session.execute(delete(DraftChange).where(col(DraftChange.study_id) == study_id))
    changes = list(changes_between(was, now))
    row = DraftChange(
        study_id=study_id,
        before=revisions[0],
        revision=revisions[1],
        changes=changes,
        kind=kind,
        place=_place_of(changes),
        saved_by=by,
        saved_at=at,
    )
    session.add(row)
    session.flush()
    _forget(session, study_id)


def _place_of(changes: Sequence[Mapping[str, Any]]) -> str:
    """The place that has all of the changes in it, dotted."""
    places = [change["at"] for change in changes]
    common: list[str] = []
    for parts in zip(*places, strict=False):
        if len({*map(str, parts)}) > 1:
            break
        common.append(str(parts[0]))
    return ".".join(common)


def _forget(session: Session, study_id: int) -> None:
    rows = _rows(session, study_id)
    done = _steps(rows).done
    first = rows[-MOST_SAVES].id if len(rows) > MOST_SAVES else 0
    if len(done) > MOST_CHANGES:
        start = done[-MOST_CHANGES].before
        first = max(first or 0, next((row.id or 0 for row in rows if row.before == start), 0))
    if first:
        gone = delete(DraftChange).where(col(DraftChange.study_id) == study_id, col(DraftChange.id) < first)
        session.execute(gone)


def _rows(session: Session, study_id: int) -> Sequence[DraftChange]:
    rows = select(DraftChange).where(DraftChange.study_id == study_id).order_by(col(DraftChange.id))
    return session.exec(rows).all()


def steps_of(session: Session, study_id: int, revision: int) -> Steps:
    """The changes of a draft at its present revision; none where others were made that are not kept."""
    rows = _rows(session, study_id)
    if not rows or rows[-1].revision != revision:
        return Steps((), ())
    steps = _steps(rows)
    return Steps(steps.done[-MOST_CHANGES:], steps.undone)


def _steps(rows: Sequence[DraftChange]) -> Steps:
    done: list[Change] = []
    undone: list[Change] = []
    for row in rows:
        if row.kind == UNDO and done:
            undone.append(done.pop())
        elif row.kind == REDO and undone:
            done.append(undone.pop())
        elif row.kind in (EDIT, REPLACE):
            last = done[-1] if done and not undone and done[-1].after == row.before else None
            if last and _goes_on(last, row):
                last.after, last.at = row.revision, row.saved_at
            else:
                is_other = row.kind == REPLACE
                done.append(Change(row.before, row.revision, row.place, row.saved_by, row.saved_at, is_other))
            undone = []
    return Steps(done, undone)


def _goes_on(last: Change, row: DraftChange) -> bool:
    """True while one editor types in the same place."""
    is_typed = len(row.changes) == 1 and all(isinstance(row.changes[0].get(k), str) for k in ("was", "now"))
    is_same = (last.place, last.by) == (row.place, row.saved_by)
    is_edit = row.kind == EDIT and not last.replaces
    return is_edit and is_typed and is_same and timedelta(0) <= row.saved_at - last.at < _BREAK


def keys_at(
    session: Session, study_id: int, keys: Mapping[str, Any], now: int, revision: int
) -> dict[str, Any] | None:
    """The draft of an earlier revision, from its `keys` at the revision `now`; None where it is not known any more."""
    found: dict[str, Any] = dict(keys)
    if revision > now:
        return None
    for row in reversed(_rows(session, study_id)) if revision != now else ():
        if now == revision:
            break
        if row.revision != now:
            return None
        try:
            found = taken_back(found, row.changes)
        except Unfitting:
            return None
        now = row.before
    return found if now == revision else None
