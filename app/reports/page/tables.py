"""The numbers of a report as CSV: the same as in its JSON, one file per kind of row."""

from collections.abc import Callable, Iterator, Mapping

from analysis import Analysis, Comparison, Description, StudyResult
from analysis.choice.conditions import ConditionsCompared
from analysis.data.columns import LABEL_COLUMNS, names
from analysis.findings.tables import value_of
from analysis.results import table_rows
from analysis.stats.comparisons import MannWhitney
from analysis.stats.paired import PairedTest
from app.reports.page.estimates import further_estimates

# One row's cells, in the order of the table's head.
Row = tuple[object, ...]

_DESCRIBED = ("n", "n_missing", "mean", "low", "high", "level", "sd_ddof1", "sd_ddof0", "reason")
_PARTICIPANTS = (
    "study", "participant", "n_trials", "n_correct", "n_accuracy", "n_blank", "accuracy",
    "n_uncertainty", "uncertainty", "n_uncertainty_all", "uncertainty_all", "n_tie",
)  # fmt: skip
_PREFERENCES = (
    "study", "participant", "condition", "source", "against", "n_chosen", "n_preference", "preference",
)  # fmt: skip
_BREAKDOWNS = (
    "study", "measure", "by", "value", "source", "against", "n_trials", "n", "mean", "ci_low", "ci_high", "level",
    "sd_ddof1", "sd_ddof0", "reason",
)  # fmt: skip


def _described(one: Description) -> Row:
    """The cells of `_DESCRIBED`."""
    ends, reason = one.interval, one.reason or one.interval.reason
    limits = ends.low, ends.high, ends.level
    return one.n, one.n_missing, one.mean, *limits, one.sd_ddof1, one.sd_ddof0, reason


def tables_of(analysis: Analysis | None) -> Iterator[tuple[str, tuple[str, ...], list[Row]]]:
    """Each table by name, with its head and its rows; without an analysis they have none."""
    studies = analysis.studies if analysis else ()
    comparisons = analysis.comparisons if analysis else ()
    labels = names(LABEL_COLUMNS)

    def every(rows_of: Callable[[StudyResult], Iterator[Row]]) -> list[Row]:
        return [row for study in studies for row in rows_of(study)]

    yield "selection", ("study", "reason", "value", "n_answers"), every(_selection)
    about = "study", "measure", "trials", "condition", "source", "against"
    yield "measures", (*about, *_DESCRIBED), every(_measures)
    yield "participants", _PARTICIPANTS, every(_participants)
    yield "preferences", _PREFERENCES, every(_preferences)
    yield "estimates", ("study", "number", "n", "value", "low", "high", "level", "reason"), every(_estimates)
    yield "breakdowns", _BREAKDOWNS, every(_breakdowns)
    rows = [tuple(cell(one) for cell in _COMPARISON.values()) for one in comparisons]
    yield "comparisons", tuple(_COMPARISON), rows
    yield "conditions", ("study", *CONDITIONS), every(_conditions)
    yield "labels", labels, [_picked(row, labels) for row in table_rows(analysis.labels)] if analysis else []


def _picked(row: Mapping[str, object], head: tuple[str, ...]) -> Row:
    """The cells of some columns; a column that the table has not is empty."""
    return tuple(row.get(column) for column in head)


def _selection(study: StudyResult) -> Iterator[Row]:
    chosen = study.selection
    yield study.study, "used", chosen.mode, chosen.n_used
    for reason, values in chosen.left_out.items():
        for value, n in values.items():
            yield study.study, reason, value, n


def _measures(study: StudyResult) -> Iterator[Row]:
    nothing = None, None, None
    yield (study.study, "accuracy", None, *nothing, *_described(study.accuracy))
    yield (study.study, "uncertainty", study.uncertainty_trials, *nothing, *_described(study.uncertainty))
    yield (study.study, "uncertainty_all", "all", *nothing, *_described(study.uncertainty_all))
    for one in study.preferences:
        about = one.condition, one.source, one.against
        yield (study.study, "preference", None, *about, *_described(one.description))


def _participants(study: StudyResult) -> Iterator[Row]:
    for person in table_rows(study.participants):
        yield _picked({**person, "study": study.study}, _PARTICIPANTS)


def _preferences(study: StudyResult) -> Iterator[Row]:
    """Preferences in the order of the participants."""
    place = {person: place for place, person in enumerate(study.participants["participant"])}
    rows = table_rows(study.participant_preferences)
    for row in sorted(rows, key=lambda row: place[row["participant"]]):
        yield _picked({**row, "study": study.study}, _PREFERENCES)


def _estimates(study: StudyResult) -> Iterator[Row]:
    """Every further number with an interval, by the names that lead to it in the JSON."""
    for path, one in further_estimates(study):
        ends, reason = one.interval, one.reason or one.interval.reason
        yield study.study, ".".join(path), one.n, value_of(one), ends.low, ends.high, ends.level, reason


