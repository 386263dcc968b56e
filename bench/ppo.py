"""Trains the agent that learned (`stimuli/learned.py`) by PPO, and measures how often it arrives.

`python -m bench.ppo [STEPS]` installs skrl once into an environment of its own, as it brings twice of what the extra
`train` does, and writes weights and card beside `stimuli/learned.py`. `python -m bench.ppo 0` measures what is there.
"""

import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np

from bench.servers import WORK, environment, run
from stimuli.agents import N_ACTIONS
from stimuli.arena import GOALS
from stimuli.arrays import Floats32
from stimuli.environment import WalkEnv
from stimuli.learned import CARD, WEIGHTS, Learned

SKRL = "2.1.1"
STEPS = 2_000_000
N_STARTS = 600
_VENV = WORK / "skrl-venv"


def main(n_steps: int) -> int:
    if n_steps:
        python, out = _installed(), WORK / "learned.safetensors"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        one_thread = {
            "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
            "OMP_NUM_THREADS": "1",
        }
        root = Path(__file__).parent.parent
        command: list[str | Path] = [python, "-m", "bench.ppo_training", str(n_steps), out]
        subprocess.run(
            command, check=True, cwd=root, env={**environment(), **one_thread, "PYTHONPATH": str(root)}
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        shutil.copyfile(out, WEIGHTS)
        CARD.write_text(json.dumps(card(n_steps, after.ru_utime - before.ru_utime), indent=2) + "\n")
    print(json.dumps(arrived(N_STARTS), indent=2))
    return 0


def card(n_steps: int, cpu_s: float) -> Mapping[str, Any]:
    """What the weights are, how they came to be, and how far they go."""
    return {
        "name": "learned",
        "title": "An agent that learned to walk the demo's map by proximal policy optimisation",
        "weights_sha256": hashlib.sha256(WEIGHTS.read_bytes()).hexdigest(),
        "made_at": datetime.now(UTC).date().isoformat(),
        "algorithm": f"PPO of skrl {SKRL} (JAX), 32 environments, settings in bench/ppo_training.py, seed 1",
        "environment": "LikelyHuman/Walk-v0, symbolic observations, reward as published",
        "told": "the six published numbers, sine and cosine of the goal's angle, the last three steps, the last action",
        "network": f"two layers of 128 with tanh, {N_ACTIONS} actions, drawn by their probabilities",
        "steps": n_steps,
        "processor_minutes": round(cpu_s / 60),
        "arrived_within_210_steps": arrived(N_STARTS),
        "data": "no person's walk was used",
        "licence": "as the program's",
        "not_for": "It is an example: nothing says that it walks like a person.",
    }


def arrived(n: int) -> Mapping[str, float | int]:
    """How often the agent arrives, for each goal and for all, from `n` starts in turn, drawn as in training."""
    env, found = WalkEnv(), list[tuple[int, bool]]()
    for number in range(n):
        agent, goal = Learned(), number % len(GOALS) + 1
        agent.reset(number)
        observation, _ = env.reset(seed=10_000 + number, options={"goal": goal})
        at_goal = cut_off = False
        while not (at_goal or cut_off):
            action = np.int64(agent.act(cast(Floats32, observation)))
            observation, _, at_goal, cut_off, _ = env.step(action)
        found.append((goal, at_goal))
    shares = {
        f"goal {goal}": round(float(np.mean([there for each, there in found if each == goal])), 3)
        for goal in range(1, len(GOALS) + 1)
    }
    return {"starts": n, "all": round(float(np.mean([there for _, there in found])), 3), **shares}


def _installed() -> Path:
    python, done = _VENV / "bin" / "python", _VENV / f"skrl-{SKRL}"
    if not done.exists():
        print(f"Installing skrl {SKRL} (once, some minutes) ...", file=sys.stderr)
        shutil.rmtree(_VENV, ignore_errors=True)
        run([sys.executable, "-m", "venv", _VENV], environment())
        wanted = [f"skrl[jax]=={SKRL}", "gymnasium", "safetensors"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True, env=environment())
        done.touch()
    return python


if __name__ == "__main__":
    os.nice(5)
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS))
