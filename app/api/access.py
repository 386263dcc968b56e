"""The guard before every API route: a bearer token, the user's role, and a study that they may see.

Cookies are not looked at, so no other site can make a browser call the API.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from app.accounts import logins, tokens
from app.accounts.dependencies import WhoDep as WhoDep
from app.accounts.logins import NotAllowed
from app.core.dependencies import DatabaseDep, Now, without_nul
from app.core.headers import SAFE
from app.studies.access import study_for
from app.studies.dependencies import StudyDep as StudyDep

_bearer = HTTPBearer(
    auto_error=False, scheme_name="token", description="A token that you made on your account's page."
)
BearerDep = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


def guard(*, everybody: bool = False, owners: bool = False) -> Callable[..., Awaitable[None]]:
    """`everybody` with a token may also change; `owners` alone may look and change."""

    async def check(request: Request, database: DatabaseDep, now: Now, bearer: BearerDep) -> None:
        found = await database.peek(logins.who_holds, bearer.credentials.strip(), now) if bearer else None
        if found is None:
            raise logins.NoToken("Send `Authorization: Bearer TOKEN`, with a token from your account's page.")
        who = found.who
        if found.used_at is None or now - found.used_at > logins.SEEN_EVERY:
            database.write_soon(tokens.mark_used, who.token_id or 0, now)
        if owners and not who.is_owner:
            raise NotAllowed(logins.FOR_OWNERS)
        if request.method not in SAFE and not (everybody or who.may_edit):
            raise NotAllowed(logins.CHANGES_NOTHING)
        request.state.who = who
        slug = request.path_params.get("slug")
        request.state.study = None
        if slug is not None:
            request.state.study = await database.peek(study_for, who, without_nul(slug))

    return check


editors = Depends(guard())
anyone = Depends(guard(everybody=True))
owners_only = Depends(guard(owners=True))
