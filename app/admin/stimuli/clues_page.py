"""Converts a clue report's result to its page: numbers in words, the strongest clue first."""

from collections.abc import Mapping
from typing import Any

from sqlmodel import Session

from analysis.stats.p_values import p_cell, p_words
from app.admin.access import Shell
from app.admin.stimuli.views import ClueRow, ClueRun, CluesPage
from app.core.problems import counted
from app.jobs.queue import JobView
from app.jobs.tables import JobStatus
from app.library.kinds import StimulusKind
from app.outputs.clues import ClueClips, clips_in, clips_of, clue_run, clue_runs, is_of, verdict_of
from app.studies.access import StudyHere

_FINDINGS = {
    "telling": "gives the source away",
    "unclear": "too few to tell",
    "weak": "too weak to matter",
    "same": "the same for all",
    "undefined": "cannot be compared",
}
_ORDER = tuple(_FINDINGS)


def clues_page(
    session: Session, shell: Shell, study: StudyHere, run: int | None = None, error: str = ""
) -> CluesPage:
    """The report `run`, or the newest of the clips as they are, or the newest."""
    found, runs = clips_of(session, study, shell.draft), clue_runs(session, study)
    done = [job for job in runs if job.status is JobStatus.DONE]
    current = [job for job in done if is_of(job, found)]
    shown = clue_run(session, study, run) if run is not None else next(iter((*current, *done)), None)
    if shown is not None and shown.status is not JobStatus.DONE:
        shown = None
    report = shown.result["report"] if shown else None
    verdict = verdict_of(shown.result) if shown else None
    return CluesPage(
        shell=shell,
        error=error,
        slug=study.slug,
        n_clips=len(found.clips),
        counted=found.says,
        has_clips=any(clip.kind == StimulusKind.CLIP for clip in found.clips),
        of_what=_of_what(found),
        standing=next((job for job in runs if not job.is_over), None),
        failed=runs[0] if runs and runs[0].status is JobStatus.FAILED else None,
        shown=shown,
        is_current=shown is not None and is_of(shown, found),
        verdict=verdict.code if verdict else "",
        says=verdict.says if verdict else "",
        because=verdict.because if verdict else (),
        sources=", ".join(f"{n} {source}" for source, n in report["sources"].items()) if report else "",
        together=_together(report) if report else "",
        rows=_rows(shown, small=False) if shown else (),
        small_rows=_rows(shown, small=True) if shown else (),
        inside=_inside(shown),
        inside_says=report["inside"]["says"] if report and "inside" in report else "",
        threshold=f"{report['threshold']:g}" if report else "",
        runs=[_run(job, shown, found) for job in runs],
    )


def _of_what(found: ClueClips) -> str:
    return "the draft" if found.version is None else f"version {found.version}"


def _rows(job: JobView, *, small: bool) -> list[ClueRow]:
    """The clues that tell or may tell, by weight; or the others (`small`)."""
    report = job.result["report"]
    kept = [clue for clue in report["clues"] if _is_small(clue, report["threshold"]) == small]
    kept.sort(key=lambda clue: (_ORDER.index(clue["finding"]), -_strength(clue)))
    return [clue_row(clue, job.result["plots"].get(clue["clue"], "")) for clue in kept]


def _inside(job: JobView | None) -> list[ClueRow]:
    """Clues found only in the file; reports of earlier releases have none."""
    if job is None or "inside" not in job.result["report"]:
        return []
    clues = job.result["report"]["inside"]["clues"]
    return [clue_row(clue, job.result["plots"].get(clue["clue"], "")) for clue in clues]


def _is_small(clue: Mapping[str, Any], threshold: float) -> bool:
    return not clue["warns"] and _strength(clue) < threshold


