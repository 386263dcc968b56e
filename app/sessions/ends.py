"""The last page and every other way out: what a participant reads at the end, however they leave."""

from dataclasses import replace
from datetime import datetime
from urllib.parse import quote

from app.core.language import gettext as _
from app.core.language import ngettext, noop, speak
from app.core.markdown import markdown
from app.core.money import moment_text, money
from app.sessions.beginning import Declined
from app.sessions.devices import needs_of
from app.sessions.entering import (
    ENDED,
    PAUSED,
    TOOK_PART,
    TOOK_PART_TITLE,
    WHO_INVITED,
    BegunElsewhere,
    NotOpen,
    ScreenedOut,
    TookPart,
)
from app.sessions.here import StudyWhere
from app.studies.closing import CLOSED_EARLY, DEFAULT_CLOSING
from app.studies.file.load import StudyDesign
from app.studies.file.model import DEFAULT_MESSAGE
from app.trials.ending import Earned, Ending, Shortfall, Way
from app.trials.pages import EndPage, MessagePage
from app.trials.tables import Mode, State, Status

FULL = noop(
    "This study has all the answers that it needs at present. Only this and today's date "
    "are kept, and nothing about you. Thank you for your interest."
)
ANOTHER = noop("You are welcome to open the link that you were given on another one.")
ANOTHER_FIRST = noop(
    "To take part, open the link that you were given on another device or browser first. Only if you cannot, use the "
    "code or the way back on this page: it says that you could not take part."
)
HELP = noop(
    "This is not your fault. Please tell the researchers what happened; they can help "
    "you, also with your pay."
)
FULL_NOW = noop(
    "This study has all the answers that it needs at present, and nothing about you is kept. Thank you for your "
    "interest."
)
OPENS = noop("It opens on {at}. Please open the link that you were given again then.")
PLACE_LOST = noop(
    "You had been away for some time, so your place was given to another participant, and now all places are taken. "
    "What you had answered is saved, and we can see that you took part. You can open this page again later: if a place "
    "comes free, you continue where you were."
)
COUNTED_WITH_ID = noop(
    "Only this, today's date and a code made from the id in your link are kept. By that code the link leads to this "
    "page again."
)
COUNTED_HERE = noop(
    "Only this and today's date are kept, and nothing about you. This browser remembers it for 30 days."
)
COUNTED = noop("Only this and today's date are kept, and nothing about you.")
WHY: dict[Shortfall, str] = {
    "left": noop("You left a match before its end. You keep what you had earned until then."),
    "withdrew": noop("You chose not to wait for others, so you played no match after that."),
    "questions": noop(
        "Your answers to the questions about the rules were not correct, so you played no match."
    ),
    "nobody": noop(
        "There were not enough people at the same time, so not every match could begin. It is not your fault."
    ),
}

CODE_FOR = {
    Way.FINISHED: noop("Your completion code"),
    Way.NO_CONSENT: noop("Your code for not taking part"),
    Way.SCREENED_OUT: noop("Your code, because you could not take part"),
    Way.FAILED_CHECKS: noop("Your code, because the study ended early"),
    # Also for who comes while the study is paused, not yet open or over.
    Way.FULL: noop("Your code, because you could not take part"),
    Way.PARTIAL: noop("Your code for a part of the study"),
    Way.FAILED: noop("Your code, because the study did not work on your device"),
}


def farewell(
    declined: Declined, design: StudyDesign | None, preview: str = "", participant: str = ""
) -> EndPage:
    """The page for someone who declined or is too young; shorter if the study has no design to show."""
    kept = _(COUNTED)
    if declined.status is Status.REFUSED:
        text = _("You have chosen not to take part. {kept}").format(kept=kept)
        return _end(
            design, Way.NO_CONSENT, _("Thank you anyway"), text, preview=preview, participant=participant
        )
    if declined.status is Status.SCREENED_OUT:
        text = _(
            "Going by your answers, you are not in the group that this study needs. You have done nothing wrong. Your "
            "answers are deleted."
        )
        left = COUNTED if preview else COUNTED_WITH_ID if declined.is_known else COUNTED_HERE
        title, text = _("Thank you for your interest"), f"{text} {_(left)}"
        return _end(design, Way.SCREENED_OUT, title, text, preview=preview, participant=participant)
    if declined.status is Status.UNSUITED:
        needs = needs_of(design.devices) if design else ""
        text = _("This study cannot be done with this device or browser.")
        # Who hands in the code cannot come again: it is for who has no other device.
        has_way = design is not None and any(way_out(design, Way.SCREENED_OUT, participant, ""))
        again = _(ANOTHER_FIRST) if has_way else _(ANOTHER)
        text = " ".join(filter(None, (text, needs, again, kept)))
        title = _("This device does not fit the study")
        end = _end(design, Way.SCREENED_OUT, title, text, preview=preview, participant=participant)
        return replace(end, code_label=_("Your code, only if you cannot use another device or browser"))
    age = design.consent.minimum_age if design else None
    text = (
        _("Only people who are {age} or older can take part. {kept}").format(age=age, kept=kept)
        if age
        else _("Only people of the age that the study asks for can take part. {kept}").format(kept=kept)
    )
    return _end(
        design,
        Way.SCREENED_OUT,
        _("Thank you for your interest"),
        text,
        preview=preview,
        participant=participant,
    )


