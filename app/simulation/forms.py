"""Forms as a browser reads them: what a simulated participant cannot find on the page, it cannot answer."""

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass(slots=True)
class FoundForm:
    """The page's form: where it goes, its ready-made values, and what may be chosen or typed under each name.

    `numbers` has the smallest and the largest number and the step, empty where none is given."""

    action: str
    values: dict[str, str] = field(default_factory=dict)
    options: dict[str, list[str]] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    numbers: dict[str, tuple[str, str, str]] = field(default_factory=dict)


@dataclass(slots=True)
class FoundPage:
    form: FoundForm | None
    clips: list[str]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.form: FoundForm | None = None
        self.clips: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        a = {name: value or "" for name, value in attrs}
        if tag == "form" and a.get("method", "").lower() == "post" and self.form is None:
            self.form = FoundForm(a["action"])
        if tag in ("video", "source") and a.get("src"):
            self.clips.append(a["src"])
        name = a.get("name", "")
        if self.form is None or not name:
            return
        kind = a.get("type", "text")
        if tag == "input" and kind == "hidden":
            self.form.values[name] = a.get("value", "")
        elif (tag == "input" and kind in ("radio", "checkbox")) or tag == "button":
            self.form.options.setdefault(name, []).append(a.get("value", ""))
        elif tag == "input" and kind == "number":
            self.form.numbers[name] = a.get("min", ""), a.get("max", ""), a.get("step", "")
        elif tag in ("input", "textarea"):
            self.form.texts.append(name)


def read_page(html: str) -> FoundPage:
    reader = _Reader()
    reader.feed(html)
    return FoundPage(reader.form, reader.clips)
