"""The documents: found once, turned into HTML on demand, links between them kept."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.core.errors import NotFound

# Beside the packages `app` and `analysis`: in a clone, an installed wheel and the image alike.
DOCS = Path(__file__).parents[3] / "docs"
HERE = "/admin/help"
INDEX = "help/README.md"

# Which document explains a screen: by the first words of its template's name, the longest first.
SCREENS: Mapping[str, str] = {
    "account": "account",
    "api": "api",
    "audit": "audit",
    "clues": "clues",
    "data": "data",
    "design": "design",
    "judges": "judges",
    "launch": "launch",
    "links": "links",
    "match": "matches",
    "monitor": "monitor",
    "pairs": "pairs",
    "people": "people",
    "recruiting": "recruiting",
    "results": "results",
    "session": "sessions",
    "stimuli": "clips",
    "stimuli-rules": "rules",
    "stimuli-upload": "upload",
    "studies": "studies",
    "versions": "versions",
}

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass(frozen=True, slots=True)
class Document:
    """One page of help; `html` is safe: HTML in the Markdown comes out as text."""

    title: str
    html: str


def help_address(template: str) -> str:
    """The help of the screen that this template shows."""
    names = [name for name in SCREENS if template.startswith(name)]
    return f"{HERE}/{SCREENS[max(names, key=len)]}" if names else HERE


@cache
def documents() -> Mapping[str, str]:
    """Web name to the file's path under `docs/`: `clues`, `reference/analysis`, `decisions/0001-...`."""
    found = {}
    for path in sorted(DOCS.rglob("*.md")):
        name = path.relative_to(DOCS).as_posix()
        match name.split("/"):
            case ["help", page]:
                found[page.removesuffix(".md")] = name
            case [page]:
                found[f"reference/{page.removesuffix('.md')}"] = name
            case ["decisions", page]:
                found[f"decisions/{page.removesuffix('.md')}"] = name
    return found


@cache
def document(name: str) -> Document:
    """Raises NotFound."""
    path = documents().get(name)
    if path is None:
        raise NotFound("There is no such page of help.")
    tokens = _markdown.parse((DOCS / path).read_text(encoding="utf-8"))
    title = next(
        (tokens[n + 1].content for n, token in enumerate(tokens) if token.type == "heading_open"), name
    )
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", slug(tokens[number + 1].content))
        _link(token, path)
    html = str(_markdown.renderer.render(tokens, _markdown.options, {}))
    # What may be wider than a telephone scrolls by itself, so keys have to reach it.
    for tag in ("pre", "table"):
        html = html.replace(f"<{tag}>", f'<{tag} tabindex="0">')
    return Document(title, html)


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _link(token: Token, path: str) -> None:
    """Point links to other documents at their page here; links that cannot be opened become text."""
    opened = []
    for child in token.children or ():
        if child.type == "link_open":
            address = _address(str(child.attrs["href"]), path)
            opened.append(address)
            if address:
                child.attrSet("href", address)
            else:
                child.tag = "span"
                child.attrs.clear()
        elif child.type == "link_close" and not opened.pop():
            child.tag = "span"
        elif child.type == "image":
            child.type, child.content, child.children = "text", f"({escape(child.content)})", None


def _address(target: str, path: str) -> str:
    """The link's address; empty if it is not available here."""
    parts = urlsplit(target)
    if parts.scheme in ("http", "https"):
        return target
    if not parts.path:
        return target
    wanted = posixpath.normpath(posixpath.join(posixpath.dirname(path), parts.path))
    name = next((name for name, file in documents().items() if file == wanted), None)
    if name is None:
        return ""
    anchor = f"#{parts.fragment}" if parts.fragment else ""
    return (HERE if documents()[name] == INDEX else f"{HERE}/{name}") + anchor
