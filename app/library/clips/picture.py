"""Conversion of a decoded frame to the picture shown: upright, opaque, masked, letter-boxed, in one colour space."""

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from av.error import FFmpegError
from av.filter import Graph
from av.sidedata.sidedata import Type
from av.video.frame import VideoFrame
from av.video.reformatter import Colorspace

from app.library.clips.errors import NotAVideo
from app.library.clips.facts import fitted
from app.library.clips.rules import Mask

_UNSPECIFIED = 2  # AVCOL_SPC_UNSPECIFIED
_HIGH_DEFINITION_ROWS = 720
_SWS_FLAGS = "bicubic+accurate_rnd+full_chroma_int+bitexact"

# Where the two axes of a frame go, as signs in its display matrix, to the filter that puts it upright.
_TURNED = {(1, 1): "cclock_flip", (1, -1): "clock", (-1, 1): "cclock", (-1, -1): "clock_flip"}


# What shines through is black: a colour as dark as it is transparent. FFmpeg itself would drop the transparency.
_FLATTENED = (("scale", f"flags={_SWS_FLAGS}"), ("format", "gbrap"), ("premultiply", "inplace=1"))


def is_transparent(frame: VideoFrame) -> bool:
    """True if a frame's pixels have an alpha channel."""
    return any(part.is_alpha for part in frame.format.components)


@dataclass(frozen=True, slots=True)
class Upright:
    """The rotation of a frame: filters in order, and whether width and height are swapped."""

    filters: tuple[tuple[str, str], ...] = ()
    swaps_sides: bool = False


def upright(frame: VideoFrame) -> Upright:
    """Read a frame's display matrix, which phones write instead of turning the pixels."""
    matrix = frame.side_data.get(Type.DISPLAYMATRIX)  # type: ignore[call-overload]
    if matrix is None:
        return Upright()
    a, b, _, c, d = struct.unpack_from("=5i", bytes(matrix))
    if abs(b) > abs(a):
        return Upright((("transpose", _TURNED[b > 0 or -1, c > 0 or -1]),), swaps_sides=True)
    return Upright((("hflip", ""),) * (a < 0) + (("vflip", ""),) * (d < 0))


def displayed_size(frame: VideoFrame, pixel_aspect: Fraction | None) -> tuple[int, int]:
    """Width and height as a viewer sees them: upright, and with square pixels."""
    width, height = frame.width, frame.height
    if pixel_aspect:
        width = max(1, round(width * pixel_aspect))
    return (height, width) if upright(frame).swaps_sides else (width, height)


@dataclass(slots=True)
class Painter:
    """Turns decoded frames into frames to encode, all of one size and colour space.

    A stream may change its frame size or format as it goes; the filters are then built anew.
    """

    source: Path
    size: tuple[int, int]
    masks: Sequence[Mask]
    pixel_aspect: Fraction | None
    _key: tuple[object, ...] = ()
    _graph: Graph = field(default_factory=Graph)

    def paint(self, frame: VideoFrame) -> VideoFrame:
        """The frame as shown. Raises NotAVideo where its pixels cannot be converted."""
        if frame.colorspace == _UNSPECIFIED:
            frame.colorspace = _assumed_matrix(frame)
        key = (frame.width, frame.height, frame.format.name, frame.colorspace, frame.color_range)
        try:
            if key != self._key:
                self._graph, self._key = self._filters(frame), key
            self._graph.vpush(frame)
            return self._graph.vpull()
        except FFmpegError:
            raise NotAVideo(self.source, f"has pixels that cannot be shown ({frame.format.name})") from None

    def _filters(self, frame: VideoFrame) -> Graph:
        shown = displayed_size(frame, self.pixel_aspect)
        turn = upright(frame)
        turned = (frame.height, frame.width) if turn.swaps_sides else (frame.width, frame.height)
        graph = Graph()
        graph.threads = 1
        source = graph.add(
            "buffer",
            video_size=f"{frame.width}x{frame.height}",
            pix_fmt=frame.format.name,
            time_base="1/1000",
            pixel_aspect="1/1",
            colorspace=str(int(frame.colorspace)),
            range=str(int(frame.color_range)),
        )
        steps = [
            *(_FLATTENED if is_transparent(frame) else ()),
            *turn.filters,
            *_masked(self.masks, *turned),
            *_letter_boxed(fitted(*shown, self.size), self.size),
        ]
        nodes = [graph.add(name, arguments or None) for name, arguments in steps]
        graph.link_nodes(source, *nodes, graph.add("buffersink")).configure()
        return graph


def _masked(masks: Sequence[Mask], width: int, height: int) -> list[tuple[str, str]]:
    """Filters for masks, applied before scaling, so that no filter blurs hidden content across their edges."""
    if not masks:
        return []
    # Black is another number in a full-range frame, and drawbox does not ask.
    return [*_converted(width, height), *(("drawbox", _box(mask, width, height)) for mask in masks)]


def _letter_boxed(content: tuple[int, int], size: tuple[int, int]) -> list[tuple[str, str]]:
    # Even offsets: in 4:2:0 two by two pixels share one chroma sample.
    left, top = ((outer - inner) // 4 * 2 for outer, inner in zip(size, content, strict=True))
    return [
        *_converted(*content),
        ("pad", f"{size[0]}:{size[1]}:{left}:{top}:color=black"),
        ("setsar", "1"),
    ]


def _converted(width: int, height: int) -> list[tuple[str, str]]:
    colours = "out_color_matrix=bt709:out_range=limited"
    return [("scale", f"{width}:{height}:flags={_SWS_FLAGS}:{colours}"), ("format", "yuv420p")]


def _box(mask: Mask, width: int, height: int) -> str:
    """A mask in pixels, grown to whole chroma samples so that none of what it hides remains visible."""
    left, top = math.floor(mask.x * width) // 2 * 2, math.floor(mask.y * height) // 2 * 2
    right = min(-(-math.ceil((mask.x + mask.width) * width) // 2) * 2, width)
    bottom = min(-(-math.ceil((mask.y + mask.height) * height) // 2) * 2, height)
    return f"{left}:{top}:{right - left}:{bottom - top}:color=black:thickness=fill"


def _assumed_matrix(frame: VideoFrame) -> int:
    """The colour matrix that players assume if a frame does not say: standard definition below 720 rows."""
    if frame.format.is_rgb:
        return 0
    high = min(frame.width, frame.height) >= _HIGH_DEFINITION_ROWS
    return int(Colorspace.ITU709 if high else Colorspace.SMPTE170M)
