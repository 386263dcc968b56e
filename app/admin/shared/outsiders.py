"""Findings as outsiders see them: nobody is named, not even by a pseudonym, and no link leads to other pages.

Results hold no free text of participants; should a later statistic name people, its section says so and is left out.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from analysis.findings.model import Cell, Figure, Findings, Mark, Numbers

_PSEUDONYM = re.compile(r"p-[0-9a-f]{8}")


def for_outsiders(view: Findings) -> Findings:
    return replace(
        view,
        figures=tuple(map(_figure, view.figures)),
        sections=tuple(
            replace(
                section,
                figures=tuple(map(_figure, section.figures)),
                tables=tuple(map(_numbers, section.tables)),
            )
            for section in view.sections
            if not section.names_people
        ),
        cautions=tuple(replace(caution, link="", link_says="") for caution in view.cautions),
    )


def _figure(figure: Figure) -> Figure:
    return replace(figure, numbers=_numbers(figure.numbers), marks=tuple(map(_mark, figure.marks)))


def _mark(mark: Mark) -> Mark:
    return replace(
        mark, name=_PSEUDONYM.sub("one person", mark.name), spoken=_PSEUDONYM.sub("one person", mark.spoken)
    )


def _numbers(numbers: Numbers) -> Numbers:
    """People become numbers of this table alone, in the order of what it says of them and not of their arrival."""
    if not any(_names(row) for row in numbers.rows):
        return numbers
    known: dict[str, str] = {}

    def unnamed(cell: Cell) -> Cell:
        if not isinstance(cell, str):
            return cell
        return _PSEUDONYM.sub(lambda found: known.setdefault(found[0], f"person {len(known) + 1}"), cell)

    rows = sorted(numbers.rows, key=lambda row: [repr(cell) for cell in row if not _names([cell])])
    return replace(numbers, rows=tuple(tuple(map(unnamed, row)) for row in rows))


def _names(cells: Sequence[Cell]) -> bool:
    return any(isinstance(cell, str) and _PSEUDONYM.search(cell) for cell in cells)
