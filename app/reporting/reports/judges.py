"""Automated judges against people, as a section of the report: every number beside what people reach."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.figures.words import listed
from app.reporting.reports.parts.cells import p_cell
from app.reporting.reports.views import (
    LONGEST,
    NONE,
    FigureView,
    SectionView,
    TableView,
    limits,
    number,
    of_dict,
)

Cells = Mapping[str, Any]

NAMES = {
    "identity_accuracy": "truth",
    "label_accuracy": "majority",
    "spearman": "Spearman",
    "kappa": "kappa",
    "brier": "Brier",
    "calibration_error": "calibration",
    "three_class_accuracy": "majority or tie",
}
_EXPLAINED = (
    "Truth and majority are accuracies against the right clip and against the majority vote; Spearman's correlation is "
    "of the score with the share of votes; Cohen's kappa is of the verdict with the majority; the Brier score and the "
    "calibration error are of probabilities, and 0 is best. Majority or tie is the accuracy over three classes, where "
    "people may say that there is no difference. As published is as Devlin et al. computed them."
)
HEAD = (
    "judge", "scope", "group", "measure", "n_pairs", "n_judged", "as_published", "n", "value", "low", "high",
    "sd_ddof1", "ceiling", "ceiling_low", "ceiling_high", "split_half", "split_half_low", "split_half_high", "reason",
)  # fmt: skip


def judge_rows(validation: Cells | None) -> Iterator[Cells]:
    """One row for each judge, group of pairs and measure, in the columns of `HEAD`."""
    for judge in validation["judges"] if validation else ():
        for group in judge["groups"]:
            for measure, numbers in group["measures"].items():
                yield {
                    "judge": judge["judge"],
                    "scope": group["scope"],
                    "group": group["name"],
                    "measure": measure,
                    "n_pairs": group["n_pairs"],
                    "n_judged": group["n_judged"],
                    "as_published": (numbers["as_published"] or {}).get("value"),
                    "sd_ddof1": numbers["sd_ddof1"],
                    **_estimate(numbers["corrected"]),
                    "ceiling": numbers["ceiling"]["value"],
                    "ceiling_low": numbers["ceiling"]["interval"]["low"],
                    "ceiling_high": numbers["ceiling"]["interval"]["high"],
                    "split_half": numbers["split_half"]["value"],
                    "split_half_low": numbers["split_half"]["interval"]["low"],
                    "split_half_high": numbers["split_half"]["interval"]["high"],
                }


def _estimate(one: Cells) -> Cells:
    interval = one["interval"]
    reason = one["reason"] or interval["reason"]
    return {
        "value": one["value"],
        "n": one["n"],
        "low": interval["low"],
        "high": interval["high"],
        "reason": reason,
    }


def judges_section(validation: Cells | None, figures: Sequence[FigureView]) -> Iterator[SectionView]:
    """Nothing without verdicts."""
    if validation is None:
        return
    yield SectionView(
        id="judges",
        title="Judges against people",
        paragraphs=(
            f"Of {validation['n_pairs']} pairs, {validation['n_with_truth']} have a right member and "
            f"{validation['n_with_votes']} have votes, {validation['n_tied']} of these a tied majority. One "
            "participant is one participant held against the majority of the others; one half is one half of the "
            "participants held against the other half. Pairs are what is resampled.",
        ),
        figures=tuple(figures),
        tables=(*_measures(validation, ("all", "class")), *_tables(validation)),
        notes=tuple(_notes(validation)),
        parts=tuple(_by_condition(validation)),
    )


def _by_condition(validation: Cells) -> Iterator[SectionView]:
    tables = tuple(_measures(validation, ("condition",)))
    if len(tables) > 1:
        yield SectionView("", "Judges by condition", tables=tables, folded=True)


def _tables(validation: Cells) -> Iterator[TableView]:
    yield _verdicts(validation)
    yield _annotators(validation)
    yield from _powered(validation)
    if validation["comparisons"]:
        yield _versus(validation)


def _measures(validation: Cells, scopes: Sequence[str]) -> Iterator[TableView]:
    """A table for each group of pairs, all judges in it."""
    groups: dict[tuple[str, str], list[Cells]] = {}
    for row in judge_rows(validation):
        # What has no pair at all is said once, in the notes.
        if row["scope"] in scopes and row["n"]:
            groups.setdefault((row["scope"], row["group"]), []).append(row)
    for (scope, name), rows in groups.items():
        title = "All pairs" if scope == "all" else f"Pairs of {name}" if name else "Pairs without a condition"
        yield TableView(
            caption=f"{title}: each judge, and what people reach on the pairs that it judged",
            head=(
                *("judge", "measure", "pairs", "as published", "corrected (95 % interval)"),
                *("one participant (95 % interval)", "one half"),
            ),
            rows=tuple(_measured(row) for row in rows[:LONGEST]),
            n_names=2,
            file="tables/judges.csv",
            more=max(0, len(rows) - LONGEST),
        )


def _measured(row: Cells) -> tuple[str, ...]:
    return (
        row["judge"],
        str(NAMES.get(row["measure"], row["measure"])),
        str(row["n"]),
        number(row["as_published"]) if row["as_published"] is not None else "",
        _with(row["value"], row["low"], row["high"]),
        _with(row["ceiling"], row["ceiling_low"], row["ceiling_high"]),
        number(row["split_half"]),
    )


def _with(value: float | None, low: float | None, high: float | None) -> str:
    return NONE if value is None else f"{number(value)} ({limits(low, high)})"


def _verdicts(validation: Cells) -> TableView:
    keys = "n_rows", "n_judged", "n_tied", "n_abstained", "n_missing", "n_unknown", "n_not_main", "n_changed"
    return TableView(
        caption="What became of the verdicts",
        head=(
            *(
                "judge",
                "run",
                "rows",
                "pairs judged",
                "of them tied",
                "abstained",
                "pairs without",
                "unknown",
            ),
            *("not of main pairs", "of changed pairs"),
        ),
        rows=tuple(
            (judge["judge"], run["run"] or "the only one", *(str(run[key]) for key in keys))
            for judge in validation["judges"]
            for run in judge["runs"]
        ),
        n_names=2,
        file="judges.json",
    )


def _annotators(validation: Cells) -> TableView:
    rows = []
    for judge in validation["judges"]:
        for test in judge["alternative_annotator"]:
            verdict = "not tested" if test["reason"] else "may" if test["passes"] else "may not"
            difference = test["difference"]
            rows.append(
                (
                    judge["judge"],
                    test["run"] or "the only one",
                    f"{test['n_won']} of {test['n_tested']}",
                    number(test["winning_rate"], 2),
                    number(test["advantage"] if test["advantage"] is not None else test["advantage_all"], 2),
                    f"{number(difference['value'], 2)} ({of_dict(difference['interval'], 2)})",
                    verdict,
                )
            )
    settings = validation["settings"]
    return TableView(
        caption=(
            f"The alternative annotator test (epsilon {settings['epsilon']:g}, at least {settings['min_instances']} "
            "pairs of a participant): may the judge stand in for one of them?"
        ),
        head=(
            *("judge", "run", "participants won against", "winning rate", "average advantage"),
            *("participant better minus judge better (95 % interval)", "outcome"),
        ),
        rows=tuple(rows),
        n_names=2,
        file="judges.json",
    )


def _powered(validation: Cells) -> Iterator[TableView]:
    """Those with a number; the others' reasons are in the notes."""
    rows = [
        (
            judge["judge"],
            f"{one['source']} over {one['against']}, {one['condition'] or 'no condition'}",
            f"{one['n_labelled']} + {one['n_unlabelled']}",
            _with(one["people"], one["people_low"], one["people_high"]),
            _with(one["value"], one["low"], one["high"]),
            number(one["n_effective"], 1),
            number(one["gain"], 2),
        )
        for judge in validation["judges"]
        for one in judge["prediction_powered"]
        if one["value"] is not None
    ]
    if rows:
        yield TableView(
            caption="Preference from votes alone, and with the help of verdicts on pairs without votes",
            head=(
                *("judge", "preference", "pairs with + without votes", "votes alone (95 % interval)"),
                *("with verdicts (95 % interval)", "worth in pairs", "gain"),
            ),
            rows=tuple(rows),
            n_names=2,
            file="judges.json",
        )


