"""From SQL, and the JSON that a finished run has left, to the page of judges."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session

from app.clips.store import ClipStore
from app.experimenter.access import Shell
from app.experimenter.data.build import MODES
from app.experimenter.judges import words
from app.experimenter.judges.pages import FigureView, JudgeChoice, JudgesPage, RunRow, ShownRun
from app.jobs import queue
from app.jobs.queue import JobView
from app.jobs.tables import JobStatus, Kind
from app.judges.asking import MOST_BYTES
from app.judges.registry import JUDGES
from app.judges.study import cannot_judge
from app.library.outputs import last_response
from app.library.places import judging_folder
from app.study.access import StudyHere

CHOSEN = "judge-"
_FILES = {
    "verdicts.csv": "Verdicts (CSV)",
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
    run: int | None = None,
    form: Mapping[str, str] | None = None,
    error: str = "",
) -> JudgesPage:
    """The run `run`, or the newest that is done; `form` is one that was not taken."""
    jobs = queue.jobs_of(session, Kind.JUDGES, study.id)
    done = [job for job in jobs if job.status is JobStatus.DONE]
    shown = next((job for job in done if run in (None, job.id)), None)
    newest = last_response(session, study)
    typed, cannot = form or {}, cannot_judge(session, study.slug, ClipStore(data_dir))
    return JudgesPage(
        shell=shell,
        error=error,
        slug=study.slug,
        choices=[_choice(name, form, cannot.get(name, "")) for name in JUDGES],
        modes=tuple(MODES.items()),
        form={"mode": "", **typed},
        largest=f"{MOST_BYTES / 1e6:.0f} MB",
        standing=[job for job in jobs if not job.is_over],
        failed=jobs[0] if jobs and jobs[0].status is JobStatus.FAILED else None,
        shown=_shown(shown, study, data_dir) if shown else None,
        runs=[_row(job, shown, newest) for job in jobs],
    )


def _choice(name: str, form: Mapping[str, str] | None, cannot: str) -> JudgeChoice:
    is_wanted = form is None or f"{CHOSEN}{name}" in form
    return JudgeChoice(name, JUDGES[name].title, is_wanted and not cannot, cannot)


def _shown(job: JobView, study: StudyHere, data_dir: Path) -> ShownRun:
    result = job.result
    here = f"/admin/studies/{study.slug}/judges/{job.id}"
    validation = _validation(judging_folder(data_dir, job.id), result["files"])
    missing = result["reason"] or ("" if validation else "the files of this run are not there any more")
    figure = result["figure"]
    return ShownRun(
        job=job,
        says=_says(job),
        missing=f"{missing[:1].upper()}{missing[1:]}." if missing else "",
        warning=_WARNINGS.get(result["mode"], ""),
        notes=[*_skipped(result.get("skipped", {})), *_notes(result["problems"])],
        judges=words.panels(validation) if validation else (),
        comparisons=words.comparisons(validation) if validation else (),
        figure=FigureView(f"{here}/judges.svg", figure["alt"], figure["width"], figure["height"])
        if validation and figure and "alt" in figure
        else None,
        files=[(f"{here}/{name}", _FILES[name]) for name in result["files"]],
    )


def _validation(folder: Path, files: Sequence[str]) -> Any:
    if "validation.json" not in files:
        return None
    try:
        return json.loads((folder / "validation.json").read_text(encoding="utf-8"))
    except OSError:
        return None


def _skipped(skipped: Mapping[str, str]) -> Sequence[str]:
    return [f"{judge} did not run: {reason}." for judge, reason in skipped.items()]


def _notes(problems: Mapping[str, Mapping[str, Any]]) -> Sequence[str]:
    return [
        f"{judge} could not judge {words.counted(told['n'], 'pair')}; the first: {told['first']}."
        for judge, told in problems.items()
    ]


def _row(job: JobView, shown: JobView | None, newest: datetime | None) -> RunRow:
    is_current = newest is None or job.asked_at >= newest
    return RunRow(job, _says(job), shown is not None and job.id == shown.id, is_current)


def _says(job: JobView) -> str:
    params = job.params
    if job.status is not JobStatus.DONE:
        asked = [*params["judges"], *([params["file_name"]] if params["file"] else [])]
        return ", ".join(asked)
    told = job.result
    judged = ", ".join(told["judges"])
    if not told["mode"]:
        return f"{judged}: {words.counted(told['verdicts'], 'verdict')}"
    people = words.counted(told["participants"], f"{told['mode']} participant")
    return f"{judged}: against {words.counted(told['answers'], 'answer')} of {people}"
