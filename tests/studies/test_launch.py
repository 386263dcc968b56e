"""The checklist finds what would ruin the data; nobody comes in over a blocker, nor over a warning unread."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select, update
from typer.testing import CliRunner

from app.accounts.audit import COMMAND_LINE
from app.accounts.tables import AuditEntry
from app.cli import app
from app.core.database import Database
from app.core.errors import Conflict
from app.core.settings import Settings
from app.jobs.queue import ask
from app.jobs.tables import Kind as JobKind
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.stimuli import add_stimuli
from app.library.tables import Stimulus
from app.outputs.clues import clues_state
from app.sessions.retargeting import places_for
from app.studies.access import StudyHere
from app.studies.checklist import ChecklistContext, checklist
from app.studies.launch import Accepted, NotAccepted, NotReady, change_state, state_changes, study_here
from app.studies.tables import Draft
from app.trials.checks import Check
from app.trials.tables import Mode, State, Study, StudyVersion
from tests.factories import NOW, load_file, study_file
from tests.reports.people import CLIP, PLAYBACK, take, walk

pytestmark = pytest.mark.any_database

ALL = Accepted(codes=None)


@dataclass(frozen=True)
class FakeClues:
    """Known findings of the clue report."""

    job_id: int | None = 1
    is_current: bool = True
    was_seen: bool = True
    tells: bool = False
    cannot_tell: bool = False
    says: str = "Nothing was found that gives the source away with a strength of 0.75 or more."


@dataclass
class Room:
    """A study in draft over real clips."""

    session: Session
    store: ClipStore
    folder: Path
    clues: FakeClues = field(default_factory=FakeClues)

    @property
    def around(self) -> ChecklistContext:
        return ChecklistContext(self.store, lambda session, study: self.clues)

    @property
    def here(self) -> StudyHere:
        return study_here(self.session, "nav")

    def checks(self) -> Mapping[str, Check]:
        return {check.code: check for check in checklist(self.session, self.here, self.around)}

    def verdicts(self) -> Mapping[str, str]:
        return {code: check.verdict for code, check in self.checks().items()}

    def to(self, state: State, accepted: Accepted = ALL) -> None:
        change_state(self.session, COMMAND_LINE, self.here, state, accepted, self.around, NOW)

    def someone(self, seed: int = 1, **form: str) -> None:
        """A new participant completes the study, with `form` in each trial."""
        walk(self.session, "nav", lambda pair, left: {"choice": take("a", left), **form}, seed=seed)


@pytest.fixture
def room(
    database: Database, library: tuple[ClipStore, Sequence[ImportedClip]], tmp_path: Path
) -> Iterator[Room]:
    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
        load_file(session, tmp_path, retention={"days": 90})
        yield Room(session, library[0], tmp_path)


@pytest.mark.both_databases
def test_a_sound_study_lacks_nothing_but_its_pilot(room: Room) -> None:
    assert room.verdicts() == {
        "version": "ok", "texts": "ok", "age": "ok", "clips": "ok", "processing": "ok", "pairs": "ok",
        "truth": "ok", "sides": "ok", "clues": "ok", "retention": "ok", "completion": "ok", "pilot": "warning",
    }  # fmt: skip
    room.to(State.PILOT)
    clip = {**CLIP, "played": [[0, 0.2]]}
    room.someone(seed=1, playback=json.dumps({**json.loads(PLAYBACK), "left": clip}))
    check = room.checks()["pilot"]
    assert (check.verdict, "cannot have been watched" in check.detail) == ("warning", True)
    room.someone(seed=2)
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
        ({"pairs": "pair,a,b\nq1,human-g1,hybrid-g1\nQ1,hybrid-g2,human-g2\n", "sample": None},
         "names", "warning", "Column pair: 'q1' and 'Q1' differ only in upper and lower case."),
        ({"sample": {"match": "goal", "seed": 7, "conditions": {"human-hybrid": 5}}}, "sides", "ok", "odd"),
        ({"recruitment": {"from": "sona", "not_if_in": ["gone"]}}, "recruitment", "blocker", "no study gone here"),
        ({"recruitment": {"from": "prolific"}}, "recruitment", "warning", "3 ways out without a code"),
        ({"recruitment": {"from": "sona"}}, "recruitment", "ok", "link to copy"),
    ],
)  # fmt: skip
def test_what_a_design_lacks_is_found(
    room: Room, changes: dict[str, Any], code: str, verdict: str, says: str
) -> None:
    load_file(room.session, room.folder, **changes)
    check = room.checks()[code]
    assert check.verdict == verdict
    assert says in check.detail


def test_a_check_of_sides_names_its_block_where_there_are_several(room: Room) -> None:
    assert room.checks()["sides"].title == "Sides"
    one = {"task": "pair", "pairs": "pair,a,b\nq1,human-g1,hybrid-g1\n", "trials": TRIALS}
    other = {**one, "pairs": "pair,a,b\nq2,human-g2,hybrid-g2\n"}
    keys = {"sample": None, "trials": None, "blocks": [{"id": "first", **one}, {"id": "then", **other}]}
    load_file(room.session, room.folder, **keys)
    checks = checklist(room.session, room.here, room.around)
    assert [check.title for check in checks if check.code == "sides"] == ["Sides in first", "Sides in then"]


def timing_of(room: Room, **changes: Any) -> str:
    """What the checklist says of time limits; the clips last 10 s each, and a pair's play side by side."""
    load_file(room.session, room.folder, **changes)
    check = room.checks().get("timing")
    return f"{check.verdict}: {check.detail}" if check else ""


