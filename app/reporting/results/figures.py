"""Each figure of the results page, from the dataclasses of the analysis: it adds places and words, no statistics."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from analysis.agreement import Agreement
from analysis.bias import Bias
from analysis.breakdowns import Breakdown
from analysis.certainty import Certainty, Level
from analysis.description import Description
from analysis.estimates import Estimate
from analysis.figures.dots import MOST_DOTS, thinned
from analysis.figures.flow import Sessions
from analysis.judging import JudgeValidation
from analysis.judging.measures import Group, Measure
from analysis.judging.sample import LABELS
from analysis.majority import natural
from analysis.results import table_rows
from analysis.selection import Selection
from analysis.studies import StudyResult
from app.reporting.results.pairs import VotedPair, right_source
from app.reporting.results.view import Band, Cell, Column, Dot, Figure, Mark, Numbers, Shape
from app.reporting.results.words import (
    count,
    ends_of,
    exact,
    first_few,
    limits,
    listed,
    people,
    percent,
    sentence,
)

FEW = 30
_MOST_POSITIONS = 24
_WIDEST = 20  # dots beside each other on the narrowest page

_INTERVAL = (Column("ci_low", "from", "share"), Column("ci_high", "to", "share"))
_SHARES = (
    Column("participants", "People", "count"),
    Column("mean", "Mean", "share"),
    *_INTERVAL,
)


def _nothing(name: str, section: str, said: str, how: str) -> Figure:
    return Figure(name, section, "none", said, how, Numbers("", (), ()))


def _mark(
    name: str, one: Description | Estimate, shape: Shape = "human", beside: str = "", group: str = ""
) -> Mark:
    value = one.mean if isinstance(one, Description) else one.value
    low, high = ends_of(one)
    return Mark(
        name, value, low, high, percent(value), beside or limits(low, high) or "no interval", shape, group
    )


def _few(n: int, of: str, one: Description | Estimate) -> str:
    """What so few mean, in points of the interval's width."""
    low, high = ends_of(one)
    if n >= FEW:
        return ""
    if low is None or high is None:
        return f"{count(n, of)}: too few for an interval." if of != "person" else f"{people(n)}: no interval."
    width = f"{100 * (high - low):.0f} points wide"
    return f"{people(n) if of == 'person' else count(n, of)} are few: the interval is {width}."


def accuracy_figure(study: StudyResult, right: str) -> Figure:
    """The mean over people, all pairs and then by condition; the preferences where no pair has a right clip."""
    if study.accuracy.mean is None:
        return _preferences(study, "accuracy", "main")
    by_condition = table_rows(_breakdown(study, "accuracy", "condition").table)
    marks = [_mark("All pairs", study.accuracy, "ink")]
    if len(by_condition) > 1:
        marks += [_cell_mark(row) for row in by_condition]
    rows: list[tuple[Cell, ...]] = [_described("all", study.accuracy)]
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
            (Column("of", "Pairs", "text"), *_SHARES, Column("sd_ddof1", "SD (n-1)", "share")),
            tuple(rows),
        ),
        marks=tuple(marks),
        caution=_few(study.accuracy.n, "person", study.accuracy),
    )


def _described(name: str, one: Description) -> tuple[Cell, ...]:
    return name, one.n, one.mean, *ends_of(one), one.sd_ddof1


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
    """How often one source was chosen over another where neither is right; none where every pair has a right clip."""
    if study.accuracy.mean is None or all(one.has_truth for one in study.preferences):
        return None
    return _preferences(study, "preferences", "tell")


def _preferences(study: StudyResult, name: str, section: str) -> Figure:
    shown = [one for one in study.preferences if not one.has_truth]
    if not shown:
        return _nothing(
            name,
            section,
            "No pair with a right clip was answered, and none shows two sources.",
            "Say in the design which source is the true one; the pairs then have a right answer.",
        )
    marks = tuple(_mark(f"{one.source} over {one.against}", one.description, "ink") for one in shown)
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
        "dashed line is an even split; neither clip is right.",
        numbers=Numbers(
            "Choices of one source over another, mean over people",
            (
                Column("condition", "Condition", "text"),
                Column("source", "Chosen", "text"),
                Column("against", "Over", "text"),
                *_SHARES,
                Column("sd_ddof1", "SD (n-1)", "share"),
            ),
            tuple((one.condition, one.source, *_described(one.against, one.description)) for one in shown),
        ),
        marks=marks,
        caution=_few(first.description.n, "person", first.description),
    )


