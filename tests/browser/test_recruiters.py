"""Each recruiter walked as its page would send people: from its link, with its parameters, back to it by every way out.

The recruiters' own pages are stand-ins at their addresses; no other host is asked.
"""

import html
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from sqlmodel import col, select

from app.core.database import Database
from app.studies.file.design import StudyDesign
from app.studies.launch import study_here
from app.studies.recruiting import view_of
from app.studies.versions import set_state
from app.trials.tables import ParticipantIdentity, ParticipantSession, State, Status, StudyVersion
from tests.browser.conftest import WAIT_MS
from tests.browser.steps import Check
from tests.factories import load_file

pytestmark = pytest.mark.browser

CODES = {"finished": "DONE42", "no_consent": "NOC1", "screened_out": "SCR1", "full": "FUL1"}
PROLIFIC = {"redirect": "https://app.prolific.com/submissions/complete?cc={code}", "codes": CODES}
SONA = {
    "redirect": "https://lab.sona-systems.com/webstudy_credit.aspx?experiment_id=12&credit_token=ab34"
    "&survey_code={participant}"
}
CONNECT = {
    "redirect": "https://connect.cloudresearch.com/participant/project/570B52049B/complete",
    "codes": CODES,
}
QUICK: Mapping[str, Any] = {
    "background": None,
    "instructions": None,
    "sample": {"match": "goal", "seed": 7, "conditions": {"human-hybrid": 2}},
    "trials": {"watch": "free", "questions": [{"id": "choice", "type": "2afc", "ask": "Which is a person?"}]},
}
Person = Callable[[str, str], Page]


@pytest.fixture
def person(browser: Browser, service: tuple[str, Database]) -> Iterator[Person]:
    """`person(address, page)`: a fresh browser at a recruiter's address, where that page is."""
    contexts = []
    asked: list[str] = []

    def come(address: str, body: str) -> Page:
        context = browser.new_context(
            base_url=service[0], viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
        )
        contexts.append(context)
        context.set_default_timeout(WAIT_MS)

        def recruiter(route: Route) -> None:
            asked.append(route.request.url)
            is_first = route.request.url == address
            route.fulfill(
                body=body if is_first else "<h1>Back at the recruiter</h1>", content_type="text/html"
            )

        ours = service[0]
        context.route(lambda url: not url.startswith((ours, "blob:", "data:")), recruiter)
        page = context.new_page()
        page.goto(address)
        return page

    yield come
    for context in contexts:
        context.close()
    hosts = {urlsplit(url).hostname for url in asked}
    known = (
        "prolific.com",
        "mturk.com",
        "crowd.aws",
        "sona-systems.com",
        "cloudresearch.com",
        "panel.example.org",
    )
    assert all(str(host).endswith(known) for host in hosts), hosts


def link_page(href: str) -> str:
    return f'<h1>A study</h1><a href="{html.escape(href)}">Open the study</a>'


def open_for(
    service: tuple[str, Database],
    folder: Path,
    slug: str,
    recruiter: str | Mapping[str, Any],
    **completion: Any,
) -> StudyDesign:
    """Load a study and open it; returns its design. `recruiter` is a name, or all of `recruitment`."""
    recruitment = {"from": recruiter} if isinstance(recruiter, str) else dict(recruiter)
    with service[1].transaction() as session:
        load_file(session, folder, study=slug, recruitment=recruitment, completion=completion, **QUICK)
        set_state(session, slug, State.LIVE)
        newest = select(StudyVersion.design).where(StudyVersion.study_id == study_here(session, slug).id)
        return StudyDesign.model_validate_json(session.exec(newest).one())


def agree(page: Page, *, is_old: bool = True) -> None:
    page.get_by_role("radio", name="Yes" if is_old else "No").check()
    # Until the test video has played, the button leads there; a link's click does not wait for the scripts.
    page.locator("[data-check=plays]").wait_for()
    page.get_by_role("button", name="agree").first.click()


def finish(page: Page) -> None:
    for number in (1, 2):
        expect(page.get_by_text(f"Pair {number} of 2")).to_be_visible()
        page.get_by_text("Left video", exact=True).last.click()
        page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_text("Your answers are saved")).to_be_visible()


def code_on(page: Page) -> str:
    return page.locator("[data-code]").inner_text()


def go_back(page: Page) -> str:
    """Press the way back; returns the recruiter's address that was opened."""
    page.get_by_role("link", name="Return to").click()
    expect(page.get_by_role("heading", name="Back at the recruiter")).to_be_visible()
    return page.url


def kept(database: Database, slug: str) -> list[tuple[ParticipantSession, ParticipantIdentity | None]]:
    with database.reading() as session:
        rows = session.exec(
            select(ParticipantSession, ParticipantIdentity)
            .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
            .outerjoin(ParticipantIdentity, col(ParticipantIdentity.session_id) == ParticipantSession.id)
            .where(StudyVersion.study_id == study_here(session, slug).id)
            .order_by(col(ParticipantSession.id))
        )
        return [*rows]


