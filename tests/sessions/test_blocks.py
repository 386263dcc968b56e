"""Sessions of several blocks: what each gets, in which order, over both databases."""

import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.errors import Closed
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.kinds import StimulusKind
from app.library.records import canonical_json, parse_record
from app.library.tables import Content, Stimulus
from app.monitor.notices import notices_of
from app.reports.export import rows_of
from app.sessions.entering import Visit, enter
from app.sessions.state_machine import submit
from app.sessions.where import locate
from app.studies.launch import study_here
from app.tasks.pair.queries import planned_left
from app.trials.loads import LEFT_AFTER
from app.trials.responses import Evidence, Response
from app.trials.tables import Mode, ParticipantSession, Status, StudyVersion, Trial, Unit
from tests.clock import Clock
from tests.factories import NOW, answer_for, open_study
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

Library = tuple[ClipStore, Sequence[ImportedClip]]

CRITERIA = [
    {
        "id": "logic",
        "type": "likert",
        "ask": "How logical is it?",
        "labels": ["1", "2", "3", "4", "5"],
        "anchors": {1: "No reasons can be seen.", 5: "Every step follows."},
    },
    {
        "id": "persona",
        "type": "likert",
        "ask": "In character?",
        "labels": ["no", "yes"],
        "when": {"group": "g1"},
    },
    {"id": "reason", "type": "text", "ask": "Why?", "required": True},
]


def items(n: int = 6, groups: int = 3) -> str:
    rows = [
        f"i{number},A note of {number} words.,c{number % 2},main,g{number % groups}" for number in range(n)
    ]
    return "\n".join(["item,text,condition,kind,group", "p1,To practise.,,practice,", *rows]) + "\n"


def pair_block(**changes: Any) -> dict[str, Any]:
    return {
        "id": "watch",
        "task": "pair",
        "instructions": "# Watching\n\nWatch both.\n",
        "sample": {
            "match": "goal",
            "seed": 7,
            "conditions": {"human-hybrid": 6, "hybrid-symbolic": 4},
            "practice": {"human-symbolic": 1},
        },
        "trials": {"questions": [{"id": "choice", "type": "2afc", "ask": "Which?"}]},
        **changes,
    }


def rating_block(**changes: Any) -> dict[str, Any]:
    return {"id": "rate", "task": "rating", "items": items(), "questions": CRITERIA, **changes}


@pytest.fixture
def opened(database: Database, library: Library, tmp_path: Path) -> Callable[..., str]:
    def open_with(*blocks: dict[str, Any], **changes: Any) -> str:
        keys = {"sample": None, "trials": None, "blocks": list(blocks), **changes}
        with database.transaction() as session:
            return open_study(session, tmp_path, library[1], **keys).slug

    return open_with


def begin(session: Session, seed: int, mode: Mode = Mode.LIVE) -> ParticipantSession:
    token = enter(session, Visit("nav", mode), NOW)
    form = {"submit_id": f"consent.{seed}", "decision": "agree", "of_age": "yes"}
    submit(session, token, form, NOW, random.Random(seed))
    session.expire_all()
    found = select(ParticipantSession).where(ParticipantSession.id == locate(session, token).session_id)
    return session.exec(found).one()


def trials_of(session: Session, one: ParticipantSession) -> Sequence[tuple[Unit, str]]:
    rows = select(Unit, planned_left()).join(Trial).where(Trial.session_id == one.id)
    return session.exec(rows.order_by(col(Trial.position))).all()


def test_a_session_goes_through_its_blocks_with_the_instructions_of_each(
    client: TestClient, opened: Callable[..., str], database: Database
) -> None:
    opened(pair_block(per_participant=5), rating_block(instructions="# Rating\n\nRead the note.\n"))
    walk = Walk(client)
    pages = [walk.page]
    while walk.page != "end":
        if walk.page == "instructions-rate":
            assert "Read the note." in walk.html
        walk.answer()
        pages.append(walk.page)
    assert pages == [
        *("consent", "background", "instructions", "instructions-watch"),
        *(f"trial-{n}" for n in range(1, 7)),
        "instructions-rate",
        *(f"trial-{n}" for n in range(7, 14)),
        "end",
    ]
    with database.reading() as session:
        one = session.exec(select(ParticipantSession)).one()
        assert (one.status, one.blocks) == (Status.COMPLETED, None)
        answered = session.exec(
            select(Response, Unit)
            .join(Trial, col(Trial.id) == Response.trial_id)
            .join(Unit)
            .where(Unit.block == "rate")
        ).all()
        assert len(answered) == 7
        for response, unit in answered:
            asked = {"logic", "reason", *(["persona"] if unit.item_group == "g1" else [])}
            assert response.answers.keys() == asked
            assert (response.side, response.rationale, response.uncertainty) == (None, None, None)
            assert response.answers["logic"] == 4


