"""From a clue report's result to its page: numbers to words, the strongest clue first."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import Session

from app.experimenter.access import Shell
from app.experimenter.stimuli.pages import ClueRow, ClueRun, CluesPage
from app.jobs.queue import JobView
from app.jobs.tables import JobStatus
from app.library.clues import ClueClips, clips_of, clue_run, clue_runs, is_of, warnings_in
from app.study.access import StudyHere

_FINDINGS = {
    "telling": "gives the source away",
    "unclear": "open: too few clips to say",
    "weak": "too weak to matter",
    "same": "the same for all clips",
    "undefined": "cannot be compared",
}
_ORDER = tuple(_FINDINGS)
_QUIET = ("same", "undefined")


def clues_page(
    session: Session, shell: Shell, study: StudyHere, run: int | None = None, error: str = ""
) -> CluesPage:
    """The report `run`, or the newest of the clips as they are, or the newest."""
    found, runs = clips_of(session, study), clue_runs(session, study)
    done = [job for job in runs if job.status is JobStatus.DONE]
    current = [job for job in done if is_of(job, found.clips)]
    shown = clue_run(session, study, run) if run is not None else next(iter((*current, *done)), None)
    if shown is not None and shown.status is not JobStatus.DONE:
        shown = None
    report = shown.result["report"] if shown else None
    return CluesPage(
        shell=shell,
        error=error,
        slug=study.slug,
        n_clips=len(found.clips),
        of_what=_of_what(found),
        standing=next((job for job in runs if not job.is_over), None),
        failed=runs[0] if runs and runs[0].status is JobStatus.FAILED else None,
        shown=shown,
        is_current=shown is not None and is_of(shown, found.clips),
        warns=warnings_in(shown.result) if shown else (),
        n_open=_n_open(report) if report else 0,
        classifier=_together(report) if report else "",
        rows=_rows(shown, quiet=False) if shown else (),
        quiet_rows=_rows(shown, quiet=True) if shown else (),
        summary=report["summary"] if report else (),
        threshold=f"{report['threshold']:g}" if report else "",
        runs=[_run(job, shown, found) for job in runs],
    )


def _of_what(found: ClueClips) -> str:
    return "the draft" if found.version is None else f"version {found.version}"


def _rows(job: JobView, *, quiet: bool) -> list[ClueRow]:
    """The clues that may tell something, or those that cannot (`quiet`)."""
    kept = [clue for clue in job.result["report"]["clues"] if (clue["finding"] in _QUIET) == quiet]
    kept.sort(key=lambda clue: (_ORDER.index(clue["finding"]), -_strength(clue)))
    return [_row(clue, job.result["plots"].get(clue["clue"], "")) for clue in kept]


def _strength(clue: Mapping[str, Any]) -> float:
    return max((each["strength"] or 0.0) for each in (clue["against_others"], *clue["pairs"]))


def _row(clue: Mapping[str, Any], plot: str) -> ClueRow:
    label = str(clue["label"])
    pairs = [each for each in clue["pairs"] if each["auc"] is not None]
    return ClueRow(
        title=label[:1].upper() + label[1:],
        finding=_FINDINGS[clue["finding"]],
        warns=clue["warns"],
        figures=_figures(clue["against_others"], clue["p_holm"]),
        # With two sources the one pair says what the comparison with all others has said.
        pairs=[_pair(each) for each in pairs] if len(pairs) > 1 else [],
        difference=clue["advice"]["difference"],
        remedy=clue["advice"]["remedy"],
        plot=plot,
    )


def _figures(told: Mapping[str, Any], p_holm: float | None) -> str:
    if told["auc"] is None:
        return f"Not compared: {told['reason']}."
    who = f"{told['first']} ({told['n_first']}) against all others ({told['n_second']})"
    p = f", p = {p_holm:.3f} (Mann-Whitney, Holm)" if p_holm is not None else ""
    return f"{who}: AUC {told['auc']:.2f}{_interval(told['interval'])}{p}"


def _pair(told: Mapping[str, Any]) -> str:
    warns = " – gives the source away" if told["warns"] else ""
    return (
        f"{told['first']} against {told['second']}: AUC {told['auc']:.2f}{_interval(told['interval'])}{warns}"
    )


def _interval(interval: Mapping[str, Any]) -> str:
    if interval["low"] is None:
        return ""
    return f", {100 * interval['level']:.3g} % interval {interval['low']:.2f} to {interval['high']:.2f}"


def _together(report: Mapping[str, Any]) -> str:
    told = report["classifier"]
    if told["auc"] is None:
        return f"Not tried: {told['reason']}."
    how = f"{told['folds']} folds, {told['repeats']} times over, {len(told['clues'])} clues"
    return f"AUC {told['auc']:.2f}{_interval(told['interval'])} on clips not seen before ({how})"


def _run(job: JobView, shown: JobView | None, found: ClueClips) -> ClueRun:
    version = job.params["version"]
    what = "the draft" if version is None else f"version {version}"
    says = f"{len(job.params['clips'])} clips of {what}"
    if job.status is JobStatus.DONE:
        says += f": {_found(warnings_in(job.result))}"
    return ClueRun(job, says, shown is not None and job.id == shown.id, is_of(job, found.clips))


def _n_open(report: Mapping[str, Any]) -> int:
    """Clues of which too few clips can say nothing yet."""
    return sum(clue["finding"] in ("unclear", "undefined") for clue in report["clues"])


def _found(warns: Sequence[str]) -> str:
    return (
        f"{', '.join(warns)} {'gives' if len(warns) == 1 else 'give'} the source away"
        if warns
        else "nothing tells"
    )
