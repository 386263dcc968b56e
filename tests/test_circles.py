"""No file of the program imports itself by way of others: counted over all imports, within functions, under
`TYPE_CHECKING` and by name as well, by a parser that is not the linter's."""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def modules(root: Path, packages: tuple[str, ...]) -> dict[str, Path]:
    """Each file by the name by which it is imported."""
    found = {}
    for path in sorted(each for package in packages for each in (root / package).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """The modules that a file imports anywhere in it: the module itself where a name of it is imported."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: a relative import"
            for alias in node.names:
                names = (f"{node.module}.{alias.name}", node.module or "")
                yield from [name for name in names if name in known][:1]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            module, colon, _ = node.value.partition(":")  # an entry point: "app.judges.motion:Motion"
            if colon and module in known:
                yield module


def circle(root: Path, packages: tuple[str, ...]) -> list[str]:
    """One circle of imports; empty where there is none."""
    known = modules(root, packages)
    graph = {name: set(imported(path, known)) - {name} for name, path in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.slow
def test_no_file_imports_itself_by_way_of_others() -> None:
    assert circle(ROOT, ("app", "analysis", "stimuli")) == []


def test_a_circle_is_found_wherever_its_imports_stand(tmp_path: Path) -> None:
    (tmp_path / "house").mkdir()
    (tmp_path / "house/__init__.py").touch()
    (tmp_path / "house/one.py").write_text("from house import two\n")
    (tmp_path / "house/two.py").write_text("def f():\n    from house.three import x\n")
    (tmp_path / "house/four.py").write_text("OURS = {'five': 'house.five:Five'}\n")
    (tmp_path / "house/five.py").write_text("from house.four import OURS\n")
    (tmp_path / "house/three.py").write_text("if TYPE_CHECKING:\n    from house.one import y\n")
    assert {*circle(tmp_path, ("house",))} == {"house.four", "house.five"}
    (tmp_path / "house/four.py").write_text("")
    assert {*circle(tmp_path, ("house",))} == {"house.one", "house.two", "house.three"}


# What loads a module by a name that is not written out, and what it may be.
BY_NAME = {
    "app/cli/__init__.py": "the module of a command, of this package",
    "app/judges/registry.py": "a judge, of ours or of an installed package, by its entry point",
    "app/library/clips/contained.py": "in a process of its own, the function that its caller has imported",
    "analysis/__init__.py": "a public name at its first use; the import stands beside it for types",
    "analysis/judging/__init__.py": "the same",
    "analysis/judging/items/__init__.py": "the same",
    "stimuli/agents.py": "an agent of somebody else",
}


def test_registries_import_plainly() -> None:
    """`import_module` would hide an import from the linter."""
    by_name = [
        str(path.relative_to(ROOT))
        for folder in ("app", "analysis", "stimuli")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "import_module" in path.read_text(encoding="utf-8")
    ]
    assert sorted(by_name) == sorted(BY_NAME)
