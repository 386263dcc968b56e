"""A judge that was trained: a folder with weights and a card, run with NumPy alone."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from analysis.errors import AnalysisError
from analysis.learning.card import Loaded, apart, loaded_card, wanted
from analysis.learning.networks import By, Parameters, Settings, cut, score
from analysis.learning.paths import Path as Track
from analysis.learning.pictures import Frames
from analysis.learning.votes import CARD_FORMAT
from analysis.learning.weights import MOST_BYTES, digest, unpacked
from app.core.errors import Conflict, StudyError
from app.judges.base import (
    JudgeFailed,
    JudgeInfo,
    JudgeUnavailable,
    Needs,
    PairFiles,
    StimulusFiles,
    Verdict,
    by_value,
)
from app.judges.frames import read_frames
from app.judges.frozen import FrozenFeatures, refuse_others
from app.judges.models import CARD, CARD_TEXT, is_model
from app.judges.positions import TIME, Floats, read_positions
from app.judges.runner import Clock, OnProgress, PairToJudge, VerdictRow, run_judge

_GOAL = ("goal_x_m", "goal_y_m")
_UNITS: Mapping[By, tuple[str, float]] = {
    "share": ("difference (a less b) of the share of windows called human, in percentage points", 100.0),
    "mean-logit": ("difference (a less b) of the mean logit of windows, times 100", 100.0),
}


@dataclass(frozen=True, slots=True)
class Model:
    """A trained judge as stored: its card and the weights of its copies; and the pretrained network it builds on, if
    any.
    """

    folder: Path
    card: Loaded
    copies: Sequence[Parameters]
    frozen: FrozenFeatures | None = None


def check_by(by: str) -> By:
    """Raises StudyError for any other."""
    for known in _UNITS:
        if known == by:
            return known
    raise StudyError(f"--by {by[:40]!r} is not allowed; allowed: {', '.join(_UNITS)}")


def load_model(folder: Path, frozen: FrozenFeatures | None = None) -> Model:
    """Load a trained judge. Raises JudgeUnavailable, naming the file, for anything but what a training wrote."""
    try:
        card = loaded_card(card_string(folder / CARD), str(folder / CARD))
        refuse_others(folder, card.features, frozen)
        path = folder / card.file
        if path.stat().st_size > MOST_BYTES:
            raise JudgeUnavailable(
                f"{path}: is larger than {MOST_BYTES // 10**6} MB, which no judge of ours is"
            )
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != path.stem:
            raise JudgeUnavailable(
                f"{path}: was changed since it was written; its name is the hash of its content"
            )
        found = unpacked(data, wanted(card.settings), str(path))
        if digest(found) != card.digest:
            raise JudgeUnavailable(f"{path}: is not what the card was written for")
    except OSError as error:
        raise JudgeUnavailable(f"{error.filename}: cannot be read ({error.strerror})") from None
    except AnalysisError as error:
        raise JudgeUnavailable(str(error)) from None
    if frozen is not None and any(each.features != frozen.n for each in card.settings):
        raise JudgeUnavailable(f"{folder / CARD}: is of another number of features than {frozen.name} gives")
    return Model(folder, card, apart(found, len(card.settings)), frozen)


def card_text(folder: Path, *, as_json: bool) -> str:
    """The card, for people or as JSON. Raises NotFound's kin where there is none."""
    if not is_model(folder):
        raise StudyError(f"{folder} holds no trained judge: there is no {CARD} in it")
    _check(card_string(folder / CARD), folder / CARD)
    return card_string(folder / (CARD if as_json else CARD_TEXT))