def full(
    again: str, design: StudyDesign | None, participant: str = "", *, is_paused: bool = False
) -> EndPage:
    """The page for someone who consented when all places were taken: a place may come free. With `is_paused` there are
    places, in arms that take nobody at present.

    `again` is the address at which to try again.
    """
    return _end(
        design,
        Way.FULL,
        _("This study is paused") if is_paused else _("All places are taken"),
        _(PAUSED) if is_paused else _(FULL),
        again=(again, _("Try again later")),
        participant=participant,
    )


def took_part(design: StudyDesign | None, participant: str = "") -> EndPage:
    """The page for someone who took part in a study whose participants this one does not take."""
    way = Way.SCREENED_OUT
    if design is not None and not any(way_out(design, way)):
        way = Way.FULL
    return _end(design, way, _(TOOK_PART_TITLE), _(TOOK_PART), participant=participant)


def looked_at(design: StudyDesign | None) -> MessagePage:
    """The page for someone to whom a recruiter shows the task before it is accepted. Nothing is begun."""
    return MessagePage(
        _("Please accept the task first"),
        _("This is a preview. Accept the task where you found it, and open the study from there."),
        design.title if design else "",
    )


def turned_away(error: NotOpen | BegunElsewhere | ScreenedOut | TookPart, participant: str = "") -> EndPage:
    """The page for someone who came while the study is not open, with an id already used in another browser, or after
    the study had sent them away.
    """
    speak(error.design.language)
    if isinstance(error, ScreenedOut):
        again = Declined(error.design.study, Status.SCREENED_OUT, is_known=bool(participant))
        return farewell(again, error.design, participant=participant)
    if isinstance(error, TookPart):
        return took_part(error.design, participant)
    if isinstance(error, BegunElsewhere):
        return replace(_end(error.design, None, _(error.title), str(error)), contact="")  # its words have it
    if error.why == "full":
        return _end(error.design, Way.FULL, _("All places are taken"), _(FULL_NOW), participant=participant)
    if error.why == "not-yet":
        text = _(OPENS).format(at=moment_text(error.opens_at) if error.opens_at else "")
        return _end(error.design, Way.FULL, _("This study is not open yet"), text, participant=participant)
    if error.why != "paused":
        return _end(error.design, Way.FULL, _("This study has ended"), _(ENDED), participant=participant)
    sent_back = any(way_out(error.design, Way.FULL))  # whoever hands in a code does not come again
    text = _(PAUSED) if sent_back else str(error)
    return _end(error.design, Way.FULL, _("This study is paused"), text, participant=participant)


def place_lost(where: StudyWhere) -> EndPage:
    """The page for a participant who returns after a long pause and finds all places taken, or the study closed."""
    if where.state == State.CLOSED:
        return shut_out(where)
    return _end(where.design, Way.PARTIAL, _("Your place went to somebody else"), _(PLACE_LOST), where=where)


def shut_out(where: StudyWhere, participant: str = "") -> EndPage:
    """The page for a participant who was under way, or about to begin, when the study ended.

    `participant` is the id of who has not consented.
    """
    if where.status == Status.ARRIVED:
        return _end(where.design, Way.FULL, _("This study has ended"), _(ENDED), participant=participant)
    has_code = any(way_out(where.design, Way.PARTIAL))
    # What the form proposes is nobody's own words: it is said in the participant's language, and with a code otherwise.
    own = "" if where.closing == DEFAULT_CLOSING else where.closing
    text = own or _(CLOSED_EARLY if has_code else DEFAULT_CLOSING)
    return _end(where.design, Way.PARTIAL, _("This study has ended"), text, where=where)


