"""The move that a match's form posts, read with a sentence for each field that is wrong."""

import re
from collections.abc import Mapping

from analysis.files.numbers import whole_number
from app.core.errors import InvalidAnswer
from app.core.language import gettext as _
from app.tasks.game.base import Act
from app.tasks.game.moves import Choice, IllegalMove, MoveSchema, Number, visible
from app.tasks.game.parts import amount
from app.tasks.game.terms import ReasonAsked

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_REST = "rest-"
REASON = "reason"


def move_of(legal: MoveSchema, form: Mapping[str, str], asked: ReasonAsked | None = None) -> Act:
    """The move that a form posts, with its reason where the study asks for one. Raises InvalidAnswer with a sentence
    for each field that is wrong."""
    try:
        kind = legal.kind(form.get("kind", legal.kinds[0].kind))
    except IllegalMove:
        raise InvalidAnswer({"kind": _("That cannot be done now.")}) from None
    errors: dict[str, str] = {}
    move: dict[str, str | int | bool] = {"kind": kind.kind}
    for each in kind.fields:
        read = _number if isinstance(each, Number) else _choice
        try:
            move[each.name] = read(each, form)  # type: ignore[arg-type]
        except ValueError as error:
            errors[_posted(each.name, form)] = str(error)
    message = _written(form, "message") if kind.message else ""
    if len(message) > legal.max_length and kind.message:
        errors["message"] = _too_long(
            _("Your message has {n} characters, {over} more than the {most} allowed."),
            message,
            legal.max_length,
        )
    reason = _written(form, REASON) if asked else ""
    if asked and len(reason) > asked.max_length:
        errors[REASON] = _too_long(
            _("Your reason has {n} characters, {over} more than the {most} allowed."),
            reason,
            asked.max_length,
        )
    elif asked and asked.required and not reason:
        errors[REASON] = _("Please write why you do this.")
    if errors:
        raise InvalidAnswer(errors)
    legal.check(move, message)
    return Act(move, message, reason)


def _too_long(words: str, text: str, longest: int) -> str:
    return words.format(n=len(text), over=len(text) - longest, most=longest)


def _posted(name: str, form: Mapping[str, str]) -> str:
    return name if name in form or _REST + name not in form else _REST + name


def _number(number: Number, form: Mapping[str, str]) -> int:
    posted = _posted(number.name, form)
    text = form.get(posted, "").strip()
    top = number.maximum
    bounds = (
        _("from {minimum} to {maximum}").format(minimum=amount(number.minimum), maximum=amount(top))
        if top is not None
        else _("{minimum} or more").format(minimum=amount(number.minimum))
    )
    if number.step != 1:
        bounds += _(", in steps of {step}").format(step=amount(number.step))
    if not text:
        raise ValueError(_("Please choose an amount: {bounds}.").format(bounds=bounds))
    if text and posted == number.name and form.get(_REST + number.name, "").strip():
        raise ValueError(_("The form has two amounts. Please write one."))
    try:
        typed = whole_number(text)
    except ValueError:
        raise ValueError(_("Please write a whole number, {bounds}.").format(bounds=bounds)) from None
    value = typed
    if posted != number.name and top is not None:
        value = number.minimum + top - value
    try:
        number.check(value)
    except IllegalMove:
        raise ValueError(
            _("{typed} is not possible here: {bounds}.").format(typed=amount(typed), bounds=bounds)
        ) from None
    return value


def _choice(choice: Choice, form: Mapping[str, str]) -> str | int | bool:
    text = form.get(choice.name, "")
    found = next((option for option in choice.options if posted_value(option) == text), None)
    if found is None:
        raise ValueError(_("Please choose one."))
    return found


def posted_value(option: str | int | bool) -> str:
    """An option as a form posts it."""
    return ("yes" if option else "no") if isinstance(option, bool) else str(option)


def _written(form: Mapping[str, str], name: str) -> str:
    """A text as it was typed, without what cannot be seen."""
    # Browsers send the line ends of a text area as CRLF, each of which would count as two characters.
    written = form.get(name, "").replace("\r\n", "\n").replace("\r", "\n")
    return visible(_CONTROL.sub("", written)).strip()
