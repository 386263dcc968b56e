"""The results page of studies of matches or walks alone: the measures of `game metrics`, and where the rest is."""

import csv
import io
import re
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlmodel import col

from analysis.games.compare import described
from app.core.database import Database
from app.core.settings import Settings
from app.reports.export import export
from app.reports.kinds import Format
from app.reports.matches import seat_table
from app.studies.versions import set_state
from app.tasks.game.games import GAMES
from app.tasks.game.match_files import read_matches
from app.tasks.game.tables import GameEvent
from app.trials.tables import SessionVerdict, State
from app.worker.worker import drain
from tests.admin.persons import Person as Experimenter
from tests.admin.persons import fresh_client
from tests.clock import Clock
from tests.factories import NOW
from tests.tasks.game.people import SLUG, Person, open_game, play_on
from tests.tasks.walk.walking import Walking, load_walks

HERE = f"/admin/studies/{SLUG}/results"


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """A data folder of the test's own."""
    data = tmp_path / "data"
    data.mkdir()
    return settings.model_copy(update={"data": data})


def computed(owner: Experimenter, settings: Settings, database: Database, here: str = HERE) -> str:
    owner.get(here)
    drain(settings, database)
    return str(owner.get(here).text)


def test_matches_have_their_measures_people_first_as_game_metrics_has_them(
    owner: Experimenter, settings: Settings, database: Database, tmp_path: Path
) -> None:
    seats = ["human", "human", "gt"]
    open_game(database, tmp_path, game="sug", configs={"players": 3, "rounds": 3}, seats=seats)
    for _ in range(3):
        people = [Person(fresh_client(owner.browser), database) for _ in range(2)]
        for person in people:
            person.look()
        play_on(people)
        for person in people:
            assert person.look() == "result"
            person.act("next")
    with database.transaction() as session:
        set_state(session, SLUG, State.CLOSED)
    html = computed(owner, settings, database)
    assert "could not be computed" not in html
    assert "Beside another study" not in html
    assert html.index("<h2>Play</h2>") < html.index("<h2>How sources play")
    for anchor, title in (("play", "Play"), ("signatures", "How sources play")):
        assert f'id="{anchor}"><h2>{title}' in html
        assert f'href="/admin/studies/{SLUG}/results#{anchor}"' in html, "in the menu"
        assert f'<a href="#{anchor}">' in html
    assert "3 matches of “The sharing game”, played by 6 people." in html
    with database.reading() as session:
        for what in ("moves", "seats_played"):
            export(session, SLUG, what, Format.CSV, tmp_path / f"{what}.csv")
    table, names = seat_table(read_matches(tmp_path / "moves.csv").seats)
    measured = described(table, names, shares=GAMES["sug"].shares)
    expected = {(one.player, one.measure): one for one in measured if one.mean is not None}
    for measure in {name for _, name in expected}:
        response = owner.get(f"{HERE}/measurea{measure.replace('_', '')}.csv")
        rows = list(csv.DictReader(io.StringIO(response.text)))
        assert [row["player"] for row in rows] == [
            name for name in ("human", "gt") if (name, measure) in expected
        ]
        for row in rows:
            one = expected[row["player"], measure]
            assert (int(row["matches"]), int(row["seats"])) == (one.n, one.n_seats)
            assert float(row["mean"]) == one.mean
            assert row["ci_low"] == ("" if one.interval.low is None else str(one.interval.low))
    words = re.sub(r"<[^>]+>", "", html)
    assert re.search(r"Mean offer: people [\d.]+, gt [\d.]+", words)
    # No key of the study file or of a table: games and tables have their names on pages.
    assert "The sharing game: in 3 of 3 matches of human there were others, too" in words
    assert "from the tables Moves and Seats under Data" in words
    assert not re.search(r"\bsug\b|seats_played", words.split("<main")[-1])
    monitored = re.sub(r"<[^>]+>", " ", owner.get(f"/admin/studies/{SLUG}/monitor").text)
    assert re.search(r"players 3, rounds 3\s+6\s+The sharing game", monitored)
    assert not re.search(r"\bsug\b|\b[0-9a-f]{16}\b", monitored)


