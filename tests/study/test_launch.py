"""The checklist finds what would ruin the data; nobody comes in over a blocker, nor over a warning unread."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select, update
from typer.testing import CliRunner

from app.cli import app
from app.clips.importing import ImportedClip
from app.clips.store import ClipStore
from app.database import Database
from app.errors import Conflict
from app.library.clues import clues_state
from app.people.audit import COMMAND_LINE
from app.people.tables import AuditEntry
from app.settings import Settings
from app.study.access import StudyHere
from app.study.checklist import Around, Check, checklist
from app.study.launch import Accepted, NotAccepted, NotReady, change_state, state_changes, study_here
from app.study.stimuli import add_stimuli
from app.study.tables import Draft, Mode, State, Stimulus, Study, StudyVersion
from tests.factories import NOW, load_file, study_file
from tests.reporting.people import take, walk

ALL = Accepted(codes=None)


@dataclass(frozen=True)
class FakeClues:
    """What the clue report would be known to say."""

    job_id: int | None = 1
    is_current: bool = True
    was_seen: bool = True
    warns: Sequence[str] = ()


@dataclass
class Room:
    """A study in draft over real clips."""

    session: Session
    store: ClipStore
    folder: Path
    clues: FakeClues = field(default_factory=FakeClues)

    @property
    def around(self) -> Around:
        return Around(self.store, lambda session, study: self.clues)

    @property
    def here(self) -> StudyHere:
        return study_here(self.session, "nav")

    def checks(self) -> Mapping[str, Check]:
        return {check.code: check for check in checklist(self.session, self.here, self.around)}

    def verdicts(self) -> Mapping[str, str]:
        return {code: check.verdict for code, check in self.checks().items()}

    def to(self, state: State, accepted: Accepted = ALL) -> None:
        change_state(self.session, COMMAND_LINE, self.here, state, accepted, self.around, NOW)

    def someone(self, seed: int = 1) -> None:
        """Somebody who comes in now goes through to the end."""
        walk(self.session, "nav", lambda pair, left: {"choice": take("a", left)}, seed=seed)


@pytest.fixture
def room(
    database: Database, library: tuple[ClipStore, Sequence[ImportedClip]], tmp_path: Path
) -> Iterator[Room]:
    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
        load_file(session, tmp_path)
        yield Room(session, library[0], tmp_path)


def test_a_sound_study_lacks_nothing_but_its_pilot(room: Room) -> None:
    assert room.verdicts() == {
        "version": "ok", "texts": "ok", "age": "ok", "clips": "ok", "processing": "ok", "pairs": "ok",
        "sides": "ok", "clues": "ok", "completion": "ok", "pilot": "warning",
    }  # fmt: skip
    room.to(State.PILOT)
    room.someone()
    assert room.verdicts()["pilot"] == "ok"


CONSENT: Any = study_file()["consent"]
TRIALS: Any = study_file()["trials"]


@pytest.mark.parametrize(
    ("changes", "code", "verdict", "says"),
    [
        ({"consent": {**CONSENT, "text": "# Consent\n\nBy [THE LAB]."}}, "texts", "blocker", "[THE LAB]"),
        ({"title": "Which is [KIND OF PLAYER]?"}, "texts", "blocker", "[KIND OF PLAYER]"),
        ({"consent": {**CONSENT, "minimum_age": None}}, "age", "warning", "children"),
        ({"trials": {**TRIALS, "sides": "random"}}, "sides", "warning", "in the long run"),
        ({"trials": {**TRIALS, "sides": "fixed"}}, "sides", "warning", "always on the left"),
        ({"completion": {"message": "# Bye\n\nThat was all.\n"}}, "completion", "warning", "neither"),
        ({"sample": {"match": "goal", "seed": 7, "conditions": {"human-hybrid": 6, "hybrid-symbolic": 1}}},
         "pairs", "warning", "6 human-hybrid and 1 hybrid-symbolic"),
        ({"sample": {"match": "goal", "seed": 7, "conditions": {"human-hybrid": 5}}}, "sides", "ok", "odd"),
    ],
)  # fmt: skip
def test_what_a_design_lacks_is_found(
    room: Room, changes: dict[str, Any], code: str, verdict: str, says: str
) -> None:
    load_file(room.session, room.folder, **changes)
    check = room.checks()[code]
    assert check.verdict == verdict
    assert says in check.detail


def test_a_clip_that_is_not_there_and_one_that_has_changed_are_found(room: Room) -> None:
    elsewhere = replace(room, store=ClipStore(room.folder / "empty"))
    assert elsewhere.verdicts()["clips"] == "blocker"
    with pytest.raises(NotReady, match="not in the data folder"):
        elsewhere.to(State.PILOT)
    assert room.here.state is State.DRAFT
    anew = update(Stimulus).where(col(Stimulus.name) == "human-g1").values(clip_sha256="0" * 64)
    room.session.execute(anew)
    assert room.verdicts()["processing"] == "warning"
    assert "1 clip " in room.checks()["processing"].detail


def test_unsaved_changes_are_found(room: Room) -> None:
    study = room.session.exec(select(Study)).one()
    room.session.add(Draft(study_id=study.id or 0, keys={**study_file(), "title": "Other"}, saved_at=NOW))
    assert room.verdicts()["version"] == "warning"


@pytest.mark.parametrize(
    ("clues", "verdicts"),
    [
        (FakeClues(job_id=None, warns=("duration",)), {"clues": "warning"}),
        (FakeClues(is_current=False), {"clues": "warning"}),
        (FakeClues(was_seen=False), {"clues": "warning"}),
        (FakeClues(warns=("duration", "all clues together")),
         {"clues": "ok", "clue-duration": "warning", "clue-all-clues-together": "warning"}),
    ],
)  # fmt: skip
def test_clues_are_to_be_read_and_each_strong_one_known(
    room: Room, clues: FakeClues, verdicts: Mapping[str, str]
) -> None:
    room.clues = clues
    assert {code: v for code, v in room.verdicts().items() if code.startswith("clue")} == verdicts


def test_the_state_of_the_real_clue_report_is_asked_for(room: Room) -> None:
    real = Around(room.store, clues_state)
    assert {c.code: c.verdict for c in checklist(room.session, room.here, real)}["clues"] == "warning"


def test_going_live_takes_every_warning_and_a_reason_and_freezes_the_version(room: Room) -> None:
    room.clues = FakeClues(warns=("duration",))
    with pytest.raises(NotAccepted, match="Clue and Pilot"):
        room.to(State.LIVE, Accepted())
    known = frozenset({"pilot", "clue-duration"})
    with pytest.raises(NotAccepted, match="why"):
        room.to(State.LIVE, Accepted(known, "  "))
    assert (room.here.state, room.session.exec(select(StudyVersion.frozen_at)).one()) == (State.DRAFT, None)
    room.to(State.LIVE, Accepted(known, "Trimmed by hand."))
    assert (room.here.state, room.session.exec(select(StudyVersion.frozen_at)).one()) == (State.LIVE, NOW)
    entry = room.session.exec(select(AuditEntry).where(AuditEntry.action == "study.state")).one()
    assert entry.after == {
        "state": "live", "version": 1, "warnings": ["clue-duration", "pilot"], "reason": "Trimmed by hand."
    }  # fmt: skip
    assert [(c.before, c.after, c.reason) for c in state_changes(room.session, room.here)] == [
        ("draft", "live", "Trimmed by hand.")
    ]


def test_a_study_that_had_live_data_is_opened_again_without_questions_and_is_no_draft_again(
    room: Room,
) -> None:
    room.to(State.LIVE)
    room.someone()
    room.to(State.PAUSED)
    with pytest.raises(Conflict, match="live data"):
        room.to(State.DRAFT)
    room.to(State.LIVE, Accepted())
    assert room.here.state is State.LIVE
    load_file(room.session, room.folder, title="A new version")
    room.to(State.PAUSED)
    with pytest.raises(NotAccepted):  # nobody has seen that version yet
        room.to(State.LIVE, Accepted())


def test_the_pilot_asks_for_no_acceptance_but_stops_at_blockers(room: Room) -> None:
    load_file(room.session, room.folder, consent={**CONSENT, "text": "# Consent\n\nBy [NAME].\n"})
    with pytest.raises(NotReady, match="cannot be piloted yet"):
        room.to(State.PILOT, Accepted())
    load_file(room.session, room.folder)
    room.to(State.PILOT, Accepted())
    assert room.here.state is State.PILOT


def test_a_study_without_a_version_is_not_opened(room: Room) -> None:
    room.session.add(Study(slug="new", state=State.DRAFT, created_at=NOW))
    room.session.flush()
    here = study_here(room.session, "new")
    assert [c.verdict for c in checklist(room.session, here, room.around)] == ["blocker"]
    with pytest.raises(NotReady, match="No version"):
        change_state(room.session, COMMAND_LINE, here, State.PILOT, ALL, room.around, NOW)


def test_the_command_warns_on_standard_error_and_refuses_blockers(
    settings: Settings, database: Database, library: tuple[ClipStore, Sequence[ImportedClip]],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(settings.data_dir))
    monkeypatch.setenv("DATABASE_URL", settings.database_url.render_as_string(hide_password=False))
    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
        load_file(session, tmp_path)
    runner = CliRunner()
    for words, said, warned in (
        ("pilot", "kept apart", "Pilot"),
        ("open", "participants come in at /s/nav", "Clue report"),
        ("pause", "paused", ""),
        ("close", "closed", ""),
    ):
        done = runner.invoke(app, ["study", words, "nav"])
        assert (done.exit_code, said in done.stdout, warned in done.stderr) == (0, True, True), done.output
    with database.transaction() as session:
        load_file(session, tmp_path, consent={**CONSENT, "text": "# Consent\n\nBy [NAME].\n"})
    done = runner.invoke(app, ["study", "open", "nav"])
    assert isinstance(done.exception, NotReady)
    with database.reading() as session:
        assert study_here(session, "nav").state is State.CLOSED
        made = session.exec(select(AuditEntry.after).where(AuditEntry.action == "study.state")).all()
    assert [after["state"] for after in made] == ["pilot", "live", "paused", "closed"]


def test_a_preview_needs_a_version_and_counts_for_no_checklist(room: Room) -> None:
    walk(room.session, "nav", lambda pair, left: {"choice": "left"}, seed=1, mode=Mode.PREVIEW)
    assert room.verdicts()["pilot"] == "warning"
    assert room.session.exec(select(StudyVersion.frozen_at)).one() is None
