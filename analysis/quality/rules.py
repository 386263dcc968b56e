"""Rules, their parameters, and the verdicts that follow from them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from analysis.quality.records import SessionRecord

Bounds = Mapping[str, float | None]
"""The bounds of a rule, by the names of its parameters."""
Value = float | int | str
Values = Mapping[str, Value]
"""What met a rule, by name: `failed: 2, of: 3`."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A bound of a rule. `unit` is empty of counts and shares; None as `default` means no bound unless given."""

    name: str
    title: str
    help: str
    default: float | None
    unit: str = ""
    minimum: float = 0
    maximum: float | None = None
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Cohort:
    """Sessions that ended, of one study and one mode, in any version: what some rules hold a session against.

    `rt_log` and `duration_log` are natural logarithms of the median reaction time and of the whole time, by arm;
    `writers` has the number of sessions in which a text occurs, by the text as `plain_text` makes it.
    """

    rt_log: Mapping[str, Sequence[float]] = field(default_factory=dict)
    duration_log: Mapping[str, Sequence[float]] = field(default_factory=dict)
    writers: Mapping[str, int] = field(default_factory=dict)


Finder = Callable[[SessionRecord, Bounds, Cohort], Values | None]
"""Returns the values that met a rule, None where it was not met or nothing was recorded by which it could be."""


@dataclass(frozen=True, slots=True)
class Rule:
    """An exclusion rule. `meaning` is a sentence; `find` decides.

    `of_people` rules look at time, watching or typing, which simulated participants do not do. A rule `of_cohort` needs
    the other sessions, or what may still come when a session has ended, such as a match that goes on. With `flag_only`
    it may be listed, and excludes nobody: no study can say otherwise.
    """

    name: str
    title: str
    meaning: str
    find: Finder
    parameters: tuple[Parameter, ...] = ()
    of_people: bool = True
    of_cohort: bool = False
    flag_only: bool = False


@dataclass(frozen=True, slots=True)
class ChosenRule:
    """A rule as a study takes it. `bounds` lacks a parameter that has its default.

    `use` and `pay` are the verdicts on a session that meets it: false leaves it out of the numbers, or unpaid.
    """

    rule: str
    bounds: Bounds = field(default_factory=dict)
    use: bool = False
    pay: bool = True


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdicts on a session, with the values that met each rule: those rules first by which it is not used."""

    use: bool = True
    pay: bool = True
    rules: Mapping[str, Values] = field(default_factory=dict)

    @property
    def names(self) -> str:
        """The rules met, as exports join them."""
        return ";".join(self.rules)


PASSED = Verdict()
