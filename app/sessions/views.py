"""Maps a session's state to the page that its participant sees."""

import secrets
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from fastapi import Response
from sqlmodel import Session

from app.core.language import gettext as _
from app.core.language import name_of, noop, speak
from app.core.markdown import markdown
from app.core.templating import html_of, html_response, render
from app.questions.checked import is_met, met_by
from app.questions.registry import views
from app.questions.viewing import viewing_views
from app.sessions.beginning import Declined
from app.sessions.coming import came_by, split_number, with_carried
from app.sessions.devices import needs_of
from app.sessions.ends import failed_checks, farewell, last_page, nothing_played, shut_out, time_left
from app.sessions.here import StudyWhere
from app.sessions.made_pages import filled
from app.sessions.receipts import receipt_of
from app.sessions.sent import in_language, with_came
from app.sessions.speed import speed_address
from app.sessions.where import locate
from app.studies.file.load import StudyDesign
from app.tasks.base import Shown
from app.tasks.running import has_shared_page, task_named
from app.trials.pages import (
    ComprehensionPage,
    ConsentPage,
    EndPage,
    FeedbackPage,
    LanguageLink,
    Page,
    QuestionsPage,
    TextPage,
)
from app.trials.places import NO_PART, Place, clip_address
from app.trials.runs import BlockRun
from app.trials.tables import DECLINED, Mode, Status

NOTICES = {
    "moved": noop("You have already answered that page. Continue here."),
    "over": noop("You have already finished; there are no more questions."),
    "late": noop("Your move was not counted: another one was made first, or time had run out."),
}
FRAME = "1280x720@30"  # asked for where the clips are not known
FORM_ERROR = noop("Please check the marked questions.")


# Without anything of a session's own, but for its address and the form's number.
ALIKE = ("screening", "viewing", "background", "instructions", "attention", "self")


def current_page(
    where: StudyWhere, now: datetime, notice: str = "", came: str = "", secret: str = "", site: str = ""
) -> Response:
    """The page as sent. One that many see is made once for all of them.

    `came` is who is asked for consent, as the address of that page carries it; `site` is where the service is reached.

    Only an experimenter's preview says that it is one.
    """
    speak(where.design.language)  # where it was found in a thread of its own, it was said there alone
    if where.is_shut_out(now):
        visitor = came_by(came, secret) if where.status == Status.ARRIVED else None
        return render(shut_out(where, visitor.participant or "" if visitor else ""))
    notice = " ".join(filter(None, [_(NOTICES[notice]) if notice in NOTICES else "", time_left(where, now)]))
    if where.status == Status.COMPLETED:
        return html_response(_finished(where, now, notice, secret, site))
    shown = None if notice else _shown(where)
    if shown is None:
        return render(page_for(where, now, notice=notice, came=came))

    def make(marks: Sequence[str]) -> Page:
        return page_for(where._replace(token=marks[0]), form={"submit_id": marks[1]})

    place = (where.page, where.step, len(where.pages.keys), where.mode == Mode.PREVIEW)
    key = (where.run.sha256, where.design.language, *place, shown)
    return html_response(filled(key, make, (where.token, submit_id_for(where, came))))


def _shown(where: StudyWhere) -> Hashable:
    """Key of what a page shows besides what all have at its position; None where it is a session's own."""
    kind = where.page.kind
    if where.status == Status.ARRIVED:
        # A menu of languages has links with who has come.
        is_own = kind != "consent" or len(where.run.languages) > 1
        return None if is_own else (where.run.shows_clips, where.run.frame)
    if where.status != Status.ACTIVE:
        return None
    if kind != "trial":
        return "" if kind in ALIKE else None
    if has_shared_page(where):
        return where.part
    alike = None if where.trial is None else task_named(where.part.task).shown_alike(where.trial)
    return None if alike is None else (where.part, alike)


def _finished(where: StudyWhere, now: datetime, notice: str, secret: str, site: str) -> str | bytes:
    """The last page, with the code by which the answers can be deleted later."""
    page = page_for(where, now, notice=notice)
    if not isinstance(page, EndPage):
        return html_of(page)
    own = (
        receipt_of(where.session_id, secret),
        f"{site}/s/{where.design.study}/withdraw",
        f"/p/{where.token}/stop",
    )

    def make(texts: Sequence[str]) -> Page:
        return replace(page, receipt=texts[0], receipt_at=texts[1], stop=texts[2])

    # What somebody earned, and an address with their id, make a page that no other sees.
    is_own = page.earned or (page.redirect and where.design.completion.sends("{participant}", "{session}"))
    return html_of(make(own)) if is_own else filled((where.design.language, page), make, own)


def submit_id_for(where: StudyWhere, came: str = "") -> str:
    """Names the page and this serving of it; that of the consent page says who is asked."""
    number = f"{where.page}.{secrets.token_urlsafe(12)}"
    return with_carried(number, came) if where.page.kind == "consent" else number


