"""A session is left out by hand, with a reason and taken back, on record; the data and the numbers follow."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from analysis.data.selection import select as select_counting
from app.accounts.logins import Who
from app.accounts.tables import AuditEntry, Role
from app.core.database import Database
from app.core.errors import Conflict, NotFound, StudyError
from app.monitor.sessions_list import (
    PER_PAGE,
    BadSearch,
    Search,
    SessionList,
    checked_search,
    find_sessions,
    found_ids,
)
from app.monitor.sessions_view import one_session
from app.reports.export import rows_of
from app.reports.frames import labels_frame, responses_frame
from app.sessions.exclusions import (
    LONGEST,
    InvalidText,
    add_note,
    exclude,
    exclude_many,
    include,
    include_many,
)
from app.studies.access import StudyHere
from app.studies.launch import study_here
from app.studies.versions import set_state
from app.trials.flags import Flag
from app.trials.responses import Response
from app.trials.tables import Exclusion, Mode, SessionNote, SessionVerdict, State, Study
from tests.admin.persons import make_user
from tests.factories import NOW, load_file
from tests.reports.people import take, walk
from tests.studies.clips import add_clips

pytestmark = pytest.mark.any_database

LATER = NOW + timedelta(days=1)


@dataclass
class Desk:
    """An experimenter viewing the sessions of a study: 1 is for a, 2 for b and cannot play a clip, 3 left early."""

    database: Database
    who: Who
    study: StudyHere

    def do(self, job: Callable[..., Any], *args: object) -> Any:
        with self.database.transaction() as session:
            return job(session, self.who, self.study, *args)

    def rows(self, what: str) -> list[Mapping[Any, Any]]:
        with self.database.reading() as session:
            return list(rows_of(session, "nav", what))

    def find(self, *, limit: int = PER_PAGE, **search: Any) -> SessionList:
        with self.database.reading() as session:
            return find_sessions(session, self.study, checked_search(Search(**search)), None, limit=limit)

    def found(self, **search: Any) -> list[int]:
        return [line.id for line in self.find(**search).lines]


def for_a(_pair: str, left: str) -> Mapping[str, str]:
    return {"choice": take("a", left), "rt_ms": "12000"}


def for_b(pair: str, left: str) -> Mapping[str, str]:
    broken = {"unplayable": "1", "choice": "", "uncertainty": "", "playback": ""}
    return broken if pair == "human-hybrid-01" else {"choice": take("b", left), "rt_ms": "12000"}


@pytest.fixture
def desk(database: Database, tmp_path: Path) -> Desk:
    with database.transaction() as session:
        add_clips(session)
        load_file(session, tmp_path)
        set_state(session, "nav", State.LIVE, now=NOW)
        walk(session, "nav", for_a, seed=1, recruiter={"PROLIFIC_PID": "Anna_50%"})
        walk(session, "nav", for_b, seed=2, recruiter={"PROLIFIC_PID": "Bert"})
        walk(session, "nav", for_a, seed=3, n_trials=2)
        walk(session, "nav", for_a, seed=4, mode=Mode.PREVIEW)
        return Desk(database, make_user(session, Role.EDITOR, "e@example.org"), study_here(session, "nav"))


def test_an_excluded_session_is_marked_in_the_data_and_not_counted(desk: Desk) -> None:
    desk.do(exclude, 2, "asked to be left out", NOW)
    rules = {(r["session"], r["excluded"]) for r in desk.rows("responses")}
    assert rules == {("1", None), ("2", "by-hand"), ("3", None)}  # also the trial that could not be played
    people = [(r["session"], r["excluded"], r["exclusion_reason"]) for r in desk.rows("participants")]
    assert people == [("1", None, None), ("2", "by-hand", "asked to be left out"), ("3", None, None)]
    with desk.database.reading() as session:
        frame = responses_frame(session, "nav")
        assert select_counting("nav", frame, "live").selection.left_out["excluded"] == {"by-hand": 10}
        assert set(labels_frame(session, "nav")["votes_b"]) == {0}


@pytest.mark.both_databases
def test_taken_back_it_counts_as_before_and_nothing_was_deleted(desk: Desk) -> None:
    before = {what: desk.rows(what) for what in ("responses", "participants")}
    desk.do(exclude, 2, "asked to be left out", NOW)
    desk.do(include, 2, LATER)
    assert {what: desk.rows(what) for what in before} == before
    assert {r["excluded"] for r in before["responses"]} == {None, "unplayable"}
    desk.do(exclude, 2, "again", LATER)
    with desk.database.reading() as session:
        kept = session.exec(select(Exclusion).order_by(col(Exclusion.id))).all()
        assert [(e.reason, e.lifted_at) for e in kept] == [("asked to be left out", LATER), ("again", None)]
        assert len(session.exec(select(Response.id)).all()) == 14 + 14 + 5 + 14


def test_every_change_is_on_record(desk: Desk) -> None:
    desk.do(exclude, 1, " left the room \r\n twice ", NOW)
    desk.do(include, 1, LATER)
    desk.do(add_note, 1, "Wrote to us.", LATER)
    with desk.database.reading() as session:
        entries = session.exec(
            select(AuditEntry).where(col(AuditEntry.action).like("session.%")).order_by(col(AuditEntry.id))
        ).all()
    reason = "left the room \n twice"
    assert [(e.actor, e.action, e.study, e.subject, e.before, e.after) for e in entries] == [
        ("e@example.org", "session.exclude", "nav", "session 1", None, reason),
        ("e@example.org", "session.include", "nav", "session 1", reason, None),
        ("e@example.org", "session.note", "nav", "session 1", None, "Wrote to us."),
    ]


def test_what_cannot_be_done_is_refused_in_words(desk: Desk) -> None:
    with pytest.raises(Conflict, match="not excluded"):
        desk.do(include, 1, NOW)
    desk.do(exclude, 1, "x", NOW)
    refused: Sequence[tuple[type[StudyError], str, tuple[object, ...]]] = (
        (Conflict, "excluded already", (exclude, 1, "x", NOW)),
        (InvalidText, "reason", (exclude, 2, " \n", NOW)),
        (InvalidText, "too long", (exclude, 2, "x" * (LONGEST + 1), NOW)),
        (InvalidText, "Write the note", (add_note, 2, "", NOW)),
        (NotFound, "no session 99", (exclude, 99, "x", NOW)),
        (NotFound, "no session", (add_note, 2**40, "x", NOW)),
        (Conflict, "Previews", (exclude, 4, "x", NOW)),
        (Conflict, "Previews", (add_note, 4, "x", NOW)),
    )
    for error, says, (job, *args) in refused:
        with pytest.raises(error, match=says):
            desk.do(job, *args)  # type: ignore[arg-type]


def test_a_session_of_another_study_is_not_there(desk: Desk) -> None:
    with desk.database.transaction() as session:
        session.add(Study(slug="other", state=State.DRAFT, created_at=NOW))
        session.flush()
        desk.study = study_here(session, "other")
    for job in (exclude, add_note):
        with pytest.raises(NotFound):
            desk.do(job, 1, "x", NOW)
    with desk.database.reading() as session, pytest.raises(NotFound):
        one_session(session, desk.study, 1)
    assert desk.found() == []


@pytest.mark.both_databases
def test_sessions_are_found_by_what_is_known_of_them(desk: Desk) -> None:
    desk.do(exclude, 2, "x", NOW)
    desk.do(add_note, 2, "y", NOW)
    assert desk.found() == [3, 2, 1]
    for search, ids in (
        ({"q": "anna"}, [1]),
        ({"q": "50%"}, [1]),
        ({"q": "%"}, [1]),
        ({"q": "nobody"}, []),
        ({"q": " 3 "}, [3]),
        ({"status": "completed"}, [2, 1]),
        ({"status": "active"}, [3]),
        ({"mode": "pilot"}, []),
        ({"mode": "live", "q": "bert"}, [2]),
        ({"excluded": "yes"}, [2]),
        ({"excluded": "no"}, [3, 1]),
        ({"flag": "unplayable"}, [2]),
        ({"flag": "any"}, [2]),
        ({"flag": "one-sided"}, []),
    ):
        assert desk.found(**search) == ids, search
    line = desk.find(q="bert").lines[0]
    assert (line.answered, line.planned, line.is_excluded, line.notes, line.version) == (11, 11, True, 1, 1)
    assert dict(line.flags) == {Flag.UNPLAYABLE: 1, Flag.NO_TELEMETRY: 1}
    assert desk.find(status="active").lines[0].page == "Pair 2"


@pytest.mark.parametrize(
    "search", [{"status": "x"}, {"mode": "preview"}, {"flag": "x"}, {"excluded": "maybe"}, {"q": "x" * 201}]
)
def test_a_search_that_makes_no_sense_is_refused(search: Mapping[str, str]) -> None:
    with pytest.raises(BadSearch):
        checked_search(Search(**search))  # type: ignore[arg-type]


@pytest.mark.both_databases
def test_pages_of_a_list_follow_one_another(desk: Desk) -> None:
    first = desk.find(limit=2)
    assert ([line.id for line in first.lines], first.found) == ([3, 2], 3)
    second = desk.find(limit=2, after=first.next)
    assert ([line.id for line in second.lines], second.found, second.next) == ([1], 3, 0)


@pytest.mark.both_databases
def test_one_session_is_told_from_the_door_to_the_end(desk: Desk) -> None:
    desk.do(exclude, 2, "left the room", LATER)
    desk.do(add_note, 2, "Wrote to us.", LATER)
    with desk.database.reading() as session:
        one = one_session(session, desk.study, 2)
        going = one_session(session, desk.study, 3)
        with pytest.raises(NotFound):
            one_session(session, desk.study, 4)  # the preview
    assert [event.kind for event in one.events] == [
        "arrived",
        *["answered"] * 14,
        "ended",
        "excluded",
        "note",
    ]
    assert [(e.text, e.by) for e in one.events[-2:]] == [
        ("left the room", "e@example.org"), ("Wrote to us.", "e@example.org")
    ]  # fmt: skip
    assert (one.participant, one.exclusion, dict(one.recruiter)) == (
        "Bert",
        "left the room",
        {"PROLIFIC_PID": "Bert"},
    )
    assert one.events[2].answers == [("How familiar are you with games?", "3: moderately familiar")]
    trials = {event.trial.pair: event for event in one.events if event.trial}
    assert len(trials) == 11
    broken, usual = trials["human-hybrid-01"].trial, trials["human-hybrid-02"].trial
    assert broken is not None
    assert usual is not None
    assert (broken.unplayable, broken.chosen, broken.correct, broken.clips[0].reported) == (
        True,
        "",
        None,
        False,
    )
    assert (usual.chosen.partition("-")[0], usual.correct, usual.flags) == ("hybrid", False, [])
    assert [(c.side, c.reported, c.watched, c.plays, c.played) for c in usual.clips] == [
        ("left", True, True, 1, [(0, 10)]), ("right", True, True, 1, [(0, 10)])
    ]  # fmt: skip
    assert ("How certain are you?", "2: somewhat certain") in trials["human-hybrid-02"].answers
    assert (going.answered, going.to_come, going.events[-1].kind) == (2, 9, "here")
    assert going.events[-1].title == "On the page Pair 2"


def test_a_note_is_in_no_export(desk: Desk) -> None:
    desk.do(add_note, 1, "She said that it was boring.", NOW)
    for what in ("responses", "participants", "playback", "answers"):
        assert "boring" not in str(desk.rows(what))
    with desk.database.reading() as session:
        assert session.exec(select(SessionNote.text)).all() == ["She said that it was boring."]


def test_previews_are_in_no_export(desk: Desk) -> None:
    for what in ("responses", "participants", "playback", "answers"):
        assert {row["mode"] for row in desk.rows(what)} == {"live"}


def test_many_are_excluded_for_one_reason_and_taken_back_each_on_record(desk: Desk) -> None:
    done = desk.do(
        lambda session, who, study: exclude_many(session, who.actor, study, [2, 1, 2], " Same class ", LATER)
    )
    assert (done.changed, done.unchanged) == ((1, 2), ())
    assert desk.found(excluded="yes") == [2, 1]
    assert {row["exclusion_reason"] for row in desk.rows("participants") if row["session"] in "12"} == {
        "Same class"
    }
    again = desk.do(
        lambda session, who, study: exclude_many(session, who.actor, study, [3, 2], "Late", LATER)
    )
    assert (again.changed, again.unchanged) == ((3,), (2,))
    back = desk.do(lambda session, who, study: include_many(session, who.actor, study, [1, 2, 3], LATER))
    assert back.changed == (1, 2, 3)
    assert desk.found(excluded="yes") == []
    with desk.database.reading() as session:
        entries = session.exec(
            select(AuditEntry.action, AuditEntry.subject)
            .where(col(AuditEntry.subject).startswith("session"))
            .order_by(col(AuditEntry.id))
        ).all()
    assert entries == [
        *(("session.exclude", f"session {n}") for n in (1, 2, 3)),
        *(("session.include", f"session {n}") for n in (1, 2, 3)),
    ]


def test_of_many_all_are_excluded_or_none(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.do(lambda session, who, study: exclude_many(session, who.actor, study, [1, 999], "Why", LATER))
    with pytest.raises(InvalidText):
        desk.do(lambda session, who, study: exclude_many(session, who.actor, study, [1], "  ", LATER))
    with pytest.raises(InvalidText, match="No session is chosen"):
        desk.do(lambda session, who, study: exclude_many(session, who.actor, study, [], "Why", LATER))
    assert desk.found(excluded="yes") == []


def test_sessions_are_found_by_the_rule_that_they_met(desk: Desk) -> None:
    with desk.database.transaction() as session:
        for id_, names in ((1, "unwatched"), (2, "not-fetched;unwatched"), (3, "")):
            session.add(
                SessionVerdict(session_id=id_, use=not names, pay=True, rules={}, names=names, judged_at=NOW)
            )
    assert desk.found(rule="unwatched") == [2, 1]
    assert desk.found(rule="not-fetched") == [2]
    with desk.database.reading() as session:
        assert found_ids(session, desk.study, checked_search(Search(rule="unwatched"))) == [1, 2]
    with pytest.raises(BadSearch, match="is no rule"):
        desk.find(rule="fetched")
