"""Pictures of the guide to recruiting: `python -m tools.recruiting_pictures` writes `docs/images/recruiting-NAME.png`.

The service runs with a study for each recruiter, and people who came from Prolific; its pages are taken as they are.
"""

import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import uvicorn
from PIL import Image
from playwright.sync_api import FilePayload, Page, sync_playwright
from sqlalchemy import URL
from sqlmodel import select

from app.accounts.tables import Role
from app.admin.access import COOKIE
from app.core.database import Database
from app.core.settings import Settings
from app.main import create_app
from app.serving import address_of, bind
from app.sessions.coming import Came
from app.sessions.entering import Visit, enter
from app.sessions.state_machine import submit
from app.studies.versions import set_state
from app.trials.tables import ParticipantIdentity, ParticipantSession, SessionVerdict, State, Status
from tests.admin.persons import make_login, make_user
from tests.browser.conftest import CHROMIUMS, LAUNCH
from tests.conftest import migrate
from tests.factories import NOW, load_file, make_library, open_study

TO = Path("docs") / "images"
WIDTH = 1180
CODES = {
    "finished": "C7RKM2XA", "no_consent": "CNWQ83ZT", "screened_out": "C4HLP9VD", "failed_checks": "CB6YFE2J",
    "full": "CXT5N7RG", "partial": "C9DQK4MU", "failed": "C2VZW8HP",
}  # fmt: skip
WAYS: Mapping[str, Any] = {
    "prolific": {"redirect": "https://app.prolific.com/submissions/complete?cc={code}", "codes": CODES},
    "mturk": {"codes": CODES},
    "sona": {
        "redirect": "https://lab.sona-systems.com/webstudy_credit.aspx?experiment_id=12&credit_token=ab34"
        "&survey_code={participant}"
    },
    "connect": {
        "redirect": "https://connect.cloudresearch.com/participant/project/570B52049B/complete",
        "codes": CODES,
    },
}
SITE = "https://study.example.org"
SUBMISSIONS = """\
Submission id,Participant id,Status,Started at,Completed at,Time taken,Completion code
66a1c0de1,5f3c1a9e7b2d4c0018aa91f1,AWAITING REVIEW,2026-03-01T12:00:00Z,2026-03-01T12:12:30Z,750,C7RKM2XA
66a1c0de2,5f3c1a9e7b2d4c0018aa91f2,AWAITING REVIEW,2026-03-01T12:00:00Z,2026-03-01T12:11:00Z,660,NOCODE
66a1c0de3,5f3c1a9e7b2d4c0018aa91f3,AWAITING REVIEW,2026-03-01T12:00:00Z,2026-03-01T12:03:00Z,180,C7RKM2XA
66a1c0de4,5f3c1a9e7b2d4c0018aa91f4,AWAITING REVIEW,2026-03-01T12:00:00Z,2026-03-01T12:02:00Z,120,NOCODE
66a1c0de5,5f3c1a9e7b2d4c0018aa91f5,RETURNED,2026-03-01T12:00:00Z,,,
"""


def fill(database: Database, folder: Path) -> str:
    """Load the studies and let people come; returns the cookie of an experimenter."""
    _, clips = make_library(folder)
    with database.transaction() as session:
        open_study(session, folder, clips)
        for recruiter, completion in WAYS.items():
            recruitment = {"from": recruiter}
            load_file(session, folder, study=recruiter, recruitment=recruitment, completion=completion)
            set_state(session, recruiter, State.LIVE)
        for number in range(1, 4):
            id_ = f"5f3c1a9e7b2d4c0018aa91f{number}"
            token = enter(session, Visit("prolific", participant=id_), NOW)
            form = {"submit_id": "consent.x", "decision": "agree", "of_age": "yes"}
            submit(session, token, form, NOW, Random(number), Came("prolific", NOW, id_))
        for one in session.exec(select(ParticipantSession)).all():
            is_quick = session.get_one(ParticipantIdentity, one.id).external_id == id_
            one.status, one.ended_at = Status.COMPLETED, NOW + timedelta(minutes=2.5 if is_quick else 11.9)
            if is_quick:
                rules = {"too-fast": {"minutes": 2.5}}
                session.add(
                    SessionVerdict(
                        session_id=one.id or 0,
                        use=False,
                        pay=False,
                        rules=rules,
                        names="too-fast",
                        judged_at=NOW,
                    )
                )
        who = make_user(session, Role.OWNER, "ann.lee@example.org")
        return make_login(session, who)


@contextmanager
def served() -> Iterator[tuple[str, str]]:
    """The address of the service, and the cookie."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = URL.create("sqlite", database=str(folder / "pictures.sqlite3"))
        migrate(url)
        settings = Settings(  # type: ignore[call-arg]
            LIKELY_HUMAN_DATA=folder,
            DATABASE_URL=str(url),
            LIKELY_HUMAN_SECRET="pictures",
            LIKELY_HUMAN_ADDRESS=SITE,
        )
        database = Database(url, checkpointing=True)
        cookie = fill(database, folder)
        bound = bind("127.0.0.1", 0)
        bound.listen()
        server = uvicorn.Server(uvicorn.Config(create_app(settings, database), log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        yield address_of(bound), cookie
        server.should_exit = True
        thread.join()


def take(page: Page, base: str) -> None:
    """Take every picture, one part of a page each."""

    def picture(name: str, part: str) -> None:
        path = TO / f"recruiting-{name}.png"
        page.locator(part).first.screenshot(path=path)
        with Image.open(path) as image:  # a page has few colours, and all pictures lie in the repository
            image.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)

    page.goto(f"{base}/admin/studies/prolific/recruiting")
    picture("prolific", "section:has(#ways)")
    page.goto(f"{base}/admin/studies/mturk/recruiting")
    picture("mturk", "section:has(#link)")
    page.goto(f"{base}/admin/studies/sona/recruiting")
    picture("sona", "section:has(#steps)")
    page.goto(f"{base}/admin/studies/prolific/design#recruitment")
    picture("design", "#recruitment")
    page.goto(f"{base}/admin/studies/prolific/recruiting")
    file = FilePayload(name="prolific.csv", mimeType="text/csv", buffer=SUBMISSIONS.encode())
    page.locator("#file").set_input_files(files=file)
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("heading", name="Lists to hand in").wait_for()
    picture("submissions", "main")


def main() -> int:
    path = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    with served() as (base, cookie), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=LAUNCH)
        context = browser.new_context(viewport={"width": WIDTH, "height": 900}, reduced_motion="reduce")
        context.add_cookies([{"name": COOKIE, "value": cookie, "url": f"{base}/admin"}])
        take(context.new_page(), base)
        browser.close()
    made = sorted(TO.glob("recruiting-*.png"))
    sys.stdout.write(f"{len(made)} pictures, {sum(file.stat().st_size for file in made) // 1000} kB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