def test_the_questions_of_a_block_are_asked_about_oneself_after_it(
    client: TestClient, opened: Callable[..., str], database: Database
) -> None:
    opened(rating_block(self_assessment="# And you?\n\nThink of **your own** notes.\n"), pair_block())
    walk = Walk(client).to("self-rate")
    assert "Think of <strong>your own</strong> notes." in walk.html
    assert 'name="persona"' not in walk.html, "asked of a group of items alone"
    response = client.post(walk.address, data={"submit_id": "self-rate.x", "logic": "3"})
    assert response.status_code == 422
    client.post(walk.address, data={"submit_id": "self-rate.y", "logic": "3", "reason": "I plan."})
    assert walk.look() == "instructions-watch"
    with database.reading() as session:
        own = session.exec(select(Response).where(Response.page == "self-rate")).one()
        assert (own.answers, own.trial_id) == ({"logic": 3, "reason": "I plan."}, None)
        rows = list(rows_of(session, "nav", "ratings"))
        about = [(row["kind"], row["question"], row["value"], row["text"], row["item"]) for row in rows[-2:]]
        assert about == [("self", "logic", 3, None, None), ("self", "reason", None, "I plan.", None)]
        assert rows[-1]["trial"] == f"self-{own.session_id}-rate"
        assert all(row["kind"] != "self" for row in rows[:-2])


def test_people_can_be_asked_about_themselves_before_they_rate(
    client: TestClient, opened: Callable[..., str], database: Database
) -> None:
    opened(rating_block(self_assessment="# You\n", self_assessed="before", instructions="# How to rate\n"))
    walk = Walk(client).to("instructions-rate")
    client.post(walk.address, data={"submit_id": "instructions-rate.x"})
    assert walk.look() == "self-rate"
    assert re.search(r'value="1" required> <span>[^<]+: <small>[^<]+</small>', walk.html), "with its anchors"
    client.post(walk.address, data={"submit_id": "self-rate.x", "logic": "4", "reason": "I win."})
    assert walk.look() == "trial-1"
    with database.reading() as session:
        text = session.exec(select(StudyVersion.design)).one()
        assert '"self_assessed":"before"' in text
        own = session.exec(select(Response).where(Response.page == "self-rate")).one()
        assert own.answers == {"logic": 4, "reason": "I win."}


def test_an_anchor_stands_beside_its_answer_and_a_missing_reason_is_asked_for(
    client: TestClient, opened: Callable[..., str], database: Database
) -> None:
    opened(rating_block())
    walk = Walk(client).to("trial-1")
    assert "To practise." in walk.html
    assert "No reasons can be seen." in walk.html
    response = client.post(walk.address, data={"submit_id": "trial-1.x", "logic": "4"})
    assert response.status_code == 422
    assert "Please answer this question." in response.text
    response = client.post(walk.address, data={"submit_id": "trial-1.y", "logic": "6", "reason": "So."})
    assert "Please choose one of the 5 answers." in response.text
    with database.reading() as session:
        assert session.exec(select(Response).where(col(Response.trial_id).is_not(None))).all() == []


@pytest.mark.both_databases
def test_each_participant_has_their_share_of_each_condition_and_a_pair_of_sessions_mirrors_sides(
    opened: Callable[..., str], database: Database
) -> None:
    opened(pair_block(per_participant=5))
    with database.transaction() as session:
        seen: list[dict[int, str]] = []
        exposure: Counter[int] = Counter()
        for seed in range(20):
            shown = [
                (unit, left) for unit, left in trials_of(session, begin(session, seed)) if unit.kind == "main"
            ]
            assert Counter(unit.condition for unit, _ in shown) == {"human-hybrid": 3, "hybrid-symbolic": 2}
            seen.append({unit.id or 0: left for unit, left in shown})
            exposure.update(seen[-1].keys())
            if seed % 2:
                assert seen[-1].keys() == seen[-2].keys()
                assert all(seen[-1][unit] != seen[-2][unit] for unit in seen[-1])
        assert max(exposure.values()) - min(exposure.values()) <= 2


