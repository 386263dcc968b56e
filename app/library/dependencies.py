"""The store of clips, as handlers are given it."""

from typing import Annotated

from fastapi import Depends, Request

from app.library.clips.store import ClipStore


async def get_store(request: Request) -> ClipStore:
    return request.app.state.store  # type: ignore[no-any-return]


StoreDep = Annotated[ClipStore, Depends(get_store)]
