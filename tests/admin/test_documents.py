"""Pre-registration from the launch page: downloaded, registered, read again."""

import pytest

from app.core.database import Database
from app.studies.launch import study_here
from app.studies.registering import registrations
from tests.admin.persons import Person

HERE = "/admin/studies/nav"
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked")]


def test_the_launch_page_registers_the_text_and_shows_it_again(
    owner: Person, study: str, database: Database
) -> None:
    page = owner.get(f"{HERE}/launch").text
    assert "The design has no hypothesis yet" in page
    text = owner.get(f"{HERE}/prereg.md?template=osf")
    assert text.headers["content-type"].startswith("text/markdown")
    assert text.text.startswith("# Pre-registration: ")
    assert owner.get(f"{HERE}/prereg.pdf").content.startswith(b"%PDF-")
    done = owner.post(f"{HERE}/register", {"template": "aspredicted", "address": "https://osf.io/abcde"})
    assert "The registration is kept." in done.text
    with database.reading() as session:
        (one,) = registrations(session, study_here(session, study).id)
    assert one.sha256 in done.text
    assert "https://osf.io/abcde" in done.text
    assert owner.get(f"{HERE}/registrations/{one.id}.md").text == one.text


def test_what_is_wrong_is_said_on_the_page(owner: Person, study: str) -> None:
    refused = owner.post(f"{HERE}/register", {"template": "osf", "address": "nowhere"})
    assert refused.status_code == 422
    assert "The address of the registration is a web address" in refused.text
    assert 'value="nowhere"' in refused.text
    assert "There is no template" in owner.post(f"{HERE}/register", {"template": "x"}).text
    assert owner.get(f"{HERE}/registrations/99.md").status_code == 404


def test_a_viewer_registers_nothing(viewer: Person, study: str, share_with: object) -> None:
    share_with(viewer)  # type: ignore[operator]
    assert viewer.post(f"{HERE}/register", {"template": "osf"}).status_code == 403
