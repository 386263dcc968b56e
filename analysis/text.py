"""An analysis as text for a terminal, 100 columns wide."""

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Any

import pandas as pd
from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table

from analysis.chance import ChanceTest
from analysis.description import Description
from analysis.intervals import Interval
from analysis.majority import natural
from analysis.published import MEASURES, Published
from analysis.results import table_rows
from analysis.studies import StudyResult
from analysis.summary import Analysis, Comparison

WIDTH = 100
LONGEST = 60

Rows = Sequence[dict[str, Any]]


def render(analysis: Analysis, width: int = WIDTH) -> str:
    """Return the analysis as plain text: tables, each p with its alternative, reasons for missing numbers.

    Lists of more than 60 participants or labels are cut, and the text says so; the JSON has them all.
    """
    page = StringIO()
    # Names come from experimenters and participants: they are text, never markup.
    console = Console(file=page, width=width, color_system=None, markup=False, highlight=False, emoji=False)
    for part in _parts(analysis):
        console.print(part)
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines()) + "\n"


def _parts(analysis: Analysis) -> Iterator[RenderableType]:
    settings = analysis.settings
    yield (
        f"Mode {settings.mode}; blanks {settings.blank}; seed {settings.seed}; "
        f"{settings.resamples:,} bootstrap resamples over participants; ties {settings.ties}"
    )
    for study in analysis.studies:
        yield from _study(study)
    if analysis.comparisons:
        yield from _comparisons(analysis.comparisons)
    yield from _labels(analysis.labels)
    if analysis.published:
        yield from _published(analysis.published)


def _heading(text: str) -> RenderableType:
    return Padding(f"{text}\n{'-' * len(text)}", (1, 0, 0, 0))


def _table(*columns: str, left: int = 1) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number < left else "right", overflow="fold")
    return table


def _study(study: StudyResult) -> Iterator[RenderableType]:
    selection = study.selection
    yield _heading(f"Study {_name(study.study)}")
    yield (
        f"{selection.n_participants_used} of {selection.n_participants} participants and "
        f"{selection.n_used} of {selection.n_rows} answers count{_left_out(selection.left_out)}"
    )
    if selection.reason:
        yield f"No numbers: {selection.reason}."
        return
    table = _table("per participant, then averaged", "n", "mean", "95 % interval", "SD (n-1)", "SD (n)")
    for label, described in _described(study):
        table.add_row(label, *_description(described))
    yield table
    yield from _reasons(_described(study))
    yield _chance(study.against_chance)
    yield _participants(study)
    yield from _cut(len(study.participants), "participants")


def _left_out(left_out: Any) -> str:
    parts = [
        f"{n} {'excluded by ' if why == 'excluded' else ''}{_name(value)}"
        for why in left_out
        for value, n in left_out[why].items()
    ]
    return f"; left out: {', '.join(parts)}" if parts else ""


def _described(study: StudyResult) -> list[tuple[str, Description]]:
    which = "with a truth" if study.uncertainty_trials == "with-truth" else "all"
    preferences = [
        (f"{_name(p.source)} over {_name(p.against)} ({_name(p.condition) or 'no condition'})", p.description)
        for p in study.preferences
    ]
    return [
        ("accuracy", study.accuracy),
        (f"uncertainty, trials {which}", study.uncertainty),
        ("uncertainty, all main trials", study.uncertainty_all),
        *preferences,
    ]


def _description(described: Description) -> list[str]:
    return [
        f"{described.n}{f' ({described.n_missing} without)' if described.n_missing else ''}",
        _number(described.mean),
        _interval(described.interval),
        _number(described.sd_ddof1),
        _number(described.sd_ddof0),
    ]


def _reasons(described: Sequence[tuple[str, Description]]) -> Iterator[str]:
    for label, one in described:
        for reason in dict.fromkeys(filter(None, (one.reason, one.interval.reason))):
            yield f"  {label}: {reason}."


def _chance(test: ChanceTest) -> str:
    if test.reason:
        return f"Accuracy against chance {test.chance}: not tested, {test.reason}."
    return (
        f"Accuracy against chance {test.chance}: Wilcoxon signed-rank W = {_number(test.w, 1)}, {_p(test.p)} "
        f"({test.alternative}; {test.method}), rank-biserial {_number(test.rank_biserial, 2)}, n = {test.n}, "
        f"of whom {test.n_at_chance} exactly at chance."
    )


def _participants(study: StudyResult) -> Table:
    preferences = study.preferences
    columns = [f"{_name(p.source)} over {_name(p.against)}" for p in preferences]
    table = _table("participant", "accuracy", "uncertainty", "unc., all", *columns)
    people = sorted(study.to_dict()["participants"], key=lambda person: natural(person["participant"]))
    for person in people[:LONGEST]:
        shares = {(s["condition"], s["source"], s["against"]): s for s in person["preferences"]}
        table.add_row(
            _name(person["participant"]),
            _share(person["accuracy"], person["n_correct"], person["n_accuracy"]),
            _number(person["uncertainty"], 2),
            _number(person["uncertainty_all"], 2),
            *(_preference(shares.get((p.condition, p.source, p.against))) for p in preferences),
        )
    return table


