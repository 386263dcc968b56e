"""Clips by mouse and keyboard in a real browser: uploaded, looked at, masked, edited; nothing lost on the way."""

import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, Route, expect
from sqlmodel import select

from app.accounts.tables import Role
from app.admin.access import COOKIE
from app.catalog.rules import rules_view
from app.core.database import Database
from app.core.settings import Settings
from app.jobs.tables import Job, JobStatus, Kind
from app.library.tables import Stimulus
from app.studies.drafts import create_study
from tests.admin.persons import make_login, make_user
from tests.browser.conftest import fresh_sqlite
from tests.browser.served import served
from tests.browser.steps import AXE_CONTEXT, Check
from tests.factories import NOW, load_file
from tests.library.clips.videos import make_video

pytestmark = pytest.mark.browser

PIECE = 8 * 1024 * 1024
LONG_MS = 300_000


@dataclass
class Service:
    address: str
    database: Database
    data_dir: Path
    cookie: str
    files: Path


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Iterator[Service]:
    """The service with a worker, an owner, and no clips; files to upload beside it."""
    folder = tmp_path_factory.mktemp("stimuli")
    url = fresh_sqlite(migrated_sqlite, folder)
    settings = Settings(LIKELY_HUMAN_DATA=folder / "data", DATABASE_URL=str(url), LIKELY_HUMAN_SECRET="test")  # type: ignore[call-arg]
    database, workers = Database(url, checkpointing=True), Database(url)
    with database.transaction() as session:
        owner = make_user(session, Role.OWNER, "owner@example.org")
        cookie = make_login(session, owner)
        create_study(session, owner, "nav", {"pairs": "pair,a,b\np1,walk-1,walk-2\n"}, NOW)
        create_study(session, owner, "shapes", {"title": "Which is real?"}, NOW, None, ())
    with served(settings, database, workers) as address:
        yield Service(address, database, settings.data_dir, cookie, make_files(folder / "files"))
    workers.close()


def make_files(folder: Path) -> Path:
    for number in (1, 2, 3):
        make_video(folder / f"walk-{number}.mp4", width=160, height=100, colour=(60 * number, 90, 140))
    shapes = {"portrait": (180, 320), "wide-1": (320, 180), "wide-2": (320, 180)}
    for red, (name, (width, height)) in enumerate(shapes.items()):  # no two alike: the same file is refused
        make_video(folder / f"{name}.mp4", width=width, height=height, colour=(80 * red, height % 250, 9))
    (folder / "notes.mp4").write_text("not a video\n" * 200)
    (folder / "empty.mp4").write_bytes(b"")
    large = make_video(folder / "large.mp4", width=160, height=100, colour=(10, 200, 10))
    padding = PIECE + 1000
    with large.open("ab") as file:  # a box that players skip
        file.write(struct.pack(">I4s", padding, b"free") + bytes(padding - 8))
    return folder


@pytest.fixture
def page(browser: Browser, service: Service) -> Iterator[Page]:
    yield from opened(browser, service)


def opened(browser: Browser, service: Service, **options: object) -> Iterator[Page]:
    """A logged-in browser; asking any other host, or an error in the console, fails the test."""
    foreign: list[str] = []
    faults: list[str] = []
    options = {"viewport": {"width": 1280, "height": 900}, **options}
    context = browser.new_context(base_url=service.address, **options)  # type: ignore[arg-type]
    context.set_default_timeout(60_000)
    context.add_cookies([{"name": COOKIE, "value": service.cookie, "url": f"{service.address}/admin"}])
    context.on(
        "request",
        lambda r: None if r.url.removeprefix("blob:").startswith(service.address) else foreign.append(r.url),
    )
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if "Content Security" in said.text else None)
    yield page
    context.close()
    assert (foreign, faults) == ([], [])


def choose(page: Page, service: Service, *names: str, source: str = "human") -> None:
    page.goto("/admin/stimuli/upload")
    page.get_by_label("Source", exact=True).fill(source)
    page.get_by_label("Attribute").first.fill("goal")
    page.get_by_label("Value").first.fill("g1")
    with page.expect_file_chooser() as chooser:
        page.get_by_label("Choose video files").click()
    chooser.value.set_files([str(service.files / name) for name in names])


