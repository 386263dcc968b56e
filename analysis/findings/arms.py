"""The arms of a study against each other: each arm's mean, and every two arms by the test of the published study."""

from collections.abc import Iterator, Sequence

import pandas as pd

from analysis.choice.arms import compare_choices_by_arm
from analysis.choice.studies import StudyResult
from analysis.findings.in_short import arms_line
from analysis.findings.marks import SHARES, described, few, mark
from analysis.findings.model import Cell, Column, Figure, Numbers, Section, Unit
from analysis.findings.reading import size, verdict
from analysis.findings.tables import column, counts, measured, names, reasons
from analysis.findings.two_by_two import Line, how, tables
from analysis.findings.words import listed, people, percent, points, sentence
from analysis.reported import Settings
from analysis.stats.arms import ArmPair, ArmsCompared, MeasureByArm
from analysis.stats.evidence import NOT_YET, SHARE

NAME = "arms"
TITLE = "Arms compared"
MOST_SAID = 12  # the table has all
_MOST_CLAIMS = 3
_ASKED = ("accuracy", "preference")
"""Measures of pairs that a study asks for."""


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


def rating_arms_section(found: ArmsCompared | None) -> Iterator[Section]:
    """The arms of one block of ratings, over raters; nothing for one arm."""
    if found is None or len(found.arms) < 2:
        return
    if found.reason:
        yield Section(NAME, TITLE, (f"Not compared: {found.reason}.",))
        return
    both = [(one, pair) for one in found.measures for pair in one.pairs]
    yield arms_section(
        found.measures,
        "two-sided",
        sentences=tuple(arms_line(one, pair) for one, pair in both[:MOST_SAID]),
        claims=[(one, pair, _scored(one, pair)) for one, pair in both],
        digits=2,
        together=True,
    )


def _scored(one: MeasureByArm, pair: ArmPair) -> str:
    first, second = pair.arms
    found = verdict(pair.test, pair.p_holm)
    beside = (
        ""
        if pair.test.effect is None
        else f": {size(pair.test)}, {pair.test.n1:,} and {people(pair.test.n2)}"
    )
    if found == "open":
        return (
            f"That people in arm {first} score higher or lower by {one.measure} than in arm {second}{beside}."
        )
    if found == "alike":
        near = f"within {SHARE:g} of that probability"
        return f"People in arm {first} score by {one.measure} as in arm {second}, {near}{beside}."
    more = "higher" if found == "more" else "lower"
    return f"People in arm {first} score {more} by {one.measure} than in arm {second}{beside}."


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
            said=_said(one),
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


def _said(one: MeasureByArm) -> str:
    if len(one.pairs) == 1:
        pair = one.pairs[0]
        if verdict(pair.test, pair.p_holm) != "open":
            return _claim(one, pair)
        return f"Which of {listed([arm.arm for arm in one.arms])} is higher {NOT_YET}: {size(pair.test)}."
    decided = [pair for pair in one.pairs if verdict(pair.test, pair.p_holm) in ("more", "less")]
    if not decided:
        return f"Which arms differ {NOT_YET}: none of {len(one.pairs)} comparisons shows a difference."
    named = listed([" and ".join(pair.arms) for pair in decided[:_MOST_CLAIMS]])
    return f"Of {len(one.pairs)} comparisons of arms {len(decided)} show a difference, such as {named}."