def test_a_rule_that_leaves_out_who_watched_and_answered_soon_is_found(room: Room) -> None:
    one = {"pairs": "pair,a,b\nq1,human-g1,hybrid-g1\nq2,human-g2,hybrid-g2\n", "sample": None}
    seconds = round(room.session.exec(select(Stimulus.duration_s)).first() or 0)
    said = timing_of(room, **one, exclude="default")
    assert said.startswith(
        f"warning: The clips of a session last {2 * seconds} s, and who takes less than 60 s does"
    )
    assert "does not count, and fills no place (total-time)" in said
    in_turn = {**TRIALS, "layout": "sequential"}
    assert f"last {4 * seconds} s" in timing_of(room, **one, trials=in_turn, exclude="default")
    least = 2 * seconds / 60
    assert not timing_of(room, **one, exclude=[{"rule": "total-time", "least": least}])
    assert timing_of(room, **one, exclude=[{"rule": "total-time", "least": least + 0.1, "use": True}])
    # A limit below which nobody who watches can stay, of the whole and of a trial.
    assert "who takes more than" in timing_of(
        room, **one, exclude=[{"rule": "total-time", "least": 0, "most": least / 2}]
    )
    assert "a usual trial" in timing_of(room, **one, exclude=[{"rule": "reaction-time", "most": seconds / 2}])
    assert not timing_of(
        room, **one, exclude=[{"rule": "reaction-time", "least": seconds, "most": seconds + 1}]
    )


def test_completed_sessions_of_before_the_study_had_arms_are_told(room: Room) -> None:
    room.to(State.PILOT)
    room.to(State.LIVE)
    room.someone()
    arms = [
        {"id": "slow", "target": 2, "set": {}},
        {"id": "fast", "target": 2, "set": {"trials.watch": "free"}},
    ]
    assert "places" not in room.checks()
    load_file(room.session, room.folder, arms=arms)
    told = room.checks()["places"]
    assert told.verdict == "warning"
    assert told.detail.startswith("1 completed live session of before the study had these arms: not counted")
    assert places_of(room.session, study_here(room.session, "nav")) == (0, 1)


def places_of(session: Session, study: StudyHere) -> tuple[int, int]:
    """The live sessions that count to a target, and the completed ones that do not."""
    places = places_for(session, study, NOW)
    return places.completed, places.uncounted


def test_blockers_come_first_then_warnings_each_by_consequence(room: Room) -> None:
    text = "# Consent\n\nBy [THE LAB]."
    consent = {**CONSENT, "text": text, "minimum_age": None}
    load_file(room.session, room.folder, consent=consent, completion={"message": "# Bye\n\nThat was all.\n"})
    room.clues = TELLS
    checks = checklist(room.session, room.here, room.around)
    assert [check.verdict for check in checks] == sorted(
        (check.verdict for check in checks), key=["blocker", "warning", "ok"].index
    )
    codes = [check.code for check in checks if check.verdict != "ok"]
    assert codes == ["texts", "age", "clues", "retention", "completion", "pilot"]


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


