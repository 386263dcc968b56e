"""Passwords can be tried a few times, by everybody together; nobody can lock out a browser that is known."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from app.accounts import throttle
from app.accounts.tables import LoginAttempt
from app.accounts.throttle import (
    PER_NETWORK,
    PER_USER,
    WINDOW,
    Count,
    TooManyAttempts,
    counts_for,
)
from app.core.database import Database
from app.core.networks import network_of

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def attempt(
    database: Database, email: str, address: str, at: datetime = NOW, known: str = ""
) -> tuple[list[Count], list[int]]:
    counts = list(counts_for(email, address, known))
    with database.transaction() as session:
        return counts, list(throttle.begin_attempt(session, counts, at))


def test_an_attempt_counts_before_its_password_is_checked(database: Database) -> None:
    """So that a hundred at once are a hundred, though none of them is answered yet."""
    for number in range(PER_USER):
        attempt(database, "ada@example.org", f"192.0.2.{number}")
    with pytest.raises(TooManyAttempts, match="wait 15 minutes"):
        attempt(database, "ada@example.org", "198.51.100.7")
    attempt(database, "bob@example.org", "198.51.100.7")


@pytest.mark.both_databases
def test_one_network_cannot_try_many_users(database: Database) -> None:
    for number in range(PER_NETWORK):
        attempt(database, f"user{number}@example.org", "2001:db8:1:2::1")
    with pytest.raises(TooManyAttempts):
        attempt(database, "ada@example.org", "2001:db8:1:2:ffff::9")
    attempt(database, "ada@example.org", "2001:db8:1:3::1")


def test_attempts_are_forgotten_after_the_window(database: Database) -> None:
    for _ in range(PER_USER):
        attempt(database, "ada@example.org", "192.0.2.1")
    attempt(database, "ada@example.org", "192.0.2.1", NOW + WINDOW + timedelta(seconds=1))
    with database.reading() as session:
        assert len(session.exec(select(LoginAttempt)).all()) == 2


def test_a_known_browser_is_counted_for_itself(database: Database) -> None:
    for number in range(PER_NETWORK):
        attempt(database, "ada@example.org" if number < PER_USER else f"{number}@example.org", "192.0.2.1")
    with pytest.raises(TooManyAttempts):
        attempt(database, "ada@example.org", "192.0.2.1")
    for _ in range(PER_USER):
        attempt(database, "ada@example.org", "192.0.2.1", known="her-laptop")
    with pytest.raises(TooManyAttempts):
        attempt(database, "ada@example.org", "192.0.2.1", known="her-laptop")


def test_a_right_password_forgives_the_users_attempts_and_not_the_networks(database: Database) -> None:
    for number in range(3):
        attempt(database, f"user{number}@example.org", "192.0.2.1")
    attempt(database, "ada@example.org", "192.0.2.1")
    counts, attempts = attempt(database, "ada@example.org", "192.0.2.1")
    with database.transaction() as session:
        throttle.forgive(session, counts, attempts)
    with database.reading() as session:
        left = sorted(session.exec(select(LoginAttempt.who)).all())
    assert left == ["from 192.0.2.1"] * 4 + [f"user user{number}@example.org" for number in range(3)]


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_a_network_is_an_address_or_a_64(address: str, network: str) -> None:
    assert network_of(address) == network


def test_a_known_browser_cannot_be_made_up() -> None:
    cookie = throttle.known_browser("secret", "ada@example.org")
    name = cookie.partition(".")[0]
    assert throttle.known_as("secret", "ada@example.org", cookie) == name
    for email, secret, given in (
        ("bob@example.org", "secret", cookie),
        ("ada@example.org", "another", cookie),
        ("ada@example.org", "secret", name),
        ("ada@example.org", "secret", f"{name}x.{cookie.partition('.')[2]}"),
        ("ada@example.org", "secret", ""),
        ("ada@example.org", "secret", "."),
        ("ada@example.org", "secret", "ü.ü"),
    ):
        assert throttle.known_as(secret, email, given) == ""
