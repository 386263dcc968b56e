"""The real service, a real browser, real clips: from the study's address to the completion code, and into SQL."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlmodel import col, select

from app.core.database import Database
from app.sessions.where import locate
from app.trials.responses import Evidence, Response
from app.trials.tables import ParticipantSession, Status
from tests.browser.conftest import WAIT_MS
from tests.browser.steps import (
    SAMPLE,
    answer,
    is_kept_in_step,
    play_button,
    save,
    wait_until_loaded,
    watch_both,
)

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser, service: tuple[str, Database]) -> Iterator[Page]:
    """A fresh browser profile; asking any other host, or an error in the console, fails the test."""
    foreign: list[str] = []
    faults: list[str] = []
    context = browser.new_context(base_url=service[0], viewport={"width": 1280, "height": 800})
    context.set_default_timeout(WAIT_MS)
    context.on(
        "request", lambda r: foreign.append(r.url) if not r.url.startswith((service[0], "blob:")) else None
    )
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    context.close()
    assert (foreign, faults) == ([], [])


def consent(page: Page) -> None:
    page.goto("/s/nav")
    page.get_by_role("radio", name="Yes").check()
    page.get_by_role("button", name="agree").first.click()


def to_first_trial(page: Page) -> None:
    consent(page)
    page.get_by_role("radio").nth(2).check()
    page.locator("form button[type=submit]").first.click()
    expect(page.get_by_role("heading", name="Instructions")).to_be_visible()
    page.locator("form button[type=submit]").first.click()
    expect(page.get_by_text("Practice pair 1 of 1")).to_be_visible()


def trial(page: Page, label: str) -> None:
    expect(page.get_by_text(label, exact=False).first).to_be_visible()
    watch_both(page)
    answer(page)
    save(page)


def session_of(database: Database, page: Page) -> ParticipantSession:
    token = page.url.rpartition("/p/")[2].partition("?")[0]
    with database.reading() as session:
        return session.get_one(ParticipantSession, locate(session, token).session_id)


def responses(database: Database, run: ParticipantSession) -> list[Response]:
    with database.reading() as session:
        rows = select(Response).where(Response.session_id == run.id, col(Response.trial_id).is_not(None))
        return list(session.exec(rows.order_by(col(Response.id))))


def test_from_the_studys_address_to_the_code(page: Page, service: tuple[str, Database]) -> None:
    to_first_trial(page)
    for label in ("Practice pair 1 of 1", "Pair 1 of 2", "Pair 2 of 2"):
        trial(page, label)
    expect(page.get_by_text("DONE42")).to_be_visible()
    assert "It looks round" not in page.evaluate("JSON.stringify({...localStorage})"), "forgotten once stored"
    run = session_of(service[1], page)
    assert (run.status, run.mode) == (Status.COMPLETED, "live")
    stored = responses(service[1], run)
    assert [r.page for r in stored] == ["trial-1", "trial-2", "trial-3"]
    assert all((r.side, r.uncertainty) == ("left", 2) for r in stored)
    assert all(r.rt_ms and r.rt_ms > 0 for r in stored)
    with service[1].reading() as session:
        clips = session.exec(
            select(Evidence).where(col(Evidence.response_id).in_([r.id for r in stored]))
        ).all()
    assert len(clips) == 6
    # A browser short of time may stop a clip, which is then played again.
    seen = [(clip.watched, clip.plays, clip.failed) for clip in clips]
    assert all(watched and plays and not failed for watched, plays, failed in seen), seen
    assert all(clip.played[0][0] < 0.1 and clip.frames for clip in clips)


@pytest.mark.exhaustive
def test_both_clips_of_the_real_service_stay_in_step(page: Page, service: tuple[str, Database]) -> None:
    to_first_trial(page)
    wait_until_loaded(page)
    page.evaluate(SAMPLE)
    play_button(page).click()
    expect(page.get_by_text("Watched", exact=True)).to_have_count(2)
    assert is_kept_in_step(page)
    answer(page)
    save(page)
    expect(page.get_by_text("Pair 1 of 2")).to_be_visible()
    run = session_of(service[1], page)
    with service[1].reading() as session:
        joined = select(Evidence.drift_ms_max).join(Response, col(Response.id) == Evidence.response_id)
        drift = session.exec(joined.where(Response.session_id == run.id)).all()
    assert len(drift) == 2
    assert all(ms is not None for ms in drift)


def test_back_reload_and_a_second_tab_end_at_the_current_page(
    page: Page, service: tuple[str, Database]
) -> None:
    to_first_trial(page)
    second = page.context.new_page()
    second.goto("/s/nav")
    expect(second.get_by_text("Practice pair 1 of 1")).to_be_visible()
    trial(page, "Practice pair 1 of 1")
    expect(page.get_by_text("Pair 1 of 2")).to_be_visible()
    watch_both(second)
    answer(second, "from the other tab")
    save(second)
    expect(second.get_by_text("You have already answered this page", exact=False)).to_be_visible()
    second.get_by_role("link", name="Continue from where you are").click()
    expect(second.get_by_text("Pair 1 of 2")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Pair 1 of 2")).to_be_visible()
    page.go_back()
    page.goto("/s/nav")
    expect(page.get_by_text("Pair 1 of 2")).to_be_visible()
    stored = responses(service[1], session_of(service[1], page))
    assert [r.rationale for r in stored] == ["It looks round before it turns."]


@pytest.mark.exhaustive
def test_a_lost_connection_in_mid_post_is_one_answer(page: Page, service: tuple[str, Database]) -> None:
    to_first_trial(page)
    lost = 0

    def lose_the_reply(route: object) -> None:
        nonlocal lost
        if route.request.method == "POST" and lost < 2:  # type: ignore[attr-defined]
            lost += 1
            route.fetch()  # type: ignore[attr-defined]  # the server takes it; the browser never hears
            route.abort("connectionreset")  # type: ignore[attr-defined]
        else:
            route.continue_()  # type: ignore[attr-defined]

    page.route("**/p/*", lose_the_reply)
    trial(page, "Practice pair 1 of 1")
    expect(page.get_by_text("Pair 1 of 2")).to_be_visible()
    assert lost == 2
    assert len(responses(service[1], session_of(service[1], page))) == 1


@pytest.mark.exhaustive
def test_a_reload_keeps_what_was_watched_and_typed(page: Page, service: tuple[str, Database]) -> None:
    to_first_trial(page)
    watch_both(page)
    answer(page, "typed before the reload")
    page.reload()
    expect(page.get_by_label("Why", exact=False)).to_have_value("typed before the reload")
    save(page)
    expect(page.get_by_text("Pair 1 of 2")).to_be_visible()
    run = session_of(service[1], page)
    assert responses(service[1], run)[0].rationale == "typed before the reload"
    with service[1].reading() as session:
        joined = select(Evidence).join(Response, col(Response.id) == Evidence.response_id)
        clips = session.exec(joined.where(Response.session_id == run.id)).all()
    assert all(clip.watched and clip.page_loads == 2 for clip in clips)


@pytest.mark.exhaustive
def test_a_clip_that_is_gone_offers_retry_and_then_a_way_on(
    page: Page, service: tuple[str, Database]
) -> None:
    to_first_trial(page)
    page.route("**/clips/2-left.mp4", lambda route: route.fulfill(status=503))
    trial(page, "Practice pair 1 of 1")
    expect(page.get_by_text("Pair 1 of 2")).to_be_visible()
    left = page.locator("[data-clip=left]")
    left.get_by_role("button", name="Try again").click()
    left.get_by_role("button", name="This video does not play").click()
    expect(page.get_by_text("Pair 2 of 2")).to_be_visible()
    stored = responses(service[1], session_of(service[1], page))[-1]
    assert (stored.unplayable, stored.side) == (True, None)


HALF = """async (address) => {
    const whole = new Uint8Array(await (await fetch(address)).arrayBuffer());
    const database = await new Promise((resolve) => {
      const request = indexedDB.open("likely-human-clips");
      request.onsuccess = () => resolve(request.result);
    });
    const transaction = database.transaction("parts", "readwrite");
    const parts = transaction.objectStore("parts");
    parts.delete(IDBKeyRange.bound([address, 0], [address, Infinity]));
    parts.put({ url: address, at: 0, total: whole.length, bytes: whole.subarray(0, whole.length / 2) });
    await new Promise((resolve) => { transaction.oncomplete = resolve; });
    database.close();
    return whole.length;
}"""


@pytest.mark.exhaustive
def test_the_service_sends_only_the_rest_of_a_clip_that_was_cut_off(
    page: Page, service: tuple[str, Database]
) -> None:
    to_first_trial(page)
    wait_until_loaded(page)
    address = f"{urlsplit(page.url).path}/clips/1-left.mp4"
    length = page.evaluate(HALF, address)
    with page.expect_response(lambda response: response.url.endswith(address)) as rest:
        page.reload()
    start = length // 2
    assert (rest.value.status, rest.value.headers["content-length"]) == (206, str(length - start))
    assert rest.value.request.headers["range"] == f"bytes={start}-"
    assert rest.value.headers["content-range"] == f"bytes {start}-{length - 1}/{length}"
    trial(page, "Practice pair 1 of 1")
    expect(page.get_by_text("Pair 1 of 2")).to_be_visible()
    run = session_of(service[1], page)
    with service[1].reading() as session:
        joined = select(Evidence).join(Response, col(Response.id) == Evidence.response_id)
        clips = session.exec(joined.where(Response.session_id == run.id)).all()
    assert [(clip.watched, clip.errors) for clip in clips] == [(True, [])] * 2
