"""Rules for names and sources of stimuli; a file's own name is only a label."""

import re
import unicodedata
from collections.abc import Collection, Mapping
from itertools import count

from app.core.errors import StudyError
from app.core.problems import one_line, shown
from app.library.clips.manifest import NAME, NAME_ALLOWED, REQUIRED

MOST_ATTRIBUTES = 50
LONGEST_KEY, LONGEST_VALUE, LONGEST_LABEL = 100, 2000, 160
_LONGEST_STEM = 90  # leaves room for -2, -3, ... within the 100 that a name may have
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}$")
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9._-]+")


class BadStimulus(StudyError):
    """A name, source or attribute that cannot be taken; `field` is which."""

    status_code = 422

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def label_of(file_name: str) -> str:
    """A file's name as it is shown and kept: one printable line, its middle left out where it is long."""
    name = one_line(re.split(r"[/\\]", file_name[-20_000:])[-1]) or "(no name)"
    half = LONGEST_LABEL // 2
    return name if len(name) <= LONGEST_LABEL else f"{name[:half]}…{name[-half + 1 :]}"


def suffix_of(file_name: str) -> str:
    """The ending of a file's name, dot included, where it is one."""
    found = _SUFFIX.search(file_name[-10:])
    return found[0].lower() if found else ""


def name_from(file_name: str, taken: Collection[str]) -> str:
    """A stimulus's name made of a file's, different from those taken."""
    stem = _SUFFIX.sub("", re.split(r"[/\\]", file_name[-20_000:])[-1])
    # Letters without their accents, so that the names of `Müller` and `Möller` differ.
    stem = "".join(each for each in unicodedata.normalize("NFKD", stem) if not unicodedata.combining(each))
    safe = _NOT_ALLOWED.sub("-", stem).strip(".-_")[:_LONGEST_STEM].strip(".-_") or "clip"
    return free_name(safe, taken)


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or with the first of -2, -3, ... that is free."""
    stem = name[:_LONGEST_STEM]
    return name if name not in taken else next(n for i in count(2) if (n := f"{stem}-{i}") not in taken)


def checked_name(name: str) -> str:
    return _checked("name", name)


def checked_source(source: str) -> str:
    return _checked("source", source)


def _checked(field: str, value: str) -> str:
    value = value.strip()
    if not value:
        raise BadStimulus(field, f"The {field} is missing; every clip has one.")
    if not NAME.fullmatch(value):
        raise BadStimulus(field, f"The {field} {shown(value)} is not allowed: {NAME_ALLOWED}.")
    return value


def checked_attributes(
    attributes: Mapping[str, str], before: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Attributes fit to be kept, those without a value left out; what stood there `before` may stay."""
    before = before or {}
    kept = {}
    for key, value in ((key.strip(), value.strip()) for key, value in attributes.items()):
        if before.get(key, "") == value and key:
            kept.update({key: value} if key in before else {})
        elif value:
            kept[checked_key(key)] = checked_value(key, value)
    if len(kept) > max(MOST_ATTRIBUTES, len(before)):
        raise BadStimulus("attributes", f"A clip has at most {MOST_ATTRIBUTES} attributes.")
    return kept


def checked_key(key: str) -> str:
    if not key:
        raise BadStimulus("attributes", "An attribute has a value and no name; name it, for example goal.")
    if key.lower() in REQUIRED:
        raise BadStimulus("attributes", f"An attribute cannot be called {shown(key)}; choose another name.")
    if len(key) > LONGEST_KEY or not key.isprintable():
        raise BadStimulus(
            "attributes", f"An attribute's name has at most {LONGEST_KEY} printable characters."
        )
    return key


def checked_value(key: str, value: str) -> str:
    if len(value) > LONGEST_VALUE:
        raise BadStimulus("attributes", f"{shown(key)} has more than {LONGEST_VALUE} characters.")
    if any(not char.isprintable() and char not in "\n\r\t" for char in value):
        raise BadStimulus("attributes", f"{shown(key)} holds characters that cannot be printed.")
    return value
