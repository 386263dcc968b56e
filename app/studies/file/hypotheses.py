"""Hypotheses of a study file: which groups are compared, in what, by which test. The analysis runs exactly these."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.core.problems import Fault, Place, listed, nearest, quoted
from app.core.widgets import Widget
from app.questions.base import ID_PATTERN, AsWritten, Frozen, Part, finite_number
from app.questions.registry import NUMBERED, TYPES, type_of
from app.trials.tidying import number, section

CHANCE = "chance"
ALL = "all"
OF_PAIRS = ("accuracy", "uncertainty", "preference")
SHARES = ("accuracy", "preference")
Direction = Literal["less", "greater", "two-sided"]
Test = Literal["wilcoxon", "mann-whitney"]
Correction = Literal["none", "holm"]
ORDER = (
    *(
        "id",
        "says",
        "compare",
        "measure",
        "source",
        "direction",
        "test",
        "alpha",
        "correction",
        "smallest",
        "expect",
    ),
)
Share = Annotated[float, Field(gt=0, lt=1)]
Name = Annotated[AsWritten, Field(min_length=1, max_length=200)]


class Hypothesis(Part):
    """One hypothesis, with the test that decides it."""

    key_order: ClassVar[Sequence[str]] = ORDER
    # What the ids of new ones begin with.
    named: ClassVar[str] = "h"

    id: Annotated[str, Field(pattern=ID_PATTERN, max_length=40), Widget(is_short=True, placeholder="h1")] = (
        Field(
            title="Name",
            description="Names the hypothesis in reports and data: lower-case letters, digits and _.",
        )
    )
    says: Annotated[Annotated[AsWritten, Field(min_length=1, max_length=1000)] | None, Widget(rows=2)] = (
        Field(
            default=None, title="In words", description="The hypothesis in a sentence, as it is registered."
        )
    )
    compare: Annotated[
        Annotated[tuple[Name, ...], Field(min_length=2, max_length=2)],
        Widget(is_short=True, items=("Compares", "With"), chosen_from="groups"),
    ] = Field(
        title="Compares",
        description="Two conditions, groups of items or arms. In the place of the second `chance` (one half, for "
        "accuracy and preference); in the place of the first, against chance, `all` for all main trials.",
    )
    measure: Annotated[
        AsWritten,
        Field(min_length=1, max_length=40),
        Widget(chosen_from="measures", settles=True),
    ] = Field(
        title="Measure",
        description="`accuracy`, `uncertainty` or `preference` of pairs, or the id of a question about items that is "
        "answered with a number: each participant's mean.",
    )
    source: Annotated[
        Annotated[str, Field(min_length=1, max_length=200)] | None,
        Widget(is_short=True, chosen_from="sources"),
    ] = Field(
        default=None,
        title="Preference for",
        description="For `preference`: the source whose share of choices is compared.",
    )
    direction: Annotated[
        Direction,
        Widget(
            words={
                "less": "The first is lower",
                "greater": "The first is higher",
                "two-sided": "They differ",
            },
        ),
    ] = Field(title="Direction", description="What is expected of the first, compared with the second.")
    test: Annotated[
        Test,
        Widget(
            words={
                "wilcoxon": "Wilcoxon's signed-rank test, within participants or against chance",
                "mann-whitney": "Mann-Whitney, between participants",
            },
        ),
    ] = Field(
        title="Test",
        description="`wilcoxon` (the same participants in both, or against chance) or `mann-whitney` (different "
        "participants in each).",
    )
    alpha: Annotated[float, Widget(is_short=True)] = Field(
        default=0.05,
        gt=0,
        lt=0.5,
        title="Significance level",
        description="The hypothesis is supported where p is below it.",
    )
    correction: Annotated[
        Correction,
        Widget(words={"none": "None", "holm": "Holm, over all hypotheses with this choice"}),
    ] = Field(
        default="none",
        title="Correction",
        description="`holm` corrects p over all hypotheses that say so.",
    )
    smallest: Annotated[float | None, Widget()] = Field(
        default=None,
        gt=0,
        title="Smallest difference of interest",
        description="In the measure's unit (0.1 is ten points of a share). Where p is not below the level, the "
        "hypothesis is not supported if the interval excludes so large a difference, and cannot be told else. "
        "Unless given, 0.1 for shares; for others the interval has to exclude any difference as expected.",
    )
    expect: Annotated[
        Annotated[tuple[Share, ...], Field(min_length=2, max_length=2)] | None,
        Widget(is_short=True, items=("Expected share of the first", "Expected share of the second")),
    ] = Field(
        default=None,
        title="Expected shares",
        description="The shares that the sample size is planned for, from 0 to 1, in the order of the comparison.",
    )


class DesignHypothesis(Frozen):
    """A hypothesis as it is run."""

    id: str
    says: str | None = None
    compare: tuple[str, str]
    measure: str
    source: str | None = None
    direction: Direction
    test: Test
    alpha: float = 0.05
    correction: Correction = "none"
    smallest: float | None = None
    expect: tuple[float, float] | None = None

    @property
    def is_against_chance(self) -> bool:
        return self.compare[1] == CHANCE


def resolved(hypotheses: Sequence[Hypothesis]) -> tuple[DesignHypothesis, ...]:
    return tuple(DesignHypothesis.model_validate(one.model_dump()) for one in hypotheses)


def keys_of(hypotheses: Sequence[DesignHypothesis]) -> list[dict[str, Any]]:
    """The keys in a study file."""
    return [one.model_dump(mode="json", exclude_defaults=True) for one in hypotheses]


def tidy(value: Any) -> Any:
    """A draft's list, with numbers as such."""
    if not isinstance(value, list):
        return value
    return [section(one, ORDER, {"alpha": number, "smallest": number, "expect": _numbers}) for one in value]


