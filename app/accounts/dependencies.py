"""Who asks, as handlers are given it."""

from typing import Annotated

from fastapi import Depends, Request

from app.accounts.logins import Who


async def get_who(request: Request) -> Who:
    """The user whom the guard has let in."""
    return request.state.who  # type: ignore[no-any-return]


WhoDep = Annotated[Who, Depends(get_who)]
