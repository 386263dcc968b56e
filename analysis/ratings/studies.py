"""The ratings of studies: from the rows of exported tables to the analysis of each block of ratings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.data.selection import Selection, choose_mode, select
from analysis.options import RESAMPLES
from analysis.ratings.scores import RatingAnalysis, analyze_ratings
from analysis.ratings.table import Scale, check_ratings
from analysis.results import Result

# What an item is of, the first that any item of a block has.
GROUPINGS = ("group", "condition")
_ABOUT = ("item", "group", "condition", "stimulus", "source")


@dataclass(frozen=True, slots=True, eq=False)
class BlockRatings(Result):
    """One block of ratings of one study. `selection` counts items rated: a page with all of its questions is one.

    `n_sessions_excluded` are sessions of the mode of which a rule leaves an answer out, `n_repeated` scores that a
    participant gave to an item a second time, in another session: the first counts. Items are grouped by their
    `grouped_by`: ``group`` where any has one, else ``condition``. `items` says of each item rated what it is, by the
    newest version. `analysis` is of the answers that are numbers: one criterion for each question, on the scale that
    the study gives it."""

    study: str
    block: str
    selection: Selection
    n_sessions_excluded: int
    n_repeated: int
    grouped_by: str | None
    items: pd.DataFrame
    analysis: RatingAnalysis


def analyze_rating_rows(
    tables: Sequence[pd.DataFrame], *, mode: str | None = None, seed: int = 1, resamples: int = RESAMPLES
) -> tuple[BlockRatings, ...]:
    """Analyse every block of ratings of checked tables of `ratings`, in the order of the rows.

    Only answers of one mode about main items that no rule excludes count: by default of the first of live, simulated,
    pilot and preview that has any. Raters are the participants. A block without an answer that counts is there, too:
    its `selection` has the reason.

    Raises
    ------
    AnalysisError
        For a mode without answers.
    """
    chosen = choose_mode(tables, mode)
    found = []
    for table in tables:
        for study in table["study"].unique():
            of_study = table[table["study"] == study]
            for block in of_study["block"].unique():
                rows = of_study[of_study["block"] == block].reset_index(drop=True)
                found.append(_block(str(study), str(block), rows, chosen, seed, resamples))
    return tuple(found)


def _block(study: str, block: str, rows: pd.DataFrame, mode: str, seed: int, resamples: int) -> BlockRatings:
    trials = rows.drop_duplicates(["session", "trial"]).reset_index(drop=True)
    selection = select(study, trials, mode).selection
    counts = (rows["mode"] == mode) & (rows["kind"] == "main") & rows["excluded"].isna()
    scored = rows[counts & rows["value"].notna()]
    again = scored.duplicated(["participant", "item", "question"])
    scored = scored[~again].reset_index(drop=True)
    items = _items(rows[counts])
    grouped_by = next((name for name in GROUPINGS if items[name].notna().any()), None)
    ratings = pd.DataFrame(
        {
            "item": scored["item"].astype("str"),
            "rater": scored["participant"].astype("str"),
            "criterion": scored["question"].astype("str"),
            "score": scored["value"].astype(float),
        }
    )
    if grouped_by is not None:
        ratings["group"] = ratings["item"].map(items.set_index("item")[grouped_by])
    checked = check_ratings(ratings, scales=dict(_scales(scored)), origin=study)
    excluded = trials[(trials["mode"] == mode) & trials["excluded"].notna()]
    return BlockRatings(
        study=study,
        block=block,
        selection=selection,
        n_sessions_excluded=int(excluded["session"].nunique()),
        n_repeated=int(again.sum()),
        grouped_by=grouped_by,
        items=items,
        analysis=analyze_ratings(checked, seed=seed, resamples=resamples),
    )


def _items(rows: pd.DataFrame) -> pd.DataFrame:
    """Each item rated, in the order of the names, as its newest version has it."""
    newest = rows.sort_values("version", kind="stable").drop_duplicates("item", keep="last")
    items = newest[list(_ABOUT)].astype(object)
    items = items.where(items.notna(), None)
    return items.sort_values("item").reset_index(drop=True)


def _scales(rows: pd.DataFrame) -> Iterator[tuple[str, Scale]]:
    """By criterion the lowest and the highest answer that any version allows, where all of them have bounds."""
    bounds = rows[["question", "scale_low", "scale_high"]].drop_duplicates()
    for question, of_question in bounds.groupby("question", observed=True):
        low, high = (of_question[name].astype(float) for name in ("scale_low", "scale_high"))
        if low.notna().all() and high.notna().all():
            yield str(question), (float(low.min()), float(high.max()))