def test_matches_with_somebody_who_is_not_used_are_left_out_and_the_page_follows_a_verdict(
    owner: Experimenter, settings: Settings, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, configs={"rounds": 2})
    for _ in range(3):
        people = [Person(fresh_client(owner.browser), database) for _ in range(2)]
        for person in people:
            person.look()
        play_on(people)
        for person in people:
            person.act("next")
    with database.transaction() as session:
        set_state(session, SLUG, State.CLOSED)
    html = computed(owner, settings, database)
    assert "3 matches of" in html
    assert "left out: a person" not in html
    for n, left in (([1], "2 matches of"), ([2, 3, 5], "")):
        Clock.wait(90)  # a page is shown as it is for a minute
        with database.transaction() as session:
            for id_ in n:
                names = {"automatic-moves": {"moves": 2, "of": 2}}
                session.merge(
                    SessionVerdict(
                        session_id=id_,
                        use=False,
                        pay=True,
                        rules=names,
                        names="automatic-moves",
                        judged_at=NOW,
                    )
                )
        html = computed(owner, settings, database)
        if left:
            assert left in html
            assert "1 match is left out: a person in it is excluded (rule: automatic-moves 1)." in html
        else:
            assert "No match that counts is over yet." in html
            assert "all 3 are left out (rule: automatic-moves 3)" in html
        assert (
            f"Rules left out {'1 session' if left else '4 sessions'}. No answer is right in a match" in html
        )
        assert "could not be computed" not in html


def test_who_was_not_matched_leaves_a_page_without_measures(
    owner: Experimenter, settings: Settings, database: Database, tmp_path: Path
) -> None:
    questions = [
        {
            "id": "who",
            "ask": "What does a rejected offer pay?",
            "options": ["Nothing", "Half"],
            "answer": "Nothing",
        }
    ]
    open_game(database, tmp_path, comprehension={"questions": questions, "tries": 1})
    person = Person(fresh_client(owner.browser), database)
    person.look()
    assert person.act("answers", who="Half") == "result"
    assert person.act("next") == "end"
    with database.transaction() as session:
        set_state(session, SLUG, State.CLOSED)
    html = computed(owner, settings, database)
    assert "No match that counts is over yet." in html
    assert "could not be computed" not in html


def test_a_study_of_walks_says_where_walks_are_judged(
    owner: Experimenter, settings: Settings, database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_walks(session, tmp_path)
    walking = Walking(fresh_client(owner.browser))
    assert walking.answer() == "trial-1"
    assert walking.answer(unable="1", walked="{}") == "trial-2"
    with database.transaction() as session:
        set_state(session, "walks", State.CLOSED)
    html = computed(owner, settings, database, "/admin/studies/walks/results")
    assert "Walks are judged in another study." in html
    assert "the walks are drawn into the library under Data" in html
    assert "likely-human" not in html.split("<main")[1]
    assert "could not be computed" not in html
    clues = owner.get("/admin/studies/walks/clues").text
    assert "Nothing is judged in this study" in clues
    assert "make pairs" not in clues
    # A goal to walk to is no item that is rated, so a judge has nothing to say of it.
    judges = owner.get("/admin/studies/walks/judges").text.split("<main")[1]
    assert "Here people do neither: draw the walks into the library" in judges
    assert 'type="file"' not in judges
    assert "'walks'" not in judges
    assert owner.get("/admin/studies/walks/judges/example.csv").status_code == 409


def test_moves_that_are_not_what_was_played_are_said_and_no_empty_page_is_shown(
    owner: Experimenter, settings: Settings, database: Database, tmp_path: Path
) -> None:
    open_game(
        database, tmp_path, game="sug", configs={"players": 3, "rounds": 2}, seats=["human", "gt", "gt"]
    )
    person = Person(fresh_client(owner.browser), database)
    person.look()
    play_on([person])
    assert person.look() == "result"
    person.act("next")
    with database.transaction() as session:
        set_state(session, SLUG, State.CLOSED)
        session.execute(update(GameEvent).where(col(GameEvent.seq) == 2).values(state_hash="0" * 64))
    html = computed(owner, settings, database)
    assert "could not be computed" in html
    assert "line 3 (match 1, seq 2): state_hash" in html
    assert "No match that counts is over yet" not in html


@pytest.mark.usefixtures("forked")
def test_a_report_of_matches_or_walks_alone_is_refused_in_the_words_of_pages(
    owner: Experimenter, settings: Settings, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path)
    with database.transaction() as session:
        load_walks(session, tmp_path)
    for slug, what in ((SLUG, "matches"), ("walks", "walks")):
        owner.post(f"/admin/studies/{slug}/reports", {"mode": "", "seed": "1"})
        drain(settings, database)
        page = owner.get(f"/admin/studies/{slug}/data").text
        alert = re.search(r'<p class="callout bad" role="alert">(.*?)</p>', page, re.S)
        assert alert
        assert f"{slug} is a study of {what}, of which there is no report" in alert[1]
        assert not re.search("likely-human|--[a-z]|`", alert[1])
        menu = page[page.index("<nav") : page.index("<main")]
        for place in ("Results", "Signatures", "Data"):
            assert place in alert[1]
            assert f">{place}" in menu
    refused = owner.get("/admin/studies/walks/data/labels.csv")
    assert (refused.status_code, "There are no pairs in this study." in refused.text) == (400, True)
    assert "--what" not in refused.text
