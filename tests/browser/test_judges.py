"""The page of judges in a browser: a file is checked while it is chosen, added, and shown on Results' chart."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from app.accounts.tables import Role
from app.admin.access import COOKIE
from app.core.database import Database
from app.core.settings import Settings
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.studies.versions import set_state
from app.trials.tables import State
from app.worker.worker import drain
from tests.admin.persons import make_login, make_user
from tests.browser.conftest import fresh_sqlite
from tests.browser.served import served
from tests.browser.steps import AXE_CONTEXT, Check, fits
from tests.factories import open_study
from tests.sessions.test_allocating import answer, begin, block, most_human

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("few_resamples")]

HERE = "/admin/studies/nav/judges"
PEOPLE = 5
# Every pair for everybody, so that each has a majority.
BLOCK = {key: value for key, value in block().items() if key not in ("per_participant", "allocate")}
KEYS = {"sample": None, "trials": None, "background": None, "blocks": [BLOCK]}
HEAD = "judge,pair,choice,score\n"


@pytest.fixture(scope="module")
def service(
    tmp_path_factory: pytest.TempPathFactory,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    migrated_sqlite: Path,
) -> Iterator[tuple[str, str, Settings, Database]]:
    folder: Path = tmp_path_factory.mktemp("judged")
    (folder / "data").mkdir()
    (folder / "data" / "clips").symlink_to(library[0].root / "clips")
    url = fresh_sqlite(migrated_sqlite, folder)
    settings = Settings(  # type: ignore[call-arg]
        LIKELY_HUMAN_DATA=folder / "data", DATABASE_URL=str(url), LIKELY_HUMAN_SECRET="test"
    )
    database = Database(url, checkpointing=True)
    with database.transaction() as session:
        open_study(session, folder, library[1], **KEYS)
        cookie = make_login(session, make_user(session, Role.OWNER, "ada@example.org"))
        for seed in range(1, PEOPLE + 1):
            answer(session, begin(session, seed), most_human)
        set_state(session, "nav", State.CLOSED)
    with served(settings, database) as address:
        yield address, cookie, settings, database


def pages(browser: Browser, address: str, cookie: str, exhaustive: bool) -> Iterator[Page]:
    """The owner's browser, wide and light, then (`make test-all`) narrow and dark."""
    for width, scheme in ((1280, "light"), (390, "dark"))[: 2 if exhaustive else 1]:
        context = browser.new_context(
            base_url=address,
            viewport={"width": width, "height": 900},
            color_scheme=scheme,  # type: ignore[arg-type]
            **AXE_CONTEXT,  # type: ignore[arg-type]
        )
        context.set_default_timeout(60_000)
        context.add_cookies([{"name": COOKIE, "value": cookie, "url": f"{address}/admin"}])
        yield context.new_page()
        context.close()


def test_a_file_is_checked_while_it_is_chosen_corrected_and_shown_beside_one_person(
    browser: Browser, service: tuple[str, str, Settings, Database], check: Check, exhaustive: bool
) -> None:
    address, cookie, settings, database = service
    for number, page in enumerate(pages(browser, address, cookie, exhaustive)):
        name = f"model-{number}"
        page.goto(HERE)
        example = page.request.get(f"{HERE}/example.csv").text().splitlines()[1:]
        names = [line.split(",")[1] for line in example]
        lines = [f"{name},{pair},a,0.9\n" for pair in names]
        bad = [*lines[:-1], f"{name},{names[-1]},a,0.1\n"]
        add = page.get_by_role("button", name="Add and compare with people")
        choose(page, "".join([HEAD, *bad]))
        expect(page.get_by_text(f"Row {len(bad) + 1}: the choice and the score disagree.")).to_be_visible()
        expect(page.get_by_text("Nothing has been added.")).to_be_visible()
        expect(add).to_be_disabled()
        check(page)
        page.get_by_role("button", name="Take the file away").click()
        expect(page.get_by_text("Nothing has been added.")).to_have_count(0)
        choose(page, "".join([HEAD, *lines]))
        expect(page.get_by_text("Can be added")).to_be_visible()
        check(page)
        add.click()
        expect(page.get_by_text("Waiting to begin")).to_be_visible()
        drain(settings, database)
        # The page leaves for the result by itself.
        for judge in ("One person", *(f"model-{each}" for each in range(number + 1))):
            expect(page.get_by_role("img", name=f"{judge}: ")).to_be_visible()
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        check(page)
        assert fits(page)
        # Its own verdicts are replaced only where that is ticked.
        page.goto(HERE)
        choose(page, "".join([HEAD, *lines]))
        expect(page.get_by_text("The file replaces these, once you tick that it may")).to_be_visible()
        assert page.get_by_label("Replace the verdicts of a judge of the same name").evaluate(
            "box => box.required"
        )


def choose(page: Page, text: str) -> None:
    page.get_by_label("A file of verdicts").set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": text.encode()}
    )
