"""The scores of a block that count, as a table of ratings that is analysed."""

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

import numpy as np
import pandas as pd

from analysis.data.codes import Mask
from analysis.data.rating_table import Ratings, Scale, as_number, check_ratings
from analysis.options import Level

# The first is what numbers are taken for in a file from before there was `level`.
LEVELS: tuple[Level, ...] = ("ordinal", "interval", "nominal")


def that_count(rows: pd.DataFrame, mode: str) -> pd.Series:
    """True for rows of the mode, about a main item, and not excluded."""
    return (rows["mode"] == mode) & (rows["kind"] == "main") & rows["excluded"].isna()


def level_of(part: pd.DataFrame) -> Level:
    """The level of rows that have one in common."""
    return next((one for one in LEVELS if (part["level"] == one).any()), LEVELS[0])


def scored_once(part: pd.DataFrame, mode: str) -> tuple[pd.DataFrame, int]:
    """The answers that count, the first of each participant to an item and question, and how many came again."""
    scored = part[that_count(part, mode)]
    again = scored.duplicated(["participant", "item", "question"])
    return scored[~again].reset_index(drop=True), int(again.sum())


def ratings_in(
    study: str, part: pd.DataFrame, scored: pd.DataFrame, of_item: Mapping[str, pd.Series]
) -> Ratings:
    """The `scored` answers among those of a `part`, with what there is `of_item`: its group, and its match."""
    level, scales = level_of(part), dict(_scales(scored))
    ratings = pd.DataFrame(
        {
            "item": scored["item"].astype("str"),
            "rater": scored["participant"].astype("str"),
            "criterion": scored["question"].astype("str"),
            "score": scores_in(scored),
        }
    )
    for column, by_item in of_item.items():
        ratings[column] = ratings["item"].map(by_item)
    return check_ratings(
        ratings,
        # Names of classes that are numbers on a scale: without one any text would be a class.
        scale=next(iter(scales.values()), None) if level == "nominal" else None,
        scales=scales,
        out_of_range="drop" if level != "nominal" and numbers_left_out(scored).any() else "keep",
        level=level,
        origin=study,
        criteria=_in_order(part),
        asked=_question_texts(part),
    )


def _in_order(rows: pd.DataFrame) -> Sequence[str]:
    """The questions in the order of the study file, which the rows of each trial have, though not all may be asked."""
    questions = rows["question"].astype("str")
    following = questions.shift(-1).where(
        rows["trial"].astype("str") == rows["trial"].astype("str").shift(-1)
    )
    steps = pd.DataFrame({"first": questions, "second": following}).dropna().drop_duplicates()
    order: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(questions.unique(), ()))
    for first, second in steps.itertuples(index=False):
        order.add(second, first)
    try:
        return tuple(order.static_order())
    except CycleError:  # versions that ask in different orders
        return tuple(questions.unique())


def _question_texts(rows: pd.DataFrame) -> dict[str, str]:
    """The text of each question, as the newest version has it; none that is the id again, as of imported answers. Where
    arms of that version ask it in other words, all of these, by the arms' names.
    """
    columns = ["version", "question", "ask", "arm"]
    texts = rows[columns].assign(arm=rows["arm"].astype(object).where(rows["arm"].notna(), ""))
    texts = texts.dropna().drop_duplicates()
    texts = texts[texts["question"].astype("str") != texts["ask"].astype("str")]
    newest = texts[texts["version"] == texts.groupby("question", observed=True)["version"].transform("max")]
    found: dict[str, list[str]] = {}
    by_arm = newest.sort_values("arm", kind="stable")[["question", "ask"]].astype("str")
    for question, ask in by_arm.itertuples(index=False):
        if ask not in found.setdefault(question, []):
            found[question].append(ask)
    return {question: " / ".join(asked) for question, asked in found.items()}


def scores_in(rows: pd.DataFrame) -> pd.Series:
    """The answers as texts; of a question answered with a number, a text is an answer that is none."""
    values = rows["value"].astype(float)
    texts = rows["text"].astype(object).where(rows["text"].notna(), None)
    numbers = values.map(lambda one: str(int(one)) if float(one).is_integer() else repr(float(one)), "ignore")
    return numbers.astype(object).where(values.notna(), texts)


def numbers_left_out(rows: pd.DataFrame) -> Mask:
    """True for an imported number that was kept as a text because it is off the scale and not to count."""
    texts = rows["text"].astype(object).where(rows["value"].isna() & rows["text"].notna(), None)
    is_number = {text: not np.isnan(as_number(text)) for text in texts.dropna().unique()}
    found: Mask = np.array([is_number.get(text, False) for text in texts], dtype=bool)
    return found


def _scales(rows: pd.DataFrame) -> Iterator[tuple[str, Scale]]:
    """By criterion the lowest and the highest answer that any version allows, if all of them have bounds."""
    bounds = rows[["question", "scale_low", "scale_high"]].drop_duplicates()
    for question, of_question in bounds.groupby("question", observed=True):
        low, high = (of_question[name].astype(float) for name in ("scale_low", "scale_high"))
        if low.notna().all() and high.notna().all():
            yield str(question), (float(low.min()), float(high.max()))
