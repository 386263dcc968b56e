"""A match of a draft's game, played against agents beside the form: nothing is stored."""

import html
import json
import re

import pytest
from sqlmodel import select

from app.core.database import Database
from app.studies.drafts import create_study
from app.studies.file.templates import TEMPLATES
from app.tasks.game.tables import Match as MatchRow
from tests.admin.persons import Person
from tests.factories import NOW

pytestmark = [pytest.mark.slow, pytest.mark.any_database]

HERE = "/admin/studies/ultimatum"


def fields(page: str) -> dict[str, str]:
    """The hidden fields of a page's first form."""
    form = page[page.index("<form") : page.index("</form>")]
    named = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form)
    return {name: html.unescape(value) for name, value in named}


def test_a_match_of_the_draft_is_played_to_its_end(owner: Person, database: Database) -> None:
    with database.transaction() as session:
        create_study(session, owner.who, "ultimatum", TEMPLATES["ultimatum"].keys(), NOW)
    assert "../draft/match/1" in owner.get(f"{HERE}/design/all").text
    form: dict[str, str] = {}
    for step in range(60):
        page = owner.get(f"{HERE}/draft/match/1", params=form).text
        assert "<script" not in page
        if 'name="phase_id"' not in page:
            break
        form = fields(page)
        assert len(json.loads(form["moves"])) == step
        form |= dict.fromkeys(re.findall(r'name="([\w-]+)" value="accept"', page), "accept")
        form |= dict(reversed(re.findall(r'name="(to|recipient)" value="(\d+)"', page)))
        form |= {name: "4" for name in re.findall(r'name="([\w-]+)" value="4"', page) if name not in form}
    assert "The match is over" in page
    assert 8 <= step <= 16  # an offer in each of 8 rounds, and an answer where there is something to answer
    with database.reading() as session:
        assert session.exec(select(MatchRow)).all() == []
    wrong = owner.get(f"{HERE}/draft/match/1", params={"do": "move", "moves": "no json"})
    assert wrong.status_code == 200
    assert owner.get(f"{HERE}/draft/match/9").status_code == 404
