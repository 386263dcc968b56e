"""Fits a network with JAX and Optax, which are imported when something is to be trained (the extra `train`)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.errors import AnalysisError
from analysis.learning.networks import Arrays, Parameters, Settings, forward, shapes
from analysis.learning.paths import Singles, mirrored

Labels = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]
OnEpoch = Callable[[], None]

_MISSING = (
    "training needs JAX and Optax, which are not installed here; install the extra `train` "
    "(`make train` in the program's folder). Judging with a trained model needs neither"
)


def refuse_without_jax() -> None:
    """Raise AnalysisError in words where the extra is not installed."""
    try:
        import jax  # noqa: F401
        import optax  # noqa: F401
    except ImportError:
        raise AnalysisError(_MISSING) from None


@dataclass(frozen=True, slots=True)
class Task:
    """One network to fit: the windows to train on, the label of every window there is, and its own generator."""

    rows: Rows
    is_human: Labels
    rng: np.random.Generator


def fit(
    settings: Settings, found: Singles, tasks: Sequence[Task], *, steps: int, on_epoch: OnEpoch
) -> list[Parameters]:
    """Train networks side by side on windows of `found`, shape (windows, width, columns), by binary cross entropy.

    Each epoch draws `steps` batches with replacement, humans as often as agents, whatever the numbers of their windows.
    The columns are scaled by mean and SD of a task's own windows. The same generators give the same weights on the same
    machine. `on_epoch` may raise to stop.
    """
    import jax
    import jax.numpy as jnp

    if any(len(np.unique(task.is_human[task.rows])) < 2 for task in tasks):
        raise AnalysisError("the clips to train on are all of one class; both people and agents are needed")
    scaling = _stacked([_scaling(settings, found[task.rows]) for task in tasks])
    trained: Any = _stacked([_first(settings, task.rng) for task in tasks])
    epoch, optimiser = _epoch(settings)
    state = jax.vmap(optimiser.init)(trained)
    both = found if settings.reads == "positions" else np.concatenate([found, mirrored(found)])
    labels = np.stack([np.resize(task.is_human, len(both)) for task in tasks]).astype(np.float32)
    data = jnp.asarray(both), jnp.asarray(labels)
    for _ in range(settings.epochs):
        drawn = [_drawn(task, steps, settings.batch, len(both) // len(found)) for task in tasks]
        keys = jax.vmap(jax.random.key)(jnp.asarray([task.rng.integers(2**31) for task in tasks]))
        trained, state = epoch(trained, state, scaling, *data, jnp.asarray(np.stack(drawn)), keys)
        jax.block_until_ready(trained)
        on_epoch()
    fitted = {name: np.asarray(values, dtype=np.float32) for name, values in {**scaling, **trained}.items()}
    return [{name: values[number] for name, values in fitted.items()} for number in range(len(tasks))]


def _stacked(several: Sequence[Mapping[str, Singles]]) -> dict[str, Singles]:
    return {name: np.stack([each[name] for each in several]) for name in several[0]}


def _drawn(task: Task, steps: int, batch: int, images: int) -> Rows:
    """Batches of rows, each class as often; where there are mirror images, of either image."""
    n = len(task.is_human)
    classes = task.rows[task.is_human[task.rows]], task.rows[~task.is_human[task.rows]]
    of_class = task.rng.integers(2, size=(steps, batch))
    place = task.rng.random((steps, batch))
    picked = [rows[np.minimum((place * len(rows)).astype(np.intp), len(rows) - 1)] for rows in classes]
    order = np.where(of_class == 0, *picked)
    return order + n * task.rng.integers(images, size=order.shape)


def _scaling(settings: Settings, found: Singles) -> dict[str, Singles]:
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
def _epoch(settings: Settings) -> tuple[Any, Any]:
    """One epoch of several networks side by side, compiled, and the optimiser whose states it takes."""
    import jax
    import optax

    optimiser = optax.adam(settings.rate)

    def loss(trained: Any, scaling: Any, cut: Any, is_human: Any, key: Any) -> Any:
        keep = None
        if settings.dropout:
            width = trained["output.weight"].shape[0]
            kept = jax.random.bernoulli(key, 1 - settings.dropout, (cut.shape[0], width))
            keep = kept / (1 - settings.dropout)
        values = forward(jax_arrays(), settings, {**trained, **scaling}, cut, keep)
        return optax.sigmoid_binary_cross_entropy(values, is_human).mean()

    def epoch(
        trained: Any, state: Any, scaling: Any, found: Any, is_human: Any, order: Any, key: Any
    ) -> tuple[Any, Any]:
        def step(carried: Any, drawn: Any) -> tuple[Any, None]:
            trained, state = carried
            rows, key = drawn
            slope = jax.grad(loss)(trained, scaling, found[rows], is_human[rows], key)
            change, state = optimiser.update(slope, state)
            return (optax.apply_updates(trained, change), state), None

        keys = jax.random.split(key, order.shape[0])
        (trained, state), _ = jax.lax.scan(step, (trained, state), (order, keys))
        return trained, state

    return jax.jit(jax.vmap(epoch, in_axes=(0, 0, 0, None, 0, 0, 0))), optimiser