@pytest.fixture
def walks(browser: Browser, service: Service) -> None:
    """The three clips in the library, whichever test is the first to want them."""
    with service.database.reading() as session:
        if session.exec(select(Stimulus.id).where(Stimulus.name == "walk-3")).first() is not None:
            return
    for page in opened(browser, service):
        choose(page, service, "walk-1.mp4", "walk-2.mp4", "walk-3.mp4")
        page.get_by_role("button", name="Upload 3 files").click()
        expect(page.locator("[data-summary]")).to_contain_text("3 in the library", timeout=LONG_MS)


def test_after_a_reload_files_in_the_queue_can_be_cancelled_one_and_all(page: Page, service: Service) -> None:
    held: list[int] = []

    def hold(route: Route) -> None:
        """Hold imports back from when the frame of their collection is decided, so that the queue stands still."""
        if not held:
            with service.database.transaction() as session:
                job = Job(kind=Kind.REPROCESS, params={}, status=JobStatus.RUNNING, asked_at=NOW)
                session.add(job)
                session.flush()
                held.append(job.id or 0)
        route.continue_()

    page.route("**/admin/stimuli/uploads/**", hold)
    choose(page, service, "walk-1.mp4", "walk-2.mp4", "walk-3.mp4")
    page.get_by_role("button", name="Upload 3 files").click()
    expect(page.locator("[data-summary]")).to_contain_text("3 to be processed", timeout=LONG_MS)
    expect(page.locator(".file").first).to_contain_text(
        "Waits until the clips of its collection are processed"
    )
    page.goto("/admin/stimuli/upload")
    rows = page.locator("[data-queue] .file")
    expect(rows).to_have_count(3)
    rows.first.get_by_role("button", name="Cancel").click()
    expect(rows).to_have_count(2)
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Cancel all").click()
    expect(rows).to_have_count(0)
    with service.database.transaction() as session:
        session.delete(session.get_one(Job, held[0]))
        assert not session.exec(select(Stimulus.id)).first()


def test_files_are_uploaded_processed_and_refused_each_by_itself(page: Page, service: Service) -> None:
    choose(page, service, "walk-1.mp4", "walk-2.mp4", "walk-3.mp4", "notes.mp4", "empty.mp4")
    page.get_by_role("button", name="Upload 5 files").click()
    expect(page.locator(".file")).to_have_count(4)
    expect(page.locator(".file", has_text="notes.mp4")).to_contain_text(
        "is text, not a video", timeout=LONG_MS
    )
    for number in (1, 2, 3):
        done = page.locator(".file", has_text=f"walk-{number}.mp4")
        expect(done).to_contain_text(f"In the library as walk-{number}", timeout=LONG_MS)
    expect(page.locator("[data-summary]")).to_contain_text("3 in the library, 1 refused")
    expect(page.locator("[data-cancel-all]")).to_be_hidden()  # nothing is left to be cancelled
    expect(page.locator("[data-summary]")).to_contain_text("1 file is empty and not sent: empty.mp4")
    expect(page.locator("#collection option:checked")).to_have_text("Library (3 clips, shared)")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Library").click()
    expect(page.locator(".clip-card")).to_have_count(3)
    for video in page.locator(".clip-card video").all():
        poster = page.request.get(f"{service.address}{video.get_attribute('poster')}")
        assert poster.headers["content-type"] == "image/jpeg"
    first = page.locator(".clip-card video").first
    first.hover()
    expect(first).to_have_js_property("paused", False)
    page.mouse.move(0, 0)
    expect(first).to_have_js_property("paused", True)
    page.locator(".clip-card video").nth(1).focus()
    expect(page.locator(".clip-card video").nth(1)).to_have_js_property("paused", False)


def test_files_are_dropped_on_the_page(page: Page, service: Service) -> None:
    page.goto("/admin/stimuli/upload")
    dropped = page.evaluate_handle(
        """() => {
            const files = new DataTransfer();
            for (const name of ["dropped-1.mp4", "<b>dropped-2.mp4"])
                files.items.add(new File(["text ".repeat(500)], name));
            return files;
        }"""
    )
    page.dispatch_event("[data-drop]", "drop", {"dataTransfer": dropped})
    page.get_by_label("Source", exact=True).fill("human")
    page.get_by_role("button", name="Upload 2 files").click()
    for name in ("dropped-1.mp4", "<b>dropped-2.mp4"):
        file = page.locator(".file", has_text=name)
        expect(file).to_contain_text(f"Refused: {name} is text, not a video.", timeout=LONG_MS)


