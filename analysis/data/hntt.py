"""The layout of the published Human Navigation Turing Test [NTT21]_, read into `responses` columns."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.data.checking import check_columns
from analysis.data.columns import RESPONSE_COLUMNS, Column, names
from analysis.data.reading import read_csv
from analysis.data.schema import check_responses, refuse_repeats
from analysis.errors import SchemaError, shown
from analysis.natural import natural

SOURCES: Mapping[int, str] = {1: "human", 2: "hybrid", 3: "symbolic"}
HUMAN = 1

_TYPES = tuple(str(code) for code in SOURCES)
HNTT_COLUMNS: tuple[Column, ...] = (
    Column("studyno", "integer", "", "number of the study", minimum=1, required=True),
    Column("subjno", "text", "", "the participant", required=True),
    Column("question_id", "integer", "", "number of the question", minimum=1, required=True),
    Column("vidA_type", "text", "", "1 human, 2 hybrid, 3 symbolic", allowed=_TYPES, required=True),
    Column("vidB_type", "text", "", "1 human, 2 hybrid, 3 symbolic", allowed=_TYPES, required=True),
    Column(
        "ground",
        "text",
        "",
        "the human's side; 0 where neither is human",
        allowed=("A", "B", "0"),
        required=True,
    ),
    Column("subj_resp", "text", "", "the answer; 0 or empty for a blank", allowed=("A", "B", "0")),
    Column(
        "certainty",
        "integer",
        "scale point",
        "1 extremely certain, 5 extremely uncertain",
        minimum=1,
        maximum=5,
    ),
)


def read_hntt(path: Path | str) -> pd.DataFrame:
    """Read and check a CSV in the layout of the published HNTT answers.

    One row is one participant's answer to one question. Every row is checked before anything is returned.

    Returns
    -------
    DataFrame
        The columns of `HNTT_COLUMNS`, typed, in the file's order of rows.

    Raises
    ------
    ReadError, SchemaError
        One line with file, row, column, value and what is allowed.
    """
    path = Path(path)
    return check_hntt(read_csv(path, HNTT_COLUMNS, is_ours=False), str(path))


def check_hntt(df: pd.DataFrame, origin: str = "hntt", first_row: int = 2) -> pd.DataFrame:
    """Return a typed copy of a table in the HNTT layout, or refuse it at its first fault."""
    typed = check_columns(df, HNTT_COLUMNS, origin, first_row)
    first, second = _types(typed, "vidA_type"), _types(typed, "vidB_type")
    human_side = np.select([first == HUMAN, second == HUMAN], ["A", "B"], "0")
    _refuse(typed, "vidB_type", first == second, "a type other than vidA_type's", origin, first_row)
    for side in ("A", "B", "0"):
        wrong = (human_side == side) & (typed["ground"] != side).to_numpy()
        _refuse(typed, "ground", wrong, f"{side}, the side of the human by the two types", origin, first_row)
    _refuse_changing_questions(typed, first, second, origin, first_row)
    refuse_repeats(typed, ["studyno", "subjno", "question_id"], origin, first_row)
    return typed


def hntt_responses(df: pd.DataFrame) -> pd.DataFrame:
    """Return a checked HNTT table in the columns of `responses`.

    One row is one answer. The study is ``hntt-<studyno>``; participant and session are `subjno`; trial and
    pair are ``q<question_id>``; video A was on the left. Where a question shows its two videos the other way
    round to some participants, member a is the video that was A more often, and `left` says who saw what.
    """
    df = check_hntt(df)
    first, second = _types(df, "vidA_type"), _types(df, "vidB_type")
    flipped = _flipped(df, first, second)
    study = "hntt-" + df["studyno"].astype("str")
    question = "q" + df["question_id"].astype("str")
    member = {"A": np.where(flipped, "b", "a"), "B": np.where(flipped, "a", "b")}
    responses = {
        "study": study,
        "version": 1,
        "arm": "main",
        "mode": "live",
        "participant": df["subjno"],
        "session": df["subjno"],
        "position": _asked_in_order(df),
        "trial": question,
        "pair": question,
        "condition": _named(np.minimum(first, second)) + "-" + _named(np.maximum(first, second)),
        "kind": "main",
        "stimulus_a": study + "-" + question + "-a",
        "stimulus_b": study + "-" + question + "-b",
        "source_a": _named(np.where(flipped, second, first)),
        "source_b": _named(np.where(flipped, first, second)),
        "truth": _as_members(df["ground"], member),
        "left": member["A"],
        "choice": _as_members(df["subj_resp"], member),
        "uncertainty": df["certainty"],
    }
    table = pd.DataFrame(responses).reindex(columns=list(names(RESPONSE_COLUMNS)))
    return check_responses(table, "hntt")


def _types(df: pd.DataFrame, column: str) -> np.ndarray:
    return df[column].astype("int64").to_numpy()


def _named(types: np.ndarray) -> pd.Series:
    return pd.Series(types).map(SOURCES).astype("str")


def _as_members(letters: pd.Series, member: Mapping[str, np.ndarray]) -> np.ndarray:
    return np.select([letters == "A", letters == "B"], [member["A"], member["B"]], "")


def _flipped(df: pd.DataFrame, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Rows whose videos are the other way round than in most rows of their question."""
    question = df.groupby(["studyno", "question_id"], observed=True).ngroup().to_numpy()
    ascending = first < second
    balance = np.bincount(question, weights=np.where(ascending, 1, -1))[question]
    other: np.ndarray = ascending != (balance >= 0)
    return other


def _refuse_changing_questions(
    df: pd.DataFrame, first: np.ndarray, second: np.ndarray, origin: str, first_row: int
) -> None:
    shows = pd.Series(np.minimum(first, second) * 10 + np.maximum(first, second))
    question = [df["studyno"], df["question_id"]]
    usual = shows.groupby(question, observed=True).transform("first")
    changed = (shows != usual).to_numpy()
    if changed.any():
        types = divmod(int(usual.iloc[int(changed.argmax())]), 10)
        allowed = f"types {types[0]} and {types[1]}, as in the question's first row"
        _refuse(df, "vidA_type", changed, allowed, origin, first_row)


def _refuse(
    df: pd.DataFrame, column: str, bad: np.ndarray, allowed: str, origin: str, first_row: int
) -> None:
    if bad.any():
        first = int(bad.argmax())
        problem = f"{shown(df[column].iloc[first])} is not allowed"
        raise SchemaError(origin, first_row + first, column, problem, allowed)


def _asked_in_order(df: pd.DataFrame) -> pd.Series:
    """The place of each question among the participant's, by its number: the layout does not tell the order."""
    asked = sorted(map(str, df["question_id"].unique()), key=natural)
    number = df["question_id"].astype("str").map({question: place for place, question in enumerate(asked)})
    keys = [df["studyno"], df["subjno"]]
    return number.astype("int64").groupby(keys, observed=True).rank(method="first").astype("int64")
