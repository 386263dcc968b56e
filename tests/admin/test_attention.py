"""Attention checks: a wrong answer to one is flagged once, as it is stored, and excludes nothing."""

from collections.abc import Sequence
from pathlib import Path

from sqlmodel import select, update
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.reports.export import rows_of
from app.sessions.entry import pass_for
from app.trials.responses import Response
from app.trials.tables import Mode
from tests.admin.persons import Person
from tests.factories import open_study
from tests.sessions.walks import Walk

HERE = "/admin/studies/nav"
FLAG = "attention-failed"
PAIRS = """pair,a,b,truth,kind
try,human-g1,hybrid-g1,a,practice
one,human-g2,hybrid-g2,a,main
look-1,human-g3,hybrid-g3,a,attention
look-2,hybrid-g4,human-g4,b,attention
no-truth,hybrid-g5,symbolic-g5,,attention
"""


def test_a_wrong_answer_to_an_attention_check_is_flagged_and_counted_for_its_session(
    client: TestClient,
    owner: Person,
    database: Database,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    tmp_path: Path,
    settings: Settings,
) -> None:
    (tmp_path / "pairs.csv").write_text(PAIRS)
    with database.transaction() as session:
        slug = open_study(session, tmp_path, library[1], sample=None, pairs="pairs.csv").slug
    # Sides are counterbalanced: of two who always press left, each check is right for one and wrong for the other.
    for _ in range(2):
        Walk(client, slug).to("end")
    nobody = Walk(client, slug)
    while nobody.page != "end":
        nobody.answer(**({"unplayable": "1", "choice": ""} if nobody.page.startswith("trial") else {}))
    Walk(client, slug, **{"as": pass_for(slug, Mode.SIMULATED, settings.secret)}).to("end")
    with database.reading() as session:
        rows = list(rows_of(session, slug, "responses"))
    flagged = {(row["session"], row["pair"]) for row in rows if FLAG in (row["flags"] or "").split(";")}
    assert flagged == {
        (row["session"], row["pair"])
        for row in rows
        if row["pair"] in ("look-1", "look-2") and row["correct"] is False and row["mode"] == "live"
    }
    assert len(flagged) == 2
    assert all(row["excluded"] is None for row in rows if (row["session"], row["pair"]) in flagged)
    for number in ("1", "2"):
        n_wrong = sum(of == number for of, _ in flagged)
        page = owner.get(f"{HERE}/sessions/{number}").text
        assert f"<dt>Attention checks</dt><dd>{2 - n_wrong} of 2 right</dd>" in page
        assert page.count("attention check failed</span>") == n_wrong
    assert "Attention checks" not in owner.get(f"{HERE}/sessions/3").text
    assert "attention check failed" in owner.get(f"{HERE}/monitor").text
    assert "attention check failed" in owner.get(f"{HERE}/sessions?flag={FLAG}").text
    with database.transaction() as session:  # an answer from before there was the flag
        session.execute(update(Response).values(raised=None))
        assert session.exec(select(Response.raised)).first() is None
    page = owner.get(f"{HERE}/sessions/1").text
    assert ("of 2 right" in page, "attention check failed" in page) == (True, False)
