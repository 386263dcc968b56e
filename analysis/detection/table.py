"""The contract of a table of judgements of single stimuli: who called which stimulus what."""

from dataclasses import dataclass

import pandas as pd

COLUMNS = ("participant", "stimulus", "condition", "truth", "answer")


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """Judgements of single stimuli: `table` has one row per answer and the columns of `COLUMNS` as categories.

    `truth` and `answer` are `signal` (the class that the question asks for) or `noise`, or missing. A stimulus has one
    truth."""

    table: pd.DataFrame
    origin: str
    signal: str
    noise: str
