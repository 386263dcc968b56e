"""The design one section at a time: each at its address, an index of what is missing, and links that lead to it."""

import html
import re

import pytest

from app.admin.design.places import SECTIONS, section_of
from app.admin.design.sections import sections
from app.core.database import Database
from app.studies.drafts import create_study
from app.studies.file.model import StudyFile
from tests.admin.persons import Person
from tests.admin.test_design import draft_of, drafted, form_on
from tests.factories import NOW

pytestmark = [pytest.mark.any_database, pytest.mark.usefixtures("study")]
HERE = "/admin/studies/sec/design"
BROKEN = {
    "completion": {"code": "x" * 99},
    "trials": {"questions": [{"id": "A b", "type": "text", "ask": "?"}]},
}


def make(owner: Person, database: Database, **changes: object) -> None:
    with database.transaction() as session:
        create_study(session, owner.who, "sec", drafted(**changes), NOW)


def test_each_section_has_its_address_its_fields_and_an_index_of_all(
    owner: Person, database: Database
) -> None:
    make(owner, database)
    every = set(form_on(owner.get(f"{HERE}/all").text))
    seen: set[str] = set()
    for section in SECTIONS:
        page = owner.get(f"{HERE}/{section.slug}").text
        fields = set(form_on(page))
        assert fields <= every
        seen |= fields
        index = re.search(r'<nav class="index".*?</nav>', page, re.S)
        assert index
        assert index[0].count("data-section=") == len(SECTIONS)
        assert f'data-section="{section.slug}" aria-current="page"' in index[0]
        assert f"of {len(SECTIONS)}: {section.title}" in html.unescape(page)
        parts = re.findall(r'<section class="panel part" id="([^"]+)"', page)
        within = re.findall(r'<a href="#([^"]+)" data-within>', index[0])
        assert within == (parts if len(parts) > 1 else [])
    assert seen == every
    whole = owner.get(f"{HERE}/all").text
    assert re.findall(r'<a href="#([^"]+)" data-within>', whole) == re.findall(
        r'<section class="panel part" id="([^"]+)"', whole
    )
    assert owner.get(f"{HERE}/none-such").status_code == 404


def test_the_old_address_leads_to_the_first_section_with_something_missing(
    owner: Person, database: Database
) -> None:
    make(owner, database)
    done = owner.get(f"{HERE}?said=created", follow_redirects=False)
    assert (done.status_code, done.headers["location"]) == (303, f"{HERE}/study?said=created")
    form = form_on(owner.get(f"{HERE}/consent").text)
    owner.post(f"{HERE}/consent", {**form, "consent.text": "By [NAME OF THE LAB]"})
    assert owner.get(HERE, follow_redirects=False).headers["location"] == f"{HERE}/consent"
    said = '<span class="count due" data-count>1</span><span class="vh"> to fill in or correct</span>'
    assert f"Consent</span> {said}" in owner.get(f"{HERE}/end").text


def test_an_address_of_a_field_leads_to_its_section(owner: Person, database: Database) -> None:
    make(owner, database)
    for at, slug in (
        ("hypotheses", "analysis"), ("trials.sides", "trials"), ("trials.questions.0.ask", "questions"),
        ("completion.code", "end"), ("retention.days", "recruitment"), ("scales", "questions"),
    ):  # fmt: skip
        there = owner.get(f"{HERE}?at={at}", follow_redirects=False).headers["location"]
        assert there == f"{HERE}/{slug}#{at}"


def test_a_section_saves_its_own_fields_and_lists_its_own_faults(owner: Person, database: Database) -> None:
    make(owner, database, **BROKEN)
    before = draft_of(database, "sec")
    page = html.unescape(owner.get(f"{HERE}/end").text)
    assert 'href="#completion.code"' in page
    assert f'<a href="{HERE}/questions">Questions</a>' in page
    assert 'href="#trials.questions.0.id"' not in page
    form = form_on(page)
    assert not any(name.startswith("trials") for name in form)
    saved = owner.post(f"{HERE}/end", {**form, "completion.code": "short"}, follow_redirects=False)
    assert saved.headers["location"] == f"{HERE}/end?said=saved"
    assert draft_of(database, "sec") == {**before, "completion": {**before["completion"], "code": "short"}}


def test_what_was_just_added_is_not_called_wrong_before_it_is_saved(
    owner: Person, database: Database
) -> None:
    make(owner, database)
    form = form_on(owner.get(f"{HERE}/questions").text)
    add = {**form, "action": "add:trials.questions", "add.trials.questions": "likert"}
    there = owner.post(f"{HERE}/questions", add, follow_redirects=False).headers["location"]
    at, _, field = there.partition("#")
    assert field == "trials.questions.3.ask"
    error = f'id="{field}-error" data-error>'
    page = html.unescape(owner.get(at).text)
    assert f"{error}<" in page
    assert "What you have just added is still to be filled in." in page
    assert f"{error}“What is asked” is empty: fill it in." in html.unescape(
        owner.get(f"{HERE}/questions").text
    )
    body = {"revision": int(form_on(page)["revision"]), "fields": {"title": "Other"}}
    new = owner.send("POST", f"/admin/studies/sec/draft?section=questions&new={field[:-4]}", body).json()
    assert (new["marks"], new["n_faults"], new["counts"]["questions"]) == ({}, 1, 1)
    later = owner.send(
        "POST", "/admin/studies/sec/draft?section=questions", {**body, "revision": new["revision"]}
    )
    assert [*later.json()["marks"]] == [field]


def test_every_part_of_the_form_and_every_key_has_a_section() -> None:
    parts = {part for section in SECTIONS for part in section.parts}
    for keys in (drafted(), {"blocks": [{"task": "rating"}]}):
        assert {view.id for view in sections(keys, {})} <= parts
    known = {key.partition(".")[0] for section in SECTIONS for key in section.keys}
    assert set(StudyFile.model_fields) - {"study"} <= known
    assert section_of("") == SECTIONS[0].slug
