"""The arms of a study against each other: each arm's mean, and every two arms by the test of the published study."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from analysis.choice.arms import compare_choices_by_arm
from analysis.choice.studies import StudyResult
from analysis.detection.arms import SHOWN
from analysis.detection.studies import BlockJudgements
from analysis.findings.in_short import arms_line
from analysis.findings.marks import FEW, SHARES, described, few, mark, plain_interval
from analysis.findings.model import Cell, Column, Figure, Mark, Numbers, Section, Unit
from analysis.findings.reading import exact_limits, size, verdict
from analysis.findings.tables import column, counts, measured, names, reasons
from analysis.findings.two_by_two import Line, how, tables
from analysis.findings.words import ends_of, exact, listed, people, percent, points, sentence, why_missing
from analysis.reported import Settings
from analysis.stats.arms import ArmMean, ArmPair, ArmsCompared, MeasureByArm
from analysis.stats.evidence import NOT_YET, SHARE

NAME = "arms"
TITLE = "Arms compared"
MOST_SAID = 12  # the table has all
_MOST_CLAIMS = 3
_ASKED = ("accuracy", "preference")
"""Measures of pairs that a study asks for."""
_NOT_ASKED = ("criterion", SHOWN["criterion"])
"""Measures of items that a study does not ask for; their table has them."""
MOST_ROWS = 12

Kind = Literal["ratings", "classes", "yes-no"]


def arms_computed(main: pd.DataFrame, settings: Settings) -> ArmsCompared:
    """The arms of one study by the answers that count."""
    return compare_choices_by_arm(
        main,
        settings.blank,
        settings.alternative,
        seed=settings.seed,
        resamples=settings.resamples,
    )


def arms(study: StudyResult, settings: Settings) -> Iterator[Section]:
    """Nothing for a study of one arm."""
    found = study.further[NAME]
    assert isinstance(found, ArmsCompared)
    if len(found.arms) < 2:
        return
    if found.reason:
        yield Section(NAME, TITLE, (f"Not compared: {found.reason}.",))
        return
    asked = [one for one in found.measures if one.measure in _ASKED]
    settled = [(one, pair) for one in asked for pair in one.pairs]
    yield arms_section(
        found.measures,
        settings.alternative,
        sentences=tuple(arms_line(one, pair) for one, pair in settled[:MOST_SAID]),
        figures=tuple(_figures(asked)),
        claims=[(one, pair, _claim(one, pair)) for one, pair in settled],
    )


def rating_arms_section(found: ArmsCompared | None, kind: Kind = "ratings") -> Iterator[Section]:
    """The arms of one block of ratings or classes, over raters, or of a yes / no question; nothing for one arm."""
    if found is None or len(found.arms) < 2:
        return
    if found.reason:
        yield Section(NAME, TITLE, (f"Not compared: {found.reason}.",))
        return
    both = [
        (one, pair)
        for one in found.measures
        if not (kind == "yes-no" and one.measure in _NOT_ASKED)
        for pair in one.pairs
    ]
    yield arms_section(
        found.measures,
        "two-sided",
        sentences=tuple(arms_line(one, pair) for one, pair in both[:MOST_SAID]),
        claims=[(one, pair, _scored(one, pair, kind)) for one, pair in both],
        digits=2 if kind == "ratings" else 3,
        together=kind != "yes-no",
    )


def judged_arms(block: BlockJudgements) -> ArmsCompared | None:
    """The arms of a yes / no question with measures named as shown."""
    return block.arms and block.arms.labelled(SHOWN)


def rating_arms_figure(
    name: str,
    section: str,
    found: Sequence[MeasureByArm],
    kind: Kind = "ratings",
    scale: tuple[float, float] = (0.0, 1.0),
) -> Figure:
    """Each arm's mean of these measures, which have a scale in common."""
    several, is_share = len(found) > 1, kind != "ratings"
    rows = [(one, arm) for one in found for arm in one.arms]
    shown = rows[:MOST_ROWS]
    fewest = min((arm.described for _, arm in rows), key=lambda one: one.n)
    unit: Unit = "share" if is_share else "number"
    return Figure(
        name=name,
        section=section,
        drawing="marks",
        said=_said(found, kind),
        how=f"{_MEAN_OF[kind]} first, then the mean over the people of each arm, with 95% interval. Every person is in "
        "one arm; arms are compared by the Mann-Whitney test."
        + (f" The first {len(shown)} of {len(rows)}." if len(rows) > len(shown) else "")
        + why_missing((f"{arm.arm}, {name_of(one)}", arm.described.interval) for one, arm in rows),
        numbers=Numbers(
            "Means by arm",
            (
                *(Column("measure", "Measure", "text"), Column("arm", "Arm", "text")),
                Column("participants", "People", "count"),
                *(Column(*each, unit) for each in _MEAN_COLUMNS),
            ),
            tuple((name_of(one), *described(arm.arm, arm.described)) for one, arm in rows),
        ),
        marks=tuple(_arm_mark(arm, name_of(one) if several else "", is_share=is_share) for one, arm in shown),
        chance=0.5 if kind == "yes-no" else None,
        scale=scale,
        ends=("0%", "100%") if is_share else (f"{scale[0]:g}", f"{scale[1]:g}"),
        caution=few(fewest.n, "person", fewest)
        if is_share
        else f"{people(fewest.n)} are few."
        if 1 < fewest.n < FEW
        else "",
    )


