"""The pages of matches: the list, a replay by links alone, stopping with a reason; who may see and do what."""

import csv
import random
import re
from pathlib import Path

from sqlmodel import col, select

from app.core.database import Database
from app.core.spreadsheet import csv_text
from app.demo.build import build_play, build_rate
from app.library.tables import Stimulus
from app.reports.export import export
from app.reports.facts import designs_of
from app.reports.kinds import Format
from app.tasks.game.match_files import read_matches
from app.trials.tables import SessionVerdict, Study
from tests.admin.conftest import ShareWith
from tests.admin.persons import Person as Experimenter
from tests.admin.persons import Program, fresh_client
from tests.clock import Clock
from tests.factories import NOW, submit_id_on
from tests.tasks.game.people import SLUG, Person, open_game, play_on

HOME = f"/admin/studies/{SLUG}/matches"


def test_the_list_the_replay_and_the_stop(
    owner: Experimenter, viewer: Experimenter, share_with: ShareWith, database: Database, tmp_path: Path
) -> None:
    client = owner.browser
    open_game(database, tmp_path)
    assert "No one is waiting for a match." in owner.get(HOME).text
    people = [Person(fresh_client(client), database, PROLIFIC_PID=name) for name in ("ann", "bob")]
    [person.look() for person in people]
    html = owner.get(HOME).text
    assert "Match 1" in html
    assert "rounds 4" in html
    overview = owner.get(f"/admin/studies/{SLUG}").text
    in_short = overview[overview.index('class="tabbar"') :]
    assert f'href="{HOME}"' in in_short
    results = owner.get(f"/admin/studies/{SLUG}/results").text
    assert f"<code>likely-human signatures {SLUG}</code>" in results
    next(person for person in people if person.legal()).move(random.Random(2))
    news = owner.get(f"{HOME}/live?mode=live").text
    assert "<html" not in news
    assert 'id="w-running"' in news
    page = owner.get(f"{HOME}/1?at=1").text
    assert "The match begins" in page
    assert f'href="{HOME}/1?at=2"' in page
    assert 'type="range"' in page
    assert " proposes " in owner.get(f"{HOME}/1").text
    assert " proposes " in owner.get(f"{HOME}/1/at?at=2").text
    assert owner.get(f"{HOME}/1?at=nonsense").status_code == 200
    assert owner.get(f"{HOME}/9").status_code == 404
    assert owner.get(f"{HOME}?mode=preview").status_code == 409
    share_with(viewer, SLUG)
    seen = viewer.get(f"{HOME}/1").text
    assert "Stop this match" not in seen
    assert " proposes " in seen
    assert viewer.post(f"{HOME}/1/stop", {"reason": "no"}).status_code == 403
    done = owner.post(f"{HOME}/1/stop", {"reason": "fire drill"})
    assert "The match is ended." in done.text
    assert "stopped by hand" in done.text
    assert "fire drill" in owner.get(f"/admin/studies/{SLUG}/audit").text
    again = owner.post(f"{HOME}/1/stop")
    assert again.status_code == 409
    assert "already over" in again.text
    assert people[0].look() == "result"