def page_for(
    where: StudyWhere,
    now: datetime | None = None,
    *,
    notice: str = "",
    form: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
    came: str = "",
) -> Page:
    """A session's current page; `form` and `errors` are of a form that could not be accepted.

    `came` is who is asked for consent, as text.
    """
    speak(where.design.language)
    if where.status in (
        *DECLINED,
        Status.SCREENED_OUT,
        Status.UNSUITED,
    ):  # only an experimenter's preview is found again
        declined = Declined(where.design.study, Status(where.status))
        return farewell(declined, where.design, preview_of(where))
    if where.status == Status.UNPLAYABLE:
        return nothing_played(where, preview_of(where))
    if where.status == Status.FAILED_CHECKS:
        return failed_checks(where, preview_of(where))
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
        ending=where.ending,
        came=came or split_number(form.get("submit_id", ""))[1],
        languages=where.run.languages,
        earlier=where.earlier,
    )
    block = where.run.block(where.part.block) if where.page.kind in ("trial", "feedback") else None
    return page_of(where.design, place, block, plays_clips=where.run.shows_clips, frame=where.run.frame)


def shown_at(session: Session, token: str, now: datetime, came: str = "") -> Shown:
    """The page that a session's template is given now, for who reads its fields and not its HTML. Raises NotFound."""
    where = locate(session, token)
    return Shown(where, page_for(where, now, came=came))


def preview_of(where: StudyWhere) -> str:
    """The address to which a previewing experimenter returns; empty for participants."""
    return f"/admin/studies/{where.design.study}/launch" if where.mode == Mode.PREVIEW else ""


def page_of(
    design: StudyDesign,
    place: Place,
    block: BlockRun | None = None,
    *,
    plays_clips: bool = True,
    frame: str = "",
) -> Page:
    """A page of a design, for a session or for the experimenter who writes it; a trial's is of a `block`. `frame` is of
    the clips."""
    common: dict[str, Any] = {
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
                **common,
                html=html,
                version=consent.version,
                minimum_age=age,
                plays_clips=plays_clips,
                minutes=design.completion.minutes,
                pay=design.completion.pay or "",
                age_error=place.errors.get("of_age", ""),
                languages=language_menu(place),
                measures=design.devices.measures,
                least_width=design.devices.minimum_width or 0,
                least_mbps=design.devices.minimum_mbps or 0,
                speed_at=speed_address(place.action) if design.devices.asks_speed else "",
                smooth=(frame or FRAME) if design.devices.smooth else "",
                needs=needs_of(design.devices),
            )
        case "screening":
            asked = views(design.screening, place.form, place.errors)
            return QuestionsPage(**common, questions=asked, title=_("Before you begin"))
        case "viewing":
            asked = viewing_views(place.form, place.errors)
            return QuestionsPage(**common, questions=asked, title=_("How you watch"))
        case "attention":
            asked = views(design.asked_at(place.page), place.form, place.errors)
            return QuestionsPage(**common, questions=asked, title=_("A short question"))
        case "feedback":
            assert block is not None
            feedback = task_named(block.design.task).feedback(block, place.earlier)
            why = markdown(feedback.why)
            return FeedbackPage(**common, is_right=feedback.is_right, why=why, parts=feedback.parts)
        case "comprehension":
            return _comprehension(design, place, common)
        case "background":
            return QuestionsPage(**common, questions=views(design.background, place.form, place.errors))
        case "instructions":
            return TextPage(**common, html=markdown(design.instructions_of(place.page.block) or ""))
        case "trial":
            assert block is not None
            return task_named(block.design.task).page(block, place, common)
        case "self":
            text = next(
                block.self_assessment or "" for block in design.blocks if block.id == place.page.block
            )
            asked = views(design.asked_on("self", place.page.block), place.form, place.errors)
            return QuestionsPage(**common, questions=asked, html=markdown(text))
        case "debrief":
            return last_page(
                design,
                place.ending,
                participant=place.participant,
                session=place.session,
                preview=place.preview,
                notice=place.notice,
                steps=place.steps,
            )


def language_menu(place: Place) -> tuple[LanguageLink, ...]:
    """The languages to choose from; none where there is one alone."""
    if len(place.languages) < 2:
        return ()
    return tuple(
        LanguageLink(tag, name_of(tag), with_came(place.action, place.came, **in_language(tag)))
        for tag in place.languages
    )


def _comprehension(design: StudyDesign, place: Place, common: Mapping[str, Any]) -> ComprehensionPage:
    """Questions on the instructions; asked again, those answered right keep their answers."""
    rules, given = design.comprehension, place.earlier
    right = {q.id: met_by(q) for q in rules.questions if is_met(q, given.get(q.id))}
    wrong = {q.id: _("Your first answer was not right.") for q in rules.questions if q.id not in right}
    form, errors = (place.form, place.errors) if place.errors else (right, wrong if given else {})
    return ComprehensionPage(
        **common,
        questions=views(rules.questions, form, errors),
        html=markdown(design.instructions or ""),
        is_again=bool(given),
        is_last=place.page.position == rules.tries,
        ends=rules.failed == "end",
    )


OF_NO_FIELD = ("submit_id", "decision", "do", "kind")


def form_error(errors: Mapping[str, str]) -> str:
    """The message at the top of a form that was not accepted, including errors that belong to no field."""
    own = [errors[name] for name in OF_NO_FIELD if name in errors]
    marked = [_(FORM_ERROR)] if errors.keys() - {*OF_NO_FIELD} else []
    return " ".join([*marked, *own])
