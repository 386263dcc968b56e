"""Automated judges against people, as a section of the report: every number next to people's own."""

from collections.abc import Iterator, Sequence

from analysis.findings.methods import JUDGES
from analysis.findings.model import Numbers, Section
from analysis.findings.tables import words_table
from analysis.findings.texts import NONE, interval, limits, number, p_cell, with_interval
from analysis.judging.alternative import AlternativeTest
from analysis.judging.as_published import APPENDIX
from analysis.judging.measures import Group, Measure
from analysis.judging.pairs import CLASS_TITLES
from analysis.judging.prediction_powered import PredictionPowered
from analysis.judging.validation import JudgeValidation
from analysis.stats.estimates import Estimate
from analysis.words import listed

NAMES = {
    "identity_accuracy": "truth",
    "label_accuracy": "majority",
    "spearman": "Spearman",
    "kappa": "kappa",
    "brier": "Brier",
    "calibration_error": "calibration",
    "three_class_accuracy": "majority or tie",
}
HEAD = (
    "judge", "scope", "group", "measure", "n_pairs", "n_judged", "as_published", "n", "value", "low", "high",
    "sd_ddof1", "ceiling", "ceiling_low", "ceiling_high", "split_half", "split_half_low", "split_half_high", "reason",
    "as_published_appendix_a4",
)  # fmt: skip


def _each(validation: JudgeValidation) -> Iterator[tuple[str, Group, str, Measure]]:
    """Each judge's name, group of pairs, measure and its numbers."""
    for judge in validation.judges:
        for group in judge.groups:
            for measure, numbers in group.measures.items():
                yield judge.judge, group, measure, numbers


def judge_rows(validation: JudgeValidation) -> Iterator[tuple[object, ...]]:
    """One row for each judge, group of pairs and measure, in the columns of `HEAD`."""
    for judge, group, measure, of in _each(validation):
        own, published = of.corrected, of.as_published.value if of.as_published else None
        readings = of.as_published.readings if of.as_published else None
        yield (
            *(judge, group.scope, group.name, measure, group.n_pairs, group.n_judged, published),
            *(own.n, *_number(own), of.sd_ddof1, *_number(of.ceiling), *_number(of.split_half)),
            own.reason or own.interval.reason,
            readings[APPENDIX].value if readings else None,
        )


def _number(one: Estimate) -> tuple[float | None, ...]:
    return one.value, one.interval.low, one.interval.high


def judges_section(validation: JudgeValidation | None) -> Iterator[Section]:
    """The section of judges; none without verdicts."""
    if validation is None:
        return
    yield Section(
        name="judges",
        title="Judges against people",
        sentences=(
            f"Of {validation.n_pairs} pairs, {validation.n_with_truth} have a right member and "
            f"{validation.n_with_votes} have votes, {validation.n_tied} of these a tied majority. One "
            "participant is one participant held against the majority of the others; one half is one half of the "
            "participants held against the other half. Pairs are what is resampled.",
        ),
        tables=(*_measures(validation, ("all", "class")), *_tables(validation)),
        notes=tuple(_notes(validation)),
        methods=(JUDGES,),
    )
    yield from _by_condition(validation)


def _by_condition(validation: JudgeValidation) -> Iterator[Section]:
    tables = tuple(_measures(validation, ("condition",)))
    if len(tables) > 1:
        yield Section("", "Judges by condition", tables=tables)


def _tables(validation: JudgeValidation) -> Iterator[Numbers]:
    yield _verdicts(validation)
    yield _annotators(validation)
    yield from _powered(validation)
    if validation.comparisons:
        yield _versus(validation)


def _measures(validation: JudgeValidation, scopes: Sequence[str]) -> Iterator[Numbers]:
    """A table for each group of pairs, all judges in it."""
    groups: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for judge, group, measure, of in _each(validation):
        # What has no pair at all is said once, in the notes.
        if group.scope in scopes and of.corrected.n:
            published = of.as_published.value if of.as_published else None
            cells = "" if published is None else number(published), with_interval(of.corrected)
            people = with_interval(of.ceiling), number(of.split_half.value)
            row = judge, NAMES.get(measure, measure), str(of.corrected.n), *cells, *people
            groups.setdefault((group.scope, group.name), []).append(row)
    for (scope, name), rows in groups.items():
        yield words_table(
            f"{_title(scope, name)}: each judge, and what people reach on the pairs that it judged",
            (
                *("judge", "measure", "pairs", "as published", "corrected (95% interval)"),
                *("one participant (95% interval)", "one half"),
            ),
            rows,
            n_names=2,
        )


def _title(scope: str, name: str | None) -> str:
    """The title of a group of pairs, for any type of judgement."""
    if scope == "condition":
        return f"Pairs of {name}" if name else "Pairs without a condition"
    return CLASS_TITLES.get(name or "", "All pairs")


