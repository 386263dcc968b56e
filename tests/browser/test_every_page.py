"""Every page of the service, on a lab with a study of each task and state: no rule of axe-core is broken, and no page
scrolls sideways on a telephone. The routes say which pages there are: tests/admin/test_every_page.py."""

import re
from collections.abc import Iterator, Mapping, Sequence

import pytest
from playwright.sync_api import Browser, Page

from app.admin.access import COOKIE
from tests.admin.test_labels import forbidden, keys_in
from tests.browser.every_page import (
    FOR_OWNERS,
    HERE,
    IN_PREVIEWS,
    NOT_THERE,
    PAGES,
    REFUSED,
    REFUSED_TO_STRANGERS,
    addresses,
)
from tests.browser.steps import AXE_CONTEXT, SCHEMES, WIDTHS, axe_faults
from tests.browser.whole_lab import OWNER, SHARED, VIEWER, WholeLab, served

# Keys of one word are words of pages, too, and names of attributes.
KEYS = {key for key in forbidden() if re.search("[_-]", key)}
# Pages that say that they do not apply, or are no longer there.
NOT_HERE, REFUSALS = (200, 404, 409), (200, 400, 401, 403, 404, 409, 422)
SEND = """([end, fields]) => {
  const is = (each) => each.method === "post" && each.getAttribute("action").endsWith(end);
  const form = [...document.forms].find(is);
  for (const [name, value] of Object.entries(fields)) {
    const given = document.createElement("input");
    for (const old of [...form.elements].filter((each) => each.name === name)) old.disabled = true;
    Object.assign(given, { type: "hidden", name, value });
    form.append(given);
  }
  form.target = "";
  HTMLFormElement.prototype.submit.call(form);
}"""
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
        said = list(faults_on(page))
        if status not in allowed:
            said.insert(0, f"status {status}")
        if said:
            self.found[name] = said

    def visit(self, page: Page, address: str, allowed: Sequence[int] = (200,)) -> None:
        reply = page.goto(address)
        self.look(page, address, reply.status if reply else 0, allowed)

    def send(self, page: Page, at: str, end: str, fields: Mapping[str, str]) -> None:
        """Send a form that is refused, as without scripts, and look at the reply."""
        page.goto(at)
        with page.expect_navigation() as reply:
            page.evaluate(SEND, [end, fields])
        self.look(page, f"{at} {end}", reply.value.status, REFUSALS)


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


def test_no_refused_form_breaks_a_rule(browser: Browser, lab: WholeLab) -> None:
    faults = Faults()
    for email, refused in ((OWNER, REFUSED), ("", REFUSED_TO_STRANGERS)):
        for page in browsing(browser, lab, email):
            for at, end, fields in refused:
                faults.send(page, at.format(**lab.names), end, fields)
    assert not faults.found, faults


def test_no_page_of_a_session_breaks_a_rule(browser: Browser, lab: WholeLab) -> None:
    """Of each task, by its preview, which is filled in page by page; a page of the same kind is looked at once."""
    faults = Faults()
    for page in browsing(browser, lab, OWNER):
        for slug in IN_PREVIEWS:
            page.goto(f"/admin/studies/{slug}/launch")
            page.evaluate(SEND, ["/preview", {}])
            page.wait_for_url("**/p/*")
            here, seen = page.url, set()
            faults.visit(page, f"{here}/stop")
            while True:
                page.goto(here)
                name = page.evaluate(KIND)
                if name not in seen:
                    faults.look(page, f"{slug} {name}")
                seen.add(name)
                fill = page.get_by_role("button", name="Fill in this page")
                if not fill.count():
                    break
                with page.expect_navigation():
                    fill.click()
    assert faults.n > 3 * len(IN_PREVIEWS)
    assert not faults.found, faults
