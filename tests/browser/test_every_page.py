"""Every page of the service, on a lab with a study of each task and state: no rule of axe-core is broken, and no page
scrolls sideways on a telephone. The routes say which pages there are: tests/admin/test_every_page.py."""

import re
from collections.abc import Iterator, Mapping, Sequence

import pytest
from playwright.sync_api import Browser, Page

from app.admin.access import COOKIE
from tests.admin.test_labels import forbidden, keys_in
from tests.browser.every_form import REFUSED, REFUSED_TO_STRANGERS, WITH_FIELDS, WITHOUT_FIELDS, Wrong
from tests.browser.every_page import (
    FOR_OWNERS,
    HERE,
    IN_PREVIEWS,
    NOT_THERE,
    PAGES,
    STATES,
    STATES_OF_VIEWERS,
    SUBMISSIONS,
    addresses,
)
from tests.browser.steps import AXE_CONTEXT, SCHEMES, WIDTHS, axe_faults
from tests.browser.whole_lab import LIVE, OWNER, SHARED, VIEWER, WholeLab, served

# Keys of one word are words of pages, too, and names of attributes.
KEYS = {key for key in forbidden() if re.search("[_-]", key)}
# Pages that say that they do not apply, or are no longer there.
NOT_HERE, REFUSALS = (200, 404, 409), (200, 400, 401, 403, 404, 409, 422)
# As without scripts, with other values in place of what the form holds; of forms at one address the one with the field.
SEND = """([route, field, fields]) => {
  const at = new RegExp(`^${route}$`);
  // A button may be called "action".
  const address = (each) => new URL(each.getAttribute("action"), location).pathname;
  const all = [...document.forms].filter((each) => each.method === "post" && at.test(address(each)));
  const form = all.find((each) => field && each.elements[field]) ?? all[0];
  for (const [name, value] of Object.entries(fields)) {
    const given = document.createElement("input");
    for (const old of [...form.elements].filter((each) => each.name === name)) old.disabled = true;
    Object.assign(given, { type: "hidden", name, value });
    form.append(given);
  }
  form.target = "";
  HTMLFormElement.prototype.submit.call(form);
}"""
# The form of a participant's page, where an answer is required.
DUE = """[...document.forms].find((form) => form.method === "post" && !form.getAttribute("action").endsWith("/fill")
  && [...form.elements].some((field) => field.required || field.getAttribute("aria-required") === "true"))"""
# It is sent without an answer, by its first button.
SEND_EMPTY = f"""() => {{
  const form = {DUE};
  const {{ name, value }} = form.querySelector("button[type=submit]");
  if (name) form.append(Object.assign(document.createElement("input"), {{ type: "hidden", name, value }}));
  HTMLFormElement.prototype.submit.call(form);
}}"""
# What is said at a field that is marked as wrong, where it can be seen, and how far below or above the field.
SAYS = """(field) => {
  const is = (each) => (each.id === field || each.name === field) && each.type !== "hidden";
  const wrong = [...document.querySelectorAll("[aria-invalid=true]")].filter(is).find((each) => each.checkVisibility());
  if (!wrong) return { says: "", apart: 0 };
  const near = wrong.getBoundingClientRect();
  const told = (wrong.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id));
  const error = told.find((each) => each?.matches(".error") && each.checkVisibility() && each.innerText.trim());
  const far = error?.getBoundingClientRect();
  return { says: error?.innerText ?? "", apart: far ? Math.max(far.top - near.bottom, near.top - far.bottom, 0) : 0 };
}"""
SAID = """[...document.querySelectorAll("[role=alert], [data-problem]")].filter((each) => each.checkVisibility())
  .map((each) => each.innerText).join(" ").trim()"""
# Forms of the page, and whether something can be typed into them.
FORMS = """[...document.forms].filter((each) => each.method === "post").map((form) => [
  new URL(form.getAttribute("action"), location).pathname,
  [...form.elements].some((each) => each.matches(
    "textarea:not([hidden]), input:not([type=hidden], [type=checkbox], [type=radio], [type=submit], [hidden])") &&
    !each.readOnly)])"""
# Far enough for a line of help in between.
NEAR_PX = 90
KIND = "(document.querySelector('[name=submit_id]')?.value ?? document.title).replace(/[0-9.].*/, '')"
pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeLab]:
    with served(tmp_path_factory.mktemp("whole") / "data") as lab:
        yield lab


