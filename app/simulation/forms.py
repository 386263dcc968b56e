"""Forms as a browser reads them: a simulated participant can only answer what is on the page."""

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass(slots=True)
class FoundForm:
    """The page's form: where it goes, its ready-made values, and what may be chosen or typed under each name.

    `numbers` has the smallest and the largest number and the step, empty where none is given; `types` has the type of
    each question."""

    action: str
    values: dict[str, str] = field(default_factory=dict)
    options: dict[str, list[str]] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    numbers: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)

    def fields_of(self, question: str) -> dict[str, list[str]]:
        """The question's fields with their options: one of its own name, or several, such as `order.1`, `order.2`."""
        fields = {**{name: list[str]() for name in (*self.texts, *self.numbers)}, **self.options}
        return {name: found for name, found in fields.items() if name.partition(".")[0] == question}


@dataclass(slots=True)
class FoundPage:
    form: FoundForm | None
    clips: list[str]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.form: FoundForm | None = None
        self.clips: list[str] = []
        self._menu = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        a = {name: value or "" for name, value in attrs}
        if tag == "form" and a.get("method", "").lower() == "post" and self.form is None:
            self.form = FoundForm(a["action"])
        if tag in ("video", "source") and a.get("src"):
            self.clips.append(a["src"])
        name = a.get("name", "")
        if self.form is None:
            return
        if a.get("data-type"):
            self.form.types[a["data-question"]] = a["data-type"]
        if tag == "option" and a.get("value"):
            self.form.options[self._menu].append(a["value"])
        if not name:
            return
        kind = a.get("type", "text")
        if tag == "input" and kind == "hidden":
            self.form.values[name] = a.get("value", "")
        elif (tag == "input" and kind in ("radio", "checkbox")) or tag == "button":
            self.form.options.setdefault(name, []).append(a.get("value", ""))
        elif tag == "input" and kind == "number":
            self.form.numbers[name] = a.get("min", ""), a.get("max", ""), a.get("step", "")
        elif tag == "select":
            self._menu = name
            self.form.options[name] = []
        elif tag in ("input", "textarea"):
            self.form.texts.append(name)


def read_page(html: str) -> FoundPage:
    reader = _Reader()
    reader.feed(html)
    return FoundPage(reader.form, reader.clips)
