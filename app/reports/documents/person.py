"""All that is held about one person, to be read by that person."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from app.reports.documents.document import Chapter, Document, Items
from app.sessions.about_person import AboutPerson

_TITLES = {
    "participant_session": "Sessions: when you took part, and what your browser said",
    "participant_identity": "Who the recruiter said you are",
    "response": "Your answers",
    "evidence": "What was recorded of how clips were played",
    "trial": "What you were shown",
    "session_verdict": "Verdicts of the study's rules",
    "exclusion": "Exclusions from the analysis, with the reason",
    "session_note": "Notes of experimenters",
    "session_token": "The key to your session, as a hash",
    "event": "Your moves in matches",
    "seat": "Your seats in matches",
    "waiting": "Your waits for others",
    "walk": "Your walks on the map",
    "walk_steps": "The steps of your walks",
    "audit_entry": "Entries of the audit log about your sessions",
}


def person_document(found: AboutPerson, made_at: datetime) -> Document:
    """Each row as a list of its filled columns, table by table."""
    named = ", ".join(f"session {number} of the study {slug}" for number, slug in found.sessions.items())
    about = (
        f"Written {made_at:%Y-%m-%d %H:%M} UTC. It is of {named}.",
        "Backups, and files that experimenters downloaded before, may hold the same. Who did something here as an "
        "experimenter is not listed: that is about them.",
    )
    chapters = []
    for table, rows in found.tables.items():
        chapters.append(Chapter(_TITLES.get(table, table), ()))
        chapters += [
            Chapter(f"{at} of {len(rows)}", (Items(tuple(_lines(row))),), 2)
            for at, row in enumerate(rows, start=1)
        ]
    return Document("Held about you", about, tuple(chapters))


def _lines(row: Mapping[str, Any]) -> Iterator[str]:
    for column, value in row.items():
        if value is None or value in ("", {}, []):
            continue
        yield f"{_label(column)}: {_text(value)}"


def _label(column: str) -> str:
    """The name of a column in words, as there are many and each release may add some."""
    return column.removeprefix("is_").replace("_", " ").capitalize()


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S} UTC"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
