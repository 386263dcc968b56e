"""The figures on what moves answers besides the stimuli, and on how far people agree."""

from collections.abc import Iterator

from analysis.choice.bias import Bias, OrderEffect, SideBias
from analysis.choice.studies import StudyResult
from analysis.findings.marks import (
    INTERVAL,
    SHARES,
    described,
    estimated,
    few,
    mark,
    nothing,
    plain_interval,
)
from analysis.findings.model import Cell, Column, Figure, Mark, Measured, Numbers, Section
from analysis.findings.rule import Sayings, say
from analysis.findings.tables import column, counts, measured, names, p_values, reasons
from analysis.findings.words import (
    between,
    count,
    ends_of,
    exact,
    listed,
    percent,
    points,
    sentence,
    test_beside,
)
from analysis.reported import Settings
from analysis.results import table_rows
from analysis.signs import signed
from analysis.stats.agreement import Agreement
from analysis.stats.estimates import Estimate
from analysis.stats.evidence import NOT_YET, SHARE, evidence

_MOST_POSITIONS = 24


def side_figure(bias: Bias, right: str) -> Figure:
    """Choices of the left, and accuracy by the side on which the right clip was."""
    side = bias.side
    if side.left.mean is None:
        return nothing("side", "bias", sentence(f"there is no side bias to see: {side.reason}"), "")
    rows, which = [("Left chosen", side.left)], right.removeprefix("the ")
    if side.effect.mean is not None or side.accuracy_left.mean is not None:
        rows += [(f"Accuracy, {which} left", side.accuracy_left)]
        rows += [(f"Accuracy, {which} right", side.accuracy_right)]
    share = percent(side.left.mean)
    return Figure(
        name="side",
        section="bias",
        drawing="marks",
        said=_side_said(side),
        strong=share,
        how="Mean over people, with 95% interval; an even split is dashed. Accuracy that differs by side is bias, too.",
        numbers=Numbers(
            "Sides, mean over people",
            (Column("of", "Share of", "text"), *SHARES, Column("sd_ddof1", "SD (n-1)", "share")),
            tuple(described(name, one) for name, one in rows),
        ),
        marks=tuple(mark(name, one, "ink" if name == "Left chosen" else "human") for name, one in rows),
        caution=few(side.left.n, "person", side.left),
    )


def _side_said(side: SideBias) -> str:
    left = side.left
    found, p = evidence(left.interval, 0.5), side.left_against_half.p
    chosen = f"the left was chosen in {percent(left.mean)}, {between(left.interval)}{test_beside(found, p)}"
    sayings = Sayings(
        more=f"People chose the left more often than the right: {chosen}.",
        less=f"People chose the right more often than the left: {chosen}.",
        alike=f"People lean to no side by more than {points(SHARE)}: {chosen}.",
        open=f"Whether people lean to a side {NOT_YET}: {chosen}.",
    )
    return say(left.interval, p, sayings, null=0.5).text


def _agreement_said(agreement: Estimate, chance: float) -> str:
    share = f"{percent(agreement.value)}, {between(agreement.interval)}"
    found = f"two people agree on a pair in {share}; chance is {percent(chance)}"
    match evidence(agreement.interval, chance):
        case "more":
            return f"People agree more often than by chance: {found}."
        case "less":
            return f"People agree less often than by chance: {found}."
        case "alike":
            return f"People agree no more than {points(SHARE)} oftener or rarer than by chance: {found}."
    return f"Whether people agree more often than by chance {NOT_YET}: {found}."


def _learning_said(bias: Bias, n_positions: int) -> str:
    """By the slope; a change of interest is one of 10 points from the first position to the last."""
    slope = bias.learning.slope
    if slope.mean is None:
        return sentence(f"learning {NOT_YET}: {bias.learning.reason or slope.reason}")
    low, high = ends_of(slope)
    limits = (
        f"no interval: {slope.interval.reason}"
        if low is None or high is None
        else f"95% interval {signed(100 * low, 1)} to {signed(100 * high, 1)}"
    )
    # Ten points from the first position to the last are the smallest slope of interest (docs/analysis.md).
    smallest, p = SHARE / max(1, n_positions - 1), bias.learning.slope_against_zero.p
    found = evidence(slope.interval, 0.0, smallest)
    slope_words = f"{signed(100 * slope.mean, 1)} points a position, {limits}{test_beside(found, p)}"
    no_more = f"People changed on the way by no more than {points(SHARE)} from the first position to the last"
    sayings = Sayings(
        more=f"People got better on the way: {slope_words}.",
        less=f"People got worse on the way: {slope_words}.",
        alike=f"{no_more}: {slope_words}.",
        open=f"Whether people learn on the way {NOT_YET}: {slope_words}.",
    )
    return say(slope.interval, p, sayings, smallest=smallest).text


