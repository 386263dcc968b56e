"""The form of a design shows the languages of the draft and keeps their words."""

from app.admin.design.fields import fields_to_keys
from app.studies.file.languages import languages_in

KEYS = {
    "study": "x",
    "title": "T",
    "consent": {"text": "a", "version": "1"},
    "languages": {"de": {"title": "U"}, "en": "."},
}


def test_languages_are_named_in_themselves_and_the_own_one_first() -> None:
    assert languages_in(KEYS) == ("English", "Deutsch")
    assert languages_in({}) == ()
    assert languages_in({"languages": {"no tag": "."}}) == ("no tag",)


def test_form_keeps_the_words_of_every_language() -> None:
    for whole in (False, True):
        assert fields_to_keys(KEYS, {"title": "Another"}, whole=whole).keys["languages"] == KEYS["languages"]
