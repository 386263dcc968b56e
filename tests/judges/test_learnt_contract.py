"""The contract of trained judges, like that of the registry (test_contract.py); weights are drawn at random here."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.learning.baselines import FEATURES
from analysis.learning.card import Loaded
from analysis.learning.catalogue import NETWORKS
from analysis.learning.networks import By
from analysis.learning.votes import CARD_FORMAT
from analysis.learning.weights import digest, packed
from app.judges.base import Judge, StimulusFiles
from app.judges.runner import PairToJudge, mirrored, run_judge
from app.judges.trained import Model, TrainedJudge
from app.judges.training import written_model
from app.judges.voted import VoteJudge
from tests.analysis.learning.test_networks import drawn
from tests.judges.files import QUESTION, pair_of

pytestmark = [pytest.mark.any_database, pytest.mark.videos]


def trained(name: str, by: By) -> Judge:
    network = NETWORKS[name]
    # Windows that clips of one and two seconds fill.
    settings = replace(network.settings, window=min(network.settings.window, 4), by_heading=True)
    card = Loaded(name, network.title, network.origin, by, (settings,), "", "0" * 64, {})
    return TrainedJudge(Model(Path(name), card, [drawn(settings)]), 0)


def of_votes(folder: Path) -> Judge:
    rng = np.random.default_rng(3)
    arrays = {"weights": rng.normal(size=len(FEATURES)).astype(np.float32)}
    arrays["scale"] = np.ones(len(FEATURES), dtype=np.float32)
    data = packed(arrays)
    file = f"{hashlib.sha256(data).hexdigest()}.safetensors"
    card: dict[str, Any] = {
        "format": CARD_FORMAT,
        "name": "votes",
        "weights": {"file": file, "digest": digest(arrays)},
        "numbers": list(FEATURES),
        "features": None,
        "data": {"contents": []},
    }
    written_model(folder, file, data, card, "")
    return VoteJudge(folder)


def now() -> datetime:
    return datetime(2026, 3, 1, tzinfo=UTC)


def test_swapping_mirrors_copies_tie_and_order_and_names_change_nothing(
    stimuli: Sequence[StimulusFiles], tmp_path: Path, exhaustive: bool
) -> None:
    """One network of paths, one of pictures and one of what is drawn from paths, or all of them."""
    networks = NETWORKS if exhaustive else ("turn-speed-ff", "vis-ff-small", "td-cnn-small")
    judges = [trained(name, by) for name in networks for by in ("share", "mean-logit")]
    for judge in (*judges, of_votes(tmp_path / "votes")):
        name = judge.info.name
        pairs = [pair_of(a, b) for a, b in permutations(stimuli, 2)]
        verdicts = [judge.judge(pair) for pair in pairs]
        assert [judge.judge(pair) for pair in reversed(pairs)] == verdicts[::-1], name
        for pair, verdict in zip(pairs, verdicts, strict=True):
            swapped = mirrored(judge.judge(replace(pair, a=pair.b, b=pair.a)), judge.info)
            assert swapped.choice == verdict.choice, name
            assert swapped.score == pytest.approx(verdict.score, abs=1e-5), name
            assert judge.judge(replace(pair, pair="a-is-human")) == verdict, name
        same = judge.judge(pair_of(stimuli[0], stimuli[0]))
        assert (same.choice, same.score) == (None, judge.info.even), name
        study = [PairToJudge("nav", "p", QUESTION, stimuli[0], stimuli[1])]
        other = [PairToJudge("nav", "p", QUESTION, stimuli[1], stimuli[0])]
        (one,), (two,) = (run_judge(judge, each, lambda *_: None, now) for each in (study, other))
        assert {one.choice, two.choice} in ({"a", "b"}, {None}), name
