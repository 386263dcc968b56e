# mypy: ignore-errors
"""Runs in the environment of skrl: `python -m bench.ppo_training AGENT STEPS FILE` trains a policy and writes its
arrays.
"""

import sys
from functools import partial
from pathlib import Path

import flax.linen as nn
import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import save_file
from skrl import config
from skrl.agents.jax.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.jax import wrap_env
from skrl.memories.jax import RandomMemory
from skrl.models.jax import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.jax import SequentialTrainer
from skrl.utils import set_seed

from stimuli.agents import DEPTH_PIXELS, STAND
from stimuli.environment import WalkEnv
from stimuli.learned import HIDDEN, N_FEATURES, NetworkInput
from stimuli.seeing import LOOKS, Looks, patches

N_ENVS, ROLLOUT, ROUNDS = 32, 64, 10
SETTINGS = {
    "learning_epochs": 6,
    "mini_batches": 8,
    "learning_rate": 3e-4,
    "discount_factor": 0.99,
    "gae_lambda": 0.95,
    "entropy_loss_scale": 0.005,
    "value_loss_scale": 0.5,
    "time_limit_bootstrap": True,
}


class Featured(gymnasium.Wrapper):
    """The published observation as the policy gets it."""

    observes, n_features, made_by = "symbolic", N_FEATURES, NetworkInput

    def __init__(self):
        super().__init__(WalkEnv(self.observes))
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (self.n_features,), np.float32)

    def reset(self, **options):
        observation, info = self.env.reset(**options)
        self.seen = self.made_by()
        return self.seen.features(observation, STAND), info

    def step(self, action):
        observation, *rest = self.env.step(np.int64(action))
        return self.seen.features(observation, int(action)), *rest


class Pictured(Featured):
    """Featured observations with the depth of each pixel."""

    observes, n_features, made_by = "hybrid", N_FEATURES + DEPTH_PIXELS**2, Looks


class Policy(CategoricalMixin, Model):
    def __init__(self, **given):
        Model.__init__(self, **given)
        CategoricalMixin.__init__(self)

    @nn.compact
    def __call__(self, inputs, role):
        x = inputs["observations"]
        for number in (1, 2):
            x = jnp.tanh(nn.Dense(HIDDEN, name=f"hidden{number}")(x))
        return nn.Dense(self.num_actions, name="action")(x), {}


class SeeingPolicy(CategoricalMixin, Model):
    def __init__(self, **given):
        Model.__init__(self, **given)
        CategoricalMixin.__init__(self)

    @nn.compact
    def __call__(self, inputs, role):
        numbers, picture = jnp.split(inputs["observations"], [N_FEATURES], axis=-1)
        picture = picture.reshape(-1, DEPTH_PIXELS, DEPTH_PIXELS, 1)
        for number, (size, n) in enumerate(LOOKS, start=1):
            picture = nn.relu(
                nn.Dense(n, name=f"look{number}")(jax.vmap(partial(patches, size=size))(picture))
            )
        told = jnp.tanh(nn.Dense(HIDDEN, name="hidden1")(numbers))
        seen = picture.reshape(len(picture), -1)
        x = jnp.tanh(nn.Dense(HIDDEN, name="hidden2")(jnp.concatenate([told, seen], axis=-1)))
        return nn.Dense(self.num_actions, name="action")(x), {}


class Value(DeterministicMixin, Model):
    def __init__(self, **given):
        Model.__init__(self, **given)
        DeterministicMixin.__init__(self)

    @nn.compact
    def __call__(self, inputs, role):
        # What an agent may expect stands in the numbers; a second look at the picture would double the time.
        x = inputs["observations"][..., :N_FEATURES]
        for _ in range(2):
            x = jnp.tanh(nn.Dense(HIDDEN)(x))
        return nn.Dense(1)(x), {}


AGENTS = {"learned": (Featured, Policy), "seeing": (Pictured, SeeingPolicy)}


def main(agent_name, n_steps, out):
    observed, policy = AGENTS[agent_name]
    config.jax.backend = "jax"
    set_seed(1)
    env = wrap_env(gymnasium.vector.SyncVectorEnv([observed for _ in range(N_ENVS)]))
    spaces = {
        "observation_space": env.observation_space,
        "state_space": env.state_space,
        "action_space": env.action_space,
        "device": env.device,
    }
    models = {"policy": policy(**spaces), "value": Value(**spaces)}
    for role, model in models.items():
        model.init_state_dict(role=role)
    quiet = {"directory": str(out.parent), "write_interval": 0, "checkpoint_interval": 0}
    agent = PPO(
        models=models,
        memory=RandomMemory(memory_size=ROLLOUT, num_envs=N_ENVS, device=env.device),
        cfg=PPO_CFG(rollouts=ROLLOUT, experiment=quiet, **SETTINGS),
        **spaces,
    )
    timesteps = n_steps // N_ENVS // ROUNDS
    for number in range(1, ROUNDS + 1):
        given = {"timesteps": timesteps, "disable_progressbar": True, "close_environment_at_exit": False}
        SequentialTrainer(env=env, agents=agent, cfg=given).train()
        held = jax.device_get(agent.models["policy"].state_dict.params)["params"]
        arrays = {
            f"{layer}.{'weight' if name == 'kernel' else name}": np.asarray(values, dtype=np.float32)
            for layer, each in held.items()
            for name, values in each.items()
        }
        save_file(arrays, out)
        print(f"{number * timesteps * N_ENVS:,} steps", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
