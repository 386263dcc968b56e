"""Pages of forms that were not accepted: the page again, with the message at the field to be corrected."""

import re

from markupsafe import escape
from starlette.responses import Response

from app.core.errors import StudyError, page_words
from app.core.templating import Renderable, html_of, html_response

_FIELD = r'<(input|textarea|select)\b(?=[^>]*\s{key}="{name}")(?![^>]*type="hidden")[^>]*>'
_ENDS = {"textarea": "</textarea>", "select": "</select>", "input": ""}


def refused(page: Renderable, error: StudyError, at: str = "") -> Response:
    """Reply with the page and why its form was not accepted, said at the field that the error names, or else at `at`.

    It is written into the finished page, as some thirty forms have it from here, and none can forget it.
    """
    html = html_of(page)
    names = (name for name in (error.field, at) if name and _find(html, name))
    return html_response(with_message(html, next(names, ""), page_words(error)), error.status_code)


def with_message(html: str, name: str, message: str) -> str:
    """The page with the message after the field of this id, or of this name, and tied to it; unchanged without one."""
    found = _find(html, name) if name else None
    if found is None:
        return html
    says = f'<span class="error" id="{name}-refused">{escape(message)}</span>'
    at = _after(html, found)
    before = _unfolded(html[: found.start()])
    return before + _tied(found[0], name) + html[found.end() : at] + says + html[at:]


def _find(html: str, name: str) -> re.Match[str] | None:
    """The field of this id, or else the first of this name."""
    fields = (re.search(_FIELD.format(key=key, name=re.escape(name)), html) for key in ("id", "name"))
    return next(filter(None, fields), None)


def _unfolded(before: str) -> str:
    """The page before the field, with the folded parts open in which it is."""
    around: list[re.Match[str]] = []
    for fold in re.finditer(r"<details\b([^>]*)>|</details>", before):
        if fold[0] == "</details>":
            around.pop()
        else:
            around.append(fold)
    for fold in reversed(around):
        if not re.search(r"\bopen\b", fold[1]):
            before = f"{before[: fold.end() - 1]} open{before[fold.end() - 1 :]}"
    return before


def _tied(tag: str, name: str) -> str:
    """The tag of a field, marked as wrong and described by the message."""
    described = re.search(r' aria-describedby="([^"]*)"', tag)
    tag = tag.replace(described[0], "") if described else tag
    ids = f"{described[1]} {name}-refused" if described else f"{name}-refused"
    wrong = "" if "aria-invalid" in tag else ' aria-invalid="true"'
    return f'{tag[:-1].rstrip()}{wrong} aria-describedby="{ids}" data-refused>'


def _after(html: str, field: re.Match[str]) -> int:
    """The place of the message: behind the field, and behind a label around it, whose words it does not belong to."""
    end = _ENDS[field[1]]
    at = html.index(end, field.end()) + len(end)
    before = html[: field.start()]
    is_labelled = before.rfind("<label") > before.rfind("</label>")
    return html.index("</label>", at) + len("</label>") if is_labelled else at
