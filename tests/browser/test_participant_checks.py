"""Screening, comprehension, attention, practice with feedback, viewing conditions and devices, in a real browser.

Each way is walked by mouse or by keyboard alone, one without a script, one in Arabic. What the service makes of the
answers is tested by HTTP in tests/sessions (test_checks, test_attention, test_devices), and axe looks at the same pages
in test_access; so `make test` walks two of the ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlmodel import col, select

from app.core.database import Database
from app.questions.viewing import VIEWING
from app.studies.launch import study_here
from app.studies.versions import set_state
from app.trials.responses import Response
from app.trials.tables import Exclusion, ParticipantSession, State, Status, StudyVersion
from tests.browser.conftest import WAIT_MS
from tests.browser.hands import Hand, Keyboard, Mouse
from tests.browser.steps import AXE_CONTEXT, Check, axe_faults
from tests.factories import load_file

if TYPE_CHECKING:
    from sqlmodel import Session

pytestmark = pytest.mark.browser

SIGHT = {
    "id": "sight",
    "type": "choice",
    "ask": "Do you see well?",
    "options": ["I do", "I do not"],
    "accept": ["I do"],
}
WHEN = {
    "id": "when",
    "type": "choice",
    "ask": "When can you answer?",
    "options": ["At once", "After both"],
    "answer": "After both",
}
READS = {"id": "reads", "ask": "Please choose agree here.", "scale": "agreement", "expect": "agree"}
CODES = {"finished": "DONE42", "screened_out": "SCR1", "failed_checks": "CHK1"}
BY_SCRIPT = pytest.mark.parametrize("scripted", [True, False])
CHOICE = {"id": "choice", "type": "2afc", "ask": "Which is a person?"}
PAIRS = """pair,a,b,kind,why
p1,human-g1,symbolic-g1,practice,People look *round corners*.
m1,human-g2,symbolic-g2,main,
c1,human-g3,symbolic-g3,attention,
m2,human-g4,symbolic-g4,main,
"""
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 "
    "Mobile/15E148 Safari/604.1"
)
Come = Callable[..., Page]
Look = Callable[[Page], None]


@pytest.fixture
def come(browser: Browser, service: tuple[str, Database]) -> Iterator[Come]:
    """`come(slug)`: a fresh browser at the first page of a study."""
    contexts = []

    def at(slug: str, query: str = "", **options: Any) -> Page:
        options = {**AXE_CONTEXT, "viewport": {"width": 1280, "height": 800}, **options}
        context = browser.new_context(base_url=service[0], **options)
        contexts.append(context)
        context.set_default_timeout(WAIT_MS)
        page = context.new_page()
        page.goto(f"/s/{slug}{query}")
        return page

    yield at
    for context in contexts:
        context.close()


def open_study(service: tuple[str, Database], folder: Path, slug: str, **changes: Any) -> None:
    """A quick study of listed pairs, sides as listed, watched as one likes."""
    trials = {"watch": "free", "sides": "fixed", "order": "fixed", "questions": [CHOICE]}
    trials |= changes.pop("trials", {})
    keys: dict[str, Any] = {
        "background": None,
        "sample": None,
        "pairs": PAIRS,
        "completion": {"codes": CODES},
    }
    with service[1].transaction() as session:
        load_file(session, folder, study=slug, **{**keys, **changes}, trials=trials)
        set_state(session, slug, State.LIVE)


@pytest.fixture
def look(check: Check) -> Look:
    """`check`, and the window is wide again."""

    def wide_again(page: Page) -> None:
        check(page)
        page.set_viewport_size({"width": 1280, "height": 800})

    return wide_again


def agree(page: Page, hand: Hand) -> None:
    hand.tick(page.get_by_role("radio", name="Yes"))
    button = page.get_by_role("button", name="I agree to take part")
    expect(button).to_be_enabled()
    hand.press(button)


def pick(page: Page, hand: Hand, option: str, button: str = "Save and continue") -> None:
    """Choose and send, and wait for the page that follows: one like this may."""
    here = page.locator('[name="submit_id"]').get_attribute("value")
    hand.tick(page.get_by_role("radio", name=option, exact=True))
    hand.press(page.get_by_role("button", name=button))
    expect(page.locator(f'[name="submit_id"][value="{here}"]')).to_have_count(0)
    page.locator('[name="submit_id"], main .close').first.wait_for(state="attached")
    page.wait_for_load_state()  # what is counted below it is not there yet


def choose(page: Page, hand: Hand, side: str) -> None:
    pick(page, hand, f"{side} video")


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", name=text, exact=True)).to_be_visible()


def sessions(session: Session, slug: str) -> list[ParticipantSession]:
    of_study = StudyVersion.study_id == study_here(session, slug).id
    found = select(ParticipantSession).join(StudyVersion).where(of_study).order_by(col(ParticipantSession.id))
    return list(session.exec(found))


def answers(session: Session, one: ParticipantSession) -> Mapping[str, Response]:
    return {each.page: each for each in session.exec(select(Response).where(Response.session_id == one.id))}


def test_screening_lets_in_and_ends_politely_and_the_link_leads_to_the_same_page(
    come: Come, service: tuple[str, Database], tmp_path: Path, look: Look
) -> None:
    open_study(service, tmp_path, "screens", screening=[SIGHT])
    page = come("screens", "?PROLIFIC_PID=seeing")
    hand = Keyboard(page)
    agree(page, hand)
    heading(page, "Before you begin")
    look(page)
    hand.press(page.get_by_role("button", name="Save and continue"))
    expect(page.get_by_text("Please answer this question.")).to_be_visible()
    pick(page, hand, "I do")
    heading(page, "Instructions")

    page = come("screens", "?PROLIFIC_PID=other")
    hand = Keyboard(page)
    agree(page, hand)
    pick(page, hand, "I do not")
    heading(page, "Thank you for your interest")
    expect(page.locator("[data-code]")).to_have_text("SCR1")
    look(page)
    said = page.locator("main").inner_text()
    again = come("screens", "?PROLIFIC_PID=other")
    assert again.locator("main").inner_text() == said
    with service[1].reading() as session:
        assert [one.status for one in sessions(session, "screens")] == [Status.ACTIVE, Status.SCREENED_OUT]


@pytest.mark.exhaustive
def test_who_is_screened_out_without_an_id_finds_the_page_again_in_that_browser(
    come: Come, service: tuple[str, Database], tmp_path: Path
) -> None:
    open_study(service, tmp_path, "bare", screening=[SIGHT])
    page = come("bare")
    agree(page, Mouse())
    pick(page, Mouse(), "I do not")
    expect(page.get_by_text("This browser remembers it for 30 days.")).to_be_visible()
    page.goto("/s/bare")
    expect(page.locator("[data-code]")).to_have_text("SCR1")
    other = come("bare")
    agree(other, Mouse())  # another browser is somebody else
    expect(other.get_by_role("button", name="I agree to take part")).to_have_count(0)
    with service[1].reading() as session:
        assert [one.status for one in sessions(session, "bare")] == [Status.SCREENED_OUT, Status.ACTIVE]


@pytest.mark.exhaustive
@BY_SCRIPT
def test_comprehension_shows_the_text_again_and_takes_a_second_try(
    come: Come, service: tuple[str, Database], tmp_path: Path, look: Look, scripted: bool
) -> None:
    slug = f"understands-{scripted}".lower()
    open_study(service, tmp_path, slug, comprehension={"questions": [WHEN], "failed": "end"})
    # Axe is a script, and looks where there are any.
    page = come(slug, java_script_enabled=scripted)
    hand = Keyboard(page) if scripted else Mouse()
    agree(page, hand)
    hand.press(page.get_by_role("button", name="Continue"))
    heading(page, "Questions about the instructions")
    assert page.get_by_text("Watch both videos.").count() == 0
    if scripted:
        look(page)
    pick(page, hand, "At once", "Check my answers")
    expect(page.get_by_text("Your first answer was not right.")).to_be_visible()
    expect(page.get_by_text("Watch both videos.")).to_be_visible()
    expect(page.get_by_text("This is the last try.")).to_be_visible()
    assert page.get_by_role("radio", checked=True).count() == 0
    if scripted:
        look(page)
    pick(page, hand, "After both", "Check my answers")
    expect(page.get_by_text("Practice pair 1 of 1")).to_be_visible()

    failed = come(slug, java_script_enabled=scripted)
    agree(failed, Mouse())
    failed.get_by_role("button", name="Continue").click()
    for again in (0, 1):
        expect(failed.get_by_text("This is the last try.")).to_have_count(again)
        failed.get_by_role("radio", name="At once").check()
        failed.get_by_role("button", name="Check my answers").click()
    heading(failed, "The study ends here")
    expect(failed.locator("[data-code]")).to_have_text("CHK1")
    if scripted:
        look(failed)
    with service[1].reading() as session:
        assert [one.status for one in sessions(session, slug)] == [Status.ACTIVE, Status.FAILED_CHECKS]


@pytest.mark.exhaustive
@pytest.mark.parametrize("failed", ["flag", "exclude", "end"])
def test_attention_trials_and_questions_do_what_the_study_says(
    come: Come, service: tuple[str, Database], tmp_path: Path, look: Look, failed: str
) -> None:
    slug = f"attends-{failed}"
    attention = {"questions": [READS], "failed": failed, "after": 2}
    open_study(service, tmp_path, slug, instructions=None, trials={"attention": attention})
    page = come(slug)
    hand = Keyboard(page)
    agree(page, hand)
    # The clip of the person, which is the left one, is right in the attention trial.
    page.locator(".where", has_text="pair").wait_for()
    while True:
        if page.get_by_role("heading", name="A short question").count():
            look(page)
            pick(page, hand, "strongly disagree")
        elif page.get_by_role("radio", name="Left video").count():
            choose(page, hand, "Right")
        else:
            break
    with service[1].reading() as session:
        [one] = sessions(session, slug)
        raised = [
            each.raised
            for each in answers(session, one).values()
            if "attention-failed" in (each.raised or "")
        ]
        reasons = list(session.exec(select(Exclusion.reason).where(Exclusion.session_id == one.id)))
    assert len(raised) == 2
    assert one.status == (Status.FAILED_CHECKS if failed == "end" else Status.COMPLETED)
    assert reasons == (["failed 2 attention checks"] if failed == "exclude" else [])
    expect(page.locator("[data-code]")).to_have_text("CHK1" if failed == "end" else "DONE42")
    look(page)


@pytest.mark.exhaustive
@BY_SCRIPT
def test_practice_is_followed_by_feedback_and_the_rest_is_not(
    come: Come, service: tuple[str, Database], tmp_path: Path, look: Look, scripted: bool
) -> None:
    slug = f"practises-{scripted}".lower()
    open_study(service, tmp_path, slug, instructions=None, trials={"feedback": True})
    for side, said in (("Left", "That was right"), ("Right", "That was not right")):
        page = come(slug, java_script_enabled=scripted)
        hand: Hand = Keyboard(page) if scripted else Mouse()
        agree(page, hand)
        choose(page, hand, side)
        heading(page, said)
        expect(page.locator("em", has_text="round corners")).to_be_visible()
        if scripted:
            look(page)
    hand.press(page.get_by_role("button", name="Continue"))
    page.locator(".where", has_text="Pair 1").wait_for()
    for side in ("Left", "Right", "Left"):
        choose(page, hand, side)
    expect(page.locator("[data-code]")).to_have_text("DONE42")


@pytest.mark.exhaustive
def test_viewing_conditions_are_answered_by_keyboard_and_may_be_left_open_in_part(
    come: Come, service: tuple[str, Database], tmp_path: Path, look: Look
) -> None:
    open_study(service, tmp_path, "watches", viewing_conditions=True)
    page = come("watches")
    hand = Keyboard(page)
    agree(page, hand)
    heading(page, "How you watch")
    look(page)
    expected: dict[str, Any] = {}
    for question in VIEWING:
        if question.options:
            expected[question.id] = question.options[-1]
            hand.tick(page.locator(f'input[name="{question.id}"]').last)
    expected["viewing_distance_cm"] = 60.0
    hand.write(page.locator('input[name="viewing_distance_cm"]'), "60")
    hand.press(page.get_by_role("button", name="Save and continue"))
    heading(page, "Instructions")
    with service[1].reading() as session:
        [one] = sessions(session, "watches")
        assert answers(session, one)["viewing"].answers == expected


def test_screening_and_viewing_conditions_in_arabic_run_from_right_to_left(
    come: Come, service: tuple[str, Database], tmp_path: Path, look: Look, exhaustive: bool
) -> None:
    arabic = {
        "title": "أي تنقل يبدو طبيعيا؟",
        "consent": {"text": "# الموافقة\n\nالمشاركة طوعية.\n"},
        "instructions": "# التعليمات\n\nيرجى مشاهدة الفيديوهين.\n",
        "screening": [{"id": "sight", "ask": "هل ترى جيدا؟", "options": ["نعم", "لا"]}],
        "trials": {"questions": [{"id": "choice", "ask": "أيهما إنسان؟"}]},
        "completion": {"message": "# شكرا\n\nهذا كل شيء.\n"},
    }
    open_study(
        service,
        tmp_path,
        "arabic",
        screening=[SIGHT],
        viewing_conditions=True,
        completion={"message": "# Thanks\n\nThat was all.\n", "codes": CODES},
        languages={"en": ".", "ar": arabic},
    )
    page = come("arabic", "?lang=ar")
    assert page.evaluate("document.documentElement.dir") == "rtl"
    page.locator('input[name="of_age"][value="yes"]').check()
    page.locator('button[value="agree"]').click()
    heading(page, "قبل البدء")
    look(page)
    option, text = page.locator('input[name="sight"]').first, page.get_by_text("نعم", exact=True)
    boxes = option.bounding_box(), text.bounding_box()
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["x"] > boxes[1]["x"], "the circle is at the right of its text"
    option.check()
    page.locator("button[type=submit]").click()
    expect(page.locator('input[name="viewing_light"]').first).to_be_visible()
    look(page)
    if not exhaustive:
        return
    # Who is screened out reads the same language, though their browser asks for English.
    other = come("arabic", "?lang=ar", locale="en-GB")
    other.locator('input[name="of_age"][value="yes"]').check()
    other.locator('button[value="agree"]').click()
    other.locator('input[name="sight"]').last.check()
    other.locator("button[type=submit]").click()
    expect(other.locator("[data-code]")).to_have_text("SCR1")
    assert other.evaluate("document.documentElement.lang") == "ar"
    look(other)


@pytest.mark.exhaustive
def test_a_device_that_does_not_fit_is_told_before_consent_and_a_narrow_window_can_be_widened(
    come: Come, service: tuple[str, Database], tmp_path: Path, look: Look
) -> None:
    open_study(service, tmp_path, "devices", devices={"telephones": False, "minimum_width": 900})
    page = come("devices", user_agent=IPHONE, viewport={"width": 390, "height": 844})
    heading(page, "This device does not fit the study")
    expect(page.get_by_text("The study cannot be done on a telephone.")).to_be_visible()
    look(page)
    page = come("devices", viewport={"width": 800, "height": 800})
    expect(page.get_by_text("This window is too narrow for the study")).to_be_visible()
    button = page.get_by_role("button", name="I agree to take part")
    assert button.get_attribute("aria-disabled") == "true"
    page.get_by_role("radio", name="Yes").check()
    # Enter in a field would press the next button if this one were disabled: that declines.
    page.keyboard.press("Enter")
    expect(page.get_by_text("This window is too narrow for the study")).to_be_focused()
    assert axe_faults(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.get_by_text("This window is too narrow for the study")).to_be_hidden()
    button.click()
    heading(page, "Instructions")
    # Without a script nothing is measured, and nobody is refused for it.
    plain = come("devices", java_script_enabled=False, viewport={"width": 800, "height": 800})
    plain.get_by_role("radio", name="Yes").check()
    plain.get_by_role("button", name="I agree to take part").click()
    heading(plain, "Instructions")
    with service[1].reading() as session:
        assert [one.status for one in sessions(session, "devices")] == [
            Status.UNSUITED,
            Status.ACTIVE,
            Status.ACTIVE,
        ]


def test_how_a_text_was_entered_is_stored_with_the_answer(
    come: Come, service: tuple[str, Database], tmp_path: Path
) -> None:
    asked = [CHOICE, {"id": "rationale", "type": "text", "ask": "Why?"}]
    open_study(service, tmp_path, "types", instructions=None, trials={"questions": asked})
    page = come("types")
    agree(page, Mouse())
    page.locator("form[novalidate] textarea").wait_for()  # not of the consent: the script counts from now on
    field = page.get_by_label("Why?")
    field.press_sequentially("It turns.")
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+C")
    page.keyboard.press("End")
    page.keyboard.press("Control+V")
    pick(page, Mouse(), "Left video")
    with service[1].reading() as session:
        [one] = sessions(session, "types")
        stored = answers(session, one)["trial-1"]
    assert stored.rationale == "It turns.It turns."
    assert stored.typed == {"rationale": {"keys": 9, "pasted": 9}}
