"""Amounts of money in words."""

from collections.abc import Mapping

# Currencies without minor units (ISO 4217), of those that recruiters pay in.
_WHOLE = frozenset({"JPY", "KRW", "CLP", "ISK", "VND"})
_SIGNS: Mapping[str, str] = {"GBP": "£", "USD": "$", "EUR": "€", "JPY": "¥"}


def decimal(minor: int, currency: str) -> str:
    """Money from its minor units as a plain number: `0.48`."""
    return str(minor) if currency in _WHOLE else f"{minor // 100}.{minor % 100:02}"


def money(minor: int, currency: str) -> str:
    """Money from its minor units: `£0.48`, `0.48 CHF`."""
    digits = f"{minor:,}" if currency in _WHOLE else f"{minor // 100:,}.{minor % 100:02}"
    sign = _SIGNS.get(currency)
    return f"{sign}{digits}" if sign else f"{digits} {currency}"
