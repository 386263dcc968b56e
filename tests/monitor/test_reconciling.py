"""Submissions of each recruiter, in files rebuilt from its documentation, held against sessions here."""

import csv
import io
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from analysis.quality.registry import RULES
from app.core.database import Database
from app.core.settings import Settings
from app.monitor.reconciling import reconcile as reconciling
from app.monitor.reconciling.lists import lists_of
from app.monitor.reconciling.reconcile import Action, CodeIs, Reconciled, reconcile, recruiter_of, summary
from app.monitor.reconciling.submissions import BadSubmissions, There, columns_named, read_submissions
from app.sessions.exclusions import leave_out
from app.studies.launch import study_here
from app.studies.versions import set_state
from app.trials.ending import Earned, Ending
from app.trials.tables import (
    ParticipantIdentity,
    ParticipantSession,
    SessionVerdict,
    State,
    Status,
)
from tests.factories import NOW, load_file
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

FILES = Path(__file__).parent / "submissions"
CODES = {"finished": "DONE42", "no_consent": "NOC1", "screened_out": "SCR1", "full": "FUL1"}


def recruit(database: Database, folder: Path, recruiter: str, **keys: Any) -> None:
    with database.transaction() as session:
        recruitment = {"from": recruiter, **keys}
        load_file(session, folder, recruitment=recruitment, completion={"codes": CODES})
        set_state(session, "nav", State.LIVE)


def person(
    client: TestClient, database: Database, name: str, id_: str, *, is_done: bool = True, **more: str
) -> int:
    """Somebody consents and, for short, is at the end at once; returns their session."""
    Walk(client, "nav", **{name: id_, **more}).answer()
    with database.transaction() as session:
        newest = select(ParticipantSession).order_by(col(ParticipantSession.id).desc())
        one = session.exec(newest).first()
        assert one is not None
        if is_done:
            ended = (one.consented_at or NOW) + timedelta(minutes=12)
            own = {"status": Status.COMPLETED, "ended_at": ended}
            session.execute(
                update(ParticipantSession).where(col(ParticipantSession.id) == one.id).values(**own)
            )
        return one.id or 0


def judged(database: Database, session_id: int, **rules: Any) -> None:
    with database.transaction() as session:
        names = ";".join(rules)
        verdict = SessionVerdict(
            session_id=session_id, use=False, pay=False, rules=rules, names=names, judged_at=NOW
        )
        session.add(verdict)


def held(database: Database, settings: Settings, recruiter: str, text: str = "") -> Reconciled:
    source = text or FILES / f"{recruiter}.csv"
    with database.reading() as session:
        study = study_here(session, "nav")
        assert recruiter_of(session, study) == recruiter
        return reconcile(session, study, read_submissions(source, recruiter), recruiter, settings.secret)


def by_id(found: Reconciled) -> Mapping[str, list[reconciling.Line]]:
    lines: dict[str, list[reconciling.Line]] = {}
    for line in found.lines:
        lines.setdefault(line.id, []).append(line)
    return lines


@pytest.fixture
def prolific(client: TestClient, database: Database, study: str, tmp_path: Path) -> None:
    recruit(database, tmp_path, "prolific")
    for name in ("done", "nocode", "wrong", "timed", "approved", "twice", "unlisted"):
        person(client, database, "PROLIFIC_PID", f"pid-{name}", SESSION_ID=f"s-{name}")
    person(client, database, "PROLIFIC_PID", "pid-half", is_done=False)
    cheat = person(client, database, "PROLIFIC_PID", "pid-cheat")
    judged(database, cheat, **{"total-time": {"seconds": 12}})


