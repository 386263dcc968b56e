"""A language made for tests: every fixed text is put between marks, so that a text without them has escaped."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser

from app.core import language as languages

PSEUDO = "en-XA"
OPEN, CLOSE = "⟦", "⟧"
# Attributes that are read to people, or shown.
_SAID = frozenset(
    [
        "aria-label",
        "title",
        "placeholder",
        "alt",
        "data-due",
        "data-opened",
        "data-pressed",
        "data-hurry",
        "data-saying",
    ]
)
# Void elements, which have no end tag.
_VOID = frozenset({"meta", "link", "input", "br", "img", "rect", "path", "circle", "line"})
_PIECE = re.compile(rf"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")


class Pseudo:
    """A catalogue of every text there may be."""

    script_words = "{}"

    def text(self, message: str) -> str:
        return f"{OPEN}{message}{CLOSE}"

    def counted(self, singular: str, plural: str, n: int) -> str:
        return f"{OPEN}{singular if n == 1 else plural}{CLOSE}"


@contextmanager
def pseudo_spoken() -> Iterator[None]:
    """The language is known within the block."""
    languages._catalogues[PSEUDO] = Pseudo()  # type: ignore[assignment]
    try:
        yield
    finally:
        del languages._catalogues[PSEUDO]


def unmarked(text: str) -> str:
    """What is left of a text without what stands between marks."""
    while (shorter := _PIECE.sub("", text)) != text:
        text = shorter
    return text


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.skipping: list[str] = []
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if (
            self.skipping
            or tag in ("script", "style", "kbd")
            or given.get("translate") == "no"
            or "hreflang" in given
        ):
            if tag not in _VOID:
                self.skipping.append(tag)
            return
        self.found += [f"{name}={value}" for name, value in attrs if name in _SAID and value]

    def handle_endtag(self, tag: str) -> None:
        if self.skipping and self.skipping[-1] == tag:
            self.skipping.pop()

    def handle_data(self, data: str) -> None:
        if not self.skipping:
            self.found.append(data)


def escaped(html: str) -> list[str]:
    """Texts and attributes with a word outside of all marks; a mark may reach over elements."""
    reader = _Texts()
    reader.feed(html)
    # Attributes by themselves, as they stand in the middle of the text round them.
    said = [each for each in reader.found if re.match(r"[a-z-]+=", each) and each.partition("=")[0] in _SAID]
    flow = "\n".join(each for each in reader.found if each not in said)
    left = [unmarked(each.partition("=")[2]) for each in said] + unmarked(flow).splitlines()
    return [each.strip() for each in left if re.search(r"[A-Za-z]{2}", each)]
