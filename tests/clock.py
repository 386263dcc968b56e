"""The service's clock in tests: it stands still, and goes on by as much as a test waits.

So no answer is given sooner or later because the machine is slow.
"""

from datetime import UTC, datetime, timedelta, tzinfo


class Clock:
    """Stands for `datetime` where the service asks for the time."""

    at: datetime | None = None

    @classmethod
    def now(cls, tz: tzinfo) -> datetime:
        return (cls.at or datetime.now(tz)).astimezone(tz)

    @classmethod
    def wait(cls, seconds: float) -> None:
        cls.at = cls.now(UTC) + timedelta(seconds=seconds)