def pause(database: Database, slug: str) -> None:
    with database.transaction() as session:
        set_state(session, slug, State.PAUSED)


def test_prolific_from_its_link_back_to_it_by_every_way_out(
    person: Person, service: tuple[str, Database], tmp_path: Path, check: Check, exhaustive: bool
) -> None:
    base, database = service
    link = view_of(open_for(service, tmp_path, "on-prolific", "prolific", **PROLIFIC), base).link

    def come(pid: str) -> Page:
        """As Prolific does: its placeholders are replaced in the link that stands on our page."""
        filled = link.replace("{{%PROLIFIC_PID%}}", pid).replace("{{%STUDY_ID%}}", "st-1")
        page = person(
            "https://app.prolific.com/studies/st-1",
            link_page(filled.replace("{{%SESSION_ID%}}", f"se-{pid}")),
        )
        page.get_by_role("link", name="Open the study").click()
        return page

    def back(page: Page) -> list[str]:
        return parse_qs(urlsplit(go_back(page)).query)["cc"]

    page = come("pid1")
    agree(page)
    finish(page)
    assert code_on(page) == "DONE42"
    check(page)
    assert back(page) == ["DONE42"]
    page = come("pid2")
    page.get_by_role("button", name="I do not want to take part").click()
    assert code_on(page) == "NOC1"
    assert back(page) == ["NOC1"]
    expected = [Status.COMPLETED, Status.REFUSED]
    if exhaustive:  # by HTTP: tests/sessions/test_recruitment.py
        page = come("pid3")
        agree(page, is_old=False)
        assert back(page) == ["SCR1"]
        expected.append(Status.UNDER_AGE)
        page = come("pid1")
        expect(page.get_by_role("heading", name="Begun in another browser")).to_be_visible()
        pause(database, "on-prolific")
        page = come("pid4")
        assert code_on(page) == "FUL1"
        assert back(page) == ["FUL1"]
    rows = kept(database, "on-prolific")
    assert [one.status for one, _ in rows] == expected
    (one, identity), *others = rows
    assert identity is not None
    assert (identity.external_id, identity.parameters["SESSION_ID"]) == ("pid1", "se-pid1")
    assert (one.participant or "").startswith("p-")
    assert {each for _, each in others} == {None}


@pytest.mark.exhaustive  # by HTTP: tests/sessions/test_recruitment.py
def test_who_took_part_in_an_earlier_study_is_sent_back_with_the_code_for_that(
    person: Person, service: tuple[str, Database], tmp_path: Path, check: Check
) -> None:
    base, database = service
    open_for(service, tmp_path, "earlier", "prolific", **PROLIFIC)
    with database.transaction() as session:
        recruitment = {"from": "prolific", "not_if_in": ["earlier"]}
        load_file(session, tmp_path, study="later", recruitment=recruitment, completion=PROLIFIC, **QUICK)
        set_state(session, "later", State.LIVE)
    for slug in ("earlier", "later"):
        page = person("https://app.prolific.com/s", link_page(f"{base}/s/{slug}?PROLIFIC_PID=again"))
        page.get_by_role("link", name="Open the study").click()
        if slug == "earlier":
            agree(page)
            finish(page)
    expect(page.get_by_role("heading", name="You have helped already")).to_be_visible()
    check(page)
    assert go_back(page).endswith("cc=SCR1")
    assert kept(database, "later") == []


def test_mturk_by_the_layout_of_its_task(
    person: Person, service: tuple[str, Database], tmp_path: Path, exhaustive: bool
) -> None:
    base, database = service
    layout = view_of(open_for(service, tmp_path, "on-mturk", "mturk", codes=CODES), base).layout
    at = "https://worker.mturk.com/task?hitId=3HIT&turkSubmitTo=x&assignmentId="
    page = person(f"{at}ASSIGNMENT_ID_NOT_AVAILABLE", layout)
    expect(page.get_by_text("Please accept the task")).to_be_visible()
    expect(page.get_by_role("link", name="Open the study in a new tab")).to_be_hidden()

    def come(worker: str) -> Page:
        task = person(f"{at}3ASG{worker}&workerId={worker}", layout)
        with task.context.expect_page() as opened:
            task.get_by_role("link", name="Open the study in a new tab").click()
        return opened.value

    page = come("AW1")
    agree(page)
    finish(page)
    assert code_on(page) == "DONE42"
    assert page.get_by_role("link", name="Return to").count() == 0
    if exhaustive:  # as for those from Prolific
        page = come("AW2")
        page.get_by_role("button", name="I do not want to take part").click()
        assert code_on(page) == "NOC1"
        page = come("AW3")
        agree(page, is_old=False)
        assert code_on(page) == "SCR1"
        pause(database, "on-mturk")
        assert code_on(come("AW4")) == "FUL1"
    identity = kept(database, "on-mturk")[0][1]
    assert identity is not None
    assert identity.external_id == "AW1"
    assert identity.parameters == {"workerId": "AW1", "hitId": "3HIT", "assignmentId": "3ASGAW1"}


