"""`likely-human serve` and `demo`. Each imports what it alone needs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.console import err, opened, out

if TYPE_CHECKING:
    from app.core.settings import Settings

Line = tuple[str, str]
PortOption = Annotated[
    int, typer.Option(envvar="PORT", min=0, max=65535, help="The port; 0 takes any free one.")
]
HostOption = Annotated[str, typer.Option(help="The address to listen on.")]


def serve(
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="Processes; more than one needs PostgreSQL.")
    ] = 1,
    verbose: Annotated[bool, typer.Option(help="Log every request.")] = False,
) -> None:
    """Serve the studies of the data folder."""
    from app.core.settings import Settings
    from app.serving import address_of, bind, run_service

    settings = Settings()
    # Before anything is opened, so that a port in use is said at once.
    bound = bind(host, port)
    run_service(
        settings,
        bound,
        workers=workers,
        quiet=not verbose,
        tell=_warn,
        on_ready=lambda: _say(settings, address_of(bound), "SLUG", _how_to_come_in(settings)),
    )


def demo(host: HostOption = "127.0.0.1", port: PortOption = 8000) -> None:
    """Make the demo studies if they are not there yet, and serve them."""
    from app.core.settings import Settings
    from app.demo.build import PLAY, RATE, SLUG, build_demo, build_play, build_rate, is_there
    from app.demo.offering import offering
    from app.demo.owner import demo_owner
    from app.serving import address_of, bind, run_service

    settings = Settings()
    bound = bind(host, port)
    with opened() as (_, database):
        if not is_there(database):
            build_demo(settings, database)
        if not is_there(database, PLAY):
            build_play(database)
        if not is_there(database, RATE):
            build_rate(database)
        owner = demo_owner(settings, database)
    if owner.email is None:
        login = [("log in", "as one of this folder's users (likely-human user list)")]
    else:
        known = owner.password or "the one that you have set (likely-human user password gives another)"
        login = [("email", owner.email), ("password", known)]
    also = [("a match", f"{address_of(bound)}/s/{PLAY}"), ("its records", f"{address_of(bound)}/s/{RATE}")]
    with offering(settings):
        run_service(
            settings,
            bound,
            tell=_warn,
            on_ready=lambda: _say(settings, address_of(bound), SLUG, [*also, *login]),
        )


def _warn(line: str) -> None:
    err.print(line, markup=False)


def _how_to_come_in(settings: "Settings") -> Sequence[Line]:
    from app.accounts.users import is_nobody

    with opened() as (_, database), database.reading() as session:
        if not is_nobody(session):
            return []
    return [("no user yet", "add one with: likely-human user add you@example.org")]


def _say(settings: "Settings", address: str, slug: str, login: Sequence[Line]) -> None:
    out.print(f"Likely Human serves {settings.data_dir} (stop with Ctrl-C)", markup=False)
    for label, text in (
        ("participants", f"{address}/s/{slug}"),
        ("experimenter", f"{address}/admin"),
        *login,
    ):
        out.print(f"  {label:<14} {text}", markup=False)
