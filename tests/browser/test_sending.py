import pytest
from playwright.sync_api import Page, expect

from .conftest import Visit
from .pages import background, consent, instructions, message, trial
from .rig import Fault, Rig, Walk
from .steps import answer, expect_end, rationale, save

pytestmark = pytest.mark.browser

TYPED = "It stops at each corner."


def stop_time(page: Page) -> None:
    """No timer runs out any more, so nothing is tried again for that reason."""
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)


def answered(rig: Rig, visit: Visit, *faults: Fault) -> tuple[Walk, Page]:
    walk = rig.walk(trial(watch="free"), message())
    walk.faults.extend(faults)
    page = visit(walk)
    answer(page, TYPED)
    return walk, page


def test_a_reply_that_is_lost_is_asked_for_again_and_gives_one_record(rig: Rig, visit: Visit) -> None:
    walk, page = answered(rig, visit, "lose the reply")
    save(page)
    expect(page.get_by_role("status").filter(has_text="No connection")).to_be_visible()
    expect_end(page)
    assert len(walk.posts) == 2
    assert walk.posts[0] == walk.posts[1]
    assert list(walk.answers) == ["submit-0"]
    assert walk.answers["submit-0"]["rationale"] == TYPED


@pytest.mark.parametrize("fault", ["unavailable", "log-in page"])
@pytest.mark.exhaustive
def test_a_passing_fault_is_tried_again(fault: Fault, rig: Rig, visit: Visit) -> None:
    walk, page = answered(rig, visit, fault)
    save(page)
    expect_end(page)
    assert [post["submit_id"] for post in walk.posts] == ["submit-0", "submit-0"]


def test_without_a_connection_nothing_is_lost_and_it_is_sent_when_it_is_back(rig: Rig, visit: Visit) -> None:
    walk, page = answered(rig, visit)
    stop_time(page)
    page.context.set_offline(True)
    save(page)
    expect(page.get_by_text("No connection to the study. Your answer is kept on this page.")).to_be_visible()
    expect(rationale(page)).to_have_value(TYPED)
    expect(rationale(page)).to_be_disabled()
    assert walk.posts == []
    page.context.set_offline(False)
    expect_end(page)
    assert len(walk.posts) == 1


@pytest.mark.exhaustive
def test_retry_now_does_not_wait(rig: Rig, visit: Visit) -> None:
    walk, page = answered(rig, visit, "unavailable", "unavailable", "unavailable")
    stop_time(page)
    with page.expect_response(lambda response: response.request.method == "POST"):
        save(page)
    for sent in (2, 3, 4):
        with page.expect_response(lambda response: response.request.method == "POST"):
            page.get_by_role("button", name="Retry now").click()
        assert len(walk.posts) == sent
    expect_end(page)


@pytest.mark.exhaustive
def test_a_double_click_sends_once(rig: Rig, visit: Visit) -> None:
    walk, page = answered(rig, visit)
    page.get_by_role("button", name="Save and continue").dblclick()
    expect_end(page)
    assert len(walk.posts) == 1


@pytest.mark.exhaustive
def test_a_refused_answer_is_reported_at_its_field(rig: Rig, visit: Visit) -> None:
    walk, page = answered(rig, visit, {"rationale": "Please write a full sentence."})
    save(page)
    field = rationale(page)
    expect(page.get_by_text("Please write a full sentence.")).to_be_visible()
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description("Please write a full sentence.")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("It stops at each corner, then turns.")
    expect(page.get_by_text("Please write a full sentence.")).to_have_count(0)
    save(page)
    expect_end(page)
    assert walk.answers["submit-0"]["rationale"] == "It stops at each corner, then turns."


@pytest.mark.exhaustive
def test_an_error_without_a_field_is_shown_above_the_form(rig: Rig, visit: Visit) -> None:
    _, page = answered(rig, visit, {"submit_id": "This page is too old."})
    save(page)
    expect(page.get_by_role("alert").filter(has_text="This page is too old.")).to_be_focused()


@pytest.mark.exhaustive
def test_missing_answers_are_said_before_anything_is_sent(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(watch="free"), message())
    page = visit(walk)
    save(page)
    expect(page.get_by_text("Please answer this question.")).to_have_count(3)
    expect(page.get_by_role("radio", name="Left video")).to_be_focused()
    assert walk.posts == []


@pytest.mark.exhaustive
def test_an_answer_from_another_tab_leads_on(rig: Rig, visit: Visit) -> None:
    _, page = answered(rig, visit, "conflict")
    save(page)
    expect(page.get_by_text("This was answered in another tab.")).to_be_visible()
    expect(rationale(page)).to_have_value(TYPED)
    assert page.evaluate("Object.keys(localStorage)") == []
    page.get_by_role("link", name="Continue from where you are").click()
    expect_end(page)


def test_the_pages_before_the_trials_send_the_same_way(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(consent(), background(), instructions(), message())
    walk.faults.append("lose the reply")
    page = visit(walk)
    page.get_by_text("Yes", exact=True).click()
    page.get_by_role("button", name="I agree to take part").click()
    page.get_by_label("How old are you?").fill("17")
    page.get_by_text("moderately").click()
    page.get_by_text("Console").click()
    save(page)
    expect(page.get_by_label("How old are you?")).to_be_focused()
    page.get_by_label("How old are you?").fill("34")
    save(page)
    page.get_by_role("button", name="Continue").click()
    expect_end(page)
    assert [post["submit_id"] for post in walk.posts] == ["submit-0", "submit-0", "submit-1", "submit-2"]
    assert walk.answers["submit-0"] == {"submit_id": "submit-0", "of_age": "yes", "decision": "agree"}
    assert walk.answers["submit-1"]["genre_familiarity"] == "3"


def test_refusing_needs_no_age(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(consent(), message())
    page = visit(walk)
    page.get_by_role("button", name="I do not want to take part").click()
    expect_end(page)
    assert walk.posts[0]["decision"] == "refuse"
    assert "of_age" not in walk.posts[0]
