"""A participant's form has one value for each field."""

import asyncio

import pytest
from starlette.requests import Request

from app.core.dependencies import BadForm, read_form, read_single_form


def request(body: bytes) -> Request:
    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    kind = [(b"content-type", b"application/x-www-form-urlencoded")]
    return Request({"type": "http", "method": "POST", "headers": kind, "state": {}}, receive)


def test_two_different_values_for_one_field_are_refused() -> None:
    assert asyncio.run(read_single_form(request(b"amount=5&amount=5&to=1"))) == {"amount": "5", "to": "1"}
    with pytest.raises(BadForm, match="two different values for amount"):
        asyncio.run(read_single_form(request(b"amount=5&to=1&amount=7")))
    assert asyncio.run(read_form(request(b"on=no&on=yes"))) == {"on": "yes"}


def test_a_nul_is_replaced_however_it_is_sent() -> None:
    for body in (b"why=a%00b&n%00=1", b"why=a\x00b&n\x00=1"):
        assert asyncio.run(read_form(request(body))) == {"why": "a�b", "n�": "1"}