@pytest.mark.exhaustive
def test_sona_grants_credit_to_who_finished_and_to_nobody_else(
    person: Person, service: tuple[str, Database], tmp_path: Path
) -> None:
    base, database = service
    link = view_of(open_for(service, tmp_path, "on-sona", "sona", **SONA), base).link

    def come(code: str) -> Page:
        page = person("https://lab.sona-systems.com/exp_info", link_page(link.replace("%SURVEY_CODE%", code)))
        page.get_by_role("link", name="Open the study").click()
        return page

    page = come("4711")
    agree(page)
    finish(page)
    query = parse_qs(urlsplit(go_back(page)).query)
    assert query == {"experiment_id": ["12"], "credit_token": ["ab34"], "survey_code": ["4711"]}
    page = come("4712")
    page.get_by_role("button", name="I do not want to take part").click()
    expect(page.get_by_role("heading", name="Thank you anyway")).to_be_visible()
    assert page.get_by_role("link", name="Return to").count() == 0
    page = come("4713")
    agree(page, is_old=False)
    assert page.get_by_role("link", name="Return to").count() == 0
    pause(database, "on-sona")
    assert come("4714").get_by_role("link", name="Return to").count() == 0


@pytest.mark.exhaustive
def test_connect_leads_back_who_finished_and_shows_the_others_their_code(
    person: Person, service: tuple[str, Database], tmp_path: Path
) -> None:
    base, database = service
    link = view_of(open_for(service, tmp_path, "on-connect", "connect", **CONNECT), base).link

    def come(id_: str) -> Page:
        """As Connect does: it adds its parameters to the link."""
        page = person(
            "https://connect.cloudresearch.com/participant/dashboard",
            link_page(f"{link}?participantId={id_}&assignmentId=a-{id_}&projectId=570B52049B"),
        )
        page.get_by_role("link", name="Open the study").click()
        return page

    page = come("C1")
    agree(page)
    finish(page)
    assert code_on(page) == "DONE42"
    assert go_back(page) == CONNECT["redirect"]
    for id_, way, code in (("C2", "refuse", "NOC1"), ("C3", "young", "SCR1")):
        page = come(id_)
        if way == "refuse":
            page.get_by_role("button", name="I do not want to take part").click()
        else:
            agree(page, is_old=False)
        assert code_on(page) == code
        assert page.get_by_role("link", name="Return to").count() == 0
    pause(database, "on-connect")
    assert code_on(come("C4")) == "FUL1"
    identity = kept(database, "on-connect")[0][1]
    assert identity is not None
    assert identity.parameters == {"participantId": "C1", "assignmentId": "a-C1", "projectId": "570B52049B"}


@pytest.mark.exhaustive
def test_another_recruiter_by_the_names_of_its_parameters(
    person: Person, service: tuple[str, Database], tmp_path: Path
) -> None:
    base, database = service
    panel = "https://panel.example.org"
    ways = {way: f"{panel}/{way}?rid={{participant}}" for way in ("no_consent", "screened_out", "full")}
    named = {"from": "other", "parameters": {"participant": "rid", "session": "transaction"}}
    open_for(service, tmp_path, "on-panel", named, redirect=f"{panel}/done?rid={{participant}}", codes=ways)

    def come(id_: str) -> Page:
        """As a panel does: it fills in the two parameters that the study has named, and adds one of its own."""
        link = f"{base}/s/on-panel?rid={id_}&transaction=t-{id_}&campaign=7"
        page = person(f"{panel}/tasks", link_page(link))
        page.get_by_role("link", name="Open the study").click()
        return page

    page = come("P1")
    agree(page)
    finish(page)
    assert go_back(page) == f"{panel}/done?rid=P1"
    page = come("P2")
    page.get_by_role("button", name="I do not want to take part").click()
    assert go_back(page) == f"{panel}/no_consent?rid=P2"
    page = come("P3")
    agree(page, is_old=False)
    assert go_back(page) == f"{panel}/screened_out?rid=P3"
    pause(database, "on-panel")
    assert go_back(come("P4")) == f"{panel}/full?rid=P4"
    session, identity = kept(database, "on-panel")[0]
    assert session.status == Status.COMPLETED
    assert identity is not None
    assert (identity.external_id, identity.parameters["transaction"]) == ("P1", "t-P1")
