"""The addresses that are asked for most, answered before the layers that only others need.

Before the function of a route FastAPI and Starlette have telemetry, a limit on bodies, a search for the route, and
three stacks for contexts and errors; and experimenters have a gate (bench/profile.md).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

Tell = Callable[[Request, Exception], Awaitable[Response]]


class FirstRoutes:
    """Answers what one of the `routes` takes, whose functions are given the request alone; all else goes on to `app`,
    the application itself.

    `replies` makes the reply of each kind of error, `unexpected` that of any other, which is then raised.
    """

    def __init__(
        self,
        app: ASGIApp,
        routes: Sequence[Route],
        replies: Mapping[type[Exception], Tell],
        unexpected: Tell,
    ) -> None:
        self.app, self._replies, self._unexpected = app, replies, unexpected
        self._errors = tuple(replies)
        # By method, or each request would be matched with the routes of others first.
        self._routes: dict[str, list[Route]] = {}
        for route in routes:
            for method in route.methods or ():
                self._routes.setdefault(method, []).append(route)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        for route in self._routes.get(scope.get("method", ""), ()):
            match, found = route.matches(scope)
            if match is Match.FULL:
                break
        else:
            await self.app(scope, receive, send)
            return
        scope.update(found, app=self.app)
        request = Request(scope, receive, send)
        try:
            try:
                response = await route.endpoint(request)
            except self._errors as error:
                tell = next(self._replies[each] for each in type(error).__mro__ if each in self._replies)
                response = await tell(request, error)
        except ClientDisconnect:
            raise  # nobody is there to be told
        except Exception as error:
            response = await self._unexpected(request, error)
            await response(scope, receive, send)
            raise  # for the server's log, as Starlette does
        await response(scope, receive, send)
