"""The addresses that are asked for most, answered before the other layers."""

from collections.abc import Mapping

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from app.core.first_routes import FirstRoutes, Tell


class Narrow(LookupError):
    pass


async def _show(request: Request) -> Response:
    name = request.path_params["name"]
    if name == "narrow":
        raise Narrow
    if name == "wide":
        raise IndexError
    if name == "gone":
        raise ClientDisconnect
    if name == "unknown":
        raise ZeroDivisionError
    return PlainTextResponse(f"{request.method} {name}")


async def _elsewhere(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("elsewhere", 404)(scope, receive, send)


async def _narrowly(_request: Request, error: Exception) -> Response:
    return PlainTextResponse(f"narrowly {type(error).__name__}", 409)


async def _unexpectedly(_request: Request, error: Exception) -> Response:
    return PlainTextResponse(f"unexpectedly {type(error).__name__}", 500)


async def _widely(_request: Request, error: Exception) -> Response:
    return PlainTextResponse(f"widely {type(error).__name__}", 400)


def client(*, raises: bool = False) -> TestClient:
    replies: Mapping[type[Exception], Tell] = {LookupError: _widely, Narrow: _narrowly}
    routes = [Route("/p/{name}", _show, methods=["GET"])]
    app = FirstRoutes(_elsewhere, routes, replies, _unexpectedly)
    return TestClient(app, raise_server_exceptions=raises)


def test_other_addresses_and_methods_go_on() -> None:
    found = client()
    assert (found.get("/p/one").text, found.head("/p/one").status_code) == ("GET one", 200)
    for response in (found.post("/p/one"), found.get("/p/one/two"), found.get("/p/"), found.get("/")):
        assert response.text == "elsewhere"


def test_the_reply_of_an_error_is_that_of_its_nearest_kind_and_any_other_is_told_and_raised() -> None:
    found = client()
    assert found.get("/p/narrow").text == "narrowly Narrow"
    assert found.get("/p/wide").text == "widely IndexError"
    told = found.get("/p/unknown")
    assert (told.status_code, told.text) == (500, "unexpectedly ZeroDivisionError")
    with pytest.raises(ZeroDivisionError):
        client(raises=True).get("/p/unknown")


def test_who_has_hung_up_is_told_nothing_and_is_no_error_of_ours() -> None:
    with pytest.raises(ClientDisconnect):
        client(raises=True).get("/p/gone")
    assert "unexpectedly" not in client().get("/p/gone").text
