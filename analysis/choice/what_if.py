"""The headline under other exclusion rules than the study's: a specification curve [SSN20].

Each specification is a subset of the rules that left a session out, and counts the sessions that none of its rules
leaves out. Its number comes from the functions that make the study's own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations

import numpy as np
import pandas as pd

from analysis.choice.accuracy import accuracy_per_participant
from analysis.data.codes import rows_where
from analysis.data.columns import BY_RULE
from analysis.options import Blank
from analysis.results import FLAT, Result
from analysis.stats.description import Description, describe

MOST_RULES = 8
"""Of so many rules every subset is computed, 256 in all; of more those that leave out one, or have one alone."""


@dataclass(frozen=True, slots=True)
class RuleMet(Result):
    """An exclusion rule with the sessions that it leaves out, and those that no other rule does."""

    rule: str
    n_sessions: int
    n_alone: int


@dataclass(frozen=True, slots=True)
class Specification(Result):
    """The mean accuracy where these rules, and no others, leave sessions out: `n_left_out` of them."""

    rules: tuple[str, ...]
    n_left_out: int
    accuracy: Description = field(metadata=FLAT)


@dataclass(frozen=True, slots=True)
class WhatIf(Result):
    """Specifications, the study's own first. `is_complete` where they are all subsets of the rules."""

    rules: tuple[RuleMet, ...]
    specifications: tuple[Specification, ...]
    is_complete: bool

    @property
    def own(self) -> Specification:
        return self.specifications[0]

    def of(self, rules: Iterable[str]) -> Specification:
        """The specification of exactly these rules. Raises StopIteration for one that was not computed."""
        wanted = set(rules)
        return next(one for one in self.specifications if set(one.rules) == wanted)


def what_if(rows: pd.DataFrame, mode: str, blank: Blank, *, seed: int, resamples: int) -> WhatIf | None:
    """Specifications from the checked rows of one study; None where no rule left out a session of the mode, or no pair
    has a right answer.

    Rules that are only remarked leave nobody out: they are known by sessions that meet them and are used.
    """
    of_mode = rows_where(rows, (rows["mode"] == mode).to_numpy())
    met = _rules_of_sessions(of_mode)
    names = sorted(set(chain.from_iterable(met.values())))
    excluded = of_mode["excluded"]
    by_rule = [name for name in excluded.cat.categories if str(name).startswith(BY_RULE)]
    kept = excluded.isna() | excluded.isin(by_rule)
    main = rows_where(of_mode, (kept & (of_mode["kind"] == "main")).to_numpy(dtype=bool))
    if not names or not main["truth"].notna().any():
        return None
    sessions = main["session"].astype("str")

    def specification(chosen: Sequence[str]) -> Specification:
        out = [session for session, rules in met.items() if not rules.isdisjoint(chosen)]
        used = rows_where(main, ~sessions.isin(out).to_numpy(dtype=bool))
        values = accuracy_per_participant(used, blank)["accuracy"] if len(used) else pd.Series(dtype=float)
        described = describe(values, scale="share", seed=seed, resamples=resamples)
        return Specification(tuple(chosen), len(out), described)

    is_complete = len(names) <= MOST_RULES
    return WhatIf(
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
