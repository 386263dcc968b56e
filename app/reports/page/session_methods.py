"""The methods section's paragraphs on the sessions of a study in the database: its design, its rules, and who came."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from analysis.data.flow import TITLES, FlowStep, flow_words, reason_words
from app.core.problems import counted
from app.library.kinds import StimulusKind
from app.questions.base import Question
from app.questions.registry import TYPES
from app.reports.documents.people_words import arms_in_words
from app.reports.study_facts import StudyFacts, VersionFacts
from app.studies.file.design import StudyDesign
from app.studies.file.difference import design_differences
from app.studies.file.exclusion import rules_in_words
from app.tasks.pair.design import Order, Sides
from app.tasks.pair.settings import PairDesign, pairs_of
from app.tasks.pair.terms import DesignTrials
from app.tasks.rating.settings import RatingDesign
from app.trials.design import Kind

_ORDERS: Mapping[Order, str] = {
    "random": "in a random order drawn anew for each participant",
    "fixed": "in the same order to every participant",
    "blocked": "blocked by condition, with the blocks and the pairs within them in a random order for each participant",
}
_SIDES: Mapping[Sides, str] = {
    "balanced": "sides were balanced within each participant and condition, and over participants for each pair",
    "random": "the sides of the two members were drawn at random for every trial",
    "fixed": "member a of each pair was always on the left",
}
_WATCH = {
    "both-to-end": "the questions could be answered once both clips had been watched to the end",
    "free": "the questions could be answered at any time",
}
_WHO = {
    "pilot": "These are the answers of a pilot, kept apart from those of the study itself. ",
    "simulated": "The participants were simulated by a program: no person gave these answers. ",
}


def sessions(facts: StudyFacts, mode: str) -> Iterator[str]:
    """Paragraphs on what was shown and asked, in which arms, by which rules sessions were left out, and who came."""
    yield from _design(facts)
    yield from _exclusion(facts)
    yield from _people(facts, mode)


def _design(facts: StudyFacts) -> Iterator[str]:
    if not facts.versions:
        yield "The study has no version yet."
    for version_ in facts.versions:
        yield _version(facts, version_)


def _exclusion(facts: StudyFacts) -> Iterator[str]:
    """The exclusion rules of each version, and how a later one deviates from one that people took part in."""
    if not any(one.design.exclude for one in facts.versions):
        return
    yield "Sessions were judged by the exclusion rules of their version, frozen with it. " + " ".join(
        f"Version {one.number}: {rules_in_words(one.design.exclude) or 'none'}." for one in facts.versions
    )
    for before, after in pairwise(facts.versions):
        changed = [
            f"{each.place.removeprefix('exclude › ')} ({each.kind}: “{each.before}” to “{each.after}”)"
            for each in design_differences(before.design, after.design)
            if each.place.startswith("exclude")
        ]
        if changed and before.frozen_at is not None:
            yield (
                f"Deviation: the exclusion rules were changed by version {after.number} "
                f"({after.created_at:%Y-%m-%d}), after people had taken part in version {before.number}: "
                f"{', '.join(changed)}."
            )


def _version(facts: StudyFacts, one: VersionFacts) -> str:
    design = one.design
    why = f" It was made because: {one.reason}." if one.reason else ""
    return (
        f"Version {one.number} of {len(facts.versions)} of the study “{design.title}” (SHA-256 of its design "
        f"{one.sha256}; saved {one.created_at:%Y-%m-%d}).{why} "
        + " ".join((*_blocks(design), *arms_in_words(design)))
    )


def _blocks(design: StudyDesign) -> Iterator[str]:
    if pairs_of(design.blocks):
        yield _pairs(design)
    for block in design.blocks:
        if isinstance(block, PairDesign):
            some = (
                f"Each participant saw {block.per_participant} of the main pairs. "
                if block.per_participant
                else ""
            )
            yield f"{some}{_shown(block)} {_asked(block.trials)}{_allowed(block.trials.allow)}"
        elif isinstance(block, RatingDesign):
            yield _rated(block)


def _rated(block: RatingDesign) -> str:
    n = sum(item.kind is Kind.MAIN for item in block.items)
    each = f"; each participant rated {block.per_participant}" if block.per_participant else ""
    per_item = f"; each was rated by {block.per_item} participants" if block.per_item else ""
    asked = "; ".join(_question(question) for question in block.questions)
    return (
        f"{counted(n, 'item')} were rated one at a time{each}{per_item}. About each was asked: {asked}."
        f"{_allowed(block.allow)}"
    )


def _pairs(design: StudyDesign) -> str:
    of_kind = {kind: [pair for pair in pairs_of(design.blocks) if pair.kind is kind] for kind in Kind}
    main = of_kind[Kind.MAIN]
    conditions = [pair.condition for pair in main]
    each = ", ".join(
        f"{name or 'without a condition'} ({conditions.count(name)})" for name in sorted({*conditions})
    )
    with_truth = sum(pair.truth is not None for pair in main)
    other = [
        f"{len(of_kind[kind])} {kind} {_plural(len(of_kind[kind]), 'pair')}"
        for kind in (Kind.PRACTICE, Kind.ATTENTION)
        if of_kind[kind]
    ]
    beside = f" Beside them came {' and '.join(other)}, not counted in the numbers." if other else ""
    return (
        f"Each participant saw {len(main)} main {_plural(len(main), 'pair')} of {_nouns(design)}, by condition: "
        f"{each or 'none'}; {with_truth} of them have a member that is right.{beside} {_origin(design)}"
    )


def _nouns(design: StudyDesign) -> str:
    shown = dict.fromkeys(block.shows for block in design.blocks_of(PairDesign) if block.pairs)
    words = ["video clips" if kind is StimulusKind.CLIP else f"{kind}s" for kind in shown]
    return " and ".join(words) or "video clips"


def _origin(design: StudyDesign) -> str:
    samples = [block.sample for block in design.blocks_of(PairDesign)]
    sample = samples[0] if len(samples) == 1 else None
    if sample is None:
        return "The pairs were fixed by the experimenters."
    match = f", matched on {', '.join(sample.match)}" if sample.match else ""
    paired = f", paired {sample.pairing}" if sample.pairing else ""
    return f"The pairs were drawn at random from the {sample.shows}s{paired}{match} (seed {sample.seed})."


def _shown(block: PairDesign) -> str:
    trials = block.trials
    watched = f"; {_WATCH[trials.watch]}" if block.shows is StimulusKind.CLIP else ""
    return f"Pairs were shown side by side, {_ORDERS[trials.order]}; {_SIDES[trials.sides]}{watched}."


def _allowed(names: Sequence[str]) -> str:
    """Clues to the source that the experimenters allowed."""
    if not names:
        return ""
    return f" The experimenters allowed these clues to the source in what was shown: {', '.join(names)}."


def _asked(trials: DesignTrials) -> str:
    return f"About each pair was asked: {'; '.join(_question(question) for question in trials.questions)}."


def _question(question: Question) -> str:
    n = len(question.labels)
    scale = f" ({n} points, from 1 {question.labels[0]} to {n} {question.labels[-1]})" if n else ""
    parts = ", ".join(f"“{text}”" for text in TYPES[question.type].parts(question))
    return f"“{question.ask}”{f' of {parts}' if parts else ''}{scale}"


def _people(facts: StudyFacts, mode: str) -> Iterator[str]:
    flow = facts.flows.get(mode)
    if flow is None:
        yield f"No session of mode {mode} has been opened."
        return
    lost = "; ".join(_lost(one) for one in flow.steps if one.lost)
    joined = flow.steps[-1].joined
    more = f" {joined} of the analysed had not finished." if joined else ""
    yield f"{_WHO.get(mode, '')}Sessions of mode {mode}: {flow_words(flow)}{f' Lost: {lost}.' if lost else ''}{more}"


def _lost(step: FlowStep) -> str:
    """A sentence on who is not at the next step, by reason."""
    reasons = ", ".join(f"{loss.n} {reason_words(loss.reason)}" for loss in step.lost)
    return f"of those who {TITLES[step.step].lower()}, {reasons}"


def _plural(n: int, word: str) -> str:
    return word if n == 1 else f"{word}s"
