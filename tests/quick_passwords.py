"""Hashes of passwords in a thousandth of the time that ours take on purpose; ours are tested in tests/accounts."""

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from app.accounts import passwords


def hash_quickly() -> None:
    """From now on in this process, for fixtures of modules as well."""
    passwords._hasher = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1),))
    passwords._nobody.cache_clear()  # may be of before
