"""The addresses that are asked for most, answered before the layers that only others need.

Between a middleware and the function of a route stand FastAPI's and Starlette's search for the route, three stacks for
contexts and errors, and the gate of experimenters (bench/profile.md).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

Tell = Callable[[Request, Exception], Awaitable[Response]]


class FirstRoutes:
    """Answers what one of the `routes` takes, whose functions are given the request alone; all else goes on to `app`.

    `replies` makes the reply of each kind of error; any other error is raised.
    """

    def __init__(
        self, app: ASGIApp, routes: Sequence[Route], replies: Mapping[type[Exception], Tell]
    ) -> None:
        self.app, self._routes, self._replies = app, routes, replies
        self._errors = tuple(replies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        for route in self._routes:
            match, found = route.matches(scope)
            if match is Match.FULL:
                break
        else:
            await self.app(scope, receive, send)
            return
        scope.update(found)
        request = Request(scope, receive, send)
        try:
            response = await route.endpoint(request)
        except self._errors as error:
            tell = next(self._replies[each] for each in type(error).__mro__ if each in self._replies)
            response = await tell(request, error)
        await response(scope, receive, send)
