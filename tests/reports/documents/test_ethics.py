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
