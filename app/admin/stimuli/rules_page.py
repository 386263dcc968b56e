"""Builds the rules page from the rules in force, or as typed."""

from typing import Any
from urllib.parse import quote

from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.access import Shell
from app.admin.stimuli.rulesform import RulesForm, form_of
from app.admin.stimuli.stimuli_pages import HERE, frame_size, megabytes
from app.admin.stimuli.views import Preview, RulesPage, TriedClip
from app.catalog.catalog import ClipFacts, StimulusView, names_with_original, stimulus_for
from app.catalog.filling import filling
from app.catalog.rules import last_reprocessing, preview_run, reprocessing, rules_view
from app.core.errors import NotFound
from app.jobs.queue import JobView
from app.jobs.tables import JobStatus
from app.library.clips.rules import Rules
from app.studies.jobs import may_call_off


def rules_page(
    session: Session,
    who: Who,
    shell: Shell,
    *,
    form: RulesForm | None = None,
    clip: str = "",
    job_id: int | None = None,
    slug: str = "",
    error: str = "",
) -> RulesPage:
    """The rules as typed in `form`, or of the preview `job_id`, or else those in force in the collection `slug`."""
    into, job = filling(session, who, slug), _preview_job(session, who, job_id)
    view = rules_view(session, into.collection.id)
    if form is None:
        form = form_of(Rules.model_validate(job.params["rules"]) if job else view.rules)
    names = names_with_original(session, who, into.collection.id)
    chosen = clip or (job.params["name"] if job else "") or next(iter(names), "")
    tried = _tried(session, who, chosen)
    here = into.collection.id
    standing, last = reprocessing(session, here), last_reprocessing(session, here)
    return RulesPage(
        shell=shell,
        error=error or _summary(form),
        values=form.values,
        errors=form.errors,
        masks=form.masks,
        clip=_clip(tried, tried.clip) if tried and tried.clip else None,
        clip_name=chosen,
        names=names,
        n_clips=view.n_clips,
        n_other=view.n_other,
        preview=_preview(job, tried) if job else None,
        reprocessing=standing,
        may_cancel=standing is not None and may_call_off(session, who, standing),
        last=last if standing is None else None,
        saved_at=view.saved_at,
        frame=frame_size(into),
        collection=into.collection,
        choices=into.choices,
    )


def _summary(form: RulesForm) -> str:
    return "Please correct the marked fields; nothing was changed." if form.errors else ""


def _preview_job(session: Session, who: Who, job_id: int | None) -> JobView | None:
    return None if job_id is None else preview_run(session, who, job_id)


def _tried(session: Session, who: Who, name: str) -> StimulusView | None:
    try:
        return stimulus_for(session, who, name) if name else None
    except NotFound:
        return None


def _clip(stimulus: StimulusView, clip: ClipFacts) -> TriedClip:
    here = f"{HERE}/{quote(stimulus.name)}"
    # The original's duration, so far as it is known without reading it.
    cut = clip.rules.trim_start_s + clip.rules.trim_end_s
    return TriedClip(stimulus.name, f"{here}/original", f"{here}/frame.jpg", clip.duration_s + cut)


def _preview(job: JobView, tried: StimulusView | None) -> Preview:
    if job.status is not JobStatus.DONE or tried is None:
        return Preview(job)
    done, folder = job.result, f"{HERE}/previews/{job.id}"
    here = f"{HERE}/{quote(tried.name)}"
    return Preview(
        job=job,
        before=f"{here}/original" if done["before"] == "original" else f"{folder}/before.mp4",
        after=f"{folder}/after.mp4",
        frame=f"{here}/frame.jpg",
        facts=_compared(done),
    )


def _compared(done: dict[str, Any]) -> list[tuple[str, str, str]]:
    before, after = (" × ".join(map(str, done[f"size_{when}"])) + " px" for when in ("before", "after"))
    return [
        ("Duration", f"{done['duration_before']:.2f} s", f"{done['duration_after']:.2f} s"),
        ("Frame", before, after),
        ("File", megabytes(done["bytes_before"]), megabytes(done["bytes_after"])),
    ]
