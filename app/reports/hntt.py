"""The published answers into SQL."""

from datetime import datetime
from pathlib import Path

from sqlmodel import Session

from analysis import hntt_responses, read_hntt
from app.questions.base import Question
from app.reports.imported import CollectionDetails, refuse_known_studies, store_study

_UNCERTAINTY = (
    "extremely certain",
    "somewhat certain",
    "neutral",
    "somewhat uncertain",
    "extremely uncertain",
)

# The version of the consent of studies whose answers came in the published layout.
IMPORTED = "imported"
_CHOICE = Question(id="choice", type="2afc", ask="Which video is more likely to be human?", required=False)
_CERTAIN = Question(
    id="uncertainty",
    type="likert",
    ask="How certain are you of your choice?",
    required=False,
    labels=_UNCERTAINTY,
)
_ASKED = CollectionDetails(
    title="Human Navigation Turing Test",
    consent=IMPORTED,
    about="Asked where the answers were collected.",
    questions=(_CHOICE, _CERTAIN),
)


def import_answers(session: Session, path: Path, now: datetime) -> list[tuple[str, int, int]]:
    """Store a file in the HNTT layout, one study per studyno: (slug, participants, responses) of each.

    Raises the analysis' errors for a bad file and Conflict for a study that is there already; stores nothing then.
    """
    frame = hntt_responses(read_hntt(path))
    slugs = list(dict.fromkeys(frame["study"]))
    refuse_known_studies(session, slugs, path)
    stored = [store_study(session, slug, frame[frame["study"] == slug], _ASKED, now) for slug in slugs]
    return [(one.slug, one.n_participants, one.n_responses) for one in stored]
