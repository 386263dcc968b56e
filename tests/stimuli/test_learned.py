"""The agent that learned, with NumPy alone: what it is told, what it does, and that it arrives as its card says."""

import hashlib
import json

import numpy as np
import pytest

from stimuli.agents import N_ACTIONS, STAND
from stimuli.learned import CARD, N_FEATURES, WEIGHTS, Learned, NetworkInput, forward

HERE = np.array([np.pi / 2, 10.0, 20.0, 30.0, 0.0, 5.0], dtype=np.float32)


@pytest.mark.slow
def test_the_card_is_of_these_weights_and_the_agent_arrives_as_it_says() -> None:
    pytest.importorskip("gymnasium", reason="the extra `train` is not installed")
    from bench.ppo import KINDS, arrived

    card = json.loads(CARD.read_text())
    assert card["weights_sha256"] == hashlib.sha256(WEIGHTS.read_bytes()).hexdigest()
    assert card["arrived_within_210_steps"]["all"] >= 0.95
    assert arrived(KINDS["learned"], 60)["all"] >= 0.9  # 60 starts of the card's 600


def test_it_is_told_where_it_was_and_what_it_did() -> None:
    seen = NetworkInput()
    first = seen.features(HERE, STAND)
    assert first.shape == (N_FEATURES,)
    assert first[0] == pytest.approx(0.5)
    assert first[6:8] == pytest.approx([1.0, 0.0], abs=1e-6)
    assert first[8:14] == pytest.approx(0.0)
    assert first[14:].tolist() == [1, 0, 0, 0, 0, 0, 0, 0]
    there = HERE.copy()
    there[2] += 0.8
    second = seen.features(there, 3)
    assert second[8:14] == pytest.approx([0, 0, 0, 0, 1, 0], abs=1e-5)
    assert second[14:].tolist() == [0, 0, 0, 1, 0, 0, 0, 0]


def test_its_network_is_two_layers_of_tanh() -> None:
    weights = {
        "hidden1.weight": np.eye(2, dtype=np.float32),
        "hidden1.bias": np.array([0.0, 1.0], dtype=np.float32),
        "hidden2.weight": 2 * np.eye(2, dtype=np.float32),
        "hidden2.bias": np.zeros(2, dtype=np.float32),
        "action.weight": np.ones((2, 1), dtype=np.float32),
        "action.bias": np.array([0.5], dtype=np.float32),
    }
    expected = np.tanh(2 * np.tanh(0.25)) + np.tanh(2 * np.tanh(0.5)) + 0.5
    assert forward(weights, np.array([0.25, -0.5], dtype=np.float32)) == pytest.approx([expected], abs=1e-6)


def test_the_same_seed_does_the_same() -> None:
    def actions(seed: int) -> list[int]:
        agent = Learned()
        agent.reset(seed)
        return [agent.act(HERE + np.float32(0.1 * step)) for step in range(60)]

    assert actions(1) == actions(1)
    assert actions(1) != actions(2)
    assert {*actions(1), *actions(2)} <= set(range(N_ACTIONS))
