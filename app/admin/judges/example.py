"""The example of a file of verdicts, with the names of the study's own pairs or items."""

from collections.abc import Iterator, Sequence

from sqlmodel import Session

from app.core.errors import Conflict
from app.core.spreadsheet import csv_text
from app.judges.checking import EXAMPLE_JUDGE
from app.judges.known import Known, known_of
from app.judges.standing import About

# The first rows show how one is filled in.
_SHOWN = (("a", "0.9"), ("b", "0.2"), ("", "0.5"))


def example_csv(session: Session, slug: str, about: About | None) -> str:
    """The example as CSV. Raises Conflict for a study that has neither pairs nor rated items."""
    known = known_of(session, slug)
    if about == "items" or (about is None and not known.pairs):
        if not known.items:
            raise Conflict("This study has no items that are rated; write them into its design first.")
        return csv_text(("judge", "item", "criterion", "value"), _items(known))
    if not known.pairs:
        raise Conflict("This study has no pairs; write them into its design and save it first.")
    head = ("judge", "pair", "choice", "score", "stimulus_a", "stimulus_b")
    return csv_text(head, _pairs(known))


def _pairs(known: Known) -> Iterator[Sequence[str]]:
    for number, pair in enumerate(known.pairs):
        choice, score = _SHOWN[number] if number < len(_SHOWN) else ("", "")
        yield EXAMPLE_JUDGE, pair.name, choice, score, pair.a, pair.b


def _items(known: Known) -> Iterator[Sequence[str]]:
    for item in known.items:
        for criterion in known.criteria:
            yield EXAMPLE_JUDGE, item, criterion.id, ""