_MEAN_COLUMNS = (("mean", "Mean"), ("ci_low", "from"), ("ci_high", "to"), ("sd_ddof1", "SD (n-1)"))
_MEAN_OF: Mapping[Kind, str] = {
    "ratings": "Each person's mean score",
    "classes": "Each person's share of answers that name the class",
    "yes-no": "Each person's share of right answers",
}


def _arm_mark(arm: ArmMean, of: str, *, is_share: bool) -> Mark:
    one = arm.described
    if is_share:
        return mark(arm.arm, one, "ink", group=of)
    spoken = f"{f'{of}, ' if of else ''}{arm.arm}: {exact(one.mean)}, {plain_interval(one)}"
    beside = exact_limits(one.interval)
    return Mark(arm.arm, one.mean, *ends_of(one), exact(one.mean), beside, "ink", of, spoken=spoken)


def _scored(one: MeasureByArm, pair: ArmPair, kind: Kind) -> str:
    """A sentence on two arms: a difference, none to speak of, or an open question."""
    if kind == "yes-no" and one.measure == "accuracy":
        return _claim(one, pair)
    first, second = pair.arms
    found, words = verdict(pair.test, pair.p_holm), _WORDS[kind]
    beside = (
        ""
        if pair.test.effect is None
        else f": {size(pair.test)}, {pair.test.n1:,} and {people(pair.test.n2)}"
    )
    does, of = words.does.format(of=one.of), "" if kind == "yes-no" else f" by {one.measure}"
    if found == "open":
        return f"That people in arm {first} {does} {words.either}{of} than in arm {second}{beside}."
    if found == "alike":
        near = f"within {SHARE:g} of that probability"
        return f"People in arm {first} {does}{words.alike}{of} as in arm {second}, {near}{beside}."
    more = words.more if found == "more" else words.less
    return f"People in arm {first} {does} {more}{of} than in arm {second}{beside}."


@dataclass(frozen=True, slots=True)
class _Words:
    does: str
    more: str
    less: str
    either: str
    alike: str = ""


_WORDS: Mapping[Kind, _Words] = {
    "ratings": _Words("score", "higher", "lower", "higher or lower"),
    "classes": _Words("answer “{of}”", "more often", "less often", "more or less often", " as often"),
    "yes-no": _Words("score in sensitivity d'", "higher", "lower", "higher or lower"),
}


def arms_section(
    found: Sequence[MeasureByArm],
    alternative: str,
    *,
    sentences: Sequence[str] = (),
    figures: Sequence[Figure] = (),
    claims: Sequence[tuple[MeasureByArm, ArmPair, str]] = (),
    over: str = "people",
    digits: int = 3,
    together: bool = False,
) -> Section:
    """Tables of each arm's mean and of every two arms; `over` names what a value is of, `together` says that Holm's
    correction is over all measures."""
    lines = [
        Line(" and ".join(pair.arms), name_of(one), pair.test, pair.p_holm)
        for one in found
        for pair in one.pairs
    ]
    family = max((pair.n_family for one in found for pair in one.pairs), default=0)
    each = "all measures together" if together else "each measure by itself"
    decided = [(verdict(pair.test, pair.p_holm) != "open", text) for _, pair, text in claims]
    can_say = [text for is_known, text in decided if is_known]
    more = len(can_say) - _MOST_CLAIMS
    return Section(
        NAME,
        TITLE,
        tuple(sentences),
        tables=(_means(found, over, digits), *tables([], lines, "arm", "arms")),
        notes=(
            *(_over(text, over) for text in how([], lines, "arm")),
            *(
                (f"Holm's correction is over the {family} comparisons of arms, {each}.",)
                if family > 1
                else ()
            ),
            *(
                sentence(f"{' and '.join(pair.arms)}, {name_of(one)}: {pair.warning}")
                for one in found
                for pair in one.pairs
                if pair.warning
            ),
            *(
                _over(text, over)
                for text in reasons(
                    (f"{arm.arm}, {name_of(one)}", arm.described) for one in found for arm in one.arms
                )
            ),
        ),
        figures=tuple(figures),
        can_say=(
            *can_say[:_MOST_CLAIMS],
            *((f"{more} more comparisons of arms are settled.",) if more > 0 else ()),
        ),
        not_yet=tuple(text for is_known, text in decided if not is_known)[:_MOST_CLAIMS],
        methods=(
            f"Arms, which are between subjects, were compared by the Mann-Whitney test over {over}, {alternative} "
            "[MW47], as the published studies were [NTT21], with the common-language effect size [MW92]"
            + (
                f"; p values are corrected by Holm's method over {family} comparisons [Hol79]."
                if family > 1
                else "."
            ),
        ),
    )


