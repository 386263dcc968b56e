"""The demo: clips, a study of them, a match against agents, and records of matches to rate; all open.

Existing parts are kept.
"""

from datetime import UTC, datetime
from pathlib import Path

from sqlmodel import Session, select

from app.core.database import Database
from app.core.settings import Settings
from app.demo.walks import keep_walks
from app.library.clips.store import ClipStore
from app.library.collections import collection_ids, make_collection
from app.library.stimuli import add_stimuli
from app.library.tables import Stimulus
from app.matches.offering import documents_of, keep_records
from app.studies.file.load import load_study
from app.studies.versions import load_version, set_state, stimulus_facts
from app.tasks.game.replay import Replayed
from app.tasks.game.run import asked_for
from app.tasks.game.writing import played
from app.trials.tables import State, Study

SLUG = "demo"
PLAY = "play"
RATE = "rate"
COLLECTION = "demo-clips"
FILES = {
    SLUG: Path(__file__).parent / "study.yaml",
    PLAY: Path(__file__).parent / "play.yaml",
    RATE: Path(__file__).parent / "rate.yaml",
}
EXAMPLE = "adaptive,dba,simulated,dbra,gt"
"""Who plays the match whose records the study to rate begins with."""


def is_there(database: Database, slug: str = SLUG) -> bool:
    with database.reading() as session:
        return session.exec(select(Study.id).where(Study.slug == slug)).first() is not None


def build_demo(settings: Settings, database: Database) -> None:
    """Create the missing parts of the video demo: clips, then the study."""
    with database.reading() as session:
        has_clips = session.exec(select(Stimulus.id).where(Stimulus.name == "human-g2-1")).first() is not None
    if not has_clips:
        clips = keep_walks(ClipStore(settings.data_dir))
        with database.transaction() as session:
            add_stimuli(session, clips, datetime.now(UTC), collection=_collection(session))
    _open_study(database, SLUG)


def build_play(database: Database) -> None:
    """Make the demo of a match; it needs no clips."""
    _open_study(database, PLAY)


def build_rate(database: Database) -> None:
    """Make the demo of rating, over the records of one match of programs."""
    [asked] = asked_for("sug", ["rounds=8"], [EXAMPLE], 1, 4)
    [one] = played([asked])
    seats = list(enumerate(one.agents, start=1))
    match = Replayed(one.match, {seat: agent.occupant for seat, agent in seats}, id=one.id)
    names = {(one.id, seat): agent.name for seat, agent in seats}
    with database.transaction() as session:
        documents = documents_of(match, names, "rate-example")
        keep_records(session, documents, datetime.now(UTC), collection=_collection(session))
    _open_study(database, RATE)


def _collection(session: Session) -> int:
    """The id of the demo's shared collection: studies that one makes oneself do not use it unless it is chosen."""
    there = collection_ids(session).get(COLLECTION)
    if there is None:
        there = make_collection(
            session, "The demo's clips", datetime.now(UTC), slug=COLLECTION, is_open=True
        ).id
    return there or 0


def _open_study(database: Database, slug: str) -> None:
    with database.transaction() as session:
        load_version(session, load_study(FILES[slug], stimulus_facts(session)), datetime.now(UTC))
        set_state(session, slug, State.LIVE)
