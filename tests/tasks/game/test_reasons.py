"""Reasons for moves: asked of people where the study says so, kept beside the move, and seen by no other player."""

import csv
import random
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.errors import StudyError
from app.matches.observing import replay_at
from app.matches.offering import documents_of
from app.reports.export import export
from app.reports.kinds import Format
from app.studies.launch import study_here
from app.tasks.game.base import Act, Agent, Budget, Event, Player, View, Viewer
from app.tasks.game.files import MOVES, Played, move_rows
from app.tasks.game.games import GAMES
from app.tasks.game.games.wac.parameters import RESIDENTS
from app.tasks.game.match import Match, play
from app.tasks.game.moves import MoveSchema
from app.tasks.game.record_options import By, Options, Text
from app.tasks.game.records import write_records
from app.tasks.game.replay import Replayed, ReplayError, Row, replay, replayed
from tests.factories import submit_id_on
from tests.sessions.test_withdrawing import stop
from tests.tasks.game import random_play
from tests.tasks.game.people import SLUG, Person, forget, open_game, running
from tests.tasks.game.test_live import events
from tests.tasks.game.test_records import contents

pytestmark = pytest.mark.any_database
WHY = "Write to ann@example.org: I need it, and\nEric has $150"
SHOWN = "Write to [masked]: I need it, and\n{eric} has $150"


def test_a_reason_changes_no_state_no_hash_and_no_view() -> None:
    for name, game in GAMES.items():
        config = game.Config()
        silent, said = Match(game, config, 5), Match(game, config, 5)
        for event in random_play.events(game, config, 5):
            silent.append(event)
            said.append(replace(event, reason=WHY if event.kind == "move" else ""))
        assert [line.state_hash for line in said.log] == [line.state_hash for line in silent.log], name
        viewers: list[Viewer] = [*(role.seat for role in game.seats(config)), "observer", "record"]
        for viewer in viewers:
            assert game.view(said.state, viewer) == game.view(silent.state, viewer), name


def test_what_agents_give_as_reasons_goes_with_their_moves() -> None:
    game = GAMES["sug"]
    config = game.Config(rounds=2)
    match = play(game, config, [Says() for _ in game.seats(config)], 1)
    assert {event.reason for event in match.events if event.kind == "move"} == {"because"}
    assert {event.reason for event in match.events if event.kind != "move"} == {""}


def test_a_table_of_moves_has_the_reasons_last_and_an_older_one_none() -> None:
    game = GAMES["wac"]
    match = bids()
    rows = [
        Row(i, dict(zip(MOVES, cells, strict=True)))
        for i, cells in enumerate(move_rows(Played("1", match, [Silent()] * 5)), start=2)
    ]
    assert MOVES[-1] == "reason"
    assert {row.cells["reason"] for row in rows if row.cells["seat"] != "1"} == {""}
    again = replay(rows)
    assert again.log == match.log
    assert [
        line.event.reason for line in again.log if line.event.seat == 1 and line.event.kind == "move"
    ] == [WHY, ""]
    with pytest.raises(ReplayError, match="reason is 'x'; computed again it is ''"):
        replay([Row(rows[0].line, {**rows[0].cells, "reason": "x"}), *rows[1:]])
    assert game.done(match.state) is not None


def test_an_older_file_of_moves_is_replayed(tmp_path: Path) -> None:
    rows = list(move_rows(Played("1", bids(), [Silent()] * 5)))
    for columns, reason in ((MOVES, WHY), (MOVES[:-1], "")):
        path = tmp_path / "moves.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([columns, *(row[: len(columns)] for row in rows)])
        (one,) = replayed(path)
        assert {line.event.reason for line in one.match.log if line.event.seat == 1} == {reason, ""}


def test_records_show_reasons_as_they_show_messages(tmp_path: Path) -> None:
    one = Replayed(bids(), dict.fromkeys(range(1, 6), "human"), "7")
    for text, said in (
        (Text.NUMBERS, []),
        (Text.LENGTH, ["Reason for a bid: [medium]"]),
        (Text.FULL, ["Reason for a bid: " + SHOWN]),  # with Eric as the record calls him
    ):
        for by in By:
            write_records([([one], {})], Options(by=by, text=text), tmp_path / f"{text}-{by}")
        seats = contents(tmp_path / f"{text}-seat")
        own = [each.replace("{eric}", "Other 4") for each in said]
        assert [lines(each, 0) for each in seats] == [own, [], [], [], []], "nobody knows another's reasons"
        assert lines(seats[0], 1) == [], "a day without a reason has none"
        (whole,) = contents(tmp_path / f"{text}-match")
        of_all = [each.replace("Reason for", "Reason of Player 1 for") for each in said]
        assert lines(whole, 0) == [each.replace("{eric}", "Player 5") for each in of_all]
        decided = contents(tmp_path / f"{text}-decision")
        assert [lines(each, 0) for each in decided[:3]] == [own, [], []]
    assert "Reason" not in str([each.document.content for each in documents_of(one, {}, "x")])


