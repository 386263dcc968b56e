"""Numbers and amounts of money in words, as the current language writes them."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from app.core.language import ENGLISH, current_language, locale_of

# Currencies without minor units (ISO 4217), of those that recruiters pay in.
_WHOLE = frozenset({"JPY", "KRW", "CLP", "ISK", "VND"})
_SIGNS: Mapping[str, str] = {"GBP": "£", "USD": "$", "EUR": "€", "JPY": "¥"}


def sign_of(currency: str) -> str:
    """The sign of a currency, or its code where it has none."""
    return _SIGNS.get(currency, currency)


def minor_units(currency: str) -> int:
    """The minor units in one main unit of a currency: 100, or 1 where it has none."""
    return 1 if currency in _WHOLE else 100


def decimal(minor: int, currency: str) -> str:
    """Money from its minor units as a plain number: `0.48`."""
    return str(minor) if currency in _WHOLE else f"{minor // 100}.{minor % 100:02}"


def money(minor: int, currency: str) -> str:
    """Money from its minor units: `£0.48`, `0.48 CHF`."""
    language = current_language()
    if language != ENGLISH:
        from babel.numbers import format_currency

        amount = Decimal(minor) if currency in _WHOLE else Decimal(minor) / 100
        return format_currency(amount, currency, locale=locale_of(language))
    digits = f"{minor:,}" if currency in _WHOLE else f"{minor // 100:,}.{minor % 100:02}"
    sign = _SIGNS.get(currency)
    return f"{sign}{digits}" if sign else f"{digits} {currency}"


def moment_text(at: datetime) -> str:
    """A moment in UTC: `3 March 2026, 09:00 UTC`."""
    language = current_language()
    if language == ENGLISH:
        return f"{at:%-d %B %Y, %H:%M} UTC"
    from babel.dates import format_date

    day = format_date(at, format="long", locale=locale_of(language))
    return f"{day}, {at:%H:%M} UTC"


def number_text(value: Decimal | int, decimals: int = 0) -> str:
    """A number with thousands set apart: `1,234.50`, `1.234,50`."""
    language = current_language()
    if language == ENGLISH:
        return f"{value:,.{decimals}f}" if decimals else f"{value:,}"
    from babel.numbers import format_decimal

    pattern = "#,##0." + "0" * decimals if decimals else "#,##0"
    return format_decimal(value, format=pattern, locale=locale_of(language), decimal_quantization=True)
