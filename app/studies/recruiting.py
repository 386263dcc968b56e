"""Settings for an experimenter to copy to a recruiter: the study's link, and a code or a way back for each way out."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.accounts.logins import Who
from app.studies.access import StudyHere
from app.studies.current import current
from app.studies.drafts import DraftView, save_draft
from app.studies.file.design import StudyDesign
from app.studies.file.recruiters import RECRUITERS, Recruiter, query_of
from app.studies.file.recruitment import DesignRecruitment
from app.trials.ending import Way

WAYS: Mapping[Way, str] = {
    Way.FINISHED: "Finished",
    Way.NO_CONSENT: "Did not consent",
    Way.SCREENED_OUT: "Screened out, too young, or took part in an earlier study",
    Way.FAILED_CHECKS: "Ended by the study's checks",
    Way.FULL: "No place left, paused or closed",
    Way.PARTIAL: "Did a part",
    Way.FAILED: "Nothing worked on the device",
}
# Neither 0 and O nor 1 and I: a code may be typed from another screen.
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_LENGTH = 8


@dataclass(frozen=True, slots=True)
class WayOut:
    """One way out, as entered at the recruiter, and where it leads on to."""

    way: Way
    name: str
    code: str
    leads_to: str
    action: str


@dataclass(frozen=True, slots=True)
class RecruitingView:
    """`recruiter` is None for one that is not known and without a recruitment; `missing` are ways without a code."""

    has_recruitment: bool
    recruiter: Recruiter | None
    key: str
    link: str
    names: Mapping[str, str]
    ids: str
    not_if_in: Sequence[str]
    steps: Sequence[str]
    ways: Sequence[WayOut]
    missing: Sequence[Way]
    redirect: str
    is_redirect_due: bool
    layout: str
    is_draft_changed: bool


def recruiting_view(session: Session, study: StudyHere, site: str) -> RecruitingView | None:
    """Settings for the recruiter of the newest version; None before a version is saved."""
    row = current(session, study)
    if row.design is None:
        return None
    view = view_of(StudyDesign.model_validate_json(row.design), site)
    return replace(view, is_draft_changed=row.draft is not None)


def view_of(design: StudyDesign, site: str) -> RecruitingView:
    recruitment = design.recruitment or DesignRecruitment(recruiter="other")
    key: str = recruitment.recruiter
    known = RECRUITERS.get(key)
    names = recruitment.names or {"participant": "participant"}
    at = f"{site}/s/{design.study}"
    query = query_of(key, names)
    ways = [_way(design, way, known) for way in Way]
    wanted = known.codes if known else tuple(Way)
    redirect = (known.redirect or "") if known else ""
    return RecruitingView(
        has_recruitment=design.recruitment is not None,
        recruiter=known,
        key=key,
        link=f"{at}?{query}" if query else at,
        names=names,
        ids=recruitment.ids,
        not_if_in=recruitment.not_if_in,
        steps=known.steps if known else (),
        ways=ways,
        missing=[one.way for one in ways if one.way in wanted and not (one.code or one.leads_to)],
        redirect=redirect,
        is_redirect_due=bool(redirect) and not design.completion.redirect,
        layout=_layout(at, names) if key == "mturk" else "",
        is_draft_changed=False,
    )


def _way(design: StudyDesign, way: Way, known: Recruiter | None) -> WayOut:
    code, address = design.completion.end_of(way)
    return WayOut(
        way, WAYS[way], code, address.replace("{code}", code), known.actions.get(way, "") if known else ""
    )


def drawn_code(rng: random.Random) -> str:
    """A completion code that can be read out and typed."""
    return "".join(rng.choices(_LETTERS, k=_LENGTH))


def with_codes(keys: Mapping[str, Any], recruiter: str, rng: random.Random) -> dict[str, Any]:
    """A draft's keys with a code for each way out that has none, and the recruiter's way back if it needs no more.

    A code is drawn for each: by its code a recruiter tells who finished from who did not.
    """
    known = RECRUITERS.get(recruiter)
    completion = dict(keys.get("completion") or {})
    codes = dict(completion.get("codes") or {})
    for way in known.codes if known else tuple(Way):
        has_own = bool(codes.get(way)) or (way == Way.FINISHED and bool(completion.get("code")))
        if not has_own:
            codes[str(way)] = drawn_code(rng)
    if codes:
        completion["codes"] = codes
    redirect = known.redirect if known else None
    if redirect and "[" not in redirect and not completion.get("redirect"):
        completion["redirect"] = redirect
    return {**keys, "completion": completion}


def _layout(at: str, names: Mapping[str, str]) -> str:
    """The HTML of a task on MTurk, whose page alone knows who looks at it."""
    passed = {
        name: RECRUITERS["mturk"].parameters[part]
        for part, name in names.items()
        if part in RECRUITERS["mturk"].parameters
    }
    pairs = ", ".join(f'["{name}", "{own}"]' for name, own in passed.items())
    return f"""<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>
<crowd-form>
  <p id="preview">Please accept the task: the link appears here.</p>
  <p id="task" hidden><a id="study" target="_blank" rel="opener">Open the study in a new tab</a></p>
  <p>At its end the study shows a code, however you leave it. Please enter it here:</p>
  <crowd-input name="surveycode" placeholder="Code" required></crowd-input>
</crowd-form>
<script>
  const given = new URLSearchParams(window.location.search);
  const link = new URL("{at}");
  for (const [name, own] of [{pairs}]) link.searchParams.set(name, given.get(own) || "");
  if ((given.get("assignmentId") || "ASSIGNMENT_ID_NOT_AVAILABLE") !== "ASSIGNMENT_ID_NOT_AVAILABLE") {{
    document.getElementById("study").href = link;
    document.getElementById("task").hidden = false;
    document.getElementById("preview").hidden = true;
  }}
</script>"""


def take_codes(
    session: Session, who: Who, study: StudyHere, draft: DraftView, now: datetime, rng: random.Random
) -> None:
    """Put a code for each way out that has none into the draft, which was read before, and the way back.

    Raises Stale if the draft has changed.
    """
    recruitment = draft.keys.get("recruitment")
    recruiter = str(recruitment.get("from", "")) if isinstance(recruitment, Mapping) else ""
    keys = with_codes(draft.keys, recruiter, rng)
    save_draft(session, who, study, keys, draft.revision, now, seen=draft)