class FlakyLine:
    """A connection that is lost once the first piece of a file has arrived; `offsets` are of the pieces sent."""

    def __init__(self, page: Page, address: str) -> None:
        self.offsets: list[str] = []
        self._is_down, self._was_down = False, False
        page.route(address, self._pass)

    def mend(self) -> None:
        self._is_down = False

    def _pass(self, route: Route) -> None:
        if route.request.method == "PATCH":
            self.offsets.append(route.request.url.rpartition("=")[2])
            if self._is_down:
                route.abort("connectionreset")
                return
            self._is_down, self._was_down = not self._was_down, True
        route.continue_()


def test_an_upload_survives_a_lost_connection_and_a_reload(page: Page, service: Service) -> None:
    line = FlakyLine(page, "**/admin/stimuli/uploads/**")
    choose(page, service, "large.mp4")
    page.get_by_role("button", name="Upload", exact=True).click()
    large = page.locator(".file", has_text="large.mp4")
    expect(large).to_contain_text("The connection was lost; trying again")
    expect(large).to_contain_text("% sent")
    page.on("dialog", lambda dialog: dialog.accept())  # leave all the same
    page.reload()
    expect(page.get_by_role("heading", name="Not finished")).to_be_visible()
    line.mend()
    n_before = len(line.offsets)
    choose(page, service, "large.mp4")
    page.get_by_role("button", name="Upload", exact=True).click()
    large = page.locator("[data-files] .file", has_text="large.mp4")
    expect(large).to_contain_text("In the library as large", timeout=LONG_MS)
    assert line.offsets[n_before:] == [str(PIECE)]
    with service.database.reading() as session:
        stored = session.exec(select(Stimulus).where(Stimulus.name == "large")).one()
    assert stored.original_bytes == (service.files / "large.mp4").stat().st_size


@pytest.mark.exhaustive
def test_upload_pauses_resumes_and_cancels(page: Page, service: Service) -> None:
    held: list[Route] = []
    page.route("**/admin/stimuli/uploads/*?offset=*", lambda route: held.append(route))  # not answered
    choose(page, service, "large.mp4")
    page.get_by_role("button", name="Upload", exact=True).click()
    large = page.locator("[data-files] .file", has_text="large.mp4")
    expect(large).to_contain_text("Sending")
    large.get_by_role("button", name="Pause").click()
    expect(large).to_contain_text("Paused at")
    large.get_by_role("button", name="Go on").click()
    expect(large).to_contain_text("Sending")
    with page.expect_response(lambda response: response.request.method == "DELETE"):
        large.get_by_role("button", name="Cancel").click()
    expect(large).to_contain_text("Cancelled")
    for route in held:
        with suppress(Error):  # what the page itself gave up is gone
            route.abort()
    page.goto("/admin/stimuli/upload")
    expect(page.get_by_role("heading", name="Not finished")).to_have_count(0)