def test_a_file_of_prolific_is_read_as_labs_rename_it() -> None:
    """Header and words as in a file of 253 submissions that another lab published; the ids are made up."""
    found = read_submissions(
        "Submission id,PROLIFIC_PID,Status,Custom study tncs accepted at,Time taken,Completion code,Age\r\n"
        "s1,p1,APPROVED,Not Applicable,465,no code provided,25\r\n"
        "s2,p2,RETURNED,Not Applicable,,,CONSENT_REVOKED\r\n"
        "s3,p3,SCREENED OUT,Not Applicable,40,SCR1,DATA_EXPIRED\r\n"
        "s4,p4,TIMED-OUT,Not Applicable,,,30\r\n",
        "prolific",
    )
    assert [(one.participant, one.there, one.code) for one in found.rows] == [
        ("p1", There.APPROVED, ""),
        ("p2", There.RETURNED, ""),
        ("p3", There.SCREENED_OUT, "SCR1"),
        ("p4", There.TIMED_OUT, ""),
    ]
    assert not found.unknown


@pytest.mark.both_databases
def test_each_submission_of_prolific_has_what_to_do_and_the_evidence(
    prolific: None, database: Database, settings: Settings
) -> None:
    found = held(database, settings, "prolific")
    lines = by_id(found)
    action = {id_.removeprefix("pid-"): [line.action for line in each] for id_, each in lines.items()}
    assert action == {
        "done": [Action.PAY], "nocode": [Action.PAY], "wrong": [Action.PAY],
        "half": [Action.RETURN], "never": [Action.RETURN], "declined": [Action.RETURN],
        "lost": [Action.LOOK], "returned": [Action.NOTHING], "timed": [Action.LOOK],
        "approved": [Action.NOTHING], "cheat": [Action.REJECT], "twice": [Action.PAY, Action.LOOK],
        "active": [Action.NOTHING], "odd": [Action.LOOK],
    }  # fmt: skip
    code = {id_.removeprefix("pid-"): each[0].code for id_, each in lines.items()}
    assert (code["done"], code["nocode"], code["wrong"]) == (CodeIs.RIGHT, CodeIs.MISSING, CodeIs.WRONG)
    assert (code["half"], code["declined"]) == (CodeIs.OTHER_WAY, CodeIs.OTHER_WAY)
    reason = {id_.removeprefix("pid-"): each[0].reason for id_, each in lines.items()}
    assert reason["done"] == "Completed here: 0 of 11 trials in 12.0 minutes."
    assert reason["nocode"].endswith("No code was entered.")
    assert "“WRONG99” is none of the study's" in reason["wrong"]
    assert "0 of 11 trials" in reason["half"]
    assert "who did not consent" in reason["declined"]
    assert "no session with this id" in reason["never"]
    assert "total time out of bounds (seconds 12)" in reason["cheat"]
    assert reason["timed"].startswith("Timed out there, but completed here.")
    assert "more than once" in lines["pid-twice"][1].reason
    assert [line.id for line in found.only_here] == ["pid-unlisted"]
    assert "UNDER INVESTIGATION" in found.notes[0]
    assert summary(found) == (
        "15 submissions: 4 to pay, 3 to return, 1 to reject, 4 to look at, 3 as they should be; "
        "1 session completed here and not submitted."
    )


def test_without_a_verdict_of_a_rule_nobody_is_rejected(
    prolific: None, database: Database, settings: Settings
) -> None:
    with database.transaction() as session:
        for verdict in session.exec(select(SessionVerdict)):
            session.delete(verdict)
        cheat = session.exec(
            select(ParticipantIdentity.session_id).where(ParticipantIdentity.external_id == "pid-cheat")
        ).one()
        leave_out(session, "nav", cheat, "clicked through", NOW)
    found = held(database, settings, "prolific")
    assert found.by(Action.REJECT) == []
    (line,) = by_id(found)["pid-cheat"]
    assert line.action is Action.PAY  # left out of the numbers is not unpaid
    assert "Left out of the analysis: clicked through." in line.reason


