"""People and cells as integer codes, and the description of one value per person."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.data.codes import Codes, Counts, Groups, groups_of, small_type
from analysis.stats.description import Description, describe
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats, Interval
from analysis.stats.student import STUDENT, Scale, ratio_interval, student

# A multinomial over more distinct values than this takes minutes, and its mean is as good as normal by then.
_MOST_DISTINCT = 5_000


@dataclass(frozen=True, slots=True)
class People:
    """The people of a table: the number of each row's, 0 to n - 1 in the order of study and participant.

    `some_row` is the place of one row of each."""

    groups: Groups
    some_row: Counts
    study: pd.Categorical
    participant: pd.Categorical

    @property
    def n(self) -> int:
        """The number of people."""
        return self.groups.size

    def table(self) -> pd.DataFrame:
        """One row per person, in the order of their numbers."""
        return pd.DataFrame({"study": self.study, "participant": self.participant})


def people_of(rows: pd.DataFrame) -> People:
    """Number the people of a table of checked responses; a name in two studies is two people."""
    groups = groups_of([rows["study"], rows["participant"]]).dense()
    row = groups.some_row()
    study, participant = (rows[name].array[row] for name in ("study", "participant"))
    return People(groups, row, study, participant)


def one_run_each(rows: pd.DataFrame, people: People) -> bool:
    """True if no person has two sessions: then no one answers a pair, or has a position, twice."""
    session = rows["session"].cat.codes.to_numpy()
    run = session[people.some_row]
    return bool((run[people.groups.codes] == session).all())


def within(first: Codes, n_first: int, second: Codes, n_second: int) -> Groups:
    """Each of the first divided by each of the second, the second's numbers next to each other; -1 stays -1."""
    size = n_first * n_second
    # The narrowest type that holds every cell: there is one code for each of perhaps millions of answers.
    codes = first.astype(small_type(size))
    codes *= n_second
    codes += second.astype(codes.dtype, copy=False)
    # Last: a missing second code, -1, would otherwise number the last cell of the group before.
    codes[(first < 0) | (second < 0)] = -1
    return Groups(codes, size)


def ratio(part: npt.NDArray[np.generic], whole: npt.NDArray[np.generic]) -> Floats:
    """`part` / `whole` as one division, NaN where `whole` is 0."""
    divided: Floats = np.full(len(whole), np.nan)
    np.divide(part, whole, out=divided, where=np.asarray(whole) != 0)
    return divided


def describe_people(values: Floats, *, scale: Scale = "any", seed: int, resamples: int) -> Description:
    """Like `describe`; with more than 5,000 distinct values the interval is Student's t, and says so."""
    if resamples and len(np.unique(values[~np.isnan(values)])) > _MOST_DISTINCT:
        plain = describe(values, seed=seed, resamples=0)
        return replace(plain, interval=_student_of(plain, scale, seed))
    return describe(values, scale=scale, seed=seed, resamples=resamples)


def _student_of(described: Description, scale: Scale, seed: int) -> Interval:
    assert described.mean is not None
    assert described.sd_ddof1 is not None
    n = described.n
    error = described.sd_ddof1 / n**0.5
    return student(described.mean, error, n - 1, scale=scale, method=STUDENT, seed=seed)


def pooled_share(part: Counts, whole: Counts, *, seed: int, reason: str) -> Estimate:
    """All of `part` / all of `whole`, one value of each per person; people are what its interval takes as independent.

    Everybody counts by the number of answers given, so this is not the mean of the people's shares. `reason` says
    why there is none where `whole` sums to 0. The estimate's `n` counts answers."""
    n = int(whole.sum())
    used = whole > 0
    interval = ratio_interval(part[used], whole[used], seed=seed)
    return Estimate(int(part.sum()) / n if n else None, n, interval, None if n else reason)
