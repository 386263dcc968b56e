"""Fits a network with JAX and Optax, which are imported when something is to be trained (the extra `train`)."""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.errors import AnalysisError
from analysis.learning.networks import MOMENTUM, Arrays, Parameters, Settings, Windows, forward, shapes
from analysis.learning.paths import Singles, mirrored
from analysis.stats.intervals import Floats

Labels = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]
OnEpoch = Callable[[], None]
_AT_ONCE = 64

MISSING = (
    "training needs JAX and Optax, which are not installed here; install the extra `train` "
    "(`make train` in the program's folder). Judging with a trained model needs neither"
)


def refuse_without_jax() -> None:
    """Raise AnalysisError in words where the extra is not installed."""
    try:
        import jax  # noqa: F401
        import optax  # noqa: F401
    except ImportError:
        raise AnalysisError(MISSING) from None


@dataclass(frozen=True, slots=True)
class Task:
    """One network to fit: the windows to train on, the label of every window, and its own generator.

    `watched` are windows, not trained on, whose logits are recorded after each epoch.
    """

    rows: Rows
    is_human: Labels
    rng: np.random.Generator
    watched: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.intp))


@dataclass(frozen=True, slots=True)
class Fitted:
    """The arrays of a network, and the logits of the windows that were watched, shape (epochs, windows)."""

    parameters: Parameters
    watched: Floats


