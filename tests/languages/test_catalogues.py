"""The catalogues hold every text of the participant's pages, with its placeholders and its marks."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from app.core.language import FILE, FOLDER, current_language, gettext, ngettext, read_catalogue, speaking
from tools.languages import messages, update, written

LANGUAGES = ("ar", "de", "es", "ja")
# `{name}` of str.format and of scripts, `%(name)s` of templates, and elements of HTML.
PLACEHOLDER = re.compile(r"\{\w+(?::\w+)?\}|%\(\w+\)s|</?\w+[^>]*>")


def catalogue(language: str) -> Catalog:
    with (FOLDER / language / FILE).open("rb") as file:
        return read_po(file, locale=language)


def texts(message: Message) -> tuple[str, ...]:
    found = message.string or ""
    return (found,) if isinstance(found, str) else tuple(found)


def sources(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def all_of(language: str) -> Iterator[Message]:
    return (message for message in catalogue(language) if message.id)


def test_these_languages_are_there() -> None:
    assert tuple(sorted(path.parent.name for path in FOLDER.glob(f"*/{FILE}"))) == LANGUAGES


@pytest.fixture(scope="module")
def template() -> Catalog:
    return messages()


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_in_the_code_is_in_the_catalogue_and_no_other(language: str, template: Catalog) -> None:
    ours = {sources(message)[0] for message in template if message.id}
    assert {sources(message)[0] for message in all_of(language)} == ours, (
        "run `make languages`, then translate"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_is_missing_or_fuzzy(language: str) -> None:
    assert [message.id for message in all_of(language) if message.fuzzy or not all(texts(message))] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_placeholders_and_elements_are_those_of_the_text(language: str) -> None:
    wrong = []
    for message in all_of(language):
        plain = [Counter(PLACEHOLDER.findall(text)) for text in sources(message)]
        for text in texts(message):
            found = Counter(PLACEHOLDER.findall(text))
            # "one day" may say its number as a word.
            number = Counter(
                next(([name] for name in ("{taken}", "{n}", "%(num)s") if name in plain[-1]), [])
            )
            if found not in plain and not (len(plain) > 1 and found + number == plain[-1]):
                wrong.append((message.id, text))
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_number_of_a_counted_text_has_a_form(language: str) -> None:
    read = read_catalogue(FOLDER / language / FILE)
    for message in all_of(language):
        if not isinstance(message.id, str):
            assert all(
                read.counted(message.id[0], message.id[1], n) in texts(message)
                for n in (0, 1, 2, 3, 11, 100, 1_000_000)
            )


def test_arabic_has_six_forms_and_japanese_one() -> None:
    with speaking("ar"):
        forms = {ngettext("{n} point", "{n} points", n) for n in (1, 2, 3, 11)}
    assert len(forms) == 4
    with speaking("ja"):
        assert ngettext("{n} point", "{n} points", 1) == ngettext("{n} point", "{n} points", 2)


def test_a_region_without_a_catalogue_speaks_its_language() -> None:
    with speaking("de-CH"):
        assert gettext("Continue") == "Weiter"
        assert current_language() == "de-CH"
    with speaking("fr"):
        assert gettext("Continue") == "Continue"


def test_make_languages_adds_what_is_new_and_guesses_nothing(tmp_path: Path, template: Catalog) -> None:
    path = tmp_path / "de" / FILE
    path.parent.mkdir()
    path.write_bytes(written(catalogue("de")))
    template.add("Continue, please", locations=[("app/x.py", 0)])
    update(path, template)
    with path.open("rb") as file:
        found = read_po(file, locale="de")
    assert found["Continue, please"].string == ""
    assert not found["Continue, please"].fuzzy
    assert found["Continue"].string == "Weiter"
