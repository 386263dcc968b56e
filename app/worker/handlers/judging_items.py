"""Uploaded verdicts about items, validated against a study's raters: one run in its own folder."""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.errors import AnalysisError
from analysis.figures.figure import Figure
from analysis.judging.items import BlockValidation, read_item_verdicts, validate_rating_rows
from analysis.judging.items.figure import item_judges_figure
from analysis.judging.items.verdicts import ITEM_VERDICT_COLUMNS
from app.core.errors import Conflict, StudyError
from app.core.spreadsheet import defused
from app.judges.checking import MOST_JUDGES
from app.judges.rated import are_of_items
from app.judges.study import main_pairs
from app.judges.verdict_files import MOST_ROWS
from app.outputs.outputs import VERDICTS
from app.reports.page.writing import json_text
from app.reports.rated import ratings_frame
from app.worker.context import Work
from app.worker.handlers.judging_before import NO_JUDGE, keep_view, origin_of, stood_before

VALIDATION, FIGURE = "validation.json", "judges.svg"
NO_ANSWERS = "there are no answers yet to compare with; the verdicts can be downloaded"
_HEAD = tuple(column.name for column in ITEM_VERDICT_COLUMNS)


def ratings_of(work: Work) -> pd.DataFrame:
    with work.database.reading() as session:
        return ratings_frame(session, work.params["slug"])


def rated_by_people(work: Work, sent: Path) -> pd.DataFrame | None:
    """The ratings for a file of a job of an earlier release, which does not say what it is about; None for pairs."""
    rated = ratings_of(work)
    with work.database.reading() as session:
        has_pairs = bool(main_pairs(session, work.params["slug"]))
    return None if rated.empty or (has_pairs and not are_of_items(sent, [rated])) else rated


def judge_items(work: Work, folder: Path, sent: Path | None, rated: pd.DataFrame) -> dict[str, Any]:
    """Validate the verdicts of an uploaded file against raters; leaves the same files as a run of judges of pairs.

    Raises StudyError for an unreadable file, with its reader's message.
    """
    name = work.params["file_name"]
    if work.params["judges"]:
        raise Conflict(
            "judges that run here look at pairs, and the file is of items: leave one of the two out"
        )
    if sent and not sent.exists():
        raise Conflict(f"{name} was removed while it waited; please upload it again")
    work.progress(0, 0, "Comparing judges with raters")
    try:
        with work.computing():
            new = read_item_verdicts(sent) if sent else None
        if new is not None:
            refuse_many(new, name)
        judges = sorted(map(str, new["judge"].unique())) if new is not None else []
        before = stood_before(work, "items", judges)
        rows = [*(_rows(new) if new is not None else ()), *before.rows]
        (folder / VERDICTS).write_text(_table(rows), encoding="utf-8", newline="")
        counts = Counter(new["judge"].astype(str) if new is not None else ())
        origins = {
            **before.origins,
            **{judge: origin_of(work, counts[judge], None, "") for judge in judges},
        }
        if not origins:
            held = nothing_held(NO_JUDGE)
        elif rated.empty:
            held = nothing_held(NO_ANSWERS)
        else:
            held = held_against_raters(work, folder, read_item_verdicts(folder / VERDICTS), rated, origins)
    except AnalysisError as error:
        raise StudyError(str(error).replace(str(sent), name)) from None
    return {
        "judges": judges,
        "verdicts": 0 if new is None else len(new),
        "problems": {},
        "skipped": {},
        "about": "items",
        "origins": origins,
        **held,
    }


def held_against_raters(
    work: Work, folder: Path, given: pd.DataFrame, rated: pd.DataFrame, origins: Mapping[str, Any]
) -> dict[str, Any]:
    """Validation of item verdicts, written into `folder`. Raises AnalysisError if it cannot be computed."""
    with work.computing():
        found = validate_rating_rows(
            [rated],
            given,
            mode=work.params["mode"] or None,
            seed=work.params["seed"],
            origin=work.params["file_name"],
        )
    (folder / VALIDATION).write_text(
        json_text({"ratings": [one.to_dict() for one in found]}), encoding="utf-8"
    )
    keep_view(work, folder, found, origins)
    figure = _drawn(work, found[0], folder)
    return {
        "files": [VERDICTS, VALIDATION, *([FIGURE] if "alt" in figure else [])],
        "reason": "",
        "figure": figure,
        "mode": found[0].mode,
        "answers": found[0].n_rated,
        "participants": found[0].n_participants,
    }


def nothing_held(reason: str) -> dict[str, Any]:
    """The result of a run that compares nobody."""
    return {
        "files": [VERDICTS], "reason": reason, "figure": None, "mode": "", "answers": 0, "participants": 0,
    }  # fmt: skip


def refuse_many(given: pd.DataFrame, name: str) -> None:
    """Raise StudyError for more than one run is to do."""
    for n, most, what in (
        (given["judge"].nunique(), MOST_JUDGES, "judges"),
        (len(given), MOST_ROWS, "verdicts"),
    ):
        if n > most:
            raise StudyError(
                f"{name} has {n:,} {what}, and one run takes {most:,}: send it in parts, or hold them "
                "against people at the command line, which has no limit"
            )


def _rows(given: pd.DataFrame) -> Sequence[Mapping[str, str]]:
    cells = given[list(_HEAD)].astype(object)
    rows: list[Mapping[str, Any]] = cells.where(cells.notna(), "").to_dict("records")  # type: ignore[assignment]
    return [{column: str(cell) for column, cell in row.items()} for row in rows]


def _table(rows: Sequence[Mapping[str, str]]) -> str:
    table = io.StringIO()
    writer = csv.DictWriter(table, _HEAD, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows({column: defused(cell) for column, cell in row.items()} for row in rows)
    return table.getvalue()


def _drawn(work: Work, block: BlockValidation, folder: Path) -> dict[str, Any]:
    work.progress(0, 0, "Drawing")
    with work.computing():
        drawn = item_judges_figure(block.validation)
    if not isinstance(drawn, Figure):
        return {"reason": drawn.reason}
    (folder / FIGURE).write_text(drawn.svg, encoding="utf-8")
    width, height = drawn.size
    return {"alt": drawn.alt, "width": round(width * 96), "height": round(height * 96)}