def fit(
    settings: Settings, found: Windows, tasks: Sequence[Task], *, steps: int, on_epoch: OnEpoch
) -> list[Fitted]:
    """Train networks side by side on windows of `found`, shape (windows, width, ...), by binary cross entropy.

    Each epoch draws `steps` batches with replacement, humans as often as agents, independent of the numbers of their
    windows. Columns and features are scaled by mean and SD of a task's own windows, pictures not at all. The same
    generators give the same weights on the same machine. `on_epoch` may raise to stop.
    """
    import jax
    import jax.numpy as jnp

    if any(len(np.unique(task.is_human[task.rows])) < 2 for task in tasks):
        raise AnalysisError("the clips to train on are all of one class; both people and agents are needed")
    epoch, optimiser, logits = _epoch(settings)
    scalings = [
        {} if settings.sees and settings.looks else _scaling(settings, found[task.rows]) for task in tasks
    ]
    trained: list[Any] = [_first(settings, task.rng) for task in tasks]
    states = [optimiser.init(each) for each in trained]
    both = np.concatenate([found, mirrored(found)]) if settings.reads == "turn-speed" else found
    data = jnp.asarray(both)
    # As many for each, so that one compiled function serves all.
    n_watched = max(len(task.watched) for task in tasks)
    seen: list[list[Floats]] = [[] for _ in tasks]

    def advance(number: int) -> None:
        task = tasks[number]
        rows = _drawn(task, steps, settings.batch, len(both) // len(found))
        labels = np.resize(task.is_human, len(both))[rows].astype(np.float32)
        key = jax.random.key(int(task.rng.integers(2**31)))
        moved = epoch(trained[number], states[number], scalings[number], data, labels, rows, key)
        # JAX returns before it has computed: without waiting, progress would run ahead of the work.
        trained[number], states[number] = jax.block_until_ready(moved)
        if n := len(task.watched):
            watched = np.resize(task.watched, n_watched)
            found_logits = logits(trained[number], scalings[number], data, watched)
            seen[number].append(np.asarray(found_logits, dtype=np.float64)[:n])

    # Batches are too small for one network to keep several processors busy.
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for _ in range(settings.epochs):
            list(pool.map(advance, range(len(tasks))))
            on_epoch()
    return [
        Fitted(
            {name: np.asarray(values, dtype=np.float32) for name, values in {**scaling, **each}.items()},
            np.array(logits_seen),
        )
        for scaling, each, logits_seen in zip(scalings, trained, seen, strict=True)
    ]


def _drawn(task: Task, steps: int, batch: int, images: int) -> Rows:
    """Batches of rows, each class as often; where there are mirror images, of either image."""
    n = len(task.is_human)
    classes = task.rows[task.is_human[task.rows]], task.rows[~task.is_human[task.rows]]
    of_class = task.rng.integers(2, size=(steps, batch))
    place = task.rng.random((steps, batch))
    # In floats the product can round up to the number of rows.
    picked = [rows[np.minimum((place * len(rows)).astype(np.intp), len(rows) - 1)] for rows in classes]
    order = np.where(of_class == 0, *picked)
    return order + n * task.rng.integers(images, size=order.shape)


def _scaling(settings: Settings, found: Windows) -> dict[str, Singles]:
    values = found.reshape(-1, found.shape[-1]).astype(np.float64)
    mean, sd = values.mean(axis=0), values.std(axis=0)
    if settings.reads == "turn-speed":
        mean[0] = 0.0  # of a turn and its mirror image
        sd[0] = np.sqrt((values[:, 0] ** 2).mean())
    return {"mean": mean.astype(np.float32), "sd": np.where(sd > 1e-6, sd, 1.0).astype(np.float32)}


def _first(settings: Settings, rng: np.random.Generator) -> Mapping[str, Singles]:
    """Orthogonal weights and zero biases, as in the released program."""
    return {
        name: _orthogonal(rng, *shape) if name.endswith("weight") else np.zeros(shape, dtype=np.float32)
        for name, shape in shapes(settings).items()
        if name not in ("mean", "sd")
    }


def _orthogonal(rng: np.random.Generator, rows: int, columns: int) -> Singles:
    tall = rng.normal(size=(max(rows, columns), min(rows, columns)))
    basis, upper = np.linalg.qr(tall)
    # QR leaves the signs open: those of the diagonal make the draw uniform over orthogonal matrices.
    signed = basis * np.sign(np.diag(upper))
    made: Singles = (signed if rows >= columns else signed.T).astype(np.float32)
    return made


def jax_arrays() -> Arrays:
    """JAX's side of the forward pass."""
    import jax
    import jax.numpy as jnp

    def carried(step: Any, state: Any, values: Any) -> Any:
        return jax.lax.scan(lambda held, now: (step(held, now), None), state, jnp.swapaxes(values, 0, 1))[0]

    return Arrays(jnp, carried)


@lru_cache(maxsize=64)
def _epoch(settings: Settings) -> tuple[Any, Any, Any]:
    """One epoch of a network, compiled, the optimiser whose state it takes, and the logits of rows, compiled."""
    import jax
    import optax

    optimiser = (
        optax.sgd(settings.rate, MOMENTUM) if settings.optimiser == "sgd" else optax.adam(settings.rate)
    )

    def loss(trained: Any, scaling: Any, cut: Any, is_human: Any, key: Any) -> Any:
        def drop(values: Any, place: int) -> Any:
            if not settings.dropout:
                return values
            kept = jax.random.bernoulli(jax.random.fold_in(key, place), 1 - settings.dropout, values.shape)
            # Divided by what is kept: judging drops nothing and has to see the same mean.
            return values * kept / (1 - settings.dropout)

        values = forward(jax_arrays(), settings, {**trained, **scaling}, cut, drop)
        return optax.sigmoid_binary_cross_entropy(values, is_human).mean()

    def epoch(
        trained: Any, state: Any, scaling: Any, found: Any, is_human: Any, order: Any, key: Any
    ) -> tuple[Any, Any]:
        def step(carried: Any, drawn: Any) -> tuple[Any, None]:
            trained, state = carried
            rows, labels, key = drawn
            slope = jax.grad(loss)(trained, scaling, found[rows], labels, key)
            change, state = optimiser.update(slope, state)
            return (optax.apply_updates(trained, change), state), None

        keys = jax.random.split(key, order.shape[0])
        (trained, state), _ = jax.lax.scan(step, (trained, state), (order, is_human, keys))
        return trained, state

    def logits(trained: Any, scaling: Any, found: Any, rows: Any) -> Any:
        def one(row: Any) -> Any:
            return forward(jax_arrays(), settings, {**trained, **scaling}, found[row][None])[0]

        if settings.reads != "turn-speed":
            return jax.lax.map(one, rows, batch_size=_AT_ONCE)
        mirror = found.shape[0] // 2
        return jax.lax.map(lambda row: (one(row) + one(row + mirror)) / 2, rows, batch_size=_AT_ONCE)

    return jax.jit(epoch), optimiser, jax.jit(logits)
