"""Heights of lists and forms on a lab's folder: one and a half screens at most, and nothing sideways on a phone.

A list or a form is a row of PAGES; a page that is measured after something was done to it has this beside it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect

from app.admin.design.places import SECTIONS
from app.trials.tables import State
from tests.browser.lab import lab_service
from tests.browser.test_stimuli import Service, opened
from tools.lab import CLIPS, SESSIONS, STUDIES
from tools.lab_plan import Planned, planned

pytestmark = pytest.mark.browser
SCREENS, WIDE, NARROW = 1.5, {"width": 1280, "height": 900}, {"width": 390, "height": 844}
PLAN = planned(STUDIES - 4, SESSIONS, 1)


def drafted(template: str) -> Planned:
    return next(each for each in PLAN if each.template == template)


def at(study: Planned) -> str:
    return f"/admin/studies/{study.slug}"


LARGE = at(PLAN[0])
CLOSED = at(next(each for each in PLAN if each.state is State.CLOSED and each.came >= 50))
PILOT = at(next(each for each in PLAN if each.state is State.PILOT))
PAUSED = at(next(each for each in PLAN if each.state is State.PAUSED))
NEW, DRAWN, RUBRIC = (at(drafted(template)) for template in ("blank", "hntt", "rubric"))


@dataclass(frozen=True, slots=True)
class Row:
    """A page, and what is done on it before it is measured."""

    path: str
    does: Callable[[Page], None] | None = None


def draws_twenty(page: Page) -> None:
    page.get_by_label("human-hybrid: main pairs").fill("12")
    page.get_by_label("human-learned: main pairs").fill("8")
    expect(page.get_by_text("All 20 pairs: 15 more")).to_be_visible()


PAGES = (
    Row("/admin"),
    Row("/admin?state=closed"),
    Row("/admin/stimuli"),
    Row("/admin/users"),
    Row("/admin/audit"),
    Row(f"{LARGE}/sessions"),
    *(Row(study) for study in (LARGE, CLOSED, PILOT, PAUSED, NEW, DRAWN, RUBRIC)),
    *(Row(f"{study}/launch") for study in (LARGE, CLOSED, PILOT, PAUSED, NEW, DRAWN, RUBRIC)),
    *(Row(f"{study}/pairs") for study in (LARGE, CLOSED, PILOT, NEW, DRAWN)),
    *(Row(f"{study}/pairs/{way}") for study in (LARGE, CLOSED, DRAWN) for way in ("draw", "csv", "pick")),
    Row(f"{CLOSED}/pairs/draw", draws_twenty),
    *(Row(f"{study}/versions") for study in (LARGE, NEW)),
    *(Row(f"{study}/design") for study in (LARGE, NEW)),
    *(Row(f"{LARGE}/design/{section.slug}") for section in SECTIONS),
    *(Row(f"/admin/studies/{slug}/design/trials") for slug in ("play", "rate", "walk")),
    *(Row(f"{LARGE}/judges{part}") for part in ("", "/run", "/train")),
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service on the folder of `make lab`, as large as there, with its owner logged in."""
    yield from lab_service(tmp_path_factory.mktemp("lab") / "data", STUDIES, CLIPS, SESSIONS)


@pytest.mark.exhaustive
def test_lists_and_forms_are_one_and_a_half_screens_at_most(browser: Browser, service: Service) -> None:
    faults: list[str] = []
    for page in opened(browser, service, reduced_motion="reduce"):
        for row in PAGES:
            page.set_viewport_size(WIDE)  # type: ignore[arg-type]
            page.goto(row.path)
            page.wait_for_load_state()
            if row.does:
                row.does(page)
            height = page.evaluate("document.documentElement.scrollHeight")
            if height > SCREENS * WIDE["height"]:
                faults.append(f"{row.path} is {height / WIDE['height']:.2f} screens high")
            page.set_viewport_size(NARROW)  # type: ignore[arg-type]
            width = page.evaluate("document.documentElement.scrollWidth")
            if width > NARROW["width"]:
                faults.append(f"{row.path} is {width} pixels wide on a phone")
    assert faults == []
