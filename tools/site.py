"""`make docs`: the docs site from docs/, by MkDocs in strict mode, into build/site.

The Markdown of docs/ also makes the help pages of the service, so it stays as it is. This stages a copy in which links
lead to where things are on the site, notebooks have run, and folders have a page; the builder reads mkdocs.yml alone.
"""

import argparse
import logging
import os
import posixpath
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from markdown_it import MarkdownIt

from tools.notebooks import NOTEBOOKS, Cell, ran

ROOT = Path(__file__).parents[1]
STAGED, BUILT = ROOT / "build" / "site-source", ROOT / "build" / "site"

# Pages that stand outside of docs/, and where they are on the site.
OTHERS = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changelog.md",
}
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_MARKER = re.compile(r"^\s*((?:[-*+]|\d+[.)]) +)")
_FENCE = re.compile(r"^\s*(```|~~~)")
_LOADED = re.compile(
    r"""<(?:script|img|link|iframe|source|video|audio|object)\b[^>]*?(?:src|href|data)=["']?(?:https?:)?//[^"'\s>]+"""
)
_LOADED_BY_STYLE = re.compile(r"""(?:@import\s+["']?|url\(\s*["']?)(?:https?:)?//[^"')\s]+""")
_TEXT = {".csv": "csv", ".md": "markdown", ".yaml": "yaml"}


class SiteFailed(Exception):
    """A problem with the site, in a line."""


def places() -> dict[str, str]:
    """Every page and picture that the site has: its path in the repository, and its path on the site."""
    found = {name: place for name, place in OTHERS.items() if (ROOT / name).is_file()}
    for path in sorted((ROOT / "bench").glob("*.md")):
        name = "index.md" if path.name == "README.md" else path.name
        found[f"bench/{path.name}"] = f"project/bench/{name}"
    for path in sorted((ROOT / "docs").rglob("*")):
        inside = path.relative_to(ROOT / "docs")
        if path.is_file() and inside.parts[0] != "example-study" and path.suffix in (".md", ".png", ".svg"):
            place = inside.with_name("index.md") if path.name == "README.md" else inside
            found[f"docs/{inside.as_posix()}"] = place.as_posix()
    for notebook in NOTEBOOKS.glob("*.ipynb"):
        found[f"docs/notebooks/{notebook.name}"] = f"notebooks/{notebook.stem}.md"
    for name in ("study.yaml", "pairs.csv"):
        found[f"docs/example-study/{name}"] = f"example-study/{name}"
    return found | {"docs/decisions": "decisions/index.md", "docs/example-study": "example-study/index.md"}


