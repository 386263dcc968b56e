"""Run the service: one process over SQLite, several over PostgreSQL."""

import fcntl
import gc
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp
from uvicorn.supervisors import Multiprocess

from app.core.connections import BoundedConnection, raise_descriptor_limit
from app.core.errors import StudyError
from app.core.migrating import open_database
from app.core.parent import end_with_parent
from app.core.privacy import tighten
from app.core.settings import Settings
from app.main import create_app

BACKLOG = 2048
COLLECTING = (700, 10, 10)  # as Python does; commands set it higher
WORKER_CHECK_S, WORKER_GRACE_S, WORKER_PAUSE_S = 0.2, 5.0, 1.0
# A process that has ended is replaced at once; one that is silent, as while it imports on a busy machine, after this.
# uvicorn's 5 s killed it before it had started, again and again.
SILENT_S = 120


def bind(host: str, port: int) -> socket.socket:
    """A listening address; port 0 takes any free one. Raises StudyError where it cannot be had."""
    bound = None
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        bound = socket.socket(family, socket.SOCK_STREAM)
        # Or a restart would be refused while connections of before are in TIME_WAIT.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(BACKLOG)  # from now on nobody else can; who connects waits until all is served
    except (OSError, OverflowError, UnicodeError) as error:
        if bound is not None:
            bound.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise StudyError(
            f"cannot listen on {host} port {port}: {reason}; choose another with --port (or PORT)"
        ) from None
    # Python closes descriptors in child processes otherwise (PEP 446).
    bound.set_inheritable(True)
    return bound


def address_of(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def make_app() -> ASGIApp:
    """One worker's service, from the environment."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        end_with_parent(parent.join, lambda: os.kill(os.getpid(), signal.SIGTERM))
    settings = Settings()
    app = create_app(settings, open_database(settings, checkpointing=True))
    # What was loaded stays: the collector need not look through it while somebody waits for a page. Nor is it looked
    # through now: that took a tenth of a start and found 1,152 of 400,000 objects to be garbage, 57,550 at the first.
    gc.freeze()
    gc.set_threshold(*COLLECTING)
    return app


def run_service(
    settings: Settings,
    bound: socket.socket,
    *,
    workers: int = 1,
    on_ready: Callable[[], None] = lambda: None,
    quiet: bool = True,
    tell: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve until stopped; `tell` receives messages for the operator.

    Raises StudyError if the folder is already served or cannot be, or SQLite is to have several workers.
    """
    is_sqlite = settings.database_url.get_backend_name() == "sqlite"
    if workers > 1 and is_sqlite:
        raise StudyError(
            "SQLite is served by one process; give DATABASE_URL a PostgreSQL database for --workers"
        )
    signal.signal(signal.SIGTERM, _leave)
    raise_descriptor_limit()
    _ = (
        settings.secret,
        settings.secure_cookies,
        settings.program_tokens,
        settings.mail,
    )  # refused here, not at somebody's first request
    with holding(settings, address_of(bound)):
        open_database(settings).close()
        for line in tighten(settings):
            tell(line)
        config = uvicorn.Config(
            "app.serving:make_app",
            factory=True,
            workers=workers,
            access_log=not quiet,
            log_level="warning" if quiet else "info",
            server_header=False,
            http=partial(BoundedConnection, of_network=settings.max_connections),  # type: ignore[arg-type]
            ws="none",
            backlog=BACKLOG,
            timeout_graceful_shutdown=10,
            timeout_worker_healthcheck=SILENT_S,
        )
        with background_worker(settings):
            if workers == 1:
                _Server(config, on_ready).run(sockets=[bound])
            else:
                on_ready()
                Multiprocess(config, sockets=[bound]).run()


def _leave(*_: object) -> None:
    """Exit after uvicorn has shut down: it raises the signal again, which would end the process on the spot.

    Told once more (`make` passes on what its group was told already), it goes on ending.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(0)


@contextmanager
def background_worker(settings: Settings) -> Iterator[None]:
    """The process that works on clips and reports, started again whenever it ends before the service does."""
    stop = threading.Event()
    keeper = threading.Thread(target=_keep_working, args=(settings, stop), daemon=True)
    keeper.start()
    try:
        yield
    finally:
        stop.set()
        keeper.join()


def _keep_working(settings: Settings, stop: threading.Event) -> None:
    while not stop.is_set():
        theirs, ours = os.pipe()  # our end closes with this process, however it ends
        command = [sys.executable, "-m", "app.worker", str(theirs)]
        process = subprocess.Popen(command, env=settings.environment(), pass_fds=[theirs])  # noqa: S603  (ourselves)
        os.close(theirs)
        while process.poll() is None and not stop.wait(WORKER_CHECK_S):
            pass
        _end(process)
        os.close(ours)
        # A worker that fails at its start must not be started without a pause, for ever.
        stop.wait(WORKER_PAUSE_S)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(WORKER_GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()


def _lock_path(settings: Settings) -> Path:
    """The lock next to what only one service may use: the SQLite file, or else this host's part of the data folder,
    which several hosts share over PostgreSQL.
    """
    url = settings.database_url
    if url.get_backend_name() == "sqlite":
        return Path(f"{Path(url.database or '').absolute()}.lock")
    return settings.data_dir / f"server-{socket.gethostname()}.lock"


@contextmanager
def holding(settings: Settings, address: str) -> Iterator[None]:
    """Hold the data folder as its one service."""
    path = _lock_path(settings)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StudyError(f"cannot use {path}: {error.strerror}") from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StudyError(
                f"{path.parent} is served already, at {running_address(settings) or 'another address'}"
            ) from None
        # Not by O_TRUNC: a second start would erase the address of the service that runs.
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"address": address, "pid": os.getpid()}).encode(), 0)
        yield
    finally:
        # The file stays: if it were deleted, another service could lock a new one of the same name.
        os.close(descriptor)


def running_address(settings: Settings) -> str | None:
    """The address at which the data folder is being served, or None."""
    path = _lock_path(settings)
    try:
        file = path.open("rb")
    except OSError:
        return None
    with file:
        try:
            # The lock and not the pid is asked: a pid may be another process's by now.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            try:
                return str(json.loads(file.read())["address"])
            except (ValueError, KeyError):
                return None
    return None
