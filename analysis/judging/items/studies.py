"""Judges of items held against the raters of studies: rows of `ratings` and values in, a validation for each block."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from analysis.data.rating_table import as_number
from analysis.errors import AnalysisError
from analysis.judging.alternative import EPSILON, FEWEST
from analysis.judging.items.validation import ItemValidation, validate_items
from analysis.judging.items.verdicts import check_item_verdicts
from analysis.options import RESAMPLES
from analysis.ratings.studies import RatedBlock, rated_blocks
from analysis.results import Result


@dataclass(frozen=True, slots=True)
class BlockValidation(Result):
    """Judges against the raters of one block of a study: of its ``ratings``, or of its ``classes``."""

    study: str
    block: str
    kind: Literal["ratings", "classes"]
    mode: str
    n_participants: int
    n_rated: int
    validation: ItemValidation


def validate_rating_rows(
    tables: Sequence[pd.DataFrame],
    verdicts: pd.DataFrame,
    *,
    mode: str | None = None,
    seed: int = 1,
    resamples: int = RESAMPLES,
    epsilon: float = EPSILON,
    min_instances: int = FEWEST,
    origin: str = "verdicts",
) -> tuple[BlockValidation, ...]:
    """Hold judges of items against the raters of every block of checked tables of `ratings`, as `validate_items`.

    The answers that count are those of `analyze_rating_rows`; a `yes_no` question is one of classes here. Where there
    are both ratings and classes, a judge's values that name no criterion are held against ratings if all are
    numbers, else against classes. A block whose items no judge judged is left out.

    Raises
    ------
    AnalysisError
        For a mode without answers, for ratings of which none counts, or if no verdict is of an item that was rated.
    """
    if "row" not in verdicts:
        verdicts = check_item_verdicts(verdicts, origin)
    blocks = [one for one in rated_blocks(tables, mode, judgements=True) if len(one.ratings.table)]
    if not blocks:
        raise AnalysisError("no rating of the study counts, so judges cannot be compared with people")
    rated = {str(item) for one in blocks for item in one.ratings.table["item"].unique()}
    about = {
        id(one): verdicts if len(blocks) == 1 else _rows_of_block(verdicts, one, rated) for one in blocks
    }
    found = tuple(
        BlockValidation(
            study=one.study,
            block=one.block,
            kind="classes" if one.ratings.level == "nominal" else "ratings",
            mode=one.selection.mode,
            n_participants=one.selection.n_participants_used,
            n_rated=one.selection.n_used,
            validation=validate_items(
                one.ratings,
                about[id(one)],
                seed=seed,
                resamples=resamples,
                epsilon=epsilon,
                min_instances=min_instances,
                origin=origin,
            ),
        )
        for one in blocks
        if len(about[id(one)])
    )
    if not found:
        raise AnalysisError(
            f"{origin}: no verdict is of an item that was rated; compare the names in the columns item and criterion "
            "with those of the exported ratings"
        )
    return found


def _rows_of_block(verdicts: pd.DataFrame, block: RatedBlock, rated: Collection[str]) -> pd.DataFrame:
    """The rows about items and criteria of a block, with those about items of none; none where it has no item."""
    criteria, items = (block.ratings.table[name].astype("str").unique() for name in ("criterion", "item"))
    is_number = verdicts["value"].isna() | verdicts["value"].map(
        lambda text: not np.isnan(as_number(text))
    ).eq(True)
    of_numbers = is_number.groupby(verdicts["judge"].astype("str")).transform("all")
    fits = of_numbers != (block.ratings.level == "nominal")
    named = verdicts["criterion"].isin(list(criteria))
    rows = verdicts[named | (verdicts["criterion"].isna() & fits)]
    here, anywhere = rows["item"].isin(list(items)), rows["item"].isin(list(rated))
    return rows[here | ~anywhere] if here.any() else rows[:0]
