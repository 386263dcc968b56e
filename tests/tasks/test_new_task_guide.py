"""docs/new-task.md has the toy whole, and what it says of methods, blocks, macros and attributes is there."""

import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import app
from app.tasks.base import Task
from app.trials.parts import BlockDesign, BlockSettings
from tests.tasks import toy

ROOT = Path(app.__file__).parent
TOY = Path(toy.__file__).parent
GUIDE = (ROOT.parent / "docs/new-task.md").read_text(encoding="utf-8")
SHARED = ROOT / "sessions"


def part(title: str) -> str:
    return GUIDE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def in_the_program(path: Path) -> str:
    """A file of the toy as it would stand there: its imports by the names that they would have, and sorted so."""
    text = path.read_text(encoding="utf-8").replace("tests.tasks.toy", "app.tasks.dots")
    if path.suffix != ".py":
        return text
    sort = ["ruff", "check", "-q", "--select", "I", "--fix", "--stdin-filename", "app/x.py", "-"]
    done = subprocess.run(
        [sys.executable, "-m", *sort], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout


def first_cells(text: str) -> list[str]:
    """The names in code of the first column of all tables."""
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return [name for cell in rows for name in re.findall(r"`([^`]+)`", cell)]


def test_the_guide_has_every_file_of_the_toy_as_it_is() -> None:
    shown = dict(
        re.findall(r"^`app/tasks/dots/([\w./]+)`:\n\n```\w+\n(.*?)```\n", GUIDE, re.DOTALL | re.MULTILINE)
    )
    files = [*TOY.glob("*.py"), *TOY.glob("templates/*")]
    assert shown == {str(path.relative_to(TOY)): in_the_program(path) for path in files}


def test_its_lines_go_into_registries_that_the_toy_is_put_into() -> None:
    rows = re.findall(r"^\| `(app/[\w/]+)\.py` \| (.*?) \|$", part("The lines"), re.MULTILINE)
    assert len(rows) == 5
    register = Path("tests/tasks/registered.py").read_text(encoding="utf-8")
    for file, line in rows:
        for registry in re.findall(r"in `([A-Z]+)`", line):
            assert hasattr(import_module(file.replace("/", ".")), registry), (file, registry)
            assert f"{registry}" in register


def declared(model: type) -> set[str]:
    """The declarable members of a class of blocks: methods, properties and class variables, but for fields."""
    own = {*vars(model), *inspect.get_annotations(model)} - {*model.model_fields}  # type: ignore[attr-defined]
    return {name for name in own if not name.startswith(("_", "model_"))}


def test_whatever_a_block_may_say_is_in_the_guide() -> None:
    settings, _, design = part("What a block says").partition("of `BlockDesign` | says")
    assert {*first_cells(settings)} - {"BlockSettings"} == declared(BlockSettings)
    assert {*first_cells(design)} == declared(BlockDesign)


def test_what_it_says_of_methods_blocks_macros_attributes_and_functions_is_there() -> None:
    methods = {name for name, _ in inspect.getmembers(Task, inspect.isfunction) if not name.startswith("_")}
    assert {*first_cells(part("What a task does"))} == methods
    page, base = part("The page"), (ROOT / "core/templates/base.html").read_text(encoding="utf-8")
    blocks, _, rest = page.partition("`parts.html` has macros")
    assert {*first_cells(blocks)} == {*re.findall(r"\{% block (\w+) %\}", base)}
    macros = re.findall(r"`(\w+)\(", rest.partition("`clips.html` has")[0])
    made = re.findall(r"\{% macro (\w+)\(", (SHARED / "templates/parts.html").read_text(encoding="utf-8"))
    assert {*macros} <= {*made}
    assert len(macros) == 6
    named = {name for name in first_cells(rest) if name.startswith("data-")}
    scripts = "".join(path.read_text(encoding="utf-8") for path in ROOT.rglob("static/*.js"))
    markup = "".join(path.read_text(encoding="utf-8") for path in ROOT.rglob("templates/*.html"))
    for name in named:
        in_script = re.sub(r"-(\w)", lambda found: found[1].upper(), name.removeprefix("data-"))
        assert name in markup, name
        assert name in scripts or f"dataset.{in_script}" in scripts or f"{in_script} =" in scripts, name
    # Whatever the scripts of every page look for is there.
    common = "".join(
        (SHARED / f"static/{name}.js").read_text(encoding="utf-8") for name in ("form", "fields")
    )
    assert {*re.findall(r"\[(data-[\w-]+)", common)} <= named
    for name in first_cells(part("Evidence")):
        module, _, function = name.partition(".")
        assert hasattr(import_module(f"app.trials.{module}"), function), name
