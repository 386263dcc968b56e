"""Builds the judges page from SQL and the findings of finished runs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session

from analysis.findings.model import FORMAT, Findings
from app.accounts.logins import Who
from app.admin.access import Shell
from app.admin.data.views import MODES
from app.admin.judges.trained import facts_of
from app.admin.judges.views import (
    CannotRun,
    CheckedPage,
    JudgeChoice,
    JudgesPage,
    Kind,
    RunRow,
    ShownRun,
    TrainedCard,
)
from app.core.errors import NotFound
from app.core.problems import counted
from app.jobs import queue
from app.jobs.queue import JobView
from app.jobs.tables import JobStatus
from app.jobs.tables import Kind as JobKind
from app.judges.checking import Check
from app.judges.described import Described
from app.judges.known import Known, known_of
from app.judges.models import models_here
from app.judges.registry import registry
from app.judges.standing import ABOUT, About, judges_about, runs_about, runs_with_verdicts
from app.judges.study import cannot_judge
from app.judges.verdict_files import MOST_BYTES
from app.library.clips.store import ClipStore
from app.library.places import judging_folder
from app.outputs.outputs import VERDICTS, last_response
from app.reports.kept import from_json
from app.reports.page.drawn import csv_of, drawn_of, shown_sections, tables_of
from app.studies.access import StudyHere
from app.studies.blinding import may_look, require_open

CHOSEN = "judge-"
VIEW = "view.json"
_FILES = {VERDICTS: "Verdicts (CSV)", "validation.json": "Every number (JSON)", "judges.svg": "Figure (SVG)"}
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
    check: Check | None = None,
) -> JudgesPage:
    """The run `run`, or the newest of pairs and of items, and the judges to choose from; `form` is one that was not
    taken, and `check` what is wrong with its file.
    """
    runs = runs_with_verdicts(session, study.id)
    known = known_of(session, study.slug, runs)
    otherwise: About = "pairs" if known.pairs else "items"
    jobs = queue.jobs_of(session, JobKind.JUDGES, study.id)
    done = [job for job in jobs if job.status is JobStatus.DONE]
    newest = {
        about: job for about in ABOUT if (job := next(runs_about(runs, about, otherwise), None)) is not None
    }
    wanted = [job for job in done if job.id == run] if run else list(newest.values())
    answered_at = last_response(session, study)
    cannot = dict(cannot_judge(session, study.slug, ClipStore(data_dir), judges))
    has_run = _has_run(runs, known, judges)
    typed = form or {}
    return JudgesPage(
        shell=shell,
        error=error,
        slug=study.slug,
        kind=_kind(shell, known),
        noun=known.noun,
        question=known.question,
        n_pairs=len(known.pairs),
        n_items=len(known.items),
        criteria=known.criteria,
        refused=registry().refused,
        choices=[
            JudgeChoice(
                judge.name,
                judge.info.title if judge.info else "",
                form is None or f"{CHOSEN}{judge.name}" in form,
                judge.package,
            )
            for judge in judges
            if judge.name not in cannot and judge.name not in has_run
        ],
        ran=[judge.name for judge in judges if judge.name in has_run and judge.name not in cannot],
        cannot=_cannot_run(judges, cannot),
        trained=_cards(session, shell.who, study, data_dir, known, runs, typed),
        modes=tuple(MODES.items()),
        form={"mode": "", **typed},
        largest=f"{MOST_BYTES / 1e6:.0f} MB",
        standing=[job for job in jobs if not job.is_over],
        failed=jobs[0] if jobs and jobs[0].status is JobStatus.FAILED else None,
        shown=[
            _shown(session, shell.who, job, study, data_dir, otherwise, answered_at, newest, runs)
            for job in wanted
        ],
        runs=[_row(job, wanted, answered_at) for job in jobs],
        check=check,
    )


def checked_page(shell: Shell, check: Check) -> CheckedPage:
    return CheckedPage(shell=shell, check=check)


def _kind(shell: Shell, known: Known) -> Kind:
    if known.pairs:
        return "both" if known.items else "pairs"
    if known.items:
        return "items"
    is_played = shell.study and (shell.study.has_matches or "Walks" in shell.study.parts)
    return "play" if is_played else "none"


def _cannot_run(judges: Sequence[Described], reasons: Mapping[str, str]) -> Sequence[CannotRun]:
    """The judges with a reason, in their order; a reason that several share stands once."""
    names: dict[str, list[str]] = {}
    for judge in judges:
        if judge.name in reasons:
            names.setdefault(reasons[judge.name], []).append(judge.name)
    return [CannotRun(those, reason) for reason, those in names.items()]


def _has_run(runs: Sequence[JobView], known: Known, judges: Sequence[Described]) -> frozenset[str]:
    """Our judges and those of packages that have judged the pairs as they are."""
    if not known.pairs:
        return frozenset()
    versions = {judge.name: judge.info.version for judge in judges if judge.info}
    here = judges_about(runs, "pairs", "pairs")
    return frozenset(
        name
        for name, one in here.items()
        if not one.file and one.number == known.number and versions.get(name) == one.version
    )


def _cards(
    session: Session,
    who: Who,
    study: StudyHere,
    data_dir: Path,
    known: Known,
    runs: Sequence[JobView],
    typed: Mapping[str, str],
) -> Sequence[TrainedCard]:
    """The trained judges whose cards may be shown in this study."""
    here = judges_about(runs, "pairs", "pairs") if known.pairs else {}
    return [
        TrainedCard(
            model.name,
            facts_of(model),
            f"{CHOSEN}{model.name}" in typed,
            model.name in here and here[model.name].number == known.number,
        )
        for model in models_here(data_dir)
        if model.name not in registry().judges
        and model.is_shown_in(study.slug)
        and may_look(session, who, study, model.mode)
    ]


def _shown(
    session: Session,
    who: Who,
    job: JobView,
    study: StudyHere,
    data_dir: Path,
    otherwise: About,
    answered_at: datetime | None,
    newest: Mapping[About, JobView],
    runs: Sequence[JobView],
) -> ShownRun:
    result = job.result
    is_blinded = not may_look(session, who, study, result["mode"])
    here = f"/admin/studies/{study.slug}/judges/{job.id}"
    about: About = result.get("about", otherwise)
    view = None if is_blinded else view_of(data_dir, job.id)
    is_of_before = "validation.json" in result["files"] and not (view or is_blinded)
    is_newest = about in newest and newest[about].id == job.id
    return ShownRun(
        job=job,
        says=_says(job),
        about=about,
        missing=_missing(result["reason"], is_of_before=is_of_before),
        warning=_WARNINGS.get(result["mode"], ""),
        notes=[
            *(f"{note}." for note in result.get("notes", ())),
            *(f"{judge} did not run: {reason}." for judge, reason in result.get("skipped", {}).items()),
            *_problems(result["problems"]),
        ],
        drawn=[drawn_of(figure, f"{here}/numbers-{figure.name}.csv") for figure in view.figures]
        if view
        else (),
        statistics=shown_sections(view.sections, lambda name: f"{here}/numbers-{name}.csv") if view else (),
        judges=list(judges_about(runs, about, otherwise).values()) if is_newest else (),
        files=[
            (f"{here}/{name}", _FILES[name]) for name in result["files"] if name == VERDICTS or not is_blinded
        ],
        is_blinded=is_blinded,
        is_current=answered_at is None or job.asked_at >= answered_at,
        is_newest=is_newest,
    )


def _missing(reason: str, *, is_of_before: bool) -> str:
    if is_of_before:
        return "The findings of this run no longer exist, or are of an earlier version: compare again to see them."
    return f"{reason[:1].upper()}{reason[1:]}." if reason else ""


def view_of(data_dir: Path, job_id: int) -> Findings | None:
    """The findings of a run as the worker keeps them; None where they are gone or of another release."""
    try:
        view = from_json((judging_folder(data_dir, job_id) / VIEW).read_bytes())
    except (OSError, ValueError):
        return None
    return view if view.format == FORMAT else None


def numbers_csv(session: Session, who: Who, study: StudyHere, job_id: int, name: str, data_dir: Path) -> str:
    """One table of a run as CSV. Raises NotFound, and Conflict where it is blinded."""
    job = next((job for job in queue.jobs_of(session, JobKind.JUDGES, study.id) if job.id == job_id), None)
    if job is None or job.status is not JobStatus.DONE:
        raise NotFound("There is no such run; it may have failed or still be under way.")
    require_open(session, who, study, job.result["mode"])
    view = view_of(data_dir, job_id)
    if view and (figure := view.figure(name)):
        return csv_of(figure.numbers)
    tables = dict(one for section in view.sections for one in tables_of(section)) if view else {}
    if name not in tables:
        raise NotFound(f"There is no table {name!r} in this run.")
    return csv_of(tables[name])


def _problems(problems: Mapping[str, Mapping[str, Any]]) -> Sequence[str]:
    return [
        f"{judge} could not judge {counted(result['n'], 'pair')}; the first: {result['first']}."
        for judge, result in problems.items()
    ]


def _row(job: JobView, shown: Sequence[JobView], answered_at: datetime | None) -> RunRow:
    is_current = answered_at is None or job.asked_at >= answered_at
    return RunRow(job, _says(job), any(job.id == one.id for one in shown), is_current)


def _says(job: JobView) -> str:
    params = job.params
    if job.status is not JobStatus.DONE:
        asked = [*params["judges"], *([params["file_name"]] if params["file"] else [])]
        return ", ".join(asked) or "Compared again"
    result = job.result
    out = ", ".join(params.get("without", ()))
    judged = ", ".join(result["judges"]) or (f"{out} taken out" if out else "Compared again")
    if not result["mode"]:
        return f"{judged}: {counted(result['verdicts'], 'verdict')}"
    people = counted(result["participants"], f"{result['mode']} participant")
    return f"{judged}: against {counted(result['answers'], 'answer')} of {people}"
