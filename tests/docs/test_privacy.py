"""Every column of every table is classified as personal, linked or not personal, and the page has what is personal."""

from collections import Counter

from sqlmodel import SQLModel

import app.main  # noqa: F401  (all tables)
from tools.made import with_part
from tools.privacy import MAKER, PAGE, classified, listed


def test_every_column_of_every_table_is_classified_once() -> None:
    there = {f"{table.name}.{column.name}" for table in SQLModel.metadata.sorted_tables for column in table.c}
    counts = Counter(classified().columns())
    assert sorted(there - counts.keys()) == []
    assert sorted(counts.keys() - there) == []
    assert [column for column, n in counts.items() if n > 1] == []


def test_what_is_personal_says_of_whom_why_how_long_and_who_sees_it() -> None:
    for table, columns in classified().personal.items():
        for column, said in columns.items():
            assert set(said) == {"whom", "why", "until", "seen"}, (table, column)
            assert said["whom"] in ("participant", "experimenter")


def test_the_page_is_made_from_it() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert with_part(text, MAKER, listed()) == text
    assert "| `participant_identity.external_id` |" in text