def test_a_record_says_who_its_player_was_told_to_be_and_of_no_other(tmp_path: Path) -> None:
    """The fit of play to a character is judged by raters who know it."""
    game = GAMES["wac"]
    match = Match(game, game.Config(days=1, personas=True), 1)
    while not match.is_over:
        phase = match.phase
        for event in [
            Event("move", phase.phase_id, seat, {"kind": "bid", "amount": 0}) for seat in phase.seats
        ] or [Event("nature", phase.phase_id, None, {"kind": "supply", "value": 15})]:
            match.append(event)
    one = Replayed(match, dict.fromkeys(range(1, 6), "human"), "7")
    for by in (By.SEAT, By.MATCH):
        write_records([([one], {})], Options(by=by), tmp_path / by)
    for seat, record in enumerate(contents(tmp_path / By.SEAT), 1):
        told = [each["about"].partition("was told: ")[2] for each in record["players"]]
        assert told == [f"“{RESIDENTS[seat - 1].persona}”", "", "", "", ""]
    [whole] = contents(tmp_path / By.MATCH)
    assert all("was told: " in each["about"] for each in whole["players"])
    assert "was told" not in str(contents(plain(tmp_path)))


def plain(folder: Path) -> Path:
    write_records([([Replayed(bids(), {}, "7")], {})], Options(), folder / "plain")
    return folder / "plain"


def test_people_are_asked_for_reasons_where_the_study_says_so(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(
        database,
        tmp_path,
        reasons="required",
        configs={"rounds": 2, "messages": False},
        messages={"max_chars": 40, "screen": ["contact"]},
    )
    people = [Person(client, database) for _ in range(2)]
    [person.look() for person in people]
    mover, other = sorted(people, key=lambda person: person.legal() is None)
    form = mover.move_form(random.Random(1))
    assert form is not None
    assert 'name="reason" rows="3" maxlength="40"' in mover.html
    assert 'name="reason"' not in other.html
    for reason, said in (
        (" ", "Please write why you do this."),
        ("x" * 41, "Your reason has 41 characters, 1 more than the 40 allowed."),
        ("ask ann@example.org", "Please write no email addresses"),
    ):
        answer = client.post(
            mover.address, data={"submit_id": submit_id_on(mover.html), **form, "reason": reason}
        )
        assert answer.status_code == 422
        assert said in answer.text, "it stays on the page, with what was wrong"
        assert mover.legal() is not None
    mover.post(**form, reason="Half of it is\u202e fair <b>")
    other.look()
    assert "is fair" not in other.html
    assert "is fair" not in client.get(f"{other.address}/state", params={"after": "0"}).text
    forget(database)
    while running(database):
        for person in people:
            person.look()
            if form := person.move_form(random.Random(1)):
                person.post(**form, reason="It is late")
    reasons = {event.reason for event in events(database) if event.kind == "move"}
    assert "Half of it is fair <b>" in reasons
    with database.reading() as session:
        export(session, SLUG, "moves", Format.CSV, tmp_path / "moves.csv")
        shown = replay_at(session, study_here(session, SLUG), 1, 0)
    (one,) = replayed(tmp_path / "moves.csv")
    first = next(line for line in one.match.log if line.event.kind == "move")
    assert first.event.reason == "Half of it is fair <b>"
    assert shown.events[first.seq - 1].reason == "Half of it is fair <b>"
    stop(client, mover.address)
    assert not [event for event in events(database) if "fair" in event.reason], "it goes with who wrote it"


def test_a_study_that_does_not_ask_takes_no_reason_and_an_optional_one_may_be_left(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    for reasons, given, kept in (
        ("none", "because", ""),
        ("optional", "", ""),
        ("optional", "because", "because"),
    ):
        slug = f"{reasons}-{len(given)}"
        open_game(database, tmp_path, slug=slug, reasons=reasons)
        people = [Person(client, database, slug=slug) for _ in range(2)]
        [person.look() for person in people]
        mover = next(person for person in people if person.legal())
        assert ("Why do you do this?" in mover.html) is (reasons == "optional")
        form = mover.move_form(random.Random(1))
        assert form is not None
        mover.post(**form, reason=given)
        assert events(database)[-1].reason == kept
    with pytest.raises(StudyError, match="reasons"):
        open_game(database, tmp_path, slug="x", reasons="always")


class Says:
    """Any legal move, with a reason."""

    def act(self, view: View, legal: MoveSchema, rng: random.Random, budget: Budget) -> Act:
        return Act(legal.sample(rng), "", "because")


class Silent(Agent):
    """A player on a seat of a match that was made by hand."""

    name = "silent"
    about = "makes no move"

    def player(self) -> Player:
        raise NotImplementedError


def bids() -> Match:
    """Two days of the auction; seat 1 gives a reason on the first."""
    game = GAMES["wac"]
    match = Match(game, game.Config(days=2), 1)
    while not match.is_over:
        phase = match.phase
        if not phase.seats:
            match.append(Event("nature", phase.phase_id, None, {"kind": "supply", "value": 15}))
        for seat in phase.seats:
            reason = WHY if seat == phase.round == 1 else ""
            match.append(Event("move", phase.phase_id, seat, {"kind": "bid", "amount": 10}, reason=reason))
    return match


def lines(record: dict[str, object], at: int) -> list[str]:
    parts = record["rounds"][at]["parts"]  # type: ignore[index]
    return [part["text"] for part in parts if part.get("text", "").startswith("Reason")]