def card_string(path: Path) -> str:
    """A file of a model as text. Raises JudgeUnavailable, naming it."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise JudgeUnavailable(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise JudgeUnavailable(f"{path}: is not UTF-8") from None


def _check(text: str, path: Path) -> None:
    """Raises AnalysisError if the text is not the card of a trained judge."""
    if f'"{CARD_FORMAT}"' not in text[:200]:
        loaded_card(text, str(path))


class TrainedJudge:
    """One copy of a trained judge, by the share of windows that it calls human or by their mean logit; if not said, as
    its card says."""

    def __init__(self, model: Model, copy: int, by: By | None = None) -> None:
        self._settings: Settings = model.card.settings[copy]
        self._parameters = model.copies[copy]
        self._frozen = model.frozen
        self._by: By = by or model.card.by
        unit, self._scale = _UNITS[self._by]
        self._info = JudgeInfo(
            name=model.card.name + ("" if self._by == model.card.by else f"-{self._by}"),
            version=model.card.version,
            title=f"{model.card.title} ({'clips' if self._settings.sees else 'positions'})",
            reference=f"{model.card.origin}. More counts as human: so it was trained",
            score_unit=unit,
            needs=Needs.CLIPS if self._settings.sees else Needs.POSITIONS,
        )

    @property
    def info(self) -> JudgeInfo:
        return self._info

    def prepare(self) -> None:
        """Loaded already."""

    def judge(self, pair: PairFiles) -> Verdict:
        return by_value(self._value, pair, scale=self._scale)

    def _value(self, files: StimulusFiles) -> float:
        settings = self._settings
        file = files.clip if settings.sees else files.positions
        try:
            value = score(settings, self._parameters, cut(self._seen(files), settings)).value(self._by)
        except AnalysisError as error:
            raise JudgeFailed(file, str(error)) from None
        if not math.isfinite(value):
            raise JudgeFailed(file, "gives no finite score")
        return value

    def _seen(self, files: StimulusFiles) -> Track | Frames:
        settings = self._settings
        if self._frozen is None:
            return read_frames(files, settings) if settings.sees else track_of(files, settings)
        return self._frozen.looked_at(files, settings, None if settings.sees else track_of(files, settings))


def track_and_goal(files: StimulusFiles, settings: Settings) -> tuple[Track, tuple[float, float] | None]:
    """The path of a clip and, where the file has them, its heights, headings and the goal of its beginning.

    A file without heights is refused where the settings read them."""
    heights = ("z_m",) if settings.reads == "positions" else ()
    found = read_positions(files, ("x_m", "y_m", *heights), ("z_m", "heading_rad", *_GOAL))
    x_m, y_m = (found.get(column) for column in _GOAL)
    return _track(found), None if x_m is None or y_m is None else (float(x_m[0]), float(y_m[0]))


def track_of(files: StimulusFiles, settings: Settings | None = None) -> Track:
    """The path of a clip; without settings its headings and heights are read where there are any."""
    if settings is None:
        return _track(read_positions(files, ("x_m", "y_m"), ("z_m", "heading_rad")))
    columns = ["x_m", "y_m"]
    columns += ["z_m"] if settings.reads == "positions" else []
    columns += ["heading_rad"] if settings.by_heading else []
    return _track(read_positions(files, columns))


def _track(found: Mapping[str, Floats]) -> Track:
    height = found["z_m"] if "z_m" in found else 0.0 * found["x_m"]
    return Track(found[TIME], found["x_m"], found["y_m"], height, found.get("heading_rad"))


def run_model(
    model: Model,
    pairs: Sequence[PairToJudge],
    *,
    by: By | None,
    cross_fitted: bool,
    allow_seen: bool,
    on_progress: OnProgress,
    now: Clock,
) -> list[VerdictRow]:
    """Verdicts of every copy, `run` being the copy's number; or, `cross_fitted`, of each pair that of a copy that saw
    neither of its clips.

    Raises Conflict where the judge was trained on clips that it is to judge, known by any of their files, unless
    cross-fitted or allowed.
    """
    seen = {pair.pair: [_copies(model, pair.hashes_a), _copies(model, pair.hashes_b)] for pair in pairs}
    overlap = sum(any(copies) for copies in seen.values())
    if cross_fitted:
        return _cross_fitted(model, pairs, seen, by, on_progress, now)
    if overlap and not allow_seen:
        raise Conflict(
            f"{model.folder} was trained on clips of {overlap} of the {len(pairs)} pairs, of which its verdicts "
            "would be memory; --cross-fitted takes for each pair a copy that never saw its clips, "
            "--allow study-clips judges all the same",
            on_page=f"{model.folder.name} was trained on clips of {overlap} of the {len(pairs)} pairs, of which its "
            "verdicts would be memory.",
        )
    copies = [TrainedJudge(model, copy, by) for copy in range(len(model.copies))]
    rows: list[list[VerdictRow]] = [[] for _ in copies]
    # All copies look at a pair before the next one comes: its pictures are decoded once.
    for done, pair in enumerate(pairs, start=1):
        for number, judge in enumerate(copies):
            (row,) = run_judge(judge, [pair], lambda *_: None, now)
            rows[number].append(replace(row, run=str(number + 1)))
        on_progress(done, len(pairs), judge.info.name)
    return [row for own in rows for row in own]


def _copies(model: Model, hashes: frozenset[str]) -> frozenset[int]:
    """The copies that were trained on a clip."""
    return frozenset().union(*(model.card.seen.get(sha, frozenset()) for sha in hashes))


def was_trained_on(model: Model, pairs: Sequence[PairToJudge]) -> bool:
    """Any of the clips."""
    return any(_copies(model, pair.hashes_a | pair.hashes_b) for pair in pairs)


def _cross_fitted(
    model: Model,
    pairs: Sequence[PairToJudge],
    seen: Mapping[str, Sequence[frozenset[int]]],
    by: By | None,
    on_progress: OnProgress,
    now: Clock,
) -> list[VerdictRow]:
    copies = range(1, len(model.copies) + 1)
    rows = []
    for done, pair in enumerate(pairs, start=1):
        a, b = seen[pair.pair]
        fresh = next((copy for copy in copies if copy not in a and copy not in b), None)
        judge = TrainedJudge(model, (fresh or 1) - 1, by)
        row = run_judge(judge, [pair], lambda *_: None, now)[0]
        if fresh is None:
            row = replace(row, choice=None, score=None, problem="every copy was trained on one of the clips")
        rows.append(row)
        on_progress(done, len(pairs), judge.info.name)
    return rows
