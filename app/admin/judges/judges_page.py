"""Builds the judges page from SQL and the JSON of finished runs."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.access import Shell
from app.admin.data.views import MODES
from app.admin.judges import words
from app.admin.judges.item_words import item_panels
from app.admin.judges.views import FigureView, JudgeChoice, JudgePanel, JudgesPage, RunRow, ShownRun
from app.jobs import queue
from app.jobs.queue import JobView
from app.jobs.tables import JobStatus, Kind
from app.judges.asking import MOST_BYTES
from app.judges.described import Described
from app.judges.models import models_here
from app.judges.registry import registry
from app.judges.study import cannot_judge, main_pairs
from app.library.clips.store import ClipStore
from app.library.places import judging_folder
from app.outputs.outputs import VERDICTS, last_response
from app.reports.facts import designs_of
from app.studies.access import StudyHere
from app.studies.blinding import may_look
from app.tasks.rating.settings import RatingDesign

CHOSEN = "judge-"
_FILES = {
    VERDICTS: "Verdicts (CSV)",
    "validation.json": "Every number (JSON)",
    "judges.svg": "Figure (SVG)",
}
_WARNINGS = {
    "simulated": "Compared with simulated participants: no person gave these answers.",
    "pilot": "Compared with the pilot's participants, not with those of the study itself.",
}


def judges_page(
    session: Session,
    shell: Shell,
    study: StudyHere,
    data_dir: Path,
    judges: Sequence[Described],
    run: int | None = None,
    form: Mapping[str, str] | None = None,
    error: str = "",
) -> JudgesPage:
    """The run `run`, or the newest that is done, and the judges to choose from; `form` is one that was not taken."""
    jobs = queue.jobs_of(session, Kind.JUDGES, study.id)
    done = [job for job in jobs if job.status is JobStatus.DONE]
    shown = next((job for job in done if run in (None, job.id)), None)
    newest = last_response(session, study)
    typed, cannot = form or {}, cannot_judge(session, study.slug, ClipStore(data_dir), judges)
    return JudgesPage(
        shell=shell,
        error=error,
        slug=study.slug,
        choices=[
            *(_choice(judge, form, cannot.get(judge.name, "")) for judge in judges),
            *(
                JudgeChoice(model.name, model.title, f"{CHOSEN}{model.name}" in typed, "", "trained here")
                for model in models_here(data_dir)
                if model.name not in registry().judges
            ),
        ],
        refused=registry().refused,
        modes=tuple(MODES.items()),
        form={"mode": "", **typed},
        largest=f"{MOST_BYTES / 1e6:.0f} MB",
        standing=[job for job in jobs if not job.is_over],
        has_pairs=bool(main_pairs(session, study.slug)),
        has_ratings=any(
            design.blocks_of(RatingDesign) for design in designs_of(session, study.slug).values()
        ),
        failed=jobs[0] if jobs and jobs[0].status is JobStatus.FAILED else None,
        shown=_shown(session, shell.who, shown, study, data_dir) if shown else None,
        runs=[_row(job, shown, newest) for job in jobs],
    )


def _choice(judge: Described, form: Mapping[str, str] | None, cannot: str) -> JudgeChoice:
    is_wanted = form is None or f"{CHOSEN}{judge.name}" in form
    title = judge.info.title if judge.info else ""
    return JudgeChoice(judge.name, title, is_wanted and not cannot, cannot, judge.package)


def _shown(session: Session, who: Who, job: JobView, study: StudyHere, data_dir: Path) -> ShownRun:
    result = job.result
    is_blinded = not may_look(session, who, study, result["mode"])
    here = f"/admin/studies/{study.slug}/judges/{job.id}"
    validation = None if is_blinded else _validation(judging_folder(data_dir, job.id), result["files"])
    gone = "" if validation or is_blinded else "the files of this run no longer exist"
    missing = result["reason"] or gone
    is_of_items = bool(validation and "ratings" in validation)
    figure = result["figure"]
    return ShownRun(
        job=job,
        says=_says(job),
        missing=f"{missing[:1].upper()}{missing[1:]}." if missing else "",
        warning=_WARNINGS.get(result["mode"], ""),
        notes=[
            *(f"{note}." for note in result.get("notes", ())),
            *_skipped(result.get("skipped", {})),
            *_notes(result["problems"]),
        ],
        judges=_panels(validation),
        comparisons=words.comparisons(validation) if validation and not is_of_items else (),
        is_of_items=is_of_items,
        figure=FigureView(f"{here}/judges.svg", figure["alt"], figure["width"], figure["height"])
        if validation and figure and "alt" in figure
        else None,
        files=[
            (f"{here}/{name}", _FILES[name]) for name in result["files"] if name == VERDICTS or not is_blinded
        ],
        is_blinded=is_blinded,
    )


def _validation(folder: Path, files: Sequence[str]) -> Any:
    if "validation.json" not in files:
        return None
    try:
        return json.loads((folder / "validation.json").read_text(encoding="utf-8"))
    except OSError:
        return None


def _panels(validation: Any) -> Sequence[JudgePanel]:
    if not validation:
        return ()
    if "ratings" in validation:
        return item_panels(validation["ratings"])
    return words.panels(validation)


def _skipped(skipped: Mapping[str, str]) -> Sequence[str]:
    return [f"{judge} did not run: {reason}." for judge, reason in skipped.items()]


def _notes(problems: Mapping[str, Mapping[str, Any]]) -> Sequence[str]:
    return [
        f"{judge} could not judge {words.counted(result['n'], 'pair')}; the first: {result['first']}."
        for judge, result in problems.items()
    ]


def _row(job: JobView, shown: JobView | None, newest: datetime | None) -> RunRow:
    is_current = newest is None or job.asked_at >= newest
    return RunRow(job, _says(job), shown is not None and job.id == shown.id, is_current)


def _says(job: JobView) -> str:
    params = job.params
    if job.status is not JobStatus.DONE:
        asked = [*params["judges"], *([params["file_name"]] if params["file"] else [])]
        return ", ".join(asked)
    result = job.result
    judged = ", ".join(result["judges"])
    if not result["mode"]:
        return f"{judged}: {words.counted(result['verdicts'], 'verdict')}"
    people = words.counted(result["participants"], f"{result['mode']} participant")
    return f"{judged}: against {words.counted(result['answers'], 'answer')} of {people}"
