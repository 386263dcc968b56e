"""An analysis of ratings as text for a terminal, 100 columns wide."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from analysis.findings.paired_rating_tables import of_studies
from analysis.findings.rating_sections import rating_sections
from analysis.findings.what_if import what_if_sections
from analysis.ratings.between import BlocksCompared
from analysis.ratings.scores import CriterionResult, RatingAnalysis
from analysis.ratings.studies import BlockRatings, SelfAssessment
from analysis.stats.arms import ArmsCompared
from analysis.terminal import (
    WIDTH,
    as_text,
    heading,
    left_out_words,
    name_of,
    resamples_words,
    shortened,
)
from analysis.text.brief_ratings import brief, brief_pairs
from analysis.text.sections import brief_arms, render_sections

MOST_BLOCKS = 3
EVERYTHING = "Everything: --full; as data: --json."
MOST_QUESTIONS, LONGEST_QUESTION = 9, 80


def render_ratings(analysis: RatingAnalysis, width: int = WIDTH, *, full: bool = True) -> str:
    """Return the analysis as plain text: the scores of each criterion, agreement, raters, and scores that are odd.

    Without `full`, what fits a screen. Lists of more than 60 raters, items or odd scores are cut, and the text says so;
    the JSON has them all.
    """
    if full:
        return as_text(list(_parts(analysis)), width)
    return as_text([*brief(analysis), EVERYTHING], width)


def render_rating_blocks(
    blocks: Sequence[BlockRatings],
    width: int = WIDTH,
    *,
    full: bool = False,
    compared: Sequence[BlocksCompared] = (),
) -> str:
    """The ratings of studies as plain text, block by block: what counts, scores, agreement and severity.

    With `full` also every two raters, and the means of raters and items, as `render_ratings` has them. Studies
    `compared` (`compare_blocks`) come last.
    """
    shown = blocks if full else blocks[:MOST_BLOCKS]
    parts = [part for one in shown for part in _block_parts(one, full=full)]
    if len(blocks) > len(shown):
        parts.append(f"... and {len(blocks) - len(shown)} more blocks: --full has them all.")
    parts.extend(_between(compared, full=full))
    return as_text([*parts, *([] if full else [EVERYTHING])], width)


def _block_parts(one: BlockRatings, *, full: bool) -> Iterator[RenderableType]:
    selection = one.selection
    what = one.kind.capitalize()
    yield heading(f"{what} of {name_of(one.study)}, block {name_of(one.block)} ({selection.mode})")
    left_out = left_out_words(selection.left_out)
    people = f"{selection.n_participants_used} of {selection.n_participants} participants"
    pages = f"{selection.n_used} of {selection.n_rows} answered pages"
    yield f"{people} and {pages} count (a page is one item rated by one participant){left_out}."
    if one.n_sessions_excluded:
        yield f"Sessions of which answers are excluded: {one.n_sessions_excluded}."
    if one.n_repeated:
        yield f"{one.n_repeated} scores are a participant's second of an item; the first ones count."
    if selection.reason:
        yield f"There are no numbers: {selection.reason}."
        return
    if not one.analysis.criteria:
        yield "No question has numbers for answers, so there is nothing to average."
        return
    yield from _questions(one.analysis.criteria)
    if full:
        yield from _parts(one.analysis, one.self_assessment, one.arms)
        yield from render_sections(what_if_sections(one.what_if))
    else:
        yield from brief(one.analysis)
        yield from _brief_self(one.self_assessment)
        yield from brief_arms(one.arms, one.kind)


def _questions(criteria: Sequence[CriterionResult]) -> Iterator[str]:
    """The question behind each criterion, where its id does not say it."""
    for one in criteria[:MOST_QUESTIONS]:
        if one.asked and one.asked != one.criterion:
            yield f"  {name_of(one.criterion)}: {shortened(name_of(one.asked), LONGEST_QUESTION)}"


def _parts(
    analysis: RatingAnalysis, own: SelfAssessment | None = None, arms: ArmsCompared | None = None
) -> Iterator[RenderableType]:
    yield f"{_scales(analysis)}; seed {analysis.seed}; {resamples_words(analysis.resamples)}"
    yield from render_sections(rating_sections(analysis, own, arms=arms, by_question=False))


def _between(compared: Sequence[BlocksCompared], *, full: bool) -> Iterator[RenderableType]:
    """Two studies over the stimuli that both have."""
    for one in compared:
        section = of_studies(one)
        if full:
            yield from render_sections([section])
            continue
        yield heading(name_of(section.title))
        yield from map(name_of, section.sentences)
        yield from brief_pairs(one.criteria)
        yield from map(name_of, section.notes[-1:] if one.reason or one.other_scale else ())


def _brief_self(own: SelfAssessment | None) -> Iterator[str]:
    """Raters' self-assessments, compared with their ratings of items."""
    if own is None:
        return
    if own.reason:
        yield f"Raters answered about themselves, too, and that is not compared: {own.reason}."
        return
    yield from brief_pairs(own.criteria)
    if own.not_asked:
        yield f"Nobody was asked about themselves by {', '.join(map(name_of, own.not_asked))}."


def _scales(analysis: RatingAnalysis) -> str:
    """The scale of all criteria, or that of each."""
    given = {one.criterion: one.scale for one in analysis.criteria}
    if len(set(given.values())) < 2:
        scale = next(iter(given.values()), analysis.scale)
        return "Scale not given" if scale is None else f"Scale {scale[0]:g} to {scale[1]:g}"
    each = (
        f"{name_of(name)} {'not given' if scale is None else f'{scale[0]:g} to {scale[1]:g}'}"
        for name, scale in given.items()
    )
    return f"Scales: {', '.join(each)}"
