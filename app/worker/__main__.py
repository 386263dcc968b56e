"""`python -m app.worker PIPE`: started by the service that holds the other end of that pipe, ends with it."""

import logging
import os
import signal
import sys

from app.core.database import Database
from app.core.ending import stopped_by
from app.core.parent import end_with_parent, read_to_end
from app.core.privacy import keep_private
from app.core.settings import Settings
from app.worker.worker import work

NICENESS = 10  # answers come first


def main() -> None:
    logging.basicConfig(level=logging.WARNING)
    stop = stopped_by(signal.SIGTERM)
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C is for the service, which ends this process in good order
    pipe = int(sys.argv[1])
    end_with_parent(lambda: read_to_end(pipe), stop.set)
    keep_private()
    os.nice(NICENESS)
    settings = Settings()
    database = Database(settings.database_url)
    try:
        work(settings, database, stop)
    finally:
        database.close()


main()
