"""The rules by which sessions and answers of a design are left out, in words."""

from collections.abc import Iterator

from analysis.quality.registry import RULES
from app.core.problems import listed
from app.reports.documents.document import Items, Piece
from app.studies.file.design import StudyDesign
from app.studies.file.exclusion import DesignRule


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
    yield (
        "Answers to practice trials and attention checks are in no number; answers whose clips cannot have been "
        "watched, or would not play, are left out. Sessions that an experimenter excludes by hand are listed with the "
        "reason."
    )


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
