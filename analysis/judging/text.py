"""A validation of judges as text for a terminal, 100 columns wide."""

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.table import Table

from analysis.judging.alternative import AlternativeTest
from analysis.judging.as_published import APPENDIX
from analysis.judging.matching import RunCounts
from analysis.judging.measures import Bin, Group, Measure
from analysis.judging.pairs import CLASS_TITLES
from analysis.judging.prediction_powered import PredictionPowered
from analysis.judging.sample import LABELS, RANK
from analysis.judging.validation import JudgeResult, JudgeValidation
from analysis.judging.versus import Versus
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Interval
from analysis.stats.p_values import p_cell
from analysis.terminal import WIDTH, as_text, heading, name_of, number, resamples_words, table_of

_LONGEST = 40
_NAMES = {
    "identity_accuracy": "identity",
    "label_accuracy": "labels",
    "spearman": "Spearman",
    "kappa": "kappa",
    "brier": "Brier",
    "calibration_error": "calibration",
    "three_class_accuracy": "three classes",
}
_UNANIMOUS = 0.8
_SCORES = {
    "probabilities": "probabilities that a is chosen",
    "support": "support for a, 0 the middle; no probabilities",
    "clips": "scores of single clips; a pair's is their difference",
    "none": "choices without scores",
}


def render_validation(validation: JudgeValidation, width: int = WIDTH) -> str:
    """Return the validation as plain text: every number with its interval and people's level."""
    return as_text(list(_parts(validation)), width)


def _parts(validation: JudgeValidation) -> Iterator[RenderableType]:
    settings = validation.settings
    yield (
        f"Mode {settings.mode}; seed {settings.seed}; {resamples_words(settings.resamples)} over pairs "
        "(and over runs, where a judge has several)"
    )
    yield (
        f"{validation.n_pairs} pairs, {validation.n_with_truth} of them with a truth; {validation.n_votes} votes of "
        f"{validation.n_participants} participants on {validation.n_with_votes} pairs, of which "
        f"{validation.n_tied} tied{_apart(validation)}"
    )
    for judge in validation.judges:
        yield from _judge(judge)
    if validation.comparisons:
        yield from _comparisons(validation.comparisons)
    yield from _notes()


def _apart(validation: JudgeValidation) -> str:
    ties, blanks = validation.n_tie_votes, validation.n_blank
    return (f"; {ties} of the votes say no difference" if ties else "") + (
        f"; {blanks} blank answers are no votes" if blanks else ""
    )


def _notes() -> Iterator[RenderableType]:
    yield heading("How to read this")
    yield (
        "Identity: accuracy against the truth. Labels: accuracy against the majority. Spearman: of score and share of "
        "votes. One person: one participant in the judge's place, held against the others, where these are level for a "
        "half; the judge's labels have one vote more. Half: one half of the participants in the judge's place, held "
        "against the other half. Tied verdicts count a half, tied labels are no ground truth. As published: ties by a "
        "coin, the score of one clip alone, as in Devlin et al. 2021."
    )


def _judge(judge: JudgeResult) -> Iterator[RenderableType]:
    yield heading(f"Judge {name_of(judge.judge)}")
    yield f"Scores: {_SCORES[judge.scores]}."
    yield from _runs(judge.runs)
    for place, group in enumerate(judge.groups):
        # A condition that is all pairs with a truth, say, has their numbers.
        if all(group.measures != earlier.measures for earlier in judge.groups[:place]):
            yield from _group(group)
    yield from alternative_lines(judge.alternative_annotator)
    yield from _prediction_powered(judge.prediction_powered)