TELLS = FakeClues(tells=True, says="Duration gives the source away.")


def test_the_checklist_repeats_the_verdict_of_the_clue_report(room: Room) -> None:
    too_few = "Too few clips to tell whether anything gives the source away (5 human, 5 fake)."
    for clues, verdict, says in (
        (FakeClues(job_id=None), "warning", "No clue report yet"),
        (replace(TELLS, is_current=False), "warning", "of other clips"),
        (FakeClues(was_seen=False), "warning", "nobody has opened it"),
        (TELLS, "warning", "Duration gives the source away. The report says what helps."),
        (FakeClues(cannot_tell=True, says=too_few), "unknown", too_few),
        (FakeClues(), "ok", "Nothing was found"),
    ):
        room.clues = clues
        found = [check for check in room.checks().values() if "clue" in check.code]
        assert [(check.code, check.verdict) for check in found] == [("clues", verdict)], says
        assert says in found[0].detail


def test_the_state_of_the_real_clue_report_is_asked_for(room: Room) -> None:
    real = ChecklistContext(room.store, clues_state)
    assert {c.code: c.verdict for c in checklist(room.session, room.here, real)}["clues"] == "warning"


@pytest.mark.both_databases
def test_going_live_takes_every_warning_and_a_reason_and_freezes_the_version(room: Room) -> None:
    room.clues = TELLS
    with pytest.raises(NotAccepted, match="Clue report and Pilot"):
        room.to(State.LIVE, Accepted())
    known = frozenset({"pilot", "clues"})
    with pytest.raises(NotAccepted, match="why"):
        room.to(State.LIVE, Accepted(known, "  "))
    assert (room.here.state, room.session.exec(select(StudyVersion.frozen_at)).one()) == (State.DRAFT, None)
    room.to(State.LIVE, Accepted(known, "Trimmed by hand."))
    assert (room.here.state, room.session.exec(select(StudyVersion.frozen_at)).one()) == (State.LIVE, NOW)
    entry = room.session.exec(select(AuditEntry).where(AuditEntry.action == "study.state")).one()
    assert entry.after == {
        "state": "live", "version": 1, "warnings": ["clues", "pilot"], "reason": "Trimmed by hand."
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
    load_file(
        room.session,
        room.folder,
        consent={**CONSENT, "version": "2026-02", "text": "# Consent\n\nBy [NAME].\n"},
    )
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
        ("open", "participants enter at /s/nav", "Clue report"),
        ("pause", "paused", ""),
        ("close", "closed", ""),
    ):
        done = runner.invoke(app, ["study", words, "nav"])
        assert (done.exit_code, said in done.stdout, warned in done.stderr) == (0, True, True), done.output
    with database.transaction() as session:
        load_file(
            session, tmp_path, consent={**CONSENT, "version": "2026-02", "text": "# Consent\n\nBy [NAME].\n"}
        )
    done = runner.invoke(app, ["study", "open", "nav"])
    assert isinstance(done.exception, NotReady)
    with database.reading() as session:
        assert study_here(session, "nav").state is State.CLOSED
        made = session.exec(
            select(AuditEntry.after).where(AuditEntry.action == "study.state").order_by(col(AuditEntry.id))
        ).all()
    assert [after["state"] for after in made] == ["pilot", "live", "paused", "closed"]


def test_a_preview_needs_a_version_and_counts_for_no_checklist(room: Room) -> None:
    walk(room.session, "nav", lambda pair, left: {"choice": "left"}, seed=1, mode=Mode.PREVIEW)
    assert room.verdicts()["pilot"] == "warning"
    assert room.session.exec(select(StudyVersion.frozen_at)).one() is None


def test_no_study_is_launched_while_simulated_people_are_on_their_way(room: Room) -> None:
    room.to(State.PILOT)
    ask(room.session, JobKind.SIMULATION, {}, now=NOW, study_id=room.here.id)
    with pytest.raises(Conflict, match="on their way"):
        room.to(State.LIVE)
