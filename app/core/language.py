"""The language of the participant's pages: which it is now, and fixed texts in it.

A text is written in English where it is shown, as `gettext("...")`, and translated when it is shown. `noop` marks one
that is named before it is known in which language it will be shown. Catalogues are PO files under `app/languages`.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babel import Locale

ENGLISH = "en"
FOLDER = Path(__file__).parent.parent / "languages"
FILE = "messages.po"
RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur", "ps", "sd", "ug", "yi", "dv", "ckb"})
# A tag of BCP 47 as far as pages use it: language, script, region.
TAG = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?")

_current: ContextVar[str] = ContextVar("language", default=ENGLISH)
_wanted: ContextVar[tuple[str, ...]] = ContextVar("wanted_languages", default=())
Heard = tuple[Token[tuple[str, ...]], Token[str]]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The translations of a language; a message with plurals has one for each form that `form_of` a number names."""

    texts: Mapping[str, str | tuple[str, ...]]
    form_of: Callable[[int], int]
    # Those that scripts say, as JSON that is safe in a page.
    script_words: str = ""

    def text(self, message: str) -> str:
        found = self.texts.get(message)
        return found if isinstance(found, str) and found else message

    def counted(self, singular: str, plural: str, n: int) -> str:
        found = self.texts.get(singular)
        form = self.form_of(n)
        if isinstance(found, tuple) and form < len(found) and found[form]:
            return found[form]
        return singular if n == 1 else plural


# Read at first use and kept: a process serves a handful of languages.
_catalogues: dict[str, Catalogue | None] = {}


@cache
def with_catalogue() -> tuple[str, ...]:
    """The languages that the fixed texts are in, English first."""
    return (ENGLISH, *sorted(file.parent.name for file in FOLDER.glob(f"*/{FILE}")))


def has_catalogue(language: str) -> bool:
    """True if fixed texts are there in a language, or in the one that its region speaks."""
    return any(each in with_catalogue() or each in _catalogues for each in _ever_wider(language))


def current_language() -> str:
    """The language of the page that is being made, as a BCP 47 tag."""
    return _current.get()


@lru_cache(maxsize=64)
def direction_of(language: str) -> str:
    """`rtl` for a language written from right to left, else `ltr`."""
    return "rtl" if language.partition("-")[0] in RIGHT_TO_LEFT else "ltr"


def direction() -> str:
    """The direction of the page that is being made: `ltr` or `rtl`."""
    return direction_of(_current.get())


def speak(language: str | None) -> None:
    """Make this request's (or thread's) pages in a language from now on; None for English."""
    # A page turn says it three times, and to set a context's variable takes longer than to look at it.
    if _current.get() != (language or ENGLISH):
        _current.set(language or ENGLISH)


@contextmanager
def speaking(language: str | None) -> Iterator[None]:
    """Make pages in a language within the block."""
    token = _current.set(language or ENGLISH)
    try:
        yield
    finally:
        _current.reset(token)


def hear(wanted: tuple[str, ...]) -> Heard:
    """Let a visitor want these languages, the best first, until it is forgotten; pages of no study are in the first
    that is known.

    No context manager, as every request has one: two of them took more than all else that is done of languages.
    """
    heard = _wanted.set(wanted)
    return heard, _current.set(choose(with_catalogue()) if wanted else ENGLISH)


def forget(heard: Heard) -> None:
    """Let languages be wanted and spoken as before `hear`."""
    wanted, spoken = heard
    _current.reset(spoken)
    _wanted.reset(wanted)


def prefer(language: str | None) -> None:
    """Let this request's visitor want a language before all others."""
    if language:
        _wanted.set((language, *_wanted.get()))


def choose(offered: tuple[str, ...]) -> str:
    """The language that a visitor wants most, of those offered; the first if they want none of them."""
    if len(offered) > 1:
        for wanted in _wanted.get():
            if match := best_match(wanted, offered):
                return match
    return offered[0]


@lru_cache(maxsize=512)
def best_match(wanted: str, offered: tuple[str, ...]) -> str | None:
    """The offered language that a tag stands for: the same, a wider one (`de` for `de-CH`), or one of its regions."""
    known = {each.casefold(): each for each in offered}
    for tag in _ever_wider(wanted.casefold()):
        if tag in known:
            return known[tag]
    first = wanted.casefold().partition("-")[0]
    return next((each for tag, each in known.items() if tag.partition("-")[0] == first), None)


