"""The rules by which sessions and answers of a design are left out, in words."""

from collections.abc import Iterator

from analysis.quality.registry import RULES
from app.core.problems import counted, listed
from app.reports.documents.document import Items, Piece
from app.studies.file.design import StudyDesign
from app.studies.file.exclusion import DesignRule
from app.tasks.game.settings import GameDesign


def exclusion_lines(design: StudyDesign) -> Iterator[Piece]:
    """Rules of the study for whole sessions, those of its blocks for answers, and what holds in every study."""
    if rules := design.exclude:
        yield "Sessions are left out by these rules, frozen at launch:"
        yield Items(tuple(_rule(one) for one in rules))
    else:
        yield "No rule leaves out whole sessions."
    flags = {
        f"{flag} (block {block.id})"
        for block in design.blocks
        for where in (block, getattr(block, "trials", None))
        for flag in getattr(where, "exclude", ())
    }
    if flags:
        yield "Answers are left out where they have these flags:"
        yield Items(tuple(sorted(flags)))
    yield from _checks(design)
    clips = (
        "; answers whose clips cannot have been watched, or would not play, are left out"
        if design.stimuli
        else ""
    )
    yield f"Answers to practice trials and attention checks are in no number{clips}."
    if any(isinstance(block, GameDesign) for block in design.blocks):
        yield "A match in which a person is left out counts in no number, with the play of everybody in it."
    yield "Sessions that an experimenter excludes by hand are listed with the reason."


def _checks(design: StudyDesign) -> Iterator[Piece]:
    """Checks that leave a session out, or end it, as it goes on; with or without rules."""
    for block in design.blocks:
        checks = block.attention_checks
        if checks.failed != "flag":
            does = "is left out of the numbers" if checks.failed == "exclude" else "ends and is not completed"
            n = counted(checks.after, "wrong answer", "wrong answers")
            yield f"With {n} to attention checks in block {block.id} a session {does}."
    if design.comprehension.questions and design.comprehension.failed == "end":
        yield "Whoever fails the questions on the instructions leaves: the session ends and is not completed."


def _rule(one: DesignRule) -> str:
    """The rule's title and meaning, its bounds, and what it decides."""
    rule = RULES[one.rule]
    bounds = one.bounds
    given = [
        f"{parameter.title.lower()} {bounds.get(parameter.name, parameter.default):g}"
        for parameter in rule.parameters
        if bounds.get(parameter.name, parameter.default) is not None
    ]
    what = "flagged" if one.use else "not used"
    paid = "paid" if one.pay else "not paid"
    limits = f" Bounds: {listed(given, 'and')}." if given else ""
    return f"{rule.title} ({one.rule}): {rule.meaning}{limits} Verdict: {what}, {paid}."
