"""The rules by which sessions and answers of a design are left out, in words."""

from collections.abc import Iterator

from app.reports.documents.document import Items, Piece
from app.studies.file.design import StudyDesign


def exclusion_lines(design: StudyDesign) -> Iterator[Piece]:
    """Rules of the study for whole sessions, those of its blocks for answers, and what holds in every study."""
    rules = tuple(getattr(design, "exclude", ()))
    if rules:
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


def _rule(one: object) -> str:
    keys = one.model_dump(mode="json") if hasattr(one, "model_dump") else {"rule": str(one)}
    name = keys.pop("rule", "")
    return f"{name}: {', '.join(f'{key} {value}' for key, value in keys.items() if value is not None)}"
