"""The key `stop_when` of a study file: the study closes by itself when an interval is narrow enough."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from app.core.problems import Fault, listed, nearest, quoted
from app.core.widgets import Widget
from app.questions.base import AsWritten, Frozen, Part, finite_number
from app.trials.headline import OF_PAIRS, Headline, Scale
from app.trials.parts import BlockDesign
from app.trials.stimuli import NO_SOURCE

# Of fewer people an interval at the stop holds the truth in 87 to 96 % of studies (bench/stopping.md).
AT_LEAST, FEWEST = 30, 20
# Of the way from the lowest to the highest that the number can be.
NARROWEST, WIDEST = 0.02, 0.6
KEYS = ("measure", "source", "narrower_than", "at_least", "expected")


class StopWhen(Part):
    """A target of precision: the width of the 95% interval of a mean over participants."""

    measure: Annotated[
        AsWritten,
        Field(min_length=1, max_length=40),
        Widget(chosen_from="means", settles=True),
    ] = Field(
        title="Which number",
        description="The mean over participants of their share of main pairs answered right (`accuracy`) or in which "
        "`source` was chosen over another source (`preference`); or by the id of a question about items: of their mean "
        "score of main items, or, of a `yes_no` question, of their share of answers that are right.",
    )
    source: Annotated[str | None, Widget(is_short=True, chosen_from="sources")] = Field(
        default=None,
        min_length=1,
        max_length=200,
        title="Source",
        description="Of a preference: whose it is.",
    )
    narrower_than: Annotated[float, Widget(is_short=True, placeholder="0.1")] = Field(
        gt=0,
        allow_inf_nan=False,
        title="Width of the interval",
        description="From end to end. As a share: 0.1 is 10 points, such as 75% to 85%; of scores in points of their "
        "scale: 0.5 is such as 3.2 to 3.7. The study closes at the first participant with whom it is as narrow.",
    )
    at_least: Annotated[int, Widget(unit="people", is_short=True)] = Field(
        default=AT_LEAST,
        ge=FEWEST,
        le=5_000,
        title="Participants at least",
        description="It is not looked before so many have finished: a few people may be alike by chance.",
    )
    expected: Annotated[float | None, Widget(is_short=True, placeholder="0.8")] = Field(
        default=None,
        allow_inf_nan=False,
        title="Expected number",
        description="A share, or a mean score. For the plan's curve on the monitor alone, which is the widest at 0.5 "
        "and in the middle of a scale; that is taken unless said.",
    )


class DesignStopWhen(Frozen):
    """`scale` has the lowest and the highest score of a question about items; None of shares."""

    measure: str
    source: str | None = None
    narrower_than: float
    at_least: int = AT_LEAST
    expected: float | None = None
    scale: Scale | None = None

    @property
    def headline(self) -> Headline:
        return Headline(self.measure, self.source, self.scale)

    @property
    def ends(self) -> Scale:
        """The lowest and the highest that the number can be."""
        return self.scale or (0.0, 1.0)

    @property
    def span(self) -> float:
        """The way between them: widths are decided by as parts of it."""
        low, high = self.ends
        return high - low

    @property
    def part(self) -> float:
        """The width wanted as a part of the way."""
        return self.narrower_than / self.span

    @property
    def expected_at(self) -> float:
        """The place of the expected number on the way, from 0 to 1."""
        return 0.5 if self.expected is None else (self.expected - self.ends[0]) / self.span


def resolved_stop(stop: StopWhen | None, blocks: Sequence[BlockDesign]) -> DesignStopWhen | None:
    """The target at run time, with the scale of its measure."""
    if stop is None:
        return None
    named = (means[stop.measure] for block in blocks if stop.measure in (means := block.means()))
    scale = next(named, None)
    return DesignStopWhen(**stop.model_dump(), scale=scale)


def keys_of_stop(stop: DesignStopWhen | None) -> dict[str, Any] | None:
    """The keys in a study file."""
    return None if stop is None else stop.model_dump(exclude_defaults=True, exclude={"scale"})


Asked = Mapping[str, Sequence[tuple[float | None, float | None]]]


def faults_of_stop(
    raw: Mapping[str, Any], stop: Mapping[str, Any], asked: Asked, judged: Collection[str], *, has_two: bool
) -> Iterator[Fault]:
    """The rules between `stop_when` and the rest of the study file; `has_two`: a block shows two stimuli at a time;
    `asked`: the questions about items that are answered with a number or are right or wrong (`judged`), each with the
    ends of its scale in each block.
    """
    measure, at = stop.get("measure"), ("stop_when", "measure")
    if not stop or not isinstance(measure, str):
        return
    known = (*(OF_PAIRS if has_two else ()), *asked)
    if not known:
        why = "there is no block of pairs, and no question about items whose answers are numbers, or right or wrong"
        yield Fault(("stop_when",), why, "remove `stop_when`")
    elif measure not in known:
        yield Fault(
            at, f"the study has no measure {quoted(measure)}", nearest(measure, known, f"use {listed(known)}")
        )
    elif measure in OF_PAIRS and has_two and measure in asked:
        yield Fault(
            at, f"{quoted(measure)} is of pairs, and a question about items too", "rename the question"
        )
    elif measure in OF_PAIRS and has_two:
        yield from _of_pairs(raw, stop)
        yield from _off(stop, (0.0, 1.0))
    else:
        if measure in judged and _true_source(raw) == NO_SOURCE:
            remedy = "name the true source, or use another measure"
            yield Fault(at, "no answer is right or wrong: `truth.source` is none", remedy)
        yield from _of_items(stop, measure, asked[measure])


def _of_pairs(raw: Mapping[str, Any], stop: Mapping[str, Any]) -> Iterator[Fault]:
    at = ("stop_when", "measure")
    if stop.get("measure") == "preference" and not stop.get("source"):
        yield Fault(at, "a preference is of a source", "add `source:`")
    elif stop.get("measure") == "accuracy" and _true_source(raw) == NO_SOURCE:
        remedy = "use `measure: preference` with a `source`, or name the true source"
        yield Fault(at, "no answer is right or wrong: `truth.source` is none", remedy)
    elif stop.get("measure") == "accuracy" and stop.get("source"):
        yield Fault(
            ("stop_when", "source"), "accuracy is of no source", "remove `source`, or use `preference`"
        )


def _true_source(raw: Mapping[str, Any]) -> object:
    truth = raw.get("truth")
    return truth.get("source") if isinstance(truth, Mapping) else None


def _of_items(
    stop: Mapping[str, Any], measure: str, scales: Sequence[tuple[float | None, float | None]]
) -> Iterator[Fault]:
    at = ("stop_when", "measure")
    if stop.get("source"):
        yield Fault(
            ("stop_when", "source"), f"the mean of {quoted(measure)} is of no source", "remove `source`"
        )
    low, high = scales[0]
    if len({*scales}) > 1:
        yield Fault(
            at, f"{quoted(measure)} is asked on several scales", "use the same, or another id for each"
        )
    elif low is None or high is None:
        yield Fault(at, f"{quoted(measure)} has no lowest and highest answer", "give it both, or use another")
    elif low < high:
        yield from _off(stop, (low, high))


def _off(stop: Mapping[str, Any], scale: Scale) -> Iterator[Fault]:
    """Numbers that the measure cannot have."""
    low, high = scale
    width, expected = finite_number(stop.get("narrower_than")), finite_number(stop.get("expected"))
    least, most = NARROWEST * (high - low), WIDEST * (high - low)
    if width is not None and width > 0 and not least <= width <= most:
        yield Fault(
            ("stop_when", "narrower_than"),
            f"{width:g} is no width to stop at, of a number from {low:g} to {high:g}",
            f"choose {least:g} to {most:g}",
        )
    if expected is not None and not low < expected < high:
        yield Fault(
            ("stop_when", "expected"),
            f"{expected:g} cannot be expected",
            f"more than {low:g}, less than {high:g}",
        )
