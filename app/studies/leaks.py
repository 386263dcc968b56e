"""Leaks: clues in the records and texts of a block that reveal who played, each as a sentence.

The contents are read here; what of them tells the source is for the task of each block to say.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlmodel import Session, col, select

from app.core.errors import StudyError
from app.core.problems import listed
from app.library.kinds import StimulusKind
from app.library.tables import Content, Stimulus
from app.studies.file.design import StudyDesign
from app.trials.checks import Check
from app.trials.clues import Clues, clues_in
from app.trials.design import Kind
from app.trials.leaks import BlockLeaks, in_words

# Columns of the manifest of `game records`, which its records keep as attributes.
_OF_GAME_RECORDS = frozenset({"config", "match", "automatic"})


def leaks_of(session: Session, design: StudyDesign) -> tuple[BlockLeaks, ...]:
    """Every leak of the blocks that show records or texts of the library; empty if all stimuli of the study are of one
    source.
    """
    if len(_sources(design)) < 2:
        return ()
    clues_of = partial(_clues, _contents(session, design))
    found = [block.leaks(clues_of) for block in design.blocks]
    return tuple(each for each in found if each is not None)


def leak_checks(found: Sequence[BlockLeaks]) -> Iterator[Check]:
    """Checks of blocks of records or texts for clues to who played. Those allowed by the study file are warnings."""
    for block in found:
        title = f"Clues in {block.block}"
        refused = [leak for leak in block.leaks if not leak.is_allowed]
        more = "".join(f" {said}" for said in (block.untold, block.trivial and block.trivial.says) if said)
        if refused:
            said = "; ".join(f"{leak.says} ({leak.remedy})" for leak in refused)
            yield Check(
                "leaks", title, "blocker", f"{said}; or allow it by name in the block.{more}", "design"
            )
        elif block.leaks:
            said = "; ".join(f"{leak.name}: {leak.says}" for leak in block.leaks)
            yield Check("leaks", title, "warning", f"Allowed by name: {said}.{more}", "design")
        else:
            said = f"No clue was found in {listed(in_words(block.looked_at), 'and')}.{more}"
            yield Check("leaks", title, "unknown" if block.untold else "ok", said)


def _sources(design: StudyDesign) -> frozenset[str]:
    """The sources of all main units of the study."""
    units = (unit for block in design.blocks for unit in block.units() if unit.kind is Kind.MAIN)
    return frozenset(source for unit in units for source in unit.sources)


def refuse_leaks(session: Session, design: StudyDesign) -> None:
    """Raise StudyError where a clue tells who played, and the study file does not allow it by name."""
    leaks = [leak for block in leaks_of(session, design) for leak in block.leaks if not leak.is_allowed]
    if leaks:
        said = "\n".join(f"{leak.block}: {leak.name}: {leak.says} ({leak.remedy})" for leak in leaks)
        names = ", ".join(dict.fromkeys(leak.name for leak in leaks))
        raise StudyError(
            f"{said}\nor allow it by name: `allow: [{names}]` in the block's trials (or the block)"
        )


@dataclass(frozen=True, slots=True)
class _Kept:
    """A record or text of the library; `is_ours` where `game records` made it."""

    kind: StimulusKind
    content: str
    is_ours: bool


def _contents(session: Session, design: StudyDesign) -> Mapping[str, _Kept]:
    hashes = {sha256 for sha256 in design.hashes.values() if sha256}
    rows = session.exec(
        select(Content.sha256, Content.content, Stimulus.kind, Stimulus.attributes)
        .join(Stimulus, col(Stimulus.content_sha256) == Content.sha256)
        .where(col(Content.sha256).in_(hashes))
    )
    return {
        sha256: _Kept(StimulusKind(kind), content, attributes.keys() >= _OF_GAME_RECORDS)
        for sha256, content, kind, attributes in rows
    }


def _clues(
    contents: Mapping[str, _Kept], named: Mapping[str, str], sources: Iterable[str]
) -> Mapping[str, Clues]:
    """Clues by name, without clips and contents not stored here."""
    # `(?!)` matches nothing, where an empty alternative would match everywhere.
    names = re.compile(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(sources))) or '(?!)'})(?!\w)", re.IGNORECASE
    )
    there = {name: contents[sha256] for name, sha256 in named.items() if sha256 in contents}
    return {
        name: replace(clues_in(kept.kind, kept.content, names), is_ours=kept.is_ours)
        for name, kept in there.items()
    }
