"""Texts on screens are plain: no literary words, one word for one thing, one format of time."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

APP = Path(__file__).parents[1] / "app"
ROOT = APP.parent
LITERARY = re.compile(r"\b(mend\w*|doors?|couples?|as it might be|strangers?)\b", re.IGNORECASE)
# Of what a reader of the code meets: names, addresses in templates, docstrings and the documentation.
IN_NAMES = re.compile(r"(^|[_\W])(mend(ing)?|doors?|couples?|told)([_\W]|$)", re.IGNORECASE)
IN_PROSE = re.compile(
    r"\b(to mend|mended|mending|doors?|couples? of|experimenter's room|comes? in couples"
    r"|(as|what) the browser told|told (in one go|by (its|their))|worth a second look|are no positions)\b",
    re.IGNORECASE,
)
# First words of docstrings that a reader has to guess the noun of: "What a list's item is of, by its texts."
RIDDLES = re.compile(
    r"(What|Who|Whose|Whom|How|Of|Whether|With|Those|Where|As|Which|Why|That|When|Whatever|Whoever|Whichever|Somebody"
    r"|Something|Everything|Anybody|Anything|Else|Beside|Around|Until|Against|Its|Their)\b(?! `)"
)
DIALECT = re.compile(
    r"\b(beside|whoever|whichever|somebody|oftener|comes? to nothing|(is|are) said of)\b", re.IGNORECASE
)
NOT_A_CLIP = re.compile(r"\bstimul(us|i)\b", re.IGNORECASE)


@cache
def source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(source(path))


def with_words(folder: Path, words: re.Pattern[str]) -> Iterator[Path]:
    """The Python files that hold one of the words at all, in whatever part: only those are parsed."""
    return (path for path in sorted(folder.rglob("*.py")) if words.search(f"{path}\n{source(path)}"))


def messages(folder: Path, words: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The texts of two words or more that are no docstring, with their place, of files that hold one of the words."""
    for path in with_words(folder, words):
        tree = parsed(path)
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in docstrings and " " in str(node.value):
                yield f"{path.relative_to(APP)}:{node.lineno}", str(node.value)


def on_screen() -> Iterator[tuple[str, str]]:
    for path in sorted(APP.rglob("*.html")):
        text = re.sub(r"\{[{%#].*?[}%#]\}|<[^>]*>", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        yield str(path.relative_to(APP)), text


def test_messages_and_pages_use_plain_words() -> None:
    assert [where for where, text in (*messages(APP, LITERARY), *on_screen()) if LITERARY.search(text)] == []


def identifiers(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg", "name", "asname", "module"):
            if isinstance(name := getattr(node, field, None), str):
                yield name


def test_names_in_code_and_pages_are_plain_words() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for folder in ("app", "analysis", "stimuli")
        for path in with_words(ROOT / folder, IN_NAMES)
        for name in (str(path.relative_to(ROOT)), *identifiers(parsed(path)))
        if IN_NAMES.search(name)
    ]
    for path in sorted((*APP.rglob("*.html"), *APP.rglob("*.js"))):
        text = path.read_text(encoding="utf-8")
        names = re.findall(r"""(?:id|class|name|for|aria-[a-z]+)="([^"{]+)"|\b(data-[a-z-]+)|\.(\w+)""", text)
        found += [f"{path.relative_to(ROOT)}: {n}" for n in map("".join, names) if IN_NAMES.search(n)]
    assert found == []


def test_docstrings_and_documents_use_the_fields_words() -> None:
    texts = [
        *(ROOT / "docs").rglob("*.md"),
        *(p for d in ("app", "analysis") for p in (ROOT / d).rglob("*.py")),
    ]
    assert [str(p.relative_to(ROOT)) for p in texts if IN_PROSE.search(source(p))] == []


def docstrings(*folders: str) -> Iterator[tuple[str, str]]:
    """What is ours in the folders, without what a bench installed for itself (`bench/.work`)."""
    found = (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))
    for path in (path for path in found if not any(part[0] == "." for part in path.relative_to(ROOT).parts)):
        yield from docstrings_of(path)


@cache
def docstrings_of(path: Path) -> Sequence[tuple[str, str]]:
    """Docstrings of a file, each with its place.

    What it was parsed to is not kept: a million nodes, which the garbage collector would go through.
    """
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [
        (f"{path.relative_to(ROOT)}: {getattr(node, 'name', 'module')}", text)
        for node in statements(ast.parse(source(path)))
        if isinstance(node, kinds) and (text := ast.get_docstring(node))
    ]


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """The tree and all that stands in the bodies of it: a docstring is of one of these, and they are a tenth of it."""
    left = [tree]
    while left:
        yield (node := left.pop())
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            inner = getattr(node, field, None)
            left += inner if isinstance(inner, list) else ()


def test_docstrings_begin_with_the_noun_returned_or_the_verb_done() -> None:
    folders = ("app", "analysis", "bench", "tools", "stimuli")
    riddles = [where for where, text in docstrings(*folders) if RIDDLES.match(text)]
    assert len(riddles) <= 10, riddles


def test_docstrings_are_not_in_the_projects_own_dialect() -> None:
    words = [
        f"{where}: {found[0]}"
        for where, text in docstrings("app", "analysis")
        for found in DIALECT.finditer(re.sub(r"`[^`]*`", "", text))
    ]
    assert len(words) <= 10, words


def test_a_clip_is_called_a_clip_on_the_experimenters_pages() -> None:
    said = (
        *on_screen(),
        *messages(APP / "admin", NOT_A_CLIP),
        *messages(APP / "library", NOT_A_CLIP),
        *messages(APP / "studies" / "file", NOT_A_CLIP),
        *messages(APP / "tasks" / "pair", NOT_A_CLIP),
        *messages(APP / "tasks" / "rating", NOT_A_CLIP),
    )
    found = {
        where.split(":")[0] for where, text in said if NOT_A_CLIP.search(text) and "stimuli.csv" not in text
    }
    # The description of a column and of a file's keys, which are called so.
    assert found <= {
        "tasks/pair/terms.py",
        "tasks/rating/items.py",
        "tasks/rating/settings.py",
        "studies/file/model.py",
        "admin/templates/judges-parts.html",
        "library/clips/manifest.py",
        "library/stimuli.py",
    }


def test_pages_show_every_time_in_one_format_with_its_zone() -> None:
    scripts = [
        path for path in APP.rglob("*.js") if re.search(r"toLocale(Date|Time)?String", path.read_text())
    ]
    python = [
        path
        for path in (APP / "admin").rglob("*.py")
        if "%H:%M" in path.read_text() and path.name != "charts.py"
    ]
    assert (scripts, python) == ([], [])
