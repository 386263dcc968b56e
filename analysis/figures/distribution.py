"""Ratings: how often each score, or class, was given, as a stacked bar for each criterion."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis import words
from analysis.figures import canvas
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of
from analysis.ratings.scores import CriterionResult, RatingAnalysis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME, TITLE = "distribution", "How often each score was given"
MOST_CRITERIA, MOST_PARTS = 20, 11
_ROW, _BELOW, _ABOVE, _RIGHT, _WIDEST = 0.34, 0.4, 0.06, 0.62, 1.25
_HEAD = ("criterion", "score", "n", "share")
# A part that is wide enough for its name, as a share.
_NAMED = 0.07
_LIGHT, _DARK = 0.9, 0.25


@dataclass(frozen=True, slots=True)
class _Part:
    """One score of one criterion: `depth` is its place on the scale, from 0 to 1."""

    name: str
    n: int
    share: float
    depth: float


@dataclass(frozen=True, slots=True)
class _Bar:
    criterion: str
    n: int
    parts: tuple[_Part, ...]


def distribution_figure(analysis: RatingAnalysis) -> AnyFigure:
    """Draw the share of each score by each criterion, from the lowest on the left to the highest on the right.

    Of a scale of steps the shade is the step, given or not, so that bars of one scale compare. Criteria with more than
    11 different scores are left out, and beyond 20 criteria the first 20 are drawn."""
    bars = [_bar(one) for one in analysis.criteria if one.counts or one.classes]
    drawn = [bar for bar in bars if len(bar.parts) <= MOST_PARTS][:MOST_CRITERIA]
    if not drawn:
        return NoFigure(
            NAME, TITLE, "No criterion has few enough different scores to draw how often each was given."
        )
    height = _ROW * len(drawn) + _BELOW + _ABOVE
    alt = _alt(drawn)
    svg, png = canvas.drawn(
        height, lambda sheet: _paint(canvas.axes_at(sheet, *_place(drawn)), drawn), TITLE, alt
    )
    return Figure(
        name=NAME,
        title=TITLE,
        sentence=_sentence(drawn),
        alt=alt,
        numbers=numbers_of(
            _HEAD,
            [
                (bar.criterion, part.name, str(part.n), f"{part.share:.3f}")
                for bar in bars
                for part in bar.parts
            ],
        ),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
        reading=" ".join(_reading(bars, drawn)) + canvas.missing_note(_names(drawn)),
    )


def _bar(one: CriterionResult) -> _Bar:
    if one.classes:
        last = max(1, len(one.classes) - 1)
        parts = [_Part(each.name, each.n, each.share, at / last) for at, each in enumerate(one.classes)]
        return _Bar(one.criterion, one.n, tuple(parts))
    scores = [each.score for each in one.counts]
    low, high = one.scale or (scores[0], scores[-1])
    wide = (high - low) or 1.0
    return _Bar(
        one.criterion,
        one.n,
        tuple(
            _Part(f"{each.score:g}", each.n, each.share, min(1.0, max(0.0, (each.score - low) / wide)))
            for each in one.counts
        ),
    )


def _place(bars: Sequence[_Bar]) -> tuple[float, float, float, float]:
    widest = max(canvas.width_of(canvas.legible(bar.criterion), canvas.SMALL) for bar in bars)
    left = min(_WIDEST, max(0.4, widest + 0.2))
    return left, _BELOW, canvas.WIDTH - left - _RIGHT, _ROW * len(bars)


def _paint(axes: "Axes", bars: Sequence[_Bar]) -> None:
    axes.set_xlim(0, 100)
    axes.set_ylim(len(bars), 0)
    axes.spines["left"].set_visible(False)
    left, _, width, _ = _place(bars)
    axes.set_yticks(
        [at + 0.5 for at in range(len(bars))],
        [canvas.fitted(bar.criterion, left - 0.15, canvas.SMALL) for bar in bars],
    )
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("percent of scores", fontsize=canvas.SMALL, labelpad=1)
    for at, bar in enumerate(bars):
        before = 0.0
        for part in bar.parts:
            grey = _LIGHT - (_LIGHT - _DARK) * part.depth
            axes.barh(at + 0.5, 100 * part.share, left=100 * before, height=0.68, color=(grey, grey, grey),
                      edgecolor="white", linewidth=0.6)  # fmt: skip
            if part.share >= _NAMED:
                name = canvas.fitted(part.name, width * part.share - 0.05, canvas.SMALL)
                axes.text(
                    100 * (before + part.share / 2), at + 0.5, name, ha="center", va="center", fontsize=canvas.SMALL,
                    color="white" if grey < 0.6 else canvas.INK,
                )  # fmt: skip
            before += part.share
        axes.annotate(
            f"n = {bar.n:,}", (1, at + 0.5), xycoords=("axes fraction", "data"), xytext=(4, 0),
            textcoords="offset points", va="center", fontsize=canvas.SMALL,
        )  # fmt: skip


def _most(bar: _Bar) -> _Part:
    return max(bar.parts, key=lambda part: part.n)


def _sentence(bars: Sequence[_Bar]) -> str:
    parts = [f"{_most(bar).name} by {bar.criterion} ({100 * _most(bar).share:.0f}%)" for bar in bars]
    return words.sentence(f"most often given was {words.listed(parts)}")


def _reading(bars: Sequence[_Bar], drawn: Sequence[_Bar]) -> Iterator[str]:
    yield "Each bar has the scores from the lowest on the left to the highest on the right; the darker, the higher."
    if left_out := sum(len(bar.parts) > MOST_PARTS for bar in bars):
        yield f"Criteria with more than {MOST_PARTS} different scores are not drawn: {left_out} of {len(bars)}."
    elif len(drawn) < len(bars):
        yield f"The first {len(drawn)} of {len(bars)} criteria are drawn."


def _names(bars: Sequence[_Bar]) -> Iterator[str]:
    for bar in bars:
        yield bar.criterion
        yield from (part.name for part in bar.parts)


def _alt(bars: Sequence[_Bar]) -> str:
    parts = [
        f"{bar.criterion}, {', '.join(f'{part.name} {100 * part.share:.0f}%' for part in bar.parts)}"
        for bar in bars
    ]
    return f"A stacked bar for each criterion: {'; '.join(parts)}."
