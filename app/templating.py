"""One Jinja environment for every page: autoescape on, a misspelt variable is an error."""

from pathlib import Path
from typing import ClassVar, Protocol

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

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


class Renderable(Protocol):
    template: ClassVar[str]


def render(page: Renderable, status_code: int = 200) -> HTMLResponse:
    """Render a page dataclass with the template it names; the template sees it as `page`."""
    html = _environment.get_template(page.template).render(page=page)
    return HTMLResponse(html, status_code, headers={"Cache-Control": "no-store"})
