"""Results on items: ratings, classes, yes / no judgements, and judges of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from string import ascii_lowercase

from analysis.detection.studies import BlockJudgements
from analysis.findings import rating_claims, ratings
from analysis.findings.arms import judged_arms, rating_arms_figure, rating_arms_section
from analysis.findings.classes import class_agreement_figure, classes_figure
from analysis.findings.detection import detection_sections
from analysis.findings.item_judge_tables import item_judges_section
from analysis.findings.item_judges import item_judges_figure
from analysis.findings.judgements import judgement_figures
from analysis.findings.model import Figure, Section
from analysis.findings.rating_sections import rating_sections
from analysis.findings.rule import Sayings, say
from analysis.findings.what_if import what_if_figure, what_if_sections
from analysis.findings.words import between, ends_of, limits, percent, points, sentence, test_beside
from analysis.judging.items.studies import BlockValidation
from analysis.ratings.between import BlocksCompared
from analysis.ratings.studies import BlockRatings
from analysis.stats.evidence import NOT_YET, SHARE, evidence, with_test

_CHANCE = 0.5


@dataclass(frozen=True, slots=True)
class RatedItems:
    """All responses on a study's items; `validations` compare judges with the raters of a block each, `compared`
    compares ratings with another study's.
    """

    ratings: Sequence[BlockRatings] = ()
    judgements: Sequence[BlockJudgements] = ()
    validations: Sequence[BlockValidation] = ()
    compared: Sequence[BlocksCompared] = ()

    def __bool__(self) -> bool:
        return bool(self.ratings or self.judgements)

    @property
    def blocks(self) -> Sequence[BlockRatings | BlockJudgements]:
        return [*self.ratings, *self.judgements]

    @property
    def classes(self) -> Sequence[BlockRatings]:
        """The classes' blocks, with criteria named as displayed, as in `numbers`."""
        return [one.labelled() for one in self.ratings if one.kind == "classes"]

    @property
    def numbers(self) -> Sequence[BlockRatings]:
        return [one.labelled() for one in self.ratings if one.kind == "ratings"]

    @property
    def compared_as_shown(self) -> Sequence[BlocksCompared]:
        labels = {one.block: one.analysis.labels for one in self.ratings if one.kind == "ratings"}
        return [one.labelled(labels.get(one.blocks[0], {})) for one in self.compared]


def headline(rated: RatedItems) -> str:
    """The finding in one sentence: of judgements, else of scores, else of classes; or why there is none."""
    for block in rated.judgements:
        analysis = block.analysis
        if (mean := analysis.groups[0].accuracy.mean) is not None:
            both, accuracy = f"{analysis.signal} from {analysis.noise}", analysis.groups[0].accuracy
            found, p = evidence(accuracy.interval, _CHANCE), analysis.groups[0].d_prime_against_zero.p
            beside = test_beside(found, p)
            open_ = f"; whether they can tell {NOT_YET}{beside}" if with_test(found, p) == "open" else ""
            share = f"{percent(mean)} of answers ({between(accuracy.interval)})"
            return f"People told {both} in {share}, where chance is 50%{open_}."
    if said := ratings.headline(rated.numbers):
        return said
    named = [one for block in rated.classes for one in block.analysis.criteria if one.classes]
    for one in named:
        most, by = max(one.classes, key=lambda each: each.n), f" by {one.criterion}" if len(named) > 1 else ""
        return f"The class given most often{by} is {most.name}: {percent(most.share)} of answers."
    reasons = [block.selection.reason for block in rated.blocks if block.selection.reason]
    return sentence(reasons[0] if reasons else "no question was answered with a number")


def claims(rated: RatedItems) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Claims on which groups of items differ and whether people do better than chance, and open questions."""
    can_say, not_yet = (list(one) for one in rating_claims.claims(rated.numbers, rated.compared_as_shown))
    for rated_block in (*rated.numbers, *rated.classes):
        for section in rating_arms_section(rated_block.arms, rated_block.kind):
            can_say += section.can_say
            not_yet += section.not_yet
    for block in rated.judgements:
        analysis, accuracy = block.analysis, block.analysis.groups[0].accuracy
        both = f"{analysis.signal} from {analysis.noise}"
        shares = f"{limits(*ends_of(accuracy))} of 100 answers are right"
        sayings = Sayings(
            more=f"People tell {both} better than chance: {shares}.",
            less=f"People take {analysis.signal} for {analysis.noise} more often than chance would.",
            alike=f"People tell {both} no better than chance by more than {points(SHARE)}: {shares}.",
            open=f"Whether people tell {both} better than chance.",
        )
        # People who call all of one kind are as often right as chance, if not by d': its test stands beside.
        said = say(accuracy.interval, analysis.groups[0].d_prime_against_zero.p, sayings, null=_CHANCE)
        can_say += said.can_say
        not_yet += said.not_yet
        for section in rating_arms_section(judged_arms(block), "yes-no"):
            can_say += section.can_say
            not_yet += section.not_yet
    return tuple(can_say), tuple(not_yet)


def figures(rated: RatedItems, pseudonym: Mapping[str, str]) -> Iterator[Figure]:
    """The figures of every block, in sections named by its kind and the block."""
    for number, block in enumerate(rated.judgements):
        yield from judgement_figures(block, _letter(number), pseudonym)
        yield from what_if_figure(block.what_if, f"judgedwhatif{_letter(number)}", f"yes-no:{block.block}")
    yield from ratings.ratings_figures(rated.numbers, pseudonym, rated.compared_as_shown)
    for number, one in enumerate(rated.numbers):
        yield from what_if_figure(one.what_if, f"scorewhatif{_letter(number)}", f"ratings:{one.block}")
    for number, of_classes in enumerate(rated.classes):
        letter, section = _letter(number), f"classes:{of_classes.block}"
        if given := [one for one in of_classes.analysis.criteria if one.classes]:
            yield classes_figure(f"classes{letter}", section, given)
            yield class_agreement_figure(f"classagreement{letter}", section, given)
        if of_classes.arms and of_classes.arms.measures:
            yield rating_arms_figure(f"classarms{letter}", section, of_classes.arms.measures, "classes")
    judged = {one.block for one in rated.judgements}
    for number, each in enumerate(rated.validations):
        kind = "yes-no" if each.kind == "classes" and each.block in judged else each.kind
        yield item_judges_figure(f"itemjudges{_letter(number)}", f"{kind}:{each.block}", each.validation)


def _letter(number: int) -> str:
    return ascii_lowercase[number % 26] if number else ""


def sections(rated: RatedItems) -> Iterator[Section]:
    """All numbers of every block."""
    several = len(rated.blocks) > 1
    for block in rated.judgements:
        of_question = detection_sections(block.analysis, judged_arms(block))
        found = chain(of_question, what_if_sections(block.what_if))
        yield from _of_block(block.question, found, several=several)
    for one in rated.ratings:
        compared = [
            each
            for each in rated.compared
            if (one.study, one.block) in zip(each.studies, each.blocks, strict=True)
        ]
        of_studies = compared if one.kind == "ratings" else ()
        shown = one.labelled()
        found = chain(
            rating_sections(one.analysis, one.self_assessment, of_studies, arms=one.arms),
            what_if_sections(shown.what_if),
        )
        yield from _of_block(f"{one.kind} of {one.block}", found, several=several)
    for validation in rated.validations:
        yield item_judges_section(validation.validation)


def _of_block(name: str, found: Iterator[Section], *, several: bool) -> Iterator[Section]:
    for section in found:
        yield replace(section, title=f"{section.title}: {name}") if several else section
