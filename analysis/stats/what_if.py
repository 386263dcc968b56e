"""The headline under other exclusion rules than the study's: a specification curve [SSN20].

Each specification is a subset of the rules that left a session out, and counts the sessions that none of its rules
leaves out. Its number comes from the functions that make the study's own.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from typing import Literal

import numpy as np
import pandas as pd

from analysis.data.codes import Mask
from analysis.data.columns import BY_RULE
from analysis.results import FLAT, Result
from analysis.stats.description import Description

MOST_RULES = 8
"""Number of rules up to which every subset is computed, 256 in all; of more, those without one, or of one alone."""


@dataclass(frozen=True, slots=True)
class RuleMet(Result):
    """An exclusion `rule` with the `n_sessions` that it leaves out, and the `n_alone` that no other rule does."""

    rule: str
    n_sessions: int
    n_alone: int


@dataclass(frozen=True, slots=True)
class Specification(Result):
    """The headline where these `rules`, and no others, leave sessions out: `n_left_out` of them.

    `n` of a mean score are raters."""

    rules: tuple[str, ...]
    n_left_out: int
    headline: Description = field(metadata=FLAT)


@dataclass(frozen=True, slots=True)
class Measure(Result):
    """The number that is the headline, by its `name`: mean accuracy, the share of `source` over `against`, or the mean
    score by `criterion`, on a `scale` where it has one.
    """

    name: Literal["accuracy", "preference", "score"]
    source: str | None = None
    against: str | None = None
    criterion: str | None = None
    scale: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class WhatIf(Result):
    """The `specifications` of a `measure`, the study's own first, from the `rules` that left a session out.
    `is_complete` where they are all subsets of these."""

    measure: Measure
    rules: tuple[RuleMet, ...]
    specifications: tuple[Specification, ...]
    is_complete: bool

    @property
    def own(self) -> Specification:
        return self.specifications[0]

    def labelled(self, labels: Mapping[str, str]) -> "WhatIf":
        """The same with the criterion under another name, to be shown."""
        name = self.measure.criterion
        return self if name is None else replace(self, measure=replace(self.measure, criterion=labels[name]))

    def of(self, rules: Iterable[str]) -> Specification:
        """The specification of exactly these rules. Raises StopIteration for one that was not computed."""
        wanted = set(rules)
        return next(one for one in self.specifications if set(one.rules) == wanted)


def what_if(
    of_mode: pd.DataFrame, measure: Measure, headline: Callable[[Mask], Description]
) -> WhatIf | None:
    """Specifications from the checked rows of one mode of one study, or of one block of it; None where no rule left out
    a session.

    `headline` makes the number of the rows that a mask selects: those of any kind that are not excluded. It is called
    once for each set of sessions, as several rules together often leave out the same. Rules that are only remarked
    leave nobody out: they are known by sessions that meet them and are used.
    """
    met = _rules_of_sessions(of_mode)
    names = sorted(set(chain.from_iterable(met.values())))
    if not names:
        return None
    counted = _counted(of_mode)
    made: dict[frozenset[str], Description] = {}

    def specification(chosen: Sequence[str]) -> Specification:
        out = frozenset(session for session, rules in met.items() if not rules.isdisjoint(chosen))
        if out not in made:
            made[out] = headline(counted(met.keys() - out))
        return Specification(tuple(chosen), len(out), made[out])

    is_complete = len(names) <= MOST_RULES
    return WhatIf(
        measure=measure,
        rules=tuple(
            RuleMet(
                name,
                sum(name in rules for rules in met.values()),
                sum(rules == {name} for rules in met.values()),
            )
            for name in names
        ),
        specifications=tuple(map(specification, _subsets(names, is_complete=is_complete))),
        is_complete=is_complete,
    )


def _counted(rows: pd.DataFrame) -> Callable[[Collection[str]], Mask]:
    """A function from sessions that are taken back to a mask of the rows that count: theirs, and all not excluded.

    Rows excluded by anything but the rules of their session stay so."""
    excluded = rows["excluded"]
    by_rule = [name for name in excluded.cat.categories if str(name).startswith(BY_RULE)]
    is_free, is_by_rule = excluded.isna().to_numpy(dtype=bool), excluded.isin(by_rule).to_numpy(dtype=bool)
    codes, sessions = pd.factorize(rows["session"].astype("str"))

    def counted(taken_back: Collection[str]) -> Mask:
        is_back = np.array([session in taken_back for session in sessions], dtype=bool)
        found: Mask = is_free | (is_by_rule & is_back[codes])
        return found

    return counted


def _rules_of_sessions(rows: pd.DataFrame) -> Mapping[str, frozenset[str]]:
    """Sessions that rules leave out, with these rules; those left out by hand are out under any rules."""
    if "use" not in rows:
        return {}
    first = rows.drop_duplicates("session")
    unused = first["use"].eq(False).fillna(False).to_numpy(dtype=bool)
    by_hand = (first["excluded"] == "by-hand").to_numpy(dtype=bool)
    names = first["rules"].astype(object).where(first["rules"].notna(), "").to_numpy()
    remarked = set(chain.from_iterable(map(_split, names[~unused])))
    sessions = first["session"].astype("str").to_numpy()
    found = {
        str(sessions[at]): frozenset(_split(names[at])) - remarked for at in np.flatnonzero(unused & ~by_hand)
    }
    return {session: rules for session, rules in found.items() if rules}


def _split(names: object) -> list[str]:
    return [name for name in str(names).split(";") if name]


def _subsets(names: Sequence[str], *, is_complete: bool) -> Iterator[Sequence[str]]:
    """All rules first, then with fewer and fewer; of many rules all, all but one, one, none."""
    n = len(names)
    sizes: Sequence[int] = range(n, -1, -1) if is_complete else (n, n - 1, 1, 0)
    for size in sizes:
        yield from combinations(names, size)
