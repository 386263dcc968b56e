"""Reading the text files of a study: UTF-8, with plain words for everything that can stand in the way."""

import codecs
from pathlib import Path


class Unreadable(Exception):
    """A file that cannot be read as text, with what to do about it."""

    def __init__(self, message: str, remedy: str, line: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.line = line


def read_text(path: Path) -> str:
    """The file's text, without a byte order mark and with line feeds as line ends. Raises Unreadable."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise Unreadable("there is no such file", "check the name and the folder") from None
    except IsADirectoryError:
        raise Unreadable("this is a folder, not a file", "name a file in it") from None
    except ValueError:
        raise Unreadable("this is not a file's name", "check the name") from None
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}", "check the name and its permissions") from None
    return decoded(data)


def decoded(data: bytes) -> str:
    """The text of a file's bytes, as `read_text` gives it. Raises Unreadable."""
    return _decoded(data).replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise Unreadable("the file is UTF-16", "save it as UTF-8")
    if b"\0" in data:
        raise Unreadable("this is not a text file", "name a text file, saved as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"byte {data[error.start]:#04x} is not UTF-8",
            "save it as UTF-8",
            data.count(b"\n", 0, error.start) + 1,
        ) from None