@lru_cache(maxsize=512)
def accepted(header: str) -> tuple[str, ...]:
    """The tags in an Accept-Language header, the best first; those of quality 0 left out (RFC 9110, 12.5.4)."""
    found = []
    for at, each in enumerate(header[:500].split(",")[:20]):
        tag, _, quality = each.partition(";")
        weight = _quality(quality)
        if tag.strip() not in ("", "*") and weight > 0:
            found.append((-weight, at, tag.strip()))
    return tuple(tag for _, _, tag in sorted(found))


def _quality(text: str) -> float:
    named = re.fullmatch(r"\s*q\s*=\s*([01](?:\.[0-9]{0,3})?)\s*", text)
    return float(named[1]) if named else 0.0 if text.strip() else 1.0


def gettext(text: str) -> str:
    """A fixed text in the current language; as it is written where it has no translation."""
    language = _current.get()
    if language == ENGLISH:
        return text
    catalogue = _catalogue_for(language)
    return catalogue.text(text) if catalogue else text


def ngettext(singular: str, plural: str, n: int) -> str:
    """A fixed text for a number of things, in the current language."""
    language = _current.get()
    catalogue = None if language == ENGLISH else _catalogue_for(language)
    if catalogue is None:
        return singular if n == 1 else plural
    return catalogue.counted(singular, plural, n)


def script_words() -> str:
    """JSON of the scripts' texts in the current language, by the English ones; empty for English."""
    language = _current.get()
    catalogue = None if language == ENGLISH else _catalogue_for(language)
    return catalogue.script_words if catalogue else ""


def noop(text: str) -> str:
    """Mark a text for the catalogue; it is translated by `gettext` when it is shown."""
    return text


def name_of(language: str) -> str:
    """Name of a language in itself, as menus show it: `Deutsch`."""
    locale = locale_of(language)
    name = locale.get_display_name(locale) or language
    return name[:1].upper() + name[1:]


@lru_cache(maxsize=64)
def locale_of(language: str) -> "Locale":
    """Babel's locale of a language, or of the wider one that it is a region of."""
    from babel import Locale, UnknownLocaleError

    for tag in _ever_wider(language):
        try:
            return Locale.parse(tag, sep="-")
        except (UnknownLocaleError, ValueError):
            continue
    return Locale(ENGLISH)


def _ever_wider(language: str) -> Iterator[str]:
    """`zh-Hant-TW`, `zh-Hant`, `zh`."""
    parts = language.split("-")
    return ("-".join(parts[:n]) for n in range(len(parts), 0, -1))


def _catalogue_for(language: str) -> Catalogue | None:
    if language not in _catalogues:
        known = (each for each in _ever_wider(language) if each in with_catalogue())
        named = next(known, ENGLISH)
        _catalogues[language] = None if named == ENGLISH else read_catalogue(FOLDER / named / FILE)
    return _catalogues[language]


def read_catalogues() -> None:
    """Read all catalogues now, as a service does before it takes requests: reading one takes 50 ms, in which, at first
    use within a write, nobody else's answer would be stored.
    """
    for language in with_catalogue():
        _catalogue_for(language)


def read_catalogue(path: Path) -> Catalogue:
    """The translations in a PO file, but for those marked as fuzzy."""
    from babel.messages.plurals import get_plural
    from babel.messages.pofile import read_po

    language = path.parent.name
    with path.open("rb") as file:
        found = read_po(file, locale=language.replace("-", "_"))
    texts: dict[str, str | tuple[str, ...]] = {}
    of_scripts: dict[str, str | tuple[str, ...]] = {}
    for message in found:
        if message.id and message.string and not message.fuzzy:
            key = message.id if isinstance(message.id, str) else message.id[0]
            texts[key] = message.string if isinstance(message.string, str) else tuple(message.string)
            if any(file.endswith(".js") for file, _ in message.locations):
                of_scripts[key] = texts[key]
    # The rule in the file's header is a program in C; babel knows the same by language.
    form_of = _plural_forms(get_plural(language.replace("-", "_")).plural_expr)
    return Catalogue(texts, form_of, as_script(of_scripts))


def as_script(texts: Mapping[str, str | tuple[str, ...]]) -> str:
    """Texts as JSON that may stand in a script element."""
    return json.dumps(texts, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _plural_forms(expression: str) -> Callable[[int], int]:
    from gettext import c2py

    return c2py(expression)
