# mypy: ignore-errors
"""In the environment of skrl: `python -m bench.ppo_training STEPS FILE` trains a policy and writes its arrays."""

import sys
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

from stimuli.agents import STAND
from stimuli.environment import WalkEnv
from stimuli.learned import HIDDEN, N_FEATURES, Seen

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

    def __init__(self):
        super().__init__(WalkEnv())
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (N_FEATURES,), np.float32)

    def reset(self, **options):
        observation, info = self.env.reset(**options)
        self.seen = Seen()
        return self.seen.features(observation, STAND), info

    def step(self, action):
        observation, *rest = self.env.step(np.int64(action))
        return self.seen.features(observation, int(action)), *rest


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


class Value(DeterministicMixin, Model):
    def __init__(self, **given):
        Model.__init__(self, **given)
        DeterministicMixin.__init__(self)

    @nn.compact
    def __call__(self, inputs, role):
        x = inputs["observations"]
        for _ in range(2):
            x = jnp.tanh(nn.Dense(HIDDEN)(x))
        return nn.Dense(1)(x), {}


def main(n_steps, out):
    config.jax.backend = "jax"
    set_seed(1)
    env = wrap_env(gymnasium.vector.SyncVectorEnv([Featured for _ in range(N_ENVS)]))
    spaces = {
        "observation_space": env.observation_space,
        "state_space": env.state_space,
        "action_space": env.action_space,
        "device": env.device,
    }
    models = {"policy": Policy(**spaces), "value": Value(**spaces)}
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
    main(int(sys.argv[1]), Path(sys.argv[2]))
