"""The study of an address, as handlers are given it."""

from typing import Annotated

from fastapi import Depends, Request

from app.studies.access import StudyHere


async def get_study(request: Request) -> StudyHere:
    """The study of the address, which the guard has found the user to see."""
    return request.state.study  # type: ignore[no-any-return]


StudyDep = Annotated[StudyHere, Depends(get_study)]