def browsing(browser: Browser, lab: WholeLab, email: str = "") -> Iterator[Page]:
    """The browser of a user, or of somebody without a login; an error of a script fails the test."""
    faults: list[str] = []
    context = browser.new_context(base_url=lab.address, **AXE_CONTEXT)  # type: ignore[arg-type]
    context.set_default_timeout(60_000)
    if email:
        context.add_cookies([{"name": COOKIE, "value": lab.cookies[email], "url": f"{lab.address}/admin"}])
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
    yield page
    context.close()
    assert faults == []


def faults_on(page: Page) -> Iterator[str]:
    """Broken rules on the page with all that folds open, where it is wider than its window, and keys for labels."""
    page.wait_for_load_state()
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            yield f"scrolls sideways at {width}"
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            yield from (f"{width} {scheme} {fault}" for fault in sorted(anywhere(page)))
    if "/admin/help/" not in page.url:  # which explains the keys of study files
        yield from (f"the key {key} is a label" for key in keys_in(page.content(), KEYS))


def anywhere(page: Page) -> set[str]:
    """Rules that an element breaks both at the top of a page and at its end.

    A bar that stays in view lies over some field at either, which can be scrolled away from under it.
    """
    page.evaluate("scrollTo(0, 0)")
    found = {_where(fault) for fault in axe_faults(page)}
    if found:
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    return {fault for fault in axe_faults(page) if _where(fault) in found} if found else set()


def _where(fault: str) -> str:
    """The rule and the element."""
    return fault.partition(" Fix ")[0]


class Faults:
    """Faults found on the pages that were looked at, by their addresses."""

    def __init__(self) -> None:
        self.found: dict[str, list[str]] = {}
        self.n = 0

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {fault}" for name, said in self.found.items() for fault in said)

    def look(self, page: Page, name: str, status: int = 200, allowed: Sequence[int] = (200,)) -> None:
        self.n += 1
        said = [*faults_on(page), *_unexpected_fields(page)]
        if status not in allowed:
            said.insert(0, f"status {status}")
        if said:
            self.found[name] = said

    def visit(self, page: Page, address: str, allowed: Sequence[int] = (200,)) -> None:
        reply = page.goto(address)
        self.look(page, address, reply.status if reply else 0, allowed)

    def send_empty(self, page: Page, name: str) -> None:
        """Send a participant's page without an answer, where one is required, and look at the reply."""
        if not page.evaluate(f"!!{DUE}"):
            return
        with page.expect_navigation() as reply:
            page.evaluate(SEND_EMPTY)
        if reply.value.request.redirected_from is not None:
            self.found[name] = ["the page was accepted without an answer"]
        # In what was sent: a script may take marks away again where questions are closed until clips are watched.
        elif 'aria-invalid="true"' not in reply.value.text():
            self.found[name] = [f"no field is marked; the page says: {page.evaluate(SAID)}"]
        self.look(page, name, reply.value.status, REFUSALS)

    def send(self, page: Page, names: Mapping[str, str], wrong: Wrong) -> None:
        """Send a form that is refused, and look at the reply."""
        at, route = wrong.at.format(**names), _pattern(wrong.route)
        name = f"{at} {wrong.route} {dict(wrong.fields)}"
        page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        page.goto(at)
        with page.expect_navigation() as reply:
            page.evaluate(SEND, [route, wrong.field, dict(wrong.fields)])
        page.wait_for_load_state()
        is_accepted = reply.value.request.redirected_from is not None and not wrong.is_draft
        wrongs = ["the form was accepted"] if is_accepted else list(_not_told(page, wrong.field))
        self.look(page, name, reply.value.status, REFUSALS)
        if wrongs:
            self.found[name] = wrongs + self.found.get(name, [])


def _not_told(page: Page, field: str) -> Iterator[str]:
    """What is missing so that one knows what to correct."""
    if not field:
        if not page.evaluate(SAID):
            yield "nothing is said of why it was refused"
        return
    told = page.evaluate(SAYS, field)
    if not told["says"]:
        yield f"nothing is said at the field {field}; the page says: {page.evaluate(SAID)}"
    elif told["apart"] > NEAR_PX:
        yield f"{told['says']!r} stands {told['apart']:.0f} px from the field {field}"


def _pattern(route: str) -> str:
    return re.sub(r"\\{[^}]+\\}", "[^/]+", re.escape(route))


