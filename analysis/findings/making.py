"""The view of the results page, made from the analysis of one study or of two compared."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from analysis.choice.studies import StudyResult
from analysis.data.flow import Flow
from analysis.distances import Closing
from analysis.findings import bias, figures, items, judges, measures
from analysis.findings.arms import arms_headline
from analysis.findings.certainty import certainty_figure
from analysis.findings.claims import HOW_MORE, claims_of
from analysis.findings.closing import closing_figure, closing_section
from analysis.findings.compared import compared_claims, studies_figure, studies_headline
from analysis.findings.condition_words import conditions_claims, conditions_headline
from analysis.findings.conditions import conditions_figures
from analysis.findings.flow import flow_drawing, flow_of_selection, flow_section
from analysis.findings.items import RatedItems
from analysis.findings.judge_tables import judges_section
from analysis.findings.marks import FEW
from analysis.findings.model import Caution, Figure, Findings, Section
from analysis.findings.pairs import ClipOf, VotedPair, right_source, votes_of
from analysis.findings.registry import named_once, sections_of, sections_of_all
from analysis.findings.signature_tables import play_section, signatures_section
from analysis.findings.signatures import ABOUT, PLAY, signature_cautions, signature_figures
from analysis.findings.what_if import no_headline
from analysis.findings.words import (
    CLIP,
    Noun,
    between,
    count,
    people,
    percent,
    points,
    sentence,
    test_beside,
)
from analysis.games.compare import GameMeasures
from analysis.judging.validation import JudgeValidation
from analysis.reported import Analysis
from analysis.results import table_rows
from analysis.signatures import NoSignatures, PlaySignatures, Signatures
from analysis.stats.evidence import NOT_YET, SHARE, evidence, with_test

_HOW_MORE_ITEMS = (
    "Groups of items are compared by Mann-Whitney over the mean of each item; a difference is said where "
    "its p is below .05 after Holm's correction over all criteria and groups."
)
_LEFT_OUT = {
    "practice": "practice",
    "attention": "attention checks, which count in no number",
    "unwatched": "the clips cannot have been watched",
    "out-of-step": "the clips were out of step, which this study leaves out",
    "dropped-frames": "frames of a clip were lost, which this study leaves out",
    "unplayable": "a clip would not play",
}


@dataclass(frozen=True, slots=True)
class ResultsContext:
    """Context of the results, in addition to the answers: `levels` are the labels of the certainty scale, `pseudonym`
    is by participant, `until` is the time of the newest answer, `judge_notes` are lines below the names of judges.
    """

    made_at: datetime | None
    until: datetime | None
    pseudonym: Mapping[str, str]
    levels: Sequence[str]
    flow: Flow | None
    clip_of: ClipOf
    cautions: Sequence[Caution] = ()
    closing: Closing | None = None
    signatures: Signatures | NoSignatures | None = None
    play: PlaySignatures | NoSignatures | None = None
    games: Sequence[GameMeasures] = ()
    noun: Noun = CLIP
    judge_notes: Mapping[str, str] = field(default_factory=dict)


def results_view(
    analysis: Analysis, around: ResultsContext, validation: JudgeValidation | None = None
) -> Findings:
    """The page of the first study of `analysis`, compared with the second if there is one."""
    study = analysis.studies[0]
    pairs = votes_of(study, analysis.labels, around.clip_of)
    right = right_source(pairs, around.noun)
    claims = claims_of(study, pairs, right, validation, around.noun)
    beside, conditions = compared_claims(analysis), conditions_claims(study.conditions)
    found = named_once(
        [
            *sections_of(study, analysis.settings),
            *sections_of_all(analysis),
            *judges_section(validation),
            *_played_sections(around),
            *closing_section(around.closing),
        ]
    )
    return Findings(
        study=study.study,
        against=analysis.studies[1].study if len(analysis.studies) > 1 else "",
        mode=analysis.settings.mode,
        made_at=around.made_at,
        until=around.until,
        n_answers=study.selection.n_used,
        n_people=study.selection.n_participants_used,
        n_pairs=len(pairs),
        headline=f"{headline(study, pairs, right)}{_beside(analysis, study)}",
        next_step=_next_step(study, pairs),
        can_say=(*claims.can_say, *conditions.can_say, *beside.can_say, *_each(found, "can_say")),
        not_yet=(*claims.not_yet, *conditions.not_yet, *beside.not_yet, *_each(found, "not_yet")),
        how_more=HOW_MORE,
        how_moves=ABOUT,
        figures=(
            *_figures(analysis, study, pairs, right, around, validation),
            *(figure for section in found for figure in section.figures),
            *signature_figures(around.signatures),
            *measures.measures_figures(around.games),
            *signature_figures(around.play, PLAY),
            *([closing_figure(around.closing)] if around.closing and around.closing.metrics else []),
        ),
        cautions=(
            *_cautions(study, pairs, around.noun),
            *signature_cautions(around.signatures, around.play),
            *around.cautions,
        ),
        sections=found,
    )


def alone(analysis: Analysis, study: str) -> Analysis:
    """One study of several, without comparisons."""
    studies = tuple(one for one in analysis.studies if one.study == study)
    labels = analysis.labels[analysis.labels["study"] == study]
    return replace(
        analysis,
        studies=studies,
        labels=labels,
        comparisons=(),
        published=None,
        several=(),
        mixed_differences=(),
    )


def _each(found: Sequence[Section], what: Literal["can_say", "not_yet"]) -> Iterator[str]:
    for section in found:
        yield from section.can_say if what == "can_say" else section.not_yet


def _flow_section(flow: Flow | None) -> Iterator[Section]:
    if flow is not None:
        yield from flow_section(flow)


def _played_sections(around: ResultsContext) -> Iterator[Section]:
    yield from measures.arms_sections(around.games)
    yield from signatures_section(around.signatures)
    yield from play_section(around.play)


def with_items(view: Findings, rated: RatedItems, pseudonym: Mapping[str, str]) -> Findings:
    """The page of a study of pairs with its items below them."""
    can_say, not_yet = items.claims(rated)
    return replace(
        view,
        can_say=(*view.can_say, *can_say),
        not_yet=(*view.not_yet, *not_yet),
        figures=(*view.figures, *items.figures(rated, pseudonym)),
        sections=named_once([*view.sections, *items.sections(rated)]),
    )


def items_view(rated: RatedItems, around: ResultsContext) -> Findings:
    """The page of a study, or of a mode of one, that has items alone."""
    first = rated.blocks[0]
    can_say, not_yet = items.claims(rated)
    # A block may be there for its ratings, its classes and each of its questions.
    selections = {one.block: one.selection for one in rated.blocks}
    return Findings(
        study=first.study,
        mode=first.selection.mode,
        made_at=around.made_at,
        until=around.until,
        n_answers=sum(one.n_used for one in selections.values()),
        n_people=max(one.n_participants_used for one in selections.values()),
        headline=items.headline(rated),
        next_step="Look under “Who is counted” below for why." if first.selection.reason else "",
        can_say=can_say,
        not_yet=not_yet,
        how_more=_HOW_MORE_ITEMS if rated.numbers else "",
        how_moves=ABOUT,
        figures=(
            *items.figures(rated, around.pseudonym),
            *signature_figures(around.signatures),
            *measures.measures_figures(around.games),
            *signature_figures(around.play, PLAY),
            *(
                [flow_drawing(around.flow or flow_of_selection(first.selection), first.selection, _LEFT_OUT)]
                if first.selection.mode
                else []
            ),
        ),
        cautions=(*signature_cautions(around.signatures, around.play), *around.cautions),
        has_pairs=False,
        sections=named_once([*items.sections(rated), *_flow_section(around.flow), *_played_sections(around)]),
    )


def moves_view(study: str, mode: str, around: ResultsContext) -> Findings:
    """The page of a study without answers whose sources' movement and play are known."""
    return Findings(
        study=study,
        mode=mode,
        made_at=around.made_at,
        how_moves=ABOUT,
        figures=(*signature_figures(around.signatures), *signature_figures(around.play, PLAY)),
        cautions=tuple(signature_cautions(around.signatures, around.play)),
        has_pairs=False,
        is_play=True,
        sections=named_once(list(_played_sections(around))),
    )


