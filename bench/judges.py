"""How long judges that learn take, and what they reach on generated walkers.

`python -m bench.judges [--scenes 20]` prints the tables and keeps them in bench/judges.md.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as File

# One thread for each network, before NumPy and JAX are loaded; networks are trained side by side.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

from analysis.learning.examples import Example, matched_pairs
from analysis.learning.networks import NETWORKS, Network, Settings, cut, score
from analysis.learning.paths import Path
from analysis.learning.pictures import COLOURS, FRAME, Frames
from analysis.learning.training import Trained, train
from stimuli.arena import GOALS
from stimuli.body import FRAMES_PER_S
from stimuli.scenes import Clip, walk_clip
from stimuli.walkers import SOURCES

KEPT = File(__file__).parent / "judges.md"
N_LONG = 140
SHORTEST_S, LONGEST_S = 10.0, 40.0
N_JUDGED = 1_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.judges", description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", type=int, default=20, help="of each of two seeds (%(default)s)")
    parser.add_argument("--only", choices=("times", "walkers"), help="one of the two parts")
    given = parser.parse_args()
    lines = list[str]()
    for line in tables(given.only, given.scenes):
        print(line, flush=True)
        lines.append(line)
    if not given.only:
        KEPT.write_text("\n".join(lines) + "\n")
    return 0


def tables(only: str | None, n_scenes: int) -> Iterator[str]:
    yield "# Judges that learn"
    yield ""
    yield "`python -m bench.judges`; processor seconds of all cores, compiling included."
    if only != "walkers":
        yield ""
        yield from times()
    if only != "times":
        yield ""
        yield from walkers(n_scenes)


def times() -> Iterator[str]:
    """Of a whole training (five copies and their checks), of one copy, and of judging."""
    long = long_paths()
    seconds = sum(example.path.duration_s for example in long)
    yield f"## Time, on {N_LONG} paths of {SHORTEST_S:g} to {LONGEST_S:g} s ({seconds / 60:.0f} minutes, 30 Hz)"
    yield ""
    yield "| network | windows | `judge train`: five copies, five null checks | waited | judging 1,000, one copy |"
    yield "|---|---|---|---|---|"
    for network in NETWORKS.values():
        known = pictured(long, network) if network.settings.sees else long
        wall, begun = time.perf_counter(), time.process_time()
        trained = train(network, known)
        waited = time.perf_counter() - wall
        took = time.process_time() - begun
        copy = trained.copies[0]
        begun = time.process_time()
        found = [
            cut(seen(known[number % N_LONG], copy.settings), copy.settings) for number in range(N_JUDGED)
        ]
        for each in found:
            score(copy.settings, copy.parameters, each)
        judged = time.process_time() - begun
        n = sum(len(each) for each in found[:N_LONG])
        yield f"| `{network.name}` | {n:,} | {took:.1f} s | {waited:.1f} s | {judged:.1f} s |"


def pictured(examples: Sequence[Example], network: Network) -> Sequence[Example]:
    """The same with pictures of noise; only their number matters here."""
    rng, settings = np.random.default_rng(2), network.settings
    shape = FRAME[1:] if settings.reads == "bar-code" else FRAME
    found = []
    for example in examples:
        n = round(example.path.duration_s * settings.rate_hz)
        values = rng.integers(256, size=(n, *shape, COLOURS), dtype=np.uint8)
        found.append(replace(example, frames=Frames(settings.rate_hz, values)))
    return found


def seen(example: Example, settings: Settings) -> Path | Frames:
    return example.frames if settings.sees and example.frames else example.path


def long_paths() -> Sequence[Example]:
    """Random paths as long as the paper's; only their size matters here."""
    rng = np.random.default_rng(1)
    found = []
    for number in range(N_LONG):
        is_human = number % 2 == 0
        t = np.arange(round(rng.uniform(SHORTEST_S, LONGEST_S) * 30)) / 30
        turns = rng.normal(0, 0.05 if is_human else 0.02, len(t))
        heading = rng.uniform(-np.pi, np.pi) + np.cumsum(turns)
        x, y = (np.cumsum(part) / 10 + rng.uniform(20, 40) for part in (np.cos(heading), np.sin(heading)))
        source = "human" if is_human else "agent"
        path = Path(t, x, y, 0 * t, heading)
        found.append(
            Example(f"{number}", f"{number}", is_human, source, source, f"scene {number // 2}", path)
        )
    return found