def _numbers(value: Any) -> Any:
    return [number(one) for one in value] if isinstance(value, list) else value


def comparable(value: Any) -> Any:
    """A draft's list by ids, defaults written out."""
    if not isinstance(value, list):
        return value
    found: dict[str, Any] = {}
    for place, one in enumerate(value, start=1):
        keys = one if isinstance(one, dict) else {"says": one}
        id_ = keys.get("id")
        name = id_ if isinstance(id_, str) and id_ not in found else f"#{place}"
        found[name] = {"alpha": 0.05, "correction": "none", **{k: v for k, v in keys.items() if k != "id"}}
    return found


Keys = Mapping[str, Any]


def broken_rules(
    listed_: object, asked: Mapping[str, Keys], *, has_pairs: bool, has_truth: bool
) -> Iterator[Fault]:
    """The faults between a hypothesis' keys, whatever shape they have; `asked` are the questions about items by id."""
    seen: set[str] = set()
    for at, one in enumerate(listed_) if isinstance(listed_, list | tuple) else ():
        if not isinstance(one, Mapping):
            continue
        place: Place = ("hypotheses", at)
        if (id_ := str(one.get("id"))) in seen:
            yield Fault((*place, "id"), f"the hypothesis {quoted(id_)} comes twice", "give each its own id")
        seen.add(id_)
        yield from _of_measure(place, one, asked, has_pairs=has_pairs)
        if one.get("measure") == "accuracy" and has_pairs and not has_truth:
            remedy = "use preference, or name a true source in `truth`"
            yield Fault(
                (*place, "measure"), "no answer is right or wrong: the study has no true source", remedy
            )
        yield from _of_compared(place, one)
        yield from _of_expected(place, one)


