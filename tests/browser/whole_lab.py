"""A small lab with a study of each task and each state, and what its worker made, to go over every page of it."""

import re
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import uvicorn
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from app.accounts.logins import Who
from app.accounts.password_links import make_password_link
from app.accounts.users import user_named
from app.core.migrating import open_database
from app.core.settings import Settings
from app.demo.build import PLAY, RATE
from app.jobs.tables import Job, JobStatus
from app.library.tables import Stimulus
from app.main import create_app
from app.serving import address_of, bind
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.studies.access import study_for
from app.studies.drafts import create_study, draft_for, keys_of_version, save_draft
from app.studies.file.templates import TEMPLATES
from app.studies.saving import save_version
from app.studies.versions import set_state
from app.tasks.game.tables import Match
from app.trials.tables import ParticipantSession, State, Study, StudyVersion
from app.worker.worker import drain
from tests.admin.persons import Person, make_login, share_study
from tools.lab import WALK, make_lab
from tools.lab_plan import planned

N_STUDIES, N_CLIPS, N_SESSIONS, N_PEOPLE = 9, 30, 5, 3
OWNER, VIEWER = "owner@example.org", "reader@example.org"
Keys = dict[str, Any]

TEXTS: Final = "item,text\n" + "".join(
    f"e{n},I passed {n} doors before I saw the goal.\n" for n in range(1, 4)
)
LIVE, _, CLOSED, PAUSED, ARCHIVED = (study.slug for study in planned(5, N_SESSIONS, 1))
EMPTY, FAULTY, ESSAYS, YES_NO, IN_TURN, ARMS = (
    "empty",
    "faulty",
    "essays",
    "yes-no",
    "in-turn",
    "both-studies",
)
SHARED = (LIVE, CLOSED, PLAY, RATE, WALK, EMPTY, FAULTY)
"""The studies that the viewer sees."""
STUDIES = (LIVE, CLOSED, PAUSED, ARCHIVED, PLAY, RATE, WALK, EMPTY, FAULTY, ESSAYS, YES_NO, IN_TURN, ARMS)


@dataclass(frozen=True, slots=True)
class WholeLab:
    """The service on the lab. `cookies` are those of logins by address of mail; `names` fill in addresses of pages."""

    address: str
    cookies: Mapping[str, str]
    names: Mapping[str, str]


def settings_in(folder: Path, address: str = "http://127.0.0.1:1") -> Settings:
    return Settings.model_validate(
        {
            "LIKELY_HUMAN_DATA": folder,
            "DATABASE_URL": "",
            "LIKELY_HUMAN_SECRET": "test",
            "LIKELY_HUMAN_MAX_STARTS": 0,
            "LIKELY_HUMAN_MAIL": "smtp://127.0.0.1:9",
            "LIKELY_HUMAN_MAIL_FROM": "lab@example.org",
            "LIKELY_HUMAN_ADDRESS": address,
        }
    )


