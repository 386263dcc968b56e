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
    """A page, what is done on it before it is measured, and how many screens it has at most, on a phone as well."""

    path: str
    does: Callable[[Page], None] | None = None
    most: float = SCREENS
    most_on_a_phone: float | None = None


def draws_twenty(page: Page) -> None:
    page.get_by_label("human-hybrid: main pairs").fill("12")
    page.get_by_label("human-learned: main pairs").fill("8")
    expect(page.get_by_text("All 20 pairs: 17 more")).to_be_visible()


def saves_twenty(page: Page) -> None:
    draws_twenty(page)
    page.get_by_role("button", name="Draw 20 pairs").click()
    expect(page.get_by_text("They stay until you draw again.")).to_be_visible()
    page.get_by_role("link", name="Change the draw").click()
    expect(page.get_by_role("heading", name="The pairs drawn")).to_be_visible()


PAGES = (
    Row("/admin"),
    Row("/admin?state=closed"),
    Row("/admin/stimuli"),
    Row("/admin/stimuli/rules"),
    Row("/admin/stimuli/upload"),
    Row("/admin/stimuli/collections"),
    Row("/admin/stimuli/collections?empty=1", most_on_a_phone=3),
    Row("/admin/users"),
    Row("/admin/audit"),
    Row(f"{LARGE}/sessions"),
    *(Row(study) for study in (LARGE, CLOSED, PILOT, PAUSED, NEW, DRAWN, RUBRIC)),
    *(Row(f"{study}/launch") for study in (LARGE, CLOSED, PILOT, PAUSED, NEW, DRAWN, RUBRIC)),
    *(Row(f"{study}/pairs", most_on_a_phone=3) for study in (LARGE, CLOSED, PILOT, NEW, DRAWN)),
    *(Row(f"{study}/pairs/{way}") for study in (LARGE, CLOSED, DRAWN) for way in ("draw", "csv", "pick")),
    Row(f"{CLOSED}/pairs/draw", draws_twenty, most=1.4),
    *(Row(f"{study}/versions") for study in (LARGE, NEW)),
    *(Row(f"{study}/design") for study in (LARGE, NEW)),
    *(Row(f"{LARGE}/design/{section.slug}") for section in SECTIONS),
    *(Row(f"{RUBRIC}/design/{slug}") for slug in ("consent", "instructions", "end")),
    *(Row(f"/admin/studies/{slug}/design/trials") for slug in ("play", "rate", "walk")),
    *(Row(f"{LARGE}/judges{part}") for part in ("", "/run", "/train")),
    *(Row(f"{study}/data") for study in (LARGE, CLOSED, NEW)),
    *(Row(f"{LARGE}/{page}") for page in ("links", "recruiting")),
    # No list and no form, and as high as the study is long: of 34 flagged sessions it names eight.
    Row(f"{LARGE}/monitor", most=5.3, most_on_a_phone=11.5),
    *(
        Row(path)
        for path in (
            "/admin/studies/new",
            "/admin/account",
            "/admin/stimuli/upload",
            "/admin/stimuli/rules",
            "/admin/help",
        )
    ),
    # From here on the study's pairs are drawn.
    Row(f"{CLOSED}/pairs/draw", saves_twenty, most=1.4),
    Row(f"{CLOSED}/pairs", most=1.4, most_on_a_phone=3),
)


def too_high(page: Page, path: str, screen: int, most: float) -> Iterator[str]:
    height = page.evaluate("document.documentElement.scrollHeight") / screen
    if height > most:
        yield f"{path} is {height:.2f} screens of {screen} pixels high"


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
            faults += too_high(page, row.path, WIDE["height"], row.most)
            page.set_viewport_size(NARROW)  # type: ignore[arg-type]
            width = page.evaluate("document.documentElement.scrollWidth")
            if width > NARROW["width"]:
                faults.append(f"{row.path} is {width} pixels wide on a phone")
            if row.most_on_a_phone is not None:
                faults += too_high(page, row.path, NARROW["height"], row.most_on_a_phone)
    assert faults == []
