"""The judge that learns from a study's votes: trained, written with its card and cross-fitted verdicts, run."""

import hashlib
import json
import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.data.selection import choose_mode, select
from analysis.errors import AnalysisError
from analysis.learning.baselines import FEATURES, features
from analysis.learning.cross_fitting import OnProgress, learn
from analysis.learning.figure import learning_figure
from analysis.learning.votes import CARD_FORMAT, Learnt, Preference, Votes
from analysis.learning.weights import digest, packed, unpacked
from analysis.stats.intervals import Floats
from app.core.errors import Conflict, StudyError
from app.core.whole_files import written_whole
from app.judges.base import JudgeFailed, JudgeInfo, JudgeUnavailable, Needs, PairFiles, Verdict
from app.judges.frozen import FrozenFeatures, refuse_others
from app.judges.models import CARD, VOTES
from app.judges.runner import PairToJudge, VerdictRow, verdicts_csv
from app.judges.trained import card_string, track_of
from app.judges.training import UNTRAINED, check_target, value_or_none, write_curves, written_model
from app.judges.training_data import Clip, Compared, clips_of
from app.judges.voted_card import card_lines

TITLE = "What people's votes look at (positions)"
TITLE_OF_FEATURES = "What people's votes look at (clips, features of a network that was trained elsewhere)"
VERDICTS = "verdicts.csv"
_VALUES = {"a": 1.0, "b": 0.0, "tie": 0.5}
_NOT_HELD_OUT = "too few pairs share no scene with it to learn from"
_PACKAGES = ("likely-human", "numpy", "scipy", "safetensors")
_REASONS = 3
_LONGEST_REASON = 300
_NOT_FOR = (
    "Weights say what goes along with people's votes here, not why they voted so; numbers that go together share a "
    "weight. On pairs with a truth it may have learnt who made a clip: read the pairs of agents alone. Do not use it "
    "as a reward"
)


@dataclass(frozen=True, slots=True)
class VotedStudy:
    """A study's clips and the answers to its main pairs, as they are counted."""

    slug: str
    known: Sequence[Compared]
    clips: Mapping[str, Clip]
    rows: pd.DataFrame
    mode: str


def voted_study(
    slug: str,
    known: Sequence[Compared],
    recorded: Sequence[PairToJudge],
    shown: Sequence[PairToJudge],
    responses: pd.DataFrame,
    mode: str | None,
) -> VotedStudy:
    """The answers of one mode that no rule excludes. Raises what `choose_mode` raises for one without answers."""
    chosen = choose_mode([responses], mode)
    return VotedStudy(
        slug, known, clips_of(known, recorded, shown), select(slug, responses, chosen).main, chosen
    )


def train_on_votes(
    study: VotedStudy,
    out: Path,
    *,
    frozen: FrozenFeatures | None = None,
    seed: int,
    licence: str,
    on_progress: OnProgress,
    now: datetime,
) -> Learnt:
    """Train, and write weights, card and the cross-fitted verdicts, one run for each repeat, into the folder `out`.

    On ten numbers of each path or, `frozen`, on a network's features of each clip.
    """
    check_target(out)
    votes = _votes(study, frozen)
    numbers = () if frozen else FEATURES
    learnt = learn(votes, numbers, seed=seed, beside=_beside(study), on_progress=on_progress)
    arrays = {
        "weights": learnt.judge.weights.astype(np.float32),
        "scale": learnt.judge.scale.astype(np.float32),
    }
    data = packed(arrays)
    file = f"{hashlib.sha256(data).hexdigest()}.safetensors"
    # Sorted, so that the same clips have one hash, whatever their names and order.
    contents = sorted(sorted(clip.hashes) for clip in study.clips.values())
    card = {
        "format": CARD_FORMAT,
        "name": VOTES,
        "title": TITLE_OF_FEATURES if frozen else TITLE,
        "version": f"1+{digest(arrays)[:12]}",
        "made_at": now.isoformat(timespec="seconds"),
        "weights": {"file": file, "digest": digest(arrays)},
        "numbers": list(numbers),
        "features": None if frozen is None else frozen.described(frozen.frames),
        "data": {
            "on": study.slug,
            "mode": study.mode,
            "licence": licence or "not stated",
            "sha256": hashlib.sha256(
                "\n".join(sha for files in contents for sha in files).encode()
            ).hexdigest(),
            "contents": [{"files": files} for files in contents],
        },
        "seed": seed,
        "evaluation": learnt.numbers.to_dict(),
        "reasons": _reasons(study, votes, learnt),
        "versions": {
            "Python": platform.python_version(),
            **{name: version(name) for name in _PACKAGES + (("onnxruntime",) if frozen else ())},
        },
        "not_for": _NOT_FOR,
    }
    written_model(out, file, data, card, "\n".join(card_lines(card)) + "\n")
    write_curves(learning_figure(learnt.numbers), out)
    with written_whole(out / VERDICTS) as target:
        target.write(verdicts_csv(cross_fitted_rows(study, learnt, f"1+{digest(arrays)[:12]}", now)).encode())
    return learnt


