"""The language of the participant's pages: which it is now, and fixed texts in it.

A text is written in English where it is shown, as `gettext("...")`, and translated when it is shown. `noop` marks one
that is named before it is known in which language it will be shown. Catalogues are PO files under `app/languages`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

ENGLISH = "en"
_current: ContextVar[str] = ContextVar("language", default=ENGLISH)


def current_language() -> str:
    """The language of the page that is being made, as a BCP 47 tag."""
    return _current.get()


def speak(language: str | None) -> None:
    """Make this request's (or thread's) pages in a language from now on; None for English."""
    _current.set(language or ENGLISH)


@contextmanager
def speaking(language: str | None) -> Iterator[None]:
    """Make pages in a language within the block."""
    token = _current.set(language or ENGLISH)
    try:
        yield
    finally:
        _current.reset(token)


def gettext(text: str) -> str:
    """A fixed text in the current language; as it is written where it has no translation."""
    return text


def ngettext(singular: str, plural: str, n: int) -> str:
    """A fixed text for a number of things, in the current language."""
    return singular if n == 1 else plural


def noop(text: str) -> str:
    """Mark a text for the catalogue; it is translated by `gettext` when it is shown."""
    return text