def _of_measure(place: Place, one: Keys, asked: Mapping[str, Keys], *, has_pairs: bool) -> Iterator[Fault]:
    measure = one.get("measure")
    if not isinstance(measure, str):
        return
    known = [
        *(OF_PAIRS if has_pairs else ()),
        *numbered(asked),
    ]
    at = (*place, "measure")
    if measure not in known:
        use = f"use {listed(known)}" if known else "add a block with pairs or with questions about items"
        if measure in asked:
            why = f"the answers to {quoted(measure)} are no numbers, so that they have no mean"
        elif measure in OF_PAIRS:
            why = f"measure: {quoted(measure)} is of pairs, and the study has none"
        else:
            why, use = f"measure: the study has no {quoted(measure)}", nearest(measure, known, use)
        yield Fault(at, why, use)
    if one.get("expect") is not None and measure not in SHARES:
        yield Fault((*place, "expect"), f"shares cannot be expected of {quoted(measure)}", "remove `expect`")
    if measure == "preference" and one.get("source") is None:
        yield Fault(at, "preference for which source?", "add `source:`, the source whose share is compared")
    elif measure != "preference" and one.get("source") is not None:
        yield Fault((*place, "source"), "`source` is for the measure preference alone", "remove `source`")


def numbered(asked: Mapping[str, Keys]) -> Mapping[str, Keys]:
    """The questions that are answered with a number."""
    return {name: question for name, question in asked.items() if _is_number(question)}


def _is_number(question: Keys) -> bool:
    """True for a question answered on a scale or with a number."""
    named = TYPES.get(type_of(question) or "")
    return named is not None and named.level in NUMBERED


def _of_compared(place: Place, one: Keys) -> Iterator[Fault]:
    compared, at = one.get("compare"), (*place, "compare")
    if not isinstance(compared, list | tuple) or len(compared) != 2:
        return
    first, second = compared
    if first == second:
        yield Fault(at, f"{quoted(str(first))} is compared with itself", "name two different groups")
    elif first == CHANCE:
        yield Fault(at, "chance stands first", "write the group first, and `chance` second")
    elif ALL in compared and second != CHANCE:
        yield Fault(
            at, "`all` is compared with a part of itself", "compare it with `chance`, or name two groups"
        )
    if second != CHANCE:
        return
    if one.get("test") == "mann-whitney":
        remedy = "use test wilcoxon, which tests each participant's share against one half"
        yield Fault((*place, "test"), "mann-whitney compares two groups, and chance is none", remedy)
    if isinstance(measure := one.get("measure"), str) and measure not in SHARES:
        yield Fault((*place, "measure"), f"{quoted(measure)} has no chance level", f"use {listed(SHARES)}")


def _of_expected(place: Place, one: Keys) -> Iterator[Fault]:
    """Expected shares that contradict the direction."""
    given = one.get("expect")
    numbers = [finite_number(each) for each in given] if isinstance(given, list | tuple) else []
    shares = [each for each in numbers if each is not None]
    if len(numbers) != 2 or len(shares) != 2:
        return
    first, second = shares
    stands = {"less": first < second, "greater": first > second}.get(
        str(one.get("direction")), first != second
    )
    if not stands:
        remedy = "write the two shares in the order of `compare`, as the direction has them"
        yield Fault(
            (*place, "expect"), f"{first:g} and {second:g} are not what the direction expects", remedy
        )


def unknown_names(
    hypotheses: Sequence[Hypothesis], groups: Collection[str], arms: Collection[str]
) -> Iterator[Fault]:
    """Names compared that no condition, group or arm of the study has, and arms that are not compared as such."""
    known = {*groups, *arms}
    for at, one in enumerate(hypotheses):
        place: Place = ("hypotheses", at)
        named = [name for name in one.compare if name not in (ALL, CHANCE)]
        for name in named:
            if name not in known:
                remedy = nearest(
                    name, known, f"use {listed(sorted(known))}" if known else "name the conditions"
                )
                yield Fault(
                    (*place, "compare"), f"no condition, group or arm is called {quoted(name)}", remedy
                )
        of_arms = [name in arms and name not in groups for name in named]
        if any(of_arms) and not all(of_arms) and known >= {*named}:
            yield Fault(
                (*place, "compare"),
                "an arm is compared with a condition",
                "compare two arms, or two conditions",
            )
        elif len(named) == 2 and all(of_arms) and one.test == "wilcoxon":
            yield Fault(
                (*place, "test"),
                "different participants are in each arm, and wilcoxon compares the same ones",
                "use test mann-whitney",
            )