def table_view(rated: RatedItems, made_at: datetime | None, flow: Flow | None = None) -> Findings:
    """The page of one table of ratings or judgements, whose raters are those of the table; `flow` is that of their
    study, where more is known than the table tells.
    """
    view = items_view(
        rated,
        ResultsContext(made_at, None, _OwnNames(), (), flow, lambda _pair, _stimulus: ""),
    )
    sections = [*items.sections(rated), *_flow_section(flow)]
    return replace(view, sections=named_once(sections, names_people=True))


class _OwnNames(dict[str, str]):
    """Raters of a file by their own names."""

    def __missing__(self, name: str) -> str:
        return name

    def get(self, name: str, default: object = None) -> str:
        return name


def play_view(
    slug: str,
    mode: str,
    games: Sequence[GameMeasures],
    play: PlaySignatures | NoSignatures | None,
    made_at: datetime,
    what: str,
    flow: Flow | None = None,
    cautions: Sequence[Caution] = (),
) -> Findings:
    """The page of a study of matches or walks alone, as `what` says: the measures of its finished matches."""
    titles = {one.game: one.title for one in games}
    return Findings(
        study=slug,
        mode=mode,
        made_at=made_at,
        n_answers=sum(one.n_matches for one in games),
        n_people=sum(one.n_people for one in games),
        headline=measures.headline(games, what),
        next_step=measures.next_step(games, what),
        how_moves=ABOUT,
        figures=(
            *measures.measures_figures(games),
            *signature_figures(play, PLAY),
            *([flow_drawing(flow, None, _LEFT_OUT)] if flow is not None else []),
        ),
        cautions=(*signature_cautions(play, titles=titles), *cautions),
        has_pairs=False,
        is_play=True,
        sections=named_once(
            [
                *measures.arms_sections(games),
                *play_section(play, titles),
                *_flow_section(flow),
                *no_headline(flow),
            ]
        ),
    )


