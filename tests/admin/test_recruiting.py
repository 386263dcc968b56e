"""The page of a study's recruitment: what to enter at each recruiter, codes, and submissions compared."""

import re
from pathlib import Path

import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.studies.drafts import draft_for
from app.studies.launch import study_here
from app.studies.recruiting import view_of, with_codes
from app.trials.ending import Way
from tests.admin.conftest import ShareWith
from tests.admin.persons import Person
from tests.factories import load_file
from tests.monitor.test_reconciling import FILES, person, recruit
from tests.studies.file.test_recruitment import design

HERE = "/admin/studies/nav/recruiting"


def load(database: Database, folder: Path, **recruitment: object) -> None:
    with database.transaction() as session:
        load_file(session, folder, recruitment=recruitment or None, completion={"message": "Bye\n"})


@pytest.mark.parametrize(
    ("recruiter", "link", "words"),
    [
        (
            "prolific",
            "?PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID={{%STUDY_ID%}}&amp;SESSION_ID=",
            "Completion paths",
        ),
        ("mturk", "/s/nav</code>", "Survey Link"),
        ("sona", "/s/nav?survey_code=%SURVEY_CODE%</code>", "Completion URL (client-side)"),
        ("connect", "/s/nav</code>", "Connect adds"),
    ],
)
def test_the_page_has_the_link_the_steps_and_every_way_out(
    editor: Person, share_with: ShareWith, database: Database, study: str, tmp_path: Path,
    recruiter: str, link: str, words: str,
) -> None:  # fmt: skip
    load(database, tmp_path, **{"from": recruiter})
    share_with(editor)
    page = editor.get(HERE).text
    assert link in page
    assert words in page
    assert page.count('<tr><th scope="row">') == len(Way)
    assert "kept apart from the answers" in page


def test_without_a_recruiter_the_page_says_where_one_is_chosen(
    editor: Person, share_with: ShareWith, study: str
) -> None:
    share_with(editor)
    page = editor.get(HERE).text
    assert "names no recruiter" in page
    assert "/admin/studies/nav/design/recruitment#recruitment" in page
    assert 'id="recruitment"' in editor.get("/admin/studies/nav/design/all").text


def test_codes_that_are_missing_go_into_the_draft_each_different(
    editor: Person, share_with: ShareWith, database: Database, study: str, tmp_path: Path
) -> None:
    load(database, tmp_path, **{"from": "prolific"})
    share_with(editor)
    done = editor.post(f"{HERE}/codes")
    assert "Codes for the ways out are in the design now" in done.text
    assert "changes that are in no version" in done.text
    with database.reading() as session:
        completion = draft_for(session, study_here(session, "nav")).keys["completion"]
    assert completion["redirect"] == "https://app.prolific.com/submissions/complete?cc={code}"
    codes = list(completion["codes"].values())
    assert (len(codes), len(set(codes))) == (len(Way), len(Way))
    assert all(re.fullmatch(r"[A-HJ-NP-Z2-9]{8}", code) for code in codes)


def test_codes_that_are_there_stay() -> None:
    import random

    keys = {"completion": {"code": "DONE", "redirect": "https://a.org/{code}", "codes": {"full": "F"}}}
    got = with_codes(keys, "prolific", random.Random(1))["completion"]
    assert (got["code"], got["redirect"], got["codes"]["full"]) == ("DONE", "https://a.org/{code}", "F")
    assert "finished" not in got["codes"]
    assert keys["completion"]["codes"] == {"full": "F"}
    sona = with_codes({}, "sona", random.Random(1))["completion"]
    assert sona == {}


def test_each_way_out_leads_where_the_participant_is_led() -> None:
    of = design(
        recruitment={"from": "prolific"},
        completion={
            "redirect": "https://app.prolific.com/submissions/complete?cc={code}",
            "codes": {"finished": "C1", "full": "https://a.org/full"},
        },
    )
    ways = {way.way: (way.code, way.leads_to) for way in view_of(of, "https://lab.org").ways}
    assert ways[Way.FINISHED] == ("C1", "https://app.prolific.com/submissions/complete?cc=C1")
    assert ways[Way.FULL] == ("", "https://a.org/full")
    assert ways[Way.NO_CONSENT] == ("", "")


def test_the_layout_for_mturk_passes_the_worker_on_and_waits_for_acceptance() -> None:
    of = design(recruitment={"from": "mturk", "parameters": {"participant": "who"}})
    layout = view_of(of, "https://lab.org").layout
    assert 'new URL("https://lab.org/s/nav")' in layout
    assert '["who", "workerId"]' in layout
    assert "ASSIGNMENT_ID_NOT_AVAILABLE" in layout


def test_submissions_are_compared_and_lists_given_out(
    client: TestClient, editor: Person, viewer: Person, share_with: ShareWith, database: Database, study: str,
    tmp_path: Path,
) -> None:  # fmt: skip
    recruit(database, tmp_path, "prolific")
    person(client, database, "PROLIFIC_PID", "pid-done")
    share_with(editor)
    share_with(viewer)
    file = {"file": ("submissions.csv", (FILES / "prolific.csv").read_bytes(), "text/csv")}
    page = editor.post(f"{HERE}/submissions", {}, files=file)
    assert page.status_code == 200
    assert "15 submissions: 1 to pay" in page.text
    assert "Completed here: 0 of 11 trials in 12.0 minutes." in page.text
    text = re.search(r'name="text" value="([^"]*)"', page.text)
    assert text is not None
    as_excel = (FILES / "prolific.csv").read_text(encoding="utf-8").encode("utf-16")
    again = editor.post(
        f"{HERE}/submissions", {}, files={"file": ("submissions.txt", as_excel, "text/plain")}
    )
    assert "15 submissions: 1 to pay" in again.text
    one = editor.post(f"{HERE}/submissions", {"text": text[1], "list": "approve.txt"})
    assert one.text == "pid-done\n"
    assert 'filename="approve.txt"' in one.headers["content-disposition"]
    assert editor.post(f"{HERE}/submissions", {"text": text[1], "list": "../x"}).status_code == 404
    assert viewer.post(f"{HERE}/submissions", {}, files=file).status_code == 403
    with database.reading() as session:
        noted = session.exec(select(AuditEntry).where(AuditEntry.action == "submissions.reconcile")).all()
    assert [entry.after["pay"] for entry in noted if entry.after] == [1, 1]


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (None, "Choose the recruiter’s file|Choose the recruiter&#39;s file"),
        (b"a,b\n1,2\n", "There is no column with participants"),
        (b"\xff\xfe\x00", r"x\.csv: the file begins as UTF-16 and is not UTF-16 throughout \(save it as CSV"),
    ],
)
def test_another_file_is_refused_on_the_page(
    editor: Person, share_with: ShareWith, database: Database, study: str, tmp_path: Path,
    file: bytes | None, words: str,
) -> None:  # fmt: skip
    load(database, tmp_path, **{"from": "prolific"})
    share_with(editor)
    files = {"file": ("x.csv", file or b"", "text/csv")}
    page = editor.post(f"{HERE}/submissions", {}, files=files)
    assert page.status_code >= 400
    assert re.search(words, page.text)
