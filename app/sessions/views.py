"""From where a session stands to the page its participant sees."""

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache, partial
from typing import Any
from urllib.parse import quote

from fastapi.responses import HTMLResponse
from markdown_it import MarkdownIt

from app.core.templating import html_of, html_response, render, templates_age
from app.sessions.beginning import Declined
from app.sessions.coming import with_carried
from app.sessions.design import BlockPart, PageKey
from app.sessions.entering import WHO_INVITED
from app.sessions.pages import (
    ConsentPage,
    DebriefPage,
    MessagePage,
    Page,
    QuestionsPage,
    TextPage,
)
from app.sessions.receipts import receipt_of
from app.sessions.runs import BlockRun
from app.sessions.tables import DECLINED, Mode, Status
from app.sessions.where import TrialSeen, Where
from app.studies.file.load import StudyDesign
from app.studies.questions.base import Question, QuestionView
from app.studies.questions.registry import TYPES
from app.studies.states import DEFAULT_CLOSING
from app.studies.tables import State
from app.tasks.registry import task_named

NOTICES = {"moved": "That page was answered before. You are now here."}
FORM_ERROR = "Please look at the marked questions."

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


@lru_cache(maxsize=256)
def markdown(text: str) -> str:
    """Markdown to HTML; HTML in the text comes out as text."""
    return str(_markdown.render(text))


MOST_TRIAL_PAGES = 2_000  # of some 10 kB each
# The pieces of a trial's page between what differs by session; the least recently made page goes first.
_trial_pages: OrderedDict[tuple[str, BlockPart, int, bool, float], tuple[str, ...]] = OrderedDict()


def current_page(
    where: Where, now: datetime, notice: str = "", came: str = "", secret: str = ""
) -> HTMLResponse:
    """The page as sent. A trial's is the same for all at that position, but for the token and the form's number.

    `came` is who is asked for consent, as the address of that page carries it.

    Only an experimenter's preview says that it is one.
    """
    if where.is_shut_out(now):
        return render(shut_out(where))
    if where.status == Status.COMPLETED:
        return render(last_page(where, now, secret))
    notice = " ".join(filter(None, [NOTICES.get(notice, ""), time_left(where, now)]))
    is_shared = where.page.kind == "trial" and where.status == Status.ACTIVE and where.has_shared_page
    if notice or not is_shared:
        return render(page_for(where, now, notice=notice, came=came))
    key = (where.run.sha256, where.part, where.step, where.mode == Mode.PREVIEW, templates_age())
    pieces = _trial_pages.get(key)
    if pieces is None:
        pieces = _trial_pages[key] = _pieces_of(where)
        if len(_trial_pages) > MOST_TRIAL_PAGES:
            _trial_pages.popitem(last=False)
    fills = (where.token, submit_id_for(where))
    filled = [piece if at % 2 == 0 else fills[int(piece)] for at, piece in enumerate(pieces)]
    return html_response("".join(filled))


def last_page(where: Where, now: datetime, secret: str) -> Page | MessagePage:
    """With the code by which the answers can be deleted later."""
    page = page_for(where, now)
    if not isinstance(page, DebriefPage) or not secret:
        return page
    receipt, at = receipt_of(where.session_id, secret), f"/s/{where.design.study}/withdraw"
    return replace(page, receipt=receipt, receipt_at=at)


def _pieces_of(where: Where) -> tuple[str, ...]:
    """A trial's page cut where a session's own parts stand: text and the number of a fill (0 or 1) by turns.

    It is cut at marks drawn for this page alone, so that nothing that a study file says can be taken for one.
    """
    marks = [f"m{secrets.token_hex(16)}" for _ in range(2)]
    html = html_of(page_for(replace(where, token=marks[0]), form={"submit_id": marks[1]}))
    parts = re.split(f"({'|'.join(marks)})", html)
    return tuple(part if at % 2 == 0 else str(marks.index(part)) for at, part in enumerate(parts))


def submit_id_for(where: Where, came: str = "") -> str:
    """Names the page and this serving of it; that of the consent page says who is asked."""
    number = f"{where.page}.{secrets.token_urlsafe(12)}"
    return with_carried(number, came) if where.page.kind == "consent" else number


