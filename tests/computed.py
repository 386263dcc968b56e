"""The two longest computations of an analysis, done once in each process: tests analyse the same few tables again. So
are drawings of the same numbers, without the picture in points, which is half of drawing.

`make test-all` does without. Tests of the two themselves call them where they are defined, and compute each time.
"""

import pickle
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from analysis.figures import canvas
from analysis.stats import crossed, dawid_skene, mixed, mixed_conditions
from analysis.stats.crossed import Answers
from analysis.stats.intervals import Floats
from analysis.stats.label_probability import log_odds_of_a
from analysis.stats.posterior import Posterior, posterior

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Sheet

T = TypeVar("T")
_known: dict[object, object] = {}
_draw = canvas.drawn
picture = canvas.picture
# One white point: what files and pages hold is a PNG.
POINT = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63f8ffff3f0005fe02fe0def46b80000000049454e44ae426082"
)


def compute_once() -> None:
    """From now on what was computed of the same numbers is taken as it was, and pictures are one point."""
    canvas.DPI = 30
    canvas.picture = _point
    canvas.drawn = _drawn
    for module in (mixed, mixed_conditions):
        module.posterior = _posterior  # type: ignore[attr-defined]
    dawid_skene.log_odds_of_a = _log_odds_of_a  # type: ignore[attr-defined]


def _posterior(answers: Answers) -> Posterior:
    parts = (answers.design, answers.first, answers.second, answers.outcome)
    return _once((crossed._MOST_STEPS, *map(_cells, parts)), lambda: posterior(answers))


def _log_odds_of_a(pair: crossed.Codes, person: crossed.Codes, side: Floats, n_pairs: int) -> Floats:
    key = (*map(_cells, (pair, person, side)), n_pairs)
    return _once(key, lambda: log_odds_of_a(pair, person, side, n_pairs)).copy()


def _drawn(height: float, paint: "Callable[[Sheet], None]", title: str, alt: str) -> tuple[str, bytes]:
    """Of a painter that a test wraps around another, which cannot be pickled, each time anew."""
    assert isinstance(paint, FunctionType)
    try:
        seen = pickle.dumps([cell.cell_contents for cell in paint.__closure__ or ()])
    except (AttributeError, TypeError, pickle.PicklingError):
        return _draw(height, paint, title, alt)
    key = paint.__code__, seen, height, title, alt, canvas.DPI, canvas.picture
    return _once(key, lambda: _draw(height, paint, title, alt))


def _point(sheet: "Sheet") -> bytes:
    return POINT


def _cells(values: np.ndarray) -> tuple[object, ...]:
    return values.dtype.str, values.shape, values.tobytes()


def _once(key: object, compute: Callable[[], T]) -> T:
    if key not in _known:
        _known[key] = compute()
    return _known[key]  # type: ignore[return-value]
