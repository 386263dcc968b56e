"""Tables of clips and their clues, made for tests."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

Values = Mapping[str, Sequence[float | None]]


def clips(**clues: Values) -> pd.DataFrame:
    """Clues by name, each as a mapping of sources to their clips' values."""
    first = next(iter(clues.values()))
    sources = [source for source, values in first.items() for _ in values]
    columns = {name: [value for values in of.values() for value in values] for name, of in clues.items()}
    names = [f"clip-{number:03}" for number in range(len(sources))]
    return pd.DataFrame({"stimulus": names, "source": sources, **columns})


def drawn(
    seed: int, n: int, others: int, *, shift: float = 0.0, names: Sequence[str] = ("x", "y", "z")
) -> pd.DataFrame:
    """Clips whose clues are normal noise; the first clue of human clips is `shift` standard deviations higher."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(n + others, len(names))), columns=list(names))
    table.loc[: n - 1, names[0]] += shift
    table.insert(0, "stimulus", [f"c{number:03}" for number in range(n + others)])
    table.insert(1, "source", ["human"] * n + ["hybrid"] * others)
    return table
