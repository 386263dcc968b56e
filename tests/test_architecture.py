"""Rules of the house that a machine can check."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = [
    path for folder in ("app", "analysis", "stimuli", "migrations") for path in (ROOT / folder).rglob("*.py")
]
# Whatever holds a handler, however the file is called.
ROUTERS = [path for path in (ROOT / "app").rglob("*.py") if "APIRouter" in path.read_text(encoding="utf-8")]


def calls(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
    }


def test_every_package_says_what_lives_there() -> None:
    packages = [path for path in SOURCES if path.name == "__init__.py"]
    assert len(packages) > 50
    silent = [path for path in packages if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))]
    assert silent == []


def test_routers_make_domain_calls_and_no_queries() -> None:
    queries = {"select", "commit", "execute", "exec", "flush"}
    assert len(ROUTERS) > 20
    assert {str(path): found for path in ROUTERS if (found := calls(path) & queries)} == {}


def test_handlers_are_short() -> None:
    for path in ROUTERS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.AsyncFunctionDef) and node.decorator_list:
                assert (node.end_lineno or 0) - node.lineno <= 30, f"{path}: {node.name}"


def test_no_file_has_more_than_400_lines() -> None:
    long = [
        str(p.relative_to(ROOT)) for p in SOURCES if len(p.read_text(encoding="utf-8").splitlines()) > 400
    ]
    assert long == []


def test_studies_name_no_task() -> None:
    """They ask blocks through the registry: counted over all imports, late ones and those for types as well."""
    asked = {"registry", "listed", "base", "forgetting"}
    named = set()
    for path in (ROOT / "app/studies").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            named |= {
                (path.name, name)
                for name in modules
                if name.startswith("app.tasks") and name[10:] not in asked
            }
    assert named == set()


def test_only_the_settings_read_the_environment() -> None:
    readers = {
        str(path.relative_to(ROOT))
        for path in SOURCES
        if any(word in path.read_text(encoding="utf-8") for word in ("os.environ", "getenv("))
    }
    assert readers == {"app/core/settings.py"}


def test_no_page_names_another_host() -> None:
    for path in [
        *(ROOT / "app").rglob("*.html"),
        *(ROOT / "app").rglob("*.js"),
        *(ROOT / "app").rglob("*.css"),
    ]:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text, path
        assert "https://" not in text, path


# What the report reads: results, typed. Who may still take a result's values by name, and what for.
TYPED = [
    *(ROOT / "app/reports/page").glob("*.py"),
    *(ROOT / "app/reports" / f"{name}.py" for name in ("report", "ratings", "detection")),
]
JSON_WRITERS = {"results_in", "json_text"}
BY_NAME = {
    "report.py": {"to_dict"},  # judges.json and closing.json
    "numbers.py": {"to_dict"},  # results.json
    "writing.py": {"to_dict"},  # results.json
    "estimates.py": {"fields", "getattr"},  # every number with an interval, whatever the result
}


def test_the_report_reads_typed_results() -> None:
    for path in TYPED:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        untyped = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "Any"}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name in JSON_WRITERS:
                untyped -= set(range(node.lineno, (node.end_lineno or 0) + 1))
        assert untyped == set(), path
        by_name = calls(path) & {"asdict", "astuple", "fields", "getattr", "to_dict", "vars"}
        assert by_name <= BY_NAME.get(path.name, set()), path
