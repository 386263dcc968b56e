"""Parts of documents that are made from the code, between two marks; tests hold them to it."""

from pathlib import Path

END = "\n<!-- end -->"


def begin(maker: str) -> str:
    return f"<!-- made by {maker} -->\n\n"


def by_hand(text: str) -> str:
    """The text without the parts that are made."""
    first, *rest = text.split("<!-- made by ")
    return first + "".join(part.partition(END)[2] for part in rest)


def with_part(text: str, maker: str, part: str) -> str:
    """The document with this part in place of the one that was made before."""
    before, mark, rest = text.partition(begin(maker))
    return before + mark + part + END + rest.partition(END)[2]


def write_part(page: Path, maker: str, part: str) -> None:
    page.write_text(with_part(page.read_text(encoding="utf-8"), maker, part), encoding="utf-8")
