"""Languages in the design's form: texts beside their translations, missing ones marked, and the hash of the file."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from app.admin.design.actions import BadAction, act
from app.admin.design.faults import fault_views, marked
from app.admin.design.fields import fields_to_keys, keys_to_fields
from app.admin.design.sections import sections
from app.admin.design.views import TranslationsView, WordView
from app.core.database import Database
from app.studies.file.drafts import check_draft
from app.studies.file.languages import missing_in
from tests.admin.persons import Person
from tests.admin.test_design import draft_of, form_on, words_at
from tests.factories import study_file
from tests.studies.clips import facts

pytestmark = pytest.mark.any_database

Keys = dict[str, Any]
GERMAN = {
    "title": "Welche Navigation wirkt natürlich?",
    "consent.text": "# Einwilligung\r\n\r\nFreiwillig.",
    "background.familiarity.ask": "Wie vertraut sind Sie mit Spielen?",
    "instructions": "Sehen Sie beide Videos an.",
    "trials.questions.choice.ask": "Welches Video ist eher von einem Menschen?",
    "trials.questions.rationale.ask": "Warum?",
    "trials.questions.uncertainty.ask": "Wie sicher sind Sie?",
    "trials.questions.uncertainty.labels": "äußerst sicher\r\nsicher\r\nneutral\r\nunsicher\r\näußerst unsicher",
    "completion.message": "# Danke",
}
WRITTEN = yaml.safe_load(
    """
    en: "."
    de:
      title: Welche Navigation wirkt natürlich?
      consent: {text: "# Einwilligung\\n\\nFreiwillig."}
      instructions: Sehen Sie beide Videos an.
      completion: {message: "# Danke"}
      background: [{id: familiarity, ask: "Wie vertraut sind Sie mit Spielen?"}]
      trials:
        questions:
          - {id: uncertainty, ask: "Wie sicher sind Sie?",
             labels: [äußerst sicher, sicher, neutral, unsicher, äußerst unsicher]}
          - {id: choice, ask: "Welches Video ist eher von einem Menschen?"}
          - {id: rationale, ask: "Warum?"}
    """
)


def drafted(**changes: object) -> Keys:
    return {key: value for key, value in study_file(**changes).items() if value is not None}


def in_german(keys: Mapping[str, Any]) -> Keys:
    added = act(keys, "add:languages", {"add.languages": "de"}).keys
    return fields_to_keys(added, {f"languages.de.{path}": text for path, text in GERMAN.items()}).keys


def translations_in(keys: Keys, at: str = "languages.de") -> TranslationsView:
    parts = next(each for each in sections(keys, {}) if each.id == "words").parts
    return next(part for part in parts if isinstance(part, TranslationsView) and part.at == at)


def words_of(view: TranslationsView) -> dict[str, WordView]:
    return {word.field.name.removeprefix(f"{view.at}."): word for _, held in view.parts for word in held}


def test_words_typed_in_the_form_make_the_same_study_as_those_of_the_study_file() -> None:
    keys = in_german(drafted())
    made, read = check_draft(keys, facts()), check_draft(drafted(languages=WRITTEN), facts())
    assert made.faults == ()
    assert made.design is not None
    assert read.design is not None
    assert made.design.sha256() == read.design.sha256()
    assert made.design.in_language("de").title == GERMAN["title"]
    for before in (keys, drafted(languages=WRITTEN)):
        assert fields_to_keys(before, keys_to_fields(before)).keys == before
    again = fields_to_keys(
        {"languages": {"en": ".", "es": {"title": "x"}}}, keys_to_fields(keys), whole=True
    ).keys
    assert check_draft({**again, "sample": keys["sample"], "study": "nav"}, facts()).design == made.design


def test_a_new_language_has_a_field_for_each_text_beside_the_original_and_says_how_many_are_missing() -> None:
    keys = drafted()
    added = act(keys, "add:languages", {"add.languages": "ar"})
    assert added.focus == "languages.ar.title"
    assert [*added.keys["languages"]] == ["en", "ar"]
    view = translations_in(dict(added.keys), "languages.ar")
    assert set(words_of(view)) == set(GERMAN)
    assert (view.title, view.direction, view.own_direction) == ("العربية", "rtl", "ltr")
    assert (view.n, view.n_due) == (9, 8)
    labels = words_of(view)["trials.questions.uncertainty.labels"]
    assert labels.original.split("\n")[0] == keys["trials"]["questions"][2]["labels"][0]
    assert (labels.field.widget, labels.field.rows) == ("text", 5)
    assert labels.field.value.startswith("متأكد للغاية\n"), "a built-in scale is translated already"
    german = translations_in(in_german(keys))
    assert (german.n, german.n_due) == (9, 0)
    assert [where for where, _ in german.parts] == [
        *("The study", "Consent", "About you, question familiarity", "Trials, question choice"),
        *("Trials, question rationale", "Trials, question uncertainty", "End"),
    ]


def test_what_is_missing_or_too_short_is_told_of_at_the_translation_as_study_check_finds_it() -> None:
    keys = in_german(drafted())
    keys = fields_to_keys(keys, {"languages.de.background.familiarity.ask": ""}).keys
    assert "background" not in keys["languages"]["de"]
    (place,) = missing_in(
        {key: value for key, value in keys.items() if key != "languages"}, keys["languages"]["de"]
    )
    (fault,) = check_draft(keys, facts()).faults
    assert fault.place == ("languages", "de", *place)
    (view,) = fault_views(keys, [fault])
    assert (view.at, view.where) == ("languages.de.background.familiarity.ask", "Languages, Deutsch")
    assert marked([view])[view.at] == "“What is asked” has no translation: translate it."
    short = fields_to_keys(
        in_german(drafted()), {"languages.de.trials.questions.uncertainty.labels": "eins"}
    ).keys
    (view,) = fault_views(short, check_draft(short, facts()).faults)
    assert view.at == "languages.de.trials.questions.uncertainty.labels"
    assert "has 1 entries in the translation, and 5 in the study" in view.message


def test_words_of_a_question_that_is_gone_are_shown_and_can_be_taken_out() -> None:
    keys = in_german(drafted())
    keys = act(keys, "remove:background.0", {}).keys
    view = translations_in(dict(keys))
    gone = words_of(view)["background.familiarity.ask"]
    assert (gone.is_gone, gone.field.value) == (True, GERMAN["background.familiarity.ask"])
    assert view.n == 8
    (fault,) = fault_views(keys, check_draft(keys, facts()).faults)
    assert fault.at.startswith("languages.de")
    assert fault.drop == 'drop:["languages", "de", "background"]'
    keys = act(keys, "remove:languages.de.background.familiarity.ask", {}).keys
    assert "background" not in keys["languages"]["de"]
    assert check_draft(keys, facts()).faults == ()


def test_the_own_language_is_chosen_and_languages_are_taken_away() -> None:
    keys = fields_to_keys(drafted(), {"language": "es"}).keys
    assert keys["languages"] == {"es": "."}
    keys = act(keys, "add:languages", {"add.languages": "de"}).keys
    assert [*keys["languages"]] == ["es", "de"]
    with pytest.raises(BadAction, match="Choose the new language"):
        act(keys, "add:languages", {"add.languages": "es"})
    keys = act(keys, "remove:languages.de", {}).keys
    assert keys["languages"] == {"es": "."}
    assert "languages" not in fields_to_keys(keys, {"language": "en"}).keys


def test_translations_are_written_without_a_script(owner: Person, database: Database, study: str) -> None:
    address = "/admin/studies/nav/design/all"

    def press(action: str, **more: str) -> str:
        form = form_on(owner.get(address).text)
        reply = owner.post(address, {**form, **more, "action": action}, follow_redirects=False)
        assert reply.status_code == 303, reply.text
        return str(reply.headers["location"])

    assert press("add:languages", **{"add.languages": "de"}).endswith("#languages.de.title")
    page = owner.get(address).text
    assert words_at(page, "languages.de.title") == "“Title” has no translation: translate it."
    original = re.search(r'<div class="original" lang="en" dir="ltr">Which navigation', page)
    field = re.search(r'<input id="languages.de.title"[^>]*lang="de" dir="ltr"', page)
    assert original
    assert field
    press("save", **{f"languages.de.{path}": text for path, text in GERMAN.items()})
    keys = draft_of(database)
    assert keys["languages"]["de"]["title"] == GERMAN["title"]
    page = owner.get(address).text
    assert re.findall(r'class="badge [a-z]+">([^<]*texts[^<]*)<', page) == ["10 texts, none missing"]
    assert keys["languages"]["de"]["background"][0]["labels"][0] == "überhaupt nicht vertraut"
    assert "Ready to save" in page
    before = draft_of(database)
    owner.post(address, {**form_on(page), "action": "save"})
    assert draft_of(database) == before


PRACTICE = (
    "pair,a,b,kind,why\np1,human-g1,hybrid-g1,practice,People *look* round.\nm1,human-g2,hybrid-g2,main,\n"
)


def test_what_is_said_after_practice_has_a_field_in_each_language_while_a_page_shows_it() -> None:
    trials: Keys = {**drafted()["trials"], "feedback": True}
    keys = in_german(drafted(pairs=PRACTICE, sample=None, trials=trials))
    word = words_of(translations_in(keys))["pairs.p1.why"]
    assert (word.original, word.field.label, word.field.value) == ("People *look* round.", "p1", "")
    (fault,) = check_draft(keys, facts()).faults
    assert fault.place == ("languages", "de", "pairs", "p1", "why")
    (view,) = fault_views(keys, [fault])
    assert marked([view])["languages.de.pairs.p1.why"] == "“p1” has no translation: translate it."
    keys = fields_to_keys(keys, {"languages.de.pairs.p1.why": "Menschen *sehen* sich um."}).keys
    assert keys["languages"]["de"]["pairs"] == [{"id": "p1", "why": "Menschen *sehen* sich um."}]
    assert check_draft(keys, facts()).faults == ()
    keys = fields_to_keys(keys, {"trials.feedback": "no"}).keys
    assert words_of(translations_in(keys))["pairs.p1.why"].is_gone
    keys = act(keys, "remove:languages.de.pairs.p1.why", {}).keys
    assert "pairs" not in keys["languages"]["de"]
    assert check_draft(keys, facts()).faults == ()