def _comparisons(clue: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The comparisons, strongest first; with two sources, the pair is the comparison with all others."""
    others, pairs = clue["against_others"], clue["pairs"]
    made = [each for each in (others, *(pairs if len(pairs) > 1 else ())) if each["auc"] is not None]
    return sorted(made or [each for each in pairs if each["auc"] is not None], key=_weight)


def _weight(finding: Mapping[str, Any]) -> tuple[bool, float]:
    return not finding["warns"], -finding["strength"]


def _strength(clue: Mapping[str, Any]) -> float:
    return max((each["strength"] for each in _comparisons(clue)), default=0.0)


def clue_row(clue: Mapping[str, Any], plot: str) -> ClueRow:
    """One clue of a report as a line of the table: its clearest comparison, and the one within pairs."""
    label, made = str(clue["label"]), _comparisons(clue)
    first = made[0] if made else None
    p_holm = first.get("p_holm", clue["p_holm"]) if first else None
    return ClueRow(
        title=label[:1].upper() + label[1:],
        finding=_FINDINGS[clue["finding"]],
        warns=clue["warns"],
        auc=f"{first['auc']:.2f}" if first else "–",
        interval=_interval(first["interval"]) if first else "",
        p=p_cell(p_holm, "–"),
        within=_within_cell(clue),
        comparisons=[*(_compared(each) for each in made), *map(_within, clue.get("within_pairs", ()))],
        difference=clue["advice"]["difference"],
        remedy=clue["advice"]["remedy"],
        plot=plot,
    )


def _compared(finding: Mapping[str, Any]) -> str:
    second = finding["second"] or "all others"
    return (
        f"{finding['first']}, {counted(finding['n_first'], 'clip')}, against {second}, "
        f"{counted(finding['n_second'], 'clip')}: "
        f"AUC {finding['auc']:.2f}, {_interval(finding['interval'])}"
    )


def _within_cell(clue: Mapping[str, Any]) -> str:
    """The number of pairs in which the clue is higher, or lower: of the comparison that warns, else the strongest."""
    shares = [each for each in clue.get("within_pairs", ()) if each["share"] is not None]
    if not shares:
        return "–"
    share = max(shares, key=_weight_within)
    side, most = ("higher", share["n_higher"]) if share["share"] > 0.5 else ("lower", share["n_lower"])
    low, high = share["low"], share["high"]
    if low is None:
        return f"equal in {share['n_equal']} of {share['n_pairs']}"
    if side == "lower":
        low, high = 1 - high, 1 - low
    return f"{side} in {most} of {share['n_pairs']} ({low:.2f} to {high:.2f}), {p_words(share['p_holm'])}"


def _weight_within(share: Mapping[str, Any]) -> tuple[bool, float]:
    return share["warns"], share["strength"]


def _within(share: Mapping[str, Any]) -> str:
    """The comparison within pairs in words; reports of earlier releases have none."""
    said = (
        f"higher in {share['n_higher']}, lower in {share['n_lower']}, equal in {share['n_equal']} of "
        f"{share['n_pairs']}"
    )
    interval = (
        ""
        if share["low"] is None
        else f", share {share['share']:.2f}, {share['low']:.2f} to {share['high']:.2f}"
    )
    p = "" if share["p_holm"] is None else f", sign test {p_words(share['p_holm'])} (Holm)"
    return f"within pairs, {share['first']} against {share['second'] or 'the other'}: {said}{interval}{p}"


def _interval(interval: Mapping[str, Any]) -> str:
    if interval["low"] is None:
        return "no interval"
    return f"{interval['low']:.2f} to {interval['high']:.2f}"


def _together(report: Mapping[str, Any]) -> str:
    finding = report["classifier"]
    if finding["auc"] is None:
        return f"Not tried: {finding['reason']}."
    how = f"cross-validated: {finding['folds']} folds, {finding['repeats']} times over"
    return f"AUC {finding['auc']:.2f}, 95% interval {_interval(finding['interval'])} ({how})."


def _run(job: JobView, shown: JobView | None, found: ClueClips) -> ClueRun:
    version = job.params["version"]
    what = "the draft" if version is None else f"version {version}"
    says = f"{ClueClips(version, clips_in(job.params)).says} of {what}"
    if job.status is JobStatus.DONE:
        says += f": {verdict_of(job.result).says}"
    return ClueRun(job, says, shown is not None and job.id == shown.id, is_of(job, found))
