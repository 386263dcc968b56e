"""Passwords: argon2 through pwdlib. A hash takes a tenth of a second: never in the event loop."""

import re
import secrets
from functools import cache

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from app.core.errors import StudyError

SHORTEST, LONGEST = 10, 200
LEAST_LEFT = 6
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
# What most guessed passwords are made of; digits for letters (p4ssw0rd) are read as the letters.
_COMMON = """
    password passwort passwd kennwort motdepasse contrasena senha qwerty qwertz azerty letmein welcome willkommen
    bienvenue admin administrator root login user guest test testing changeme default secret iloveyou ichliebedich
    princess sunshine dragon monkey football baseball basketball superman batman pokemon starwars master shadow
    michael jessica charlie daniel jordan ashley computer internet whatever trustno summer winter spring autumn
    hello hallo abc likelyhuman likely human video study experiment researcher research university lab owner editor
    viewer example mustang freedom cheese cookie flower killer hunter soccer hockey samsung google facebook
"""
_ROWS = (
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890",
    "qwertyuiop",
    "qwertzuiop",
    "asdfghjkl",
    "zxcvbnm",
    "1qaz2wsx3edc4rfv",
)
_RUN = 4
_READ_AS = str.maketrans("013457@$!", "oieastasi")

_hasher = PasswordHash((Argon2Hasher(),))


class WeakPassword(StudyError):
    status_code = 422


def check_strength(password: str, email: str = "") -> None:
    """Raises WeakPassword for a password that is too short, too long or easily guessed.

    It is easily guessed if fewer than LEAST_LEFT distinct letters and digits remain without common words, the user's
    address, runs of the keyboard or the alphabet, years and repetitions.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise WeakPassword(
            f"A password has {SHORTEST} to {LONGEST} characters; this one has {len(password)}."
        )
    if len(_left_of(password.casefold(), email)) < LEAST_LEFT:
        raise WeakPassword(
            "This password is easily guessed: without common words, your address, years, repetitions and rows of keys "
            "hardly anything of it is left. Use a few words that only you would put together."
        )


def _left_of(password: str, email: str) -> set[str]:
    """The distinct letters and digits left after removing guessable parts."""
    words = {*_COMMON.split(), *(part for part in re.split(r"[\W_]+", email.casefold()) if len(part) > 2)}
    # Longest first, as alternation takes the first that fits: `admin` would leave `istrator`.
    guessed = re.compile("|".join(map(re.escape, sorted({*words, *_runs()}, key=lambda word: -len(word)))))
    known = {
        place
        for text in (password, password.translate(_READ_AS))
        for found in guessed.finditer(text)
        for place in range(*found.span())
    }
    return {letter for place, letter in enumerate(password) if place not in known and letter.isalnum()}


@cache
def _runs() -> frozenset[str]:
    """Rows of keys and the alphabet, forwards and backwards, and years."""
    rows = [*_ROWS, *(row[::-1] for row in _ROWS)]
    spans = ((start, end) for start in range(26) for end in range(start + _RUN, 27))
    found = {row[start:end] for start, end in spans for row in rows if end <= len(row)}
    return frozenset({*found, *map(str, range(1940, 2040))})


def hashed(password: str, email: str = "", *, is_drawn: bool = False) -> str:
    """`is_drawn` for one that was drawn at random. Raises WeakPassword."""
    if not is_drawn:
        check_strength(password, email)
    return _hasher.hash(password)


def fits(password: str, password_hash: str | None) -> bool:
    """True if the password matches; takes equally long if there is no hash."""
    is_it = len(password) <= LONGEST and _hasher.verify(password, password_hash or _nobody())
    return is_it and password_hash is not None


@cache
def _nobody() -> str:
    """A dummy hash for unknown users; made at first use, as most commands need none."""
    return _hasher.hash(secrets.token_urlsafe())


def generated() -> str:
    """79 bits, in letters that are not mistaken for each other when read out."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(4))