def test_blocks_in_random_order_come_turned_round_in_the_second_session(
    opened: Callable[..., str], database: Database
) -> None:
    opened(pair_block(), rating_block(), block_order="random")
    with database.transaction() as session:
        orders = [[unit.block for unit, _ in trials_of(session, begin(session, seed))] for seed in range(12)]
    firsts = [order[0] for order in orders]
    assert all(first != second for first, second in zip(firsts[::2], firsts[1::2], strict=True))
    assert set(firsts[::2]) == {"watch", "rate"}, "which comes first is drawn"


@pytest.mark.both_databases
def test_each_item_is_rated_by_so_many_and_then_nobody_new_is_taken(
    client: TestClient, opened: Callable[..., str], database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(rating_block(per_item=2, per_participant=4))
    with database.transaction() as session:
        loads: Counter[str] = Counter()
        for seed in range(3):
            mains = [unit for unit, _ in trials_of(session, begin(session, seed)) if unit.kind == "main"]
            assert len(mains) == 4
            groups = [unit.item_group for unit in mains]
            assert all(one != other for one, other in pairwise(groups))
            loads.update(unit.name for unit in mains)
        assert set(loads.values()) == {2}
    with pytest.raises(Closed, match="has all the answers that it needs"), database.transaction() as session:
        begin(session, 9)
    monkeypatch.setattr(Clock, "at", NOW)  # by the usual clock all three have long left
    page = client.get("/s/nav")
    assert page.status_code == 403
    assert "All places are taken" in page.text  # before consent is asked for
    with database.reading() as session:
        begun = select(ParticipantSession.id).where(col(ParticipantSession.ordinal).is_not(None))
        assert len(session.exec(begun).all()) == 3
    with database.transaction() as session:
        assert len(trials_of(session, begin(session, 10, Mode.PREVIEW))) == 5


@pytest.mark.parametrize("when_full", [None, "refuse", "skip"])
def test_a_full_block_among_others_takes_nobody_new_or_is_skipped_as_the_design_says(
    client: TestClient,
    opened: Callable[..., str],
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    when_full: str | None,
) -> None:
    said = {} if when_full is None else {"when_full": when_full}
    opened(pair_block(), rating_block(per_item=1, **said))
    monkeypatch.setattr(Clock, "at", NOW)
    walk = Walk(client, PROLIFIC_PID="pid-9")
    with database.transaction() as session:
        begin(session, 1)
    walk.answer()
    with database.reading() as session:
        sessions = session.exec(select(ParticipantSession).order_by(col(ParticipantSession.id))).all()
        notices = notices_of(session, study_here(session, "nav").id, NOW)
    if when_full == "skip":
        assert sessions[0].blocks == [["watch", 11], ["rate", 0]]
        assert "skip it (1 so far)" in " ".join(notices)
        return
    assert "All places are taken" in walk.html
    assert (sessions[0].status, sessions[0].participant, sessions[0].recruiter) == (Status.FULL, None, {})
    assert "takes no new participants (1 so far)" in " ".join(notices)
    link = "/s/" + walk.html.partition('href="/s/')[2].partition('"')[0]
    assert "All places are taken" in client.get(link).text
    with database.transaction() as session:  # a place comes free
        session.exec(
            select(ParticipantSession).where(ParticipantSession.status == Status.ACTIVE)
        ).one().seen_at = NOW - 2 * LEFT_AFTER
    again = client.get(link)
    client.post(again.url.path, data=answer_for(again.text))
    with database.reading() as session:
        begun = session.exec(select(ParticipantSession).order_by(col(ParticipantSession.id).desc())).first()
        assert begun is not None
        assert (begun.status, begun.participant) == (Status.ACTIVE, "pid-9")


def test_items_in_the_order_of_the_file(opened: Callable[..., str], database: Database) -> None:
    opened(rating_block(order="fixed"))
    with database.transaction() as session:
        names = [unit.name for unit, _ in trials_of(session, begin(session, 1))]
    assert names == ["p1", *(f"i{n}" for n in range(6))]


RECORD = {
    "title": "Water for three",
    "players": [{"name": "Seat A", "about": "Needs 8 a day."}],
    "rounds": [
        {"title": "Day 1", "parts": [{"text": "Seat A bids 12."}, {"label": "Health", "values": [8, 7]}]}
    ],
}


def test_a_record_and_a_text_of_the_library_are_shown_as_they_were_frozen(
    client: TestClient, opened: Callable[..., str], database: Database
) -> None:
    with database.transaction() as session:
        for name, kind, content in (
            ("game-1", StimulusKind.RECORD, canonical_json(parse_record(json.dumps(RECORD)))),
            ("note-1", StimulusKind.TEXT, "A *short* note."),
        ):
            sha256 = hashlib.sha256(content.encode()).hexdigest()
            session.add(Content(sha256=sha256, content=content))
            session.flush()
            session.add(
                Stimulus(
                    name=name,
                    source="robot9",
                    attributes={},
                    rules={},
                    imported_at=NOW,
                    kind=kind,
                    content_sha256=sha256,
                )
            )
    opened(rating_block(items="item,stimulus,group\ng,game-1,g1\nn,note-1,g1\n", order="fixed"))
    walk = Walk(client).to("trial-1")
    assert "Water for three" in walk.html
    assert "Seat A bids 12." in walk.html
    assert "robot9" not in walk.html, "the source is told to nobody"
    walk.answer()
    assert "A <em>short</em> note." in walk.html
    walk.answer()
    assert walk.page == "end"
    with database.reading() as session:
        conditions = session.exec(select(Unit.condition)).all()
        assert conditions == ["robot9", "robot9"]


@pytest.mark.both_databases
def test_a_single_clip_is_rated_and_evidence_of_watching_decided_by_the_server(
    client: TestClient, opened: Callable[..., str], database: Database
) -> None:
    opened(rating_block(items="item,stimulus,group\na,human-g1,g0\nb,hybrid-g1,g1\n", order="fixed"))
    walk = Walk(client).to("trial-1")
    (address,) = re.findall(r'src="([^"]+/clips/[^"]+)"', walk.html)
    assert address == f"{walk.address}/clips/1-item.mp4"
    assert client.get(address.replace("item", "left")).status_code == 404
    assert client.get(address.replace("1-item", "3-item")).status_code == 404
    ahead = address.replace("1-item", "2-item")
    assert f'data-next="{ahead}"' in walk.html
    assert client.head(ahead).status_code == 200
    played = {
        "duration_s": 1.0,
        "played": [[0, 1]],
        "watched": True,
        "plays": 1,
        "failed": False,
        "max_rate": 1,
    }
    telling = json.dumps({"v": 1, "loads": 1, "drift_ms_max": 0, "hidden_ms": 0, "item": played})
    walk.answer(playback=telling, rt_ms="9000")
    form = answer_for(walk.html, playback=telling, rt_ms="9000")  # at once, and nothing fetched
    client.post(walk.address, data=form)
    with database.reading() as session:
        found = session.exec(
            select(Response).where(col(Response.trial_id).is_not(None)).order_by(col(Response.id))
        )
        honest, forged = found.all()
        assert (honest.raised, honest.unwatched, honest.answers["logic"]) == (None, False, 4)
        assert forged.raised is not None
        assert {"not-fetched", "short-interval"} <= set(forged.raised.split(";"))
        assert forged.unwatched
        evidence = session.exec(select(Evidence).where(Evidence.response_id == honest.id)).one()
        assert (evidence.slot, evidence.watched, evidence.reading) == ("item", True, None)


def test_a_clip_that_does_not_play_is_no_lost_session(
    client: TestClient, opened: Callable[..., str], database: Database
) -> None:
    opened(rating_block(items="item,stimulus,group\na,human-g1,g1\nb,hybrid-g1,g1\n"))
    walk = Walk(client).to("trial-1")
    client.post(walk.address, data={"submit_id": "trial-1.x", "unplayable": "1"})
    walk.look()
    walk.answer()
    assert walk.page == "end"
    with database.reading() as session:
        assert session.exec(select(ParticipantSession.status)).one() == Status.COMPLETED
