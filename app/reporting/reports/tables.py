"""The numbers of a report as CSV: the same as in its JSON, one file per kind of row."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.columns import LABEL_COLUMNS, names
from app.reporting.reports.parts.cells import value_of
from app.reporting.reports.sections import STUDY_OWN, estimates

_DESCRIPTION = ("n", "n_missing", "mean", "low", "high", "level", "sd_ddof1", "sd_ddof0", "reason")

HEADS: Mapping[str, tuple[str, ...]] = {
    "selection": ("study", "reason", "value", "n_answers"),
    "measures": ("study", "measure", "trials", "condition", "source", "against", *_DESCRIPTION),
    "participants": (
        "study", "participant", "n_trials", "n_correct", "n_accuracy", "n_blank", "accuracy",
        "n_uncertainty", "uncertainty", "n_uncertainty_all", "uncertainty_all", "n_tie",
    ),
    "preferences": (
        "study", "participant", "condition", "source", "against", "n_chosen", "n_preference", "preference",
    ),
    "estimates": ("study", "number", "n", "value", "low", "high", "level", "reason"),
    "breakdowns": (
        "study", "measure", "by", "value", "source", "against", "n_trials", "n", "mean", "ci_low", "ci_high", "level",
        "sd_ddof1", "sd_ddof0", "reason",
    ),
    "comparisons": (
        "first", "second", "measure", "trials", "condition", "source", "against", "n1", "n2", "u1", "u2",
        "alternative", "p", "p_two_sided", "p_holm", "n_family", "method", "effect", "effect_low", "effect_high",
        "rank_biserial", "reason", "shift", "shift_low", "shift_high", "difference_in_means", "p_permutation",
        "compared_as", "n_paired", "n_higher", "n_lower", "n_equal", "v", "p_paired", "p_paired_two_sided",
        "p_holm_as_compared", "n_family_as_compared", "paired_rank_biserial", "paired_shift", "paired_shift_low",
        "paired_shift_high", "paired_difference_in_means", "p_paired_permutation", "paired_reason",
    ),
    "labels": names(LABEL_COLUMNS),
}  # fmt: skip

Cells = Mapping[str, Any]


def tables_of(numbers: Cells) -> Iterator[tuple[str, Sequence[Cells]]]:
    """Each table of an analysis' JSON by name, with its rows as cells by column."""
    studies = numbers["studies"]
    rows: Mapping[str, Sequence[Cells]] = {
        "selection": [row for study in studies for row in _selection(study)],
        "measures": [row for study in studies for row in _measures(study)],
        "participants": [
            {**person, "study": study["study"]} for study in studies for person in study["participants"]
        ],
        "preferences": [row for study in studies for row in _preferences(study)],
        "estimates": [row for study in studies for row in _estimates(study)],
        "breakdowns": [row for study in studies for row in _breakdowns(study)],
        "comparisons": [_comparison(one) for one in numbers["comparisons"]],
        "labels": numbers["labels"],
    }
    for name, head in HEADS.items():
        yield name, [{column: row.get(column) for column in head} for row in rows[name]]


def _preferences(study: Cells) -> Iterator[Cells]:
    for person in study["participants"]:
        for preference in person["preferences"]:
            yield {**preference, "study": study["study"], "participant": person["participant"]}


def _estimates(study: Cells) -> Iterator[Cells]:
    """Every further number with an interval, by the keys that lead to it in the JSON."""
    further = {name: section for name, section in study.items() if name not in STUDY_OWN}
    for path, one in estimates(further):
        interval = one["interval"]
        yield {
            "study": study["study"],
            "number": ".".join(path),
            "n": one["n"],
            "value": value_of(one),
            "low": interval["low"],
            "high": interval["high"],
            "level": interval["level"],
            "reason": one["reason"] or interval["reason"],
        }


def _breakdowns(study: Cells) -> Iterator[Cells]:
    for one in study["breakdowns"]:
        for row in one["rows"]:
            about = {
                "study": study["study"],
                "measure": one["measure"],
                "by": one["by"],
                "level": one["level"],
            }
            yield {**row, **about, "reason": row["reason"] or one["reason"]}


def _selection(study: Cells) -> Iterator[Cells]:
    chosen = study["selection"]
    yield {"study": study["study"], "reason": "used", "value": chosen["mode"], "n_answers": chosen["n_used"]}
    for reason, values in chosen["left_out"].items():
        for value, n in values.items():
            yield {"study": study["study"], "reason": reason, "value": value, "n_answers": n}


def _measures(study: Cells) -> Iterator[Cells]:
    for measure in ("accuracy", "uncertainty", "uncertainty_all"):
        yield _described(study, measure, study[measure])
    for preference in study["preferences"]:
        yield _described(study, "preference", preference)


def _described(study: Cells, measure: str, numbers: Cells) -> Cells:
    interval = numbers["interval"]
    ends = {name: interval[name] for name in ("low", "high", "level")}
    reason = numbers["reason"] or interval["reason"]
    return {**numbers, **ends, "study": study["study"], "measure": measure, "reason": reason}


def _comparison(one: Cells) -> Cells:
    first, second = one["studies"]
    interval, shift, permutation = one["effect_interval"], one["shift"], one["permutation"]
    return {
        **one,
        "shift": shift["value"],
        "shift_low": shift["low"],
        "shift_high": shift["high"],
        "difference_in_means": permutation["difference"],
        "p_permutation": permutation["p"],
        "first": first,
        "second": second,
        "effect_low": interval["low"],
        "effect_high": interval["high"],
        **(_paired(one["paired"]) if one["paired"] else {}),
    }


def _paired(test: Cells) -> Cells:
    shift, permutation = test["shift"], test["permutation"]
    return {
        **{name: test[name] for name in ("n_higher", "n_lower", "n_equal", "v")},
        "n_paired": test["n"],
        "p_paired": test["p"],
        "p_paired_two_sided": test["p_two_sided"],
        "paired_rank_biserial": test["rank_biserial"],
        "paired_shift": shift["value"],
        "paired_shift_low": shift["low"],
        "paired_shift_high": shift["high"],
        "paired_difference_in_means": permutation["difference"],
        "p_paired_permutation": permutation["p"],
        "paired_reason": test["reason"],
    }
