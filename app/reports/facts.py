"""Designs of a study, the tables that they can have rows for, and the number of answered trials."""

from collections.abc import Iterable, Mapping
from typing import Literal

from sqlmodel import Session, col, func, select

from app.core.errors import Conflict
from app.reports.kinds import table_names
from app.studies.file.design import StudyDesign
from app.tasks.game.settings import GameDesign
from app.tasks.listed import TASKS
from app.tasks.walk.settings import WalkDesign
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, Study, StudyVersion


def answered_trials(session: Session, slug: str) -> Mapping[str, int]:
    """The number of answered trials of a study, by mode; of any task."""
    counts = session.exec(
        select(ParticipantSession.mode, func.count(col(Response.trial_id)))
        .join(Response, col(Response.session_id) == ParticipantSession.id)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .where(Study.slug == slug)
        .group_by(ParticipantSession.mode)
    )
    return dict(counts.all())


def designs_of(session: Session, slug: str) -> dict[int, StudyDesign]:
    """A study's designs by their versions, the first version first."""
    of_study = (
        select(StudyVersion.number, StudyVersion.design)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .where(Study.slug == slug)
        .order_by(col(StudyVersion.number))
    )
    return {number: StudyDesign.model_validate_json(design) for number, design in session.exec(of_study)}


def tables_of(designs: Iterable[StudyDesign]) -> tuple[str, ...]:
    """The tables that a study with these designs can have rows for; without any design, those of pairs."""
    there = {block.task for design in designs for block in design.blocks} or {"pair"}
    others = {name for task, named in TASKS.items() if task not in there for name in named.tables}
    return tuple(name for name in table_names() if name not in others)


def play_alone(session: Session, slug: str) -> Literal["matches", "walks", ""]:
    """The kind of a study without pairs and items: only matches, walks (with or without matches), or neither."""
    designs = designs_of(session, slug).values()
    if not designs:
        return ""
    if all(len(design.blocks_of(GameDesign)) == len(design.blocks) for design in designs):
        return "matches"
    played = (
        len(design.blocks_of(GameDesign) + design.blocks_of(WalkDesign)) == len(design.blocks)
        for design in designs
    )
    return "walks" if all(played) else ""


def refuse_play_alone(session: Session, slug: str) -> None:
    """Raises Conflict for a study of matches or walks alone, saying where its numbers are."""
    what = play_alone(session, slug)
    if what == "matches":
        raise Conflict(
            f"{slug} is a study of matches: export them with `likely-human export {slug} --what moves --out moves.csv` "
            f"(and seats_played), then `likely-human game metrics moves.csv` has their numbers; "
            f"`likely-human signatures {slug}` says how each source plays, against people",
            on_page=f"{slug} is a study of matches, of which there is no report: Results and Signatures, in the menu "
            "of the study, have its numbers, and its tables of moves and seats are on the page Data.",
        )
    if what == "walks":
        raise Conflict(
            f"{slug} is a study of walks: export them with `likely-human export {slug} --what walks --out walks.csv` "
            "(and positions), or make clips of them, to be judged in another study: `likely-human stimuli walks "
            f"{slug} --out walks`",
            on_page=f"{slug} is a study of walks, of which there is no report: Results and Signatures, in the menu of "
            "the study, have its numbers, its tables of walks and positions are on the page Data, and there walks are "
            "made into clips, to be judged in another study.",
        )
