"""Assertions of a fresh clone's tests, rewritten by each of xdist's processes for its share of the modules.

To rewrite all takes a process 15 seconds. Each collects all of them: both would rewrite the same at the same time.
"""

import sys

import pytest
from _pytest.assertion import rewrite


def rewrite_share(config: pytest.Config, number: int, of: int) -> None:
    """Write for every `of`-th module that is to be collected what pytest writes at its import; leave what is there.

    Of another's share, what is not there yet when it is imported is rewritten then, as ever.
    """
    if sys.dont_write_bytecode:
        return
    folders = [config.invocation_params.dir / given for given in config.args]
    found = sorted({path for folder in folders for path in folder.rglob("test_*.py")})
    for path in found[number::of]:
        written = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
        if written.exists() or config.hook.pytest_ignore_collect(collection_path=path, config=config):
            continue
        if rewrite.try_makedirs(written.parent):
            source_hash, code = rewrite._rewrite_test(path, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source_hash, written)
