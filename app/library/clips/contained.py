"""Untrusted files are opened in a separate process, so that a hostile one can exhaust only that.

`contained` runs a function in such a process, with limited memory and processor time. They are forked from one small
helper of this process, so that each costs milliseconds: a keeper and a worker; the keeper reports how the worker ended,
and kills it if its caller is gone.
"""

import atexit
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

from app.library.clips.errors import ClipError, TooMuch

MOST_MEMORY_GB = 4.0
MOST_CPU_S = 60
"""Of any file; what is worth more work is allowed more by `allow_cpu` once its size is known."""

P = ParamSpec("P")
R = TypeVar("R")

_inside = False
# Imported in the helper before it forks, so that no process loads the codecs for itself.
_preloaded = (
    "app.library.clips.process",
    "app.library.clips.probe",
    "app.library.clips.pictures",
    "app.library.clips.clues",
)


def contained(function: Callable[P, R]) -> Callable[P, R]:
    """Run a module's function in a separate process; its first argument is the path to open.

    Arguments, result and errors are pickled; `on_frame` is called here, and an error in it ends the process. Within
    such a process functions are called directly. Raises TooMuch if memory or time are used up.
    """

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        if _inside:
            return function(*args, **kwargs)
        answer: R = _ask(function, args, kwargs)
        return answer

    return called


def allow_cpu(seconds: float) -> None:
    """Raise the limit on processor seconds for the process of a contained function."""
    if _inside:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + MOST_CPU_S, resource.RLIM_INFINITY))


def _ask(function: Callable[..., R], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    on_frame = kwargs.get("on_frame")
    ours, theirs = socket.socketpair()
    with theirs:
        _helper.take(theirs)
    connection = Connection(ours.detach())
    try:
        named = (function.__module__, function.__qualname__)
        plain = {name: value for name, value in kwargs.items() if name != "on_frame"}
        # The helper stays in the folder where it was started, and relative paths are meant from here.
        connection.send((*named, os.getcwd(), args, plain, on_frame is not None))
        while (message := connection.recv())[0] == "frame":
            if on_frame is not None:
                on_frame(*message[1:])
        kind, value = message
    except (EOFError, ConnectionError):
        kind, value = "ended", 0
    finally:
        _leave(connection)
    path = Path(args[0])
    if kind == "result":
        return value
    if kind == "error":
        raise value
    raise TooMuch(path, _why_ended(value))


def _leave(connection: Connection) -> None:
    """Ask for the process to be ended, if it is still running, and wait until it is."""
    try:
        connection.send(None)
        while True:
            connection.recv_bytes()
    except (EOFError, OSError):
        connection.close()


def _why_ended(number: int) -> str:
    if number == signal.SIGXCPU:
        return "takes too long to read for its size: it is damaged, or made to do harm"
    name = signal.Signals(number).name if number else "no signal"
    return (
        f"ended the program that read it ({name}): it is damaged, made to do harm, or needs too much memory"
    )


class _Helper:
    """The process that others are forked off: started when first needed, and gone with this one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._pid = 0

    def take(self, end: socket.socket) -> None:
        """Serve one end of a pair of sockets by a pair of keeper and worker."""
        with self._lock:
            # A fork inherits the socket; two processes that ask on one would get each other's answers.
            if self._socket is None or self._pid != os.getpid():
                self._start()
            try:
                self._send(end)
            except OSError:  # it was ended from outside
                self._start()
                self._send(end)

    def _send(self, end: socket.socket) -> None:
        assert self._socket is not None
        socket.send_fds(self._socket, [b"."], [end.fileno()])

    def _start(self) -> None:
        self.end()
        self._socket, theirs = socket.socketpair()
        with theirs:
            start = "from app.library.clips import contained; contained.serve(int(sys.argv[1]))"
            code = f"import sys; sys.path[:] = {sys.path!r}; {start}"
            # Not forked from here: of a process with threads a fork keeps one, and locks that others held stay locked.
            self._process = subprocess.Popen(  # noqa: S603  (ourselves)
                [sys.executable, "-c", code, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                # Ctrl-C reaches the whole process group, and would end it in the middle of a file.
                start_new_session=True,
            )
        self._pid = os.getpid()

    def end(self) -> None:
        """Hang up, and wait for it if it is a child of this very process."""
        if self._socket is not None:
            self._socket.close()
        if self._process is not None and self._pid == os.getpid():
            self._process.wait()


_helper = _Helper()
atexit.register(_helper.end)


def serve(descriptor: int) -> None:
    """Fork a keeper for each connection, until the parent is gone."""
    for module in _preloaded:
        import_module(module)
    # With SIG_IGN the kernel reaps the keepers, for which nobody waits.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    asking = socket.socket(fileno=descriptor)
    while True:
        data, descriptors, _, _ = socket.recv_fds(asking, 1, 1)
        if not data:
            return
        if not os.fork():
            asking.close()
            # An ignored SIGCHLD would throw away the status that waitpid is to return (POSIX).
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _keep(Connection(descriptors[0]))
        os.close(descriptors[0])


def _keep(connection: Connection) -> NoReturn:
    """Fork the worker, kill it if the caller is gone, and report how it ended."""
    try:
        request = connection.recv()
        reading, writing = os.pipe()
        worker = os.fork()
        if not worker:
            os.close(reading)
            _work(connection, request)
        # The worker alone holds this end now, so the other reads as ended when it is gone, however it went.
        os.close(writing)
        ready, _, _ = select.select([reading, connection.fileno()], [], [])
        if connection.fileno() in ready:
            os.kill(worker, signal.SIGKILL)
        _, status = os.waitpid(worker, 0)
        connection.send(("ended", os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0))
    except (EOFError, OSError):
        pass
    finally:
        # Not sys.exit: that would run the parent's exit handlers and write its buffers a second time.
        os._exit(0)


def _work(connection: Connection, request: Any) -> NoReturn:
    global _inside
    _inside = True
    try:
        module, name, folder, args, kwargs, is_watched = request
        os.chdir(folder)
        if is_watched:
            kwargs["on_frame"] = lambda done, total: connection.send(("frame", done, total))
        _limit()
        connection.send(_answer(getattr(import_module(module), name), args, kwargs))
    finally:
        os._exit(0)


def _answer(function: Callable[..., Any], args: Any, kwargs: Any) -> tuple[str, Any]:
    try:
        return "result", function(*args, **kwargs)
    except MemoryError:
        reason = f"takes more than {MOST_MEMORY_GB:g} GB of memory to read: it is damaged, or made to do harm"
        return "error", TooMuch(Path(args[0]), reason)
    except (ClipError, OSError) as error:
        return "error", error
    except Exception as error:
        # As text: a library's exception may not survive pickling.
        return "error", RuntimeError(f"{type(error).__name__}: {error}")


def _limit() -> None:
    # A crash would otherwise write gigabytes of memory to disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The soft limit: its SIGXCPU says why, where the hard one's SIGKILL might mean anything; and it can be raised.
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, resource.RLIM_INFINITY))
    memory = int(MOST_MEMORY_GB * 2**30)
    # Address space, as Linux ignores RLIMIT_RSS.
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
