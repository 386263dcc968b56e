"""The service on a lab's folder, as `make lab` makes it, for browser tests of pages at real size."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from app.accounts.logins import Who
from app.accounts.users import user_named
from app.core.migrating import open_database
from app.core.settings import Settings
from tests.admin.persons import make_login
from tests.browser.served import served
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
    with served(settings, database) as address:
        yield Service(address, database, settings.data_dir, cookie, folder)
