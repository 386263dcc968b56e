"""How right the answers are, and what moves them besides the clips: certainty, side, order and practice."""

from collections.abc import Iterator

from analysis.choice.bias import OrderEffect
from analysis.choice.breakdowns import Breakdown
from analysis.choice.pooled import PooledTest
from analysis.choice.studies import StudyResult
from analysis.results import table_rows
from analysis.stats.mixed import MixedModel
from app.reports.page.views import (
    NONE,
    Measured,
    SectionView,
    TableView,
    as_sentence,
    interval,
    limits,
    number,
    p_cell,
    reasons,
    shortened,
    with_interval,
)

FILE = "tables/estimates.csv"
MOST_POSITIONS = 40


def accuracy_part(study: StudyResult) -> Iterator[SectionView]:
    """From `two_way`, `pooled` and `mixed`: accuracy by how the answers are taken."""
    rows = [*_over_participants(study), *_modelled(study.mixed), *_pooled(study.pooled)]
    notes = list(_accuracy_notes(study))
    if not rows and not notes:
        return
    table = TableView(
        caption="The same answers, taken in different ways; every p is two-sided",
        head=("how", "over", "value", "95% interval", "p"),
        rows=tuple(rows),
        n_names=2,
        file="results.json",
    )
    yield SectionView(
        "", "How far it holds: participants, pairs, and all answers", tables=(table,), notes=tuple(notes)
    )


def _over_participants(study: StudyResult) -> Iterator[tuple[str, ...]]:
    accuracy, both = study.accuracy, study.two_way
    if accuracy.mean is None:
        return
    mean = number(accuracy.mean)
    yield (
        "accuracy, participants resampled (Wilcoxon's test)", f"{accuracy.n} participants", mean,
        interval(accuracy.interval), p_cell(study.against_chance.p),
    )  # fmt: skip
    over = f"{both.accuracy_participants} participants, {both.accuracy_pairs} pairs"
    yield "accuracy, participants and pairs resampled", over, mean, interval(both.accuracy), ""


def _modelled(model: MixedModel) -> Iterator[tuple[str, ...]]:
    if model.reason:
        return
    what = "accuracy" if model.outcome == "correct" else f"share of {model.outcome}"
    over = f"{model.n} answers, {model.n_participants} participants, {model.n_pairs} pairs"
    p = p_cell(model.intercept.p) if model.intercept else NONE
    for one, words, shown in (
        (model.mean_probability, "mixed model, all participants and pairs", ""),
        (model.probability, "mixed model, the average participant at the average pair", p),
    ):
        if one:
            yield f"{what}, {words}", over, number(one.value), limits(one.low, one.high), shown


def _pooled(pooled: PooledTest) -> Iterator[tuple[str, ...]]:
    if pooled.share is None:
        return
    # Where somebody gave several answers the interval holds the truth in less than 90% of cases.
    ends = NONE if pooled.overstates else limits(pooled.low, pooled.high)
    shown = number(pooled.share), ends, p_cell(pooled.p)
    yield "accuracy, all answers pooled (exact binomial test)", f"{pooled.n} answers", *shown


def _accuracy_notes(study: StudyResult) -> Iterator[str]:
    model, pooled, both = study.mixed, study.pooled, study.two_way
    for warning in filter(None, (pooled.warning, model.warning, model.boundary)):
        yield as_sentence(warning)
    spread = [
        f"{who} differ with a standard deviation of {number(one.value, 2)} ({limits(one.low, one.high, 2)})"
        for who, one in (("participants", model.sd_participants), ("pairs", model.sd_pairs))
        if one
    ]
    if spread:
        yield f"In log odds, {' and '.join(spread)} under the model."
    if model.reason:
        yield f"There is no mixed model: {model.reason}."
    if both.accuracy.reason and study.accuracy.mean is not None:
        yield f"There is no interval over participants and pairs: {both.accuracy.reason}."
    if both.uncertainty.low is not None:
        yield (
            "With pairs resampled as well, the 95% interval of the mean uncertainty is "
            f"{interval(both.uncertainty)}."
        )


def ties_part(study: StudyResult) -> Iterator[SectionView]:
    """From `ties`: nothing where no answer says that there is no difference."""
    found = study.ties
    if found.share is None or found.accuracy_half is None:
        return
    notes = (
        f"{found.n_tie} of {found.n_tie + found.n_chosen} votes say that there is no difference "
        f"({100 * found.share:.0f}%); {found.n_blank} answers are blank, which are no votes. Accuracy and "
        "preferences are of the answers that name a member. With half a point for each such vote the accuracy is "
        f"{with_interval(found.accuracy_half)}.",
        *reasons([("accuracy with half a point for a tie", found.accuracy_half)]),
    )
    yield SectionView("", "Answers of no difference", notes=notes)


