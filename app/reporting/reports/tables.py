"""The numbers of a report as CSV: the same as in its JSON, one file per kind of row."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis import Analysis
from analysis.columns import LABEL_COLUMNS, names

_DESCRIPTION = ("n", "n_missing", "mean", "low", "high", "level", "sd_ddof1", "sd_ddof0", "reason")

HEADS: Mapping[str, tuple[str, ...]] = {
    "selection": ("study", "reason", "value", "n_answers"),
    "measures": ("study", "measure", "trials", "condition", "source", "against", *_DESCRIPTION),
    "participants": (
        "study", "participant", "n_trials", "n_correct", "n_accuracy", "n_blank", "accuracy",
        "n_uncertainty", "uncertainty", "n_uncertainty_all", "uncertainty_all",
    ),
    "comparisons": (
        "first", "second", "measure", "trials", "condition", "source", "against", "n1", "n2", "u1", "u2",
        "alternative", "p", "p_two_sided", "p_holm", "n_family", "method", "effect", "effect_low", "effect_high",
        "rank_biserial", "reason",
    ),
    "labels": names(LABEL_COLUMNS),
}  # fmt: skip

Cells = Mapping[str, Any]


def tables_of(analysis: Analysis | None) -> Iterator[tuple[str, Sequence[Cells]]]:
    """Each table by name, with its rows as cells by column; without an analysis they have no rows."""
    numbers = analysis.to_dict() if analysis else {"studies": [], "comparisons": [], "labels": []}
    studies = numbers["studies"]
    rows: Mapping[str, Sequence[Cells]] = {
        "selection": [row for study in studies for row in _selection(study)],
        "measures": [row for study in studies for row in _measures(study)],
        "participants": [
            {**person, "study": study["study"]} for study in studies for person in study["participants"]
        ],
        "comparisons": [_comparison(one) for one in numbers["comparisons"]],
        "labels": numbers["labels"],
    }
    for name, head in HEADS.items():
        yield name, [{column: row.get(column) for column in head} for row in rows[name]]


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
    interval = one["effect_interval"]
    return {
        **one,
        "first": first,
        "second": second,
        "effect_low": interval["low"],
        "effect_high": interval["high"],
    }
