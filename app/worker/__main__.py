"""`python -m app.worker PID`: started by the service of that process id, ends with it."""

import logging
import os
import signal
import sys
import threading

from app.database import Database
from app.settings import Settings
from app.worker.run import work

PARENT_CHECK_S = 1.0
NICENESS = 10  # answers come first


def main() -> None:
    logging.basicConfig(level=logging.WARNING)
    settings, stop = Settings(), threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    os.nice(NICENESS)
    parent = int(sys.argv[1]) if len(sys.argv) > 1 else os.getppid()
    threading.Thread(target=_end_with_parent, args=(parent, stop), daemon=True).start()
    database = Database(settings.database_url)
    try:
        work(settings, database, stop)
    finally:
        database.close()


def _end_with_parent(parent: int, stop: threading.Event) -> None:
    """The parent tells who it is: it may be gone before this process has loaded all that it needs."""
    while not stop.wait(PARENT_CHECK_S):
        if os.getppid() != parent:
            stop.set()


main()
