"""The contract of a table of verdicts: checked before anything is computed, nothing left out of it."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.data.checking import categorical, check_columns
from analysis.data.columns import names
from analysis.errors import SchemaError, shown
from analysis.judging.columns import VERDICT_COLUMNS, VERDICTS, with_items_named
from analysis.stats.intervals import Floats

Codes = npt.NDArray[np.integer]
Mask = npt.NDArray[np.bool_]

_NEUTRAL = 0.5
_TEXTS = tuple(column for column in VERDICT_COLUMNS if column.name != "score")
_KEY = ("judge", "run", "study", "pair", "stimulus")


def check_verdicts(df: pd.DataFrame, origin: str = "verdicts", first_row: int = 2) -> pd.DataFrame:
    """Return a typed copy of a table of verdicts, or refuse it at its first fault.

    One row is what one run of one judge says of one pair or of one clip.

    - Where every score that a judge gives to pairs lies in [0, 1], its scores are probabilities that `a` is chosen;
      else, or where its `scale` says so, they are support for `a` with 0 as the middle.
    - A pair with a score and no choice gets the choice from the score (`a` above the middle, `tie` at it). A
      choice that its own score contradicts is refused; at the middle any choice may stand.
    - Neither choice nor score: the judge abstains. That is kept.

    Parameters
    ----------
    df
        `judge`, at least one of `pair` and `stimulus`, at least one of `choice` and `score`, and optionally
        `run`, `study` and `scale`, as text or typed; further columns are ignored.
    origin, first_row
        How an error names the table and its first row (2 for a CSV).

    Returns
    -------
    DataFrame
        The columns of `VERDICT_COLUMNS` and `probability` (whether `score` is one).

    Raises
    ------
    SchemaError
        For a missing column, a cell that is not allowed, a row about both or neither of a pair and a clip, a
        choice for a clip, a judge with both kinds of row, a contradiction, or a second verdict of a run on
        the same thing.
    """
    df = df.rename(columns=with_items_named([str(name) for name in df.columns]))
    present = [str(name) for name in df.columns]
    require_verdict_columns(present, origin)
    texts = [column for column in _TEXTS if column.name in present]
    typed = check_columns(df, texts, origin, first_row).reindex(columns=list(names(VERDICT_COLUMNS)))
    for column in _TEXTS:
        if column.name not in present:
            values = pd.Index(column.allowed, dtype="str")
            typed[column.name] = pd.Categorical([None] * len(df), categories=values)
    typed["score"] = _numbers(df["score"], origin, first_row) if "score" in present else np.nan
    _refuse_mixed(typed, origin, first_row)
    _refuse_repeats(typed, origin, first_row)
    typed["probability"] = _probabilities(typed, origin, first_row)
    typed["choice"] = _choices(typed, origin, first_row)
    return typed


def require_verdict_columns(present: Sequence[str], origin: str) -> None:
    """Refuse a header without the columns of a verdict."""
    for options in (("judge",), ("pair", "stimulus"), ("choice", "score")):
        if not set(options) & set(present):
            named = " or ".join(options)
            hint = " (are the fields separated by commas, semicolons or tabs?)" if len(present) == 1 else ""
            allowed = "judge, pair or stimulus, choice or score, and optionally run, study, scale"
            raise SchemaError(origin, 1, named, f"the column is missing{hint}", allowed)


def _numbers(series: pd.Series, origin: str, first_row: int) -> Floats:
    if pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype):
        values: Floats = series.to_numpy(dtype=float, na_value=np.nan)
        bad = np.isinf(values)
    else:
        cells = categorical(series)
        parsed = np.array([*map(_number, cells.categories), np.nan])
        values = parsed[cells.codes]
        bad = ~np.isfinite(values) & (cells.codes >= 0)
    _refuse(series, bad, "is not a number", "a number, or empty", origin, first_row)
    return values


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


def _refuse_mixed(typed: pd.DataFrame, origin: str, first_row: int) -> None:
    pair, clip = typed["pair"].notna().to_numpy(), typed["stimulus"].notna().to_numpy()
    if (pair & clip).any():
        row = int((pair & clip).argmax())
        problem = f"{shown(typed['stimulus'].iloc[row])} stands beside a pair"
        raise SchemaError(origin, first_row + row, "stimulus", problem, "empty in a row about a pair")
    if (~pair & ~clip).any():
        row = int((~pair & ~clip).argmax())
        raise SchemaError(origin, first_row + row, "pair", "the cell is empty", "a pair, or a stimulus")
    chosen = clip & typed["choice"].notna().to_numpy()
    _refuse(typed["choice"], chosen, "is in a row about one clip", "empty, with a score", origin, first_row)
    judge = typed["judge"].cat.codes.to_numpy()
    about_clips = np.bincount(judge, weights=clip) > 0
    mixed = pair & about_clips[judge]
    allowed = "pairs or single clips, one of them for each judge"
    _refuse(typed["judge"], mixed, "judges pairs and single clips", allowed, origin, first_row)


def _refuse_repeats(typed: pd.DataFrame, origin: str, first_row: int) -> None:
    repeated = typed.duplicated(list(_KEY)).to_numpy()
    if not repeated.any():
        return
    second = int(repeated.argmax())
    same = np.ones(len(typed), dtype=bool)
    for name in _KEY:
        codes = typed[name].cat.codes.to_numpy()
        same &= codes == codes[second]
    row = typed.iloc[second]
    column = "pair" if pd.notna(row["pair"]) else "stimulus"
    run = "" if pd.isna(row["run"]) else f", run {row['run']}"
    problem = (
        f"{shown(row[column])} was already judged in row {first_row + int(same.argmax())} "
        f"(judge {row['judge']}{run})"
    )
    raise SchemaError(origin, first_row + second, column, problem, "one verdict for each judge and run")


def _probabilities(typed: pd.DataFrame, origin: str, first_row: int) -> Mask:
    """True for rows whose judge's scores of pairs are probabilities: as declared, or else because there are some and
    all are in [0, 1].
    """
    score, judge = typed["score"].to_numpy(), typed["judge"].cat.codes.to_numpy()
    scale = typed["scale"].cat.codes.to_numpy()
    of_pair = typed["pair"].notna().to_numpy() & ~np.isnan(score)
    outside = of_pair & ~((score >= 0) & (score <= 1))
    says, denies, given, leaves = (
        (np.bincount(judge, weights=mask) > 0)[judge] for mask in (scale == 0, scale == 1, of_pair, outside)
    )
    _refuse(typed["judge"], says & denies, "has two scales", "one scale for each judge", origin, first_row)
    _refuse(typed["score"], outside & says, "is no probability", "a number from 0 to 1", origin, first_row)
    probable: Mask = given & ~denies & ~leaves
    return probable


def _contradicts(choice: Codes, lean: Floats) -> Mask:
    """True if a choice (0 is a, 1 is b, anything else neither) differs from the one that the score favours."""
    meant = np.select([choice == 0, choice == 1], [1.0, -1.0], 0.0)
    contradicts: Mask = (choice >= 0) & (lean != 0) & (lean != meant)
    return contradicts


def _choices(typed: pd.DataFrame, origin: str, first_row: int) -> pd.Categorical:
    score = typed["score"].to_numpy()
    probability = typed["probability"].to_numpy()
    scored = typed["pair"].notna().to_numpy() & ~np.isnan(score)
    lean = np.sign(np.where(scored, score - np.where(probability, _NEUTRAL, 0.0), 0.0))
    given = typed["choice"].cat.codes.to_numpy()
    contradicts = scored & _contradicts(given, lean)
    if contradicts.any():
        row = int(contradicts.argmax())
        scale = "a probability that a is chosen" if probability[row] else "support for a"
        problem = f"{shown(typed['choice'].iloc[row])} contradicts the score {score[row]:g} ({scale})"
        right = "a" if lean[row] > 0 else "b"
        raise SchemaError(origin, first_row + row, "choice", problem, f"{right} in this row, or empty")
    from_score = np.select([lean > 0, lean < 0], [0, 1], 2)
    codes = np.where(given >= 0, given, np.where(scored, from_score, -1)).astype(np.int8)
    return pd.Categorical(np.array([*VERDICTS, None], dtype=object)[codes], categories=pd.Index(VERDICTS))


def _refuse(series: pd.Series, bad: Mask, problem: str, allowed: str, origin: str, first_row: int) -> None:
    if bad.any():
        row = int(bad.argmax())
        value = series.iloc[row]
        raise SchemaError(origin, first_row + row, str(series.name), f"{shown(value)} {problem}", allowed)
