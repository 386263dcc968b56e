"""Training times of judges, and their accuracy on generated walkers.

`python -m bench.judges [--scenes 20]` prints the tables and keeps them in bench/judges.md; a part of them is printed
alone: `--only times`, `--network sym-gru`.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as File
from typing import TypeVar

# One thread for each network, before NumPy and JAX are loaded; networks are trained side by side.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

from analysis.learning.catalogue import NETWORKS, Network
from analysis.learning.examples import Example, matched_pairs
from analysis.learning.fitting import Task, _epoch, fit
from analysis.learning.held import HeldOutScores
from analysis.learning.networks import Settings, cut, score
from analysis.learning.paths import Path
from analysis.learning.pictures import COLOURS, FRAME, Frames
from analysis.learning.training import Trained, train
from stimuli.arena import GOALS
from stimuli.body import FRAMES_PER_S
from stimuli.scenes import Clip, walk_clip
from stimuli.walkers import SOURCES, Source

FOR_WHAT = (
    "**What these numbers may be used for**: to see that the code works, and to compare networks with each other. They "
    "say nothing about people. The human of these tables is a noise model, and a judge trained on it called 15% of 94 "
    "walks of real players human (another game and another map; measured for issue 32, and not run again since). That "
    "the model's averages are set after figures of real play (docs/clips.md) does not change this. To judge people, "
    "train on walks of people."
)
KEPT = File(__file__).parent / "judges.md"
N_LONG = 140
SHORTEST_S, LONGEST_S = 10.0, 40.0
N_JUDGED = 1_000
EPOCHS = 25
SEED_PAIRS = ((1, 2), (3, 4), (5, 6), (7, 8), (9, 10))
GOALS_HELD_OUT = ((0, 3), (1, 4), (2, 5))
Made = TypeVar("Made")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.judges", description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", type=int, default=20, help="of each seed (%(default)s)")
    parser.add_argument("--only", choices=("times", "walkers"), help="one of the two parts")
    parser.add_argument("--network", choices=tuple(NETWORKS), metavar="NAME", help="one network alone")
    given = parser.parse_args()
    names = (given.network,) if given.network else tuple(NETWORKS)
    lines = list[str]()
    for line in tables(given.only, given.scenes, names):
        print(line, flush=True)
        lines.append(line)
    if not given.only and not given.network:
        KEPT.write_text("\n".join(lines) + "\n")
    return 0


def tables(only: str | None, n_scenes: int, names: Sequence[str]) -> Iterator[str]:
    yield "# Judges that learn"
    yield ""
    yield FOR_WHAT
    yield ""
    yield "`python -m bench.judges`; processor seconds of all cores, and seconds waited; compiling included."
    if only != "walkers":
        yield ""
        yield from times(names)
    if only != "times":
        yield ""
        yield from walkers(n_scenes, [name for name in names if not NETWORKS[name].settings.sees])


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of processors, and seconds that passed."""

    processor_s: float
    waited_s: float

    def __str__(self) -> str:
        return f"{self.processor_s:.1f} s, {self.waited_s:.1f} s"


def taken(work: Callable[[], Made]) -> tuple[Made, Took]:
    wall, begun = time.perf_counter(), time.process_time()
    made = work()
    return made, Took(time.process_time() - begun, time.perf_counter() - wall)


def times(names: Sequence[str]) -> Iterator[str]:
    """The times of a whole training (five copies and their checks), of one copy alone, and of judging."""
    long = long_paths()
    seconds = sum(example.path.duration_s for example in long)
    yield f"## Time, on {N_LONG} paths of {SHORTEST_S:g} to {LONGEST_S:g} s ({seconds / 60:.0f} minutes, 30 Hz)"
    yield ""
    yield (
        "Processor seconds, then seconds waited. `judge train` is five copies and five null checks; pictures are in "
        "memory already."
    )
    yield ""
    yield "| network | windows | `judge train` | one copy alone | judging 1,000, one copy |"
    yield "|---|---|---|---|---|"
    for name in names:
        yield _timed(NETWORKS[name], long)


