"""The docs site: built strictly, from the same Markdown as the help, and complete by itself."""

import re
import shutil
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import analysis
import analysis.figures
import analysis.judging
import analysis.planning
from tools import site

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PARTS = ("h2", "h3", "h4", "ul", "ol", "li", "table", "tr", "td", "th", "pre", "strong", "blockquote")


class Tags(HTMLParser):
    """Counts the tags within the article of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self._is_inside = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_inside = self._is_inside or tag == "article"
        self.counts[tag] += self._is_inside

    def handle_endtag(self, tag: str) -> None:
        self._is_inside = self._is_inside and tag != "article"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`site-source` and `site`, built as `make docs` does: with a fault there would be none."""
    folder = tmp_path_factory.mktemp("docs")
    site.build(folder / "site-source", folder / "site")
    return folder


def test_every_page_of_docs_is_on_the_site_and_in_its_navigation(folder: Path) -> None:
    pages = [place for place in site.places().values() if place.endswith(".md")]
    assert len(pages) > 60
    home = (folder / "site" / "tutorial.html").read_text(encoding="utf-8")
    for page in pages:
        address = page.removesuffix(".md") + ".html"
        assert (folder / "site" / address).is_file(), address
        assert f'href="{address}"' in home or address == "tutorial.html", address


def test_the_site_and_the_help_pages_read_the_same_markdown_alike(folder: Path) -> None:
    """Help is CommonMark, MkDocs is not: as many headings, items, cells and blocks must come out of both."""
    markdown = MarkdownIt("commonmark").enable("table")
    for path in sorted((folder / "site-source").rglob("*.md")):
        name = path.relative_to(folder / "site-source")
        if name.parts[0] == "library":
            continue
        help_page = Tags(f"<article>{markdown.render(path.read_text(encoding='utf-8'))}</article>").counts
        page = Tags((folder / "site" / name).with_suffix(".html").read_text(encoding="utf-8")).counts
        assert {part: page[part] for part in PARTS} == {part: help_page[part] for part in PARTS}, name


@pytest.mark.parametrize(
    "module",
    [analysis, analysis.judging, analysis.planning, analysis.figures],
    ids=lambda module: module.__name__,
)
def test_every_public_name_of_the_library_is_in_the_reference(module: object, folder: Path) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (folder / "site" / "library").glob("*.html"))
    for name in module.__all__:  # type: ignore[attr-defined]
        whole = f"{module.__name__}.{name}"  # type: ignore[attr-defined]
        assert f'id="{whole}"' in text or f"<code>{whole}</code>" in text, whole
    assert "Compute everything that is reported" in text


def test_notebooks_are_shown_with_what_comes_out_of_them(folder: Path) -> None:
    page = (folder / "site" / "notebooks" / "labels-and-accuracy.html").read_text(encoding="utf-8")
    assert "80 of 80" not in page
    assert "40 of 40 participants and 480 of 480 answers count" in page
    drawn = re.findall(r'<img[^>]*src="([^"]+\.svg)"', page)
    assert [(folder / "site" / "notebooks" / name).is_file() for name in drawn] == [True]


def test_nothing_is_fetched_from_another_host(folder: Path) -> None:
    assert site.loaded_from_elsewhere(folder / "site") == []
    style = "body{background:url(//fonts.example/x.woff)}"
    (folder / "site" / "new.css").write_text(style)
    (folder / "site" / "new.html").write_text(
        '<p><a href="https://a.example">x</a><img alt="" src="https://b.example/x">'
    )
    found = site.loaded_from_elsewhere(folder / "site")
    assert len(found) == 2
    assert "fonts.example" in found[0]
    assert "b.example" in found[1]


def test_a_link_that_leads_nowhere_fails_the_build(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stage(to: Path) -> None:
        shutil.copytree(folder / "site-source", to)
        for page in to.rglob("*.md"):
            page.write_text("# T\n")
        (to / "tutorial.md").write_text("# T\n\n[x](clips.md#no-such-heading) [y](gone.md)\n")

    monkeypatch.setattr(site, "stage", stage)
    with pytest.raises(site.SiteFailed, match="2 warnings"):
        site.build(tmp_path / "site-source", tmp_path / "site")


@pytest.mark.parametrize(
    ("path", "text", "moved"),
    [
        ("README.md", "[a](docs/clips.md#x)", "[a](clips.md#x)"),
        ("docs/help/clues.md", "[a](../clips.md)", "[a](../clips.md)"),
        ("docs/analysis.md", "[a](../bench/README.md)", "[a](project/bench/index.md)"),
        ("README.md", "[MIT](LICENSE)", "MIT"),
        ("README.md", "[a](nowhere.md)", "[a](nowhere.md)"),
        ("README.md", "```\n[a](docs/clips.md)\n```", "```\n[a](docs/clips.md)\n```"),
    ],
)
def test_links_lead_to_where_things_are_on_the_site(path: str, text: str, moved: str) -> None:
    assert site.moved(text, path, site.places()) == moved


def test_what_belongs_to_an_item_is_four_spaces_in() -> None:
    text = "1. a\n\n   ```\n   b\n   ```\n\n   - c\n     d\n"
    assert site.indented(text) == "1. a\n\n    ```\n    b\n    ```\n\n    - c\n        d\n"
