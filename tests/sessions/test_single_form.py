"""A participant's form has one value for each field."""

import asyncio
from urllib.parse import parse_qsl

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.requests import Request

from app.core.dependencies import BadForm, fields_of, read_form, read_single_form

# Also what no browser sends: signs that are not encoded, and codes that are none.
PIECES = [
    "a",
    "&",
    "=",
    "+",
    "%26",
    "%3D",
    "%2B",
    "%C3%A9",
    "%E4",
    "%00",
    "%0A",
    "%",
    "%4",
    "%zz",
    "#",
    " ",
    "\n",
    ";",
    "é",
    "/",
    "?",
]


def request(body: bytes) -> Request:
    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    kind = [(b"content-type", b"application/x-www-form-urlencoded")]
    return Request({"type": "http", "method": "POST", "headers": kind, "state": {}}, receive)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@example("why=it+slows%2C+%C3%A9%0D%0A&x=&&y&=z&a=b=c")
def test_a_form_has_the_fields_that_pythons_parser_finds(text: str) -> None:
    assert fields_of(text) == parse_qsl(text, keep_blank_values=True)


def test_two_different_values_for_one_field_are_refused() -> None:
    assert asyncio.run(read_single_form(request(b"amount=5&amount=5&to=1"))) == {"amount": "5", "to": "1"}
    with pytest.raises(BadForm, match="two different values for amount"):
        asyncio.run(read_single_form(request(b"amount=5&to=1&amount=7")))
    assert asyncio.run(read_form(request(b"on=no&on=yes"))) == {"on": "yes"}


def test_a_nul_is_replaced_however_it_is_sent() -> None:
    for body in (b"why=a%00b&n%00=1", b"why=a\x00b&n\x00=1"):
        assert asyncio.run(read_form(request(body))) == {"why": "a�b", "n�": "1"}
