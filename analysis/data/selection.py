"""Selection of the rows that count, with the number and reason of those that do not: nothing is dropped silently."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.data.codes import Groups, Mask, codes_of, rows_where
from analysis.data.columns import BY_RULE, MODES
from analysis.data.flow import Flow, flow_of_answers
from analysis.errors import AnalysisError
from analysis.results import Result

UNWATCHED = "unwatched"
BY_EVIDENCE = (UNWATCHED, "out-of-step", "dropped-frames")
"""The rules that leave answers out by how their clips were watched."""


@dataclass(frozen=True, slots=True)
class Selection(Result):
    """The selection of one study's rows; each row left out is counted once, at its first reason.

    `left_out` has three parts in the order in which they are checked: ``mode`` (rows of other modes), ``kind``
    (practice and attention trials), ``excluded`` (rows that a rule excludes), each from value to number of rows.
    """

    mode: str
    """The mode analysed."""
    n_rows: int
    """Rows of the table."""
    n_used: int
    """Rows that count in the numbers."""
    n_participants: int
    """Participants in the table."""
    n_participants_used: int
    """Participants with a row that counts."""
    left_out: Mapping[str, Mapping[str, int]]
    reason: str | None
    """Why nothing counts, if so."""


@dataclass(frozen=True, slots=True)
class Selected:
    """The counted rows of one study: `main` for the numbers, `voted` (also attention) for the labels.

    Categories that no row uses are kept: those of other studies, other modes and excluded participants.
    """

    study: str
    main: pd.DataFrame
    voted: pd.DataFrame
    selection: Selection
    flow: Flow


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
    right_mode = (rows["mode"] == mode).to_numpy()
    kept = rows["excluded"].isna().to_numpy()
    is_main = (rows["kind"] == "main").to_numpy()
    used, votes = right_mode & is_main & kept, _has_vote(rows, mode)
    main = rows_where(rows, used)
    # Mostly the same rows, which need not be copied twice.
    voted = main if np.array_equal(used, votes) else rows_where(rows, votes)
    left_out = {
        "mode": _counts(rows["mode"], ~right_mode),
        "kind": _counts(rows["kind"], right_mode & ~is_main),
        "excluded": _counts(rows["excluded"], right_mode & is_main & ~kept),
    }
    people = codes_of(rows["participant"])
    selection = Selection(
        mode=mode,
        n_rows=len(rows),
        n_used=len(main),
        n_participants=_n_present(people),
        n_participants_used=_n_present(people, used),
        left_out=left_out,
        reason=None if len(main) else f"no answer of mode {mode} to a main trial counts",
    )
    return Selected(study, main, voted, selection, flow_of_answers(rows, mode))


def select_rows(responses: pd.DataFrame, mode: str | None = None) -> pd.DataFrame:
    """Return the checked rows that have a vote: one mode, not excluded, main and attention trials."""
    return rows_where(responses, _has_vote(responses, choose_mode([responses], mode)))


def with_unwatched(responses: pd.DataFrame) -> pd.DataFrame:
    """Return checked rows in which those excluded only by a rule count: one of `BY_EVIDENCE`, or of their study.

    Manual exclusions, and trials whose clip would not play, stay excluded.
    """
    excluded = responses["excluded"]
    of_study = [name for name in excluded.cat.categories if name.startswith(BY_RULE)]
    is_taken = excluded.isin([*BY_EVIDENCE, *of_study])
    counting = responses.assign(excluded=excluded.where(~is_taken))
    if "use" not in responses:
        return counting
    # A table that is checked again is to count them still, unwatched answers of sessions that are not used among them.
    is_unused = responses["use"].eq(False).fillna(False).astype(bool)
    return counting.assign(use=responses["use"].mask(is_taken & is_unused, True))


def _has_vote(rows: pd.DataFrame, mode: str) -> Mask:
    has_vote = (rows["mode"] == mode) & rows["excluded"].isna() & (rows["kind"] != "practice")
    mask: Mask = has_vote.to_numpy()
    return mask


def _counts(values: pd.Series, which: Mask) -> dict[str, int]:
    counts = codes_of(values).counts(which)
    return {str(value): int(n) for value, n in sorted(zip(values.cat.categories, counts, strict=True)) if n}


def _n_present(groups: Groups, which: Mask | None = None) -> int:
    return int(np.count_nonzero(groups.counts(which)))
