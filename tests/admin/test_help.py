"""Help in the web: a page for each screen, links that lead somewhere, and nothing told that the web cannot open."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from app.admin import pages
from app.admin.help.documents import DOCS, HERE, SCREENS, documents, help_address, slug
from tests.admin.persons import Person

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
APP = ROOT / "app"


def test_every_screen_has_a_page_of_help_and_every_page_of_help_a_screen() -> None:
    importlib.import_module("app.main")  # brings every screen
    templates = {getattr(cls, "template", "help.html") for cls in _subclasses(pages.AdminPage)} - {
        "help.html"
    }
    assert len(templates) > 20
    for template in templates:
        assert help_address(template).removeprefix(f"{HERE}/") in documents(), template
    assert set(SCREENS.values()) == {name for name in documents() if "/" not in name} - {"README"}


def _subclasses(cls: type[Any]) -> Iterator[type[Any]]:
    for each in cls.__subclasses__():
        yield each
        yield from _subclasses(each)


def test_all_of_help_can_be_read_and_its_links_lead_somewhere(owner: Person) -> None:
    texts = {name: owner.get(f"{HERE}/{name}").text for name in documents()}
    texts[""] = owner.get(HERE).text
    for name, text in texts.items():
        main = text.partition("<main")[2].partition("</main")[0]
        assert "<h1" in main, name
        assert not re.search("<(pre|table)>", main), f"what scrolls in {name} is out of reach of keys"
        for target in re.findall(r'href="([^"]+)"', main):
            if target.startswith("http"):
                continue
            page, _, anchor = target.partition("#")
            assert page == "" or page.startswith(HERE), (name, target)
            where = texts[page.removeprefix(HERE).lstrip("/")] if page else text
            assert not anchor or f'id="{anchor}"' in where, (name, target)
    assert owner.get(f"{HERE}/none-such").status_code == 404
    assert owner.get(f"{HERE}/../../README").status_code == 404
    assert slug("Pairs by `file`, and more") == "pairs-by-file-and-more"


def test_a_screen_links_to_its_own_help(owner: Person) -> None:
    for address, name in (
        ("/admin/stimuli/rules", "rules"),
        ("/admin", "studies"),
        ("/admin/account", "account"),
    ):
        assert f'<a href="{HERE}/{name}">' in owner.get(address).text


def test_no_page_and_no_message_names_a_file_that_the_web_cannot_open() -> None:
    found = [str(path) for path in APP.rglob("*.html") if "docs/" in path.read_text(encoding="utf-8")]
    for path in APP.rglob("*.py"):
        if path.parts[len(APP.parts)] == "cli":  # said in a terminal, beside the files
            continue
        text = path.read_text(encoding="utf-8")
        if "docs/" not in text:
            continue
        tree = ast.parse(text)
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        said = (
            node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings
        )
        found += [f"{path}:{node.lineno}" for node in said if "docs/" in str(node.value)]
    assert found == []


def test_the_help_and_all_that_the_service_reads_are_in_an_installed_wheel_and_in_the_image(
    tmp_path: Path,
) -> None:
    # Not compressed, as nobody sends it anywhere; nor by pip, which makes its metadata first, apart.
    build = (
        "import sys; from setuptools.build_meta import build_wheel; "
        "build_wheel(sys.argv[1], {'--build-option': sys.argv[2:]})"
    )
    made = subprocess.run(
        [sys.executable, "-c", build, tmp_path, "--compression=stored"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    with ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        inside = set(wheel.namelist())
    read = {path.relative_to(ROOT).as_posix() for path in APP.rglob("*") if path.is_file()}
    read = {path for path in read if "__pycache__" not in path}
    assert "app/studies/templates/index.yaml" in read
    assert read - inside == set()
    assert {f"docs/{path}" for path in documents().values()} <= inside
    assert DOCS == ROOT / "docs"
    assert "COPY docs docs" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "!docs" in (ROOT / ".dockerignore").read_text(encoding="utf-8")