NO_PART = BlockPart("", "", 0, 0, 1)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page of a design is shown, and to whom: what its page holds beside the design itself.

    `form` and `errors` are of a form that could not be accepted. `clips` gives the address of a position and side.
    `part` is the block of a trial's page, `trial` what is on it where that differs by session, `now` when it is shown.
    """

    page: PageKey
    action: str
    submit_id: str
    done: int
    steps: int
    clips: Callable[[int, str], str]
    part: BlockPart = NO_PART
    trial: TrialSeen | None = None
    key: str = ""
    participant: str = ""
    session: str = ""
    notice: str = ""
    preview: str = ""
    form: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    now: datetime | None = None


def page_for(
    where: Where,
    now: datetime | None = None,
    *,
    notice: str = "",
    form: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
    came: str = "",
) -> Page | MessagePage:
    """A session's current page; `form` and `errors` are of a form that could not be accepted.

    `came` is who is asked for consent, as text.
    """
    if where.status in DECLINED:  # only an experimenter's preview is found again
        declined = Declined(where.design.study, Status(where.status))
        return replace(farewell(declined, where.design), preview=preview_of(where))
    if where.status == Status.UNPLAYABLE:
        return nothing_played(where)
    form, action = form or {}, f"/p/{where.token}"
    place = Place(
        page=where.page,
        action=action,
        submit_id=form.get("submit_id") or submit_id_for(where, came),
        done=where.step,
        steps=len(where.pages.keys) - 1,
        clips=partial(clip_address, action),
        part=where.part if where.page.kind == "trial" else NO_PART,
        trial=where.trial,
        key=f"{where.token}.{where.page.position}",
        participant=where.participant or "",
        session=str(where.session_id),
        notice=notice,
        preview=preview_of(where),
        form=form,
        errors=errors or {},
        now=now,
    )
    block = where.run.block(place.part.block) if where.page.kind == "trial" else None
    return page_of(where.design, place, block, plays_clips=where.run.shows_clips)


def preview_of(where: Where) -> str:
    """Where an experimenter who walks the pages goes back to; empty for everybody else."""
    return f"/admin/studies/{where.design.study}/launch" if where.mode == Mode.PREVIEW else ""


def farewell(declined: Declined, design: StudyDesign | None) -> MessagePage:
    """What is said to somebody who did not take part; less where the study has no design to show."""
    title = design.title if design else ""
    kept = "Only this and today's date are kept, and nothing about you. You can close this page."
    if declined.status is Status.REFUSED:
        return MessagePage("Thank you all the same", f"You have chosen not to take part. {kept}", title)
    age = design.consent.minimum_age if design else None
    who = f"who are {age} or older" if age else "of the age that the study asks for"
    return MessagePage("Thank you for your interest", f"Only people {who} can take part. {kept}", title)


def full(again: str, design: StudyDesign | None) -> MessagePage:
    """For somebody who agreed when every item had all its answers. A place may come free, so there is a way back.

    `again` is the address at which they may try it.
    """
    text = (
        "This study has all the answers that it needs at present. You were not asked anything. Only this and today's "
        "date are kept, and nothing about you. Thank you for your interest."
    )
    return MessagePage("All places are taken", text, design.title if design else "", again, "Try again later")


def whom_to_ask(design: StudyDesign) -> str:
    return f"Whom to ask: {design.completion.contact or WHO_INVITED}"


def shut_out(where: Where) -> MessagePage:
    """For somebody who was under way, or about to begin, when the study ended."""
    title = where.design.title
    if where.status == Status.ARRIVED:
        text = "This study has ended and takes no more participants. Thank you for your interest."
        return MessagePage("This study has ended", text, title)
    text = f"{where.closing or DEFAULT_CLOSING}\n\n{whom_to_ask(where.design)}"
    return MessagePage("This study has ended", text, title, stop_at=f"/p/{where.token}/stop")


def time_left(where: Where, now: datetime) -> str:
    """Said on every page of a session that goes on in a study that is closed."""
    is_under_way = where.status == Status.ACTIVE and where.mode in (Mode.LIVE, Mode.PILOT)
    if not is_under_way or where.state != State.CLOSED or where.closes_at is None:
        return ""
    minutes = max(1, int((where.closes_at - now).total_seconds() // 60))
    return f"This study is ending. You can finish it within {minutes} minute{'' if minutes == 1 else 's'}."


def nothing_played(where: Where) -> MessagePage:
    if not where.run.shows_clips:
        text = (
            "You could do none of the tasks on this device, so there were no answers to give, and there is no "
            "completion code. This is not your fault. Please say what happened: you can be helped, also with your "
            "pay.\n\n" + whom_to_ask(where.design)
        )
        title = "This did not work on your device"
        stop_at = f"/p/{where.token}/stop"
        return MessagePage(title, text, where.design.title, preview=preview_of(where), stop_at=stop_at)
    text = (
        "Not one of the videos could be played on this device, so there were no answers to give, and there is no "
        "completion code. This is not your fault. Please say what happened: you can be helped, also with your pay.\n\n"
        + whom_to_ask(where.design)
    )
    title, stop_at = "The videos could not be played", f"/p/{where.token}/stop"
    return MessagePage(title, text, where.design.title, preview=preview_of(where), stop_at=stop_at)


def page_of(
    design: StudyDesign, place: Place, block: BlockRun | None = None, *, plays_clips: bool = True
) -> Page:
    """A page of a design, for a session or for the experimenter who writes it; a trial's is of a `block`."""
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
            return ConsentPage(
                **frame, html=html, version=consent.version, minimum_age=age, plays_clips=plays_clips
            )
        case "background":
            return QuestionsPage(**frame, questions=views(design.background, place.form, place.errors))
        case "instructions":
            return TextPage(**frame, html=markdown(design.instructions_of(place.page.block) or ""))
        case "trial":
            assert block is not None
            return task_named(block.design.task).page(block, place, frame)
        case "self":
            text = next(
                block.self_assessment or "" for block in design.blocks if block.id == place.page.block
            )
            asked = views(design.asked_on("self", place.page.block), place.form, place.errors)
            return QuestionsPage(**frame, questions=asked, html=markdown(text))
        case "debrief":
            return debrief(design, place, frame)


def form_error(errors: Mapping[str, str]) -> str:
    """What heads a form that could not be accepted: errors that belong to no question, too."""
    own = (errors.get("submit_id", ""), errors.get("decision", ""))
    return " ".join([FORM_ERROR, *own]).strip() if errors else ""


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
            options=tuple(TYPES[q.type].options(q, form)),
            value=form.get(q.id, ""),
            error=errors.get(q.id, ""),
            minimum=q.minimum,
            maximum=q.maximum,
            step=q.step,
            widget=TYPES[q.type].widget_of(q),
        )
        for q in questions
    )