def test_a_replay_shows_who_had_each_seat_at_that_event_and_speaks_the_words_of_the_game(
    owner: Experimenter, database: Database, tmp_path: Path
) -> None:
    open_game(
        database,
        tmp_path,
        game="sug",
        configs={"players": 3, "rounds": 3},
        seats=["human", "human", "simulated"],
        leaving={"then": "agent", "agent": "adaptive", "grace_s": 30},
    )
    ann, bob = (Person(fresh_client(owner.browser), database, PROLIFIC_PID=name) for name in ("ann", "bob"))
    [person.look() for person in (ann, bob)]
    rng, seat = random.Random(2), ann.seat.seat
    ann.move(rng)
    ann.act("leave")
    while bob.look() == "playing":
        bob.move(rng) or Clock.wait(30)
    html = owner.get(f"{HOME}/1").text
    words = [
        re.sub(r"<[^>]+>|\s+", " ", each).strip()
        for each in re.findall(r'\?at=\d+">\d+</a>.*?<span>(.*?)</span></li>', html, re.DOTALL)
    ]
    offered = next(n for n, text in enumerate(words, 1) if text.startswith(f"Player {seat} offers "))
    left = next(n for n, text in enumerate(words, 1) if f"Player {seat} leaves (by the button)" in text)
    assert offered < left
    assert any(re.fullmatch(r"Player \d (accepts|rejects) the offer of Player \d.*", text) for text in words)
    assert not [text for text in words if ":" in text or "offer_" in text]

    def sitter(at: int) -> str:
        shown = owner.get(f"{HOME}/1?at={at}").text
        row = re.search(rf'<th scope="row">Player {seat}</th><td data-label="Who">(.*?)</td>', shown)
        assert row is not None
        return re.sub(r"<[^>]+>", "", row[1])

    assert [sitter(at) for at in (1, offered, left, left + 1, len(words))] == ["ann"] * 3 + ["adaptive"] * 2
    assert "Who played then" in owner.get(f"{HOME}/1?at={offered}").text
    first, last = owner.get(f"{HOME}/1?at=1").text, html
    earned = [re.findall(r'class="num" data-label="Earned">([^<]+)<', page) for page in (first, last)]
    assert set(earned[0]) == {"0"}
    assert set(earned[1]) != {"0"}


def test_programs_see_matches_stop_them_and_offer_them(
    owner: Experimenter, api: Program, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, configs={"rounds": 2})
    build_rate(database)
    ann = Person(fresh_client(owner.browser), database, PROLIFIC_PID="ann")
    here = f"/studies/{SLUG}/matches"
    ann.look()
    [waiter] = api.get(here).json()["waiting"]
    assert waiter["participant"] == "ann"
    bob = Person(fresh_client(owner.browser), database, PROLIFIC_PID="bob")
    [person.look() for person in (bob, ann)]
    next(person for person in (ann, bob) if person.legal()).move(random.Random(2))
    [running] = api.get(here).json()["running"]
    assert {seat["who"] for seat in running["seats"]} == {"ann", "bob"}
    one = api.get(f"{here}/{running['id']}").json()
    assert [event["seq"] for event in one["events"]] == list(range(1, one["n_events"] + 1))
    assert re.fullmatch(r"proposes [\d,]+ for Alice and [\d,]+ for Bob", one["events"][-1]["what"])
    early = api.post(f"{here}/1/offer", {"study": "rate"})
    assert (early.status_code, "played to its end" in early.json()["message"]) == (409, True)
    assert api.post(f"{here}/1/stop", {"reason": "fire drill"}).status_code == 204
    assert api.post(f"{here}/1/stop").status_code in (409, 422)
    assert [each["status"] for each in api.get(here).json()["over"]] == ["stopped"]
    assert api.get(f"{here}/9").status_code == 404
    assert api.get(f"{here}?mode=preview").status_code == 409


def test_a_match_is_played_alone_from_the_design_page_and_counts_nowhere(
    owner: Experimenter, database: Database, tmp_path: Path
) -> None:
    study = f"/admin/studies/{SLUG}"
    open_game(database, tmp_path, game="sug", configs={"players": 3, "rounds": 2}, seats="human")
    design = owner.get(f"{study}/design/all").text
    assert 'name="block" value="play"' in design
    assert 'name="blocks.0.configs.players"' in design
    frame = owner.get(f"{study}/draft/page/block-1").text
    assert "Make an offer" in frame
    assert '<button type="submit">' not in frame
    begun = owner.post(f"{study}/preview", {"block": "play"})
    address = begun.url.path
    assert address.startswith("/p/")
    for _ in range(2):
        html = owner.browser.get(address).text
        assert "Make an offer" in html
        phase = re.search(r'name="phase_id" value="([^"]+)"', html)
        seat = re.search(r"Player (\d)</b>", html)
        assert phase
        assert seat
        other = "1" if seat[1] != "1" else "2"
        form = {"submit_id": submit_id_on(html), "do": "move", "kind": "offer", "phase_id": phase[1]}
        assert owner.browser.post(address, data={**form, "to": other, "amount": "5"}).status_code == 200
        for _ in range(8):
            Clock.wait(60)
            html = owner.browser.get(address).text
            if "Make an offer" in html or "The match is over" in html:
                break
    assert "The match is over" in html
    assert "Previews are not listed" not in owner.get(HOME).text
    assert "No match is over yet." in owner.get(HOME).text
    assert owner.get(f"{HOME}/1").status_code == 404
    assert owner.post(f"{study}/preview", {"block": "none"}).status_code == 404


