"""Each route that answers with a page is looked at by the test that goes over every page, or is named as none; each
that takes a form has a value that it refuses there, or the reason why it refuses none."""

from tests.admin.test_routes import ALL
from tests.browser.every_form import NEVER_WRONG, WITH_FIELDS
from tests.browser.every_page import IN_A_SESSION, NO_PAGES, PAGES


def test_every_route_is_a_page_that_is_looked_at_or_is_named_as_none() -> None:
    routes = {route.path for route in ALL if route.method == "GET" and not route.is_api}
    looked_at = {*PAGES, *IN_A_SESSION}
    assert looked_at & NO_PAGES.keys() == set()
    assert routes - looked_at - NO_PAGES.keys() == set(), "add its addresses to tests/browser/every_page.py"
    assert (looked_at | NO_PAGES.keys()) - routes == set(), "no route has this path any more"
    assert all(NO_PAGES.values())
    assert all(PAGES.values())


def test_every_form_has_a_value_that_it_refuses_or_a_reason_why_it_has_none() -> None:
    routes = {route.path for route in ALL if route.changes and not route.is_api}
    assert WITH_FIELDS & NEVER_WRONG.keys() == set()
    named = WITH_FIELDS | NEVER_WRONG.keys()
    assert routes - named == set(), "add a wrong value to tests/browser/every_form.py"
    assert named - routes == set(), "no route has this path any more"
    assert all(NEVER_WRONG.values())