@contextmanager
def served(folder: Path, port: int = 0) -> Iterator[WholeLab]:
    """The service on a lab made in a folder that is not there yet."""
    with ThreadPoolExecutor(
        1
    ) as elsewhere:  # simulated people have a loop of their own, and Playwright's runs here
        names = elsewhere.submit(make_whole_lab, folder).result()
    bound = bind("127.0.0.1", port)
    bound.listen()  # who comes before the service runs waits for it
    settings = settings_in(folder, address_of(bound))
    database = open_database(settings, checkpointing=True)
    with database.transaction() as session:
        cookies = {email: make_login(session, _who(session, email)) for email in (OWNER, VIEWER)}
    server = uvicorn.Server(uvicorn.Config(create_app(settings, database), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    yield WholeLab(address_of(bound), cookies, names)
    server.should_exit = True
    thread.join()


def _who(session: Session, email: str) -> Who:
    found = user_named(session, email)
    return Who(found.id, found.email, found.role)


def make_whole_lab(folder: Path) -> Mapping[str, str]:
    """Make the lab; returns the names by which its pages are found."""
    make_lab(folder, N_STUDIES, N_CLIPS, N_SESSIONS)
    settings, now = settings_in(folder), datetime.now(UTC)
    database = open_database(settings)
    with database.transaction() as session:
        who = _who(session, OWNER)
        for slug, keys in _own(session).items():
            _add(session, who, slug, keys, now)
        for slug in SHARED:
            share_study(session, slug, _who(session, VIEWER))
        set_state(session, PAUSED, State.LIVE, by=who.actor, now=now)
        set_state(session, PAUSED, State.PAUSED, by=who.actor, now=now)
        _study(session, ARCHIVED).archived_at = now
        _change_design(session, who, CLOSED, now)
        link = make_password_link(session, _who(session, VIEWER).user_id, now)
        cookie = make_login(session, who)
    for slug in (ESSAYS, YES_NO, IN_TURN):
        run_simulation(settings, database, slug, n=N_PEOPLE, traits=Traits(), seed=1)
    with TestClient(create_app(settings, database)) as client:
        owner = Person(client, cookie, who)
        told = _ask_worker(owner)
    database = open_database(settings)
    drain(settings, database)
    with database.reading() as session:
        names = {**_names(session), **told, "password_link": link}
    database.close()
    return names


def _own(session: Session) -> Mapping[str, Keys]:
    """The studies that a lab has not, by their names; those of a template stay drafts."""
    pairs = _keys(session, LIVE)
    clips = session.exec(select(Stimulus.name).where(col(Stimulus.name).like("faces-%")).limit(4)).all()
    good = {"id": "good", "type": "likert", "ask": "How good is it?", "labels": list("12345")}
    rest = {key: value for key, value in pairs.items() if key not in ("pairs", "trials", "target")}
    yes_no = {"id": "real", "type": "choice", "ask": "A person?", "options": ["Yes", "No"], "yes_no": True}
    watched = {"id": "watch", "task": "pair", "pairs": pairs["pairs"], "trials": pairs["trials"]}
    rows = "item,stimulus\n" + "".join(f"i{n},{name}\n" for n, name in enumerate(clips))
    return {
        EMPTY: TEMPLATES["blank"].keys(),
        ARMS: TEMPLATES["hntt-arms"].keys(),
        FAULTY: {
            **pairs,
            "consent": {"version": "", "text": ""},
            "target": -1,
            "pairs": "pair,a,b\np1,gone,gone\n",
        },
        ESSAYS: {**rest, "blocks": [{"id": "rate", "task": "rating", "items": TEXTS, "questions": [good]}]},
        YES_NO: {
            **rest,
            "blocks": [watched, {"id": "rate", "task": "rating", "items": rows, "questions": [yes_no]}],
        },
        IN_TURN: {**pairs, "trials": {**pairs["trials"], "layout": "sequential"}},
    }


def _keys(session: Session, slug: str) -> Keys:
    return keys_of_version(session, study_for(session, _who(session, OWNER), slug), 1)


def _add(session: Session, who: Who, slug: str, keys: Keys, now: datetime) -> None:
    here = create_study(session, who, slug, {**keys, "study": slug, "title": slug.replace("-", " ")}, now)
    if slug in (ESSAYS, YES_NO, IN_TURN):
        save_version(session, who, here, "", now)
        set_state(session, slug, State.LIVE, by=who.actor, now=now)


def _change_design(session: Session, who: Who, slug: str, now: datetime) -> None:
    """An unsaved change to a design that people have answered, so that a version of it needs a reason."""
    here = study_for(session, who, slug)
    draft = draft_for(session, here)
    save_draft(session, who, here, {**draft.keys, "title": "Changed since"}, draft.revision, now)


def _study(session: Session, slug: str) -> Study:
    return session.exec(select(Study).where(Study.slug == slug)).one()


def _ask_worker(owner: Person) -> Mapping[str, str]:
    """Ask for what the worker makes; returns the token of a link to results."""
    closed = f"/admin/studies/{CLOSED}"
    for slug in (CLOSED, RATE, PLAY):
        _post(owner, f"/admin/studies/{slug}/reports", mode="live")
        owner.get(f"/admin/studies/{slug}/results?mode=live")
    for slug in (ESSAYS, YES_NO, IN_TURN, PLAY, RATE, WALK):
        owner.get(f"/admin/studies/{slug}/results?mode=simulated")
    _post(owner, f"/admin/studies/{WALK}/walk-clips", mode="live")
    _post(owner, f"{closed}/packages", authors="Ada", license="CC-BY-4.0")
    _post(owner, f"{closed}/clues")
    _post(owner, f"{closed}/register")
    rows = owner.get(f"{closed}/judges/example.csv").text.replace("name-of-your-judge", "ours").encode()
    owner.post(f"{closed}/judges", {"mode": ""}, files={"verdicts": ("v.csv", rows, "text/csv")})
    _post(owner, f"{closed}/notes", text="**Ask** Ben")
    ends = (datetime.now(UTC) + timedelta(days=30)).date().isoformat()
    _post(owner, "/admin/users", email="new@example.org", role="editor")  # the mail to them is not sent
    reply = owner.post(f"{closed}/results/links", {"mode": "live", "name": "Journal", "ends": ends})
    found = re.search(r"/r/([\w-]+)", reply.text)
    assert found, reply.text
    return {"shared_link": found[1]}


def _post(owner: Person, path: str, **fields: str) -> None:
    reply = owner.post(path, fields)
    assert reply.status_code < 400, (path, reply.status_code, reply.text)


def _names(session: Session) -> Mapping[str, str]:
    """Of what is found by a number: the newest job of each kind, a session of each study, a match, a clip, a user."""
    jobs = session.exec(select(Job).where(Job.status == JobStatus.DONE).order_by(col(Job.id))).all()
    match = session.exec(select(Match)).first()
    clip = session.exec(select(Stimulus.name).where(col(Stimulus.name).like("faces-%"))).first()
    spare = session.exec(select(Stimulus.name).where(col(Stimulus.name).like("hands-symbolic-%"))).first()
    rows = session.exec(
        select(Study.slug, ParticipantSession.id)
        .join(StudyVersion, col(StudyVersion.study_id) == Study.id)
        .join(ParticipantSession, col(ParticipantSession.version_id) == StudyVersion.id)
    )
    return {
        **{f"{job.kind}_job": str(job.id) for job in jobs},
        **{f"session_of_{slug}": str(id_) for slug, id_ in rows},
        "match": str(match.id if match else 0),
        "clip": clip or "",
        "spare": spare or "",
        "user": str(_who(session, VIEWER).user_id),
    }