def moved(text: str, path: str, places: Mapping[str, str]) -> str:
    """The Markdown of `path` with its links as they are on the site; links to files that are not on the site become
    plain words.
    """
    here = posixpath.dirname(places[path])

    def link(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        address, _, anchor = target.partition("#")
        if not address or "://" in address or address.startswith("mailto:"):
            return found[0]
        meant = posixpath.normpath(posixpath.join(posixpath.dirname(path), address))
        if meant in places:
            new = posixpath.relpath(places[meant], here or ".")
            return f"{mark}[{words}]({new}{'#' + anchor if anchor else ''})"
        return words if (ROOT / meant).exists() else found[0]

    lines, fence = [], ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        lines.append(line if fence else _LINK.sub(link, line))
    return "\n".join(lines)


def indented(text: str) -> str:
    """The Markdown with what belongs to a list's item four spaces in, as MkDocs wants it.

    The help pages of the service and most forges are content with two or three, by CommonMark.
    """
    lines = text.split("\n")
    more = [0] * len(lines)
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "list_item_open" and token.map:
            first, end = token.map
            marker = _MARKER.match(lines[first])
            for line in range(first + 1, end):
                more[line] += 4 - len(marker[1]) if marker else 0
    return "\n".join(" " * n + line if line.strip() else line for n, line in zip(more, lines, strict=True))


def stage(folder: Path) -> None:
    """Copy all sources of the site into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    found = places()
    for name, place in found.items():
        source, target = ROOT / name, folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            text = moved(source.read_text(encoding="utf-8"), name, found)
            target.write_text(indented(text), encoding="utf-8")
        elif source.suffix == ".ipynb":
            _stage_notebook(source, target)
        elif source.is_file():
            shutil.copyfile(source, target)
    (folder / "decisions" / "index.md").write_text(_decisions(folder / "decisions"), encoding="utf-8")
    (folder / "example-study" / "index.md").write_text(
        _example(ROOT / "docs" / "example-study"), encoding="utf-8"
    )


def _stage_notebook(notebook: Path, page: Path) -> None:
    shutil.copyfile(notebook, page.with_suffix(".ipynb"))
    parts: list[str] = []
    with tempfile.TemporaryDirectory() as work:
        for number, cell in enumerate(ran(notebook, Path(work)), start=1):
            if cell.svg:
                page.with_name(f"{page.stem}-{number}.svg").write_text(cell.svg, encoding="utf-8")
            parts += _of_cell(cell, f"{page.stem}-{number}.svg")
    title, _, rest = parts[0].partition("\n")
    parts[0] = f"{title}\n\n[The notebook]({page.stem}.ipynb), to run it yourself.\n{rest}"
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _of_cell(cell: Cell, figure: str) -> Iterator[str]:
    if cell.kind == "markdown":
        yield cell.source
        return
    yield f"```python\n{cell.source}\n```"
    if cell.text:
        yield f"```text\n{cell.text.rstrip()}\n```"
    if cell.svg:
        yield f"![The figure that the cell above draws]({figure})"


def _decisions(folder: Path) -> str:
    lines = ["# Decisions", "", "Choices that are hard to reverse, and their reasons.", ""]
    for page in sorted(folder.glob("[0-9]*.md")):
        title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        lines.append(f"- [{title}]({page.name})")
    return "\n".join(lines) + "\n"


def _example(folder: Path) -> str:
    parts = [
        "# A study file, with what belongs to it\n\nTo be copied and changed; `[BRACKETS]` are to be filled in."
    ]
    for path in sorted(folder.iterdir(), key=lambda path: (path.suffix != ".yaml", path.name)):
        text = path.read_text(encoding="utf-8").rstrip()
        parts.append(f"## {path.name}\n\n````{_TEXT[path.suffix]}\n{text}\n````")
    return "\n\n".join(parts) + "\n"


def config(staged: Path, built: Path) -> dict[str, Any]:
    """mkdocs.yml with its folders, and `/*` of the navigation written out."""
    read: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    return read | {
        "docs_dir": str(staged),
        "site_dir": str(built),
        "nav": [_written_out(entry, staged) for entry in read["nav"]],
    }


def _written_out(entry: Any, staged: Path) -> Any:
    if isinstance(entry, dict):
        return {title: _written_out(value, staged) for title, value in entry.items()}
    if isinstance(entry, list):
        return [_written_out(one, staged) for one in entry]
    if not entry.endswith("/*"):
        return entry
    pages = sorted((staged / entry[:-2]).glob("*.md"), key=lambda page: (page.name != "index.md", page.name))
    return [page.relative_to(staged).as_posix() for page in pages]


def slug(heading: str, separator: str) -> str:
    """The anchor of a heading, as GitHub and the help pages of the service make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", separator)


def loaded_from_elsewhere(site: Path) -> list[str]:
    """Resources that pages and styles would fetch from another host by themselves."""
    found = []
    for path in sorted(site.rglob("*")):
        pattern = {".html": _LOADED, ".css": _LOADED_BY_STYLE}.get(path.suffix)
        if pattern:
            text = path.read_text(encoding="utf-8")
            found += [f"{path.relative_to(site)}: {what[:200]}" for what in pattern.findall(text)]
    return found


def build(staged: Path = STAGED, built: Path = BUILT) -> Path:
    """Stage and build. Raises SiteFailed: a link that leads nowhere, a page left out, or another host."""
    # Material prints an advertisement for its successor at import.
    os.environ["NO_MKDOCS_2_WARNING"] = "1"
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort

    stage(staged)
    path = staged.parent / f"{staged.name}.yml"
    path.write_text(yaml.safe_dump(config(staged, built), sort_keys=False), encoding="utf-8")
    try:
        settings = load_config(str(path), strict=True)
        settings["mdx_configs"].setdefault("toc", {})["slugify"] = slug
        build_site(settings)
    except Abort as error:
        raise SiteFailed(f"the site has faults: {error}") from error
    if elsewhere := loaded_from_elsewhere(built):
        raise SiteFailed("the site loads from another host:\n" + "\n".join(elsewhere))
    return built


def main() -> int:
    argparse.ArgumentParser(prog="python -m tools.site", description=__doc__.partition("\n")[0]).parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s", stream=sys.stderr)
    try:
        built = build()
    except SiteFailed as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    sys.stdout.write(f"{built / 'index.html'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
