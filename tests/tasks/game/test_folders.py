"""Nothing outside a game's folder names the game."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from app.tasks.game.games import FAMILIES, GAMES

ROOT = Path(__file__).parents[3]
FOLDERS = "app/tasks/game/games/"
NAMES = re.compile(
    r"(?<![\w-])(?:" + "|".join(sorted((*GAMES, *FAMILIES), key=len, reverse=True)) + r")(?![\w-])"
)
# What is about one game and no part of playing it: a new game has nothing like it, or has it of its own accord.
OF_ONE_GAME = {
    "analysis/games/": "measures as papers published them, for use without the service",
    "analysis/figures/": "figures of these measures",
    "analysis/signatures/published_play.py": "signatures as they were published here",
    "app/library/alympics/": "a released data set of one game, read in its own form",
    "app/reports/alympics": "the same, held against our rules",
    "app/demo/": "the demo's own studies",
    "app/studies/file/template": "templates of studies",
}

# The folder of a game; `games.reports` is a registry.
FOLDER = re.compile(r"app\.tasks\.game\.games\.(?!reports$)")


def named_in(path: Path) -> Iterator[str]:
    """Imports of a game's folder, and texts with a game's name; docstrings explain, and may."""
    text = path.read_text(encoding="utf-8")
    if not FOLDER.search(text) and not NAMES.search(text):
        return  # most files: to parse them all takes five seconds
    tree = ast.parse(text)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and FOLDER.match(str(node.module)):
            yield f"line {node.lineno}: {node.module}"
        elif isinstance(node, ast.Constant) and id(node) not in docs:
            yield from (f"line {node.lineno}: {found[0]}" for found in NAMES.finditer(str(node.value)))


def test_nothing_outside_its_folder_names_a_game() -> None:
    found = {}
    for folder in ("app", "analysis", "stimuli", "migrations"):
        for path in (ROOT / folder).rglob("*.py"):
            name = str(path.relative_to(ROOT))
            if not name.startswith((FOLDERS, *OF_ONE_GAME)) and (named := list(named_in(path))):
                found[name] = named
    assert found == {}


def test_the_walk_sees_what_it_looks_for(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text(
        '"""Of sug."""\nfrom app.tasks.game.games.wac.rules import Status\nA = {"glee": 1}\nB = "wacky"\n'
    )
    assert list(named_in(path)) == ["line 2: app.tasks.game.games.wac.rules", "line 3: glee"]
