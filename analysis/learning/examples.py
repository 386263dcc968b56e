"""Training examples, and the constraints on splits."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from analysis.errors import AnalysisError
from analysis.learning.paths import Path
from analysis.learning.pictures import Frames

N_FOLDS = 5
FEWEST_MAKERS = 4

Rows = npt.NDArray[np.intp]
Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Example:
    """One clip with its label: its maker, a person or an agent, never a participant's answer.

    `content` is the hash of its positions, `files` those of all its files, by which it is recognized; `maker` the
    player, or the agent's version; `scene` the property it shares with clips of others (the same start, goal, length);
    both are empty if unknown. `shown_s` is the clip's duration, `goal_m` x and y of its goal at the start. Networks
    that see have `frames`, and `encoding` holds codec, size and frame rate.
    """

    name: str
    content: str
    is_human: bool
    source: str
    maker: str
    scene: str
    path: Path
    files: frozenset[str] = frozenset()
    shown_s: float | None = None
    goal_m: tuple[float, float] | None = None
    frames: Frames | None = None
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """The examples one copy is trained on, and those it never sees."""

    train: Rows
    test: Rows


@dataclass(frozen=True, slots=True)
class Splits:
    """`by` are the things that are never on both sides; `note` says what could not be kept apart, if anything."""

    folds: tuple[Split, ...]
    by: tuple[str, ...]
    n_groups: int
    note: str


def labels_of(examples: Sequence[Example]) -> npt.NDArray[np.bool_]:
    return np.array([example.is_human for example in examples])


def makers_of(examples: Sequence[Example]) -> tuple[set[str], set[str]]:
    """The known players, and the known versions of agents."""
    found: tuple[set[str], set[str]] = set(), set()
    for example in examples:
        if example.maker:
            found[not example.is_human].add(example.maker)
    return found


def split(examples: Sequence[Example], pairs: Pairs, seed: int, folds: int = N_FOLDS) -> Splits:
    """Folds that share no scene, pair or copy of a path between both sides, nor, if numbers allow, a player or version.

    With at least four players and four versions of agents: grouped by them as well, if that leaves `folds` groups; else
    each fold tests a part of the scenes by a part of the makers, after training on the other scenes by the others. With
    fewer, `note` says that the result does not generalize beyond the players.
    """
    rng = np.random.default_rng([seed, 1])
    scenes, by = _scenes(examples, pairs), ["path"]
    by += ["pair"] if pairs else []
    by += ["scene"] if any(example.scene for example in examples) else []
    people, agents = makers_of(examples)
    n = len(np.unique(scenes))
    if n < folds:
        raise AnalysisError(
            f"{n} groups of clips that share a scene or a pair; at least {folds} are needed to hold some back "
            "each time: add clips of other scenes, or name a finer column of scenes"
        )
    if min(len(people), len(agents)) < FEWEST_MAKERS:
        note = (
            f"{counted(len(people), 'player')} and {counted(len(agents), 'version')} of agents: at least "
            f"{FEWEST_MAKERS} of each are needed to hold some back, so whether this holds for other people or agents "
            "is not known"
        )
        return Splits(_folds(examples, scenes, folds, rng), tuple(by), n, note)
    by.append("player or version")
    # A person and an agent of the same name are two makers.
    makers = joined([_indices([f"{e.is_human}/{e.maker}" for e in examples])])
    both = joined([scenes, makers])
    if len(np.unique(both)) >= folds:
        return Splits(_folds(examples, both, folds, rng), tuple(by), len(np.unique(both)), "")
    crossed = _crossed(examples, scenes, makers, folds, rng)
    return Splits(crossed, tuple(by), n, "")


def _scenes(examples: Sequence[Example], pairs: Pairs) -> Rows:
    """Groups of clips that belong together: the same path, the same scene, or a chain of pairs."""
    kinds = [_indices([example.content for example in examples])]
    # A clip without a scene is one of its own; no scene's name has a \0.
    kinds.append(_indices([example.scene or f"\0{row}" for row, example in enumerate(examples)]))
    groups = joined(kinds)
    for one, other in pairs:
        groups[groups == groups[other]] = groups[one]
    return groups


def _indices(names: Sequence[str]) -> Rows:
    return np.unique(names, return_inverse=True)[1].astype(np.intp)


def joined(kinds: Sequence[Rows]) -> Rows:
    """Groups of rows that are linked by any of the kinds, however far."""
    groups = kinds[0].copy()
    for kind in kinds[1:]:
        for value in np.unique(kind):
            linked = np.unique(groups[kind == value])
            groups[np.isin(groups, linked)] = linked[0]
    return groups


def _dealt(examples: Sequence[Example], groups: Rows, folds: int, rng: np.random.Generator) -> Rows:
    """The fold of each row: whole groups, the largest first, each to where fewest of its kind of clips are."""
    is_human = labels_of(examples)
    names = rng.permutation(np.unique(groups))
    sizes = {
        name: np.array([(is_human & (groups == name)).sum(), (~is_human & (groups == name)).sum()])
        for name in names
    }
    held = np.zeros((folds, 2))
    fold = np.zeros(len(groups), dtype=np.intp)
    totals = np.array([max(1, is_human.sum()), max(1, (~is_human).sum())])
    # The largest groups first: the small ones then even out the folds.
    for name in sorted(names, key=lambda name: -int(sizes[name].sum())):
        chosen = int(np.argmin((held / totals) @ np.minimum(sizes[name], 1) + 1e-6 * held.sum(axis=1)))
        held[chosen] += sizes[name]
        fold[groups == name] = chosen
    return fold


def _folds(
    examples: Sequence[Example], groups: Rows, folds: int, rng: np.random.Generator
) -> tuple[Split, ...]:
    fold = _dealt(examples, groups, folds, rng)
    return _checked(
        examples,
        [Split(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(folds)],
    )


def _crossed(
    examples: Sequence[Example], scenes: Rows, makers: Rows, folds: int, rng: np.random.Generator
) -> tuple[Split, ...]:
    parts = min(folds, *(len(found) for found in makers_of(examples)))
    by_scene, by_maker = _dealt(examples, scenes, parts, rng), _dealt(examples, makers, parts, rng)
    return _checked(
        examples,
        [
            Split(
                np.flatnonzero((by_scene != number % parts) & (by_maker != number % parts)),
                np.flatnonzero((by_scene == number % parts) & (by_maker == number % parts)),
            )
            for number in range(parts)
        ],
    )


def _checked(examples: Sequence[Example], splits: Sequence[Split]) -> tuple[Split, ...]:
    is_human = labels_of(examples)
    for each in splits:
        kept = is_human[each.train]
        if kept.all() or not kept.any() or not len(each.test):
            raise AnalysisError(
                "the clips cannot be split into folds that all hold people and agents; there are too few scenes "
                "that hold both"
            )
    return tuple(splits)


def matched_pairs(examples: Sequence[Example]) -> Pairs:
    """Pairs without a study's comparison: each person's clip with one of each agent, of the same scene.

    Within a scene in the order of the paths' hashes, so that names and order of files change nothing.
    """
    cells: dict[tuple[str, str], list[int]] = {}
    # By content: which clips are paired must not depend on their names or their order.
    for row in sorted(range(len(examples)), key=lambda row: examples[row].content):
        example = examples[row]
        cells.setdefault((example.scene, "" if example.is_human else example.source), []).append(row)
    return [
        pair
        for (scene, source), agents in sorted(cells.items())
        if source
        for pair in zip(cells.get((scene, ""), ()), agents, strict=False)
    ]


def without(examples: Sequence[Example], source: str) -> Rows:
    """The rows that are not of an agent."""
    return np.array(
        [row for row, e in enumerate(examples) if e.is_human or e.source != source], dtype=np.intp
    )


def with_labels_drawn(examples: Sequence[Example], rng: np.random.Generator) -> Sequence[Example]:
    """The same clips with permuted labels: anything learnt from these is chance or a leak."""
    dealt = rng.permutation([example.is_human for example in examples])
    return [
        replace(example, is_human=bool(label), source="human" if label else "agent")
        for example, label in zip(examples, dealt, strict=True)
    ]


def agents_of(examples: Sequence[Example]) -> Sequence[str]:
    return sorted(Counter(example.source for example in examples if not example.is_human))


def counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
