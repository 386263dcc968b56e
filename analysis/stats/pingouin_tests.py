"""The tests of pingouin that are used here, without the import of all of pingouin."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec, module_from_spec
from threading import Lock
from typing import Any, NamedTuple

_NAME = "pingouin"
# `sys.modules` is one for the process.
_lock = Lock()


class PingouinTests(NamedTuple):
    """Functions of pingouin, as its documentation describes them."""

    wilcoxon: Callable[..., Any]
    multicomp: Callable[..., Any]


@cache
def pingouin_tests() -> PingouinTests:
    """Pingouin's own functions, imported from their modules at the first call.

    `import pingouin` also imports its figures and, with these, matplotlib, seaborn and xarray: half a second of
    processor time and 100 MB that no test needs. The modules are a copy of their own, so that a caller's
    `pingouin.options` round nothing here, and `import pingouin` elsewhere imports the whole as ever.
    """
    with _lock, _bare_package():
        from pingouin.config import set_default_options
        from pingouin.multicomp import multicomp
        from pingouin.nonparametric import wilcoxon

        set_default_options()
    return PingouinTests(wilcoxon, multicomp)


@contextmanager
def _bare_package() -> Iterator[None]:
    """Have the package's modules found while its `__init__`, which imports all of them, has not run."""
    spec = find_spec(_NAME)
    if spec is None:
        raise ModuleNotFoundError(f"No module named {_NAME!r}", name=_NAME)
    before = _taken_out()
    sys.modules[_NAME] = module_from_spec(spec)
    try:
        yield
    finally:
        _taken_out()
        sys.modules.update(before)


def _taken_out() -> dict[str, Any]:
    """The modules of pingouin, removed from those that are imported."""
    names = [name for name in sys.modules if name.partition(".")[0] == _NAME]
    return {name: sys.modules.pop(name) for name in names}
