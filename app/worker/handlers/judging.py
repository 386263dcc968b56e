"""Runs of judges over a study and their validation against people: each run is kept in its own folder."""

import csv
import io
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.data.columns import ANALYZED_COLUMNS
from analysis.errors import AnalysisError
from analysis.figures.figure import Figure
from analysis.files.faults import noting
from analysis.judging import JudgeValidation, read_verdicts, validate_judges
from analysis.judging.columns import with_items_named
from analysis.judging.figure import judges_figure
from analysis.judging.items import read_item_verdicts
from app.core.errors import Conflict, StudyError, page_words
from app.core.spreadsheet import CsvTable, defused, restored
from app.judges.alike import logged_alike
from app.judges.base import JudgeUnavailable
from app.judges.models import is_model, model_folder
from app.judges.registry import judge_named, registry
from app.judges.runner import COLUMNS, OnProgress, PairToJudge, VerdictRow, run_judge, verdicts_csv
from app.judges.spans import as_shown
from app.judges.study import lacks, main_pairs, pairs_to_judge
from app.judges.trained import load_model, run_model, was_trained_on
from app.judges.voted import VoteJudge, is_voted
from app.library.places import judging_folder, models_folder, sent_verdicts
from app.outputs.outputs import VERDICTS
from app.reports.frames import responses_frame
from app.reports.page.writing import json_text
from app.worker.context import Cancelled, Work
from app.worker.handlers.judging_before import (
    NO_JUDGE,
    SUPERSEDED,
    VIEW,
    is_superseded,
    keep_view,
    origin_of,
    stood_before,
)
from app.worker.handlers.judging_items import (
    FIGURE,
    NO_ANSWERS,
    VALIDATION,
    held_against_raters,
    judge_items,
    nothing_held,
    rated_by_people,
    ratings_of,
    refuse_many,
)

_HEAD = (*COLUMNS, "stimulus")

Row = Mapping[str, str]


def judge_study(work: Work) -> dict[str, Any]:
    """`params`: slug, judges, file (token of an uploaded file of verdicts, or empty), file_name, mode, seed; of a run
    without any of these two, `compare` (pairs or items) and `without` (judges to take out). `about` is what the check
    took the file for; jobs of earlier releases have none.

    Verdicts of other judges stay: each run holds those that stood before it, too. A finished run is validated again
    against the remaining answers: some were deleted since.
    """
    folder = judging_folder(work.settings.data_dir, work.job.id)
    if work.job.result is not None:
        return _judged_again(work, folder)
    sent = sent_verdicts(work.settings.data_dir, work.params["file"])
    shutil.rmtree(folder, ignore_errors=True)  # a job that is done again after a crash starts anew
    folder.mkdir(parents=True)
    try:
        with noting() as notes:
            result = _judged(work, folder, sent)
        name = work.params["file_name"]
        result["notes"] = [note.replace(str(sent), name) for note in notes if note.startswith(str(sent))]
    except (StudyError, AnalysisError, Cancelled):
        shutil.rmtree(folder, ignore_errors=True)
        sent.unlink(missing_ok=True)
        raise
    except (
        BaseException
    ):  # the job may be begun anew, as after Stopping or without a database: it needs the file
        shutil.rmtree(folder, ignore_errors=True)
        raise
    sent.unlink(missing_ok=True)
    return result


def _judged(work: Work, folder: Path, sent: Path) -> dict[str, Any]:
    again = work.params.get("compare", "")
    rated = _rated(work, sent, again)
    if rated is not None:
        return judge_items(work, folder, None if again else sent, rated)
    given = _given(work, sent, work.params["file_name"]) if work.params["file"] else []
    _refuse_same_judge(work.params["judges"], given)
    rows, skipped, number, titles = _run(work)
    if not rows and not given and not again:
        raise Conflict("; ".join(f"{name} did not run: {reason}" for name, reason in skipped.items()))
    judges = sorted({row.judge for row in rows} | {row["judge"] for row in given})
    before = stood_before(work, "pairs", judges)
    path = folder / VERDICTS
    path.write_text(_table(rows, [*given, *before.rows]), encoding="utf-8", newline="")
    n_by_judge = Counter([*(row.judge for row in rows), *(row["judge"] for row in given)])
    versions = {row.judge: row.version for row in rows}
    origins = {
        name: origin_of(
            work,
            n_by_judge[name],
            number if name in versions else None,
            versions.get(name, ""),
            titles.get(name, ""),
        )
        for name in judges
    }
    return {
        "judges": judges,
        "verdicts": len(rows) + len(given),
        "problems": _problems(rows),
        "skipped": skipped,
        "about": "pairs",
        "origins": {**before.origins, **origins},
        **_held_against_people(work, folder, {**before.origins, **origins}),
    }


