"""Sentences on what participants of a design meet and how it is drawn."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from app.core.problems import counted, listed
from app.library.kinds import StimulusKind
from app.questions.base import Question
from app.questions.registry import TYPES
from app.reports.documents.document import blank
from app.studies.file.design import StudyDesign
from app.tasks.game.games import TITLES
from app.tasks.game.settings import GameDesign
from app.tasks.pair.settings import PairDesign
from app.tasks.walk.settings import WalkDesign
from app.trials.design import Kind
from app.trials.parts import BlockDesign

_ORDERS = {
    "random": "in a random order, drawn anew for each participant",
    "fixed": "in the same order for every participant",
    "blocked": "blocked by condition, in an order drawn anew for each participant",
}
_SIDES = {
    "balanced": "Sides are balanced within each participant and condition, and over participants for each pair.",
    "random": "The sides of the two members are drawn at random in each trial.",
    "fixed": "Member a of each pair is always on the left.",
}
_SHOWN = {
    "side-by-side": "side by side, one above the other in a narrow window",
    "sequential": "one clip after the other, the left one first, then both at rest with the questions",
    "by-width": "side by side, or one clip after the other in a narrow window (recorded with each answer)",
}
_WATCH = {
    "both-to-end": "The questions open once both clips have been watched to the end.",
    "free": "The questions can be answered at any time.",
}
_OTHERS = {
    "some-may-be-programs": "that some of the others may be programs, and not which",
    "all-people": "that all the others are people",
    "named": "of each other player whether a program plays",
}


def units_line(block: BlockDesign) -> str:
    """`10 main pairs (6 human-hybrid, 4 hybrid-symbolic), 2 for practice`."""
    kinds: dict[Kind, Counter[str]] = {}
    for unit in block.units():
        kinds.setdefault(unit.kind, Counter())[unit.condition or "without a condition"] += 1
    main = kinds.pop(Kind.MAIN, Counter())
    noun, nouns = block.noun.lower(), block.nouns.lower()
    each = ", ".join(f"{n} {name}" for name, n in sorted(main.items()))
    beside = "".join(f", {sum(n.values())} for {kind}" for kind, n in kinds.items())
    n = sum(main.values())
    return f"{counted(n, f'main {noun}', f'main {nouns}')}{f' ({each})' if each else ''}{beside}"


def block_lines(block: BlockDesign) -> Iterator[str]:
    """Sentences on what a block shows, in which order, and how much of it each participant gets."""
    n = sum(unit.kind is Kind.MAIN for unit in block.units())
    if n:
        yield f"Block {block.id} ({block.task}): {units_line(block)}."
        yield f"Each participant gets {block.n_main(n)} of the {n} main {block.nouns.lower()}."
    else:
        yield f"Block {block.id} ({block.task}): participants {block.activity()}."
    if isinstance(block, PairDesign):
        trials = block.trials
        yield f"Pairs are shown {_SHOWN[trials.layout]}, {_ORDERS[trials.order]}."
        yield _SIDES[trials.sides]
        if block.shows is StimulusKind.CLIP:
            yield _WATCH[trials.watch]
        if block.allocate == "informative":
            yield (
                "Which pairs a participant sees depends on the answers so far: pairs of "
                "sources whose order under Bradley and Terry's model is least known come first; each pair of sources "
                "is shown once before any is preferred, and keeps at least a tenth of its even share. Sources are "
                "ranked by this model; other numbers are of the pairs as they were shown."
            )
        elif 0 < block.n_main(n) < n:
            yield "Pairs that were shown least often come first, so that all are shown equally often."
        if block.sample is not None:
            yield f"The pairs were drawn at random from the library with seed {block.sample.seed}."
    if block.wanted_per_unit is not None:
        yield f"Each main {block.noun.lower()} is answered by {block.wanted_per_unit} participants."


def question_line(question: Question) -> str:
    """The question with its scale."""
    n = len(question.labels)
    scale = f" ({n} points, 1 {question.labels[0]} to {n} {question.labels[-1]})" if n else ""
    options = f" ({', '.join(question.options)})" if question.options else ""
    parts = ", ".join(f"“{text}”" for text in TYPES[question.type].parts(question))
    return f"{question.id}: “{question.ask}”{f' of {parts}' if parts else ''}{scale or options}"


def questions_of(design: StudyDesign) -> Sequence[str]:
    """Every question about trials, each once."""
    return tuple(dict.fromkeys(question_line(one) for block in design.blocks for one in block.asked))


def conditions_of(design: StudyDesign) -> Mapping[str, int]:
    """Main units by condition, over all blocks."""
    counts = Counter(
        unit.condition
        for block in design.blocks
        for unit in block.units()
        if unit.kind is Kind.MAIN and unit.condition
    )
    return dict(sorted(counts.items()))


def sources_line(design: StudyDesign) -> str:
    """The sources of what is shown, and the true one."""
    sources = sorted(
        {one for block in design.blocks for unit in block.units() for one in unit.sources if one}
    )
    if not sources:
        return ""
    truth = design.true_source
    right = f" The true source is {truth}." if truth in sources else " No answer is right or wrong."
    return f"Sources of what is shown: {listed(sources, 'and')}.{right}"


def yielded_lines(design: StudyDesign) -> Iterator[str]:
    """Sentences on what is measured in trials that ask no question, by block."""
    for block in design.blocks:
        if isinstance(block, GameDesign):
            reasons = "" if block.reason is None else ", the reason that is asked with each move"
            yield (
                f"Of each match of {TITLES[block.game]} (block {block.id}): every move with its time{reasons}, and "
                "what each person earned, in units of the game."
            )
        elif isinstance(block, WalkDesign):
            yield (
                f"Of each walk (block {block.id}): whether the goal was reached, how long and how far was walked, and "
                "the way itself with what was pressed."
            )
        elif not block.asked:
            yield blank(f"what each trial of block {block.id} yields")


def blinding_lines(design: StudyDesign) -> Iterator[str]:
    """Sentences on what participants are told of sources, and of who plays with them."""
    if design.stimuli:
        yield (
            "Participants are not told the source of what they see: names, addresses, sizes and metadata of clips do "
            "not tell it."
        )
    for block in design.blocks:
        if block.has_feedback:
            yield f"After each practice trial of block {block.id} they are told whether they were right."
    yield from disclosure_lines(design)


def disclosure_lines(design: StudyDesign) -> Iterator[str]:
    """Sentences on what players are told of those who play with them."""
    for block in design.blocks:
        if isinstance(block, GameDesign):
            yield f"Players in block {block.id} are told {_OTHERS[block.disclosure]}."
