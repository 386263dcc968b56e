"""The state of what a judge needs to be trained on a study: packages, clips with positions, pairs, votes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlmodel import Session, col, func, select

from app.core.problems import counted
from app.judges.study import main_pairs
from app.judges.trainable import Trainable
from app.library.tables import Stimulus
from app.trials.design import Kind
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, StudyVersion, Trial, Unit

INSTALL = "make train"
FEWEST_VOTED = 40
"""Fewest pairs with votes: `analysis.learning.cross_fitting.FEWEST_PAIRS`, which the server does not load."""


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that training needs: what there is, and the way out where it is not enough.

    `of` says which judges need it. `command` is to be run on the machine of the service.
    """

    name: str
    of: str
    says: str
    is_met: bool
    remedy: str = ""
    command: str = ""


def lacking(session: Session, slug: str, study_id: int | None, *, of_votes: bool) -> str:
    """The need that keeps a training on this study from beginning, with its remedy; empty where none does."""
    pairs = main_pairs(session, slug)
    need = _votes_need(_voted(session, study_id)) if of_votes else _pairs_need(pairs)
    return "" if need.is_met else f"{need.says}. {need.remedy}."


def needs_of(session: Session, slug: str, study_id: int | None, here: Trainable) -> Sequence[Need]:
    pairs = main_pairs(session, slug)
    names = {str(pair[side]) for pair in pairs for side in ("stimulus_a", "stimulus_b")}
    with_positions = set(
        session.exec(
            select(Stimulus.name).where(
                col(Stimulus.name).in_(names), col(Stimulus.positions_sha256).is_not(None)
            )
        )
    )
    return (
        Need(
            "Packages",
            "networks",
            "JAX and Optax are not installed" if here.missing else "JAX and Optax are installed",
            not here.missing,
            "Install them in the program’s folder, then start the service again",
            INSTALL if here.missing else "",
        ),
        Need(
            "Positions",
            "all but networks that read clips",
            f"{len(with_positions)} of the {counted(len(names), 'clip')} of this study have positions of the player",
            bool(names) and len(with_positions) == len(names),
            "Import the clips with a column positions in their manifest, or train on a folder of other clips",
        ),
        _pairs_need(pairs),
        _votes_need(_voted(session, study_id)),
    )


def _pairs_need(pairs: Sequence[Mapping[str, str | None]]) -> Need:
    n_true = sum(bool(pair["truth"]) for pair in pairs)
    return Need(
        "Pairs",
        "networks",
        f"{n_true} of {counted(len(pairs), 'pair')} say which clip a person made",
        n_true > 0,
        "Make pairs of people’s clips and others, or train on a folder of other clips",
    )


def _votes_need(n_voted: int) -> Need:
    return Need(
        "Votes",
        "a judge of votes",
        f"{counted(n_voted, 'pair')} of this study {'has' if n_voted == 1 else 'have'} votes; at least "
        f"{FEWEST_VOTED} are needed, 80 are advised",
        n_voted >= FEWEST_VOTED,
        "Let people answer more pairs first",
    )


def _voted(session: Session, study_id: int | None) -> int:
    """The main pairs, by name, with an answer."""
    names = (
        select(func.count(func.distinct(Unit.name)))
        .select_from(Response)
        .join(Trial, col(Trial.id) == Response.trial_id)
        .join(Unit, col(Unit.id) == Trial.unit_id)
        .join(ParticipantSession, col(ParticipantSession.id) == Trial.session_id)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(
            StudyVersion.study_id == study_id,
            Unit.kind == Kind.MAIN,
            ParticipantSession.mode != Mode.PREVIEW,
        )
    )
    return session.exec(names).one()
