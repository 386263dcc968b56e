"""Numbers and amounts of money in words, as the current language writes them."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from functools import cache

from app.core.language import ENGLISH, current_language, locale_of

_SIGNS: Mapping[str, str] = {"GBP": "£", "USD": "$", "EUR": "€", "JPY": "¥"}


def sign_of(currency: str) -> str:
    """The sign of a currency, or its code where it has none."""
    return _SIGNS.get(currency, currency)


@cache
def decimals_of(currency: str) -> int:
    """The decimals of a currency's amounts, by Babel's data: 2 of most, 0 of JPY, 3 of KWD."""
    from babel.numbers import get_currency_precision

    return int(get_currency_precision(currency))


def minor_units(currency: str) -> int:
    """The minor units in one main unit of a currency: 100 of most, 1 where it has no decimals."""
    return int(10 ** decimals_of(currency))


def _amount(minor: int, currency: str) -> Decimal:
    return Decimal(minor).scaleb(-decimals_of(currency))


def decimal(minor: int, currency: str) -> str:
    """Money from its minor units as a plain number: `0.48`."""
    return f"{_amount(minor, currency):f}"


def money(minor: int, currency: str) -> str:
    """Money from its minor units: `£0.48`, `0.48 CHF`."""
    language = current_language()
    if language != ENGLISH:
        from babel.numbers import format_currency

        return format_currency(_amount(minor, currency), currency, locale=locale_of(language))
    digits = f"{_amount(minor, currency):,f}"
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
