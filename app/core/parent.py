"""A child process ends with its parent, however that ends, so that no ports or locks are left held."""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable

GRACE_S = 5.0
_PR_SET_PDEATHSIG = 1


def end_with_parent(wait: Callable[[], object], leave: Callable[[], object]) -> None:
    """Call `leave` when `wait` returns, as the parent is gone, and end after a grace period even if work is under way.

    On Linux the kernel ends this process at once: code that never lets a thread run cannot outlive it.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_watch, args=(wait, leave), daemon=True, name="parent").start()


def _watch(wait: Callable[[], object], leave: Callable[[], object]) -> None:
    wait()
    leave()
    threading.Event().wait(GRACE_S)
    # sys.exit() in a thread ends that thread alone.
    os._exit(1)


def read_to_end(descriptor: int) -> None:
    """Return when all others who hold the pipe's other end are gone."""
    while os.read(descriptor, 1):
        pass
