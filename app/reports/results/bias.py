"""The figures on what moves answers besides the clips, and on how far people agree."""

from analysis.choice.bias import Bias
from analysis.results import table_rows
from analysis.stats.agreement import Agreement
from app.reports.results.marks import (
    INTERVAL,
    SHARES,
    described,
    estimated,
    few,
    mark,
    nothing,
    plain_interval,
)
from app.reports.results.view import Cell, Column, Figure, Mark, Numbers
from app.reports.results.words import count, ends_of, exact, listed, percent, sentence

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
    low, high = ends_of(side.left)
    leans = low is not None and high is not None and not low <= 0.5 <= high
    share = percent(side.left.mean)
    said = (
        f"People chose the {'left' if side.left.mean > 0.5 else 'right'} more often: the left in {share}."
        if leans
        else f"No bias to a side: the left was chosen in {share}."
        if low is not None
        else f"The left was chosen in {share}."
    )
    return Figure(
        name="side",
        section="bias",
        drawing="marks",
        said=said,
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


def order_figure(bias: Bias) -> Figure:
    """Accuracy at each position in the session, and the slope over them."""
    positions = table_rows(bias.order.positions)
    table = [row for row in positions if row["n_accuracy"]]
    slope = bias.learning.slope
    if not table:
        return nothing(
            "order", "bias", "There is no accuracy by position: no pair with a right clip was answered.", ""
        )
    drawn = table[:_MOST_POSITIONS]
    more = (
        f" The first {_MOST_POSITIONS} of {len(table)} positions are drawn."
        if len(table) > len(drawn)
        else ""
    )
    if slope.mean is None:
        said = sentence(f"learning cannot be told: {bias.learning.reason or slope.reason}")
        strong = ""
    else:
        low, high = ends_of(slope)
        moves = low is not None and high is not None and not low <= 0 <= high
        strong = f"{100 * slope.mean:+.1f} points"
        way = "better" if slope.mean > 0 else "worse"
        said = (
            f"People got {way} on the way: {strong} a position."
            if moves
            else f"No learning to see: {strong} a position."
        )
        if low is not None and high is not None:
            more += f" Slope: 95% interval {100 * low:+.1f} to {100 * high:+.1f} points a position."
    return Figure(
        name="order",
        column="answers",
        section="bias",
        drawing="marks",
        said=said,
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
    """How often two people agree on a pair."""
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
        ("alpha", choice.alpha),
        ("kappa", choice.kappa),
        ("ac1", choice.ac1),
        ("split_half_reliability", one.split_half.reliability),
        ("split_half_correlation", one.split_half.correlation),
    ]
    rows: list[tuple[Cell, ...]] = [(name, *estimated(value)) for name, value in coefficients]
    marks = [mark("Any two people", choice.agreement, "ink")]
    for source in one.sources:
        rows += [
            (f"{source.condition}: {name}", *estimated(value))
            for name, value in (
                ("agreement", source.agreement),
                ("alpha", source.alpha),
                ("kappa", source.kappa),
                ("ac1", source.ac1),
            )
        ]
        if len(one.sources) > 1 and source.agreement.value is not None:
            marks.append(mark(source.condition or listed(source.sources), source.agreement, "other"))
    return Figure(
        name="agreement",
        section="bias",
        drawing="marks",
        said=f"Two people agree on a pair in {strong} of cases, where chance is {percent(choice.chance)}.",
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
