"""The service's clock in tests: it goes as usual, and on by as much as a test waits without waiting."""

from datetime import datetime, timedelta, tzinfo


class Clock:
    """Stands for `datetime` where the service asks for the time."""

    ahead = timedelta()

    @classmethod
    def now(cls, tz: tzinfo) -> datetime:
        return datetime.now(tz) + cls.ahead

    @classmethod
    def wait(cls, seconds: float) -> None:
        cls.ahead += timedelta(seconds=seconds)
