"""Parsing of the forms of pairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from app.admin.forms import Files
from app.core.errors import StudyError
from app.core.spreadsheet import BadTable, text_of
from app.tasks.pair.rows import Row, sample_of

MOST_CONDITIONS = 80
MOST_ATTRIBUTES = 50
MOST_NAME = 40


class BadPairForm(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class Draw:
    """A draw as it stands in the form: numbers as typed, by condition."""

    lines: tuple[tuple[str, str, str], ...]
    match: tuple[str, ...]
    seed: str
    is_even: bool = True
    pairing: str = ""

    def sample(self) -> dict[str, Any]:
        return sample_of(self.lines, self.match, self.seed, "even" if self.is_even else "free", self.pairing)


def draw_in(form: Mapping[str, str]) -> Draw:
    """Conditions are numbered fields, as a condition may be any text."""
    lines = (
        (form[f"condition-{i}"].strip(), form.get(f"main-{i}", ""), form.get(f"practice-{i}", ""))
        for i in range(MOST_CONDITIONS)
        if f"condition-{i}" in form
    )
    match = (form.get(f"match-{i}", "") for i in range(MOST_ATTRIBUTES))
    asked = tuple(line for line in lines if line[0])
    is_even, pairing = form.get("use") == "even", form.get("pairing", "")
    return Draw(asked, tuple(filter(None, match)), form.get("seed", ""), is_even, pairing[:MOST_NAME])


def row_in(form: Mapping[str, str]) -> Row:
    """The pair that was picked."""
    condition, kind = form.get("condition", "").strip(), form.get("kind", "").strip()
    return Row("", form.get("a", ""), form.get("b", ""), condition=condition, kind=kind)


def edit_in(form: Mapping[str, str]) -> tuple[str, int]:
    """The action of a button and its pair: `up 3`."""
    what, _, number = form.get("do", "").partition(" ")
    if not (number.isascii() and number.isdigit() and len(number) < 7):
        raise BadPairForm("This form is incomplete. Please reload the page and try again.")
    return what, int(number)


def csv_in(form: Mapping[str, str], files: Files) -> str:
    """The list that was uploaded or pasted. Raises BadPairForm."""
    sent = files.get("file", ())
    text = form.get("text", "")
    if sent:
        try:
            text = text_of(sent[0].data, sent[0].name[:80])
        except BadTable as error:
            raise BadPairForm(f"{error}.") from None
        if not text.strip():
            raise BadPairForm(f"{sent[0].name[:80]} is empty: choose another file, or paste a list of pairs.")
    if not text.strip():
        raise BadPairForm("Paste a list of pairs, or choose a CSV file.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def again_at(form: Mapping[str, str]) -> str:
    """The query that shows the same clips once more, after a pair of them was added."""
    kept = [
        f"{name}_{member}"
        for member in "ab"
        for name in ("q", "text", "source", "collection", "page", "show")
    ]
    found = {name: form[name] for name in (*kept, "kind") if name in form}
    return urlencode({"said": "added", "added": "1", **found})
