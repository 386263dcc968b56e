"""The figures on people, certainty and pairs, from the dataclasses of the analysis: places and words, no statistics."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from analysis.choice.breakdowns import Breakdown
from analysis.choice.studies import StudyResult
from analysis.figures.dots import MOST_DOTS, thinned
from analysis.findings.marks import FEW, INTERVAL, SHARES, described, few, mark, nothing
from analysis.findings.model import Cell, Column, Dot, Figure, Mark, Numbers
from analysis.findings.pairs import VotedPair, right_source
from analysis.findings.words import Noun, count, first_few, limits, people, percent, sentence
from analysis.results import table_rows

_WIDEST = 20  # dots beside each other on the narrowest page


def accuracy_figure(study: StudyResult, right: str) -> Figure:
    """The mean over people, all pairs and then by condition; the preferences where no pair has a right clip."""
    if study.accuracy.mean is None:
        return _preferences(study, "accuracy", "main")
    by_condition = table_rows(_breakdown(study, "accuracy", "condition").table)
    marks = [mark("All pairs", study.accuracy, "ink")]
    if len(by_condition) > 1:
        marks += [_cell_mark(row) for row in by_condition]
    rows: list[tuple[Cell, ...]] = [described("all", study.accuracy)]
    rows += [
        (row["value"], row["n"], row["mean"], row["ci_low"], row["ci_high"], row["sd_ddof1"])
        for row in by_condition
    ]
    return Figure(
        name="accuracy",
        section="main",
        drawing="marks",
        said=f"People picked {right} in {percent(study.accuracy.mean)} of pairs.",
        how=f"Share of pairs in which people picked {right}, with 95% interval over {people(study.accuracy.n)}. "
        "Each person's pairs are averaged first.",
        numbers=Numbers(
            "Accuracy, mean over people",
            (Column("of", "Pairs", "text"), *SHARES, Column("sd_ddof1", "SD (n-1)", "share")),
            tuple(rows),
        ),
        marks=tuple(marks),
        caution=few(study.accuracy.n, "person", study.accuracy),
    )


def _cell_mark(row: Mapping[str, object]) -> Mark:
    mean, low, high = (_number(row[key]) for key in ("mean", "ci_low", "ci_high"))
    return Mark(
        str(row["value"] or "no condition"),
        mean,
        low,
        high,
        percent(mean),
        limits(low, high) or "no interval",
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _breakdown(study: StudyResult, measure: str, by: str) -> Breakdown:
    return next(one for one in study.breakdowns if (one.measure, one.by) == (measure, by))


def preferences_figure(study: StudyResult) -> Figure | None:
    """The figure of how often one source was chosen over another if neither is right; None if every pair has a right
    clip.
    """
    if study.accuracy.mean is None or all(one.has_truth for one in study.preferences):
        return None
    return _preferences(study, "preferences", "tell")


def _preferences(study: StudyResult, name: str, section: str) -> Figure:
    shown = [one for one in study.preferences if not one.has_truth]
    if not shown:
        return nothing(
            name,
            section,
            "No answered pair has a right answer, and none shows two sources.",
            "Say in the design which source is the true one; the pairs then have a right answer.",
        )
    marks = tuple(mark(f"{one.source} over {one.against}", one.description, "ink") for one in shown)
    first = shown[0]
    return Figure(
        name=name,
        section=section,
        drawing="marks",
        said=sentence(
            f"{first.source} was chosen over {first.against} in {percent(first.description.mean)} of pairs"
        ),
        strong=percent(first.description.mean),
        how="Share of pairs in which the source named first was chosen, mean over people, with 95% interval. The "
        "dashed line is an even split; neither is right.",
        numbers=Numbers(
            "Choices of one source over another, mean over people",
            (
                Column("condition", "Condition", "text"),
                Column("source", "Chosen", "text"),
                Column("against", "Over", "text"),
                *SHARES,
                Column("sd_ddof1", "SD (n-1)", "share"),
            ),
            tuple((one.condition, one.source, *described(one.against, one.description)) for one in shown),
        ),
        marks=marks,
        caution=few(first.description.n, "person", first.description),
    )


def people_figure(study: StudyResult, pseudonym: Mapping[str, str]) -> Figure:
    """Every participant a dot, by the share of pairs they got right."""
    table = study.participants
    known = table[table["accuracy"].notna()]
    if known.empty:
        return nothing(
            "people",
            "tell",
            "No person has an accuracy: no answered pair has a right answer.",
            "Preferences and votes are below; accuracy needs a source that is the true one.",
        )
    values = np.sort(known["accuracy"].to_numpy(dtype=float))
    above = int((values > 0.5).sum())
    rows = sorted(
        (
            (
                pseudonym[row["participant"]],
                row["n_correct"],
                row["n_accuracy"],
                row["n_blank"],
                row["accuracy"],
            )
            for row in table_rows(table)
        ),
        key=lambda row: (-1.0 if row[4] is None else -row[4], row[0]),
    )
    drawn = (
        f" {MOST_DOTS} of {len(values):,} are drawn, chosen evenly by rank."
        if len(values) > MOST_DOTS
        else ""
    )
    return Figure(
        name="people",
        section="tell",
        drawing="people",
        said=f"{above:,} of {people(len(values))} {'was' if len(values) == 1 else 'were'} right more often than not.",
        strong=f"{above:,} of {len(values):,}",
        how="Each dot is one person, by the share of their pairs they got right. Below: the mean with its 95% interval."
        + drawn,
        numbers=Numbers(
            "People by the share of pairs right",
            (
                Column("participant", "Person", "text"),
                Column("n_correct", "Right", "count"),
                Column("n_accuracy", "Of", "count"),
                Column("n_blank", "Blank", "count"),
                Column("accuracy", "Share", "share"),
            ),
            tuple(rows),
        ),
        marks=(mark("mean", study.accuracy, "ink"),),
        dots=tuple(_dots(thinned(values))),
        caution=few(len(values), "person", study.accuracy),
    )


def _dots(values: Sequence[float] | np.ndarray) -> Iterator[Dot]:
    """Dots for values: equal values are stacked, and values too near for two adjacent dots share a stack."""
    seen: Counter[int] = Counter()
    for value in values:
        place = round(float(value) * 2 * _WIDEST)
        yield Dot(float(value), seen[place])
        seen[place] += 1


def pairs_figure(pairs: Sequence[VotedPair], noun: Noun) -> Figure:
    """The votes of each pair between its two stimuli."""
    if not pairs:
        return nothing("pairs", "pairs", "No pair has a vote yet.", "Blank answers are no votes.")
    lost = [one.pair for one in pairs if one.is_lost]
    n_open = sum(one.is_open for one in pairs)
    right = right_source(pairs, noun) if any(one.of_right for one in pairs) else ""
    if lost:
        head = f"In {count(len(lost), 'pair')} most people took the other {noun.one} for {right}: {first_few(lost)}"
        said = f"{head}; {n_open} of {len(pairs)} are open."
    elif n_open:
        said = f"{n_open} of {count(len(pairs), 'pair')} {'is' if n_open == 1 else 'are'} still open."
    else:
        said = f"All {count(len(pairs), 'pair')} are decided: no interval holds an even split."
    strong = (
        count(len(lost), "pair") if lost else f"{n_open} of {count(len(pairs), 'pair')}" if n_open else ""
    )
    return Figure(
        name="pairs",
        section="pairs",
        drawing="pairs",
        said=said,
        strong=strong,
        how=f"Share of votes for {f'{right}, where there is one, or ' if right else ''}the {noun.one} on the left, "
        "with 95% interval (Wilson). The dashed line is an even split. Left here is not left on the screen: sides are "
        "put back.",
        numbers=Numbers(
            "Votes by pair",
            (
                Column("pair", "Pair", "text"),
                Column("condition", "Condition", "text"),
                Column("for", "Share is of", "text"),
                Column("stimulus", noun.one.capitalize(), "text"),
                Column("votes", "Votes for it", "count"),
                Column("n", "Of", "count"),
                Column("share", "Share", "share"),
                *INTERVAL,
                Column("majority", "Majority", "text"),
                Column("votes_tie", "No difference", "count"),
                Column("blank", "Blank", "count"),
            ),
            tuple(
                (
                    one.pair,
                    one.condition,
                    f"right {noun.one}" if one.of_right else one.clip.source,
                    one.clip.stimulus,
                    one.votes,
                    one.n,
                    one.share,
                    one.low,
                    one.high,
                    one.outcome,
                    one.ties,
                    one.blank,
                )
                for one in pairs
            ),
        ),
        marks=tuple(_pair_mark(one) for one in pairs),
        caution=""
        if len(pairs) >= FEW
        else f"{count(len(pairs), 'pair')} stand for all others only as far as they are typical of them.",
    )


def _pair_mark(one: VotedPair) -> Mark:
    return Mark(
        name=one.pair,
        value=one.share,
        low=one.low,
        high=one.high,
        says=percent(one.share),
        beside=f"{one.votes:,} of {one.n:,}",
        shape="human" if one.of_right else "other",
        group=one.condition,
        badge=f"taken for {one.other.source or 'the other'}"
        if one.is_lost
        else "open"
        if one.is_open
        else "",
        is_warning=one.is_lost,
        clips=(one.clip, one.other),
    )
