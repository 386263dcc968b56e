"""People and cells as whole numbers, and what is described of one value per person."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtrit

from analysis.codes import Codes, Counts, Groups, groups_of, recoded, small_type
from analysis.description import Description, describe
from analysis.estimates import Estimate
from analysis.intervals import (
    NOT_ASKED,
    OVER_PARTICIPANTS,
    Floats,
    Interval,
    no_interval,
    percentile_interval,
    portions,
)
from analysis.majority import natural
from analysis.options import LEVEL

STUDENT = "Student's t over participants"
ALL_THE_SAME = "all participants have the same value: resampling cannot show a spread"
FEWER_THAN_TWO = "fewer than two participants: there is nothing to resample"

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
        """How many people there are."""
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
    """Whether nobody has two sessions: then nobody answers a pair, or stands at a position, twice."""
    session = rows["session"].cat.codes.to_numpy()
    run = session[people.some_row]
    return bool((run[people.groups.codes] == session).all())


def within(first: Codes, n_first: int, second: Codes, n_second: int) -> Groups:
    """Each of the first divided by each of the second, the second's numbers next to each other; -1 stays -1."""
    size = n_first * n_second
    codes = first.astype(small_type(size))
    codes *= n_second
    codes += second.astype(codes.dtype, copy=False)
    codes[(first < 0) | (second < 0)] = -1
    return Groups(codes, size)


def same_codes(*columns: pd.Categorical) -> tuple[list[str], list[Codes]]:
    """The texts of several columns in one sorted list, and each column's codes into it (-1 is missing)."""
    texts = sorted({str(text) for column in columns for text in column.categories})
    position = pd.Index(texts, dtype="str")
    type_ = small_type(len(texts) + 1)
    # The last place answers for code -1, a missing cell.
    places = [np.append(position.get_indexer(column.categories), -1).astype(type_) for column in columns]
    return texts, [recoded(column.codes, place) for column, place in zip(columns, places, strict=True)]


def ratio(part: npt.NDArray[np.generic], whole: npt.NDArray[np.generic]) -> Floats:
    """`part` / `whole` as one division, NaN where `whole` is 0."""
    divided: Floats = np.full(len(whole), np.nan)
    np.divide(part, whole, out=divided, where=np.asarray(whole) != 0)
    return divided


def natural_ranks(names: pd.Series) -> Counts:
    """The place of each name among the distinct ones, q2 before q10; what has no name is last."""
    code, distinct = pd.factorize(names)
    rank = np.empty(len(distinct) + 1, dtype=np.int64)
    rank[sorted(range(len(distinct)), key=lambda position: natural(str(distinct[position])))] = range(
        len(distinct)
    )
    rank[-1] = len(distinct)  # of code -1, no name
    ranks: Counts = rank[code]
    return ranks


def describe_people(values: Floats, *, seed: int, resamples: int) -> Description:
    """As `describe`; with more than 5,000 distinct values the interval is Student's t, and says so."""
    if resamples and len(np.unique(values[~np.isnan(values)])) > _MOST_DISTINCT:
        plain = describe(values, seed=seed, resamples=0)
        return replace(plain, interval=_student_of(plain, seed))
    return describe(values, seed=seed, resamples=resamples)


def _student_of(described: Description, seed: int) -> Interval:
    assert described.mean is not None
    assert described.sd_ddof1 is not None
    half = float(student_half(np.array([described.sd_ddof1]), np.array([described.n]))[0])
    return Interval(described.mean - half, described.mean + half, LEVEL, STUDENT, 0, seed, None)


def student_half(sd_ddof1: Floats, n: Counts) -> Floats:
    """Half the width of the 95 % t interval of a mean of n independent values; n below 2 counts as 2."""
    n = np.maximum(n, 2)
    half: Floats = stdtrit(n - 1, (1 + LEVEL) / 2) * sd_ddof1 / np.sqrt(n)
    return half


def pooled_share(part: Counts, whole: Counts, *, seed: int, resamples: int, reason: str) -> Estimate:
    """All of `part` / all of `whole`, one value of each per person; the bootstrap resamples people [ET93]_.

    Everybody counts by the number of answers given, so this is not the mean of the people's shares. `reason` says
    why there is none where `whole` sums to 0. The estimate's `n` counts answers."""
    n = int(whole.sum())
    used = whole > 0
    interval = _share_interval(part[used], whole[used], seed, resamples)
    return Estimate(int(part.sum()) / n if n else None, n, interval, None if n else reason)


def _share_interval(part: Counts, whole: Counts, seed: int, resamples: int) -> Interval:
    if len(whole) < 2:
        return no_interval(FEWER_THAN_TWO, seed, resamples)
    if len(np.unique(ratio(part, whole))) == 1:
        return no_interval(ALL_THE_SAME, seed, resamples)
    if resamples == 0:
        return no_interval(NOT_ASKED, seed, resamples)
    # People with the same counts are drawn together: few kinds of people, however many people.
    width = int(part.max()) + 1
    used, counts = np.unique(whole * width + part, return_counts=True)
    kinds = np.column_stack([used % width, used // width])
    rng = np.random.default_rng(seed)
    n = len(whole)
    drawn = [rng.multinomial(n, counts / n, size=size) @ kinds for size in portions(resamples, len(kinds))]
    sums = np.concatenate(drawn)
    return percentile_interval(sums[:, 0] / sums[:, 1], seed, OVER_PARTICIPANTS)
