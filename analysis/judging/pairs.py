"""The pairs on which judges are compared with people, in terms that do not depend on which clip is called a."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.data.columns import CHOICES, TIE
from analysis.judging.columns import PAIR_COLUMNS
from analysis.judging.scores import divided
from analysis.stats.intervals import Floats

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Scope = Literal["all", "class", "condition"]

HUMAN_AGENT, AGENT_AGENT = "human-agent", "agent-agent"
CLASS_TITLES = {HUMAN_AGENT: "Pairs with a right member", AGENT_AGENT: "Pairs without a right member"}
"""The classes of pairs in words that hold whatever is judged, and whichever source is the true one."""
EVEN = 0.5
# The columns of votes with the members the other way round.
MIRRORED = (1, 0, TIE)

_DEFINITION = tuple(column.name for column in PAIR_COLUMNS)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """One row per pair of a study; one of its two members is `first`, whichever is called a.

    `first` is the member with the truth, else the one whose source the condition names first (``hybrid-symbolic``: the
    hybrid), else the one whose source comes first in the alphabet. If neither truth nor sources distinguish the two
    (`named` False), it is an arbitrary one (the clip's name decides, else the votes), and numbers that would depend on
    that are computed both ways.

    A pair that the study changed between versions is one row for each definition; `changed` marks them. `votes` counts
    those for the first member, for the second, and for a tie (no difference). `voted` has one row per vote (not
    blanks): the codes of pair and participant, and the choice, 0 for the first member.
    """

    table: pd.DataFrame
    named: Bools
    has_truth: Bools
    changed: Bools
    votes: Ints
    voted_pair: Ints
    voted_person: Ints
    voted_member: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.table)

    @property
    def n_participants(self) -> int:
        """Participants with a vote."""
        return int(np.count_nonzero(np.bincount(self.voted_person)))

    @property
    def n(self) -> Ints:
        """Votes of each pair."""
        counted: Ints = self.votes.sum(axis=1)
        return counted

    @property
    def share(self) -> Floats:
        """Share of votes for the first member, a tie half a vote for each; NaN without a vote."""
        return share_of(self.votes)

    @property
    def label(self) -> Floats:
        """See `label_of`."""
        return label_of(self.votes)

    @property
    def with_ties(self) -> Bools:
        """True for pairs of a study with any tie answers: there a tie is an answer like the other two."""
        study = pd.factorize(self.table["study"])[0]
        ties = np.bincount(study, weights=self.votes[:, TIE])
        allowed: Bools = ties[study] > 0
        return allowed

    def groups(self) -> Iterator[tuple[Scope, str, Bools]]:
        """All pairs, those with and without a truth, and each condition; groups without a pair are left
        out."""
        yield "all", "all", np.ones(len(self), dtype=bool)
        for name, chosen in ((HUMAN_AGENT, self.has_truth), (AGENT_AGENT, ~self.has_truth)):
            if chosen.any():
                yield "class", name, chosen
        conditions = self.table["condition"]
        for condition in sorted(set(conditions)):
            yield "condition", condition, (conditions == condition).to_numpy()


def share_of(votes: npt.NDArray[np.integer[Any]]) -> Floats:
    """Share of votes (for the first, the second and a tie) for the first, a tie half a vote; NaN without a vote."""
    return divided(votes[:, 0] + votes[:, TIE] / 2, votes.sum(axis=1).astype(float))


def label_of(votes: npt.NDArray[np.integer[Any]]) -> Floats:
    """1 where most voted for the first member, 0 for the second, 0.5 where it is a tie: where ties are most, or no
    member has more votes than the other two answers; NaN without a vote."""
    first, second, tie = votes.T
    wins = [votes.sum(axis=1) == 0, first > np.maximum(second, tie), second > np.maximum(first, tie)]
    return np.select(wins, [np.nan, 1.0, 0.0], EVEN)


def collect_pairs(rows: pd.DataFrame, more: pd.DataFrame | None = None) -> Pairs:
    """Collect the pairs of the responses that count, with their votes, and those of a table of further pairs.

    Parameters
    ----------
    rows
        Checked responses of main trials, already selected. One row is one answer, each is one vote.
    more
        Pairs (`PAIR_COLUMNS`) that verdicts may also speak of; those that `rows` has are taken from `rows`.
    """
    code, first_rows = _units(rows)
    choice = rows["choice"].cat.codes.to_numpy()
    voted = choice >= 0
    choice, code = choice[voted], code[voted]
    n, width = len(first_rows), len(CHOICES)
    votes: Ints = np.bincount(code * width + choice, minlength=n * width).reshape(n, width)
    table = rows[list(_DEFINITION)].iloc[first_rows].astype(object).reset_index(drop=True)
    if more is not None:
        others = _only_new(more, table)
        table = pd.concat([table, others], ignore_index=True)
        votes = np.concatenate([votes, np.zeros((len(others), width), dtype=np.int64)])
    table = table.fillna("").astype(object)
    flipped, named = _orientation(table, votes)
    turned = _turned(table, flipped)
    order = turned.sort_values(list(turned.columns), kind="stable").index.to_numpy()
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    table, votes = turned.iloc[order].reset_index(drop=True), votes.astype(np.int64)
    votes = np.where(flipped[:, None], votes[:, MIRRORED], votes)[order]
    return Pairs(
        table=table.assign(flipped=flipped[order]),
        named=named[order],
        has_truth=(table["truth"] != "").to_numpy(),
        changed=table.duplicated(["study", "pair"], keep=False).to_numpy(),
        votes=votes,
        voted_pair=place[code],
        voted_person=_people(rows)[voted],
        voted_member=np.where(flipped[code], np.array(MIRRORED)[choice], choice).astype(np.int8),
    )


def _units(rows: pd.DataFrame) -> tuple[Ints, Ints]:
    """The pair of each row as a code, and the first row of each code."""
    study, pair = (rows[name].cat.codes.to_numpy().astype(np.int64) for name in ("study", "pair"))
    code, first = compressed(study * len(rows["pair"].cat.categories) + pair)
    definition = [rows[name].cat.codes.to_numpy() for name in _DEFINITION]
    # A pair whose clips or truth changed between versions is, for the votes, another pair.
    if any((column != column[first][code]).any() for column in definition):
        group = rows.groupby(list(_DEFINITION), observed=True, dropna=False).ngroup()
        return compressed(group.to_numpy().astype(np.int64))
    return code, first


def compressed(key: Ints) -> tuple[Ints, Ints]:
    """Keys as codes without gaps, in order, and the first row of each; no sorting, for there may be
    millions."""
    if not len(key):
        return key, key
    first = np.full(int(key.max()) + 1, -1, dtype=np.int64)
    first[key[::-1]] = np.arange(len(key))[::-1]
    present = first >= 0
    return (np.cumsum(present) - 1)[key], first[present]


def _people(rows: pd.DataFrame) -> Ints:
    """The participant of each row: the same name in two studies is two people, as everywhere."""
    study, person = (rows[name].cat.codes.to_numpy().astype(np.int64) for name in ("study", "participant"))
    return study * len(rows["participant"].cat.categories) + person


def _only_new(more: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    keys = ["study", "pair"]
    others = more[list(_DEFINITION)].astype(object)
    have = pd.MultiIndex.from_frame(table[keys].astype(str))
    return others[~pd.MultiIndex.from_frame(others[keys].astype(str)).isin(have)].drop_duplicates(keys)


def _orientation(table: pd.DataFrame, votes: Ints) -> tuple[Bools, Bools]:
    """Two masks: member b is the first one; truth or sources determine that."""
    a, b = (table[f"source_{member}"].to_numpy() for member in "ab")
    apart = (a != "") & (b != "") & (a != b)
    low, high = np.where(a < b, a, b), np.where(a < b, b, a)
    reverse = table["condition"].to_numpy() == high + "-" + low
    by_source = b == np.where(reverse, high, low)
    truth = table["truth"].to_numpy()
    clip_a, clip_b = (table[f"stimulus_{member}"].to_numpy() for member in "ab")
    arbitrary = np.where(clip_a != clip_b, clip_b < clip_a, votes[:, 1] > votes[:, 0])
    flipped = np.where(truth != "", truth == "b", np.where(apart, by_source, arbitrary))
    return flipped.astype(bool), ((truth != "") | apart).astype(bool)


def _turned(table: pd.DataFrame, flipped: Bools) -> pd.DataFrame:
    """The pairs with their members as first and second."""
    turned = table[["study", "pair", "condition"]].copy()
    for what, (first, second) in {"stimulus": ("first", "second"), "source": ("source", "against")}.items():
        a, b = table[f"{what}_a"], table[f"{what}_b"]
        prefix = "stimulus_" if what == "stimulus" else ""
        turned[prefix + first] = a.where(~flipped, b)
        turned[prefix + second] = b.where(~flipped, a)
    turned["truth"] = table["truth"].where(table["truth"] == "", "first")
    return turned
