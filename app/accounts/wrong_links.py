"""A limit on wrong links: who tries tokens out has to wait, as at the login."""

from collections.abc import Sequence
from datetime import datetime

from app.accounts import throttle
from app.accounts.throttle import Count
from app.core.database import Database
from app.core.networks import network_of

PER_NETWORK = 20


def counts_for_links(address: str) -> Sequence[Count]:
    """The counter of wrong links of a network."""
    return [Count(f"link {network_of(address)}", PER_NETWORK)]


async def check_links_open(database: Database, address: str, now: datetime) -> None:
    """Raises TooManyAttempts."""
    await database.peek(throttle.check_open, counts_for_links(address), now)


async def count_wrong_link(database: Database, address: str, now: datetime) -> None:
    """Count a link that is none. Raises TooManyAttempts."""
    await database.write(throttle.begin_attempt, counts_for_links(address), now)