def time_left(where: StudyWhere, now: datetime) -> str:
    """The notice on every page of a session that continues in a closed study: the minutes left."""
    is_under_way = where.status == Status.ACTIVE and where.mode in (Mode.LIVE, Mode.PILOT)
    if not is_under_way or where.state != State.CLOSED or where.closes_at is None:
        return ""
    minutes = int((where.closes_at - now).total_seconds() // 60)
    counted = ngettext("{n} minute", "{n} minutes", minutes).format(n=minutes)
    left = counted if minutes else _("less than a minute")
    return _("This study is ending. You can finish it within {left} from when this page opened.").format(
        left=left
    )


def failed_checks(where: StudyWhere, preview: str) -> EndPage:
    """The page for a participant whose session was ended by the study's checks."""
    way = Way.FAILED_CHECKS if any(way_out(where.design, Way.FAILED_CHECKS)) else Way.SCREENED_OUT
    text = _(
        "Some of your answers to the questions that check attention, or the instructions, were not right, so the study "
        "ends here for you. Your answers until now are saved."
    )
    page = _end(where.design, way, _("The study ends here"), text, where=where, preview=preview)
    # They took part, whichever code it is.
    return replace(page, code_label=_(CODE_FOR[Way.FAILED_CHECKS]))


def nothing_played(where: StudyWhere, preview: str) -> EndPage:
    """The page for a participant on whose device no part of the study worked."""
    title, failed = _("The videos could not be played"), _("None of the videos could be played")
    if not where.run.shows_clips:
        title, failed = (
            _("This did not work on your device"),
            _("You could do none of the tasks on this device"),
        )
    text = _("{failed}, so there were no answers to give. {help}").format(failed=failed, help=_(HELP))
    return _end(where.design, Way.FAILED, title, text, where=where, preview=preview)


def last_page(
    design: StudyDesign,
    ending: Ending,
    *,
    participant: str,
    session: str,
    preview: str = "",
    notice: str = "",
    steps: int = 1,
) -> EndPage:
    """The page after all others. An ending without a code of its own uses the code for finished sessions, as studies
    once had a single code.
    """
    message = design.completion.message
    own = f"# {_('Thank you')}" if message.strip() == DEFAULT_MESSAGE.strip() else message
    way = ending.way
    code, redirect = way_out(design, way, participant, session)
    if not code and not redirect:
        way = Way.FINISHED
        code, redirect = way_out(design, way, participant, session)
    return EndPage(
        study_title=design.title,
        action="",
        submit_id="",
        done=steps,
        steps=steps,
        notice=notice,
        preview=preview,
        label=_("Finished"),
        title=_("Thank you"),
        why=_(WHY[ending.why]) if ending.why else "",
        html=markdown(own),
        code=code,
        code_label=_(CODE_FOR[way]),
        redirect=redirect,
        pay=design.completion.pay or "" if ending.way is Way.FINISHED else "",
        earned=earned_in_words(ending.earned),
        contact=design.completion.contact or _(WHO_INVITED),
        close=" ".join(
            (
                _("What you did is saved.") if ending.why else _("Your answers are saved."),
                _may_close(redirect),
            )
        ),
    )


def earned_in_words(earned: tuple[Earned, ...]) -> tuple[tuple[str, str], ...]:
    """Earnings as lines of label and amount, by currency: bonus, waiting time, and the total if there are both."""
    lines: list[tuple[str, str]] = []
    for each in earned:
        if each.bonus_minor or not each.wait_minor:
            lines.append((_("Bonus"), money(each.bonus_minor, each.currency)))
        if each.wait_minor:
            lines.append((_("For waiting"), money(each.wait_minor, each.currency)))
        if each.bonus_minor and each.wait_minor:
            lines.append((_("Together"), money(each.total_minor, each.currency)))
    return tuple(lines)


def way_out(design: StudyDesign, way: Way, participant: str = "", session: str = "") -> tuple[str, str]:
    """The code of a way out, and the address that leads on from it; empty where there is none."""
    code, address = design.completion.end_of(way)
    return code, _filled(address, code, participant, session)


def _may_close(redirect: str) -> str:
    return (
        _("Once you have returned, you may close this page.") if redirect else _("You may close this page.")
    )


def _filled(address: str, code: str, participant: str, session: str) -> str:
    for name, value in (("code", code), ("participant", participant), ("session", session)):
        # Quoted whole: an id comes from a link, and could otherwise add a path to the recruiter's address.
        address = address.replace(f"{{{name}}}", quote(value, safe=""))
    return address


def _end(
    design: StudyDesign | None,
    way: Way | None,
    title: str,
    text: str,
    *,
    where: StudyWhere | None = None,
    again: tuple[str, str] = ("", ""),
    preview: str = "",
    participant: str = "",
) -> EndPage:
    """A way out before the last page. `where` is a session's that had begun, `again` a way back in.

    `participant` is the id of who has not begun one.
    """
    code, redirect, contact = "", "", _(WHO_INVITED)
    if design is not None:
        contact = design.completion.contact or _(WHO_INVITED)
        if way is not None:
            named = (where.participant or "", str(where.session_id)) if where else (participant, "")
            code, redirect = way_out(design, way, *named)
    return EndPage(
        study_title=design.title if design else "",
        action="",
        submit_id="",
        done=where.step if where else 0,
        steps=len(where.pages.keys) - 1 if where else 0,
        preview=preview,
        label=_("Ended") if where else "",
        title=title,
        why=text,
        code=code,
        code_label=_(CODE_FOR[way]) if way else "",
        redirect=redirect,
        contact=contact,
        close=_may_close(redirect),
        link=again[0],
        link_label=again[1],
        stop=f"/p/{where.token}/stop" if where else "",
    )
