"""Facts about a file's video, and the differences between the processed clip and the file in a player. No codec."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from app.library.clips.rules import Rules

_SAME_RATE = 0.01


@dataclass(frozen=True, slots=True)
class ClipInfo:
    """A video as it is: sides as seen (upright, square pixels), frames as counted rather than claimed.

    `others` are the sides of the pictures in tracks that are not taken, `track` the number of the one that is, from 1.
    """

    container: str
    codec: str
    width: int
    height: int
    duration_s: float
    fps: float
    frames: int
    has_audio: bool
    bytes: int
    track: int = 1
    others: tuple[tuple[int, int], ...] = ()
    transparent: bool = False
    has_subtitles: bool = False

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Self:
        """The same from the JSON that it was kept as."""
        return cls(**{**kept, "others": tuple(map(tuple, kept["others"]))})


def differences(info: ClipInfo, rules: Rules) -> tuple[str, ...]:
    """The differences between a clip made by rules that fix the frame size and its file in a player, one sentence each.

    Quality is left out: every clip is re-encoded.
    """
    size = rules.size
    assert size is not None
    return (*_of_file(info), *_of_rules(info, rules), *_of_frame(info, size))


def _of_file(info: ClipInfo) -> list[str]:
    said = []
    if info.others:
        others = ", ".join(_px(*sides) for sides in info.others)
        said.append(
            f"Of {len(info.others) + 1} video tracks the largest is taken: track {info.track}, "
            f"{_px(info.width, info.height)}, and not {others}."
        )
    if info.transparent:
        said.append("It can be transparent in parts: there it is black.")
    if info.has_audio:
        said.append("Its sound is left out.")
    if info.has_subtitles:
        said.append("Its subtitles are left out.")
    return said


def _of_rules(info: ClipInfo, rules: Rules) -> list[str]:
    said = []
    if rules.trim_start_s or rules.trim_end_s:
        ends = ((rules.trim_start_s, "start"), (rules.trim_end_s, "end"))
        cut = " and ".join(f"{seconds:g} s at its {where}" for seconds, where in ends if seconds)
        said.append(f"The rules cut off {cut}.")
    if rules.masks:
        masks = "a box" if len(rules.masks) == 1 else f"{len(rules.masks)} boxes"
        said.append(f"The rules cover {masks} of it in black.")
    if abs(info.fps - float(rules.rate)) > _SAME_RATE * float(rules.rate):
        said.append(f"It has {info.fps:g} frames a second, the clip {float(rules.rate):g}.")
    return said


def _of_frame(info: ClipInfo, size: tuple[int, int]) -> list[str]:
    frame, own = _px(*size), _px(info.width, info.height)
    content = fitted(info.width, info.height, size)
    said = []
    if info.width < size[0] and info.height < size[1]:
        said.append(f"It is scaled up from {own} to the library's {frame}, which can be seen.")
    elif info.width - content[0] > 2 or info.height - content[1] > 2:
        said.append(f"It is scaled down from {own}.")
    if max(abs(inner - outer) for inner, outer in zip(content, size, strict=True)) > 2:
        said.append(f"Its shape ({own}) is not that of its collection's frame ({frame}): it gets black bars.")
    return said


def fitted(width: int, height: int, size: tuple[int, int]) -> tuple[int, int]:
    """The largest even width and height of that shape within `size`."""
    scale = min(Fraction(size[0], width), Fraction(size[1], height))
    return _even(width * scale, size[0]), _even(height * scale, size[1])


def _even(length: Fraction, most: int) -> int:
    return max(2, min(round(length / 2) * 2, most))


def _px(width: int, height: int) -> str:
    return f"{width} x {height} px"
