"""The flow of participants in words, as a table and as the boxes of a CONSORT diagram."""

from collections.abc import Iterator, Mapping, Sequence

from analysis.data.flow import TITLES, Flow, FlowStep, Loss, flow_words, reason_words
from analysis.data.selection import Selection
from analysis.findings.model import Column, Figure, Mark, Numbers, Section
from analysis.findings.words import count, percent, sentence

JOINED = "did not finish, but have answers that count"
METHOD = (
    "The flow of participants follows CONSORT [Sch10]: each session is lost at one step and for one reason, of "
    "several the first in the order shown."
)


def flow_numbers(flow: Flow) -> Numbers:
    """Steps with the number at each, below each step those whom it lost; by arm where there are several."""
    arms = list(flow.arms)
    columns = (
        Column("step", "Step", "text"),
        Column("left", "Left out", "text"),
        Column("n", "Sessions", "count"),
        Column("of_first", "Of all", "share"),
        *(Column(f"arm_{arm}", f"Arm {arm}" if arm else "No arm yet", "count") for arm in arms),
    )
    most = flow.first.n
    by_arm = [_by_row(flow.arms[arm]) for arm in arms]
    rows = []
    for (step, reason), n in _by_row(flow.steps).items():
        share = n / most if most else None
        rows.append((step, reason, n, share, *(found.get((step, reason), 0) for found in by_arm)))
    return Numbers("Flow of participants", columns, tuple(rows))


def _by_row(steps: Sequence[FlowStep]) -> Mapping[tuple[str, str], int]:
    found = {}
    for one in steps:
        if one.joined:
            found[TITLES[one.step], JOINED] = one.joined
        found[TITLES[one.step], ""] = one.n
        for loss in one.lost:
            found[TITLES[one.step], reason_words(loss.reason)] = loss.n
    return found


def flow_of_selection(selection: Selection) -> Flow:
    """The flow as far as counts of participants tell: those who gave answers, and those whose answers count."""
    without = selection.n_participants - selection.n_participants_used
    lost = (Loss("nothing-counts", without),) if without else ()
    steps = (
        FlowStep("began", selection.n_participants, lost),
        FlowStep("analysed", selection.n_participants_used),
    )
    return Flow(selection.mode, steps)


def flow_section(flow: Flow) -> Iterator[Section]:
    """The flow as a statistic among the others."""
    yield Section(
        "flow",
        "Flow of participants",
        (flow_words(flow),),
        tables=(flow_numbers(flow),),
        methods=(METHOD,),
    )


def flow_drawing(flow: Flow, selection: Selection | None, left_out: Mapping[str, str]) -> Figure:
    """The boxes of a CONSORT diagram; `selection` adds which answers are left out, by rules that `left_out` names."""
    first, last = flow.steps[0], flow.steps[-1]
    came = (
        "came" if first.step == "arrived" else "gave answers" if first.step == "began" else "passed screening"
    )
    answers = [
        f"{count(n, 'answer')} left out: {left_out.get(value, value)}"
        for part in (selection.left_out if selection else ())
        for value, n in (selection.left_out[part].items() if selection else ())
    ]
    return Figure(
        name="counted",
        section="judges",
        # Two boxes of which none loses anybody say no more than the sentence.
        drawing="flow"
        if len(flow.steps) > 2 or any(one.lost or one.joined for one in flow.steps)
        else "none",
        said=f"{last.n:,} of {first.n:,} who {came} are counted.",
        strong=f"{last.n:,} of {first.n:,}",
        how=sentence("; ".join(answers)) if answers else "",
        numbers=flow_numbers(flow),
        marks=tuple(_marks(flow)),
        chance=None,
    )


def _marks(flow: Flow) -> Iterator[Mark]:
    """A mark for each step, followed by those who were lost there, whose group is the step."""
    most = flow.first.n
    for one in flow.steps:
        title = TITLES[one.step]
        share = one.n / most if most else None
        yield Mark(title, share, None, None, f"{one.n:,}", percent(share) if most else "", "ink")
        if one.joined:
            yield Mark(f"of these {JOINED}", None, None, None, f"{one.joined:,}", shape="other", group=title)
        for loss in one.lost:
            yield Mark(reason_words(loss.reason), None, None, None, f"{loss.n:,}", shape="other", group=title)
