"""Trains the learned agents (`stimuli/learned.py`, `stimuli/seeing.py`) by PPO; measures how often they arrive.

`python -m bench.ppo [STEPS] [learned|seeing]` installs skrl once into an environment of its own, as it brings twice of
what the extra `train` does, and writes weights and card next to the agent. `python -m bench.ppo 0` measures the
existing weights.
"""

import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np

from bench.servers import WORK, environment, run
from stimuli import learned, seeing
from stimuli.agents import FARTHEST_M, N_ACTIONS, SYMBOLIC, Observes
from stimuli.arena import GOALS
from stimuli.arrays import Floats32
from stimuli.environment import WalkEnv

SKRL = "2.1.1"
STEPS = 2_000_000
N_STARTS = 600
_VENV = WORK / "skrl-venv"


@dataclass(frozen=True, slots=True)
class Kind:
    """An agent that is trained here: how it is made, where its files are, and what its card says of it."""

    name: str
    make: Callable[[], learned.Learned | seeing.Seeing]
    weights: Path
    observes: Observes
    title: str
    told: str
    network: str


_TOLD = (
    "the six published numbers, sine and cosine of the goal's angle, the last three steps, the last action"
)
KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "learned",
            learned.Learned,
            learned.WEIGHTS,
            "symbolic",
            "An agent that learned to walk the demo's map by proximal policy optimisation",
            _TOLD,
            f"two layers of 128 with tanh, {N_ACTIONS} actions, drawn by their probabilities",
        ),
        Kind(
            "seeing",
            seeing.Seeing,
            seeing.WEIGHTS,
            "hybrid",
            "An agent that learned to walk the demo's map by proximal policy optimisation, and sees",
            f"{_TOLD}; and how near each of 32 x 32 pixels is",
            "of the picture convolutions of 4 x 4 (8) and 2 x 2 (16) side by side, of the numbers a layer of 128 with "
            f"tanh; of both a layer of 128 with tanh, {N_ACTIONS} actions, drawn by their probabilities",
        ),
    )
}


def main(n_steps: int, kind: Kind) -> int:
    if n_steps:
        python, out = _installed(), WORK / f"{kind.name}.safetensors"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        one_thread = {
            "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
            "OMP_NUM_THREADS": "1",
        }
        root = Path(__file__).parent.parent
        command: list[str | Path] = [python, "-m", "bench.ppo_training", kind.name, str(n_steps), out]
        subprocess.run(
            command, check=True, cwd=root, env={**environment(), **one_thread, "PYTHONPATH": str(root)}
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        shutil.copyfile(out, kind.weights)
        made = card(kind, n_steps, after.ru_utime - before.ru_utime)
        kind.weights.with_suffix(".json").write_text(json.dumps(made, indent=2) + "\n")
    print(json.dumps(arrived(kind, N_STARTS), indent=2))
    return 0


def card(kind: Kind, n_steps: int, cpu_s: float) -> Mapping[str, Any]:
    """The card of the weights: what they are, how they were trained, and how often the agent arrives."""
    return {
        "name": kind.name,
        "title": kind.title,
        "weights_sha256": hashlib.sha256(kind.weights.read_bytes()).hexdigest(),
        "made_at": datetime.now(UTC).date().isoformat(),
        "algorithm": f"PPO of skrl {SKRL} (JAX), 32 environments, settings in bench/ppo_training.py, seed 1",
        "environment": f"LikelyHuman/Walk-v0, {kind.observes} observations, reward as published",
        "told": kind.told,
        "network": kind.network,
        "steps": n_steps,
        "processor_minutes": round(cpu_s / 60),
        "arrived_within_210_steps": arrived(kind, N_STARTS),
        **({"arrived_blind": arrived(kind, N_STARTS, blind=True)} if kind.observes == "hybrid" else {}),
        "data": "no person's walk was used",
        "licence": "as the program's",
        "not_for": "It is an example: nothing says that it walks like a person.",
    }


def arrived(kind: Kind, n: int, *, blind: bool = False) -> Mapping[str, float | int]:
    """The shares of arrivals, for each goal and for all, from `n` starts in turn, drawn as in training.

    `blind`: every pixel is as far as the sky, which shows whether a seeing agent uses its sight.
    """
    env, found = WalkEnv(kind.observes), list[tuple[int, bool]]()
    for number in range(n):
        agent, goal = kind.make(), number % len(GOALS) + 1
        agent.reset(number)
        observation, _ = env.reset(seed=10_000 + number, options={"goal": goal})
        at_goal = cut_off = False
        while not (at_goal or cut_off):
            if blind:
                observation[len(SYMBOLIC) :] = FARTHEST_M
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
    wanted = KINDS[sys.argv[2] if len(sys.argv) > 2 else "learned"]
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS, wanted))
