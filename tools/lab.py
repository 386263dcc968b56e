"""`make lab`: a data folder with sixty studies, 600 clips and a study of 400 sessions, to look at pages at real size.

The files of sixteen clips are shared by all. People are rows written straight into the database, as `bench.crowd` draws
them; of the demo's other studies (a game, ratings) and a walk on a map a few simulated people walk the real pages.
"""

import argparse
import random
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import update
from sqlmodel import Session, SQLModel, col, func, select

from app.accounts import passwords, users
from app.accounts.audit import Actor, record
from app.accounts.logins import Who
from app.accounts.tables import Role
from app.core.database import Database
from app.core.migrating import open_database
from app.core.settings import Settings
from app.demo.build import PLAY, RATE, build_play, build_rate
from app.demo.owner import DemoOwner, demo_owner
from app.demo.walks import keep_walks
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.drawing import draw
from app.library.stimuli import add_stimuli
from app.sessions.runs import run_of
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.studies.drafts import create_study
from app.studies.file.drafts import with_slug
from app.studies.file.templates import TEMPLATES
from app.studies.saving import save_version
from app.studies.tables import StudyTag
from app.studies.versions import set_state
from app.trials.responses import Evidence, Response
from app.trials.tables import (
    Exclusion,
    Mode,
    ParticipantSession,
    SessionNote,
    State,
    Status,
    Study,
    StudyVersion,
    Trial,
)
from bench.crowd import Crowd, write_rows
from tools.lab_plan import PEOPLE, PRACTICE, TOPICS, Planned, keys_of, planned

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "lab"
MARK = "made-by-make-lab"
STUDIES, CLIPS, SESSIONS, SEED = 60, 600, 400, 1
N_PAIRS = 12
OTHERS = 4  # the demo's game and ratings, a walk on a map, and a draft of a real study file
WALKERS = 3
WALK = "walk"
# In the order in which a study is launched.
WAYS: Mapping[State, Sequence[State]] = {
    State.DRAFT: (),
    State.PILOT: (State.PILOT,),
    State.LIVE: (State.PILOT, State.LIVE),
    State.PAUSED: (State.PILOT, State.LIVE, State.PAUSED),
    State.CLOSED: (State.PILOT, State.LIVE, State.CLOSED),
}


class Refused(Exception):
    """The folder is not ours to make anew, or what was asked for makes no lab."""


