"""The design's form in a real browser: saved while one writes, with the participant's page beside it."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, FrameLocator, Page, Route, expect
from sqlmodel import select

from app.accounts.logins import Who
from app.accounts.tables import Role
from app.admin.access import COOKIE
from app.core.database import Database
from app.core.settings import Settings
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.stimuli import add_stimuli
from app.studies.drafts import create_study
from app.studies.file.keys import tidied
from app.studies.tables import Draft
from app.trials.tables import Study
from tests.admin.persons import make_login, make_user, share_study
from tests.browser.conftest import fresh_sqlite
from tests.browser.served import served
from tests.browser.steps import AXE_CONTEXT, Check
from tests.factories import NOW, study_file

pytestmark = pytest.mark.browser

Open = Callable[..., Page]
UNFOLD = "for (const fold of document.querySelectorAll('details')) fold.open = true"


class Service:
    """The service as served, with one owner; each test makes a study of its own."""

    def __init__(self, address: str, database: Database) -> None:
        self.address, self.database = address, database
        with database.transaction() as session:
            self.who = make_user(session, Role.OWNER, "ada@example.org")
            self.cookie = make_login(session, self.who)
        self.n_studies = 0

    def study(self, **changes: object) -> str:
        self.n_studies += 1
        slug = f"s{self.n_studies}"
        keys = {key: value for key, value in study_file(**changes).items() if value is not None}
        with self.database.transaction() as session:
            create_study(session, self.who, slug, keys, NOW)
        return slug

    def viewer(self, slug: str) -> str:
        with self.database.transaction() as session:
            who: Who = make_user(session, Role.VIEWER, "vic@example.org")
            share_study(session, slug, who)
            return make_login(session, who)

    def draft(self, slug: str) -> dict[str, Any]:
        with self.database.reading() as session:
            keys = session.exec(select(Draft.keys).join(Study).where(Study.slug == slug)).one()
        return dict(keys)


@pytest.fixture(scope="module")
def service(
    tmp_path_factory: pytest.TempPathFactory,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    migrated_sqlite: Path,
) -> Iterator[Service]:
    url = fresh_sqlite(migrated_sqlite, tmp_path_factory.mktemp("service"))
    settings = Settings(  # type: ignore[call-arg]
        LIKELY_HUMAN_DATA=library[0].root, DATABASE_URL=str(url), LIKELY_HUMAN_SECRET="test"
    )
    database = Database(url, checkpointing=True)
    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
    with served(settings, database) as address:
        yield Service(address, database)


@pytest.fixture
def open_design(browser: Browser, service: Service) -> Iterator[Open]:
    """A study's design in a fresh browser. No other host may be asked, and nothing go wrong in the page."""
    foreign: list[str] = []
    faults: list[str] = []
    contexts = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            faults.append(message.text)

    def open_page(slug: str, cookie: str = "", section: str = "all", **options: Any) -> Page:
        options = {"viewport": {"width": 1280, "height": 800}, **options}
        context = browser.new_context(base_url=service.address, **options)
        contexts.append(context)
        context.add_cookies(
            [{"name": COOKIE, "value": cookie or service.cookie, "url": f"{service.address}/admin"}]
        )
        context.set_default_timeout(60_000)
        context.on("request", lambda request: foreign.append(request.url))
        page = context.new_page()
        page.on("console", hear)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(f"/admin/studies/{slug}/design/{section}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [url for url in foreign if not url.startswith((service.address, "blob:", "data:"))] == []
    assert faults == []


def participants_page(page: Page) -> FrameLocator:
    return page.frame_locator("iframe")


def saved(page: Page) -> None:
    expect(page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved \d+ \w{3} \d{4}, \d\d:\d\d$"))


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.id"))


def test_what_is_typed_while_the_page_is_still_loading_is_saved(open_design: Open, service: Service) -> None:
    slug = service.study()
    page = open_design(slug, section="study")
    held: list[Route] = []
    page.route("**/design-form.js", lambda route: held.append(route))
    with page.expect_request("**/design-form.js"):
        page.reload(wait_until="commit")
    page.get_by_label("Title", exact=True).fill("Typed early")
    for route in held:
        route.continue_()
    saved(page)
    assert service.draft(slug)["title"] == "Typed early"


def test_what_is_typed_in_two_fields_without_a_pause_is_undone_one_by_one(
    open_design: Open, service: Service
) -> None:
    slug = service.study()
    page = open_design(slug)
    page.get_by_label("Title", exact=True).fill("Two fields")
    page.locator('[id="completion.code"]').fill("ONE")
    page.locator('[id="completion.code"]').blur()
    saved(page)
    assert (service.draft(slug)["title"], service.draft(slug)["completion"]["code"]) == ("Two fields", "ONE")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("Undone.", exact=True)).to_be_visible()
    assert service.draft(slug)["title"] == "Two fields"
    assert service.draft(slug).get("completion", {}).get("code") != "ONE"


def test_typed_text_is_saved_and_previewed(open_design: Open, service: Service) -> None:
    slug = service.study()
    page = open_design(slug)
    title = page.get_by_label("Title", exact=True)
    title.fill("Who walks here?")
    saved(page)
    assert service.draft(slug)["title"] == "Who walks here?"
    expect(participants_page(page).locator(".study")).to_have_text("Who walks here?")
    assert focused(page) == "title"

    page.get_by_label("Consent text").fill("# A new text\n\n<b>typed</b> and **bold**")
    shown = participants_page(page)
    expect(shown.get_by_role("heading", name="A new text")).to_be_visible()
    expect(shown.get_by_text("<b>typed</b> and bold")).to_be_visible()
    expect(shown.get_by_role("button", name="I agree to take part")).to_be_disabled()


def test_the_page_beside_follows_what_is_written_and_its_clips_play_on_while_one_writes(
    open_design: Open, service: Service
) -> None:
    slug = service.study()
    page = open_design(slug)
    shown = participants_page(page)
    page.get_by_label("Order of the pairs").focus()
    expect(shown.get_by_text("Pair 1 of 10")).to_be_visible()
    shown.get_by_role("button", name="Play both", exact=True).click()
    expect(shown.get_by_text("Watched", exact=True)).to_have_count(2)
    expect(shown.get_by_text("The questions are open", exact=False)).to_be_visible()
    page.locator('[id="trials.questions.0.ask"]').fill("Which one is a person?")
    expect(shown.get_by_text("Which one is a person?")).to_be_visible()
    expect(shown.get_by_text("Watched", exact=True)).to_have_count(2)
    pages = page.get_by_role("navigation", name="Pages that participants see")
    pages.get_by_role("link", name="End", exact=True).click()
    expect(shown.get_by_text("DONE42")).to_be_visible()
    page.get_by_role("button", name="Phone").click()
    assert page.locator("iframe").evaluate("frame => frame.contentWindow.innerWidth") <= 390
    page.go_back()  # to before the form: pages looked at beside it are no steps of their own
    assert page.url == "about:blank"


def test_the_page_beside_shows_clips_in_turn_where_participants_see_them_so(
    open_design: Open, service: Service
) -> None:
    page = open_design(service.study(), section="trials")
    shown = participants_page(page)
    page.locator('details:has([id="trials.layout"]) > summary').click()
    page.get_by_label("Layout of the clips").focus()
    page.get_by_label("Layout of the clips").select_option("sequential")
    expect(shown.get_by_text("The first of two videos")).to_be_visible()
    expect(shown.locator("[data-clip=left] video")).to_be_visible()
    expect(shown.locator("[data-clip=right] video")).not_to_be_visible()
    shown.get_by_role("button", name="Go to the second video").click()
    expect(shown.locator("[data-clip=left] video")).not_to_be_visible()
    expect(shown.locator("[data-clip=right] video")).to_be_visible()
    page.get_by_label("Layout of the clips").select_option("side-by-side")
    expect(shown.get_by_role("button", name="Play both", exact=True)).to_be_visible()


def test_a_question_is_added_by_keyboard_alone_and_its_error_comes_and_goes_at_its_field(
    open_design: Open, service: Service
) -> None:
    slug = service.study()
    page = open_design(slug, section="questions")
    keys = page.keyboard
    page.locator("body").press("Tab")
    for _ in range(150):
        if focused(page) == "add.trials.questions":
            break
        keys.press("Tab")
    assert focused(page) == "add.trials.questions"
    keys.type("One")  # of a list
    keys.press("Tab")
    keys.press("Enter")
    place = "trials.questions.3"
    expect(page.locator(f'[id="{place}.ask"]')).to_be_focused()
    error = page.locator(f'[id="{place}.ask-error"]')
    expect(page.get_by_text("What you have just added is still to be filled in.")).to_be_visible()
    expect(error).to_have_text("")
    keys.press("Tab")
    page.locator('[id="trials.questions.0.ask"]').focus()
    expect(error).to_have_text("“What is asked” is empty: fill it in.")
    page.locator(f'[id="{place}.ask"]').focus()
    expect(page.get_by_role("link", name="“What is asked” is empty")).to_have_attribute(
        "href", f"#{place}.ask"
    )
    keys.type("Which was closer?")
    expect(error).to_have_text("")
    expect(page.get_by_text("Ready to save")).to_be_visible()
    assert focused(page) == f"{place}.ask"
    for way, wanted in (("Move question 4 up", 2), ("Move question 3 up", 1)):
        page.get_by_role("button", name=way).last.press("Enter")
        expect(page.locator(f'[id="trials.questions.{wanted}.up"]')).to_be_focused()
    assert [question["id"] for question in service.draft(slug)["trials"]["questions"]] == [
        "choice",
        "selection",
        "rationale",
        "uncertainty",
    ]


def test_a_named_scale_and_another_type_change_the_form_and_the_focus_stays(
    open_design: Open, service: Service
) -> None:
    slug = service.study(scales={"speed": ["slow", "fast"]})
    page = open_design(slug, section="questions")
    page.locator('[data-fold="trials.questions.2"] > summary').click()
    scale = page.locator('[id="trials.questions.2.scale"]')
    scale.focus()
    scale.select_option("speed")
    expect(page.get_by_text("Its points")).to_have_count(1)
    expect(scale).to_be_focused()
    name = page.locator('[id="scales.0.name"]')
    name.fill("pace")
    name.press("Tab")
    expect(page.locator('[id="scales.0.labels"]')).to_be_focused()
    expect(scale).to_have_value("pace")
    page.locator('[id="trials.questions.2.type"]').select_option("text")
    expect(page.locator('[id="trials.questions.2.max_length"]')).to_be_visible()
    saved(page)
    draft = service.draft(slug)
    assert draft["scales"] == {"pace": ["slow", "fast"]}
    assert set(draft["trials"]["questions"][2]) == {"id", "type", "ask"}


@pytest.mark.exhaustive
def test_without_a_connection_nothing_typed_is_lost_and_it_is_saved_once_there_is_one(
    open_design: Open, service: Service
) -> None:
    slug = service.study()
    page = open_design(slug)
    page.route("**/draft?*", lambda route: route.abort("connectionrefused"))
    page.get_by_label("Title", exact=True).fill("Typed offline")
    expect(page.locator("[data-saved]")).to_have_text("Not saved: offline, will retry")
    assert service.draft(slug)["title"] != "Typed offline"
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    with page.expect_event("dialog"):
        page.evaluate("setTimeout(() => location.reload())")
    assert asked == ["beforeunload"]
    page.unroute("**/draft?*")
    saved(page)
    assert service.draft(slug)["title"] == "Typed offline"
    page.reload()
    assert asked == ["beforeunload"]


def test_two_editors_are_merged_and_choose_where_both_changed_the_same(
    open_design: Open, service: Service, check: Check
) -> None:
    slug = service.study()
    first, second = open_design(slug), open_design(slug, **AXE_CONTEXT)

    def type_in(page: Page, at: str, text: str) -> None:
        with page.expect_response("**/draft?*"):
            page.locator(f'[id="{at}"]').fill(text)

    type_in(first, "title", "The first")
    type_in(first, "completion.code", "FIRST")
    type_in(second, "consent.version", "v9")
    expect(second.locator("[data-saved]")).to_contain_text("with what ada@example.org changed meanwhile")
    expect(second.get_by_label("Title", exact=True)).to_have_value("The first")
    type_in(first, "title", "First again")
    type_in(second, "title", "The second")
    choice = second.get_by_role("heading", name="You and ada@example.org changed the same place")
    expect(choice).to_be_visible()
    check(second, within="#clashes")
    assert service.draft(slug)["title"] == "First again"
    second.get_by_label("Yours").check()
    second.get_by_role("button", name="Keep what is chosen").click()
    expect(second.get_by_text("Saved.", exact=True)).to_be_visible()
    draft = service.draft(slug)
    assert (draft["title"], draft["consent"]["version"], draft["completion"]["code"]) == (
        "The second",
        "v9",
        "FIRST",
    )
    second.get_by_role("button", name="Undo", exact=True).click()
    expect(second.get_by_text("Undone.", exact=True)).to_be_visible()
    assert service.draft(slug)["title"] == "The first", "what one person types in one place is one change"


@pytest.mark.exhaustive
def test_the_form_works_without_scripts(open_design: Open, service: Service) -> None:
    slug = service.study()
    page = open_design(slug, java_script_enabled=False)
    page.get_by_label("Title", exact=True).fill("Plain")
    page.locator('[id="add.background"]').select_option("number")
    page.locator('[id="background.add"]').click()
    expect(page.locator('[id="background.1.ask"]')).to_have_value("How old are you?")
    page.get_by_role("button", name="Save the draft").last.click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    draft = service.draft(slug)
    assert (draft["title"], len(draft["background"])) == ("Plain", 2)
    expect(participants_page(page).locator(".study")).to_have_text("Plain")


@pytest.mark.exhaustive
def test_a_question_removed_by_mistake_comes_back(open_design: Open, service: Service) -> None:
    slug = service.study(scales={"mine": ["a", "b"], "yours": ["c", "d"]})
    before = service.draft(slug)
    page = open_design(slug)
    page.locator('[data-fold="trials.questions.1"] > summary').click()
    for which, left in (("question 2", "trials.questions.2"), ("scale 1", "scales.1")):
        page.get_by_role("button", name=f"Remove {which}").click()
        expect(page.locator(f'[id="{left}"]')).to_have_count(0)
        page.get_by_role("button", name="Undo", exact=True).click()
        expect(page.locator(f'[id="{left}"]')).to_have_count(1)
    assert service.draft(slug) == tidied(before)


def test_the_design_breaks_no_axe_rule_wide_or_narrow_light_or_dark_and_fits(
    open_design: Open, service: Service, check: Check
) -> None:
    broken = service.study(
        title=None, background=[{"id": "A b", "type": "odd"}], scales={"speed": ["slow", "fast"]}, extra=1
    )
    page = open_design(broken, **AXE_CONTEXT)
    page.evaluate(UNFOLD)
    check(page)
    page = open_design(broken, **{**AXE_CONTEXT, "viewport": {"width": 390, "height": 800}})
    expect(page.locator("iframe")).not_to_be_visible()
    expect(page.get_by_role("navigation", name="In short").locator("[aria-current]")).to_have_text("Design")
    page.get_by_role("button", name="Participant’s page").click()
    expect(participants_page(page).locator(".study")).to_be_visible()
    expect(page.get_by_label("Title", exact=True)).not_to_be_visible()
    check(page)


def test_sections_are_walked_by_index_and_keyboard_at_both_sizes_with_the_page_beside_at_a_size_to_read(
    open_design: Open, service: Service, check: Check
) -> None:
    slug = service.study(completion={"code": "x" * 99})
    page = open_design(slug, **AXE_CONTEXT)
    page.goto(f"/admin/studies/{slug}/design")
    expect(page).to_have_url(re.compile("/design/end$"))
    page.locator("#faults a").first.click()
    expect(page.locator('[id="completion.code"]')).to_be_in_viewport()
    page.locator('[id="completion.code"]').fill("SHORT")
    expect(page.get_by_text("Ready to save")).to_be_visible()
    page.wait_for_function("document.querySelector('.savebar').offsetHeight < 64")  # one line
    check(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("button", name="Computer").click()
    expect(page.locator('[id="completion.code"]')).not_to_be_visible()
    # The scale is set once the page beside has been measured.
    page.wait_for_function(
        "Number(document.querySelector('[data-screen]').style.getPropertyValue('--scale')) >= 0.6"
    )
    page.get_by_role("button", name="Form").click()
    page.goto(f"/admin/studies/{slug}/design/consent#trials.sides")
    expect(page).to_have_url(re.compile(r"/design/trials.*#trials\.sides$"))
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="Section 6 of").press("Enter")
    page.get_by_role("link", name="Questions", exact=True).press("Enter")
    expect(page.get_by_role("button", name="Section 7 of")).to_be_visible()
    check(page)


RATE = {
    "id": "rate",
    "task": "rating",
    "items": "item,text,group\nt1,First.,a\nt2,Second.,b\n",
    "questions": [
        {"id": "logic", "ask": "How logical?", "scale": "quality", "when": {"group": "a"}},
        {"id": "why", "type": "text", "ask": "Why?"},
    ],
}
DRAWN = {
    "seed": 7,
    "conditions": {"human-hybrid": 1},
    "drawn": "pair,a,b,condition,kind\nq1,human-g1,hybrid-g1,,\n",
}


def with_blocks() -> dict[str, Any]:
    watch = {"id": "watch", "task": "pair", "sample": DRAWN, "trials": study_file()["trials"]}
    return {"blocks": [watch, RATE], "trials": None, "sample": None, "pairs": None}


def test_blocks_are_edited_ordered_removed_and_brought_back(
    open_design: Open, service: Service, tmp_path: Path
) -> None:
    slug = service.study(**with_blocks())
    page = open_design(slug, section="trials")
    expect(page.get_by_text("Ready to save")).to_be_visible()
    expect(page.get_by_label("What is asked").last).not_to_be_visible()
    page.locator('[data-fold="blocks.1"] > summary').click()
    page.get_by_text("Question 2 Why? · Free text").click()
    ask = page.locator('[id="blocks.1.questions.1.ask"]')
    ask.fill("Why so?")
    saved(page)
    expect(participants_page(page).get_by_text("Why so?")).to_be_visible()
    (tmp_path / "items.csv").write_text(
        "item,text,group\nt1,Another text.,a\nt9,One more.,b\n", encoding="utf-8"
    )
    page.get_by_label("Read it from a CSV file").last.set_input_files(tmp_path / "items.csv")
    expect(participants_page(page).get_by_text("Another text.")).to_be_visible()
    expect(ask).to_be_visible()
    page.locator('[id="blocks.1.per_item"]').fill("0")
    index = page.get_by_role("navigation", name="Sections of the design")
    expect(index.get_by_role("link", name="Trials 1")).to_be_visible()
    page.locator('[id="blocks.1.per_item"]').fill("3")
    expect(index.get_by_role("link", name="Trials", exact=True)).to_be_visible()
    page.get_by_role("button", name="Move block rate up").click()
    expect(page.locator('[id="blocks.0-title"]')).to_contain_text("rate")
    before = service.draft(slug)["blocks"]
    assert [block["id"] for block in before] == ["rate", "watch"]
    assert before[0]["items"].startswith("item,text,group\nt1,Another")
    page.get_by_role("button", name="Remove block watch").click()
    block = page.locator('[data-fold="blocks.1"] > summary')
    expect(block).to_have_count(0)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(block).to_contain_text("watch")
    expect(page.get_by_text("Ready to save")).to_be_visible()
    after = service.draft(slug)["blocks"]
    assert (after[0], {**after[1], "sample": None}) == (before[0], {**before[1], "sample": None})
    assert after[1]["sample"]["drawn"].strip() == before[1]["sample"]["drawn"].strip()


def test_a_design_with_blocks_breaks_no_axe_rule_and_fits(
    open_design: Open, service: Service, check: Check
) -> None:
    keys = with_blocks()
    keys["blocks"][0]["per_participant"] = 99
    slug = service.study(**keys)
    page = open_design(slug, section="trials", **AXE_CONTEXT)
    page.evaluate(UNFOLD)
    check(page)


def test_arms_and_hypotheses_are_made_by_clicks_and_what_is_wrong_is_told_at_their_cards(
    open_design: Open, service: Service, check: Check
) -> None:
    slug = service.study()
    page = open_design(slug, section="arms", **AXE_CONTEXT)
    page.get_by_role("button", name="Add an arm").click()
    expect(page.locator('[id="arms.0.id"]')).to_be_focused()
    expect(page.locator('[id="arms-error"]')).to_contain_text("One arm is none")
    page.get_by_role("button", name="Add an arm").click()
    expect(page.locator('[id="arms.1.id"]')).to_be_focused()
    page.locator('[id="add.arms.1.set"]').select_option(label="Watching")
    page.locator('[id="arms.1.set.add"]').click()
    watch = page.locator('[id="arms.1.set.trials.watch"]')
    expect(watch).to_be_focused()
    watch.select_option("free")
    name = page.locator('[id="arms.1.id"]')
    name.fill("fast")
    name.press("Tab")
    expect(page.get_by_role("group", name="fast")).to_be_visible()
    saved(page)
    page.goto(f"/admin/studies/{slug}/design/analysis")
    page.locator('[id="hypotheses.add"]').click()
    direction = page.locator('[id="hypotheses.0.direction-error"]')
    expect(direction).to_have_text("")
    page.locator("#faults").focus()
    expect(direction).to_have_text("“Direction” is empty: fill it in.")
    for field, chosen in (
        ("compare.0", "arm-1"),
        ("compare.1", "fast"),
        ("direction", "less"),
        ("test", "mann-whitney"),
    ):
        page.locator(f'[id="hypotheses.0.{field}"]').select_option(chosen)
    page.locator('[id="hypotheses.0.measure"]').select_option("accuracy")
    expect(page.get_by_text("Ready to save")).to_be_visible()
    draft = service.draft(slug)
    assert draft["arms"] == [{"id": "arm-1"}, {"id": "fast", "set": {"trials.watch": "free"}}]
    assert draft["hypotheses"] == [
        {
            "id": "h1",
            "compare": ["arm-1", "fast"],
            "measure": "accuracy",
            "direction": "less",
            "test": "mann-whitney",
        }
    ]
    page.evaluate(UNFOLD)
    check(page, within="#hypotheses")
    page.goto(f"/admin/studies/{slug}/design/arms")
    page.get_by_role("button", name="As in the study again").click()
    expect(watch).to_have_count(0)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(watch).to_have_value("free")
    page.evaluate(UNFOLD)
    check(page, within="#arms")


def test_texts_are_translated_beside_the_original_and_what_is_missing_is_marked(
    open_design: Open, service: Service, check: Check
) -> None:
    slug = service.study()
    page = open_design(slug, **AXE_CONTEXT)
    page.locator('[id="add.languages"]').select_option("ar")
    page.locator('[id="languages.add"]').click()
    title = page.locator('[id="languages.ar.title"]')
    expect(title).to_be_focused()
    assert title.evaluate("field => getComputedStyle(field).direction") == "rtl"
    expect(page.get_by_text("8 of 9 texts missing")).to_be_visible()
    expect(page.locator('[id="languages.ar.title-error"]')).to_have_text(
        "“Title” has no translation: translate it."
    )
    original, field = page.locator(".original").first.bounding_box(), title.bounding_box()
    assert original is not None
    assert field is not None
    assert original["x"] + original["width"] <= field["x"], "side by side"
    title.fill("أي تنقل يبدو طبيعيًا؟")
    saved(page)
    expect(page.locator('[id="languages.ar.title-error"]')).to_have_text("")
    assert service.draft(slug)["languages"]["ar"]["title"] == "أي تنقل يبدو طبيعيًا؟"
    link = page.get_by_role("link", name="“Consent text” has no translation")
    assert link.get_attribute("href") == "#languages.ar.consent.text"
    link.click()
    expect(page.locator('[id="languages.ar.consent.text"]')).to_be_in_viewport()
    check(page, within="#words")


def test_a_version_is_saved_with_what_was_typed_last_and_walked_through(
    open_design: Open, service: Service
) -> None:
    slug = service.study()
    page = open_design(slug, section="study")
    expect(page.get_by_role("button", name="Preview version", exact=False)).to_have_count(0)
    page.get_by_label("Title", exact=True).fill("Typed just before")
    page.get_by_role("button", name="Save as version 1").click()
    expect(page).to_have_url(re.compile(r"/versions\?said=saved$"))
    page.goto(f"/admin/studies/{slug}/design/study")
    with page.expect_popup() as popup:
        page.get_by_role("button", name="Preview version 1").click()
    expect(popup.value.locator(".study")).to_have_text("Typed just before")


@pytest.mark.exhaustive
def test_a_viewer_looks_at_the_pages_and_finds_nothing_to_press(open_design: Open, service: Service) -> None:
    slug = service.study()
    page = open_design(slug, service.viewer(slug))
    expect(page.get_by_label("Title", exact=True)).to_be_disabled()
    page.get_by_role("link", name="Trial", exact=True).click()
    expect(participants_page(page).get_by_text("Pair 1 of 10")).to_be_visible()
    expect(page.locator("#main button[type=submit]")).to_have_count(0)


def test_on_a_telephone_the_bar_that_saves_stays_in_view_above_the_menu(
    open_design: Open, service: Service
) -> None:
    page = open_design(service.study(), viewport={"width": 390, "height": 844})
    button = page.get_by_role("button", name=re.compile("^Save as version"))
    menu = page.locator(".tabbar")
    for share in (0, 0.5, 1):
        page.evaluate("share => scrollTo(0, share * document.documentElement.scrollHeight)", share)
        expect(button).to_be_in_viewport(ratio=1)
        bar, below = page.locator(".savebar").bounding_box(), menu.bounding_box()
        assert bar is not None
        assert below is not None
        assert bar["y"] + bar["height"] <= below["y"] + 1
        assert bar["height"] < 844 / 10


def test_what_is_open_goes_with_its_block_and_what_is_folded_stays_so(
    open_design: Open, service: Service
) -> None:
    page = open_design(service.study(**with_blocks()), section="trials")
    first, second = (page.locator(f'[data-fold="blocks.{n}"]') for n in (0, 1))
    for fold in (first, second):
        if fold.get_attribute("open") is not None:
            fold.locator("> summary").click()
    second.locator("> summary").click()
    page.locator('[id="blocks.1.per_item"]').fill("0")
    expect(page.locator('[id="blocks.1.per_item-error"]')).not_to_be_empty()
    expect(second).to_have_attribute("open", "")
    page.locator('[id="blocks.1.per_item"]').fill("3")
    expect(page.locator('[id="blocks.1.per_item-error"]')).to_be_empty()
    page.get_by_role("button", name="Move block rate up").click()
    expect(page.locator('[id="blocks.0-title"]')).to_contain_text("rate")
    expect(first).to_have_attribute("open", "")
    expect(second).not_to_have_attribute("open", "")


def test_on_a_telephone_the_index_goes_once_a_part_is_chosen(open_design: Open, service: Service) -> None:
    page = open_design(service.study(**with_blocks()), viewport={"width": 390, "height": 780})
    index = page.get_by_role("navigation", name="Sections of the design")
    expect(index).to_be_hidden()
    page.locator(".to-sections").click()
    expect(index).to_be_visible()
    part = index.locator("[data-within]").last
    at = part.get_attribute("href") or ""
    part.click()
    expect(index).to_be_hidden()
    expect(page.locator(f'[id="{at.removeprefix("#")}"]')).to_be_in_viewport()
