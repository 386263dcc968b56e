"""Texts about a clue: its name, its values with their unit, the difference, and the remedy."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from analysis.results import Result
from analysis.stats.intervals import Floats

Finding = Literal["telling", "unclear", "weak", "same", "undefined"]

NOTHING_TO_DO = "Nothing needs doing."

MOST_DIGITS = 4  # of any number shown

INSIDE = ("key_frame_bytes", "frame_bytes", "frame_bytes_spread")
"""What only shows to somebody who takes a served file apart."""

_ORIGINAL = "original_"


@dataclass(frozen=True, slots=True)
class Advice(Result):
    """One sentence about the difference, one about the remedy."""

    difference: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Words:
    """A clue's name, the unit its values are shown in (`scale` times the number), and how two values are written:
    "human `noun` `verb` 1.3 s`after`, the others `before`0.0 s"."""

    label: str
    unit: str
    verb: str
    after: str = ""
    before: str = ""
    scale: float = 1.0
    noun: str = "clips"


_GREY = "grey levels"
_KNOWN = {
    "duration_s": Words("duration", "s", "last"),
    "bytes": Words("file size", "kB", "take up", scale=0.001),
    "width": Words("frame width", "px", "are", " wide"),
    "height": Words("frame height", "px", "are", " high"),
    "fps": Words("frame rate", "frames/s", "run at", before="at "),
    "bitrate_kbps": Words("bit rate", "kbit/s", "run at", before="at "),
    "brightness": Words("brightness", _GREY, "have a mean brightness of", before="of "),
    "contrast": Words("contrast", _GREY, "have a contrast of", before="of "),
    "sharpness": Words("sharpness", "", "have a sharpness of", before="of "),
    "motion": Words("amount of motion", _GREY, "change from picture to picture by", before="by "),
    "still_start_s": Words("standing still at the start", "s", "begin with", " standing still", "with "),
    "still_end_s": Words("standing still at the end", "s", "end with", " standing still", "with "),
    "key_frame_bytes": Words("size of key frames", "bytes", "have key frames of", before="of "),
    "frame_bytes": Words("size of the other frames", "bytes", "have other frames of", before="of "),
    "frame_bytes_spread": Words(
        "spread of frame sizes", "% of the mean", "have a spread of frame sizes of", before="of ", scale=100
    ),
    # Of records and texts: what is read.
    "characters": Words("length", "characters", "have", noun="items"),
    "words": Words("number of words", "words", "have", noun="items"),
    "lines": Words("number of lines", "lines", "have", noun="items"),
    "rounds": Words("number of rounds", "rounds", "have", noun="items"),
    "source_names": Words("names of sources", "times", "name a source", before="do so ", noun="items"),
    "player_names": Words("names of players", "times", "name a player", before="do so ", noun="items"),
    "odd_numbers": Words(
        "odd numbers", "% of numbers", "have odd numbers in", before="in ", scale=100, noun="items"
    ),
}


def words_for(clue: str) -> Words:
    """The words of a clue; any other column goes by its name, and `original_` is of the file handed in."""
    of_original = clue.startswith(_ORIGINAL)
    name = clue.removeprefix(_ORIGINAL)
    plain = name.replace("_", " ")
    words = _KNOWN.get(name, Words(plain, "", f"have a {plain} of", before="of "))
    return replace(words, label=f"{words.label} of the original", noun="originals") if of_original else words


def shown_value(clue: str, value: float, *, apart: float = 0.0) -> str:
    """A value with its unit, with enough decimals to distinguish values so far apart (or else about three digits)."""
    words = words_for(clue)
    return f"{_number(value * words.scale, apart * words.scale)} {words.unit}".rstrip()


def difference(clue: str, first: str, second: str | None, x: Floats, y: Floats) -> str:
    """One sentence with the numbers of two sources' clips, or of one source's and all the others' (None)."""
    words = words_for(clue)
    them = "the others" if second is None else f"{second} {words.noun}"
    for middle, lead, close in (
        (np.median, "", " (medians)"),
        (np.mean, "On average ", "; the medians are the same"),
    ):
        a, b = round(float(middle(x)), 6), round(float(middle(y)), 6)
        if a == b:
            continue
        apart = abs(a - b)
        of_first = f"{first} {words.noun} {words.verb} {shown_value(clue, a, apart=apart)}{words.after}"
        of_second = f"{them} {words.before}{shown_value(clue, b, apart=apart)}"
        return f"{capital(f'{lead}{of_first}, {of_second}{close}')}."
    return capital(f"{first} {words.noun} and {them} have the same median and the same mean.")


def advise(
    clips: pd.DataFrame, clue: str, finding: Finding, first: str, second: str | None, reason: str | None
) -> Advice:
    """Advice according to a clue's finding; the numbers are of `first` against `second` (or all others)."""
    noun = "clips" if words_for(clue).noun == "originals" else words_for(clue).noun
    if finding == "undefined":
        return Advice(f"Nothing to compare: {reason}.", f"Add {noun} of both kinds, then look again.")
    if finding == "same":
        return Advice(f"The same for all {noun}: {shown_value(clue, clips[clue].max())}.", NOTHING_TO_DO)
    chosen = (
        clips["source"] == first,
        clips["source"] != first if second is None else clips["source"] == second,
    )
    x, y = (clips.loc[rows, clue].dropna().to_numpy() for rows in chosen)
    remedies = {
        "telling": lambda: remedy(clue, clips),
        "unclear": lambda: (
            f"{len(x)} and {len(y)} {noun} are too few to tell: look again when there are more."
        ),
    }
    return Advice(difference(clue, first, second, x, y), remedies.get(finding, lambda: NOTHING_TO_DO)())


