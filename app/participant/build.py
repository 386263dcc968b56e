"""From where a session stands to the page its participant sees."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
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
from app.study.file.load import Question
from app.study.sessions import Where
from app.study.tables import Status
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
_trial_pages: dict[tuple[str, int], str] = {}


def current_page(where: Where, notice: str = "") -> HTMLResponse:
    """The page as sent. A trial's is the same for all at that position, but for the token and the form's number."""
    if where.page.kind != "trial" or notice or where.status != Status.ACTIVE:
        return render(page_for(where, notice=notice))
    key = (where.run.sha256, where.step)
    if key not in _trial_pages:
        stand_in = replace(where, token=_TOKEN)
        _trial_pages[key] = html_of(page_for(stand_in, form={"submit_id": _SUBMIT_ID}))
    html = _trial_pages[key].replace(_TOKEN, where.token).replace(_SUBMIT_ID, submit_id_for(where))
    return html_response(html)


def submit_id_for(where: Where) -> str:
    """Names the page and this serving of it."""
    return f"{where.page}.{secrets.token_urlsafe(12)}"


def page_for(
    where: Where,
    *,
    notice: str = "",
    form: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> Page | MessagePage:
    """The current page; `form` and `errors` are of a form that could not be accepted."""
    form, errors = form or {}, errors or {}
    title = where.design.title
    if where.status == Status.REFUSED:
        text = "You have chosen not to take part. Nothing about you has been stored. You can close this page."
        return MessagePage("Thank you all the same", text, title)
    if where.status == Status.UNDER_AGE:
        text = (
            f"Only people who are {where.design.consent.minimum_age} or older can take part. "
            "Nothing about you has been stored. You can close this page."
        )
        return MessagePage("Thank you for your interest", text, title)
    action = f"/p/{where.token}"
    page = where.page
    submit_id = form.get("submit_id") or submit_id_for(where)
    common = {
        "study_title": title,
        "action": action,
        "submit_id": submit_id,
        "done": where.step,
        "steps": len(where.run.pages) - 1,
        "notice": NOTICES.get(notice, ""),
        "error": " ".join([FORM_ERROR, errors.get("submit_id", ""), errors.get("decision", "")]).strip()
        if errors
        else "",
    }
    design = where.design
    match page.kind:
        case "consent":
            consent = design.consent
            return ConsentPage(
                **common,  # type: ignore[arg-type]
                html=markdown(consent.text),
                version=consent.version,
                minimum_age=consent.minimum_age,
            )
        case "background":
            return QuestionsPage(**common, questions=views(design.background, form, errors))  # type: ignore[arg-type]
        case "instructions":
            return TextPage(**common, html=markdown(design.instructions or ""))  # type: ignore[arg-type]
        case "trial":
            practice = page.position <= where.run.n_practice
            position, last = page.position, len(design.pairs)
            return TrialPage(
                **common,  # type: ignore[arg-type]
                key=f"{where.token}.{position}",
                number=position if practice else position - where.run.n_practice,
                total=where.run.n_practice if practice else last - where.run.n_practice,
                practice=practice,
                watch=design.trials.watch,
                left_clip=clip_address(action, position, "left"),
                right_clip=clip_address(action, position, "right"),
                next_clips=tuple(clip_address(action, position + 1, side) for side in ("left", "right"))
                if position < last
                else (),
                questions=views(design.trials.questions, form, errors),
            )
        case "debrief":
            return debrief(where, common)


def clip_address(action: str, position: int, side: str) -> str:
    """An address that holds the session, the position and the side, and so tells nothing of the clip."""
    return f"{action}/clips/{position}-{side}.mp4"


def debrief(where: Where, common: Mapping[str, object]) -> DebriefPage:
    completion = where.design.completion
    code = completion.code or ""
    redirect = completion.redirect or ""
    fills = {"code": code, "participant": where.participant or "", "session": str(where.session_id)}
    for name, value in fills.items():
        redirect = redirect.replace(f"{{{name}}}", quote(value, safe=""))
    html = markdown(completion.message)
    return DebriefPage(**common, html=html, code=code, redirect=redirect)  # type: ignore[arg-type]


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