def _timed(network: Network, long: Sequence[Example]) -> str:
    known = pictured(long, network) if network.settings.sees else long
    alone = taken(lambda: one_copy(network, known))[1]
    _epoch.cache_clear()
    trained, whole = taken(lambda: train(network, known))
    copy = trained.copies[0]

    def judge() -> int:
        found = [
            cut(seen(known[number % N_LONG], copy.settings), copy.settings) for number in range(N_JUDGED)
        ]
        for each in found:
            score(copy.settings, copy.parameters, each)
        return sum(len(each) for each in found[:N_LONG])

    n, judged = taken(judge)
    return f"| `{network.name}` | {n:,} | {whole} | {alone} | {judged} |"


def one_copy(network: Network, known: Sequence[Example]) -> None:
    """Fit one of the five copies: the windows of all clips, and a fit to four fifths of them."""
    settings = replace(network.settings, by_heading=True)
    cuts = [cut(seen(example, settings), settings) for example in known]
    sizes = np.array([len(each) for each in cuts])
    is_human = np.repeat([example.is_human for example in known], sizes)
    rows = np.flatnonzero(np.repeat(np.arange(len(known)) % 5 != 0, sizes))
    task = Task(rows, is_human, np.random.default_rng(1))
    fit(settings, np.concatenate(cuts), [task], steps=-(-len(rows) // settings.batch), on_epoch=lambda: None)


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


def walkers(n_scenes: int, names: Sequence[str]) -> Iterator[str]:
    """Trained on one seed, judging the other: people with each agent, an agent with the other, and nothing to find."""
    first, second = (walked(seed, n_scenes) for seed in (1, 2))
    yield (
        f"## On generated walkers: trained on seed 1 ({n_scenes} scenes), judging {n_scenes} scenes of seed 2; "
        f"{EPOCHS} epochs, mean of five copies"
    )
    yield ""
    yield (
        "How often the simulated human's clip is chosen, by share of windows (by mean logit). The human is a noise "
        "model: these numbers say that the code works, and nothing about people."
    )
    yield ""
    yield "| network | trained on | against symbolic | against hybrid | hybrid over symbolic | null (single clips) |"
    yield "|---|---|---|---|---|---|"
    for name in names:
        for known in (("symbolic",), ("hybrid",), ("symbolic", "hybrid")):
            kept = [example for example in first if example.is_human or example.source in known]
            trained = train(shortened(name), kept)
            null = trained.evaluation.null.clips or 0.0
            cells = [chosen(trained, second, source) for source in ("symbolic", "hybrid")]
            cells.append(chosen(trained, second, "symbolic", over="hybrid"))
            row = " | ".join(map(str, cells))
            yield f"| `{name}` | {', '.join(known)} | {row} | {null:.2f} |"
    yield from _elsewhere(first, second, names)
    yield from _same_source(n_scenes, names)


def shortened(name: str) -> Network:
    return replace(NETWORKS[name], settings=replace(NETWORKS[name].settings, epochs=EPOCHS))


def _elsewhere(first: Sequence[Example], second: Sequence[Example], names: Sequence[str]) -> Iterator[str]:
    """The six goals recur in both seeds, and with them the ways to each: place is only unknown at other goals."""
    yield ""
    yield (
        "The same, trained on people and symbolic walkers of four goals of seed 1; against symbolic walkers of seed 2, "
        "at these goals and at the two others, mean of three such splits:"
    )
    yield ""
    yield "| network | goals trained on | other goals |"
    yield "|---|---|---|"
    for name in names:
        found = [
            (at_same_goals(trained, second, held_out), at_other_goals(trained, second, held_out))
            for held_out in GOALS_HELD_OUT
            for trained in (at_goals(shortened(name), first, held_out),)
        ]
        cells = [
            Chosen(float(np.mean([c.share for c in part])), float(np.mean([c.mean_logit for c in part])))
            for part in zip(*found, strict=True)
        ]
        yield f"| `{name}` | {cells[0]} | {cells[1]} |"


def at_goals(network: Network, examples: Sequence[Example], held_out: Sequence[int]) -> Trained:
    """Trained on people and symbolic walkers, but at the goals held out."""
    return train(
        network, [e for e in examples if e.source in ("human", "symbolic") and goal_of(e) not in held_out]
    )


def at_same_goals(trained: Trained, examples: Sequence[Example], held_out: Sequence[int]) -> "Chosen":
    """The accuracy against symbolic walkers at the goals trained on."""
    return chosen(trained, [e for e in examples if goal_of(e) not in held_out], "symbolic")


def at_other_goals(trained: Trained, examples: Sequence[Example], held_out: Sequence[int]) -> "Chosen":
    """The accuracy against symbolic walkers at the goals not trained on."""
    return chosen(trained, [e for e in examples if goal_of(e) in held_out], "symbolic")


def goal_of(example: Example) -> int:
    return next(n for n, goal in enumerate(GOALS) if (goal.x_m, goal.y_m) == example.goal_m)


def _same_source(n_scenes: int, names: Sequence[str]) -> Iterator[str]:
    """The simulated human of one seed against that of the other: there is nothing to find."""
    yield ""
    yield "Simulated humans of one seed against those of another, held-out pairs: nothing is there to find."
    yield ""
    yield f"| network | {' | '.join(f'{one}, {other}' for one, other in SEED_PAIRS)} | mean |"
    yield f"|---|{'---|' * len(SEED_PAIRS)}---|"
    people = {seed: walked(seed, n_scenes, sources=("human",)) for seeds in SEED_PAIRS for seed in seeds}
    for name in names:
        found = [same_source(shortened(name), people[one], people[other]) for one, other in SEED_PAIRS]
        cells = " | ".join(f"{each.pairs or 0:.2f}" for each in found)
        mean = np.mean([each.pairs or 0 for each in found])
        yield f"| `{name}` | {cells} | {mean:.2f} of {found[0].n_pairs} pairs each |"


def same_source(network: Network, one: Sequence[Example], other: Sequence[Example]) -> HeldOutScores:
    """Held-out pairs of walks by one source, called people and agents."""
    both = [*one, *(replace(e, is_human=False, source="other", maker="other") for e in other)]
    return train(network, both).evaluation.pooled


def walked(seed: int, n_scenes: int, sources: Sequence[Source] = SOURCES) -> Sequence[Example]:
    found = []
    for scene in range(n_scenes):
        goal, number = scene % len(GOALS), scene // len(GOALS) + 1
        for source in sources:
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
    """The share of pairs in which the clip of one source is chosen, a tie counting a half: mean over copies, by two
    values.
    """

    share: float
    mean_logit: float

    def __str__(self) -> str:
        return f"{self.share:.2f} ({self.mean_logit:.2f})"


def chosen(trained: Trained, examples: Sequence[Example], source: str, over: str = "human") -> Chosen:
    """The share of clips of `over` chosen against those of `source`, matched by scene."""
    both = [replace(e, is_human=e.source == over) for e in examples if e.source in (over, source)]
    pairs = matched_pairs(both)
    shares, logits = [], []
    for copy in trained.copies:
        scores = [score(copy.settings, copy.parameters, cut(e.path, copy.settings)) for e in both]
        shares.append(np.mean([0.5 + 0.5 * np.sign(scores[a].share - scores[b].share) for a, b in pairs]))
        logits.append(
            np.mean([0.5 + 0.5 * np.sign(scores[a].mean_logit - scores[b].mean_logit) for a, b in pairs])
        )
    return Chosen(float(np.mean(shares)), float(np.mean(logits)))


if __name__ == "__main__":
    sys.exit(main())