def _unexpected_fields(page: Page) -> Iterator[str]:
    """Forms with a field to fill in, though they are named as having none."""
    for address, has_field in page.evaluate(FORMS):
        routes = [
            route for route in (*WITHOUT_FIELDS, *WITH_FIELDS) if re.fullmatch(_pattern(route), address)
        ]
        route = min(routes, key=lambda each: each.count("{"), default="")
        if has_field and route in WITHOUT_FIELDS:
            yield f"the form {route} has a field: name a wrong value of it in tests/browser/every_form.py"


def test_no_page_of_the_owner_breaks_a_rule(browser: Browser, lab: WholeLab) -> None:
    faults = Faults()
    for page in browsing(browser, lab, OWNER):
        for route in PAGES:
            # The address of a study that has ended is refused.
            allowed = (*NOT_HERE, 403) if route == "/s/{slug}" else NOT_HERE
            for address in addresses(lab, route):
                faults.visit(page, address, allowed)
        for address, status in NOT_THERE:
            faults.visit(page, address, (status,))
    assert faults.n > len(PAGES)
    assert not faults.found, faults


def test_no_page_of_a_viewer_breaks_a_rule(browser: Browser, lab: WholeLab) -> None:
    faults, shared = Faults(), tuple(f"/admin/studies/{slug}" for slug in SHARED)
    for page in browsing(browser, lab, VIEWER):
        for route in PAGES:
            allowed = (403,) if route in FOR_OWNERS else NOT_HERE
            for address in addresses(lab, route):
                if address.startswith(shared) or (route.startswith("/admin") and HERE not in route):
                    faults.visit(page, address, allowed)
    assert not faults.found, faults


def test_every_form_says_at_its_field_why_it_is_refused_and_breaks_no_rule(
    browser: Browser, lab: WholeLab
) -> None:
    faults = Faults()
    for email, refused in ((OWNER, REFUSED), ("", REFUSED_TO_STRANGERS)):
        for page in browsing(browser, lab, email):
            for wrong in refused:
                faults.send(page, lab.names, wrong)
    assert not faults.found, faults


def test_the_states_are_there_in_which_pages_are_looked_at(browser: Browser, lab: WholeLab) -> None:
    for email, states in ((OWNER, STATES), (VIEWER, STATES_OF_VIEWERS)):
        for page in browsing(browser, lab, email):
            for address, selector in states:
                page.goto(address.format(**lab.names))
                assert page.locator(selector).first.is_visible(), (address, selector)


def test_no_page_of_a_recruiters_file_breaks_a_rule(browser: Browser, lab: WholeLab) -> None:
    """A file of submissions, read in: whom to pay, to ask to return, and to look at."""
    faults = Faults()
    for page in browsing(browser, lab, OWNER):
        page.goto(f"/admin/studies/{LIVE}/recruiting")
        page.get_by_label("File of submissions").set_input_files(
            {"name": "submissions.csv", "mimeType": "text/csv", "buffer": SUBMISSIONS.encode()}
        )
        with page.expect_navigation():
            page.get_by_role("button", name="Compare").click()
        for words in ("Lists to hand in", "Pay", "Look at", "Completed here, not submitted there"):
            assert page.get_by_role("heading", name=words).first.is_visible(), words
        faults.look(page, "submissions")
    assert not faults.found, faults


def test_no_page_of_a_session_breaks_a_rule(browser: Browser, lab: WholeLab) -> None:
    """Of each task, by its preview, which is filled in page by page; a page of the same kind is looked at once."""
    faults = Faults()
    for page in browsing(browser, lab, OWNER):
        for slug in IN_PREVIEWS:
            page.goto(f"/admin/studies/{slug}/launch")
            page.evaluate(SEND, [_pattern(f"{HERE}/preview"), "", {}])
            page.wait_for_url("**/p/*")
            here, seen = page.url, set()
            faults.visit(page, f"{here}/stop")
            while True:
                page.goto(here)
                name = page.evaluate(KIND)
                if name not in seen:
                    faults.look(page, f"{slug} {name}")
                    faults.send_empty(page, f"{slug} {name}, sent empty")
                    page.goto(here)
                seen.add(name)
                fill = page.get_by_role("button", name="Fill in this page")
                if not fill.count():
                    break
                with page.expect_navigation():
                    fill.click()
    assert faults.n > 3 * len(IN_PREVIEWS)
    assert not faults.found, faults
