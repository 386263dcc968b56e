"""One Jinja environment for every page: autoescape on, a misspelt variable is an error. Also their static files.

Each task has its own templates and static files in its folder, as have the types of questions; all are found by name
alone, so names are unique.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Protocol, cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from app.core.headers import NO_STORE, Ready
from app.core.language import current_language, direction, gettext, ngettext, script_words
from app.core.notices import notice

_APP = Path(__file__).parent.parent
TEMPLATES = (
    *(_APP / name / "templates" for name in ("core", "sessions", "admin", "reports")),
    _APP / "questions" / "templates",
    *sorted(_APP.glob("tasks/*/templates")),
)
# Of the participant's pages; the experimenter's are at an address of their own.
STATIC = (
    _APP / "sessions" / "static",
    _APP / "questions" / "static",
    *sorted(_APP.glob("tasks/*/static")),
)

_environment = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    auto_reload=False,  # or every page would ask the disk whether each template has changed
    trim_blocks=True,
    lstrip_blocks=True,
    extensions=["jinja2.ext.i18n"],
)


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds")


def _utc(at: datetime) -> str:
    at = at.astimezone(UTC)
    return f"{at.day} {at:%b %Y, %H:%M}"


# The extension adds these two to an environment; jinja2 does not say so to type checkers.
_environment.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
_environment.globals.update(language=current_language, direction=direction, script_words=script_words)
_environment.filters.update(notice=notice, iso=_iso, utc=_utc)


class Static(StaticFiles):
    """Files of several folders at one address, checked for news at each use, so that modules of two releases never
    meet in one page."""

    def __init__(self, *folders: Path) -> None:
        super().__init__(directory=folders[0])
        self.all_directories = list(folders)

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        # no-cache still allows 304: the browser asks with its ETag and fetches only what has changed.
        response.headers["Cache-Control"] = "no-cache"
        return response


_OF_PAGES = ((b"content-type", b"text/html; charset=utf-8"), NO_STORE)


class Renderable(Protocol):
    template: ClassVar[str]


def reload_templates() -> None:
    """Reload changed templates at each page, for development (`make dev`)."""
    _environment.auto_reload = True


def templates_age() -> float:
    """The time a template was last written, for caches of finished pages; 0 if templates are not reloaded."""
    if not _environment.auto_reload:
        return 0.0
    loader = cast(FileSystemLoader, _environment.loader)
    files = (Path(folder, name) for folder in loader.searchpath for name in loader.list_templates())
    return max((file.stat().st_mtime for file in files if file.exists()), default=0.0)


def html_of(page: Renderable) -> str:
    """A page dataclass through the template it names; the template sees it as `page`."""
    return _environment.get_template(page.template).render(page=page)


def html_response(html: str | bytes, status_code: int = 200) -> Response:
    return Ready(html if isinstance(html, bytes) else html.encode(), status_code, _OF_PAGES)


def render(page: Renderable, status_code: int = 200) -> Response:
    return html_response(html_of(page), status_code)