def test_the_lists_are_as_prolific_takes_them(prolific: None, database: Database, settings: Settings) -> None:
    lists = lists_of(held(database, settings, "prolific"))
    assert lists["approve.txt"] == "pid-done\npid-nocode\npid-wrong\npid-twice\n"
    assert [row["id"] for row in rows(lists["return.csv"])] == ["pid-half", "pid-never", "pid-declined"]
    (rejected,) = rows(lists["reject.csv"])
    assert (rejected["submission"], "total time out of bounds" in rejected["reason"]) == ("sub-11", True)
    assert "bonuses.csv" not in lists
    everything = rows(lists["reconciled.csv"])
    assert len(everything) == 16
    assert everything[0]["minutes_there"] == "12.5"
    assert everything[10]["verdict"] == "not to be paid"


def test_bonuses_are_what_was_earned_of_who_is_paid(
    prolific: None, database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid = Ending(earned=(Earned("GBP", 148, 20),))
    monkeypatch.setattr("app.monitor.reconciling.people.ended", lambda session, one: paid)
    lists = lists_of(held(database, settings, "prolific"))
    given = dict(line.split(",") for line in lists["bonuses.csv"].splitlines())
    assert given["pid-done"] == "1.68"
    assert "pid-cheat" not in given
    assert "earned £1.68" in lists["reconciled.csv"]


HEAD = "Submission id,Participant id,Status,Time taken,Completion code\n"


def test_who_returned_and_came_again_is_paid_once_by_the_row_that_was_handed_in(
    client: TestClient, database: Database, settings: Settings, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path, "prolific")
    person(client, database, "PROLIFIC_PID", "pid-again", SESSION_ID="sub-2")
    for state, word in (("RETURNED", "Returned"), ("TIMED-OUT", "Timed out")):
        text = f"{HEAD}sub-1,pid-again,{state},,\nsub-2,pid-again,AWAITING REVIEW,720,DONE42\n"
        first, second = held(database, settings, "prolific", text).lines
        assert (first.action, second.action) == (Action.NOTHING, Action.PAY)
        assert first.reason.startswith(f"{word} there, and handed in again (row 3).")
    alone = held(database, settings, "prolific", f"{HEAD}sub-1,pid-again,RETURNED,,\n").lines
    assert [line.action for line in alone] == [Action.LOOK]


def test_of_two_submissions_that_with_which_the_participant_came_is_paid(
    client: TestClient,
    database: Database,
    settings: Settings,
    study: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recruit(database, tmp_path, "prolific")
    person(client, database, "PROLIFIC_PID", "pid-two", SESSION_ID="sub-2")
    rows_there = [f"sub-{at},pid-two,AWAITING REVIEW,720,DONE42\n" for at in (1, 2)]
    found = held(database, settings, "prolific", HEAD + "".join(rows_there))
    assert [line.action for line in found.lines] == [Action.LOOK, Action.PAY]
    assert found.lines[0].reason.startswith("The session here is of submission sub-2 (row 3).")
    same = held(database, settings, "prolific", HEAD + rows_there[1] * 2)
    assert [line.action for line in same.lines] == [Action.PAY, Action.LOOK], "a row that is there twice"
    monkeypatch.setattr(
        "app.monitor.reconciling.people.ended", lambda session, one: Ending(earned=(Earned("GBP", 148, 20),))
    )
    for rows_given in (rows_there, rows_there[::-1], [rows_there[1]] * 2):
        lists = lists_of(held(database, settings, "prolific", HEAD + "".join(rows_given)))
        assert lists["approve.txt"] == "pid-two\n"
        assert lists["bonuses.csv"] == "pid-two,1.68\n", "one session has one bonus"


@pytest.mark.parametrize("recruiter", ["prolific", "mturk", "sona", "connect"])
def test_a_file_is_read_the_same_however_a_spreadsheet_saved_it(recruiter: str, tmp_path: Path) -> None:
    with (FILES / f"{recruiter}.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.reader(file))
    first = read_submissions(FILES / f"{recruiter}.csv", recruiter)

    def saved(delimiter: str, lineterminator: str, *, quoted: bool = False) -> str:
        text = io.StringIO(newline="")
        if quoted:
            table_of = csv.writer(
                text, delimiter=delimiter, lineterminator=lineterminator, quoting=csv.QUOTE_ALL
            )
        else:
            table_of = csv.writer(text, delimiter=delimiter, lineterminator=lineterminator)
        table_of.writerows(table)
        return text.getvalue()

    ways = {
        "semicolons.csv": saved(";", "\r\n").encode("utf-8-sig"),
        "sep.csv": b"sep=;\r\n" + saved(";", "\r\n").encode(),
        "tabs.csv": saved("\t", "\r\n").encode("utf-16"),
        "quoted.csv": saved(",", "\r\n", quoted=True).encode("utf-8-sig"),
        "blank.csv": (saved(",", "\n") + ",,,\n\n").encode(),
    }
    for name, data in ways.items():
        (tmp_path / name).write_bytes(data)
        assert read_submissions(tmp_path / name, recruiter).rows == first.rows, name


def test_a_batch_of_mturk_is_read_as_it_is_downloaded() -> None:
    """Amazon's header ends with Approve and Reject, its rows two cells earlier, as in a batch that another lab
    published; the ids are made up.
    """
    with (FILES / "mturk.csv").open(encoding="utf-8", newline="") as file:
        head, *table = csv.reader(file)
    assert head[-2:] == ["Approve", "Reject"]
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([head, *(row[:-2] for row in table)])
    found = read_submissions(text.getvalue(), "mturk").rows
    assert found == read_submissions(FILES / "mturk.csv", "mturk").rows
    shorter = text.getvalue().replace(',"done42"', "", 1)
    with pytest.raises(BadSubmissions, match=r"line 2: has 27 cells, the header 30; give each row a cell"):
        read_submissions(shorter, "mturk")


def test_a_file_of_another_recruiter_is_named() -> None:
    text = (FILES / "mturk.csv").read_text(encoding="utf-8")
    with pytest.raises(BadSubmissions, match="has the columns of one of Amazon Mechanical Turk"):
        read_submissions(text, "prolific")
    with pytest.raises(BadSubmissions, match="has the columns of one of Prolific"):
        read_submissions((FILES / "prolific.csv").read_text(encoding="utf-8"), "mturk")
    many = ",".join(f"column {n}" for n in range(40))
    with pytest.raises(
        BadSubmissions, match=r"column 11 and 28 more\. Name the column, as in participant=NAME"
    ):
        read_submissions(f"{many}\n", "mturk")


@pytest.mark.parametrize("id_", ["1.23457E+11", "1,23457E+11", "5E+23"])
def test_ids_that_a_spreadsheet_rounded_are_refused(id_: str) -> None:
    text = f'Submission id,Participant id,Status\nsub-1,"{id_}",APPROVED\n'
    with pytest.raises(BadSubmissions, match=r"Row 2: .* a spreadsheet has rounded"):
        read_submissions(text, "prolific")
    # An id of hexadecimal digits may look nearly the same.
    (one,) = read_submissions("Participant id\n5e9088a8a4b6ed018b45ba7b\n", "prolific").rows
    assert one.participant == "5e9088a8a4b6ed018b45ba7b"


def test_times_of_other_zones_change_nothing(database: Database) -> None:
    """Durations are read, and no times of day."""
    head = "Submission id,Participant id,Status,Started at,Completed at,Time taken\n"
    for began, ended in (
        ("2026-03-01T12:00:00Z", "2026-03-01T12:12:30Z"),
        ("01.03.26 13:00", "01.03.26 13:12"),
    ):
        text = f"{head}sub-1,pid-1,APPROVED,{began},{ended},750\n"
        assert read_submissions(text, "prolific").rows[0].minutes == 12.5


def test_the_batch_of_mturk_goes_back_with_its_columns_filled_in(
    client: TestClient, database: Database, settings: Settings, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path, "mturk", ids="hashed")
    person(client, database, "workerId", "AWORKERDONE1", assignmentId="3ASG1")
    judged(database, person(client, database, "workerId", "AWORKERCHEAT"), **{"total-time": 12})
    found = held(database, settings, "mturk")
    assert [line.action for line in found.lines] == [Action.PAY, Action.REJECT, Action.RETURN]
    lists = lists_of(found)
    batch = rows((FILES / "mturk.csv").read_text(encoding="utf-8"))
    back = rows(lists["approve.csv"])
    assert list(back[0]) == list(batch[0])
    assert [(row["AssignmentId"], row["Approve"]) for row in back] == [("3ASG1", "X"), ("3ASG2", "")]
    assert back[0]["Reject"] == ""
    assert back[1]["Reject"].startswith(
        "By the study's rules not to be paid: " + RULES["total-time"].title.lower() + " (12)."
    )
    assert back[0] | {"Approve": ""} == batch[0]


def test_credits_of_sona_are_granted_by_survey_code(
    client: TestClient, database: Database, settings: Settings, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path, "sona")
    person(client, database, "survey_code", "4711")
    found = held(database, settings, "sona")
    assert [line.action for line in found.lines] == [Action.PAY, Action.RETURN, Action.LOOK]
    assert lists_of(found)["approve.txt"] == "4711\n"
    assert "no column with completion codes" in found.notes[0]


def test_connect_by_its_ids(
    client: TestClient, database: Database, settings: Settings, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path, "connect")
    person(client, database, "participantId", "CONNECTDONE")
    found = held(database, settings, "connect")
    assert [line.action for line in found.lines] == [Action.PAY, Action.RETURN]


def test_a_session_whose_id_did_not_come_along_is_found_by_its_submission(
    client: TestClient, database: Database, settings: Settings, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path, "prolific")
    person(client, database, "PROLIFIC_PID", "{{%PROLIFIC_PID%}}", SESSION_ID="sub-01")
    found = held(database, settings, "prolific")
    assert by_id(found)["pid-done"][0].action is Action.PAY


@pytest.mark.parametrize(
    ("text", "named", "words"),
    [
        ("", "", "no column"),
        ("a,b\n1,2\n", "", "There is no column with participants' ids"),
        ("Participant id,Status\n", "", "no submission in the file"),
        ("a,b\n1,2\n", "participant=c", "There is no column 'c'"),
        ("Participant id,Status\nx\n", "", "cannot be read: line 2"),
        ("Participant id,Participant id\nx,y\n", "", "the column 'Participant id' comes twice"),
        ("PK\x03\x04\x00\x00", "", "cannot be read: line 1: the file holds zero bytes"),
    ],
)
def test_what_is_no_file_of_submissions_is_refused_in_words(text: str, named: str, words: str) -> None:
    with pytest.raises(BadSubmissions) as refused:
        read_submissions(text, "prolific", columns_named(named))
    assert words in str(refused.value)


def test_columns_of_other_names_are_named() -> None:
    named = columns_named("participant=Who, status=State,code=The code")
    text = "Who;State;The code\nx;approved;C1\n"
    (one,) = read_submissions(text, "other", named).rows
    assert (one.participant, one.there, one.code) == ("x", There.APPROVED, "C1")
    for wrong in ("who=x", "participant", "participant="):
        with pytest.raises(BadSubmissions):
            columns_named(wrong)


def test_a_file_without_states_is_taken_to_wait(database: Database) -> None:
    (one,) = read_submissions("Participant id\nx\n", "prolific").rows
    assert one.there is There.WAITING


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_no_formula_of_a_file_is_handed_on(
    client: TestClient, database: Database, settings: Settings, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path, "prolific")
    text = 'Participant id,Status,Completion code\n"=HYPERLINK(1)",AWAITING REVIEW,X\n'
    lists = lists_of(held(database, settings, "prolific", text))
    assert rows(lists["return.csv"])[0]["id"] == "'=HYPERLINK(1)"


def test_nothing_is_changed_by_a_comparison(prolific: None, database: Database, settings: Settings) -> None:
    def all_of(session: Session) -> list[Any]:
        return [one.model_dump() for one in session.exec(select(ParticipantSession))]

    with database.reading() as session:
        before = all_of(session)
    held(database, settings, "prolific")
    with database.reading() as session:
        assert all_of(session) == before