def test_a_demo_match_is_offered_as_records_to_rate(
    owner: Experimenter, viewer: Experimenter, share_with: ShareWith, database: Database
) -> None:
    build_play(database)
    build_rate(database)
    match = "/admin/studies/play/matches/1"
    person = Person(fresh_client(owner.browser), database, slug="play")
    person.post()
    assert person.act("answers", rejected="Nothing") == "playing"
    assert "Offer as records" not in owner.get(match).text
    assert "played to its end" in owner.post(f"{match}/offer", {"study": "rate"}).text
    play_on([person], agents_s=5)
    begun = Person(fresh_client(owner.browser), database, slug="rate")
    assert "<option>rate</option>" in owner.get(match).text
    assert "<option>play</option>" not in owner.get(match).text
    assert "no block that rates" in owner.post(f"{match}/offer", {"study": "play"}).text
    share_with(viewer, "play")
    assert viewer.post(f"{match}/offer", {"study": "rate"}).status_code == 403
    with database.transaction() as session:
        unused = SessionVerdict(
            session_id=person.seat.session_id or 0,
            use=False,
            pay=True,
            rules={},
            names="hidden",
            judged_at=NOW,
        )
        session.add(unused)
    refused = owner.post(f"{match}/offer", {"study": "rate"})
    assert (refused.status_code, "left out by an exclusion rule" in refused.text) == (409, True)
    with database.transaction() as session:
        session.delete(session.exec(select(SessionVerdict)).one())
    assert "are now items of this study" in owner.post(f"{match}/offer", {"study": "rate"}).text
    again = owner.post(f"{match}/offer", {"study": "rate"})
    assert (again.status_code, "has the records of match 1 already" in again.text) == (409, True)
    with database.reading() as session:
        kept = session.exec(select(Stimulus).where(col(Stimulus.name).startswith("play-1-"))).all()
        first, second = designs_of(session, "rate").values()
        [study] = session.exec(select(Study).where(Study.slug == "rate"))
    assert sorted(one.source for one in kept) == ["adaptive", "dba", "dbra", "gt", "human"]
    assert study.state == "live"
    assert (first.n_units["rating"], second.n_units["rating"]) == (5, 10)
    begun.post()
    assert "of 5" in begun.html, "who has begun stays with the version they began"
    begins = Person(fresh_client(owner.browser), database, slug="rate")
    begins.post()
    assert "of 10" in begins.html
    assert "offered the records of" in owner.get("/admin/studies/play/audit").text


def test_play_of_people_who_did_not_agree_is_no_record(
    owner: Experimenter, database: Database, tmp_path: Path
) -> None:
    build_rate(database)
    open_game(database, tmp_path, configs={"rounds": 2})
    people = [Person(fresh_client(owner.browser), database, PROLIFIC_PID=name) for name in ("ann", "bob")]
    [person.look() for person in people]
    play_on(people)
    refused = owner.post(f"{HOME}/1/offer", {"study": "rate"})
    assert (refused.status_code, "did not agree" in refused.text) == (409, True)
    with database.reading() as session:
        for what in ("moves", "seats_played"):
            export(session, SLUG, what, Format.CSV, tmp_path / f"{what}.csv")
    found = read_matches(tmp_path / "moves.csv")
    assert (len(found.matches), found.agreed) == (1, [])
    seats = tmp_path / "seats_played.csv"
    with seats.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for agree, n in ((["yes", ""], 0), (["yes", "yes"], 1)):
        said = [list({**row, "may_show": yes}.values()) for row, yes in zip(rows, agree, strict=True)]
        seats.write_text(csv_text(tuple(rows[0]), said))
        assert len(read_matches(tmp_path / "moves.csv").agreed) == n
