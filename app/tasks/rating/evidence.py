"""The browser's report of how a record or text was read, and its flags.

It is evidence, not truth, and never costs an answer: an unreadable report is kept as sent and flagged. A part in view
was not necessarily read; one that was never in view was not.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.library.records import Line, Part, Record
from app.trials.design import Layout
from app.trials.evidence import MAX_TEXT, RT_SLACK_MS, count_of, number_of, read_rt_ms, storable
from app.trials.examining import Finding, Observed, examine

# Of a record or text, so much of its length from the top on must have come into view. The rest is its margin.
READ_SHARE = 0.95
# More than four times the average of silent reading, 238 words a minute (a meta-analysis of 190 studies, [Bry19]):
# whoever was faster skimmed at most.
FASTEST_WORDS_A_MINUTE = 1_000
MOST_PARTS = 5_000
LAYOUTS = (Layout.SIDE_BY_SIDE, Layout.STACKED)


@dataclass(frozen=True, slots=True)
class Reading:
    """Evidence of reading one record or text, as the browser reported it. Times in ms, summed over loads of the page.

    `read_ms`: the page was in sight; `hidden_ms`: it was not. `parts_ms`: each part was in view (half of it, or half
    the window if it is larger); the parts of a record are its overview, if any, and its rounds, those of a text are its
    paragraphs, headings, lists and tables. `depth`: the share of its length that has been in view, from the top, 0 to
    1. `layout`: whether it was next to the questions or above them when the answer was sent.
    """

    read_ms: int
    hidden_ms: int
    parts_ms: tuple[int, ...]
    depth: float
    page_loads: int
    layout: Layout | None

    @property
    def is_complete(self) -> bool:
        """True if every part, and the end, was in view."""
        return all(self.parts_ms) and self.depth >= READ_SHARE

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "parts_ms": list(self.parts_ms)}


@dataclass(frozen=True, slots=True)
class ReadingReport:
    """`reading` is None where nothing could be read; `odd` is then what came, if anything did. `words` are what
    `app.trials.examining` is given. `rt_ms` is from the first load of the page to the answer, by the browser."""

    reading: Reading | None
    rt_ms: int | None
    words: tuple[str, ...]
    odd: str | None = None


def read_reading(form: Mapping[str, str], n_parts: int | None) -> ReadingReport:
    """Read the form's `reading` and `rt_ms` leniently.

    `n_parts` is how many parts the stimulus has (`views.count_parts`); None where the server does not know, as of a
    text, and the browser is asked.
    """
    rt_ms, words = read_rt_ms(form.get("rt_ms", ""))
    text = form.get("reading", "")
    if not text:
        return ReadingReport(None, rt_ms, (*words, "reading-missing"))
    try:
        if len(text) > MAX_TEXT:
            raise ValueError
        reading = _reading(json.loads(text), n_parts)
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError, AttributeError):
        return ReadingReport(None, rt_ms, (*words, "reading-odd"), storable(text[:MAX_TEXT]))
    if rt_ms is not None and rt_ms + RT_SLACK_MS < reading.read_ms + reading.hidden_ms:
        words = (*words, "rt-odd")
    return ReadingReport(reading, rt_ms, words if reading.is_complete else (*words, "not-read"))


def examine_reading(
    report: ReadingReport,
    n_words: int,
    *,
    waited_ms: int | None,
    served: bool,
    simulated: bool = False,
    attentive: bool | None = None,
) -> Finding:
    """The flags of one answer about a record or a text; none of them excludes it.

    `n_words` is the number to be read (`words_of_record`, `words_of_text`); `waited_ms` is the server's time from
    sending the page to the answer, None if unknown; `attentive` as in `Observed`.
    """
    least_ms = 60_000 * n_words / FASTEST_WORDS_A_MINUTE
    observed = Observed(
        reported=report.words,
        to_end=True,
        unplayable=False,
        least_ms=least_ms,
        longest_ms=least_ms,
        waited_ms=waited_ms,
        served=served,
        fetched=(),
        rt_ms=report.rt_ms,
        hidden_ms=report.reading.hidden_ms if report.reading else 0,
        attentive=attentive,
    )
    # Reading excludes nothing: a part that was in view need not have been read (decision 0015).
    return replace(examine(observed, simulated=simulated), unwatched=False)


def evidence_of(reading: Reading) -> dict[str, Any]:
    """A row of evidence without a clip; `reading` has the report."""
    return {
        "watched": reading.is_complete,
        "plays": 0,
        "played": [],
        "duration_s": None,
        "stalls": 0,
        "stall_ms": 0,
        "dropped_frames": 0,
        "frames": 0,
        "drift_ms_max": None,
        "hidden_ms": reading.hidden_ms,
        "page_loads": reading.page_loads,
        "max_rate": None,
        "failed": False,
        "errors": [],
        "reading": reading.to_json(),
    }


def words_of_record(record: Record) -> int:
    """Words of its running text. What stands in tables and charts is looked up, not read, and is not counted."""
    parts = (*record.parts, *(part for each in record.rounds for part in each.parts))
    texts = (*(player.about for player in record.players), *_lines(parts))
    return sum(map(words_of_text, texts))


def words_of_text(text: str) -> int:
    """The number of words separated by spaces. Few in a language written without spaces, which raises no flag."""
    return len(text.split())


def _lines(parts: Sequence[Part]) -> list[str]:
    return [part.text for part in parts if isinstance(part, Line)]


def _reading(report: Any, n_parts: int | None) -> Reading:
    parts_ms = tuple(count_of(ms) for ms in report["parts"])
    if len(parts_ms) > MOST_PARTS or n_parts not in (None, len(parts_ms)):
        raise ValueError(f"{len(parts_ms)} parts")
    reading = Reading(
        read_ms=count_of(report["read_ms"]),
        hidden_ms=count_of(report["hidden_ms"]),
        parts_ms=parts_ms,
        depth=number_of(report["depth"]),
        page_loads=count_of(report["loads"]),
        layout=next((layout for layout in LAYOUTS if layout == report.get("layout")), None),
    )
    if not 0 <= reading.depth <= 1 or max(parts_ms, default=0) > reading.read_ms + RT_SLACK_MS:
        raise ValueError("a part in view for longer than the page, or more than all of it")
    return reading
