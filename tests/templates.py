"""Templates compiled once: each process of a test run, and of the next, would compile a hundred anew in two seconds."""

import os

from jinja2 import FileSystemBytecodeCache

from app.core.templating import _environment


def compile_once() -> None:
    """Keep what is compiled in the folder, if there is one, by the text that it was compiled from."""
    if folder := os.environ.get("COMPILED_TEMPLATES"):
        _environment.bytecode_cache = FileSystemBytecodeCache(folder)