def _beside(study: VotedStudy) -> Mapping[str, Floats]:
    """Measures of each clip by untrained judges; NaN if one cannot judge it."""
    values = {
        name: [value_or_none(of, clip.files) for clip in study.clips.values()]
        for name, of in UNTRAINED.items()
    }
    return {name: np.array(found, dtype=np.float64) for name, found in values.items()}


def _votes(study: VotedStudy, frozen: FrozenFeatures | None) -> Votes:
    names = list(study.clips)
    place = {name: number for number, name in enumerate(names)}
    table = np.array([_numbers(study.clips[name], frozen) for name in names])
    # A clip without a scene is a scene of its own; \0 is in no scene's name.
    scenes = [study.clips[name].scene or f"\0{name}" for name in names]
    pairs = {pair.pair: number for number, pair in enumerate(study.known)}
    rows = study.rows
    pair = rows["pair"].astype(str).map(pairs)
    value = rows["choice"].astype(str).map(_VALUES)
    kept = (pair.notna() & value.notna()).to_numpy()
    return Votes(
        table=table,
        group=np.unique(scenes, return_inverse=True)[1].astype(np.intp),
        first=np.array([place[each.a.name] for each in study.known], dtype=np.intp),
        second=np.array([place[each.b.name] for each in study.known], dtype=np.intp),
        has_truth=np.array([each.truth is not None for each in study.known]),
        pair=np.asarray(pair[kept], dtype=np.intp),
        person=pd.factorize(rows["participant"].astype(str)[kept])[0].astype(np.intp),
        value=np.asarray(value[kept], dtype=np.float64),
    )


def _numbers(clip: Clip, frozen: FrozenFeatures | None) -> Floats:
    if clip.recorded is None and frozen is None:
        raise StudyError(f"{clip.name} has no positions, which this judge reads")
    try:
        return frozen.of(clip.files) if frozen else features(track_of(clip.files))
    except JudgeFailed as failure:
        raise StudyError(f"{clip.name}: {failure}") from None


def _reasons(study: VotedStudy, votes: Votes, learnt: Learnt) -> Mapping[str, Sequence[str]]:
    """For each feature with a nonzero weight, reasons written by people who chose the clip it favours, on the pairs
    that differ most in it.
    """
    if "rationale" not in study.rows:
        return {}
    difference = votes.table[votes.first] - votes.table[votes.second]
    rows = study.rows
    written: dict[tuple[str, str], list[str]] = {}
    for pair, choice, reason in zip(rows["pair"], rows["choice"], rows["rationale"], strict=True):
        if isinstance(reason, str) and reason.strip():
            written.setdefault((str(pair), str(choice)), []).append(
                " ".join(reason.split())[:_LONGEST_REASON]
            )
    found = {}
    for weight in learnt.numbers.weights:
        if weight.low <= 0 <= weight.high:
            continue
        column = difference[:, FEATURES.index(weight.name)] * np.sign(weight.value)
        said: list[str] = []
        for number in np.argsort(-np.abs(column)):
            chosen = "a" if column[number] > 0 else "b"
            said += written.get((study.known[number].pair, chosen), [])[:1]
        found[weight.name] = said[:_REASONS]
    return found


def cross_fitted_rows(
    study: VotedStudy, learnt: Learnt, of_version: str, now: datetime
) -> Sequence[VerdictRow]:
    """Each repeat's verdicts, `run` being its number; a pair that was not held out has none, and `problem` says why."""
    rows = []
    for run, chances in enumerate(learnt.chances, start=1):
        for pair, chance in zip(study.known, chances.tolist(), strict=True):
            verdict = Verdict(None) if math.isnan(chance) else _verdict(chance)
            rows.append(
                VerdictRow(
                    VOTES, pair.pair, verdict.choice, verdict.score, str(run), study.slug, of_version, now, 0,
                    _NOT_HELD_OUT if math.isnan(chance) else "", "probability",
                )
            )  # fmt: skip
    return rows