@pytest.mark.usefixtures("walks")
def test_a_mask_is_drawn_by_mouse_moved_by_keyboard_tried_and_applied(page: Page, service: Service) -> None:
    page.goto("/admin/stimuli/rules?clip=walk-1")
    layer = page.locator("[data-layer]")
    expect(layer).to_be_visible()
    frame = layer.bounding_box()
    assert frame
    assert frame["width"] / frame["height"] == pytest.approx(1.6, abs=0.02)  # the picture's shape, no bars
    page.mouse.move(frame["x"] + frame["width"] * 0.5, frame["y"] + frame["height"] * 0.2)
    page.mouse.down()
    page.mouse.move(frame["x"] + frame["width"] * 0.8, frame["y"] + frame["height"] * 0.5, steps=6)
    page.mouse.up()
    sides = [page.locator(f"[data-side={side}]") for side in ("x", "y")]
    expect(sides[0]).to_have_value("50")
    expect(sides[1]).to_have_value("20")
    expect(page.locator(".mask-box")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowDown")
    expect(sides[0]).to_have_value("51")
    height = page.locator("[data-side=height]")
    expect(height).to_have_value("31")
    page.get_by_label("Off the end").last.fill("0.25")
    page.get_by_role("button", name="Preview on this clip").click()
    expect(page.locator("[data-after]")).to_be_visible(timeout=LONG_MS)
    expect(page.get_by_role("row", name="Duration 1.00 s 0.73 s")).to_be_visible()
    page.get_by_role("button", name="Apply to all").click()
    expect(page.get_by_text("were processed again", exact=False)).to_be_visible(timeout=LONG_MS)
    with service.database.reading() as session:
        view = rules_view(session)
        assert {row.frames for row in session.exec(select(Stimulus))} == {22}
    assert (view.rules.trim_end_s, view.n_other) == (0.25, 0)
    mask = view.rules.masks[0]
    assert (mask.x, mask.y, mask.width, mask.height) == pytest.approx((0.51, 0.2, 0.3, 0.31), abs=0.01)


@pytest.mark.usefixtures("walks")
def test_masks_are_added_and_removed_by_keyboard_alone(page: Page, service: Service) -> None:
    page.goto("/admin/stimuli/rules?clip=walk-1")
    before = page.locator("[data-mask]").count()
    page.get_by_role("button", name="Add a mask").press("Enter")
    expect(page.locator("[data-mask]")).to_have_count(before + 1)
    expect(page.locator("[data-side=x]").last).to_be_focused()
    page.keyboard.type("10")
    page.locator(".mask-box").last.focus()
    page.keyboard.press("Delete")
    expect(page.locator("[data-mask]")).to_have_count(before)


@pytest.mark.usefixtures("walks")
@pytest.mark.exhaustive
def test_a_clip_is_edited_on_its_page_without_scripts(browser: Browser, service: Service) -> None:
    for page in opened(browser, service, java_script_enabled=False):
        page.goto("/admin/stimuli")
        page.get_by_role("link", name="walk-3").click()
        page.get_by_label("Source", exact=True).fill("hybrid")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("status").first).to_contain_text("Saved.")
        expect(page.locator(".clip-card", has_text="walk-3")).to_contain_text("hybrid")


@pytest.mark.usefixtures("walks")
def test_no_page_about_clips_breaks_an_axe_rule_or_scrolls_sideways(
    browser: Browser, service: Service, check: Check
) -> None:
    addresses = (
        "/admin/stimuli",
        "/admin/stimuli/upload",
        "/admin/stimuli/walk-1/edit",
        "/admin/stimuli/rules?clip=walk-1",
        "/admin/stimuli/collections",
        "/admin/studies/nav/clues",
    )
    for page in opened(browser, service, **AXE_CONTEXT):
        page.goto("/admin/studies/nav/clues")
        page.get_by_role("button", name="Look for clues").click()
        expect(page.get_by_role("heading", name="All clues together")).to_be_visible(timeout=LONG_MS)
        refuse_faults(page, addresses, check)
        page.goto("/admin/studies/nav/clues")
        hidden = (
            "node => node.querySelector('.scroll').scrollWidth - node.querySelector('.scroll').clientWidth"
        )
        assert page.locator("main").evaluate(hidden) <= 0, "what differs is beyond the edge"


@pytest.mark.usefixtures("walks")
def test_the_judges_that_can_run_on_uploaded_videos_run_on_the_first_click(
    browser: Browser, service: Service, check: Check
) -> None:
    here, pairs = "/admin/studies/judged/judges", "pair,a,b\np1,walk-1,walk-2\np2,walk-3,walk-1\n"
    with service.database.transaction() as session:
        load_file(session, service.files, study="judged", pairs=pairs, sample=None)
    for page in opened(browser, service, **AXE_CONTEXT):
        page.goto(here)
        run, dialog = (
            page.get_by_role("link", name="Run a judge"),
            page.get_by_role("dialog", name="Run a judge"),
        )
        run.click()
        expect(dialog.get_by_role("checkbox", name="motion")).to_be_checked()
        check(page)
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        expect(run).to_be_focused()
        run.press("Enter")
        expect(dialog).to_be_visible()
        for name in ("straightness", "fidget"):
            expect(page.get_by_role("checkbox", name=name)).to_have_count(0)
        dialog.get_by_role("button", name="Close").click()
        page.get_by_text("5 judges cannot run on this study").click()
        expect(page.get_by_text("it needs the positions of the player")).to_have_count(1)
        run.click()
        dialog.get_by_role("button", name="Run on 2 pairs").click()
        expect(page.get_by_role("region", name="motion: 2 verdicts")).to_be_visible(timeout=LONG_MS)
        expect(page.locator("main")).to_contain_text("There are no answers yet")
        refuse_faults(page, [here], check)


def refuse_faults(page: Page, addresses: Sequence[str], check: Check) -> None:
    """All details open."""
    for address in addresses:
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        check(page)
