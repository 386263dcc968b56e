"""No sentence of a participant's script escapes translation: what is said is an argument of `_` or `_n`."""

import re
from collections.abc import Iterator
from pathlib import Path

APP = Path(__file__).parents[2] / "app"
FOLDERS = ("sessions", "questions", "tasks")
# Reasons that are stored with an answer, and names of elements and places: shown to nobody.
UNSEEN = {
    "cut short",
    "no connection",
    "no metadata",
    "not supported",
    "from memory: ${error.message}",
    "play not allowed",
    "own speed",
    "watch first",
    "card rank",
}
SELECTOR = re.compile(r"^(?:textarea|button), ")
# Comments, texts, names of the two functions, and parentheses: what is needed to know what stands in a call of them.
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|(?<![\w.$])_n?(?=\()|[()]""",
    re.DOTALL,
)
SENTENCE = re.compile(r"[A-Za-z]{2,},? [A-Za-z]{2,}")


def untranslated(script: str) -> Iterator[str]:
    """Texts of two words and more in no call of `_` or `_n`."""
    depth, before = 0, ""
    for token in TOKEN.findall(script):
        if token == "(" and (depth or before in ("_", "_n")):
            depth += 1
        elif token == ")" and depth:
            depth -= 1
        elif token[0] in "\"'`" and not depth and SENTENCE.search(token):
            yield token[1:-1]
        before = token


def test_what_scripts_say_is_translated() -> None:
    scripts = [path for folder in FOLDERS for path in (APP / folder).rglob("static/*.js")]
    assert len(scripts) > 20
    found = {text: path.name for path in scripts for text in untranslated(path.read_text(encoding="utf-8"))}
    assert {
        text: name for text, name in found.items() if not SELECTOR.match(text) and text not in UNSEEN
    } == {}


def test_a_sentence_that_escapes_is_found() -> None:
    assert list(untranslated('at.textContent = "Please wait";')) == ["Please wait"]
    assert list(untranslated("at.textContent = `Wait for ${n} seconds`;")) == ["Wait for ${n} seconds"]
    assert list(untranslated('say(_("Please wait"), _n("one more time", "more times", n(1)));')) == []
