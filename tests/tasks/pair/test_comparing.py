"""Pairs of records and of texts: planned, shown, answered and exported as pairs of clips are."""

import json
import re
from pathlib import Path

import pytest
from sqlmodel import col, select
from starlette.testclient import TestClient

from analysis import accuracy_per_participant
from app.core.database import Database
from app.core.settings import Settings
from app.library.contents import add_documents
from app.library.documents import Document, ImportedDocument
from app.library.kinds import StimulusKind
from app.questions.sides import Side
from app.reports.frames import responses_frame
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.studies.file.load import StudyFileProblems
from app.studies.versions import set_state
from app.tasks.pair.comparing import read_sides
from app.trials.responses import Evidence, Response
from app.trials.tables import Mode, State
from tests.factories import NOW, answer_for, load_file
from tests.sessions.walks import Walk
from tests.tasks.pair.played_records import add_records

QUESTIONS = [
    {"id": "choice", "type": "2afc", "ask": "Which of these two players is more likely to be human?"}
]
TRIALS = {"questions": QUESTIONS}


def pairs_of(n: int, first: str = "human", second: str = "gt") -> str:
    return "pair,a,b\n" + "".join(f"q{at},{first}-{at},{second}-{at}\n" for at in range(n))


def reading(n: int, **fields: object) -> dict[str, object]:
    told = {"v": 1, "loads": 1, "read_ms": 9000, "hidden_ms": 0, "depth": 1, "layout": "side-by-side"}
    return {**told, "parts": [500] * n, **fields}


def open_records(database: Database, folder: Path, n: int = 4, **changes: object) -> None:
    with database.transaction() as session:
        add_records(session, {"human": n, "gt": n})
        load_file(session, folder, **{"sample": None, "pairs": pairs_of(n), "trials": TRIALS, **changes})
        set_state(session, "nav", State.LIVE)


@pytest.mark.any_database
def test_two_records_are_shown_side_by_side_and_identified_by_side_alone(
    client: TestClient, database: Database, tmp_path: Path, clock: None
) -> None:
    open_records(database, tmp_path)
    walk = Walk(client, PROLIFIC_PID="p1").to("trial-1")
    assert walk.html.index('data-stimulus="left"') < walk.html.index('data-stimulus="right"')
    assert walk.html.count("Sharing a sum") == 2
    # Whole words: an address holds random letters, in which "gt" is found now and then.
    assert re.findall(r"(?<![\w-])(?:human-\d|gt(?:-\d)?|source|q[01])(?![\w-])", walk.html) == []
    for name in ("Left", "Right", "Top", "Bottom"):
        assert f"{name} record" in walk.html
    assert "video" not in walk.html
    told = json.dumps({"left": reading(5), "right": reading(5, parts=[500, 500, 0, 0, 0], depth=0.4)})
    walk.answer(choice="left", rt_ms="9000", reading=told)
    assert walk.page == "trial-2"
    walk.answer(choice="right", reading="{")
    refused = walk.client.post(walk.address, data=answer_for(walk.html, choice="up"))
    assert refused.status_code == 422
    assert "Please choose the left or the right one." in refused.text
    assert refused.text.count("Sharing a sum") == 2
    walk.to("end")
    with database.reading() as session:
        first, second, *_ = session.exec(
            select(Response).where(col(Response.trial_id).is_not(None)).order_by(col(Response.id))
        ).all()
        rows = {
            row.slot: row for row in session.exec(select(Evidence).where(Evidence.response_id == first.id))
        }
    assert (first.side, first.layout, first.rt_ms, first.unplayable, first.unwatched) == (
        "left", "side-by-side", 9000, False, False,
    )  # fmt: skip
    assert first.flags == ["not-read-right"]
    assert "not-read" in (first.raised or "")
    assert sorted(rows) == ["a", "b"]
    assert sorted(row.watched for row in rows.values()) == [False, True]
    assert second.odd_playback == "{"
    assert set(second.flags) >= {"reading-odd-left", "reading-odd-right"}


@pytest.mark.both_databases
def test_sides_are_balanced_and_the_second_session_sees_each_pair_the_other_way(
    client: TestClient, database: Database, tmp_path: Path, clock: None
) -> None:
    open_records(database, tmp_path)

    def left_of() -> dict[str, str]:
        """Of each pair the text of the record on its left, by what both show."""
        walk = Walk(client).to("trial-1")
        found = {}
        while walk.page != "end":
            sides = [
                set(re.findall(r"offers (\d+) of", half)) for half in walk.html.split('data-stimulus="right"')
            ]
            found["/".join(sorted(map(str, map(sorted, sides))))] = str(sorted(sides[0]))
            walk.answer(choice="left")
        return found

    one, other = left_of(), left_of()
    assert len(one) == 4
    assert one.keys() == other.keys()
    assert all(one[pair] != other[pair] for pair in one)


def test_simulated_participants_answer_and_the_numbers_of_pairs_follow(
    settings: Settings, database: Database, tmp_path: Path
) -> None:
    open_records(database, tmp_path, 6)
    assert run_simulation(settings, database, "nav", n=10, traits=Traits(accuracy=1.0), seed=1) == 10
    with database.reading() as session:
        frame = responses_frame(session, "nav")
    assert set(frame["mode"]) == {Mode.SIMULATED}
    assert set(frame["condition"]) == {"human-gt"}
    found = accuracy_per_participant(frame)
    assert found["accuracy"].tolist() == [1.0] * 10
    assert frame["left"].value_counts().to_dict() == {"a": 30, "b": 30}


def test_a_pair_shows_two_of_one_kind_and_a_block_one_kind(database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        add_records(session, {"human": 2, "gt": 2})
        texts = [
            ImportedDocument(
                f"t{n}", "human", {}, Document(StimulusKind.TEXT, f"Letter {n}."), f"t{n}.md", 10
            )
            for n in range(2)
        ]
        add_documents(session, texts, NOW)
        pairs = "pair,a,b\nq0,human-0,gt-0\nq1,human-1,t0\nq2,t0,t1\n"
        with pytest.raises(StudyFileProblems) as refused:
            load_file(session, tmp_path, sample=None, pairs=pairs, trials=TRIALS)
    assert [problem.message for problem in refused.value.problems] == [
        "row 3: 'human-1' is a record, and 't0' is a text",
        "row 4: 't0' and 't1' are texts, and the pairs before show records",
    ]


def test_what_the_browser_says_of_both_sides_is_read_leniently() -> None:
    parts = {Side.LEFT: 2, Side.RIGHT: None}
    good = json.dumps({"left": reading(2), "right": reading(7)})
    found = read_sides({"reading": good, "rt_ms": "9000"}, parts)
    assert [found[side].words for side in Side] == [(), ()]
    for told, words in (
        ("", {"reading-missing"}),
        ("[]", {"reading-odd-left", "reading-odd-right"}),
        (json.dumps({"left": reading(2)}), {"reading-missing-right"}),
        (json.dumps({"left": reading(3), "right": 7}), {"reading-odd-left", "reading-odd-right"}),
        ("{" * 70_000, {"reading-odd-left", "reading-odd-right"}),
    ):
        found = read_sides({"reading": told, "rt_ms": "9000"}, parts)
        assert {word for report in found.values() for word in report.words} == words, told[:40]