def _runs(runs: tuple[RunCounts, ...]) -> Iterator[RenderableType]:
    for run in runs[:_LONGEST]:
        name = f"Run {name_of(run.run)}" if run.run else "Verdicts"
        counts = {
            "tied": run.n_tied,
            "abstained": run.n_abstained,
            "missing": run.n_missing,
            "rows about nothing known": run.n_unknown,
            "rows about trials that do not count": run.n_not_main,
            "rows about a pair that the study changed": run.n_changed,
        }
        shown = "".join(
            f"; {n} {what.replace('rows', 'row') if n == 1 else what}"
            for what, n in counts.items()
            if n or what in ("tied", "missing")
        )
        names = f" ({', '.join(map(name_of, run.unknown))})" if run.unknown else ""
        yield f"{name}: {run.n_judged} of {run.n_pairs} pairs judged{shown}{names}."
    if len(runs) > _LONGEST:
        yield f"The first {_LONGEST} of {len(runs)} runs; --json has them all."


def _majorities(group: Group) -> Iterator[RenderableType]:
    """The range of the shares of votes: near unanimity there is little that a rank correlation could find."""
    if group.least_majority is not None and group.greatest_majority is not None:
        little = (
            ": near unanimity, so little rank is left to find" if group.least_majority >= _UNANIMOUS else ""
        )
        yield (
            f"  The member with more votes has {group.least_majority:.2f} to {group.greatest_majority:.2f} of a pair's "
            f"votes{little}."
        )


def _group(group: Group) -> Iterator[RenderableType]:
    what = {
        "all": "All pairs",
        "class": CLASS_TITLES.get(group.name, group.name),
        "condition": f"Condition {name_of(group.name) or '(none)'}",
    }
    n_tied = group.n_tied_labels
    tied = f", {n_tied} label{'' if n_tied == 1 else 's'} tied" if n_tied else ""
    yield f"\n{what[group.scope]}: {group.n_judged} of {group.n_pairs} judged, {group.n_with_votes} with votes{tied}"
    yield from _majorities(group)
    given = {key: measure for key, measure in group.measures.items() if measure.corrected.value is not None}
    if given:
        yield _measures(given)
    over = group.measures[LABELS].over_person if LABELS in group.measures else None
    if over and over.value is not None:
        yield f"  Labels, judge minus one person, both against the same others: {estimate_text(over)}."
    if (rank := group.measures.get(RANK)) and rank.as_published and rank.as_published.readings:
        other = rank.as_published.readings[APPENDIX]
        if other.value is not None:
            yield f"  Spearman as published is the released program's; as appendix A.4 words it: {number(other.value)}."
    spreads = {_NAMES[key]: one.sd_ddof1 for key, one in given.items() if one.sd_ddof1 is not None}
    if spreads:
        shown = ", ".join(f"{name} {spread:.3f}" for name, spread in spreads.items())
        yield f"  SD over runs (n-1): {shown}."
    missing: dict[str, list[str]] = {}
    for key, measure in group.measures.items():
        if measure.corrected.reason:
            missing.setdefault(measure.corrected.reason, []).append(_NAMES[key])
    for reason, names in missing.items():
        yield f"  No {', '.join(names)}: {reason}."
    if any(one.agreement.n for one in group.calibration) and group.scope == "all":
        yield _calibration(group.calibration)


def _measures(measures: Mapping[str, Measure]) -> Table:
    table = table_of("", "n", "as published", "judge", "one person", "half")
    for key, measure in measures.items():
        published = measure.as_published
        spread = published.sd_ddof0 if published else None
        shown = "-" if published is None else number(published.value)
        table.add_row(
            _NAMES[key],
            str(measure.corrected.n),
            shown + ("" if spread is None else f" ({spread:.3f})"),
            *map(estimate_text, (measure.corrected, measure.ceiling, measure.split_half)),
        )
    return table


def _calibration(bins: tuple[Bin, ...]) -> RenderableType:
    table = table_of("  sure of its choice", "pairs", "mean", "people agree", "people so sure of others")
    for one in bins:
        table.add_row(
            f"  {one.low:.1f} to {one.high:.1f}",
            str(one.agreement.n),
            number(one.confidence),
            estimate_text(one.agreement),
            estimate_text(one.ceiling),
        )
    return table


