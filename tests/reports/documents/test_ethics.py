"""The application to an ethics board: what the study file says, and blanks for what it cannot know."""

from pathlib import Path

from app.core.database import Database
from app.reports.documents.document import blanks_in
from app.reports.documents.ethics import ethics
from app.reports.study_facts import study_facts
from tests.factories import NOW, load_file


def test_the_application_has_the_files_texts_and_marks_what_is_missing(
    study: str, database: Database, tmp_path: Path
) -> None:
    ends = {
        "message": "# Bye\n\nThat was all.\n",
        "minutes": 12,
        "pay": "£2.50",
        "contact": "Lab, lab@example.org",
    }
    with database.transaction() as session:
        load_file(session, tmp_path, completion=ends, retention={"days": 90})
    with database.reading() as session:
        document = ethics(study_facts(session, study), NOW)
    text = document.markdown()
    for said in (
        "Contact for participants: Lab, lab@example.org.",
        "Duration: 12 minutes.",
        "Pay: £2.50.",
        "at least 18 years old",
        "Identities are erased 90 days after a session's end",
        "> Taking part is voluntary.",
        "> That was all.",
        "Questions about themselves: “How familiar are you with games?”.",
    ):
        assert said in text, said
    assert "the duration" not in blanks_in(document)
    assert "the number of participants" in blanks_in(document)


def test_what_is_held_back_and_shown_is_said_of_every_task(
    study: str, database: Database, tmp_path: Path
) -> None:
    items = "item,stimulus\n" + "".join(f"i{n},human-g{n}\n" for n in (1, 2))
    question = {"id": "human", "type": "choice", "ask": "A person?", "options": ["Yes", "No"]}
    blocks = [
        {"id": "rate", "task": "rating", "items": items, "questions": [question]},
        {"id": "play", "task": "game", "game": "glee-bargaining", "seats": "any"},
    ]
    with database.transaction() as session:
        load_file(session, tmp_path, sample=None, trials=None, blocks=blocks)
    with database.reading() as session:
        text = ethics(study_facts(session, study), NOW).markdown()
    for said in (
        "What is shown comes from people or from programs, and participants are not told which",
        "violence, flashing images or offensive content",
        "Players in block play are told that some of the others may be programs, and not which.",
    ):
        assert said in text, said