def _rated(work: Work, sent: Path, again: str) -> pd.DataFrame | None:
    """The ratings for verdicts about items; None where they are about pairs."""
    if about := work.params.get("about", again):
        return ratings_of(work) if about == "items" else None
    return rated_by_people(work, sent) if work.params["file"] and sent.exists() else None


def _held_against_people(work: Work, folder: Path, origins: Mapping[str, Any]) -> dict[str, Any]:
    validation, reason = _validated(work, folder / VERDICTS) if origins else (None, NO_JUDGE)
    (folder / VIEW).unlink(missing_ok=True)
    files = [VERDICTS]
    if validation is None:
        return nothing_held(reason)
    (folder / VALIDATION).write_text(json_text(validation.to_dict()), encoding="utf-8")
    files.append(VALIDATION)
    keep_view(work, folder, validation, origins)
    return {
        "files": files,
        "reason": reason,
        "figure": _drawn(work, validation, folder, files),
        "mode": validation.settings.mode,
        "answers": validation.n_votes,
        "participants": validation.n_participants,
    }


def _is_of_items(folder: Path) -> bool:
    with (folder / VERDICTS).open(encoding="utf-8", newline="") as file:
        return "item" in next(csv.reader(file))


def _judged_again(work: Work, folder: Path) -> dict[str, Any]:
    """The verdicts that there are, held against the people whose answers are left."""
    before = dict(work.job.result)
    try:
        if is_superseded(work):
            raise AnalysisError(SUPERSEDED)
        given = read_item_verdicts(folder / VERDICTS) if _is_of_items(folder) else None
        origins = before.get("origins") or {name: {} for name in before["judges"]}
        if given is None:
            found = _held_against_people(work, folder, origins)
        else:
            found = held_against_raters(work, folder, given, ratings_of(work), origins)
    except AnalysisError as error:  # nobody is left, or too few, or a newer run has them
        found = nothing_held(str(error))
    for name in {VALIDATION, FIGURE} - set(found["files"]):
        (folder / name).unlink(missing_ok=True)
    if VALIDATION not in found["files"]:
        (folder / VIEW).unlink(missing_ok=True)
    return {**before, **found}


def _given(work: Work, sent: Path, file_name: str) -> Sequence[Row]:
    """The rows of a file that was sent, once its reader has taken them.

    Raises StudyError in the reader's words, or for more than one job is to do.
    """
    if not sent.exists():
        raise Conflict(f"{file_name} was removed while it waited; please upload it again")
    work.progress(0, 0, f"Reading {file_name}")
    try:
        with work.computing():
            verdicts = read_verdicts(sent)
    except AnalysisError as error:
        raise StudyError(str(error).replace(str(sent), file_name)) from None
    refuse_many(verdicts, file_name)
    table = CsvTable(sent, file_name, cell=restored)
    theirs = {ours: name for name, ours in with_items_named(table.header).items()}
    return [{name: row.cells.get(theirs.get(name, name), "") for name in _HEAD} for row in table]


def _refuse_same_judge(names: Sequence[str], given: Sequence[Row]) -> None:
    both = sorted({row["judge"] for row in given} & set(names))
    if both:
        raise Conflict(
            f"the file has verdicts of {both[0]!r}, which was to judge here too; leave one of the two out"
        )


Ran = tuple[list[VerdictRow], Mapping[str, str], int | None, Mapping[str, str]]