def alternative_lines(
    tests: tuple[AlternativeTest, ...], units: str = "pairs", people: str = "participants"
) -> Iterator[RenderableType]:
    """The alternative annotator test of each run, and who was not tested."""
    first = tests[0]
    yield f"\nMay it replace people? The alternative annotator test, epsilon {first.epsilon:g}, q {first.q:g}"
    table = table_of("run", "", "won", "advantage", "over all", "people minus judge", left=2)
    for test in tests[:_LONGEST]:
        won = (
            "-" if test.winning_rate is None else f"{test.n_won} of {test.n_tested} ({test.winning_rate:.2f})"
        )
        result = {True: "passes", False: "does not pass", None: "not tested"}[test.passes]
        table.add_row(
            name_of(test.run),
            result,
            won,
            number(test.advantage),
            f"{number(test.advantage_all)} (of {test.n_participants})",
            estimate_text(test.difference),
        )
    yield table
    for reason in dict.fromkeys(test.reason for test in tests if test.reason):
        yield f"  Not tested: {reason}."
    few = max(test.n_too_few for test in tests)
    if few and any(test.n_tested for test in tests):
        yield f"  Not tested: {few} {people} with fewer than {first.min_instances} {units}."


def _prediction_powered(results: tuple[PredictionPowered, ...]) -> Iterator[RenderableType]:
    if not results:
        return
    yield "\nPreference with the judge's help (prediction-powered, mean share of votes over pairs)"
    table = table_of("", "votes on", "verdicts on", "people alone", "with the judge", "worth")
    for one in results:
        table.add_row(
            f"{name_of(one.source)} over {name_of(one.against)} ({name_of(one.condition) or 'no condition'})",
            str(one.n_labelled),
            f"+ {one.n_unlabelled}",
            _range(one.people, one.people_low, one.people_high),
            _range(one.value, one.low, one.high),
            "-" if one.n_effective is None else f"{one.n_effective:.1f} pairs",
        )
    yield table
    reasons = dict.fromkeys(reason for one in results for reason in (one.reason, one.warning) if reason)
    for reason in reasons:
        yield f"  {reason[0].upper()}{reason[1:]}."


def _comparisons(comparisons: tuple[Versus, ...]) -> Iterator[RenderableType]:
    yield heading("Judges against each other, on the same pairs")
    table = table_of(
        "first - second", "accuracy", "n", "difference", "only 1st", "only 2nd", "p", "p Holm", left=2
    )
    for one in comparisons[:_LONGEST]:
        table.add_row(
            " - ".join(map(name_of, one.judges)),
            "identity" if one.measure == "identity_accuracy" else "labels",
            str(one.difference.n),
            estimate_text(one.difference),
            "-" if one.n_first_only is None else str(one.n_first_only),
            "-" if one.n_second_only is None else str(one.n_second_only),
            p_cell(one.p),
            p_cell(one.p_holm),
        )
    yield table
    yield f"McNemar's test, exact, two-sided; Holm over {comparisons[0].n_family} tests."
    if len(comparisons) > _LONGEST:
        yield f"The first {_LONGEST} of {len(comparisons)} comparisons; --json has them all."
    for reason in dict.fromkeys(one.reason for one in comparisons if one.reason):
        yield f"  No p where {reason}."


def estimate_text(estimate: Estimate) -> str:
    """The value with its interval; a dash where there is none."""
    return f"{number(estimate.value)}{_interval(estimate.interval)}"


def _interval(interval: Interval) -> str:
    return "" if interval.low is None else f" [{number(interval.low, 2)}, {number(interval.high, 2)}]"


def _range(value: float | None, low: float | None, high: float | None) -> str:
    return number(value) + ("" if low is None else f" [{number(low, 2)}, {number(high, 2)}]")
