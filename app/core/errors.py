"""Errors shown to people: each has a one-line message and an HTTP status."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import ClassVar, Self

from app.core.language import gettext as _
from app.core.language import noop


class StudyError(Exception):
    """Refused, with a reason fit for the reader. Commands print it and exit 1; pages show it.

    `field` is the name of the form's field that is at fault; empty where none is, or where it is not known.
    `on_page` is the reason in a browser's words, where that of the command line names its options or other commands.
    """

    status_code: ClassVar[int] = 400
    title: ClassVar[str] = noop("That did not work")
    field: str = ""

    def __init__(self, *said: object, on_page: str = "") -> None:
        super().__init__(*said)
        self.on_page = on_page

    @classmethod
    def of_study(cls, slug: str, says: str) -> Self:
        """An error about one study: a command names it, a page shows it anyway."""
        return cls(f"study {slug!r} {says}", on_page=f"This study {says}{'' if says.endswith('.') else '.'}")

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers of the error's reply."""
        return {}

    @property
    def details(self) -> Mapping[str, object]:
        """Keys of the error's reply in JSON besides `message`."""
        return {}


@contextmanager
def at_field(name: str) -> Iterator[None]:
    """Name a field as the one at fault in what is refused within; one that is named already stays."""
    try:
        yield
    except StudyError as error:
        error.field = error.field or name
        raise


def page_words(error: Exception) -> str:
    """An error's reason as pages show it."""
    return getattr(error, "on_page", "") or str(error)


class NotFound(StudyError):
    status_code = 404
    title = noop("Page not found")


class Closed(StudyError):
    """The study does not take this now."""

    status_code = 403
    title = noop("Not open")


class Conflict(StudyError):
    status_code = 409


class Stale(Conflict):
    """The data from which a change was prepared have changed."""

    def __init__(self) -> None:
        super().__init__(
            _("Someone else made a change at the same moment. Nothing was saved; please try again.")
        )


class InvalidAnswer(StudyError):
    """A form that was not accepted; `errors` maps question ids to messages."""

    status_code = 422

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__(_("Please check the marked questions."))
        self.errors = errors