def remedy(clue: str, clips: pd.DataFrame) -> str:
    """One sentence on what to do about a clue that tells the source, with numbers where the clips give them."""
    known = _REMEDIES.get(clue)
    return (
        known(clips)
        if known
        else "Make the recordings alike in it before they are uploaded, or choose clips that are."
    )


def capital(text: str) -> str:
    """The text as a sentence begins."""
    return text[:1].upper() + text[1:]


def _number(value: float, apart: float) -> str:
    size = abs(apart) or abs(value) / 10
    decimals = min(max(1 - math.floor(math.log10(size)), 0), 6) if size else 0
    if value and size:
        decimals = min(decimals, max(MOST_DIGITS - 1 - math.floor(math.log10(abs(value))), 0))
    text = f"{float(f'{value:.{MOST_DIGITS}g}'):.{decimals}f}" if abs(value) < 1e9 else f"{value:.3g}"
    return text.rstrip("0").rstrip(".") if decimals and not apart else text


def _trimming(side: str) -> Callable[[pd.DataFrame], str]:
    def described(clips: pd.DataFrame) -> str:
        still = clips[f"still_{side}_s"]
        most = clips["duration_s"].min() / 2 if "duration_s" in clips else math.inf
        nine_of_ten = still.groupby(clips["source"]).quantile(0.9).max()
        for wanted, effect in (
            (still.max(), "every clip"),
            (nine_of_ten, "nine of ten clips of each source"),
        ):
            cut = math.ceil(wanted * 2) / 2
            if cut <= most:
                rule = f"rule trim_{side}_s: {cut:g}"
                return f"Trim the {side} of all clips by {cut:g} s ({rule}), which takes it off {effect}."
        return (
            "Trimming alone cannot remove it, for it fills half of the shortest clip or more: "
            f"cut the {side} of the recordings one by one before they are uploaded, or choose other clips."
        )

    return described


def _cutting(clips: pd.DataFrame) -> str:
    shortest = math.floor(clips["duration_s"].min() * 10) / 10
    return (
        f"Cut all recordings to one length of at most {shortest:g} s, the shortest clip's, before they are uploaded: "
        "the rules take the same off every clip, and that leaves the difference."
    )


def _always(text: str) -> Callable[[pd.DataFrame], str]:
    return lambda _clips: text


_SAME_RULES = "Process all clips again by the same rules, those imported earlier too"
_HIDDEN = (
    "Participants see no sizes, for the clips of a study are served at one padded length; "
    "it comes of duration, motion and sharpness, so look at those first; a higher crf brings clips closer."
)
_INSIDE = (
    "Nobody who watches sees it; it comes of motion and sharpness, so look at those; "
    "a higher crf brings clips closer."
)
_LIGHT = (
    "The rules change no brightness or contrast: record all sources with the same display settings, correct "
    "the recordings in a video editor before they are uploaded, or mask a bright or dark part of the picture."
)
_LENGTH = (
    "Show as much of each: the same number of rounds, parts of one length, or excerpts cut alike. Where length is how "
    "they play or write, it is what people judge: keep it, and report it."
)
_NAMES = "Put neutral names in their place (A, B, ...), the same in all, and look again."
_RESOLUTION = (
    "Record or export all sources at one resolution, or lower the common frame size "
    "(rules width and height) to the smallest: scaling up leaves a softer picture."
)
_REMEDIES: Mapping[str, Callable[[pd.DataFrame], str]] = {
    "duration_s": _cutting,
    "bytes": _always(_HIDDEN),
    "bitrate_kbps": _always(_HIDDEN),
    **dict.fromkeys(INSIDE, _always(_INSIDE)),
    "width": _always(f"{_SAME_RULES}, with one width and height."),
    "height": _always(f"{_SAME_RULES}, with one width and height."),
    "fps": lambda clips: f"{_SAME_RULES}, with one frame rate (rule fps: {clips['fps'].min():g}).",
    "brightness": _always(_LIGHT),
    "contrast": _always(_LIGHT),
    "sharpness": _always(
        "Re-encode from recordings of one resolution and quality, or lower the common frame size "
        "(rules width and height) or raise crf until all are equally soft."
    ),
    "motion": _always(
        "Where this is how they behave, it is what participants judge: keep it, and report it; where it comes of "
        "recording (frame rate, a shaking camera, a moving display), record all sources alike or mask that part."
    ),
    "still_start_s": _trimming("start"),
    "still_end_s": _trimming("end"),
    "original_width": _always(_RESOLUTION),
    "original_height": _always(_RESOLUTION),
    "original_fps": lambda clips: (
        f"Record all sources at one frame rate, or show all at the lowest (rule fps: {clips['original_fps'].min():g}): "
        "repeated pictures look jerky."
    ),
    **dict.fromkeys(("characters", "words", "lines", "rounds"), _always(_LENGTH)),
    **dict.fromkeys(("source_names", "player_names"), _always(_NAMES)),
    "odd_numbers": _always(
        "Where this is how they play, it is what participants judge: keep it, and report it; where it comes of how "
        "amounts are written, write them alike."
    ),
    "original_bytes": _always(
        "Participants never get the originals; see that the processed clips are alike."
    ),
}
