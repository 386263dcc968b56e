"""Questions that say what to answer, between trials; practice with feedback; viewing conditions."""

import random
import re
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.questions.viewing import VIEWING
from app.reports.export import rows_of
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.tasks.pair.rows import read_rows, rows_as_csv
from app.trials.attention import places_of
from app.trials.responses import Response
from app.trials.runs import Run
from app.trials.tables import Exclusion, ParticipantSession, Status
from tests.factories import load_file, study_file
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

AGREE = {"id": "agree", "ask": "Choose agree here.", "scale": "agreement", "expect": "agree"}
BLUE = {"id": "blue", "type": "choice", "ask": "Choose blue.", "options": ["red", "blue"], "expect": "blue"}
RIGHT = {"attention-trials-1": {"agree": "4"}, "attention-trials-2": {"blue": "blue"}}
WRONG = {"attention-trials-1": {"agree": "1"}, "attention-trials-2": {"blue": "red"}}


def load(database: Database, folder: Path, attention: dict[str, Any] | None = None, **changes: Any) -> None:
    trials: dict[str, Any] = dict(study_file()["trials"])  # type: ignore[call-overload]
    trials |= {"attention": attention} if attention else {}
    trials |= changes.pop("trials", {})
    with database.transaction() as session:
        load_file(session, folder, trials=trials, **changes)


def through(walk: Walk, answers: dict[str, dict[str, str]]) -> list[str]:
    """The pages from the first to the last, as they came."""
    seen = [walk.page]
    while walk.page != "end":
        walk.answer(**answers.get(walk.page, {}))
        seen.append(walk.page)
    return seen


def sessions(session: Session) -> list[ParticipantSession]:
    return list(session.exec(select(ParticipantSession).order_by(col(ParticipantSession.id))))


def places(pages: list[str]) -> dict[str, int]:
    """After which main trial each question came, from 1; the first trial is for practice."""
    n, found = -1, {}
    for page in pages:
        n += page.startswith("trial-")
        if page.startswith("attention-"):
            found[page] = n
    return found