def make_lab(
    folder: Path,
    studies: int = STUDIES,
    clips: int = CLIPS,
    sessions: int = SESSIONS,
    seed: int = SEED,
    *,
    with_others: bool = True,
) -> DemoOwner:
    """Make the folder anew; returns its owner. Without `with_others` all studies are of pairs of clips.

    Raises Refused for a folder that something else is in, and for too few clips.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
        raise Refused(
            f"{folder} holds something that `make lab` did not make; remove it, or name another folder"
        )
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    (folder / MARK).touch()
    settings = Settings(LIKELY_HUMAN_DATA=folder, DATABASE_URL="", LIKELY_HUMAN_MAX_STARTS=0)  # type: ignore[call-arg]
    database, now = open_database(settings), datetime.now(UTC)
    owner = demo_owner(settings, database)
    with database.transaction() as session:
        people = _people(session, now)
        by_topic = _clips(session, settings, clips, people, now)
    walked = min(OTHERS, studies - OTHERS) if with_others and studies > OTHERS else 0
    for each in planned(studies - walked, sessions, seed):
        with database.transaction() as session:
            _study(session, each, people, by_topic[each.topic], now)
    if walked:
        _others(settings, database, people["owner"], now)
    database.close()
    return owner


def _people(session: Session, now: datetime) -> dict[str, Who]:
    """The owner and the experimenters, who have no passwords that anybody knows."""
    hashed = passwords.hashed(passwords.generated(), is_drawn=True)
    owner = users.user_named(session, "owner@example.org")
    found = {"owner": Who(owner.id, owner.email, owner.role)}
    by = found["owner"].actor
    for name in PEOPLE:
        email = f"{name}@example.org"
        found[name] = Who(
            users.add_user(session, email, Role.EDITOR, hashed, by=by, now=now),
            email,
            Role.EDITOR,
        )
    users.add_user(session, "reader@example.org", Role.VIEWER, hashed, by=by, now=now)
    return found


def _clips(
    session: Session, settings: Settings, n: int, people: Mapping[str, Who], now: datetime
) -> dict[str, list[tuple[str, str]]]:
    """Add `n` clips over the files of a few; returns the pairs of each topic: a person's clip and a program's."""
    store = ClipStore(settings.data_dir)
    walks = keep_walks(store)
    for clip in walks:
        draw(store, settings.data_dir, clip.clip_sha256, clip.original_sha256)
    made: list[tuple[str, ImportedClip]] = []
    for at in range(n):
        topic, file = list(TOPICS)[at % len(TOPICS)], walks[at // len(TOPICS) % len(walks)]
        number = at // len(TOPICS) // len(walks) + 1
        goal = file.attributes.get("goal", "1")
        name = f"{topic}-{file.source}-g{goal}-{number}"
        attributes = {"goal": goal, "recorded": ("lab A", "lab B", "lab C")[number % 3], "take": str(number)}
        made.append((topic, replace(file, name=name, original_name=f"{name}.mp4", attributes=attributes)))
    everyone = [person.user_id for person in people.values()]
    pairs: dict[str, list[tuple[str, str]]] = {}
    for topic, by in zip(TOPICS, (everyone * 2)[: len(TOPICS)], strict=True):
        own = [clip for of, clip in made if of == topic]
        add_stimuli(session, own, now - timedelta(days=130), uploaded_by=by)
        # By their files, as a study refuses two pairs of the same: the last of these clips stands for them.
        files = {
            (a.clip_sha256, b.clip_sha256): (a.name, b.name)
            for a in own
            for b in own
            if a.source == "human" != b.source
        }
        pairs[topic] = list(files.values())
    if min(map(len, pairs.values())) <= PRACTICE:
        raise Refused(f"{n} clips are too few for pairs in each of {len(TOPICS)} topics; 30 are enough")
    return pairs


def _study(
    session: Session,
    study: Planned,
    people: Mapping[str, Who],
    pairs: Sequence[tuple[str, str]],
    now: datetime,
) -> None:
    """One study with its tag, versions, states and sessions, at the times at which they came about."""
    rng, who = random.Random(study.slug), people[study.owner]
    at = now - timedelta(days=study.days)
    if study.template:
        keys = with_slug(TEMPLATES[study.template].keys(), study.slug, study.title)
        here = create_study(session, who, study.slug, keys, at)
        session.add(StudyTag(study_id=here.id, tag=study.topic))
        return
    keys = keys_of(study, rng.sample(list(pairs), min(N_PAIRS, len(pairs))))
    owner = replace(who, role=Role.OWNER)  # sees the clips of all topics
    here = create_study(session, owner, study.slug, keys, at)
    session.add(StudyTag(study_id=here.id, tag=study.topic))
    save_version(session, owner, here, "", at + timedelta(hours=1))
    for number, state in enumerate(WAYS[study.state], start=1):
        last = number == len(WAYS[study.state])
        when = (
            now - timedelta(days=study.days * rng.uniform(0, 0.1))
            if last and number > 2
            else at + timedelta(hours=1 + number)
        )
        set_state(session, study.slug, state, by=who.actor, now=when, noted={"version": 1})
    if study.came:
        _crowd(session, study, rng, at + timedelta(hours=4), now, who.actor)
    if study.is_archived:
        row = session.exec(select(Study).where(Study.slug == study.slug)).one()
        row.archived_at = now
        record(session, who.actor, "study.archive", now=now, study=study.slug)


def _crowd(
    session: Session, study: Planned, rng: random.Random, begins: datetime, now: datetime, by: Actor
) -> None:
    """The sessions of a study, spread over the time since its launch; a few are left out by hand, or have a note."""
    of = (
        select(StudyVersion)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .where(Study.slug == study.slug)
    )
    version = session.exec(of).one()
    version.frozen_at = begins
    run = run_of(session, version.id or 0, version.sha256)
    every = (now - begins) / (study.came + 1)
    ids: dict[type[SQLModel], int] = {
        table: _free_id(session, table) for table in (ParticipantSession, Trial, Response, Evidence)
    }
    crowd = Crowd(run, version.id or 0, rng, begins, every, study.accuracy, next_id=ids)
    first = ids[ParticipantSession]
    mode = Mode.PILOT if study.state is State.PILOT else Mode.LIVE
    for number in range(1, study.came + 1):
        crowd.person(number, mode)
    write_rows(session, crowd)
    looked_at = [first + at for at in range(study.came)]
    for id_ in rng.sample(looked_at, study.came // 40):
        session.add(
            Exclusion(
                session_id=id_,
                reason="Wrote that they had seen the clips before.",
                excluded_by=by.user_id,
                excluded_at=now,
            )
        )
    for id_ in rng.sample(looked_at, study.came // 50):
        session.add(
            SessionNote(
                session_id=id_, text="Asked by message about the pay.", written_by=by.user_id, written_at=now
            )
        )
    _end_those_of_yesterday(session, version.id or 0, now, is_open=study.state is State.LIVE)


def _end_those_of_yesterday(session: Session, version_id: int, now: datetime, *, is_open: bool) -> None:
    """Release the places of people who came more than an hour ago and have not finished."""
    until = now - timedelta(hours=1) if is_open else now
    left = update(ParticipantSession).where(
        col(ParticipantSession.version_id) == version_id,
        col(ParticipantSession.status) == Status.ACTIVE,
        col(ParticipantSession.arrived_at) < until,
    )
    session.execute(left.values(released_at=until))


def _free_id(session: Session, table: type[SQLModel]) -> int:
    return (session.execute(select(func.max(table.__table__.c.id))).scalar() or 0) + 1  # type: ignore[attr-defined]


def _others(settings: Settings, database: Database, who: Who, now: datetime) -> None:
    """A game, ratings and a walk on a map, with a few people who walk their real pages; and a study file still open."""
    build_play(database)
    build_rate(database)
    with database.transaction() as session:
        walk = TEMPLATES["walk-the-map"].keys()
        here = create_study(session, who, WALK, with_slug(walk, WALK), now)
        save_version(session, who, here, "", now)
        set_state(session, WALK, State.LIVE, by=who.actor, now=now)
        later = create_study(
            session, who, "game-of-offers", with_slug(TEMPLATES["ultimatum"].keys(), "game-of-offers"), now
        )
        save_version(session, who, later, "", now)
    for slug in (PLAY, RATE, WALK):
        run_simulation(settings, database, slug, n=WALKERS, traits=Traits(), seed=SEED)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make lab", description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--studies", type=int, default=STUDIES)
    parser.add_argument("--clips", type=int, default=CLIPS)
    parser.add_argument("--sessions", type=int, default=SESSIONS, help="of the largest study")
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args(arguments)
    try:
        owner = make_lab(asked.folder, asked.studies, asked.clips, asked.sessions, asked.seed)
    except Refused as error:
        sys.stderr.write(f"lab: {error}\n")
        return 1
    sys.stdout.write(
        f"{asked.studies} studies in {asked.folder}. Serve them with\n"
        f"  LIKELY_HUMAN_DATA={asked.folder} DATABASE_URL= .venv/bin/likely-human serve\n"
        f"and log in at http://127.0.0.1:8000/admin as {owner.email}, password {owner.password}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
