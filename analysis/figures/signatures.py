"""The distance of sources to people by each signature, with the band of people, and the map of these distances."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis import words
from analysis.figures import canvas
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of
from analysis.signatures import PlaySignatures, SignatureResult, Signatures
from analysis.signatures.text import left_off_words, outside_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

MOST_SOURCES = 15
_ROW, _GAP, _LEFT, _RIGHT, _BELOW, _ABOVE = 0.17, 0.62, 1.25, 0.15, 0.42, 0.28
_SIDE, _ASIDE = 1.6, 0.45
MAP_HEAD = ("signature", "label", "x", "y", "stress", "variance")
"""The columns of `map_rows`."""


@dataclass(frozen=True, slots=True)
class _Of:
    """The figures' names, and a text on how sources differ."""

    name: str
    map_name: str
    how: str


_MOVING = _Of("signatures", "map", "how they move")
_PLAYING = _Of("play", "playmap", "how they play")


def signature_figures(found: Signatures | PlaySignatures) -> Iterator[AnyFigure]:
    """The distances of at most fifteen sources, one panel for each signature that was not refused; and the maps."""
    of = _PLAYING if isinstance(found, PlaySignatures) else _MOVING
    title = f"Distance of sources to people, by {of.how}"
    shown = [one for one in found.signatures if one.reason is None]
    if not shown:
        refused = words.listed([f"{one.title} ({one.reason})" for one in found.signatures])
        yield NoFigure(of.name, title, words.sentence(f"every signature was refused: {refused}"))
        return
    yield _distances(shown, of.name, title)
    yield _maps(shown, found.human, of)


def _distances(shown: Sequence[SignatureResult], name: str, title: str) -> Figure:
    panel = _ROW * (1 + min(MOST_SOURCES, max(len(one.distances) for one in shown)))
    height = len(shown) * (panel + _GAP) - _GAP + _BELOW + _ABOVE

    def paint(sheet: "Sheet") -> None:
        for at, one in enumerate(shown):
            bottom = height - _ABOVE - panel - at * (panel + _GAP)
            _panel(canvas.axes_at(sheet, _LEFT, bottom, canvas.WIDTH - _LEFT - _RIGHT, panel), one)

    seen = [
        f"{one.title}: {words.listed([f'{each.source} {words.number(each.distance)}' for each in one.distances])}"
        for one in shown
    ]
    alt = f"One panel for each signature, a dot for each source, people shaded. {'; '.join(seen)}."
    svg, png = canvas.drawn(height, paint, title, alt)
    reading = (
        "Each dot is a source. Shaded is the band of people: from 5 to 95% of each person's mean distance to the "
        "others, their median dashed. Distances have no interval. A hollow dot has too few observations to be settled."
    )
    if any(len(one.distances) > MOST_SOURCES for one in shown):
        reading += f" The nearest {MOST_SOURCES} sources are drawn."
    return Figure(
        name=name,
        title=title,
        sentence=" ".join(words.sentence(_finding(one)) for one in shown),
        alt=alt,
        numbers=numbers_of(_head(shown), [row for one in shown for row in _rows(one)], n_names=2),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
        reading=reading + canvas.missing_note(each.source for one in shown for each in one.distances),
    )


def _panel(axes: "Axes", one: SignatureResult) -> None:
    nearest_first = sorted(one.distances, key=lambda each: each.distance)[:MOST_SOURCES]
    band = one.band
    if band and band.low is not None and band.high is not None and band.median is not None:
        axes.axvspan(band.low, band.high, color=canvas.LINE, alpha=0.35, linewidth=0, zorder=1)
        axes.axvline(band.median, color=canvas.MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=2)
    for row, each in enumerate(nearest_first):
        settled = each.source not in one.not_settled
        colour = canvas.COLOURS[0]
        axes.plot(
            [each.distance], [row], marker="o", markersize=5, markerfacecolor=colour if settled else "white",
            markeredgecolor=colour, markeredgewidth=1, linestyle="", clip_on=False, zorder=5,
        )  # fmt: skip
    axes.set_yticks(
        range(len(nearest_first)),
        [canvas.fitted(each.source, _LEFT - 0.15, canvas.SMALL) for each in nearest_first],
    )
    axes.set_ylim(len(nearest_first) - 0.4, -0.6)
    ends = [each.distance for each in nearest_first]
    axes.set_xlim(0, 1.05 * max(*ends, (band.high if band else None) or 0.0, 1e-9))
    axes.set_title(canvas.fitted(one.title, canvas.WIDTH - _LEFT), fontsize=canvas.FONT, loc="left", pad=3)
    axes.set_xlabel(f"distance to people, {one.unit}", fontsize=canvas.SMALL, labelpad=1)


def _finding(one: SignatureResult) -> str:
    far = ", ".join(f"{each.source} {words.number(each.distance)}" for each in one.distances)
    said = f"{one.title}: {far} {one.unit} from people"
    if one.nearest is not None and len(one.distances) > 1:
        said += f"; {one.nearest} is nearest"
        if one.nearest_share is not None:
            said += f", in {one.nearest_share:.0%} of resamples"
        said += outside_words(one).replace(";", ",", 1)
    if one.band and one.band.median is not None:
        ends = f"{words.number(one.band.low)} to {words.number(one.band.high)}"
        said += f"; {one.band.n} people among themselves {words.number(one.band.median)} ({ends})"
    elif one.band:
        said += f"; no band of people, for {one.band.reason}"
    return said


