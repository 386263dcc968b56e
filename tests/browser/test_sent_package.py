"""A study package in a real browser: its limit said before it is chosen, its progress shown, a lost connection."""

import zipfile
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.steps import AXE_CONTEXT, Check
from tests.browser.test_stimuli import LONG_MS, PIECE, FlakyLine, Service, opened, service  # noqa: F401
from tests.factories import study_file

pytestmark = pytest.mark.browser


def packed(service: Service, path: Path) -> Path:  # noqa: F811
    """A package of more than one piece, by a real MP4 in it."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("datapackage.json", "{}")
        archive.writestr("materials/version-1/study.yaml", yaml.safe_dump(study_file(pairs=None)))
        archive.write(service.files / "large.mp4", "materials/large.mp4")
    assert path.stat().st_size > PIECE
    return path


def choose(page: Page, path: Path, slug: str) -> None:
    page.goto("/admin/studies/new")
    page.get_by_label("A study file or package").check()
    expect(page.get_by_text("Or a study package (.zip) of at most 4 GB.")).to_be_visible()
    page.get_by_label("Study file", exact=True).set_input_files(str(path))
    page.get_by_text("Name in addresses", exact=True).first.click()
    page.locator("#slug").fill(slug)
    page.get_by_role("button", name="Make the study").click()


def test_a_package_is_sent_over_a_lost_connection_and_makes_its_study(
    browser: Browser,
    service: Service,  # noqa: F811
    tmp_path: Path,
    check: Check,
) -> None:
    for page in opened(browser, service, **AXE_CONTEXT):
        path = packed(service, tmp_path / "walks.zip")
        line = FlakyLine(page, "**/admin/study-packages/**")
        choose(page, path, "from-package")
        said = page.locator("[data-said]")
        expect(said).to_contain_text("walks.zip: The connection was lost; trying again", timeout=LONG_MS)
        expect(page.locator("[data-sending] progress")).to_be_visible()
        check(page)
        line.mend()
        page.wait_for_url("**/admin/stimuli/upload?collection=from-package**", timeout=LONG_MS)
        assert line.offsets[0] == "0"
        assert set(line.offsets[1:]) == {str(PIECE)}, "what came before is not sent again"


def test_a_package_that_is_cancelled_or_bad_is_said_and_leaves_the_form(
    browser: Browser,
    service: Service,  # noqa: F811
    tmp_path: Path,
) -> None:
    held: list[Route] = []
    for page in opened(browser, service):
        path = packed(service, tmp_path / "walks.zip")
        page.route("**/admin/study-packages/*?offset=*", lambda route: held.append(route))  # not answered
        choose(page, path, "cancelled")
        page.get_by_role("button", name="Cancel", exact=True).click()
        expect(page.locator("[data-said]")).to_have_text("walks.zip: Cancelled; nothing was made.")
        page.unroute("**/admin/study-packages/*?offset=*")
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 255
        bad = path.with_name("bad.zip")
        bad.write_bytes(data)
        choose(page, bad, "bad")
        expect(page.get_by_text("this file is damaged or locked by a password")).to_be_visible(
            timeout=LONG_MS
        )
        expect(page.get_by_text("materials/large.mp4")).to_be_visible()