def _preference(share: dict[str, Any] | None) -> str:
    return "-" if share is None else _share(share["preference"], share["n_chosen"], share["n_preference"])


def _comparisons(comparisons: Sequence[Comparison]) -> Iterator[RenderableType]:
    yield _heading("Comparisons of studies (Mann-Whitney)")
    alternative = comparisons[0].test.alternative
    one_sided = alternative != "two-sided"
    extra = ["p two-sided"] if one_sided else []
    table = _table(
        "first - second", "measure", "U1", "U2", f"p {alternative}", *extra, "p Holm", "effect", left=2
    )
    for comparison in comparisons:
        test = comparison.test
        table.add_row(
            " - ".join(map(_name, comparison.studies)),
            _measured(comparison),
            _number(test.u1, 1),
            _number(test.u2, 1),
            _number(test.p, 4),
            *([_number(test.p_two_sided, 4)] if one_sided else []),
            _number(comparison.p_holm, 4),
            f"{_number(test.effect, 2)} {_interval(test.effect_interval, 2)}",
        )
    yield table
    yield (
        "U1 is the first study's U. Effect: probability that a participant of the first study is higher, "
        "ties half (0.5: no difference), with its 95 % bootstrap interval. "
        f"Holm over {comparisons[0].n_family} comparisons."
    )
    for method in sorted({comparison.test.method for comparison in comparisons if comparison.test.method}):
        yield f"Method: {method}."
    for comparison in comparisons:
        for reason in dict.fromkeys(
            filter(None, (comparison.test.reason, comparison.test.effect_interval.reason))
        ):
            yield f"  {' - '.join(map(_name, comparison.studies))}, {_measured(comparison)}: {reason}."


def _measured(comparison: Comparison) -> str:
    if comparison.measure == "preference":
        return f"{_name(comparison.source or '')} over {_name(comparison.against or '')}"
    return comparison.measure if comparison.trials is None else f"{comparison.measure} ({comparison.trials})"


def _labels(labels: pd.DataFrame) -> Iterator[RenderableType]:
    yield _heading("Labels (majority vote; 95 % Wilson interval of the share for a)")
    table = _table(
        "study", "pair", "condition", "kind", "a : b", "share a", "interval", "majority", "truth", left=4
    )
    for row in table_rows(labels.head(LONGEST)):
        interval = "-" if row["n"] == 0 else f"[{row['ci_low']:.2f}, {row['ci_high']:.2f}]"
        table.add_row(
            *(_name(row[name] or "") for name in ("study", "pair", "condition", "kind")),
            f"{row['votes_a']} : {row['votes_b']}",
            _number(row["share_a"], 2),
            interval,
            row["majority"] or "-",
            row["truth"] or "-",
        )
    yield table
    yield from _cut(len(labels), "labels")
    ties = int((labels["majority"] == "tie").sum())
    judged = labels["agrees_with_truth"].dropna().tolist()
    agree = f"{sum(judged)} of {len(judged)}"
    yield f"{ties} of {len(labels)} pairs tied; the majority agrees with the truth on {agree}."


def _published(published: Published) -> Iterator[RenderableType]:
    yield _heading("The published HNTT numbers, as printed and corrected")
    table = _table("", "as published", "corrected")
    for measure in MEASURES:
        printed, right = published.as_published[measure], published.corrected[measure]
        label = measure.replace("_", " ")
        table.add_row(f"{label}: mean", _pair(printed["mean"], 5), _pair(right["mean"], 5))
        sd = _pair(right["sd_ddof0"], 5) if "sd_ddof0" in right else "see each study"
        table.add_row(f"{label}: SD (n)", _pair(printed["sd_ddof0"], 5), sd)
        table.add_row(f"{label}: n", _pair(printed["n"], 0), _pair(right["n"], 0))
        u = f"U1 {_number(right['u1'], 1)}, U2 {_number(right['u2'], 1)}"
        table.add_row(f"{label}: U", f"smaller U {_number(printed['min_u'], 1)}", u)
        p = f"p {_number(right['p_two_sided'], 5)} two-sided"
        table.add_row(f"{label}: p", f"p {_number(printed['p'], 3)} one-sided", p, end_section=True)
    yield table
    for number, sentence in enumerate(published.what_differs, start=1):
        yield f"{number}. {sentence}"
    yield f"The majority vote agrees with the truth {published.majority_vote_agrees_with_truth}."
    yield f"Source: {published.source}."


def _cut(n: int, what: str) -> Iterator[str]:
    if n > LONGEST:
        yield f"The first {LONGEST} of {n} {what}; --json has them all."


def _name(text: str) -> str:
    """A name from outside, without control characters that a terminal would obey."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _share(value: float | None, part: int, whole: int) -> str:
    return "-" if value is None else f"{value:.2f} ({part}/{whole})"


def _p(value: float | None) -> str:
    return "p < 0.0001" if value is not None and value < 0.0001 else f"p = {_number(value, 4)}"


def _interval(interval: Interval, digits: int = 3) -> str:
    return (
        "-"
        if interval.low is None
        else f"[{_number(interval.low, digits)}, {_number(interval.high, digits)}]"
    )


def _pair(values: Sequence[float | None], digits: int) -> str:
    return "   ".join(_number(value, digits) for value in values)
