"""Threads of the linear algebra: one.

The matrices here are small and many. Two threads on two cores made an analysis of 1,011 answers five times as expensive
(31 s of processor time against 6 s), because each of many thousand small products waits for both.
"""

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

# Imported for their libraries of linear algebra: the controller sees those that are loaded when it is made.
import numpy as np  # noqa: F401
import scipy.linalg  # noqa: F401
from threadpoolctl import ThreadpoolController

P = ParamSpec("P")
R = TypeVar("R")


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """`function` with linear algebra in one thread while it runs; afterwards as before."""

    @wraps(function)
    def limited(*args: P.args, **kwargs: P.kwargs) -> R:
        with _controller().limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return limited
