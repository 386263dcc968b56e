"""The Gymnasium environment: Gymnasium's own checks, rewards and ends."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="the extra `train` is not installed")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from stimuli.agents import MOST_STEPS  # noqa: E402
from stimuli.environment import ID, WalkEnv  # noqa: E402
from stimuli.errors import StimuliError  # noqa: E402

pytestmark = pytest.mark.slow


def test_gymnasium_finds_no_fault_with_it() -> None:
    for observes in ("symbolic", "hybrid", "pixels"):
        check_env(gymnasium.make(ID, observes=observes, render_mode="rgb_array").unwrapped)


def test_the_same_seed_is_the_same_episode() -> None:
    env = WalkEnv()
    episodes = []
    for _ in range(2):
        first, info = env.reset(seed=3)
        episodes.append((first.tolist(), info, [env.step(np.int64(action))[1] for action in (1, 2, 1, 0)]))
    assert episodes[0] == episodes[1]
    assert env.reset(seed=4)[0].tolist() != episodes[0][0]


def test_reward_is_the_way_to_the_goal_less_the_step_and_standing_is_cut_off() -> None:
    env = WalkEnv()
    before, _ = env.reset(seed=1, options={"goal": 2})
    after, reward, arrived, cut_off, info = env.step(np.int64(1))
    assert reward == pytest.approx(float(before[1] - after[1]) / 40 - 0.01, abs=1e-6)
    assert (arrived, cut_off, info["goal"]) == (False, False, "2")
    for _ in range(MOST_STEPS - 1):
        assert not cut_off
        _, reward, arrived, cut_off, _ = env.step(np.int64(0))
    assert reward == pytest.approx(-0.01)
    assert (arrived, cut_off) == (False, True)


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(StimuliError, match="no goal 7"):
        WalkEnv().reset(options={"goal": 7})
    with pytest.raises(StimuliError, match="no observation 'sounds'"):
        WalkEnv("sounds")  # type: ignore[arg-type]
    with pytest.raises(StimuliError, match="begins with reset"):
        WalkEnv().step(np.int64(1))
