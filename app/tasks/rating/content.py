"""Content read on a page, one at a time or two side by side: a record or a text, or a marker for a clip."""

from dataclasses import dataclass
from functools import lru_cache

from app.core.markdown import markdown
from app.library.kinds import StimulusKind
from app.library.records import Record, parse_record
from app.tasks.rating.evidence import words_of_record, words_of_text
from app.tasks.rating.views import count_parts

# A text that is Markdown for nothing, such as a link's address alone.
NOTHING = "<p>–</p>"


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a unit: a clip, a record or a text."""

    record: Record | None = None
    text: str = ""
    is_clip: bool = False

    @property
    def n_parts(self) -> int | None:
        """The number of parts that the browser reports on; None for a text, in which it counts them itself."""
        return count_parts(self.record) if self.record else None

    @property
    def n_words(self) -> int:
        return words_of_record(self.record) if self.record else words_of_text(self.text)

    @property
    def html(self) -> str:
        """The HTML of a text; empty otherwise."""
        return (markdown(self.text).strip() or NOTHING) if self.text else ""


def content_of(text: str, kind: str | None, content: str) -> Content:
    """A `text` that stands in the list itself, or a stimulus of the `kind` with its `content`."""
    if text:
        return Content(text=text)
    if kind == StimulusKind.RECORD:
        return Content(record=_record(content))
    if kind == StimulusKind.CLIP:
        return Content(is_clip=True)
    return Content(text=content)


@lru_cache(maxsize=256)
def _record(content: str) -> Record:
    return parse_record(content)
