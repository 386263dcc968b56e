"""The form of a participant's page as it came, with who it says has come."""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from fastapi import Request

from app.core.asked_language import PARAMETER
from app.core.language import prefer
from app.sessions.coming import Came, came_by, split_number
from app.sessions.devices import device_of
from app.sessions.entry import CAME


class SentForm(NamedTuple):
    """A form as sent, as stored, and the visitor it carries; only a consent form carries one. `secret` is the
    service's.
    """

    form: Mapping[str, str]
    stored: Mapping[str, str]
    carried: str
    came: Came | None
    secret: str

    @property
    def spoken(self) -> Mapping[str, str]:
        """The parameter with the language of the consent page that was read, where there was a choice."""
        return in_language(self.form.get("language"))


def sent_form(request: Request, form: Mapping[str, str], secret: str) -> SentForm:
    prefer(form.get("language"))
    number, carried = split_number(form.get("submit_id", ""))
    return SentForm(
        form,
        {**form, "submit_id": number, **_device_fields(request, form)},
        carried,
        came_by(carried, secret),
        secret,
    )


def _device_fields(request: Request, form: Mapping[str, str]) -> Mapping[str, str]:
    """Form fields of the device by its headers, for a form that measured it."""
    if "device" not in form:
        return {}
    device = device_of(request.headers)
    return {"device_kind": device.kind, "device_browser": device.browser}


def in_language(language: str | None) -> Mapping[str, str]:
    """The parameter that names a language, where one is named."""
    return {PARAMETER: language} if language else {}


def with_came(path: str, carried: str, **more: str) -> str:
    """An address with who has come."""
    parameters = {**more, **({CAME: carried} if carried else {})}
    return f"{path}?{urlencode(parameters)}" if parameters else path
