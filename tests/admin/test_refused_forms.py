"""Refused forms say why at the field to be corrected, one of each kind; all are in tests/browser/every_form.py."""

import re

import pytest

from app.core.database import Database
from app.studies.drafts import create_study
from tests.admin.persons import Person
from tests.factories import NOW

pytestmark = [pytest.mark.slow, pytest.mark.any_database]

HERE = "/admin/studies/nav"
REFUSED = (
    ("/admin/users", {"email": "nobody", "role": "editor"}, "email"),
    ("/admin/account/password", {"old": "w", "new": "short", "again": "short"}, "new"),
    ("/admin/account/password", {"old": "w", "new": "seven green herons", "again": "x"}, "again"),
    ("/admin/account/tokens", {"name": ""}, "name"),
    ("/admin/stimuli/collections", {"title": ""}, "title"),
    (f"{HERE}/shares", {"email": "nobody@example.org"}, "email"),
    (f"{HERE}/tags", {"tags": "a" * 200}, "tags"),
    (f"{HERE}/notes", {"text": ""}, "note-text"),
    (f"{HERE}/delete", {"name": "wrong"}, "name"),
    (f"{HERE}/packages", {"license": "a" * 3000}, "license"),
    (f"{HERE}/recruiting/submissions", {"text": "a,b\n1,2\n", "columns": "x"}, "columns"),
    (f"{HERE}/results/links", {"name": "A", "ends": "never", "mode": "live"}, "ends"),
)


def test_a_refused_form_says_why_at_the_field_and_above_the_page(owner: Person, database: Database) -> None:
    with database.transaction() as session:
        create_study(session, owner.who, "nav", {}, NOW)
    for address, fields, field in REFUSED:
        reply = owner.post(address, fields)
        assert reply.status_code >= 400, address
        told = re.search(rf'id="{field}-refused">([^<]+)<', reply.text)
        assert told, (address, field)
        assert re.search(rf'aria-invalid="true" aria-describedby="[^"]*\b{field}-refused"', reply.text), (
            address
        )
        assert re.search(rf"<p[^>]*data-problem>{re.escape(told[1])}</p>", reply.text), address


def test_an_experimenters_page_that_is_not_there_or_not_for_them_leads_back(
    owner: Person, viewer: Person
) -> None:
    for person, address, status in ((owner, "/admin/studies/nothing", 404), (viewer, "/admin/users", 403)):
        reply = person.get(address)
        assert reply.status_code == status
        assert '<a class="button" href="/admin">All studies</a>' in reply.text


def test_a_table_that_is_refused_can_be_chosen_again_where_that_is_said(owner: Person) -> None:
    reply = owner.post("/admin/stimuli.csv", {})
    assert reply.status_code == 400
    assert re.search(r'<input id="file" name="file" type="file"[^>]* data-refused>', reply.text)
    assert "nothing differs" not in reply.text
