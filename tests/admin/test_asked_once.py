"""Statements of pages: a page finds the study, its draft and its answers once, however many studies there are."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Engine, event

from app.core.database import Database
from app.studies.drafts import create_study
from app.studies.file.drafts import check_draft, with_slug
from tests.admin.persons import Person
from tests.factories import NOW, study_file
from tests.sessions.walks import Walk

HERE = "/admin/studies/written"
BEFORE_LAUNCH = ("", "/design/study", "/design/all", "/pairs", "/pairs/csv", "/versions", "/clues")


@contextmanager
def statements() -> Iterator[list[str]]:
    """The statements that are run meanwhile."""
    found: list[str] = []

    def note(connection: object, cursor: object, statement: str, *more: object) -> None:
        found.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", note)


@pytest.fixture
def written(database: Database, owner: Person, study: str) -> str:
    """A study that is a draft alone, with pairs of the library's clips."""
    with database.transaction() as session:
        create_study(session, owner.who, "written", with_slug(study_file(), "written", "Being written"), NOW)
    return "written"


def test_a_page_before_the_launch_reads_the_draft_and_its_stimuli_once_and_checks_it_once(
    owner: Person, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = []

    def counted(keys: Any, stimuli: Any) -> Any:
        checked.append(keys)
        return check_draft(keys, stimuli)

    monkeypatch.setattr("app.studies.drafts.check_draft", counted)
    for end in BEFORE_LAUNCH:
        checked.clear()
        with statements() as found:
            assert owner.get(HERE + end).status_code == 200
        of_draft = [text for text in found if re.search(r'draft\."?keys|draft\.revision', text)]
        of_stimuli = [
            text for text in found if "coalesce(stimulus.clip_sha256, stimulus.content_sha256)" in text
        ]
        # The line of the study's own page has its tags and its maker as the list has them, and its draft with them.
        assert len(of_draft) == (2 if end == "" else 1), (end, of_draft)
        assert len(of_stimuli) == 1, (end, of_stimuli)
        assert len(checked) == 1, end


def test_pages_of_results_and_judges_ask_no_more_where_there_are_more_studies(
    client: Any, database: Database, owner: Person, study: str
) -> None:
    Walk(client, study).to("end")
    addresses = [f"/admin/studies/{study}/{page}" for page in ("results?mode=pilot", "judges", "judges/run")]

    def asked() -> list[int]:
        counts = []
        for address in addresses:
            owner.get(address)
            with statements() as found:
                assert owner.get(address).status_code == 200
            counts.append(len(found))
        return counts

    before = asked()
    with database.transaction() as session:
        for at in range(4):
            create_study(session, owner.who, f"more-{at}", with_slug(study_file(), f"more-{at}", "More"), NOW)
    assert asked() == before