def walkers(n_scenes: int) -> Iterator[str]:
    """Trained on one seed, judging the other, as people are compared with each agent."""
    first, second = (walked(seed, n_scenes) for seed in (1, 2))
    yield (
        f"## On generated walkers: trained on seed 1 ({n_scenes} scenes), judging {n_scenes} scenes of seed 2; "
        "25 epochs, mean of five copies"
    )
    yield ""
    yield (
        "How often the simulated human's clip is chosen, by share of windows (by mean logit). The human is a noise "
        "model: these numbers say that the code works, and nothing about people."
    )
    yield ""
    yield "| network | trained on | against symbolic | against hybrid | null (single clips) |"
    yield "|---|---|---|---|---|"
    for network in NETWORKS.values():
        if network.settings.sees:
            continue
        short = replace(network, settings=replace(network.settings, epochs=25))
        for known in (("symbolic",), ("hybrid",), ("symbolic", "hybrid")):
            kept = [example for example in first if example.is_human or example.source in known]
            trained = train(short, kept)
            null = trained.evaluation.null.clips or 0.0
            cells = " | ".join(_reached(trained, second, source) for source in ("symbolic", "hybrid"))
            yield f"| `{network.name}` | {', '.join(known)} | {cells} | {null:.2f} |"
    yield from _same_source(first, second)


def _same_source(first: Sequence[Example], second: Sequence[Example]) -> Iterator[str]:
    """The simulated human of one seed against that of the other: there is nothing to find."""
    yield ""
    yield "| network | simulated human, seed 1 against seed 2 (nothing is there to find): held-out pairs |"
    yield "|---|---|"
    both = [example for example in first if example.is_human]
    both += [replace(e, is_human=False, source="seed 2") for e in second if e.is_human]
    for name in ("turn-speed-ff", "turn-speed-gru"):
        short: Network = replace(NETWORKS[name], settings=replace(NETWORKS[name].settings, epochs=25))
        found = train(short, both).evaluation.pooled
        yield f"| `{name}` | {found.pairs or 0:.2f} of {found.n_pairs} |"


def walked(seed: int, n_scenes: int) -> Sequence[Example]:
    found = []
    for scene in range(n_scenes):
        goal, number = scene % len(GOALS), scene // len(GOALS) + 1
        for source in SOURCES:
            track = walk_clip(Clip(source, goal, number, seed)).part
            t = np.arange(len(track)) / FRAMES_PER_S
            path = Path(t, track.x_m, track.y_m, track.z_m, track.heading_rad)
            name = f"{source} {seed} {goal} {number}"
            found.append(
                Example(
                    name=name,
                    content=name,
                    is_human=source == "human",
                    source=source,
                    maker=source,
                    scene=f"goal {goal}, {number}",
                    path=path,
                    goal_m=(GOALS[goal].x_m, GOALS[goal].y_m),
                )
            )
    return found


@dataclass(frozen=True, slots=True)
class Chosen:
    """How often the person's clip of a pair is chosen, a tie counting a half: mean over copies, by two values."""

    share: float
    mean_logit: float


def chosen(trained: Trained, examples: Sequence[Example], source: str) -> Chosen:
    """Of clips of people against those of `source`, matched by scene."""
    pairs = [pair for pair in matched_pairs(examples) if examples[pair[1]].source == source]
    shares, logits = [], []
    for copy in trained.copies:
        scores = [score(copy.settings, copy.parameters, cut(e.path, copy.settings)) for e in examples]
        shares.append(np.mean([0.5 + 0.5 * np.sign(scores[a].share - scores[b].share) for a, b in pairs]))
        logits.append(
            np.mean([0.5 + 0.5 * np.sign(scores[a].mean_logit - scores[b].mean_logit) for a, b in pairs])
        )
    return Chosen(float(np.mean(shares)), float(np.mean(logits)))


def _reached(trained: Trained, examples: Sequence[Example], source: str) -> str:
    found = chosen(trained, examples, source)
    return f"{found.share:.2f} ({found.mean_logit:.2f})"


if __name__ == "__main__":
    sys.exit(main())