def headline(study: StudyResult, pairs: Sequence[VotedPair], right: str) -> str:
    """The finding in one sentence, or why there is none."""
    if study.selection.reason:
        return sentence(study.selection.reason)
    if not pairs:
        return f"All {count(study.selection.n_used, 'answer')} are blank: nobody chose."
    if study.accuracy.mean is not None:
        share = percent(study.accuracy.mean)
        if study.accuracy.n == 1:
            return f"One person picked {right} in {share} of pairs: that is a person, not a finding."
        return f"People picked {right} in {share} of pairs, {_against_chance(study)}."
    if (one := study.led_by) is not None:
        share = percent(one.description.mean)
        return (
            f"People chose {one.source} over {one.against} in {share} of pairs, where an even split is 50%."
        )
    return (
        f"{people(study.selection.n_participants_used)} voted, and no pair has a right answer or two sources."
    )


def _against_chance(study: StudyResult) -> str:
    """Direction, interval and reach: over people, and over other pairs as well where that interval is known."""
    words = {
        "more": "more than the 50% of chance",
        "less": "less than the 50% of chance",
        "alike": f"within {points(SHARE)} of chance",
        "open": f"where chance is 50%; whether they can tell {NOT_YET}",
    }
    both, by_interval = study.two_way.accuracy, evidence(study.accuracy.interval, 0.5)
    here = with_test(by_interval, study.against_chance.p)
    reach = (
        ""
        if both.low is None
        else f"; over other people and pairs {percent(both.low)} to {percent(both.high)}"
    )
    beside = test_beside(by_interval, study.against_chance.p)
    limits = f"({between(study.accuracy.interval)}{beside}{reach})"
    if here in ("more", "less") and both.low is not None and evidence(both, 0.5) != here:
        return f"{words[here]} over these pairs; whether over others {NOT_YET} {limits}"
    return f"{words[here]} {limits}"


def _beside(analysis: Analysis, study: StudyResult) -> str:
    """A sentence on the comparison of two studies, else of two arms, else of two conditions."""
    if said := studies_headline(analysis):
        return f" {said}"
    if said := arms_headline(study):
        return f" {said}"
    by_condition = next(one for one in study.breakdowns if (one.measure, one.by) == ("accuracy", "condition"))
    shares = {row["value"]: row["mean"] for row in table_rows(by_condition.table)}
    said = conditions_headline(study.conditions, shares)
    return f" {sentence(said)}" if said else ""


def _next_step(study: StudyResult, pairs: Sequence[VotedPair]) -> str:
    """Advice on the next step if there is little or nothing to see, else empty."""
    if study.selection.reason:
        return (
            "Look under “Who is counted” below for why, and at the sessions: an exclusion can be taken back."
        )
    if not pairs:
        return "Look at the sessions: what would not play leaves blanks behind."
    if study.selection.n_participants_used == 1:
        return "Intervals, and all that is said of people in general, begin with several people."
    if study.accuracy.mean is None:
        return "No pair has a right answer, so there is no accuracy; the design says which source is the true one."
    return ""


def _figures(
    analysis: Analysis,
    study: StudyResult,
    pairs: Sequence[VotedPair],
    right: str,
    around: ResultsContext,
    validation: JudgeValidation | None,
) -> Iterator[Figure]:
    if pairs and not study.selection.reason:
        yield figures.accuracy_figure(study, right)
        yield figures.people_figure(study, around.pseudonym)
        yield certainty_figure(study.certainty, around.levels)
        if (preferred := figures.preferences_figure(study)) is not None:
            yield preferred
        yield from conditions_figures(study.conditions)
        if (beside := studies_figure(analysis)) is not None:
            yield beside
        yield figures.pairs_figure(pairs, around.noun)
        yield bias.side_figure(study.bias, right)
        yield bias.order_figure(study.bias)
        yield bias.agreement_figure(study.agreement)
        if validation is not None:
            yield judges.judges_figure(validation, around.judge_notes)
    yield flow_drawing(study.flow, study.selection, _LEFT_OUT)


def _cautions(study: StudyResult, pairs: Sequence[VotedPair], noun: Noun) -> Iterator[Caution]:
    n = study.accuracy.n
    if 0 < n < FEW:
        yield Caution(
            "People are few.",
            f"{people(n)} stand for all others only roughly: read the intervals, not the means.",
        )
    if 0 < len(pairs) < FEW:
        both = study.two_way.accuracy
        wide = f" Over people and pairs together: {between(both)}." if both.low is not None else ""
        yield Caution(
            "Pairs are few.",
            f"{count(len(pairs), 'pair')} stand for all {noun.many} only as far as they are typical of them.{wide}",
        )