def order_figure(bias: Bias) -> Figure:
    """Accuracy at each position in the session, and the slope over them."""
    positions = table_rows(bias.order.positions)
    table = [row for row in positions if row["n_accuracy"]]
    if bias.order.reason:
        return nothing(
            "order",
            "bias",
            sentence(f"order and learning {NOT_YET}: {bias.order.reason}"),
            "Name the column of the position in the mapping file, where there is one.",
        )
    slope = bias.learning.slope
    if not table:
        return nothing(
            "order", "bias", "There is no accuracy by position: no answered pair has a right answer.", ""
        )
    drawn = table[:_MOST_POSITIONS]
    more = (
        f" The first {_MOST_POSITIONS} of {len(table)} positions are drawn."
        if len(table) > len(drawn)
        else ""
    )
    strong = "" if slope.mean is None else f"{signed(100 * slope.mean, 1)} points"
    return Figure(
        name="order",
        column="answers",
        section="bias",
        drawing="marks",
        said=_learning_said(bias, len(table)),
        strong=strong,
        how=f"Share of right answers at each position in the session, with 95% interval.{more}",
        numbers=Numbers(
            "Right answers by position",
            (
                Column("position", "Position", "count"),
                Column("answers", "Answers", "count"),
                Column("accuracy", "Right", "share"),
                *INTERVAL,
                Column("answers_with_side", "Answers with a side", "count"),
                Column("left", "Left chosen", "share"),
                Column("left_low", "from", "share"),
                Column("left_high", "to", "share"),
            ),
            tuple(
                (
                    row["position"],
                    row["n_accuracy"],
                    row["accuracy"],
                    row["accuracy_low"],
                    row["accuracy_high"],
                    row["n_left"],
                    row["left"],
                    row["left_low"],
                    row["left_high"],
                )
                for row in positions
            ),
        ),
        marks=tuple(
            Mark(
                f"{row['position']}",
                row["accuracy"],
                row["accuracy_low"],
                row["accuracy_high"],
                percent(row["accuracy"]),
                f"of {row['n_accuracy']:,}",
            )
            for row in drawn
        ),
    )


def agreement_figure(one: Agreement) -> Figure:
    """The figure of how often two people agree on a pair."""
    choice = one.choice
    if choice.agreement.value is None:
        return nothing(
            "agreement",
            "bias",
            sentence(f"agreement cannot be measured: {choice.agreement.reason}"),
            "It takes pairs that at least two people answered.",
        )
    strong = percent(choice.agreement.value)
    coefficients = [
        ("agreement", choice.agreement),
        ("Krippendorff's alpha", choice.alpha),
        ("Fleiss' kappa", choice.kappa),
        ("Gwet's AC1", choice.ac1),
        ("split-half reliability", one.split_half.reliability),
        ("split-half correlation", one.split_half.correlation),
    ]
    rows: list[tuple[Cell, ...]] = [(name, *estimated(value)) for name, value in coefficients]
    marks = [mark("Any two people", choice.agreement, "ink")]
    for source in one.sources:
        rows += [
            (f"{source.condition}: {name}", *estimated(value))
            for name, value in (
                ("agreement", source.agreement),
                ("Krippendorff's alpha", source.alpha),
                ("Fleiss' kappa", source.kappa),
                ("Gwet's AC1", source.ac1),
            )
        ]
        if len(one.sources) > 1 and source.agreement.value is not None:
            marks.append(mark(source.condition or listed(source.sources), source.agreement, "other"))
    return Figure(
        name="agreement",
        section="bias",
        drawing="marks",
        said=_agreement_said(choice.agreement, choice.chance),
        strong=strong,
        how=f"Over {count(choice.agreement.n, 'pair')} with two votes or more, with 95% interval over pairs. "
        f"Krippendorff's alpha {exact(choice.alpha.value)} ({plain_interval(choice.alpha)}): 0 is chance, 1 is "
        "agreement on everything.",
        numbers=Numbers(
            "Agreement between people",
            (
                Column("coefficient", "Coefficient", "text"),
                Column("pairs", "Pairs", "count"),
                Column("value", "Value", "number"),
                Column("ci_low", "from", "number"),
                Column("ci_high", "to", "number"),
            ),
            tuple(rows),
        ),
        marks=tuple(marks),
        chance=choice.chance,
        caution=few(choice.agreement.n, "pair", choice.agreement),
    )


def bias(study: StudyResult, settings: Settings) -> Iterator[Section]:
    """From `bias`: side and learning over people, and each position."""
    side, learning = study.bias.side, study.bias.learning
    change = "learning: change in accuracy from one trial to the next"
    rows = (
        ("share of choices of the left", side.left, side.left_against_half),
        ("accuracy when the right member was on the left", side.accuracy_left, None),
        ("accuracy when it was on the right", side.accuracy_right, None),
        ("side effect: the first less the second", side.effect, side.effect_against_zero),
        (change, learning.slope, learning.slope_against_zero),
    )
    yield Section(
        "bias",
        "Side, order and learning",
        tables=(
            Numbers(
                "Side and learning, means over participants; p by Wilcoxon's test, two-sided",
                (*names("number"), *counts("participants"), column("mean", digits=4), *p_values("p")),
                tuple((name, one.n, measured(one), test.p if test else "") for name, one, test in rows),
            ),
            *_positions(study.bias.order),
        ),
        notes=(
            f"{side.n_truth_left} of {side.n_truth} right members that were judged were on the left.",
            *([f"Of sides: {side.reason}."] if side.reason else []),
            *([f"Of learning: {learning.reason}."] if learning.reason else []),
            *(
                f"Not tested ({name}): {test.reason}."
                for name, one, test in rows
                if test and test.reason and not one.reason
            ),
            *reasons((name, one) for name, one, _ in rows),
        ),
    )


def _positions(order: OrderEffect) -> Iterator[Numbers]:
    rows = tuple(
        (
            *(str(row["position"]), row["n_accuracy"]),
            *(Measured(row["accuracy"], row["accuracy_low"], row["accuracy_high"]), row["n_left"]),
            Measured(row["left"], row["left_low"], row["left_high"]),
        )
        for row in table_rows(order.positions)
    )
    if rows:
        columns = (
            *(*names("position"), *counts("participants"), column("accuracy", digits=2)),
            *(Column("participants_left", "participants", "count"), column("chose the left", digits=2)),
        )
        yield Numbers("By position in the session, with 95% intervals", columns, rows)
