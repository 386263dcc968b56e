"""One Jinja environment for every page: autoescape on, a misspelt variable is an error."""

from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar, Protocol

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.notices import notice

_HERE = Path(__file__).parent

_environment = Environment(
    loader=FileSystemLoader(
        [_HERE / "templates", _HERE / "participant" / "templates", _HERE / "experimenter" / "templates"]
    ),
    autoescape=True,
    undefined=StrictUndefined,
    auto_reload=False,  # or every page would ask the disk whether each template has changed
    trim_blocks=True,
    lstrip_blocks=True,
)


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds")


def _utc(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


_environment.filters.update(notice=notice, iso=_iso, utc=_utc)


class Renderable(Protocol):
    template: ClassVar[str]


def html_of(page: Renderable) -> str:
    """A page dataclass through the template it names; the template sees it as `page`."""
    return _environment.get_template(page.template).render(page=page)


def html_response(html: str, status_code: int = 200) -> HTMLResponse:
    return HTMLResponse(html, status_code, headers={"Cache-Control": "no-store"})


def render(page: Renderable, status_code: int = 200) -> HTMLResponse:
    return html_response(html_of(page), status_code)