def _verdict(chance: float) -> Verdict:
    # Rounded before the choice is made, so that it follows from the score that is written.
    score = round(chance, 6)
    return Verdict("a" if score > 0.5 else "b" if score < 0.5 else None, score)


class VoteJudge:
    """A judge of votes, loaded from its folder; `frozen` are the features it was trained with, if any.

    Raises JudgeUnavailable, naming the file, if that has changed, or if the features are from another file.
    """

    def __init__(self, folder: Path, frozen: FrozenFeatures | None = None) -> None:
        card = _card(folder)
        try:
            refuse_others(folder, card.get("features"), frozen)
            names = [] if frozen else list(FEATURES)
            n = _whole(card["features"]["n"]) if frozen else len(FEATURES)
            path = folder / str(card["weights"]["file"])
            data = path.read_bytes()
            # The card names the file, and must not lead out of its folder.
            if path.parent != folder or hashlib.sha256(data).hexdigest() != path.stem:
                raise JudgeUnavailable(
                    f"{path}: was changed since it was written; its name is the hash of its content"
                )
            arrays = unpacked(data, {"weights": (n,), "scale": (n,)}, str(path))
            if digest(arrays) != card["weights"]["digest"] or list(card["numbers"]) != names:
                raise JudgeUnavailable(f"{path}: is not what the card was written for")
            if (arrays["scale"] <= 0).any():
                raise JudgeUnavailable(f"{path}: divides by nothing")
            self._seen = {
                str(sha)
                for each in card["data"]["contents"]
                for sha in each.get("files", [each.get("sha256")])  # before 0.4 was out: of positions alone
            }
        except OSError as error:
            raise JudgeUnavailable(f"{error.filename}: cannot be read ({error.strerror})") from None
        except (KeyError, TypeError, AttributeError, ValueError):
            raise JudgeUnavailable(f"{folder / CARD}: is not a whole card") from None
        except AnalysisError as error:
            raise JudgeUnavailable(str(error)) from None
        self._folder, self._frozen = folder, frozen
        self._judge = Preference(arrays["weights"].astype(float), arrays["scale"].astype(float), 0.0)
        self.info = JudgeInfo(
            name=VOTES,
            version=f"1+{digest(arrays)[:12]}",
            title=TITLE_OF_FEATURES if frozen else TITLE,
            reference="Bradley-Terry with ridge on "
            + (f"{n} features by {frozen.name}" if frozen else "ten numbers of a path")
            + ", fitted to the votes that its card names",
            score_unit="probability that a is chosen",
            needs=Needs.CLIPS if frozen else Needs.POSITIONS,
            even=0.5,
        )

    def prepare(self) -> None:
        """Loaded already."""

    def judge(self, pair: PairFiles) -> Verdict:
        of = self._frozen.of if self._frozen else lambda files: features(track_of(files))
        difference = of(pair.a) - of(pair.b)
        return _verdict(float(self._judge.chance(difference[None])[0]))

    def refuse_seen(self, pairs: Sequence[PairToJudge]) -> None:
        """Raise Conflict where it learnt from votes on these very clips, known by any of their files."""
        seen = sum(bool(self._seen & (pair.hashes_a | pair.hashes_b)) for pair in pairs)
        if seen:
            raise Conflict(
                f"{self._folder} learnt from votes on clips of {seen} of the {len(pairs)} pairs: its verdicts on "
                f"them would be memory. {self._folder / VERDICTS} holds cross-fitted ones; --allow study-clips judges "
                "all the same",
                on_page=f"{self._folder.name} learnt from votes on clips of {seen} of the {len(pairs)} pairs: its "
                "verdicts on them would be memory. Those that were made while it was trained, by copies that had not "
                "seen the clips, are kept with it.",
            )


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("no whole number")
    return value


def is_voted(folder: Path) -> bool:
    try:
        return bool(_card(folder)["format"] == CARD_FORMAT)
    except (JudgeUnavailable, KeyError):
        return False


def _card(folder: Path) -> Mapping[str, Any]:
    try:
        card = json.loads(card_string(folder / CARD))
    except (ValueError, RecursionError):
        raise JudgeUnavailable(f"{folder / CARD}: is not JSON") from None
    if not isinstance(card, dict):
        raise JudgeUnavailable(f"{folder / CARD}: is no card of a judge")
    return card