def certainty_part(study: StudyResult) -> Iterator[SectionView]:
    """From `certainty`; its curve is a figure."""
    found = study.certainty
    if found.reason:
        yield SectionView("", "Certainty and accuracy", notes=(f"No numbers: {found.reason}.",))
        return
    test = found.auroc_against_half
    rows: list[tuple[str, Measured, str]] = [
        ("area under the type-2 ROC curve, within participants", found.auroc, p_cell(test.p)),
        ("the same of all answers together", found.auroc_pooled, ""),
        ("Goodman and Kruskal's gamma, within participants", found.gamma, ""),
    ]
    if found.mean:
        rows.insert(0, ("mean certainty, more is more certain", found.mean, ""))
    table = TableView(
        caption="Whether right answers are the more certain: 0.5 of the area and 0 of gamma are no relation",
        head=("number", "n", "value (95% interval)", "p against 0.5"),
        rows=tuple((name, str(one.n), with_interval(one), p) for name, one, p in rows),
        file=FILE,
    )
    without = (
        f"{found.n_all_right} participants who are always right, {found.n_all_wrong} who are always wrong and "
        f"{found.n_constant} who are always equally certain have no such number; "
        f"{found.n_without_uncertainty} answers have no {found.scale}."
    )
    missing = reasons((name, one) for name, one, _ in rows)
    untested = [f"The area was not tested against 0.5: {test.reason}."] if test.reason else []
    yield SectionView("", "Certainty and accuracy", tables=(table,), notes=(without, *untested, *missing))


def bias_part(study: StudyResult) -> Iterator[SectionView]:
    """From `bias`."""
    side, learning = study.bias.side, study.bias.learning
    change = "learning: change in accuracy from one trial to the next"
    rows = (
        ("share of choices of the left", side.left, side.left_against_half),
        ("accuracy when the right member was on the left", side.accuracy_left, None),
        ("accuracy when it was on the right", side.accuracy_right, None),
        ("side effect: the first less the second", side.effect, side.effect_against_zero),
        (change, learning.slope, learning.slope_against_zero),
    )
    table = TableView(
        caption="Side and learning, means over participants; p by Wilcoxon's test, two-sided",
        head=("number", "participants", "mean (95% interval)", "p"),
        rows=tuple(
            (name, str(one.n), with_interval(one, 4 if name == change else 3), p_cell(test.p) if test else "")
            for name, one, test in rows
        ),
        file=FILE,
    )
    notes = [f"{side.n_truth_left} of {side.n_truth} right members that were judged were on the left."]
    if side.reason:
        notes.append(f"Of sides: {side.reason}.")
    if learning.reason:
        notes.append(f"Of learning: {learning.reason}.")
    notes += [
        f"Not tested ({name}): {test.reason}."
        for name, one, test in rows
        if test and test.reason and not one.reason
    ]
    notes += reasons((name, one) for name, one, _ in rows)
    tables = (table, *_positions(study.bias.order))
    yield SectionView("", "Side, order and learning", tables=tables, notes=tuple(notes))


def _positions(order: OrderEffect) -> Iterator[TableView]:
    def mean_of(value: float | None, low: float | None, high: float | None) -> str:
        return NONE if value is None else f"{number(value, 2)} ({limits(low, high, 2)})"

    rows = [
        (
            str(row["position"]),
            *(str(row["n_accuracy"]), mean_of(row["accuracy"], row["accuracy_low"], row["accuracy_high"])),
            *(str(row["n_left"]), mean_of(row["left"], row["left_low"], row["left_high"])),
        )
        for row in table_rows(order.positions)
    ]
    if rows:
        head = "position", "participants", "accuracy", "participants", "chose the left"
        caption = "By position in the session, with 95% intervals"
        yield shortened(caption, head, rows, file="results.json", most=MOST_POSITIONS)


def breakdown_part(study: StudyResult) -> Iterator[SectionView]:
    """From `breakdowns`; what has one value alone is the study's own number again."""
    tables = [_breakdown(one) for one in study.breakdowns if len(one.table) > 1]
    if tables:
        yield SectionView("", "By condition, source, arm and pair", tables=tuple(tables), folded=True)


def _breakdown(one: Breakdown) -> TableView:
    is_of_two = "against" in one.table
    rows = [
        (
            row["value"] or "without",
            *((f"{row['source']} over {row['against']}",) if is_of_two else ()),
            *(str(row["n_trials"]), str(row["n"]), number(row["mean"])),
            *(limits(row["ci_low"], row["ci_high"]), number(row["sd_ddof1"])),
        )
        for row in table_rows(one.table)
    ]
    names = [one.by.replace("_", " "), *(["preference"] if is_of_two else [])]
    return shortened(
        f"{one.measure.replace('_', ' ').capitalize()} by {names[0]}",
        (*names, "trials", "participants", "mean", "95% interval", "SD (n-1)"),
        rows,
        n_names=len(names),
        file="tables/breakdowns.csv",
        most=MOST_POSITIONS,
    )
