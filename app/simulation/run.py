"""Simulate against the service that runs on the data folder, or against one started for the purpose."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from app.core.database import Database
from app.core.settings import Settings
from app.main import create_app
from app.serving import address_of, bind, holding, running_address
from app.simulation.people import Traits
from app.simulation.walk import simulate


def run_simulation(
    settings: Settings,
    database: Database,
    slug: str,
    *,
    n: int,
    traits: Traits,
    seed: int,
    on_progress: Callable[[int, int, str], None] = lambda done, total, item: None,
) -> int:
    """The number of `n` participants who were given a trial, as `simulate` returns it."""
    with somewhere_served(settings) as address:
        return asyncio.run(
            simulate(
                settings, database, address, slug, n=n, traits=traits, seed=seed, on_progress=on_progress
            )
        )


@contextmanager
def somewhere_served(settings: Settings) -> Iterator[str]:
    """The address of a service on this data folder, for as long as the block runs."""
    if running := running_address(settings):
        yield running
        return
    bound = bind("127.0.0.1", 0)
    database = Database(settings.database_url, checkpointing=True)
    config = uvicorn.Config(create_app(settings, database), log_level="warning", access_log=False)
    server = uvicorn.Server(config)
    with holding(settings, address_of(bound)):
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        # uvicorn sets a flag once it serves, and has no event to wait for.
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield address_of(bound)
        finally:
            server.should_exit = True
            thread.join()
