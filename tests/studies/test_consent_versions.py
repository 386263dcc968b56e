"""One consent version is one text, and background answers are columns; on both databases."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.accounts.tables import Role
from app.catalog.uses import uses_of
from app.core.database import Database
from app.reports.export import columns_of, export, rows_of
from app.reports.kinds import Format
from app.studies.drafts import create_study, draft_for, save_draft
from app.studies.saving import save_version
from app.studies.versions import ConsentRenumber
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, Status
from tests.factories import NOW, study_file
from tests.studies.clips import add_clips
from tests.studies.test_drafts import add_person, freeze, save


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    with database.transaction() as session:
        add_clips(session)
        yield session


@pytest.fixture
def ann(session: Session) -> Who:
    return add_person(session, Role.OWNER, "ann@example.org")


def test_a_changed_consent_text_needs_a_version_that_no_other_text_has(session: Session, ann: Who) -> None:
    study = create_study(session, ann, "nav", study_file(), NOW)
    consent: Any = study_file()["consent"]
    save_version(session, ann, study, "", NOW)
    save(session, ann, study, consent={**consent, "text": "# Consent\n\nAnother text.\n"})
    assert save_version(session, ann, study, "", NOW).change == "replaced", "nobody has agreed to the first"
    freeze(session, study)
    save(session, ann, study, consent={**consent, "text": "# Consent\n\nA third text.\n"})
    with pytest.raises(ConsentRenumber, match="differs from that of version 1, and both are called"):
        save_version(session, ann, study, "a third text", NOW)
    save(session, ann, study, consent={**consent, "version": "next", "text": "# Consent\n\nA third text.\n"})
    assert save_version(session, ann, study, "a third text", NOW).number == 2
    freeze(session, study)
    save(session, ann, study, consent={**consent, "text": "# Consent\n\nA third text.\n"})
    with pytest.raises(ConsentRenumber, match="version 1"):
        save_version(session, ann, study, "the text of version 2 under the name of version 1", NOW)
    save(session, ann, study, consent={**consent, "text": "# Consent\n\nAnother text.\n"})
    assert save_version(session, ann, study, "back to the first", NOW).number == 3


@pytest.mark.both_databases
def test_background_answers_are_columns_of_participants_over_all_versions(
    session: Session, ann: Who, tmp_path: Path
) -> None:
    asked = [{"id": "age", "type": "number", "ask": "How old are you?"}]
    study = create_study(session, ann, "nav", {**study_file(), "background": asked}, NOW)
    save_version(session, ann, study, "", NOW)
    freeze(session, study)
    more = [{"id": "hand", "type": "choice", "ask": "Which hand?", "options": ["left", "right"]}]
    save(session, ann, study, background=more)
    save_version(session, ann, study, "the hand", NOW)
    freeze(session, study)
    given: list[dict[str, Any]] = [{"age": 31.0}, {"hand": "left"}]
    runs = session.exec(select(ParticipantSession).order_by(col(ParticipantSession.id))).all()
    for run, answers in zip(runs, given, strict=True):
        run.consented_at = NOW
        session.add(run)
        session.add(
            Response(session_id=run.id or 0, page="background", submit_id="1", answers=answers, flags=[])
        )
    session.flush()
    names = [column.name for column in columns_of(session, "nav", "participants")]
    # The verdicts come last in every table.
    at = names.index("consent_sha256")
    assert names[at + 1 : at + 4] == ["background_age", "background_hand", "language"]
    rows = list(rows_of(session, "nav", "participants"))
    assert [(row["background_age"], row["background_hand"]) for row in rows] == [
        ("31.0", None),
        (None, "left"),
    ]
    text = draft_for(session, study).keys["consent"]["text"]
    assert {row["consent_sha256"] for row in rows} == {sha256(text.encode()).hexdigest()}
    out = tmp_path / "participants.jsonl"
    export(session, "nav", "participants", Format.JSONL, out)
    assert list(json.loads(out.read_text().splitlines()[0])) == names
    assert (rows[0]["mode"], rows[0]["status"]) == (Mode.LIVE, Status.COMPLETED)


def test_the_library_knows_the_clips_that_a_draft_draws(session: Session, ann: Who) -> None:
    study = create_study(session, ann, "nav", study_file(), NOW)
    used = {name for name, uses in uses_of(session, ["human-g1", "human-g2", "human-g3"]).items() if uses}
    assert used, "six of six goals are drawn"
    [use] = uses_of(session, [min(used)])[min(used)]
    assert (use.place, use.is_drawn) == ("the draft of nav", True)
    draft = draft_for(session, study)
    save_draft(session, ann, study, {**draft.keys, "sample": None}, draft.revision, NOW)
    assert not any(uses_of(session, list(used)).values())
