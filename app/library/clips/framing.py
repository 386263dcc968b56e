"""The frame proposed for clips of different shapes. No codec: the sides are measured before."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from app.library.clips.facts import fitted
from app.library.clips.rules import SMALLEST_SIDE

LARGEST_FRAME = (1280, 720)
"""Largest proposed frame, px: two of it fit beside each other on a screen of participants, and load in time."""

_BARS_PX = 2

Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class FrameProposal:
    """The proposed sides, px, of `n` videos; `n_barred` have another shape and get black bars, `n_enlarged` are smaller
    in both directions.
    """

    width: int
    height: int
    n: int
    n_barred: int
    n_enlarged: int

    @property
    def says(self) -> str:
        of = "the video's own shape" if self.n == 1 else f"the middle shape of {self.n} videos"
        rest = [f"Proposed: {of}, at most {LARGEST_FRAME[0]} × {LARGEST_FRAME[1]} px"]
        if self.n_barred:
            rest.append(f"{_videos(self.n_barred, 'has', 'have')} another shape and will get black bars")
        if self.n_enlarged:
            rest.append(f"{_videos(self.n_enlarged, 'is', 'are')} smaller and will be enlarged")
        return "; ".join(rest) + "."


def proposed_frame(sizes: Sequence[Size]) -> Size:
    """The median shape of videos, by width over height, then by width: even, at most LARGEST_FRAME, never enlarged."""
    ordered = sorted(sizes, key=lambda size: (Fraction(*size), size))
    width, height = ordered[(len(ordered) - 1) // 2]
    if width > LARGEST_FRAME[0] or height > LARGEST_FRAME[1]:
        width, height = fitted(width, height, LARGEST_FRAME)
    return max(width // 2 * 2, SMALLEST_SIDE), max(height // 2 * 2, SMALLEST_SIDE)


def sizes_in(text: str) -> list[Size]:
    """Sides of videos written as `1920x1080`, joined by commas; anything else is left out."""
    pairs = (part.strip().split("x") for part in text.split(","))
    numbers = [pair for pair in pairs if len(pair) == 2 and all(_is_side(side) for side in pair)]
    return [(int(width), int(height)) for width, height in numbers]


def _is_side(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 6 and int(text) > 0


def frame_proposal(sizes: Sequence[Size]) -> FrameProposal | None:
    """The proposal for videos of these sides; None for none."""
    if not sizes:
        return None
    frame = proposed_frame(sizes)
    return FrameProposal(
        *frame,
        n=len(sizes),
        n_barred=sum(_is_barred(size, frame) for size in sizes),
        n_enlarged=sum(size[0] < frame[0] and size[1] < frame[1] for size in sizes),
    )


def _is_barred(size: Size, frame: Size) -> bool:
    inner = fitted(*size, frame)
    return max(frame[0] - inner[0], frame[1] - inner[1]) > _BARS_PX


def _videos(n: int, one: str, more: str) -> str:
    return f"{n} video {one}" if n == 1 else f"{n} videos {more}"