def _breakdowns(study: StudyResult) -> Iterator[Row]:
    for one in study.breakdowns:
        about = {"study": study.study, "measure": one.measure, "by": one.by, "level": one.level}
        for row in table_rows(one.table):
            yield _picked({**row, **about, "reason": row["reason"] or one.reason}, _BREAKDOWNS)


_PAIRED: Mapping[str, Callable[[PairedTest], object]] = {
    "n_paired": lambda test: test.n,
    "n_higher": lambda test: test.n_higher,
    "n_lower": lambda test: test.n_lower,
    "n_equal": lambda test: test.n_equal,
    "v": lambda test: test.v,
    "p_paired": lambda test: test.p,
    "p_paired_two_sided": lambda test: test.p_two_sided,
    "paired_rank_biserial": lambda test: test.rank_biserial,
    "paired_shift": lambda test: test.shift.value,
    "paired_shift_low": lambda test: test.shift.low,
    "paired_shift_high": lambda test: test.shift.high,
    "paired_difference_in_means": lambda test: test.permutation.difference,
    "p_paired_permutation": lambda test: test.permutation.p,
    "paired_reason": lambda test: test.reason,
}
_INDEPENDENT: Mapping[str, Callable[[MannWhitney], object]] = {
    "n1": lambda test: test.n1,
    "n2": lambda test: test.n2,
    "u1": lambda test: test.u1,
    "u2": lambda test: test.u2,
    "alternative": lambda test: test.alternative,
    "p": lambda test: test.p,
    "p_two_sided": lambda test: test.p_two_sided,
    "method": lambda test: test.method,
    "effect": lambda test: test.effect,
    "effect_low": lambda test: test.effect_interval.low,
    "effect_high": lambda test: test.effect_interval.high,
    "rank_biserial": lambda test: test.rank_biserial,
    "reason": lambda test: test.reason,
    "shift": lambda test: test.shift.value,
    "shift_low": lambda test: test.shift.low,
    "shift_high": lambda test: test.shift.high,
    "difference_in_means": lambda test: test.permutation.difference,
    "p_permutation": lambda test: test.permutation.p,
}


def _independent(*cells: str) -> Mapping[str, Callable[[Comparison], object]]:
    """These cells of the test that takes two studies for different people."""

    def cell(name: str) -> Callable[[Comparison], object]:
        return lambda one: _INDEPENDENT[name](one.test)

    return {name: cell(name) for name in cells}


def _within(*cells: str) -> Mapping[str, Callable[[Comparison], object]]:
    """These cells of those compared with themselves; empty for others."""

    def cell(name: str) -> Callable[[Comparison], object]:
        return lambda one: _PAIRED[name](one.paired) if one.paired else None

    return {name: cell(name) for name in cells}


_COMPARISON: Mapping[str, Callable[[Comparison], object]] = {
    "first": lambda one: one.studies[0],
    "second": lambda one: one.studies[1],
    "measure": lambda one: one.measure,
    "trials": lambda one: one.trials,
    "condition": lambda one: one.condition,
    "source": lambda one: one.source,
    "against": lambda one: one.against,
    **_independent("n1", "n2", "u1", "u2", "alternative", "p", "p_two_sided"),
    "p_holm": lambda one: one.p_holm,
    "n_family": lambda one: one.n_family,
    **_independent("method", "effect", "effect_low", "effect_high", "rank_biserial", "reason"),
    **_independent("shift", "shift_low", "shift_high", "difference_in_means", "p_permutation"),
    "compared_as": lambda one: one.compared_as,
    **_within("n_paired", "n_higher", "n_lower", "n_equal", "v", "p_paired", "p_paired_two_sided"),
    "p_holm_as_compared": lambda one: one.p_holm_as_compared,
    "n_family_as_compared": lambda one: one.n_family_as_compared,
    **_within("paired_rank_biserial", "paired_shift", "paired_shift_low", "paired_shift_high"),
    **_within("paired_difference_in_means", "p_paired_permutation", "paired_reason"),
}
CONDITIONS = (
    "first", "second", "measure", "source", "against", "n_shared", "compared_as", "p_holm", "n_family",
    "warning", *_PAIRED, "paired_difference_low", "paired_difference_high", *_INDEPENDENT,
)  # fmt: skip


def _conditions(study: StudyResult) -> Iterator[Row]:
    for row in condition_rows(study.conditions):
        yield study.study, *row


def condition_rows(found: ConditionsCompared) -> Iterator[Row]:
    """Every two conditions, in the columns of `CONDITIONS`."""
    for one in found.comparisons:
        about = one.measure, one.source, one.against, one.n_shared, one.compared_as
        ends = one.paired.difference.interval if one.paired else None
        yield (
            *(*one.conditions, *about, one.p_holm, one.n_family, one.warning),
            *(cell(one.paired) if one.paired else None for cell in _PAIRED.values()),
            *((ends.low, ends.high) if ends else (None, None)),
            *(cell(one.independent) if one.independent else None for cell in _INDEPENDENT.values()),
        )
