"""Lengths of time in words."""

from datetime import timedelta


def span(lasts: timedelta) -> str:
    """A length of time in short: `40 s`, `12 min`, `3 h 20 min`, `2 days`."""
    seconds = round(lasts.total_seconds())
    if seconds < 120:
        return f"{seconds} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    if seconds < 48 * 3600 and seconds % 86400:
        hours, minutes = divmod(minutes, 60)
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days = round(seconds / 86400)
    return f"{days} day{'' if days == 1 else 's'}"
