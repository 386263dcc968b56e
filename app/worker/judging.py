"""Judges run over a study and held against its people: each run in a folder of its own, kept."""

import csv
import io
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.errors import AnalysisError
from analysis.figures.figure import Figure
from analysis.judging import JudgeValidation, read_verdicts, validate_judges
from analysis.judging.figure import judges_figure
from app.errors import Conflict, StudyError
from app.judges.registry import judge_named
from app.judges.runner import COLUMNS, VerdictRow, run_judge, verdicts_csv
from app.judges.study import main_pairs, pairs_to_judge, refuse_without_files
from app.library.places import judging_folder, sent_verdicts
from app.reporting.frames import responses_frame
from app.reporting.report import json_text
from app.worker.context import Stopping, Work

VERDICTS, VALIDATION, FIGURE = "verdicts.csv", "validation.json", "judges.svg"
_HEAD = (*COLUMNS, "stimulus")

Row = Mapping[str, str]


def judge_study(work: Work) -> dict[str, Any]:
    """`params`: slug, judges, file (token of a file of verdicts that was sent, or empty), file_name, mode, seed."""
    folder = judging_folder(work.settings.data_dir, work.job.id)
    sent = sent_verdicts(work.settings.data_dir, work.params["file"])
    shutil.rmtree(folder, ignore_errors=True)  # a job that is done again after a crash starts anew
    folder.mkdir(parents=True)
    try:
        result = _judged(work, folder, sent)
    except Stopping:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        sent.unlink(missing_ok=True)
        raise
    sent.unlink(missing_ok=True)
    return result


def _judged(work: Work, folder: Path, sent: Path) -> dict[str, Any]:
    given = _given(sent, work.params["file_name"]) if work.params["file"] else []
    _refuse_same_judge(work.params["judges"], given)
    rows = _run(work)
    path = folder / VERDICTS
    path.write_text(_table(rows, given), encoding="utf-8", newline="")
    validation, reason = _validated(work, path)
    files = [VERDICTS]
    told: dict[str, Any] = {"figure": None, "mode": "", "answers": 0, "participants": 0}
    if validation is not None:
        (folder / VALIDATION).write_text(json_text(validation.to_dict()), encoding="utf-8")
        files.append(VALIDATION)
        told = {
            "figure": _drawn(validation, folder, files),
            "mode": validation.settings.mode,
            "answers": validation.n_votes,
            "participants": validation.n_participants,
        }
    return {
        "files": files,
        "judges": sorted({row.judge for row in rows} | {row["judge"] for row in given}),
        "verdicts": len(rows) + len(given),
        "problems": _problems(rows),
        "reason": reason,
        **told,
    }


def _given(sent: Path, file_name: str) -> Sequence[Row]:
    """The rows of a file that was sent, once its reader has taken them; raises StudyError in the reader's words."""
    if not sent.exists():
        raise Conflict(f"{file_name} has been cleared away while it waited; please send it again")
    try:
        read_verdicts(sent)
    except AnalysisError as error:
        raise StudyError(str(error).replace(str(sent), file_name)) from None
    with sent.open(encoding="utf-8-sig", newline="") as file:
        return [{name: row.get(name) or "" for name in _HEAD} for row in csv.DictReader(file)]


def _refuse_same_judge(names: Sequence[str], given: Sequence[Row]) -> None:
    both = sorted({row["judge"] for row in given} & set(names))
    if both:
        raise Conflict(
            f"the file has verdicts of {both[0]!r}, which was to judge here too; leave one of the two out"
        )


def _run(work: Work) -> list[VerdictRow]:
    """Every judge that was asked for, over every main pair."""
    names = work.params["judges"]
    if not names:
        return []
    with work.database.reading() as session:
        study = pairs_to_judge(session, work.params["slug"], work.store)
    judges = [judge_named(name) for name in names]
    for judge in judges:
        refuse_without_files(judge.info, study.slug, study.pairs)
    rows: list[VerdictRow] = []
    for number, judge in enumerate(judges):
        before = number * len(study.pairs)

        def tell(done: int, total: int, name: str, before: int = before) -> None:
            work.progress(before + done, len(judges) * total, f"{name} judges")

        rows += run_judge(judge, study.pairs, tell, work.now)
    return rows


def _table(rows: Sequence[VerdictRow], given: Sequence[Row]) -> str:
    """One file of verdicts; the column stimulus is there where a row is about a single clip."""
    head = _HEAD if any(row["stimulus"] for row in given) else COLUMNS
    table = io.StringIO()
    writer = csv.DictWriter(table, head, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(csv.DictReader(io.StringIO(verdicts_csv(rows))))
    writer.writerows(given)
    return table.getvalue()


def _validated(work: Work, path: Path) -> tuple[JudgeValidation | None, str]:
    """The judges against the people, or why there is nobody to hold them against."""
    slug, mode = work.params["slug"], work.params["mode"]
    with work.database.reading() as session:
        responses = responses_frame(session, slug)
        pairs = main_pairs(session, slug)
    if responses.empty:
        return None, "there are no answers yet: the verdicts are here, with nobody to hold them against"
    work.progress(0, 0, "Holding the judges against people")
    validation = validate_judges(
        responses,
        read_verdicts(path),
        pairs=pd.DataFrame(pairs) if pairs else None,
        mode=mode,
        seed=work.params["seed"],
        on_progress=lambda done, total, name: work.progress(done, total, f"{name} against people"),
    )
    return validation, ""


def _drawn(validation: JudgeValidation, folder: Path, files: list[str]) -> dict[str, Any]:
    drawn = judges_figure(validation)
    if not isinstance(drawn, Figure):
        return {"reason": drawn.reason}
    (folder / FIGURE).write_text(drawn.svg, encoding="utf-8")
    files.append(FIGURE)
    width, height = drawn.size
    return {
        "alt": drawn.alt,
        "width": round(width * 96),
        "height": round(height * 96),
    }


def _problems(rows: Sequence[VerdictRow]) -> Mapping[str, Mapping[str, Any]]:
    """Of each judge that could not judge some pairs, how many, and what the first was."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row.problem:
            told = found.setdefault(row.judge, {"n": 0, "first": f"{row.pair}: {row.problem}"})
            told["n"] += 1
    return found
