"""What moves answers besides the clips: certainty, side, order and practice."""

from collections.abc import Iterator

from app.reporting.reports.parts.cells import Cells, p_cell, reasons, shortened, with_interval
from app.reporting.reports.views import NONE, SectionView, TableView, limits, number

FILE = "tables/estimates.csv"
MOST_POSITIONS = 40


def ties_part(study: Cells) -> Iterator[SectionView]:
    """From `ties` of a study: nothing where no answer says that there is no difference."""
    found = study["ties"]
    if not found["n_tie"]:
        return
    half = found["accuracy_half"]
    notes = (
        f"{found['n_tie']} of {found['n_tie'] + found['n_chosen']} votes say that there is no difference "
        f"({100 * found['share']:.0f} %); {found['n_blank']} answers are blank, which are no votes. Accuracy and "
        "preferences are of the answers that name a clip. With half a point for each such vote the accuracy is "
        f"{with_interval(half)}.",
        *reasons([("accuracy with half a point for a tie", half)]),
    )
    yield SectionView("", "Answers of no difference", notes=notes)


def certainty_part(study: Cells) -> Iterator[SectionView]:
    """From `certainty` of a study; its curve is a figure."""
    found = study["certainty"]
    if found["reason"]:
        yield SectionView("", "Certainty and accuracy", notes=(f"No numbers: {found['reason']}.",))
        return
    test = found["auroc_against_half"]
    mean = [("mean certainty, more is more certain", found["mean"], "")] if found["mean"] else []
    rows = (
        *mean,
        ("area under the type-2 ROC curve, within participants", found["auroc"], p_cell(test["p"])),
        ("the same of all answers together", found["auroc_pooled"], ""),
        ("Goodman and Kruskal's gamma, within participants", found["gamma"], ""),
    )
    table = TableView(
        caption="Whether right answers are the more certain: 0.5 of the area and 0 of gamma are no relation",
        head=("number", "n", "value (95 % interval)", "p against 0.5"),
        rows=tuple((name, str(one["n"]), with_interval(one), p) for name, one, p in rows),
        file=FILE,
    )
    without = (
        f"No such number within a participant have {found['n_all_right']} who are always right, {found['n_all_wrong']} "
        f"who are always wrong, and {found['n_constant']} who are always equally certain; "
        f"{found['n_without_uncertainty']} answers have no {found['scale']}."
    )
    missing = reasons((name, one) for name, one, _ in rows)
    untested = [f"The area was not tested against 0.5: {test['reason']}."] if test["reason"] else []
    yield SectionView("", "Certainty and accuracy", tables=(table,), notes=(without, *untested, *missing))


def bias_part(study: Cells) -> Iterator[SectionView]:
    """From `bias` of a study."""
    side, order, learning = (study["bias"][key] for key in ("side", "order", "learning"))
    rows = (
        ("share of choices of the left", side["left"], side["left_against_half"]),
        ("accuracy when the right clip was on the left", side["accuracy_left"], None),
        ("accuracy when it was on the right", side["accuracy_right"], None),
        ("side effect: the first less the second", side["effect"], side["effect_against_zero"]),
        (
            "learning: change in accuracy from one trial to the next",
            learning["slope"],
            learning["slope_against_zero"],
        ),
    )
    table = TableView(
        caption="Side and learning, means over participants; p by Wilcoxon's test, two-sided",
        head=("number", "participants", "mean (95 % interval)", "p"),
        rows=tuple(
            (
                name,
                str(one["n"]),
                with_interval(one, 4 if "learning" in name else 3),
                p_cell(test["p"]) if test else "",
            )
            for name, one, test in rows
        ),
        file=FILE,
    )
    notes = [f"{side['n_truth_left']} of {side['n_truth']} right clips that were judged were on the left."]
    notes += [
        f"Of {what}: {one['reason']}."
        for what, one in (("sides", side), ("learning", learning))
        if one["reason"]
    ]
    notes += [
        f"Not tested ({name}): {test['reason']}."
        for name, one, test in rows
        if test and test["reason"] and not one["reason"]
    ]
    notes += reasons((name, one) for name, one, _ in rows)
    positions = (_positions(order),) if order["positions"] else ()
    yield SectionView("", "Side, order and learning", tables=(table, *positions), notes=tuple(notes))


def _positions(order: Cells) -> TableView:
    rows = [
        (
            str(one["position"]),
            str(one["n_accuracy"]),
            _at(one, "accuracy"),
            str(one["n_left"]),
            _at(one, "left"),
        )
        for one in order["positions"]
    ]
    return shortened(
        "By position in the session, with 95 % intervals",
        ("position", "participants", "accuracy", "participants", "chose the left"),
        rows,
        file="results.json",
        most=MOST_POSITIONS,
    )


def _at(one: Cells, key: str) -> str:
    if one[key] is None:
        return NONE
    return f"{number(one[key], 2)} ({limits(one[f'{key}_low'], one[f'{key}_high'], 2)})"


def breakdown_part(study: Cells) -> Iterator[SectionView]:
    """From `breakdowns` of a study; what has one value alone is the study's own number again."""
    tables = [_breakdown(one) for one in study["breakdowns"] if len(one["rows"]) > 1]
    if tables:
        yield SectionView("", "By condition, source, arm and pair", tables=tuple(tables), folded=True)


def _breakdown(one: Cells) -> TableView:
    is_of_two = "against" in one["rows"][0]
    rows = [
        (
            row["value"] or "without",
            *((f"{row['source']} over {row['against']}",) if is_of_two else ()),
            str(row["n_trials"]),
            str(row["n"]),
            number(row["mean"]),
            limits(row["ci_low"], row["ci_high"]),
            number(row["sd_ddof1"]),
        )
        for row in one["rows"]
    ]
    names = [one["by"].replace("_", " "), *(["preference"] if is_of_two else [])]
    return shortened(
        f"{one['measure'].replace('_', ' ').capitalize()} by {names[0]}",
        (*names, "trials", "participants", "mean", "95 % interval", "SD (n-1)"),
        rows,
        n_names=len(names),
        file="tables/breakdowns.csv",
        most=MOST_POSITIONS,
    )
