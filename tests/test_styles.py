"""The style sheets: no rule for what no page has, no class that a template misspells, one sheet of colours."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1] / "app"
SHARED = ROOT / "sessions" / "static" / "look.css"
SHEETS = {
    SHARED.with_name("site.css"): [
        ROOT / "sessions",
        ROOT / "core",
        ROOT / "questions",
        ROOT / "tasks" / "pair",
    ],
    ROOT / "tasks" / "rating" / "static" / "rating.css": [
        ROOT / "tasks" / "rating",
        ROOT / "sessions",
        ROOT / "core",
    ],
    ROOT / "tasks" / "game" / "static" / "game.css": [
        ROOT / "tasks" / "game",
        ROOT / "sessions",
        ROOT / "core",
    ],
    ROOT / "tasks" / "walk" / "static" / "walk.css": [
        ROOT / "tasks" / "walk",
        ROOT / "sessions",
        ROOT / "core",
    ],
    ROOT / "tasks" / "rating" / "static" / "record.css": [ROOT / "tasks" / "rating"],
    ROOT / "tasks" / "pair" / "static" / "compare.css": [ROOT / "tasks", ROOT / "sessions", ROOT / "core"],
    ROOT / "reports" / "static" / "report.css": [ROOT / "reports"],
    ROOT / "reports" / "static" / "findings.css": [ROOT / "reports", ROOT / "admin"],
    ROOT / "admin" / "static" / "admin.css": [ROOT / "admin"],
    SHARED: [ROOT / "sessions", ROOT / "core", ROOT / "admin"],
    **{
        sheet: [ROOT / "questions", ROOT / "sessions", ROOT / "core", ROOT / "tasks" / "pair"]
        for sheet in sorted((ROOT / "questions" / "static").glob("*.css"))
    },
}


def classes_of(sheet: str) -> set[str]:
    selectors = re.sub(r"/\*.*?\*/|\"[^\"]*\"|\{[^{}]*\}", " ", sheet, flags=re.DOTALL)
    return set(re.findall(r"\.([a-z][\w-]*)", selectors))


def words_of(folders: list[Path]) -> set[str]:
    """The words of classes in templates, of strings in their expressions, of strings in scripts and in presenters.

    Of `event-{{ kind }}` it is the word `event-`.
    """
    files = [
        path
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".html", ".js")
        or (path.suffix == ".py" and path.stem.endswith(("presenter", "_page")))
    ]
    found = []
    for path in files:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".html":
            found += re.findall(r'class="((?:[^"{]|\{\{.*?\}\}|\{%.*?%\})*)"', text)
            found += re.findall(r"block layout %\}([^{]*)", text)
            text = " ".join(re.findall(r"\{[{%].*?[%}]\}", text, re.DOTALL))
        found += re.findall(r'"([^"\n]*)"', text)
    return {word for each in found for word in re.findall(r"[\w-]+", each)}


def test_what_scrolls_sideways_is_reached_by_the_keyboard_and_has_a_name() -> None:
    for path in ROOT.rglob("templates/*.html"):
        for box in re.findall(r'<div class="scroll"[^>]*>', path.read_text()):
            assert {'tabindex="0"', 'role="region"'} <= set(box.rstrip(">").split()), (path.name, box)
            assert "aria-label" in box, (path.name, box)


def test_every_class_of_a_style_sheet_is_used_by_a_template_or_a_script() -> None:
    for path, folders in SHEETS.items():
        words = words_of(folders)
        started = tuple(word for word in words if word.endswith("-"))
        dead = {name for name in classes_of(path.read_text(encoding="utf-8"))
                if name not in words and not name.startswith(started)}  # fmt: skip
        assert dead == set(), f"{path.name}: {sorted(dead)}"


def test_colours_are_named_in_the_shared_sheet_and_every_name_that_is_used_is_there() -> None:
    named = set(re.findall(r"(--[\w-]+):", SHARED.read_text(encoding="utf-8")))
    for path in SHEETS:
        text = path.read_text(encoding="utf-8")
        own = set(re.findall(r"(--[\w-]+):", text))
        assert set(re.findall(r"var\((--[\w-]+)", text)) <= named | own, path.name


def test_no_template_has_a_style_or_a_handler_of_its_own() -> None:
    for path in ROOT.rglob("templates/*.html"):
        if path.parent.parent.name == "reports":
            continue  # the report is a file that is kept
        found = re.findall(r"<style\b|\sstyle=|\son\w+=\"", path.read_text(encoding="utf-8"))
        assert not found, f"{path.name}: {found}"
