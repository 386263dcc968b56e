"""A table of responses as large as one likes, in the Parquet that an export writes, to measure the analysis on.

Two studies as the published one: six trials with a human clip and four without, of 120 pairs that both use. Some
answers are blank, some of a pilot, some excluded. Everything is drawn with a seed, a chunk of people at a time.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from analysis.data.columns import RESPONSE_COLUMNS, names

TRIALS, TRIALS_WITH_TRUTH = 10, 6
PAIRS, PAIRS_WITH_TRUTH = 120, 72
CHUNK_PEOPLE = 25_000

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Cells = dict[str, pa.Array]

_TYPES = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "time": pa.timestamp("us", tz="UTC"),
}
SCHEMA = pa.schema([(column.name, _TYPES[column.type]) for column in RESPONSE_COLUMNS])

# Steps that share no factor with the numbers of pairs: nobody meets a pair twice.
_STEPS = np.array([1, 5, 7, 11, 13, 17])
_BEGAN_US = 1_767_225_600_000_000
_WHAT = (
    "It moves",
    "The left one walks",
    "The right one turns",
    "One of them looks round",
    "It stops and goes on",
)
_HOW = (
    "like somebody who knows the way",
    "too straight for a person",
    "with small corrections",
    "back and forth",
)
_SO = (
    "so I took it",
    "though I am not sure",
    "as I would play it",
    "and the other one does not",
    "that is all",
)


class Pairs:
    """The pairs: the first `PAIRS_WITH_TRUTH` show a human, half of the time as member b."""

    def __init__(self, rng: np.random.Generator) -> None:
        number = np.arange(PAIRS)
        self.has_truth = number < PAIRS_WITH_TRUTH
        self.first_is_a = rng.random(PAIRS) < 0.5
        self.ease = rng.normal(0.0, 0.6, PAIRS)
        first = np.where(self.has_truth, "human", "hybrid")
        second = np.where(self.has_truth & (number % 2 == 0), "hybrid", "symbolic")
        self.name = np.array([f"q{n + 1}" for n in number])
        self.condition = np.array([f"{one}-{two}" for one, two in zip(first, second, strict=True)])
        self.source_a = np.where(self.first_is_a, first, second)
        self.source_b = np.where(self.first_is_a, second, first)
        self.stimulus_a = np.array([f"{s}-{name}" for s, name in zip(self.source_a, self.name, strict=True)])
        self.stimulus_b = np.array([f"{s}-{name}" for s, name in zip(self.source_b, self.name, strict=True)])


def write_crowd(path: Path, n_rows: int, seed: int = 1) -> None:
    """Write the answers of `n_rows` / 10 people, half of them in each study; the file appears whole or not at all."""
    rng = np.random.default_rng(seed)
    pairs = Pairs(rng)
    n_people = n_rows // TRIALS
    part = path.with_suffix(".part")
    with pq.ParquetWriter(part, SCHEMA) as writer:
        for start in range(0, n_people, CHUNK_PEOPLE):
            people = np.arange(start, min(start + CHUNK_PEOPLE, n_people))
            cells = _who(rng, people, n_people) | _answers(rng, pairs, len(people)) | _telemetry(rng, people)
            writer.write_table(pa.table([cells[name] for name in names(RESPONSE_COLUMNS)], schema=SCHEMA))
    part.replace(path)


def _who(rng: np.random.Generator, people: Ints, n_people: int) -> Cells:
    n = len(people) * TRIALS
    each = np.repeat(np.arange(len(people)), TRIALS)
    ids = [rng.bytes(12).hex() for _ in people]
    excluded = np.where(rng.random(len(people))[each] < 0.02, 0, np.where(rng.random(n) < 0.005, 1, -1))
    return {
        "study": _texts((people >= n_people // 2)[each], ["crowd-1", "crowd-2"]),
        "version": pa.array(np.where(people % 3 == 0, 1, 2)[each]),
        "arm": _texts((people % 2)[each], ["main", "other"]),
        "mode": _texts((rng.random(len(people)) < 0.01)[each], ["live", "pilot"]),
        "participant": _texts(each, ids),
        "session": _texts(each, (people + 1).astype(str)),
        "position": pa.array(np.tile(np.arange(1, TRIALS + 1), len(people))),
        "trial": pa.array(np.arange(people[0] * TRIALS, people[0] * TRIALS + n) + 1).cast(pa.string()),
        "kind": _texts(np.zeros(n, dtype=np.int64), ["main"]),
        "excluded": _texts(excluded, ["by-hand", "unplayable"]),
    }


def _answers(rng: np.random.Generator, pairs: Pairs, n_people: int) -> Cells:
    pair = _shown(rng, n_people)
    n = len(pair)
    has_truth, first_is_a = pairs.has_truth[pair], pairs.first_is_a[pair]
    odds = np.repeat(rng.normal(1.2, 0.8, n_people), TRIALS) * has_truth + pairs.ease[pair]
    takes_first = rng.random(n) < 1 / (1 + np.exp(-odds))
    is_blank = rng.random(n) < 0.02
    member = np.where(takes_first == first_is_a, 0, 1)
    chosen = np.where(member == 0, pairs.source_a[pair], pairs.source_b[pair])
    unsure = np.clip(np.round(rng.normal(3.3 - 0.6 * np.abs(odds))), 1, 5).astype(np.int64)
    texts_of = {
        name: getattr(pairs, name)
        for name in ("condition", "stimulus_a", "stimulus_b", "source_a", "source_b")
    }
    return {
        "pair": _texts(pair, pairs.name),
        **{name: _texts(pair, texts) for name, texts in texts_of.items()},
        "truth": _texts(np.where(has_truth, np.where(first_is_a, 0, 1), -1), ["a", "b"]),
        "left": _texts(rng.integers(0, 2, n), ["a", "b"]),
        "choice": _texts(np.where(is_blank, -1, member), ["a", "b"]),
        "chosen_source": pa.array(chosen.astype(object), pa.string(), mask=is_blank),
        "correct": pa.array(takes_first, mask=is_blank | ~has_truth),
        "uncertainty": pa.array(unsure, mask=rng.random(n) < 0.01),
    }


def _shown(rng: np.random.Generator, n_people: int) -> Ints:
    """The ten pairs of each participant, in an order of their own."""

    def some(n_trials: int, n_pairs: int) -> Ints:
        start, step = rng.integers(0, n_pairs, (n_people, 1)), rng.choice(_STEPS, (n_people, 1))
        drawn: Ints = ((start + step * np.arange(n_trials)) % n_pairs).astype(np.int64)
        return drawn

    with_truth = some(TRIALS_WITH_TRUTH, PAIRS_WITH_TRUTH)
    without = PAIRS_WITH_TRUTH + some(TRIALS - TRIALS_WITH_TRUTH, PAIRS - PAIRS_WITH_TRUTH)
    return rng.permuted(np.hstack([with_truth, without]), axis=1).ravel()


def _telemetry(rng: np.random.Generator, people: Ints) -> Cells:
    n = len(people) * TRIALS
    rt_ms = (16_000 + 6_000 * rng.lognormal(0.0, 0.5, n)).astype(np.int64)
    shown = _BEGAN_US + np.repeat(people, TRIALS) * 1_000_000 + rng.integers(0, 600_000_000, n)
    words = [pa.array(rng.choice(phrases, n).astype(object), pa.string()) for phrases in (_WHAT, _HOW, _SO)]
    detail = pa.array(rng.integers(0, 100_000, n)).cast(pa.string())
    silent = pa.array(rng.random(n) < 0.2)
    return {
        "rationale": pc.if_else(silent, None, pc.binary_join_element_wise(*words, detail, ", ")),
        "rt_ms": pa.array(rt_ms),
        "shown_at": pa.array(shown).cast(_TYPES["time"]),
        "answered_at": pa.array(shown + 1_000 * rt_ms).cast(_TYPES["time"]),
        **{f"watched_{member}": pa.array(rng.random(n) < 0.98) for member in "ab"},
        **{f"plays_{member}": pa.array(1 + rng.poisson(0.2, n)) for member in "ab"},
        "stalls": pa.array(rng.poisson(0.05, n)),
        "hidden_ms": pa.array(np.where(rng.random(n) < 0.02, rng.integers(0, 9_000, n), 0)),
        "flags": _texts(np.where(rng.random(n) < 0.02, 0, -1), ["hidden"]),
        "layout": _texts(np.repeat(rng.random(len(people)) < 0.2, TRIALS), ["side-by-side", "stacked"]),
        "opened_ms": pa.array(np.minimum(rt_ms, 16_000)),
        "interval_ms": pa.array(rt_ms + 1_500),
        "block": pa.nulls(n, pa.string()),
        "certainty": pa.nulls(n, pa.float64()),
        # Of studies without exclusion rules.
        "use": pa.nulls(n, pa.bool_()),
        "pay": pa.nulls(n, pa.bool_()),
        "rules": pa.nulls(n, pa.string()),
    }


def _texts(codes: npt.NDArray[np.generic], texts: Sequence[str] | npt.NDArray[np.str_]) -> pa.Array:
    """One text per code; none for a negative one."""
    which = codes.astype(np.int32)
    several = pa.DictionaryArray.from_arrays(
        pa.array(which, mask=which < 0), pa.array(list(map(str, texts)), pa.string())
    )
    return several.dictionary_decode()