def people_figure(study: StudyResult, pseudonym: Mapping[str, str]) -> Figure:
    """Every participant a dot, by the share of pairs they got right."""
    table = study.participants
    known = table[table["accuracy"].notna()]
    if known.empty:
        return _nothing(
            "people",
            "tell",
            "No person has an accuracy: no pair with a right clip was answered.",
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
        marks=(_mark("mean", study.accuracy, "ink"),),
        dots=tuple(_dots(thinned(values))),
        caution=_few(len(values), "person", study.accuracy),
    )


def _dots(values: Sequence[float] | np.ndarray) -> Iterator[Dot]:
    """Equal values stand on each other; values too near for two dots beside each other share a stack."""
    seen: Counter[int] = Counter()
    for value in values:
        place = round(float(value) * 2 * _WIDEST)
        yield Dot(float(value), seen[place])
        seen[place] += 1


def certainty_figure(one: Certainty, names: Sequence[str]) -> Figure:
    """Accuracy at each certainty given; `names` are the labels of the scale, the most certain first."""
    if not one.levels:
        return _nothing(
            "certainty",
            "tell",
            sentence(f"certainty cannot be held against accuracy: {one.reason or 'nobody was asked for it'}"),
            "It takes a question on certainty, and answers to pairs with a right clip.",
        )
    first, last = one.levels[0], one.levels[-1]
    strong = percent(first.accuracy.mean)
    said = (
        f"All answers have the same certainty: {_level_name(first, names)}."
        if first is last
        else f"Where people were most certain, {strong} were right; where least, {percent(last.accuracy.mean)}."
    )
    area = one.auroc
    within = (
        f" Within a person, a right answer was the more certain one with probability {exact(area.mean)} "
        f"({_plain_interval(area)}); 0.5 is no relation."
        if area.mean is not None
        else ""
    )
    return Figure(
        name="certainty",
        section="tell",
        drawing="marks",
        said=said,
        strong="" if first is last else strong,
        how="Share of right answers at each level of certainty: mean over the people who used it, with 95% interval."
        + within,
        numbers=Numbers(
            "Right answers by certainty",
            (
                Column(one.scale, one.scale.capitalize(), "text"),
                Column("label", "Label", "text"),
                Column("answers", "Answers", "count"),
                Column("right", "Right", "count"),
                Column("share", "Share of answers", "share"),
                *_SHARES,
            ),
            tuple(
                (
                    level.name,
                    _level_name(level, names),
                    level.n_answers,
                    level.n_correct,
                    level.pooled.value,
                    *_described("", level.accuracy)[1:5],
                )
                for level in one.levels
            ),
        ),
        marks=tuple(
            _mark(_level_name(level, names), level.accuracy, beside=f"of {level.n_answers:,}")
            for level in one.levels
        ),
        caution=_few(one.n_participants, "person", area) if area.mean is None else "",
    )


def _level_name(level: Level, names: Sequence[str]) -> str:
    """The label of its point on the scale, or the values it is of."""
    if level.uncertainty is None:
        return f"Certainty {level.name}"
    place = level.uncertainty - 1
    return names[place].capitalize() if 0 <= place < len(names) else f"Uncertainty {level.name}"


def _plain_interval(one: Description | Estimate) -> str:
    low, high = ends_of(one)
    if low is None or high is None:
        return f"no interval: {one.interval.reason}"
    return f"95% interval {low:.2f} to {high:.2f}"


