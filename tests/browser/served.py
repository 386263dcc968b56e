"""The service itself, served from threads of the test's own process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from app.core.database import Database
from app.core.settings import Settings
from app.main import create_app
from app.serving import address_of, bind
from app.worker.worker import work


@contextmanager
def served(settings: Settings, database: Database, workers: Database | None = None) -> Iterator[str]:
    """The address at which it answers; with its worker where that has a database of its own."""
    bound, stop = bind("127.0.0.1", 0), threading.Event()
    bound.listen()  # who comes before the service runs waits for it
    server = uvicorn.Server(uvicorn.Config(create_app(settings, database), log_level="warning"))
    threads = [threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)]
    if workers:
        threads.append(threading.Thread(target=work, args=(settings, workers, stop), daemon=True))
    for thread in threads:
        thread.start()
    try:
        yield address_of(bound)
    finally:
        server.should_exit = True
        stop.set()
        for thread in threads:
            thread.join()