def test_questions_come_between_main_trials_and_mirrored_in_the_next_session(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    load(database, tmp_path, {"questions": [AGREE, BLUE]})
    one, other = (places(through(Walk(client), RIGHT)) for _ in range(2))
    assert set(one) == set(RIGHT)
    assert all(1 <= place <= 9 for place in (*one.values(), *other.values()))
    assert [one[page] + other[page] for page in RIGHT] == [10, 10]
    with database.reading() as session:
        assert [each.status for each in sessions(session)] == [Status.COMPLETED] * 2
        rows = list(rows_of(session, study, "participants"))
        assert [(row["attention_questions"], row["attention_questions_failed"]) for row in rows] == [
            (2, 0)
        ] * 2
        asked = [row for row in rows_of(session, study, "answers") if row["page"] == "attention-trials-2"]
        assert [(row["question"], row["value"]) for row in asked] == [("blue", "blue")] * 2


@pytest.mark.parametrize(
    ("failed", "status", "reasons"),
    [
        ("flag", Status.COMPLETED, []),
        ("exclude", Status.COMPLETED, ["failed 2 attention checks"]),
        ("end", Status.FAILED_CHECKS, []),
    ],
)
def test_failing_does_what_the_study_says(
    client: TestClient,
    database: Database,
    study: str,
    tmp_path: Path,
    failed: str,
    status: Status,
    reasons: list[str],
) -> None:
    load(database, tmp_path, {"questions": [AGREE, BLUE], "failed": failed, "after": 2})
    walk = Walk(client)
    through(walk, WRONG)
    assert ("The study ends here" in walk.html) is (failed == "end")
    with database.reading() as session:
        raised = session.exec(select(Response.raised).where(col(Response.page).startswith("attention"))).all()
        assert raised == ["attention-failed"] * 2
        assert [each.status for each in sessions(session)] == [status]
        assert list(session.exec(select(Exclusion.reason))) == reasons
        [row] = rows_of(session, study, "participants")
        assert row["attention_questions_failed"] == 2


def test_one_failure_of_two_that_are_allowed_ends_nothing(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    load(database, tmp_path, {"questions": [AGREE, BLUE], "failed": "end", "after": 2})
    through(Walk(client), {**RIGHT, "attention-trials-1": {"agree": "1"}})
    with database.reading() as session:
        assert [each.status for each in sessions(session)] == [Status.COMPLETED]


def test_places_are_spread_and_never_first() -> None:
    rng = random.Random(3)
    drawn = [places_of(2, 10, rng) for _ in range(300)]
    assert {place for each in drawn for place in each} == set(range(1, 10))
    assert all(first != second for first, second in drawn)
    assert places_of(1, 1, rng) == (1,)  # after the one trial that there is
    assert sorted(places_of(3, 3, rng)) in ([1, 1, 2], [1, 2, 2])
    assert places_of(2, 10, rng, (1, 7)) == (9, 3)


def test_questions_come_between_walks_and_matches(database: Database, study: str) -> None:
    """Every task has them by the same pages."""
    from app.studies.file.drafts import check_draft
    from app.trials.runs import BlockRun

    asked = {"attention": {"questions": [AGREE]}}
    blocks = [
        {"id": "walk", "task": "walk", "walks": 3, "practice": 1, **asked},
        {"id": "play", "task": "game", "game": "sug", "rounds_per_person": 2, **asked},
        {"id": "rate", "task": "rating", "items": ITEMS, "questions": [AGREE_ITEM], **asked},
    ]
    keys = {**study_file(blocks=blocks)}
    for key in ("sample", "trials"):
        del keys[key]
    check = check_draft(keys, {})
    assert check.faults == ()
    assert check.design is not None
    runs = tuple(
        BlockRun(block, (), n, n + 3) for block, n in zip(check.design.blocks, (1, 0, 0), strict=True)
    )
    run = Run("", runs, False, False, False, False)
    pages = run.pages_for([["walk", 4, [2]], ["play", 2, [1]], ["rate", 2, [1]]])
    names = [str(page) for page in pages.keys]
    assert names[1:-1] == [
        *("trial-1", "trial-2", "trial-3", "attention-walk-1", "trial-4"),
        *("trial-5", "attention-play-1", "trial-6", "trial-7", "attention-rate-1", "trial-8"),
    ]
    assert [str(type(page).of(name)) for page, name in zip(pages.keys, names, strict=True)] == names


ITEMS = "item,text\none,First text.\ntwo,Second text.\n"
AGREE_ITEM = {"id": "good", "ask": "Good?", "scale": "agreement"}


# Practice


def test_feedback_after_practice_says_right_or_not_and_why(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    rows = [
        "pair,a,b,kind,why",
        "p1,human-g1,symbolic-g1,practice,People look *round corners*.",
        "m1,human-g2,symbolic-g2,main,Never shown.",
        "m2,human-g3,symbolic-g3,main,",
    ]
    changes: dict[str, Any] = {
        "pairs": "\n".join(rows) + "\n",
        "sample": None,
        "trials": {"feedback": True, "sides": "fixed"},
    }
    load(database, tmp_path, **changes)
    for side, said in (("left", "That was right"), ("right", "That was not right")):
        walk = Walk(client)
        walk.to("trial-1")
        assert walk.answer(choice=side) == "feedback-1"
        assert f"<h1>{said}</h1>" in walk.html
        assert "<em>round corners</em>" in walk.html
        rest = through(walk, {})
        assert rest == ["feedback-1", "trial-2", "trial-3", "end"]
    assert "Never shown" not in walk.html


def test_feedback_is_told_of_no_main_trial(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    load(database, tmp_path, trials={"feedback": True})
    walk = Walk(client).to("trial-2")
    html = [walk.html]
    while walk.page != "end":
        walk.answer()
        html.append(walk.html)
    assert not re.search("That was (not )?right", "".join(html))


RATED = """item,text,kind,right,why
p1,A walk that turns twice.,practice,seen=Yes; good=4..5,It looks *round the corner*.
p2,A straight walk.,practice,,No right answer here.
p3,A third walk.,practice,seen=No,
m1,A walk.,main,,
"""
SEEN = {"id": "seen", "type": "choice", "ask": "Is this a person?", "options": ["Yes", "No"]}
RIGHTLY, WRONGLY = "Your answer was right.", "Your answer was not right."


def test_feedback_after_practice_ratings_says_of_each_question_whether_it_was_right(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    block = {
        "id": "rate",
        "task": "rating",
        "items": RATED,
        "questions": [SEEN, AGREE_ITEM],
        "order": "fixed",
    }
    with database.transaction() as session:
        blocks = [{**block, "feedback": True}]
        load_file(session, tmp_path, sample=None, trials=None, background=None, blocks=blocks)
    expected = {
        ("Yes", "4"): ("That was right", [RIGHTLY, RIGHTLY]),
        ("Yes", "2"): ("Not all of it was right", [RIGHTLY, WRONGLY]),
        ("No", "2"): ("That was not right", [WRONGLY, WRONGLY]),
    }
    for (seen, good), (title, verdicts) in expected.items():
        walk = Walk(client).to("trial-1")
        titles = []
        while walk.page != "end":
            item = walk.html
            given = (seen, good) if "turns twice" in item else ("No", "3")
            walk.answer(seen=given[0], good=given[1])
            if not walk.page.startswith("feedback"):
                assert "A walk." in item
                continue
            titles.append(re.findall("<h1>(.*)</h1>", walk.html)[0])
            if "turns twice" in item:
                assert titles[-1] == title
                assert re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", walk.html) == [
                    ("Is this a person?", verdicts[0]),
                    ("Good?", verdicts[1]),
                ]
                assert "<em>round the corner</em>" in walk.html
            walk.answer()
        assert sorted(titles) == sorted([title, "That was practice", "That was right"])


# Viewing conditions


def test_viewing_conditions_are_asked_once_and_exported(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    load(database, tmp_path, viewing_conditions=True)
    walk = Walk(client)
    assert walk.answer() == "viewing"
    given = {q.id: q.options[0] if q.options else "60" for q in VIEWING}
    assert walk.answer(**given) == "background"
    with database.reading() as session:
        rows = [row for row in rows_of(session, study, "answers") if row["page"] == "viewing"]
    assert {row["question"]: row["value"].removesuffix(".0") for row in rows} == given


def test_simulated_people_go_through_all_of_it(
    settings: Settings, database: Database, study: str, tmp_path: Path
) -> None:
    load(
        database,
        tmp_path,
        {"questions": [AGREE, BLUE], "failed": "end", "after": 1},
        viewing_conditions=True,
        trials={"feedback": True},
    )
    run_simulation(settings, database, study, n=2, traits=Traits(), seed=1)
    with database.reading() as session:
        assert [each.status for each in sessions(session)] == [Status.COMPLETED] * 2


def test_a_list_edited_on_a_page_keeps_why() -> None:
    text = "pair,a,b,condition,truth,kind,why\np1,x,y,x-y,a,practice,Look *here*.\n"
    assert rows_as_csv(read_rows(text)) == text
    plain = "pair,a,b,condition,truth,kind\np1,x,y,x-y,a,main\n"
    assert rows_as_csv(read_rows(plain)) == plain
