"""Rules of the house that a machine can check."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = [
    path for folder in ("app", "analysis", "stimuli", "migrations") for path in (ROOT / folder).rglob("*.py")
]
ROUTERS = [*(ROOT / "app").rglob("router.py"), *(ROOT / "app" / "api").glob("*.py")]


def calls(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
    }


@pytest.mark.parametrize("path", ROUTERS, ids=str)
def test_routers_make_domain_calls_and_no_queries(path: Path) -> None:
    assert not calls(path) & {"select", "commit", "execute", "exec", "flush"}


@pytest.mark.parametrize("path", ROUTERS, ids=str)
def test_handlers_are_short(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.AsyncFunctionDef) and node.decorator_list:
            assert (node.end_lineno or 0) - node.lineno <= 30, node.name


def test_modules_stay_readable() -> None:
    assert [
        str(p.relative_to(ROOT)) for p in SOURCES if len(p.read_text(encoding="utf-8").splitlines()) > 400
    ] == []


def test_only_the_settings_read_the_environment() -> None:
    readers = {
        str(path.relative_to(ROOT))
        for path in SOURCES
        if any(word in path.read_text(encoding="utf-8") for word in ("os.environ", "getenv("))
    }
    assert readers == {"app/settings.py"}


def test_serving_loads_no_number_crunching() -> None:
    """The import contract says so of source; this says so of a running interpreter."""
    import subprocess
    import sys

    code = (
        "import sys, app.main, app.serving\n"
        "print(sorted({'numpy', 'pandas', 'scipy', 'pingouin', 'av', 'analysis'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_no_page_names_another_host() -> None:
    for path in [
        *(ROOT / "app").rglob("*.html"),
        *(ROOT / "app").rglob("*.js"),
        *(ROOT / "app").rglob("*.css"),
    ]:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text, path
        assert "https://" not in text, path
