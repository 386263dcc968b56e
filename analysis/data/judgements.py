"""The contract of a table of judgements of single stimuli: who called which stimulus what."""

from dataclasses import dataclass

import pandas as pd

from analysis.data.rating_table import Ratings, check_ratings

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


def as_classes(judgements: Judgements) -> Ratings:
    """The answers as classes of the stimuli by the criterion `answer`, the first of a participant to each stimulus.

    What `validate_items` holds judges of classes against."""
    names = {"stimulus": "item", "participant": "rater", "answer": "score"}
    table = judgements.table.rename(columns=names)[list(names.values())]
    first = table.drop_duplicates(["item", "rater"]).reset_index(drop=True)
    return check_ratings(first.assign(criterion="answer"), level="nominal", origin=judgements.origin)
