"""Which rows count, and how many do not and why: nothing is dropped unseen."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from analysis.columns import MODES
from analysis.errors import AnalysisError
from analysis.results import Result


@dataclass(frozen=True, slots=True)
class Selection(Result):
    """How the rows of one study were sorted; each row left out is counted once, at its first reason.

    `left_out` has three parts in the order in which they are asked: ``mode`` (rows of other modes), ``kind``
    (practice and attention trials), ``excluded`` (rows that a rule excludes), each from value to number of
    rows."""

    mode: str
    n_rows: int
    n_used: int
    n_participants: int
    n_participants_used: int
    left_out: Mapping[str, Mapping[str, int]]
    reason: str | None


@dataclass(frozen=True, slots=True)
class Selected:
    """The rows of one study that count: `main` for the numbers, `voted` (also attention) for the labels."""

    study: str
    main: pd.DataFrame
    voted: pd.DataFrame
    selection: Selection


def choose_mode(tables: Iterable[pd.DataFrame], mode: str | None) -> str:
    """Return the mode to analyse: `mode`, or the first of live, simulated, pilot, preview with rows.

    Raises
    ------
    AnalysisError
        If the mode asked for does not exist or has no row.
    """
    given = {str(value) for table in tables for value in table["mode"].unique()}
    present = [known for known in MODES if known in given]
    if mode is None:
        return present[0] if present else MODES[0]
    if mode not in present:
        there = ", ".join(present)
        raise AnalysisError(f"mode {mode!r} has no answers; allowed here: {there}")
    return mode


def select(study: str, rows: pd.DataFrame, mode: str) -> Selected:
    """Split the rows of one study into those that count and those that do not.

    Only answers of one mode to main trials that no rule excludes count in the numbers.
    """
    right_mode = rows["mode"] == mode
    kept = rows["excluded"].isna()
    is_main = rows["kind"] == "main"
    used = right_mode & is_main & kept
    main = rows[used]
    voted = rows[right_mode & kept & (rows["kind"] != "practice")]
    left_out = {
        "mode": _counts(rows.loc[~right_mode, "mode"]),
        "kind": _counts(rows.loc[right_mode & ~is_main, "kind"]),
        "excluded": _counts(rows.loc[right_mode & is_main & ~kept, "excluded"]),
    }
    selection = Selection(
        mode=mode,
        n_rows=len(rows),
        n_used=len(main),
        n_participants=int(rows["participant"].nunique()),
        n_participants_used=int(main["participant"].nunique()),
        left_out=left_out,
        reason=None if len(main) else f"no answer of mode {mode} to a main trial counts",
    )
    return Selected(study, main, voted, selection)


def select_rows(responses: pd.DataFrame, mode: str | None = None) -> pd.DataFrame:
    """Return the checked rows that have a vote: one mode, not excluded, main and attention trials."""
    return select("", responses, choose_mode([responses], mode)).voted


def _counts(values: pd.Series) -> dict[str, int]:
    counts = values.value_counts()
    return {str(value): int(n) for value, n in sorted(counts.items()) if n}
