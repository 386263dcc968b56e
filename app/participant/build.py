"""From where a session stands to the page its participant sees."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any
from urllib.parse import quote

from fastapi.responses import HTMLResponse
from markdown_it import MarkdownIt

from app.participant.pages import (
    ConsentPage,
    DebriefPage,
    MessagePage,
    OptionView,
    Page,
    QuestionsPage,
    QuestionView,
    TextPage,
    TrialPage,
)
from app.study.design import PageKey
from app.study.file.load import Question, StudyDesign
from app.study.sessions import Where
from app.study.tables import Mode, Status
from app.templating import html_of, html_response, render

NOTICES = {"moved": "That page was answered before. You are now here."}
FORM_ERROR = "Please look at the marked questions."

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


@lru_cache(maxsize=256)
def markdown(text: str) -> str:
    """Markdown to HTML; HTML in the text comes out as text."""
    return str(_markdown.render(text))


# Stand in for what differs between the sessions of one trial page; both are of letters that HTML leaves alone.
_TOKEN, _SUBMIT_ID = "0token0", "0submit-id0"
_trial_pages: dict[tuple[str, int, bool], str] = {}


def current_page(where: Where, notice: str = "") -> HTMLResponse:
    """The page as sent. A trial's is the same for all at that position, but for the token and the form's number.

    Only an experimenter's preview says that it is one.
    """
    if where.page.kind != "trial" or notice or where.status != Status.ACTIVE:
        return render(page_for(where, notice=notice))
    key = (where.run.sha256, where.step, where.mode == Mode.PREVIEW)
    if key not in _trial_pages:
        stand_in = replace(where, token=_TOKEN)
        _trial_pages[key] = html_of(page_for(stand_in, form={"submit_id": _SUBMIT_ID}))
    html = _trial_pages[key].replace(_TOKEN, where.token).replace(_SUBMIT_ID, submit_id_for(where))
    return html_response(html)


def submit_id_for(where: Where) -> str:
    """Names the page and this serving of it."""
    return f"{where.page}.{secrets.token_urlsafe(12)}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page of a design is shown, and to whom: what its page holds beside the design itself.

    `form` and `errors` are of a form that could not be accepted. `clips` gives the address of a position and side.
    """

    page: PageKey
    action: str
    submit_id: str
    done: int
    steps: int
    n_practice: int
    n_pairs: int
    clips: Callable[[int, str], str]
    key: str = ""
    participant: str = ""
    session: str = ""
    notice: str = ""
    preview: str = ""
    form: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)


def page_for(
    where: Where,
    *,
    notice: str = "",
    form: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> Page | MessagePage:
    """A session's current page; `form` and `errors` are of a form that could not be accepted."""
    if where.status in (Status.REFUSED, Status.UNDER_AGE):
        return farewell(where)
    form, action = form or {}, f"/p/{where.token}"
    place = Place(
        page=where.page,
        action=action,
        submit_id=form.get("submit_id") or submit_id_for(where),
        done=where.step,
        steps=len(where.run.pages) - 1,
        n_practice=where.run.n_practice,
        n_pairs=len(where.design.pairs),
        clips=partial(clip_address, action),
        key=f"{where.token}.{where.page.position}",
        participant=where.participant or "",
        session=str(where.session_id),
        notice=NOTICES.get(notice, ""),
        preview=preview_of(where),
        form=form,
        errors=errors or {},
    )
    return page_of(where.design, place)


def preview_of(where: Where) -> str:
    """Where an experimenter who walks the pages goes back to; empty for everybody else."""
    return f"/admin/studies/{where.design.study}/launch" if where.mode == Mode.PREVIEW else ""


def farewell(where: Where) -> MessagePage:
    """What is said to somebody who did not take part."""
    title = where.design.title
    preview = preview_of(where)
    if where.status == Status.REFUSED:
        text = "You have chosen not to take part. Nothing about you has been stored. You can close this page."
        return MessagePage("Thank you all the same", text, title, preview=preview)
    text = (
        f"Only people who are {where.design.consent.minimum_age} or older can take part. "
        "Nothing about you has been stored. You can close this page."
    )
    return MessagePage("Thank you for your interest", text, title, preview=preview)


def page_of(design: StudyDesign, place: Place) -> Page:
    """A page of a design, for a session or for the experimenter who writes it."""
    frame: dict[str, Any] = {
        "study_title": design.title,
        "action": place.action,
        "submit_id": place.submit_id,
        "done": place.done,
        "steps": place.steps,
        "notice": place.notice,
        "preview": place.preview,
        "error": form_error(place.errors),
    }
    match place.page.kind:
        case "consent":
            consent = design.consent
            html, age = markdown(consent.text), consent.minimum_age
            return ConsentPage(**frame, html=html, version=consent.version, minimum_age=age)
        case "background":
            return QuestionsPage(**frame, questions=views(design.background, place.form, place.errors))
        case "instructions":
            return TextPage(**frame, html=markdown(design.instructions or ""))
        case "trial":
            return trial_page(design, place, frame)
        case "debrief":
            return debrief(design, place, frame)


def form_error(errors: Mapping[str, str]) -> str:
    """What heads a form that could not be accepted: errors that belong to no question, too."""
    own = (errors.get("submit_id", ""), errors.get("decision", ""))
    return " ".join([FORM_ERROR, *own]).strip() if errors else ""


def trial_page(design: StudyDesign, place: Place, frame: Mapping[str, Any]) -> TrialPage:
    position, last = place.page.position, place.n_pairs
    practice = position <= place.n_practice
    return TrialPage(
        **frame,
        key=place.key,
        number=position if practice else position - place.n_practice,
        total=place.n_practice if practice else last - place.n_practice,
        practice=practice,
        watch=design.trials.watch,
        left_clip=place.clips(position, "left"),
        right_clip=place.clips(position, "right"),
        next_clips=tuple(place.clips(position + 1, side) for side in ("left", "right"))
        if position < last
        else (),
        questions=views(design.trials.questions, place.form, place.errors),
    )


def clip_address(action: str, position: int, side: str) -> str:
    """An address that holds the session, the position and the side, and so tells nothing of the clip."""
    return f"{action}/clips/{position}-{side}.mp4"


def debrief(design: StudyDesign, place: Place, frame: Mapping[str, Any]) -> DebriefPage:
    completion = design.completion
    code = completion.code or ""
    redirect = completion.redirect or ""
    fills = {"code": code, "participant": place.participant, "session": place.session}
    for name, value in fills.items():
        redirect = redirect.replace(f"{{{name}}}", quote(value, safe=""))
    return DebriefPage(**frame, html=markdown(completion.message), code=code, redirect=redirect)


def views(
    questions: Sequence[Question], form: Mapping[str, str], errors: Mapping[str, str]
) -> tuple[QuestionView, ...]:
    return tuple(
        QuestionView(
            id=q.id,
            type=q.type,
            ask=q.ask,
            required=q.required,
            options=_options(q),
            value=form.get(q.id, ""),
            error=errors.get(q.id, ""),
            minimum=q.minimum,
            maximum=q.maximum,
        )
        for q in questions
    )


def _options(question: Question) -> tuple[OptionView, ...]:
    match question.type:
        case "2afc":
            return (OptionView("left", "Left video"), OptionView("right", "Right video"))
        case "likert":
            return tuple(OptionView(str(n), label) for n, label in enumerate(question.labels, start=1))
        case "choice":
            return tuple(OptionView(option, option) for option in question.options)
        case _:
            return ()
