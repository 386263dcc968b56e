"""`make languages`: the catalogues of the participant's pages, brought up to date with the texts in the code.

A text that is new has an empty translation then, and one that has gone is removed: `tests/languages` says what to fill.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

from app.core.language import FILE, FOLDER

ROOT = Path(__file__).parent.parent
# What participants can see is made in these.
OF_PARTICIPANTS = ("core", "sessions", "questions", "trials", "tasks", "studies", "main.py")
KEYWORDS = {"_": None, "gettext": None, "noop": None, "ngettext": (1, 2), "_n": (1, 2)}
METHODS = {".py": "python", ".html": "jinja2.ext:babel_extract", ".js": "javascript"}
OPTIONS = {"newstyle_gettext": "true", "silent": "false", "trim_blocks": "true", "lstrip_blocks": "true"}


def files() -> Iterator[Path]:
    """Every file that may say something to participants, in one order."""
    for name in OF_PARTICIPANTS:
        path = ROOT / "app" / name
        found = [path] if path.is_file() else sorted(path.rglob("*"))
        yield from (file for file in found if file.suffix in METHODS)


def messages() -> Catalog:
    """Every text that pages say, with the files in which it stands."""
    catalog = Catalog(charset="utf-8")
    for file in files():
        options = OPTIONS if file.suffix == ".html" else {}
        with file.open("rb") as opened:
            for _line, message, _comments, _context in extract(
                METHODS[file.suffix], opened, KEYWORDS, options=options
            ):
                # Lines change with every edit above them, and would be news to a translator of nothing.
                catalog.add(message, locations=[(file.relative_to(ROOT).as_posix(), 0)])
    return catalog


def update(path: Path, template: Catalog) -> None:
    """Bring one catalogue up to date, without guesses at changed texts."""
    language = path.parent.name
    catalog = Catalog(locale=language.replace("-", "_"), charset="utf-8", fuzzy=False)
    if path.exists():
        with path.open("rb") as file:
            catalog = read_po(file, locale=language.replace("-", "_"))
    catalog.update(template, no_fuzzy_matching=True, update_header_comment=False)
    catalog.obsolete.clear()
    path.write_bytes(written(catalog))


def written(catalog: Catalog) -> bytes:
    """A catalogue as it is kept: in the order of its texts, without dates and names of programs."""
    from io import BytesIO

    header = (
        f"# Participant's pages in {catalog.locale}; see docs/languages.md.\n"
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n'
        f'"Language: {catalog.locale_identifier}\\n"\n"Plural-Forms: {catalog.plural_forms}\\n"\n\n'
    )
    out = BytesIO()
    write_po(out, catalog, width=110, omit_header=True, sort_output=True, include_lineno=False)
    return header.encode() + out.getvalue()


def main() -> int:
    template = messages()
    for path in sorted(FOLDER.glob(f"*/{FILE}")):
        update(path, template)
    return 0


if __name__ == "__main__":
    sys.exit(main())
