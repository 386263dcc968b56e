"""Single answers as who answered what, and how: for methods that do not average each participant first."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.data.codes import Codes, Mask, groups_of
from analysis.data.columns import TIE
from analysis.options import Blank

Numbers = npt.NDArray[np.int64]

Trials = Literal["with-truth", "all"]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One whole number per answer that counts, with the codes of its participant and of its pair, which all occur.

    `counted` marks the rows that these answers are."""

    participant: Codes
    pair: Codes
    value: Numbers
    counted: Mask

    @property
    def n(self) -> int:
        """Answers."""
        return len(self.value)

    @property
    def n_participants(self) -> int:
        """Participants with an answer."""
        return int(self.participant.max()) + 1 if self.n else 0

    @property
    def n_pairs(self) -> int:
        """Pairs with an answer."""
        return int(self.pair.max()) + 1 if self.n else 0


def correct_answers(rows: pd.DataFrame, blank: Blank = "missing") -> Outcomes:
    """Correctness, 1 or 0, of each answer to a trial with a truth, as in `accuracy_per_participant`."""
    truth, choice = (rows[name].cat.codes.to_numpy() for name in ("truth", "choice"))
    counted = (truth >= 0) & names_a_member(choice, blank)
    return _outcomes(rows, counted, choice == truth)


def chosen_answers(
    rows: pd.DataFrame, condition: str, source: str, against: str, blank: Blank = "missing"
) -> Outcomes:
    """Choice of `source` over `against`, 1 or 0, in each answer, as in `preference_per_participant`."""
    is_a, is_b = (
        ((rows[one] == source) & (rows[other] == against)).to_numpy()
        for one, other in (("source_a", "source_b"), ("source_b", "source_a"))
    )
    named = rows["condition"].isna() if condition == "" else rows["condition"] == condition
    choice = rows["choice"].cat.codes.to_numpy()
    counted = named.to_numpy(dtype=bool) & (is_a | is_b) & names_a_member(choice, blank)
    return _outcomes(rows, counted, (choice == 0) & is_a | (choice == 1) & is_b)


def names_a_member(choice: npt.NDArray[np.integer[Any]], blank: Blank = "missing") -> Mask:
    """A mask of answers that count as right or wrong, or for a source: those that name a member; ``wrong`` blanks do,
    too.

    A tie never does.
    """
    return (choice < TIE) & ((choice >= 0) | (blank == "wrong"))


def uncertainty_answers(rows: pd.DataFrame, trials: Trials = "all") -> Outcomes:
    """Each uncertainty given, in scale points, as in `uncertainty_per_participant`."""
    given = rows["uncertainty"].notna().to_numpy()
    if trials == "with-truth":
        given = given & rows["truth"].notna().to_numpy()
    return _outcomes(rows, given, rows["uncertainty"].to_numpy(dtype=np.int64, na_value=0))


def _outcomes(rows: pd.DataFrame, counted: Mask, value: npt.NDArray[np.generic]) -> Outcomes:
    participant, pair = (_codes(rows, name, counted) for name in ("participant", "pair"))
    return Outcomes(participant, pair, value[counted].astype(np.int64), counted)


def _codes(rows: pd.DataFrame, name: str, counted: Mask) -> Codes:
    every = groups_of([rows["study"], rows[name]]).codes[counted]
    used = np.bincount(every) > 0 if len(every) else np.zeros(0, dtype=bool)
    codes: Codes = (np.cumsum(used) - 1).astype(np.int32).take(every)
    return codes
