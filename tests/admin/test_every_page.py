"""Each route that answers with a page is looked at by the test that goes over every page, or is named as none."""

from tests.admin.test_routes import ALL
from tests.browser.every_page import IN_A_SESSION, NO_PAGES, PAGES


def test_every_route_is_a_page_that_is_looked_at_or_is_named_as_none() -> None:
    routes = {route.path for route in ALL if route.method == "GET" and not route.is_api}
    looked_at = {*PAGES, *IN_A_SESSION}
    assert looked_at & NO_PAGES.keys() == set()
    assert routes - looked_at - NO_PAGES.keys() == set(), "add its addresses to tests/browser/every_page.py"
    assert (looked_at | NO_PAGES.keys()) - routes == set(), "no route has this path any more"
    assert all(NO_PAGES.values())
    assert all(PAGES.values())
