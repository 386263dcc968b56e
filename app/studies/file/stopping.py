"""The key `stop_when` of a study file: the study closes by itself when an interval is narrow enough."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from app.core.problems import Fault
from app.core.widgets import Widget
from app.questions.base import Frozen, Part
from app.trials.stimuli import NO_SOURCE

StopMeasure = Literal["accuracy", "preference"]
# Of fewer people an interval at the stop holds the truth in 87 to 96 % of studies (bench/stopping.md).
AT_LEAST, FEWEST = 30, 20
KEYS = ("measure", "source", "narrower_than", "at_least", "expected")


class StopWhen(Part):
    """A target of precision: the width of the 95% interval of a mean over participants."""

    measure: Annotated[
        StopMeasure,
        Widget(
            words={
                "accuracy": "Accuracy: how often the right one of two was chosen",
                "preference": "Preference: how often a source was chosen over others",
            },
            settles=True,
        ),
    ] = Field(
        title="Which number",
        description="The mean over participants of their share of main pairs: answered right (`accuracy`), or in which "
        "`source` was chosen over another source (`preference`).",
    )
    source: Annotated[str | None, Widget(is_short=True, chosen_from="sources")] = Field(
        default=None,
        min_length=1,
        max_length=200,
        title="Source",
        description="Of a preference: whose it is.",
    )
    narrower_than: Annotated[float, Widget(is_short=True, placeholder="0.1")] = Field(
        ge=0.02,
        le=0.6,
        title="Width of the interval",
        description="From end to end, as a share: 0.1 is 10 points, such as 75% to 85%. The study closes at the first "
        "participant with whom it is as narrow.",
    )
    at_least: Annotated[int, Widget(is_short=True)] = Field(
        default=AT_LEAST,
        ge=FEWEST,
        le=5_000,
        title="Participants at least",
        description="It is not looked before so many have finished: a few people may be alike by chance.",
    )
    expected: Annotated[float | None, Widget(is_short=True, placeholder="0.8")] = Field(
        default=None,
        gt=0,
        lt=1,
        title="Expected share",
        description="For the plan's curve on the monitor alone, which is the widest at 0.5; that is taken unless said.",
    )


class DesignStopWhen(Frozen):
    measure: StopMeasure
    source: str | None = None
    narrower_than: float
    at_least: int = AT_LEAST
    expected: float | None = None


def resolved_stop(stop: StopWhen | None) -> DesignStopWhen | None:
    return DesignStopWhen(**stop.model_dump()) if stop else None


def faults_of_stop(raw: Mapping[str, Any], stop: Mapping[str, Any], *, has_two: bool) -> Iterator[Fault]:
    """The rules between `stop_when` and the rest of the study file; `has_two`: a block shows two stimuli at a time."""
    if not stop:
        return
    truth = raw.get("truth")
    true_source = truth.get("source") if isinstance(truth, Mapping) else None
    if not has_two:
        yield Fault(
            ("stop_when",), "there is no block of pairs, whose answers are looked at", "remove `stop_when`"
        )
    elif stop.get("measure") == "preference" and not stop.get("source"):
        yield Fault(("stop_when", "measure"), "a preference is of a source", "add `source:`")
    elif stop.get("measure") == "accuracy" and true_source == NO_SOURCE:
        remedy = "use `measure: preference` with a `source`, or name the true source"
        yield Fault(("stop_when", "measure"), "no answer is right or wrong: `truth.source` is none", remedy)
    elif stop.get("measure") == "accuracy" and stop.get("source"):
        yield Fault(
            ("stop_when", "source"), "accuracy is of no source", "remove `source`, or use `preference`"
        )
