"""`/api/v1`: the functions of the experimenter's pages, except users and tokens, for programs. One file per part."""

import json
from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI
from pydantic import BaseModel

from app.api.access import anyone
from app.api.collections import router as collections
from app.api.data import router as data
from app.api.judges import router as judges
from app.api.listed import router as listed_studies
from app.api.matches import router as matches
from app.api.notes_and_links import router as notes_and_links
from app.api.pairs import router as pairs
from app.api.people import router as people
from app.api.places import router as places
from app.api.running import router as running
from app.api.simulated import router as simulated
from app.api.stimuli import router as stimuli
from app.api.studies import owners as deleting_studies
from app.api.studies import router as studies
from app.api.uploads import router as uploads

PARTS: tuple[APIRouter, ...] = (
    people,
    data,
    judges,
    listed_studies,
    studies,
    deleting_studies,
    pairs,
    collections,
    stimuli,
    uploads,
    running,
    places,
    simulated,
    notes_and_links,
    matches,
)


MOST_BYTES = 8_000_000  # of a request that is read whole; what takes more (uploads) says so itself


class Problem(BaseModel):
    """The problem, its place and the remedy."""

    message: str


REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "It cannot be done as asked"},
    401: {"model": Problem, "description": "No token, or one that is not valid"},
    403: {"model": Problem, "description": "Not for this token's user"},
    404: {"model": Problem, "description": "Not there, or not to be seen by this token's user"},
    409: {"model": Problem, "description": "It does not go with what is there"},
    413: {"model": Problem, "content": {"text/plain": {}}, "description": "Too large"},
    422: {"model": Problem, "description": "A value does not hold"},
    429: {"model": Problem, "description": "Too often; wait a while"},
}


SLUG = {"name": "slug", "in": "path", "required": True, "description": "The study's name in addresses"}


class Api(FastAPI):
    """The API's application. An operation's summary in its document is the first line of its docstring."""

    def openapi(self) -> dict[str, Any]:
        return _document()


# FastAPI names a schema by its module where two classes have one name. Programs made from the document know the name
# that this module had first.
_NAMED_BEFORE = {"app__trials__design__Kind": "app__sessions__design__Kind"}


@cache
def _document() -> dict[str, Any]:
    text = json.dumps(FastAPI.openapi(_parts()))
    for name, before in _NAMED_BEFORE.items():
        text = text.replace(name, before)
    document: dict[str, Any] = json.loads(text)
    for path, item in document["paths"].items():
        for operation in item.values():
            _complete(path, operation)
    return document


def _complete(path: str, operation: dict[str, Any]) -> None:
    summary, _, rest = operation.pop("description", "").partition("\n")
    operation["summary"] = summary
    if rest.strip():
        operation["description"] = rest.strip()
    # The guard takes the study from the path, so that no handler can forget to; FastAPI does not see that.
    parameters = operation.setdefault("parameters", [])
    if "{slug}" in path and all(parameter["name"] != "slug" for parameter in parameters):
        parameters.insert(0, {**SLUG, "schema": {"type": "string"}})


def make_api() -> FastAPI:
    """The API as a separate application, to be mounted; it shares the service's state."""
    api = _empty()
    api.router.routes.extend(_parts().routes)
    return api


@cache
def _parts() -> Api:
    """The API's routes, made once per process, as the pages of app/main.py are; it has no state of its own."""
    api = _empty()

    async def schema() -> dict[str, Any]:
        return api.openapi()

    for part in PARTS:
        api.include_router(part, max_body_size=MOST_BYTES)
    meta_routes = APIRouter(dependencies=[anyone], include_in_schema=False)
    meta_routes.add_api_route("/openapi.json", schema, methods=["GET"])
    api.include_router(meta_routes)
    return api


def _empty() -> Api:
    return Api(
        title="Likely Human",
        version="1",
        description=(
            "What the experimenter's pages can do, but for users, passwords, logins and tokens, which need a browser. "
            "Send `Authorization: Bearer TOKEN`."
        ),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,  # they would name the host that the request names
        servers=[{"url": "/api/v1"}],
        responses=REFUSALS,
        generate_unique_id_function=lambda route: f"{(route.tags or ['api'])[0]}-{route.name}",
    )