def pairs_figure(pairs: Sequence[VotedPair]) -> Figure:
    """The votes of each pair between its two clips."""
    if not pairs:
        return _nothing("pairs", "pairs", "No pair has a vote yet.", "Blank answers are no votes.")
    lost = [one.pair for one in pairs if one.is_lost]
    n_open = sum(one.is_open for one in pairs)
    right = right_source(pairs) if any(one.of_right for one in pairs) else ""
    if lost:
        head = f"In {count(len(lost), 'pair')} most people took the other clip for {right}: {first_few(lost)}"
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
        how=f"Share of votes for {f'{right}, where there is one, or ' if right else ''}the clip on the left, with 95% "
        "interval (Wilson). The dashed line is an even split. Left here is not left on the screen: sides are put back.",
        numbers=Numbers(
            "Votes by pair",
            (
                Column("pair", "Pair", "text"),
                Column("condition", "Condition", "text"),
                Column("for", "Share is of", "text"),
                Column("stimulus", "Clip", "text"),
                Column("votes", "Votes for it", "count"),
                Column("n", "Of", "count"),
                Column("share", "Share", "share"),
                *_INTERVAL,
                Column("majority", "Majority", "text"),
                Column("votes_tie", "No difference", "count"),
                Column("blank", "Blank", "count"),
            ),
            tuple(
                (
                    one.pair,
                    one.condition,
                    "right clip" if one.of_right else one.clip.source,
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


def side_figure(bias: Bias, right: str) -> Figure:
    """Choices of the left, and accuracy by the side on which the right clip was."""
    side = bias.side
    if side.left.mean is None:
        return _nothing("side", "bias", sentence(f"there is no side bias to see: {side.reason}"), "")
    rows, which = [("Left chosen", side.left)], right.removeprefix("the ")
    if side.effect.mean is not None or side.accuracy_left.mean is not None:
        rows += [(f"Accuracy, {which} left", side.accuracy_left)]
        rows += [(f"Accuracy, {which} right", side.accuracy_right)]
    low, high = ends_of(side.left)
    leans = low is not None and high is not None and not low <= 0.5 <= high
    share = percent(side.left.mean)
    said = (
        f"People chose the {'left' if side.left.mean > 0.5 else 'right'} more often: the left in {share}."
        if leans
        else f"No bias to a side: the left was chosen in {share}."
        if low is not None
        else f"The left was chosen in {share}."
    )
    return Figure(
        name="side",
        section="bias",
        drawing="marks",
        said=said,
        strong=share,
        how="Mean over people, with 95% interval; an even split is dashed. Accuracy that differs by side is bias, too.",
        numbers=Numbers(
            "Sides, mean over people",
            (Column("of", "Share of", "text"), *_SHARES, Column("sd_ddof1", "SD (n-1)", "share")),
            tuple(_described(name, one) for name, one in rows),
        ),
        marks=tuple(_mark(name, one, "ink" if name == "Left chosen" else "human") for name, one in rows),
        caution=_few(side.left.n, "person", side.left),
    )


def order_figure(bias: Bias) -> Figure:
    """Accuracy at each position in the session, and the slope over them."""
    positions = table_rows(bias.order.positions)
    table = [row for row in positions if row["n_accuracy"]]
    slope = bias.learning.slope
    if not table:
        return _nothing(
            "order", "bias", "There is no accuracy by position: no pair with a right clip was answered.", ""
        )
    drawn = table[:_MOST_POSITIONS]
    more = (
        f" The first {_MOST_POSITIONS} of {len(table)} positions are drawn."
        if len(table) > len(drawn)
        else ""
    )
    if slope.mean is None:
        said = sentence(f"learning cannot be told: {bias.learning.reason or slope.reason}")
        strong = ""
    else:
        low, high = ends_of(slope)
        moves = low is not None and high is not None and not low <= 0 <= high
        strong = f"{100 * slope.mean:+.1f} points"
        way = "better" if slope.mean > 0 else "worse"
        said = (
            f"People got {way} on the way: {strong} a position."
            if moves
            else f"No learning to see: {strong} a position."
        )
        if low is not None and high is not None:
            more += f" Slope: 95% interval {100 * low:+.1f} to {100 * high:+.1f} points a position."
    return Figure(
        name="order",
        section="bias",
        drawing="marks",
        said=said,
        strong=strong,
        how=f"Share of right answers at each position in the session, with 95% interval.{more}",
        numbers=Numbers(
            "Right answers by position",
            (
                Column("position", "Position", "count"),
                Column("answers", "Answers", "count"),
                Column("accuracy", "Right", "share"),
                *_INTERVAL,
                Column("answers_with_side", "Answers with a side", "count"),
                Column("left", "Left chosen", "share"),
                Column("left_low", "from", "share"),
                Column("left_high", "to", "share"),
            ),
            tuple(
                (
                    row["position"],
                    row["n_accuracy"],
                    row["accuracy"],
                    row["accuracy_low"],
                    row["accuracy_high"],
                    row["n_left"],
                    row["left"],
                    row["left_low"],
                    row["left_high"],
                )
                for row in positions
            ),
        ),
        marks=tuple(
            Mark(
                f"{row['position']}",
                row["accuracy"],
                row["accuracy_low"],
                row["accuracy_high"],
                percent(row["accuracy"]),
                f"of {row['n_accuracy']:,}",
            )
            for row in drawn
        ),
    )


def agreement_figure(one: Agreement) -> Figure:
    """How often two people agree on a pair."""
    choice = one.choice
    if choice.agreement.value is None:
        return _nothing(
            "agreement",
            "bias",
            sentence(f"agreement cannot be measured: {choice.agreement.reason}"),
            "It takes pairs that at least two people answered.",
        )
    strong = percent(choice.agreement.value)
    coefficients = [
        ("agreement", choice.agreement),
        ("alpha", choice.alpha),
        ("kappa", choice.kappa),
        ("ac1", choice.ac1),
        ("split_half_reliability", one.split_half.reliability),
        ("split_half_correlation", one.split_half.correlation),
    ]
    rows: list[tuple[Cell, ...]] = [(name, *_estimated(value)) for name, value in coefficients]
    marks = [_mark("Any two people", choice.agreement, "ink")]
    for source in one.sources:
        rows += [
            (f"{source.condition}: {name}", *_estimated(value))
            for name, value in (
                ("agreement", source.agreement),
                ("alpha", source.alpha),
                ("kappa", source.kappa),
                ("ac1", source.ac1),
            )
        ]
        if len(one.sources) > 1 and source.agreement.value is not None:
            marks.append(_mark(source.condition or listed(source.sources), source.agreement, "other"))
    return Figure(
        name="agreement",
        section="bias",
        drawing="marks",
        said=f"Two people agree on a pair in {strong} of cases, where chance is {percent(choice.chance)}.",
        strong=strong,
        how=f"Over {count(choice.agreement.n, 'pair')} with two votes or more, with 95% interval over pairs. "
        f"Krippendorff's alpha {exact(choice.alpha.value)} ({_plain_interval(choice.alpha)}): 0 is chance, 1 is "
        "agreement on everything.",
        numbers=Numbers(
            "Agreement between people",
            (
                Column("coefficient", "Coefficient", "text"),
                Column("pairs", "Pairs", "count"),
                Column("value", "Value", "number"),
                Column("ci_low", "from", "number"),
                Column("ci_high", "to", "number"),
            ),
            tuple(rows),
        ),
        marks=tuple(marks),
        chance=choice.chance,
        caution=_few(choice.agreement.n, "pair", choice.agreement),
    )


def _estimated(one: Estimate) -> tuple[Cell, ...]:
    return one.n, one.value, *ends_of(one)


def judges_figure(validation: JudgeValidation) -> Figure:
    """Each judge's agreement with the majority, over what one person reaches on the same pairs."""
    found = [
        (judge.judge, group.measures[LABELS])
        for judge in validation.judges
        if (group := _all_pairs(judge.groups)) is not None
    ]
    known = sorted(
        ((name, one) for name, one in found if one.corrected.value is not None),
        key=lambda each: (-(each[1].corrected.value or 0.0), natural(each[0])),
    )
    if not known:
        why = next(
            (one.corrected.reason for _, one in found if one.corrected.reason), "no judge judged a pair"
        )
        return _nothing("judges", "judges", sentence(f"no judge can be held against people: {why}"), "")
    below = [name for name, one in known if standing(one) == "below"]
    above = [name for name, one in known if standing(one) == "above"]
    said = "No judge can be told from one person yet."
    if above or below:
        parts = (
            [f"{first_few(above)} agrees with the majority more often than one person does"] if above else []
        )
        parts += (
            [f"{first_few(below)} {'falls' if len(below) == 1 else 'fall'} short of one person"]
            if below
            else []
        )
        said = sentence("; ".join(parts))
    return Figure(
        name="judges",
        section="judges",
        drawing="marks",
        said=said,
        strong=first_few(below) if below and not above else "",
        how="Share of pairs where the judge agrees with the majority of people, with 95% interval over "
        f"{count(known[0][1].corrected.n, 'pair')}. The grey band is one person against the others.",
        numbers=Numbers(
            "Agreement with the majority",
            (
                Column("judge", "Judge", "text"),
                Column("pairs", "Pairs", "count"),
                Column("value", "Agrees", "share"),
                *_INTERVAL,
                Column("ceiling", "One person", "share"),
                Column("ceiling_low", "from", "share"),
                Column("ceiling_high", "to", "share"),
                Column("standing", "Beside one person", "text"),
            ),
            tuple(
                (
                    name,
                    one.corrected.n,
                    one.corrected.value,
                    *ends_of(one.corrected),
                    one.ceiling.value,
                    *ends_of(one.ceiling),
                    STANDINGS[standing(one)],
                )
                for name, one in known
            ),
        ),
        marks=tuple(_judge_mark(name, one) for name, one in known),
        caution=_few(known[0][1].corrected.n, "pair", known[0][1].corrected),
    )


STANDINGS = {
    "above": "above one person",
    "below": "below one person",
    "like": "not told apart",
    "unknown": "no interval",
}


def standing(one: Measure) -> str:
    """Where the judge's interval lies beside one person's number."""
    (low, high), person = ends_of(one.corrected), one.ceiling.value
    if low is None or high is None or person is None:
        return "unknown"
    return "above" if low > person else "below" if high < person else "like"


def _all_pairs(groups: Sequence[Group]) -> Group | None:
    return next((one for one in groups if one.scope == "all"), None)


def _judge_mark(name: str, one: Measure) -> Mark:
    low, high = ends_of(one.corrected)
    return Mark(
        name,
        one.corrected.value,
        low,
        high,
        percent(one.corrected.value),
        limits(low, high) or "no interval",
        "computer",
        band=Band(one.ceiling.value, *ends_of(one.ceiling)),
    )


def counted_figure(selection: Selection, sessions: Sessions | None, left_out: Mapping[str, str]) -> Figure:
    """Who came, how far they came and who is counted; `left_out` says rules in words."""
    steps: list[tuple[str, int]] = []
    if sessions is not None:
        steps += [
            ("Arrived", sessions.opened),
            ("Agreed to take part", sessions.consented),
            ("Finished", sessions.completed),
        ]
    steps += [("Gave answers", selection.n_participants), ("Counted", selection.n_participants_used)]
    most = max(n for _, n in steps) or 1
    first = steps[0]
    why = [
        f"{count(n, 'answer')} left out: {left_out.get(value, value)}"
        for part in selection.left_out
        for value, n in selection.left_out[part].items()
    ]
    lost = []
    if sessions is not None:
        lost = [
            f"{n} {what}"
            for n, what in (
                (sessions.refused, "declined"),
                (sessions.under_age, "said they were under age"),
                (sessions.left_at_consent, "left at the consent page"),
                (sessions.unfinished, "have not finished"),
            )
            if n
        ]
    return Figure(
        name="counted",
        section="judges",
        drawing="steps",
        said=f"{selection.n_participants_used:,} of {first[1]:,} who "
        f"{'came' if sessions is not None else 'gave answers'} are counted.",
        strong=f"{selection.n_participants_used:,} of {first[1]:,}",
        how=sentence("; ".join([*([", ".join(lost)] if lost else []), *why]))
        if lost or why
        else "Nobody was left out.",
        numbers=Numbers(
            "Who is counted",
            (
                Column("step", "Step", "text"),
                Column("n", "People", "count"),
                Column("of_first", "Of all", "share"),
            ),
            tuple((name, n, n / first[1] if first[1] else None) for name, n in steps),
        ),
        marks=tuple(
            Mark(name, n / most, None, None, f"{n:,}", percent(n / first[1]) if first[1] else "", "ink")
            for name, n in steps
        ),
        chance=None,
    )
