"""The agent that learned and sees, with NumPy alone: what it is shown, what it makes of it, and that it arrives."""

import hashlib
import json

import numpy as np
import pytest

from stimuli.agents import DEPTH_PIXELS, N_ACTIONS, STAND
from stimuli.learned import N_FEATURES
from stimuli.seeing import CARD, LOOKS, WEIGHTS, Looks, Seeing, forward, patches

PICTURE = DEPTH_PIXELS**2
HERE = np.concatenate([[np.pi / 2, 10, 20, 30, 0, 5], np.full(PICTURE, 4)]).astype(np.float32)


@pytest.mark.slow
def test_the_card_is_of_these_weights_and_the_agent_arrives_and_looks_as_it_says() -> None:
    pytest.importorskip("gymnasium", reason="the extra `train` is not installed")
    from bench.ppo import KINDS, arrived

    card = json.loads(CARD.read_text())
    assert card["weights_sha256"] == hashlib.sha256(WEIGHTS.read_bytes()).hexdigest()
    said = card["arrived_within_210_steps"]["all"]
    # 36 starts of the card's 600: 4 standard errors.
    assert arrived(KINDS["seeing"], 36)["all"] >= said - 4 * (said * (1 - said) / 36 + 0.001) ** 0.5
    assert card["arrived_blind"]["all"] < said


def test_it_is_shown_how_near_each_pixel_is_beside_what_the_other_agent_is_told() -> None:
    found = Looks().features(HERE, STAND)
    assert found.shape == (N_FEATURES + PICTURE,)
    assert found[0] == pytest.approx(0.5)
    assert found[N_FEATURES:] == pytest.approx(0.5)  # 4 m
    near = HERE.copy()
    near[6:] = [0, 12] * (PICTURE // 2)
    assert Looks().features(near, STAND)[N_FEATURES : N_FEATURES + 2] == pytest.approx([1, 0.25])


def test_squares_are_cut_side_by_side() -> None:
    picture = np.arange(16, dtype=np.float32).reshape(4, 4, 1)
    assert patches(picture, 2).tolist() == [[[0, 1, 4, 5], [2, 3, 6, 7]], [[8, 9, 12, 13], [10, 11, 14, 15]]]
    both = np.stack([picture[..., 0], -picture[..., 0]], axis=-1)
    assert patches(both, 2)[0, 1].tolist() == [2, -2, 3, -3, 6, -6, 7, -7]


def test_its_network_by_hand() -> None:
    """One unit wherever there are many: the picture's brightest square, the first number, and their sum."""
    (first, n_first), (second, n_second) = LOOKS
    n_seen = n_second * (DEPTH_PIXELS // first // second) ** 2
    weights = {
        "look1.weight": np.zeros((first**2, n_first), dtype=np.float32),
        "look1.bias": np.zeros(n_first, dtype=np.float32),
        "look2.weight": np.zeros((second**2 * n_first, n_second), dtype=np.float32),
        "look2.bias": np.zeros(n_second, dtype=np.float32),
        "hidden1.weight": np.zeros((N_FEATURES, 1), dtype=np.float32),
        "hidden1.bias": np.zeros(1, dtype=np.float32),
        "hidden2.weight": np.zeros((1 + n_seen, 1), dtype=np.float32),
        "hidden2.bias": np.zeros(1, dtype=np.float32),
        "action.weight": np.ones((1, N_ACTIONS), dtype=np.float32),
        "action.bias": np.arange(N_ACTIONS, dtype=np.float32),
    }
    weights["look1.weight"][:, 0] = 1 / first**2  # the mean of each square
    weights["look2.weight"][0, 0] = 2  # of the first of four, doubled
    weights["look2.weight"][n_first, 1] = -1  # the second, below nothing
    weights["hidden1.weight"][0, 0] = 1
    weights["hidden2.weight"][:3, 0] = [1, 0.5, 1]
    features = np.zeros(N_FEATURES + PICTURE, dtype=np.float32)
    features[0] = 0.3
    features[N_FEATURES:].reshape(DEPTH_PIXELS, DEPTH_PIXELS)[:first, :first] = 0.4
    expected = np.tanh(np.tanh(0.3) + 0.5 * 0.8)
    assert forward(weights, features) == pytest.approx(expected + np.arange(N_ACTIONS), abs=1e-6)


def test_the_same_seed_does_the_same_and_what_it_sees_changes_what_it_does() -> None:
    def actions(seed: int, seen: np.ndarray) -> list[int]:
        agent = Seeing()
        agent.reset(seed)
        drift = np.concatenate([np.full(6, 0.1), np.zeros(PICTURE)]).astype(np.float32)
        return [agent.act(seen + np.float32(step) * drift) for step in range(60)]

    wall = HERE.copy()
    wall[6:] = 0.3
    assert actions(1, HERE) == actions(1, HERE)
    assert actions(1, HERE) != actions(2, HERE)
    assert actions(1, HERE) != actions(1, wall)
    assert {*actions(1, HERE), *actions(2, wall)} <= set(range(N_ACTIONS))