def _run(work: Work) -> Ran:
    """Every judge that was asked for and can judge here, over every main pair; why the others cannot; the version of
    the study that was judged; and the titles of the judges.
    """
    names = work.params["judges"]
    if not names:
        return [], {}, None, {}
    with work.database.reading() as session:
        try:
            study = pairs_to_judge(session, work.params["slug"], work.store)
        except StudyError as error:
            return [], dict.fromkeys(names, page_words(error)), None, {}
    rows: list[VerdictRow] = []
    skipped: dict[str, str] = {}
    titles: dict[str, str] = {}
    with as_shown(study.pairs) as pairs:
        for number, name in enumerate(names):
            before = number * len(pairs)

            def tell(done: int, total: int, name: str, before: int = before) -> None:
                work.progress(before + done, len(names) * total, f"{name} judges")

            try:
                if name not in registry().judges and is_model(models_folder(work.settings.data_dir) / name):
                    rows += _by_trained(work, name, pairs, tell)
                    titles[name] = "trained here"
                    continue
                judge = judge_named(name)
                if reason := lacks(judge.info.needs, pairs):
                    skipped[name] = reason
                    continue
                with logged_alike(judge.info, pairs) as alike:
                    judged = run_judge(judge, alike, tell, work.now)
                if judged and all(row.problem for row in judged):  # its earlier verdicts stand
                    skipped[name] = judged[0].problem
                    continue
                rows += judged
                titles[name] = judge.info.title
            except (JudgeUnavailable, Conflict) as error:
                skipped[name] = page_words(error)
    return rows, skipped, study.number, titles


def _by_trained(
    work: Work,
    name: str,
    pairs: Sequence[PairToJudge],
    on_progress: OnProgress,
) -> Sequence[VerdictRow]:
    """Verdicts of a trained judge; each pair with a clip from its training goes to a fold's copy that saw neither clip.

    Raises StudyError if the judge was deleted or cannot judge these pairs.
    """
    folder = model_folder(work.settings.data_dir, name)
    if is_voted(folder):
        judge = VoteJudge(folder)
        judge.refuse_seen(pairs)
        rows = run_judge(judge, pairs, on_progress, work.now)
    else:
        model = load_model(folder)
        rows = run_model(
            model,
            pairs,
            by=None,
            cross_fitted=was_trained_on(model, pairs),
            allow_seen=False,
            on_progress=on_progress,
            now=work.now,
        )
    if all(row.problem for row in rows):
        raise Conflict(rows[0].problem)
    return [replace(row, judge=name) for row in rows]


def _table(rows: Sequence[VerdictRow], given: Sequence[Row]) -> str:
    """One file of verdicts; the column stimulus is there where a row is about a single clip."""
    head = _HEAD if any(row.get("stimulus") for row in given) else COLUMNS
    table = io.StringIO()
    writer = csv.DictWriter(table, head, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(row.cells for row in CsvTable(verdicts_csv(rows), cell=str))
    writer.writerows({name: defused(cell) for name, cell in row.items()} for row in given)
    return table.getvalue()


def _validated(work: Work, path: Path) -> tuple[JudgeValidation | None, str]:
    """The validation of the judges, or the reason for none."""
    slug, mode = work.params["slug"], work.params["mode"]
    work.progress(0, 0, "Reading the answers")
    with work.database.reading() as session:
        responses = responses_frame(session, slug, ANALYZED_COLUMNS)
        pairs = main_pairs(session, slug)
    if responses.empty:
        return None, NO_ANSWERS
    work.progress(0, 0, "Comparing the judges with people")
    validation = validate_judges(
        responses,
        read_verdicts(path),
        pairs=pd.DataFrame(pairs) if pairs else None,
        mode=mode,
        seed=work.params["seed"],
        on_progress=lambda done, total, name: work.progress(done, total, f"{name} against people"),
    )
    return validation, ""


def _drawn(work: Work, validation: JudgeValidation, folder: Path, files: list[str]) -> dict[str, Any]:
    work.progress(0, 0, "Drawing")
    with work.computing():
        drawn = judges_figure(validation)
    if not isinstance(drawn, Figure):
        return {"reason": drawn.reason}
    (folder / FIGURE).write_text(drawn.svg, encoding="utf-8")
    files.append(FIGURE)
    width, height = drawn.size
    return {
        "alt": drawn.alt,
        # Figures are measured in inches, of which CSS has 96 pixels each.
        "width": round(width * 96),
        "height": round(height * 96),
    }


def _problems(rows: Sequence[VerdictRow]) -> Mapping[str, Mapping[str, Any]]:
    """For each judge that failed on some pairs: how many, and the first problem."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row.problem:
            summary = found.setdefault(row.judge, {"n": 0, "first": f"{row.pair}: {row.problem}"})
            summary["n"] += 1
    return found
