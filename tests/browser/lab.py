"""The service on a lab's folder, as `make lab` makes it, for browser tests of pages at real size."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import uvicorn

from app.accounts.logins import Who
from app.accounts.users import user_named
from app.core.migrating import open_database
from app.core.settings import Settings
from app.main import create_app
from app.serving import address_of, bind
from tests.admin.persons import make_login
from tests.browser.test_stimuli import Service
from tools.lab import make_lab


def lab_service(
    folder: Path, studies: int, clips: int, sessions: int, *, with_others: bool = True
) -> Iterator[Service]:
    """The service on a lab that is made in the folder, with the lab's owner logged in."""
    # In a thread of its own: the simulated people run an event loop, and Playwright's is running in this one.
    with ThreadPoolExecutor(1) as pool:
        owner = pool.submit(make_lab, folder, studies, clips, sessions, with_others=with_others).result()
    settings = Settings(LIKELY_HUMAN_DATA=folder, DATABASE_URL="", LIKELY_HUMAN_SECRET="test")  # type: ignore[call-arg]
    database = open_database(settings, checkpointing=True)
    with database.transaction() as session:
        found = user_named(session, owner.email or "")
        cookie = make_login(session, Who(found.id, found.email, found.role))
    bound = bind("127.0.0.1", 0)
    bound.listen()  # who comes before the service runs waits for it
    server = uvicorn.Server(uvicorn.Config(create_app(settings, database), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    yield Service(address_of(bound), database, settings.data_dir, cookie, folder)
    server.should_exit = True
    thread.join()
