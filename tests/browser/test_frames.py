"""The frame of a collection, proposed from the videos that are chosen, in a real browser."""

import pytest
from playwright.sync_api import Page, Route, expect
from sqlmodel import select

from app.catalog.rules import set_rules
from app.library.clips.rules import Rules
from app.library.collections import collection_ids, make_collection
from app.library.tables import Stimulus
from tests.browser.test_stimuli import LONG_MS, Service, page, service  # noqa: F401
from tests.factories import NOW

pytestmark = pytest.mark.browser


def test_a_studys_first_videos_get_a_frame_that_is_proposed_from_their_shapes_and_shown_before(
    page: Page,  # noqa: F811
    service: Service,  # noqa: F811
) -> None:
    page.goto("/admin/studies/shapes/clips")
    page.get_by_role("link", name="Upload clips").click()
    page.get_by_label("Source").fill("human")
    names = ("portrait.mp4", "wide-1.mp4", "wide-2.mp4")
    page.locator("#files").set_input_files([str(service.files / name) for name in names])
    expect(page.get_by_label("Width")).to_have_value("320")
    expect(page.get_by_label("Height")).to_have_value("180")
    expect(page.locator("[data-frame-says]")).to_contain_text("1 video has another shape")
    page.get_by_label("Height").fill("200")
    page.get_by_role("button", name="Upload 3 files").click()
    expect(page.locator("[data-summary]")).to_contain_text("3 in the library", timeout=LONG_MS)
    with service.database.reading() as session:
        own = collection_ids(session)["shapes"]
        clips = session.exec(select(Stimulus).where(Stimulus.collection_id == own)).all()
    assert {(clip.width, clip.height) for clip in clips} == {(320, 200)}
    page.goto("/admin/studies/shapes/clips")
    expect(page.get_by_role("main")).to_contain_text("3 clips · 320 × 200 px")


def test_a_frame_that_somebody_has_settled_meanwhile_is_said_and_the_next_click_sends(
    page: Page,  # noqa: F811
    service: Service,  # noqa: F811
) -> None:
    with service.database.transaction() as session:
        lab = make_collection(session, "Meanwhile", NOW).id or 0
    page.goto("/admin/stimuli/upload?collection=meanwhile")
    page.get_by_label("Source").fill("human")
    page.locator("#files").set_input_files(str(service.files / "wide-1.mp4"))
    expect(page.get_by_label("Width")).to_have_value("320")
    page.locator("#files").set_input_files(str(service.files / "notes.mp4"))
    expect(page.get_by_label("Width")).to_have_value("")
    page.locator("#files").set_input_files(str(service.files / "wide-1.mp4"))
    expect(page.get_by_label("Width")).to_have_value("320")
    with service.database.transaction() as session:
        set_rules(session, None, Rules(width=96, height=64), NOW, lab)
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.locator("[data-frame-settled]")).to_contain_text("96 × 64 px already")
    expect(page.get_by_label("Width")).to_be_hidden()
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.locator("[data-summary]")).to_contain_text("1 in the library", timeout=LONG_MS)


def test_whoever_uploads_before_the_videos_are_measured_gets_the_proposed_frame(
    page: Page,  # noqa: F811
    service: Service,  # noqa: F811
) -> None:
    with service.database.transaction() as session:
        lab = make_collection(session, "Fast", NOW).id or 0
    held: list[Route] = []
    page.route("**/frame-size?*", lambda route: held.append(route))  # Playwright marks handlers
    page.goto("/admin/stimuli/upload?collection=fast")
    names = ("portrait.mp4", "wide-1.mp4", "wide-2.mp4")
    files = [str(service.files / name) for name in names]
    page.get_by_label("Source").fill("human")
    with page.expect_request("**/frame-size?*"):
        page.locator("#files").set_input_files(files)
    page.get_by_role("button", name="Upload 3 files").click()
    expect(page.locator("[data-sending]")).to_be_hidden()
    held[0].continue_()
    expect(page.locator("[data-summary]")).to_contain_text("3 in the library", timeout=LONG_MS)
    with service.database.reading() as session:
        clips = session.exec(select(Stimulus).where(Stimulus.collection_id == lab)).all()
    assert {(clip.width, clip.height) for clip in clips} == {(320, 180)}


def test_what_is_chosen_while_the_page_is_still_loading_is_measured_too(
    page: Page,  # noqa: F811
    service: Service,  # noqa: F811
) -> None:
    with service.database.transaction() as session:
        make_collection(session, "Early", NOW)
    held: list[Route] = []
    page.route("**/stimuli-upload.js", lambda route: held.append(route))  # Playwright marks handlers
    with page.expect_request("**/stimuli-upload.js"):
        page.goto("/admin/stimuli/upload?collection=early", wait_until="commit")
    page.locator("#files").set_input_files([str(service.files / f"wide-{n}.mp4") for n in (1, 2)])
    for route in held:
        route.continue_()
    expect(page.get_by_label("Width")).to_have_value("320")
    expect(page.get_by_role("button", name="Upload 2 files")).to_be_visible()


def test_files_without_a_word_for_their_source_are_named(page: Page, service: Service) -> None:  # noqa: F811
    page.goto("/admin/stimuli/upload?collection=fast")
    page.locator("#files").set_input_files(
        [str(service.files / name) for name in ("notes.mp4", "wide-1.mp4")]
    )
    said = "No source can be read from notes.mp4: write one for all files, or name each as human-01.mp4."
    expect(page.locator("[data-by-name]")).to_have_text(said)
    expect(page.get_by_label("Source")).to_have_js_property("validationMessage", said)
    page.get_by_label("Source").fill("human")
    expect(page.locator("[data-by-name]")).to_be_hidden()
    expect(page.get_by_label("Source")).to_have_js_property("validationMessage", "")
