"""A limit on sessions begun per network: it stops a script's thousand but not a school behind one address.

Counted in memory, per process, under a keyed hash: no address is stored or logged.
"""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.core.errors import StudyError
from app.core.language import ngettext, noop
from app.core.networks import network_of

WINDOW = timedelta(minutes=10)
MOST_NETWORKS = 20_000


class TooManyStarts(StudyError):
    status_code = 429
    title = noop("Please wait a little")

    def __init__(self, wait: timedelta) -> None:
        minutes = max(1, round(wait.total_seconds() / 60))
        super().__init__(
            ngettext(
                "Too many people have just started from your network. Please open your link again in {n} minute; "
                "nothing is lost.",
                "Too many people have just started from your network. Please open your link again in {n} minutes; "
                "nothing is lost.",
                minutes,
            ).format(n=minutes)
        )
        self._wait = wait

    @property
    def headers(self) -> Mapping[str, str]:
        return {"Retry-After": str(max(1, round(self._wait.total_seconds())))}


@dataclass(slots=True)
class _Count:
    since: datetime
    n: int = 0


class Starts:
    """At most `most` starts per network (0: unlimited) within `WINDOW` of the first."""

    def __init__(self, most: int) -> None:
        self._most = most
        # Without a key, the hash of an IPv4 address is found by trying all 2^32.
        self._key = secrets.token_bytes(32)
        self._counts: dict[bytes, _Count] = {}

    def count(self, address: str, now: datetime) -> None:
        """Count a session that begins. Raises TooManyStarts."""
        if not self._most:
            return
        network = hmac.digest(self._key, network_of(address).encode("utf-8", "replace"), "sha256")
        count = self._counts.get(network)
        if count is None or now - count.since >= WINDOW:
            self._counts.pop(network, None)  # so that the oldest stand first
            while len(self._counts) >= MOST_NETWORKS:
                del self._counts[next(iter(self._counts))]
            count = self._counts[network] = _Count(now)
        if count.n >= self._most:
            raise TooManyStarts(count.since + WINDOW - now)
        count.n += 1
