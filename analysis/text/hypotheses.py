"""The hypotheses of studies as text for a terminal."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from analysis.findings.hypotheses import hypotheses_section
from analysis.hypotheses import HypothesesDecided
from analysis.terminal import WIDTH, as_text, name_of
from analysis.text.sections import render_sections


def render_hypotheses(found: Sequence[HypothesesDecided], width: int = WIDTH) -> str:
    """Return the hypotheses of each study, with their verdicts and tests, as plain text."""
    return as_text(list(_parts(found)), width)


def _parts(found: Sequence[HypothesesDecided]) -> Iterator[RenderableType]:
    for one in found:
        if len(found) > 1:
            yield name_of(f"Study {one.study}")
        yield from render_sections(hypotheses_section(one))