def _head(shown: Sequence[SignatureResult]) -> tuple[str, ...]:
    rows_are = shown[0].distances[0].unit
    people = ("people: median", "5 to 95%", "people")
    return ("signature", "source", "distance", "unit", rows_are, "settled", *people)


def _rows(one: SignatureResult) -> Iterator[tuple[str, ...]]:
    band = one.band
    limits = (
        f"{words.number(band.low, 3)} to {words.number(band.high, 3)}"
        if band and band.low is not None
        else words.NONE
    )
    for each in one.distances:
        yield (
            *(one.signature, each.source, words.number(each.distance, 3), one.unit, str(each.n)),
            "no" if each.source in one.not_settled else "yes",
            *(words.number(band.median if band else None, 3), limits, str(band.n if band else 0)),
        )


def _maps(shown: Sequence[SignatureResult], human: str, of: _Of) -> AnyFigure:
    title = f"Map of people and sources, by {of.how}"
    maps = [one for one in shown if one.map is not None and one.map.stress is not None]
    if not maps:
        return NoFigure(of.map_name, title, "All distances are 0: there is nothing to lay out.")
    n_rows = (len(maps) + 1) // 2
    step = _SIDE + 0.5
    height = n_rows * step + 0.15

    def paint(sheet: "Sheet") -> None:
        for at, one in enumerate(maps):
            left = 0.3 + (at % 2) * (_SIDE + _ASIDE)
            _map(canvas.axes_at(sheet, left, height - 0.3 - _SIDE - at // 2 * step, _SIDE, _SIDE), one, human)

    stresses = [f"{one.title} {words.number(one.map.stress if one.map else None, 3)}" for one in maps]
    said = words.sentence(f"stress of each map: {words.listed(stresses)}")
    alt = f"One map for each signature: small dots are people, named marks are sources. {said}"
    svg, png = canvas.drawn(height, paint, title, alt)
    return Figure(
        name=of.map_name,
        title=title,
        sentence=said,
        alt=alt,
        numbers=numbers_of(MAP_HEAD, [tuple(map(_cell, row)) for row in map_rows(maps)], n_names=2),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
        reading="What is near on a map is near by its distance, in that distance's unit (classical multidimensional "
        "scaling); the axes mean nothing. Grey dots are people. Stress (Kruskal's stress-1) is 0 where the map shows "
        "every distance as it is; above 0.2 read the distances, not the map."
        + "".join(f" {one.title}: {left_off_words(one)}" for one in maps if one.left_off_map)
        + canvas.missing_note(each.source for one in maps for each in one.distances),
    )


def _map(axes: "Axes", one: SignatureResult, human: str) -> None:
    assert one.map is not None
    names = sorted(each.source for each in one.distances)
    people = [at for at, label in enumerate(one.map.labels) if label not in names]
    axes.plot(
        [one.map.x[at] for at in people], [one.map.y[at] for at in people], marker="o", markersize=3.2,
        color=canvas.LINE, linestyle="", clip_on=False, zorder=3, label=human,
    )  # fmt: skip
    middle = (min(one.map.x) + max(one.map.x)) / 2
    for label, x, y in zip(one.map.labels, one.map.x, one.map.y, strict=True):
        if label not in names:
            continue
        place = names.index(label)
        axes.plot(
            [x], [y], marker=canvas.MARKERS[place % len(canvas.MARKERS)], markersize=5, linestyle="",
            color=canvas.COLOURS[place % len(canvas.COLOURS)], clip_on=False, zorder=5,
        )  # fmt: skip
        if place < MOST_SOURCES:
            axes.annotate(
                canvas.fitted(label, 0.8, canvas.SMALL), (x, y), xytext=(4 if x <= middle else -4, 4),
                textcoords="offset points", ha="left" if x <= middle else "right", fontsize=canvas.SMALL, zorder=6,
            )  # fmt: skip
    across, up = ((min(values), max(values)) for values in (one.map.x, one.map.y))
    half = 0.5 * max(across[1] - across[0], up[1] - up[0], 1e-9) * 1.2
    axes.set_xlim(sum(across) / 2 - half, sum(across) / 2 + half)
    axes.set_ylim(sum(up) / 2 - half, sum(up) / 2 + half)
    axes.tick_params(labelsize=canvas.SMALL - 1)
    axes.locator_params(axis="x", nbins=3)
    # Both ways the same scale: one is enough.
    axes.set_yticks([])
    axes.set_title(
        canvas.fitted(f"{one.signature}, stress {words.number(one.map.stress, 3)}", _SIDE + 0.3, canvas.SMALL),
        fontsize=canvas.SMALL, loc="left", pad=3,
    )  # fmt: skip


def map_rows(found: Sequence[SignatureResult]) -> Iterator[tuple[object, ...]]:
    """A row for each person and source on each map, in the columns of `MAP_HEAD`."""
    for one in found:
        if one.map is not None:
            for label, x, y in zip(one.map.labels, one.map.x, one.map.y, strict=True):
                yield one.signature, label, x, y, one.map.stress, one.map.variance


def _cell(value: object) -> str:
    return words.number(value, 3) if isinstance(value, float) else str(value or words.NONE)