def arms_headline(study: StudyResult) -> str:
    """The accuracies of two arms against each other; empty where there are not two."""
    found = study.further.get(NAME)
    if not isinstance(found, ArmsCompared):
        return ""
    asked = [one for one in found.measures if one.measure == "accuracy" and len(one.pairs) == 1]
    if not asked:
        return ""
    [one], [pair] = asked, asked[0].pairs
    shares = " against ".join(f"{arm.arm} {percent(arm.described.mean)}" for arm in one.arms)
    ending = f". Which is higher {NOT_YET}" if verdict(pair.test, pair.p_holm) == "open" else ""
    return f"Arms: {shares}: {size(pair.test)}{ending}."


def name_of(one: MeasureByArm) -> str:
    """`preference, hybrid over symbolic`."""
    return f"{one.measure}, {one.of}" if one.of else one.measure


def _claim(one: MeasureByArm, pair: ArmPair) -> str:
    """A sentence on two arms: a difference, none to speak of, or an open question."""
    first, second = pair.arms
    does = f"choose {one.of}" if one.measure == "preference" else "are right"
    who = (
        f"{size(pair.test)}, {pair.test.n1:,} and {people(pair.test.n2)}"
        if pair.test.effect is not None
        else ""
    )
    found = verdict(pair.test, pair.p_holm)
    if found == "open":
        return f"That people in arm {first} {does} more or less often than in arm {second}{f': {who}' if who else ''}."
    if found == "alike":
        return f"People in arm {first} {does} as often as in arm {second}, within {points(SHARE)}: {who}."
    return f"People in arm {first} {does} {found} often than in arm {second}: {who}."


def _means(found: Sequence[MeasureByArm], over: str, digits: int) -> Numbers:
    return Numbers(
        "Mean of each arm, with 95% intervals",
        (
            *(*names("arm", "measure"), *counts(over), column("mean", digits=digits)),
            column("SD (n-1)", digits=digits),
        ),
        tuple(
            (arm.arm, name_of(one), arm.described.n, measured(arm.described), arm.described.sd_ddof1)
            for one in found
            for arm in one.arms
        ),
    )


def _over(text: str, over: str) -> str:
    """A note of numbers that are not of people, in the words of what they are of."""
    return (
        text if over == "people" else text.replace("participants", over).replace("a participant", "a match")
    )


def _figures(asked: Sequence[MeasureByArm]) -> Iterator[Figure]:
    """The first measure that the study asks for, a mark for each arm."""
    for one in asked[:1]:
        unit: Unit = "share"
        rows: list[tuple[Cell, ...]] = [described(arm.arm, arm.described) for arm in one.arms]
        fewest = min(one.arms, key=lambda arm: arm.described.n)
        yield Figure(
            name=NAME,
            section="conditions",
            drawing="marks",
            said=_said([one]),
            how=f"Mean {name_of(one)} over the people of each arm, with 95% interval. Every person is in one arm; arms "
            "are compared by the Mann-Whitney test.",
            numbers=Numbers(
                f"{sentence(name_of(one)).rstrip('.')} by arm",
                (Column("arm", "Arm", "text"), *SHARES, Column("sd_ddof1", "SD (n-1)", unit)),
                tuple(rows),
            ),
            marks=tuple(mark(arm.arm, arm.described, "ink") for arm in one.arms),
            caution=few(fewest.described.n, "person", fewest.described),
        )


def _said(measures: Sequence[MeasureByArm], kind: Kind | None = None) -> str:
    """The comparisons in a sentence; `kind` of items, None of pairs."""
    both = [(one, pair) for one in measures for pair in one.pairs]
    known = [each for each in both if verdict(each[1].test, each[1].p_holm) != "open"]
    if len(both) == 1:
        [(one, pair)] = both
        if known:
            return _scored(one, pair, kind) if kind else _claim(one, pair)
        return f"Which of {listed([arm.arm for arm in one.arms])} is higher {NOT_YET}: {size(pair.test)}."
    decided = [each for each in known if verdict(each[1].test, each[1].p_holm) != "alike"]
    if not decided:
        return f"Which arms differ {NOT_YET}: none of {len(both)} comparisons shows a difference."
    several = len(measures) > 1
    named = listed(
        [
            f"{' and '.join(pair.arms)}{f' in {name_of(one)}' if several else ''}"
            for one, pair in decided[:_MOST_CLAIMS]
        ]
    )
    return f"Of {len(both)} comparisons of arms {len(decided)} show a difference, such as {named}."
