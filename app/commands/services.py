"""`likely-human serve` and `demo`. Each imports what it alone needs."""

from typing import Annotated

import typer

from app.commands.console import opened, out, progress
from app.experimenter.auth import experimenter_key
from app.settings import Settings

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
    from app.serving import address_of, bind, run_service

    settings = Settings()
    bound = bind(host, port)
    run_service(
        settings,
        bound,
        workers=workers,
        quiet=not verbose,
        on_ready=lambda: _say(settings, address_of(bound), None),
    )


def demo(host: HostOption = "127.0.0.1", port: PortOption = 8000) -> None:
    """Make the demo study if it is not there yet, and serve it."""
    from app.demo.build import build_demo, is_there
    from app.serving import address_of, bind, run_service

    settings = Settings()
    bound = bind(host, port)
    with opened() as (_, database):
        if not is_there(database):
            with progress("Making the demo") as on_progress:
                build_demo(settings, database, on_progress)
    run_service(settings, bound, on_ready=lambda: _say(settings, address_of(bound), "demo"))


def _say(settings: Settings, address: str, slug: str | None) -> None:
    out.print(f"Likely Human serves {settings.data_dir} (stop with Ctrl-C)", markup=False)
    out.print(f"  participants   {address}/s/{slug or 'SLUG'}", markup=False)
    out.print(f"  experimenter   {address}/admin?key={experimenter_key(settings.secret)}", markup=False)
