"""Positions go with the clip: what rules trim off its ends, judges of positions do not see either."""

import csv
import hashlib
import io
import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select

from analysis.files.faults import TableFault
from app.core.spreadsheet import csv_rows
from app.judges.base import StimulusFiles
from app.judges.runner import PairToJudge, Span
from app.library.tables import LibraryRules, Stimulus
from app.trials.tables import UnitMember

_TIME = "t_s"
_ROUNDING_S = 1e-6
_FRAME_S = 0.07  # what a clip's length may differ by: it is a whole number of frames


class Spans:
    """The span of its recording that each clip shows, including clips processed by earlier rules."""

    def __init__(self, session: Session) -> None:
        rows = session.exec(select(LibraryRules).order_by(col(LibraryRules.id))).all()
        self._past = [(row.collection_id, row.saved_at, _trims(row.rules)) for row in rows]

    def of_stimulus(self, stimulus: Stimulus) -> Span | None:
        """The span that its clip shows now."""
        return _span(stimulus.duration_s, _trims(stimulus.rules))

    def of_member(self, member: UnitMember, stimulus: Stimulus, saved_at: datetime) -> Span | None:
        """The span shown by the clip of a saved version; None if the trimming is no longer known."""
        if member.sha256 == stimulus.clip_sha256:
            return self.of_stimulus(stimulus)
        trims = (0.0, 0.0)
        for collection, since, then in self._past:
            if collection == stimulus.collection_id and since <= saved_at:
                trims = then
        if member.duration_s is None or stimulus.duration_s is None:
            return None
        recorded_s = stimulus.duration_s + sum(_trims(stimulus.rules))
        if abs(member.duration_s + sum(trims) - recorded_s) > _FRAME_S:
            return None
        return _span(member.duration_s, trims)


def _trims(rules: Mapping[str, Any]) -> tuple[float, float]:
    return float(rules.get("trim_start_s", 0.0)), float(rules.get("trim_end_s", 0.0))


def _span(duration_s: float | None, trims: tuple[float, float]) -> Span | None:
    return None if duration_s is None else Span(trims[0], duration_s)


@contextmanager
def as_shown(pairs: Sequence[PairToJudge]) -> Iterator[Sequence[PairToJudge]]:
    """The pairs with positions cut to what was shown, in temporary files named by content."""
    with tempfile.TemporaryDirectory(prefix="positions-") as folder:
        cut: dict[tuple[Path, Span], Path] = {}

        def shown(files: StimulusFiles, span: Span | None) -> StimulusFiles:
            if files.positions is None or span is None:
                return files
            key = (files.positions, span)
            if key not in cut:
                cut[key] = cut_positions(files.positions, span, Path(folder))
            return replace(files, positions=cut[key])

        yield [replace(pair, a=shown(pair.a, pair.span_a), b=shown(pair.b, pair.span_b)) for pair in pairs]


def cut_positions(positions: Path, span: Span, folder: Path) -> Path:
    """The rows of a file of positions within a span, as a file in `folder` whose times begin with the clip.

    Returns the file itself if nothing is cut, or if it is no table with times: its reader reports the problem.
    """
    try:
        rows = [row.cells for row in csv_rows(positions)]
        at = rows[0].index(_TIME)
        times = [float(row[at]) for row in rows[1:]]
    except (OSError, ValueError, IndexError, TableFault):
        return positions
    end_s = span.start_s + span.lasts_s
    # Times were rounded when they were written: a moment at an edge must not fall on either side by chance.
    kept = [span.start_s - _ROUNDING_S <= time < end_s - _ROUNDING_S for time in times]
    if (all(kept) and span.start_s == 0) or not all(map(math.isfinite, times)):
        return positions
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(rows[0])
    for row, time, is_shown in zip(rows[1:], times, kept, strict=True):
        if is_shown:
            writer.writerow([*row[:at], f"{time - span.start_s:.6f}", *row[at + 1 :]])
    content = table.getvalue().encode()
    target = folder / f"{hashlib.sha256(content).hexdigest()}.csv"
    target.write_bytes(content)
    return target
