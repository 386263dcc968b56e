"""The addresses that are asked for most, answered before the layers that only others need.

Before the function of a route FastAPI and Starlette have telemetry, a limit on bodies, a search for the route, and
three stacks for contexts and errors; and experimenters have a gate (bench/profile.md).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

Tell = Callable[[Request, Exception], Awaitable[Response]]


class FirstRoutes:
    """Answers what one of the `routes` takes, whose functions are given the request alone; all else goes on to `app`,
    the application itself. Their paths end with their one parameter: `/p/{token}`.

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
        # By the method and the path before the parameter; to match a path as Starlette does takes ten times as long.
        self._routes = {
            (method, route.path.rpartition("/")[0]): route
            for route in routes
            for method in route.methods or ()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        before, _, value = scope.get("path", "").rpartition("/")
        route = self._routes.get((scope.get("method", ""), before)) if value else None
        if route is None:
            await self.app(scope, receive, send)
            return
        (name,) = route.param_convertors
        scope.update(app=self.app, path_params={name: value})
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
