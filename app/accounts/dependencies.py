"""The requesting user, as a handler's dependency."""

from typing import Annotated

from fastapi import Depends, Request

from app.accounts.logins import Who


async def get_who(request: Request) -> Who:
    """The user admitted by the guard."""
    return request.state.who  # type: ignore[no-any-return]


WhoDep = Annotated[Who, Depends(get_who)]