def _verdicts(validation: JudgeValidation) -> Numbers:
    rows = []
    for judge in validation.judges:
        for run in judge.runs:
            used = run.n_rows, run.n_judged, run.n_tied, run.n_abstained, run.n_missing
            others = run.n_unknown, run.n_not_main, run.n_changed
            rows.append((judge.judge, run.run or "the only one", *map(str, (*used, *others))))
    return words_table(
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
        rows=tuple(rows),
        n_names=2,
    )


def _annotators(validation: JudgeValidation) -> Numbers:
    rows = []
    for judge in validation.judges:
        for test in judge.alternative_annotator:
            rows.append((judge.judge, test.run or "the only one", *annotator_cells(test)))
    settings = validation.settings
    return words_table(
        caption=(
            f"The alternative annotator test (epsilon {settings.epsilon:g}, at least {settings.min_instances} "
            "pairs of a participant): may the judge stand in for one of them?"
        ),
        head=(
            *("judge", "run", "participants won against", "winning rate", "average advantage"),
            *("participant better minus judge better (95% interval)", "outcome"),
        ),
        rows=tuple(rows),
        n_names=2,
    )


def annotator_cells(test: AlternativeTest) -> tuple[str, ...]:
    """The number of raters the judge won against, the rates, which is better, and the outcome."""
    outcome = "not tested" if test.reason else "may" if test.passes else "may not"
    advantage = test.advantage_all if test.advantage is None else test.advantage
    won = f"{test.n_won} of {test.n_tested}", number(test.winning_rate, 2), number(advantage, 2)
    return *won, f"{number(test.difference.value, 2)} ({interval(test.difference.interval, 2)})", outcome


def _powered(validation: JudgeValidation) -> Iterator[Numbers]:
    """The estimates that have a number; the others' reasons are in the notes."""
    rows = [
        (judge.judge, *_powered_cells(one))
        for judge in validation.judges
        for one in judge.prediction_powered
        if one.value is not None
    ]
    if rows:
        yield words_table(
            caption="Preference from votes alone, and with the help of verdicts on pairs without votes",
            head=(
                *("judge", "preference", "pairs with + without votes", "votes alone (95% interval)"),
                *("with verdicts (95% interval)", "worth in pairs", "gain"),
            ),
            rows=tuple(rows),
            n_names=2,
        )


def _powered_cells(one: PredictionPowered) -> tuple[str, ...]:
    votes = f"{number(one.people)} ({limits(one.people_low, one.people_high)})"
    return (
        f"{one.source} over {one.against}, {one.condition or 'no condition'}",
        f"{one.n_labelled} + {one.n_unlabelled}",
        NONE if one.people is None else votes,
        f"{number(one.value)} ({limits(one.low, one.high)})",
        number(one.n_effective, 1),
        number(one.gain, 2),
    )


def _versus(validation: JudgeValidation) -> Numbers:
    rows = [
        (
            *(" minus ".join(one.judges), NAMES[one.measure], str(one.difference.n)),
            f"{number(one.difference.value)} ({interval(one.difference.interval)})",
            *(p_cell(one.p), p_cell(one.p_holm)),
        )
        for one in validation.comparisons
    ]
    caption = (
        "Judges compared on the same pairs: difference with its interval, McNemar's exact test, two-sided"
    )
    head = "judges", "measure", "pairs", "difference (95% interval)", "p", "p Holm"
    return words_table(caption, head, rows, n_names=2)


def _notes(validation: JudgeValidation) -> Iterator[str]:
    for judge in validation.judges:
        for run in judge.runs:
            if run.unknown:
                names = ", ".join(run.unknown)
                yield f"Verdicts of {judge.judge} that name nothing known: {run.n_unknown}, first {names}."
    found: dict[str, list[str]] = {}
    for what, reason in _reasons(validation):
        found.setdefault(reason, []).append(what)
    for reason, named in found.items():
        yield f"Of {listed(list(dict.fromkeys(named)))}: {reason}."


def _reasons(validation: JudgeValidation) -> Iterator[tuple[str, str]]:
    """Measures with a note, and their note."""
    for _, group, measure, of in _each(validation):
        reason = of.corrected.reason or of.corrected.interval.reason
        if of.corrected.value is None and reason:
            yield f"{NAMES.get(measure, measure)} ({_title(group.scope, group.name)})", reason
    for judge in validation.judges:
        for test in judge.alternative_annotator:
            if test.reason:
                yield f"the alternative annotator test of {judge.judge}", test.reason
        for one in judge.prediction_powered:
            if reason := one.reason or one.warning:
                yield f"prediction-powered preference by {judge.judge}", reason
    for versus in validation.comparisons:
        if versus.reason:
            yield f"McNemar's test of {' and '.join(versus.judges)}", versus.reason