def _versus(validation: Cells) -> TableView:
    rows = [
        (
            " minus ".join(one["judges"]),
            NAMES[one["measure"]],
            str(one["difference"]["n"]),
            f"{number(one['difference']['value'])} ({of_dict(one['difference']['interval'])})",
            p_cell(one["p"]),
            p_cell(one["p_holm"]),
        )
        for one in validation["comparisons"]
    ]
    return TableView(
        caption="Judges compared on the same pairs: difference with its interval, McNemar's exact test, two-sided",
        head=("judges", "measure", "pairs", "difference (95 % interval)", "p", "p Holm"),
        rows=tuple(rows[:LONGEST]),
        n_names=2,
        file="judges.json",
        more=max(0, len(rows) - LONGEST),
    )


def _notes(validation: Cells) -> Iterator[str]:
    for judge in validation["judges"]:
        for run in judge["runs"]:
            if run["unknown"]:
                names = ", ".join(run["unknown"])
                yield f"Verdicts of {judge['judge']} that name nothing known: {run['n_unknown']}, first {names}."
    found: dict[str, list[str]] = {}
    for what, reason in _reasons(validation):
        found.setdefault(reason, []).append(what)
    for reason, named in found.items():
        yield f"Of {listed(list(dict.fromkeys(named)))}: {reason}."


def _reasons(validation: Cells) -> Iterator[tuple[str, str]]:
    """What has a note, and the note."""
    for row in judge_rows(validation):
        if row["value"] is None and row["reason"]:
            yield f"{NAMES.get(row['measure'], row['measure'])} ({row['group']})", row["reason"]
    for judge in validation["judges"]:
        for test in judge["alternative_annotator"]:
            if test["reason"]:
                yield f"the alternative annotator test of {judge['judge']}", test["reason"]
        for one in judge["prediction_powered"]:
            if reason := one["reason"] or one["warning"]:
                yield f"prediction-powered preference by {judge['judge']}", reason
    for one in validation["comparisons"]:
        if one["reason"]:
            yield f"McNemar's test of {' and '.join(one['judges'])}", one["reason"]
