"""The address that a participant is sent on to."""

import re
from urllib.parse import urlsplit

from app.core.problems import listed, quoted
from app.questions.base import rule_error

PLACEHOLDERS = ("code", "participant", "session")
MOST_CODE = 80
_ALLOWED = listed(f"{{{name}}}" for name in PLACEHOLDERS)


def checked_redirect(address: str) -> str:
    """Return the address unless it is no http(s) one, or holds other placeholders than ours."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        host = ""
    if not host or parts.scheme not in ("http", "https") or re.search(r"[\s\x00-\x1f\x7f\\]", address):
        raise rule_error(
            f"redirect: {quoted(address)} is not a web address",
            "write it out, as in https://example.org/done",
        )
    bare = re.sub(r"\{(\w+)\}", lambda found: "" if found[1] in PLACEHOLDERS else found[0], address)
    if "{" in bare or "}" in bare:
        raise rule_error(f"redirect: {quoted(address)} has braces that mean nothing", f"use {_ALLOWED}")
    if "{" in parts.netloc:
        raise rule_error(
            f"redirect: {quoted(address)} has a placeholder in the host", "use it after the host"
        )
    return address


def is_address(end: str) -> bool:
    """True for a web address, False for a completion code."""
    return end.lower().startswith(("http://", "https://"))


def checked_end(end: str) -> str:
    """Return a completion code of at most 80 characters, or a web address. Raises a rule error for anything else."""
    if is_address(end):
        return checked_redirect(end)
    if len(end) > MOST_CODE:
        raise rule_error(
            f"{quoted(end)} is no web address, and too long for a code",
            f"write a code of at most {MOST_CODE} characters, or an address with https://",
        )
    return end
