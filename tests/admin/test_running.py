"""A study while it runs, through the pages and the API: launch, preview, monitor, sessions."""

import asyncio
import html
import os
import re
import signal
import threading
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlmodel import col, select, update
from starlette.testclient import TestClient

from app.accounts.tables import AuditEntry
from app.admin.running import events
from app.admin.running.charts import nice_top, time_chart
from app.core import ending
from app.core.database import Database
from app.core.settings import Settings
from app.monitor.snapshots import TimePoint
from app.reports.export import rows_of
from app.studies.launch import study_here
from app.studies.versions import set_state
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, State, Study, StudyVersion, Trial, UnitMember
from tests.admin.conftest import ShareWith
from tests.admin.persons import Person, Program
from tests.factories import NOW, answer_for, load_file, study_file
from tests.kept import Kept
from tests.sessions.walks import Walk

HERE = "/admin/studies/nav"
XSS = "<script>alert(1)</script>"


def state_of(database: Database) -> State:
    with database.reading() as session:
        return study_here(session, "nav").state


def modes(database: Database) -> list[str]:
    with database.reading() as session:
        return list(session.exec(select(ParticipantSession.mode).order_by(col(ParticipantSession.id))))


@pytest.fixture
def draft(study: str, database: Database) -> str:
    """The study before anybody may come in."""
    with database.transaction() as session:
        set_state(session, study, State.DRAFT, now=NOW)
    return study


@pytest.fixture
def answered(client: TestClient, study: str, database: Database, kept: Kept) -> str:
    """The study with one participant who finished and one who is at the third pair."""
    people = (("Anna", "end"), ("Bert", "trial-3"))
    kept.once(database, lambda: [Walk(client, study, participant=name).to(page) for name, page in people])
    return study


def ticks(html: str) -> dict[str, str]:
    return dict.fromkeys(re.findall(r'name="(know-[^"]+)"', html), "yes")


def test_a_study_goes_from_draft_over_the_pilot_to_live_and_closed(
    owner: Person, draft: str, client: TestClient, database: Database
) -> None:
    page = owner.get(f"{HERE}/launch").text
    assert "No one has completed version 1" in page
    page = owner.post(f"{HERE}/launch", {"to": "pilot"}).text
    assert "kept apart from the live data for ever" in page
    Walk(client, draft).to("end")
    page = owner.get(f"{HERE}/launch").text
    assert "Someone completed version 1 as a pilot" in page
    known = ticks(page)
    assert set(known) == {"know-clues", "know-retention"}
    assert (
        "The study takes participants now."
        in owner.post(f"{HERE}/launch", {"to": "live", **known, "reason": "All clips are alike."}).text
    )
    Walk(client, draft).to("end")
    assert modes(database) == ["pilot", "live"]
    page = owner.post(f"{HERE}/launch", {"to": "closed"}).text
    assert "no participants can enter" in page
    assert "“All clips are alike.”" in page
    assert state_of(database) is State.CLOSED
    with database.reading() as session:
        done = session.exec(
            select(AuditEntry).where(AuditEntry.action == "study.state").order_by(col(AuditEntry.id))
        ).all()
        assert [(e.actor, e.after["state"]) for e in done[-3:]] == [
            (owner.email, "pilot"), (owner.email, "live"), (owner.email, "closed")
        ]  # fmt: skip


def test_closing_says_what_happens_to_those_who_are_under_way(
    answered: str, owner: Person, api: Program, client: TestClient
) -> None:
    walk = Walk(client, answered)
    walk.to("trial-2")
    owner.post(
        f"{HERE}/launch", {"to": "closed", "under_way": "finish", "grace": "30", "closing": "See you."}
    )
    assert walk.look() == "trial-2"
    assert re.search(r"finish it within (29|30) minutes", walk.html)
    walk.answer()
    page = owner.get(f"{HERE}/launch").text
    assert "See you." in page
    assert "Participants under way have until" in page
    bad = {"to": "closed", "under_way": "finish", "grace": "-5", "closing": XSS}
    response = owner.post(f"{HERE}/launch", bad)
    assert (response.status_code, "0 to 10080 minutes" in response.text, XSS in response.text) == (
        422,
        True,
        False,
    )
    said = {"to": "closed", "under_way": "end", "closing": "You are paid for the part that you did."}
    assert "No session can continue" in owner.post(f"{HERE}/launch", said).text
    form = answer_for(walk.html)
    assert walk.look() == "end"
    for shown in (walk.html, walk.client.post(walk.address, data=form).text):
        assert "You are paid for the part that you did." in shown
        assert "Contact: the person who invited you" in re.sub(r"<[^>]+>", "", shown)
        assert "<video" not in shown
    asked = {"Accept": "application/json"}
    assert walk.client.post(walk.address, data=form, headers=asked).json() == {"next": walk.address}
    assert walk.client.get(f"{walk.address}/clips/3-left.mp4").status_code == 404
    state = api.put("/studies/nav/state", {"state": "closed", "grace_minutes": 5}).json()
    assert datetime.fromisoformat(state["closes_at"]) > datetime.now(UTC)
    assert walk.look() == "trial-3"
    assert api.put("/studies/nav/state", {"state": "closed", "grace_minutes": -1}).status_code == 422
    assert api.put("/studies/nav/state", {"state": "live"}).json()["closes_at"] is None
    assert walk.look() == "trial-3"
    assert "This study is ending" not in walk.html


def test_links_for_participants_and_to_a_session_are_made_on_pages_and_by_programs(
    answered: str, owner: Person, api: Program, client: TestClient, settings: Settings
) -> None:
    page = owner.post(f"{HERE}/links", {"names": "P1\r\n\r\nAnna\nP1\n"}).text
    assert "2 links" in page
    found = [html.unescape(link) for link in re.findall(r"<code>(http://testserver/s/nav[^<]+)", page)]
    for heading in (
        "participant",
        "Participant id",
        "participant_id",
        "PROLIFIC_PID",
        "WorkerId",
        "Survey Code",
        "participant\nPROLIFIC_PID",
    ):
        page = owner.post(f"{HERE}/links", {"names": f"{heading}\nP1\nAnna"}).text
        under = [html.unescape(link) for link in re.findall(r"<code>(http://testserver/s/nav[^<]+)", page)]
        assert under == found, heading
    assert owner.post(f"{HERE}/links", {"names": "participant_id\n"}).status_code == 422
    by_program = api.post("/studies/nav/links", {"participants": ["P1", "Anna"]}).json()
    assert [f"http://testserver{link['path']}" for link in by_program] == found
    walk = Walk(client, link=found[0])
    walk.to("trial-1")
    assert Walk(client, link=found[0]).page == "trial-1"
    for names in ("", " \n", "{{PID}}", "x" * 200):
        response = owner.post(f"{HERE}/links", {"names": names})
        assert (response.status_code, 'class="callout bad"' in response.text) == (422, True)
        assert api.post("/studies/nav/links", {"participants": [names]}).status_code == 422
    page = owner.post(f"{HERE}/sessions/2/link", {}).text
    link = html.unescape(re.findall(r"<code>(http://testserver/s/nav[^<]+)", page)[0])
    assert Walk(client, link=link).page == "trial-3"
    assert Walk(client, link=api.post("/studies/nav/sessions/2/link", {}).json()["path"]).page == "trial-3"
    assert api.post("/studies/nav/sessions/99/link", {}).status_code == 404
    settings.public_address = "https://lab.example.org/"
    assert (
        "<code>https://lab.example.org/s/nav?participant=P1"
        in owner.post(f"{HERE}/links", {"names": "P1"}).text
    )
    assert "https://lab.example.org/s/nav<" in owner.get(f"{HERE}/launch").text
    assert "https://lab.example.org/s/nav<" in owner.get(HERE).text
    assert "https://lab.example.org/api/v1" in owner.get("/admin/api").text


def test_a_launch_that_was_not_thought_over_comes_back_with_what_was_typed(
    owner: Person, draft: str, database: Database
) -> None:
    response = owner.post(f"{HERE}/launch", {"to": "live", "know-pilot": "yes", "reason": XSS})
    assert response.status_code == 422
    assert "not accepted yet: Clue report" in response.text
    assert re.search(r'name="know-pilot" value="yes" required checked', response.text)
    assert "&lt;script&gt;alert(1)" in response.text
    assert XSS not in response.text
    assert state_of(database) is State.DRAFT


@pytest.mark.parametrize(("to", "status"), [("dreaming", 422), ("", 422), ("paused", 409)])
def test_an_unknown_change_is_refused_on_the_page(owner: Person, draft: str, to: str, status: int) -> None:
    response = owner.post(f"{HERE}/launch", {"to": to})
    assert response.status_code == status
    assert 'class="callout bad"' in response.text


def test_blockers_disable_the_buttons_and_stop_the_form(
    owner: Person, draft: str, database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        text = "# Consent\n\nBy [NAME OF THE LAB].\n"
        load_file(session, tmp_path, consent={"version": "2", "text": text, "minimum_age": 18})
    page = owner.get(f"{HERE}/launch").text
    assert "[NAME OF THE LAB]" in page
    assert len(re.findall(r'<button type="submit"[^>]* disabled', page)) == 2
    response = owner.post(f"{HERE}/launch", {"to": "pilot"})
    assert response.status_code == 409
    assert "This study cannot be piloted yet" in response.text


def test_a_preview_walks_the_real_pages_says_so_and_leaves_nothing_behind(
    owner: Person, draft: str, client: TestClient, database: Database
) -> None:
    response = owner.post(f"{HERE}/preview", follow_redirects=False)
    walk = Walk.__new__(Walk)
    walk.client, walk.address = client, response.headers["location"]
    assert walk.look() == "consent"
    pages = []
    while walk.page != "end":
        assert "Preview: nothing you answer counts." in walk.html, walk.page
        pages.append(walk.page)
        walk.answer()
    assert pages[-1] == "trial-11"
    assert "Preview: nothing you answer counts." in walk.html
    second = owner.post(f"{HERE}/preview", follow_redirects=False).headers["location"]
    assert second != walk.address
    assert "Nobody has come yet" in owner.get(f"{HERE}/monitor").text
    assert "0 sessions" in owner.get(f"{HERE}/sessions").text
    with database.reading() as session:
        assert list(rows_of(session, draft, "responses")) == []
        assert session.exec(select(StudyVersion.frozen_at)).one() is None


def test_participants_are_told_nothing_of_previews(
    owner: Person, draft: str, client: TestClient, database: Database
) -> None:
    """Trial pages are kept in memory for all: the banner is the preview's alone."""
    preview = owner.post(f"{HERE}/preview", follow_redirects=False).headers["location"]
    with database.transaction() as session:
        set_state(session, "nav", State.LIVE, now=NOW)
    live = Walk(client, "nav").to("trial-1")
    previewing = Walk.__new__(Walk)
    previewing.client, previewing.address = client, preview
    previewing.look()
    assert "Preview:" in previewing.to("trial-1").html
    assert "Preview:" not in live.html
    live.look()
    assert "Preview:" not in live.html


def test_a_link_to_a_preview_takes_nobodys_session_away(
    api: Program, client: TestClient, study: str, database: Database
) -> None:
    Walk(client, study).to("trial-1")
    mine = dict(client.cookies)
    address = api.post("/studies/nav/previews").json()["address"]
    assert "Preview:" in client.get(address).text
    assert dict(client.cookies) == mine
    assert modes(database) == ["live", "preview"]


def test_the_monitor_shows_who_came_how_far_and_the_votes(answered: str, owner: Person) -> None:
    page = owner.get(f"{HERE}/monitor").text
    assert re.search(r"<th scope=\"row\">Pair 2</th>\s*<td class=\"num\" data-label=\"Reached\">2</td>", page)
    assert "11 votes" in page
    pilot = owner.get(f"{HERE}/monitor?mode=pilot&version=all").text
    assert "0 votes" in pilot
    for query in ("version=2", "version=x", "mode=preview"):
        assert owner.get(f"{HERE}/monitor?{query}").status_code in (404, 422)


def test_each_chart_of_the_monitor_opens_with_its_numbers_and_what_needs_a_look_comes_first(
    answered: str, owner: Person
) -> None:
    page = owner.get(f"{HERE}/monitor").text
    assert re.findall(r'<section[^>]* id="m-([a-z]+)"', page) == [
        "headline", "places", "behind", "notices", "precision", "flagged", "time", "funnel", "units", "votes", "times",
        "trouble", "sessions",
    ]  # fmt: skip
    said = {}
    for name, section in re.findall(r'<section[^>]* id="m-([a-z]+)"(.*?)</section>', page, re.DOTALL):
        first = re.search(r"</h2>\s*<p>(.*?)</p>", section, re.DOTALL)
        said[name] = " ".join(re.sub(r"<[^>]+>", "", first[1]).split()) if first else ""
    assert said["time"].startswith("2 people came and 1 finished; most came in the 10 min from ")
    assert said["funnel"] == "1 of 2 people reached the last page; nobody has left."
    assert said["votes"].startswith("11 votes on 10 pairs, ")
    assert said["times"].endswith(", over 13 answers.")
    assert said["trouble"] == "Of 13 answered trials:"
    assert "<dt>Stay to the end</dt><dd>100%" in page, "of the one who is through"


def test_the_monitor_says_who_came_and_is_in_no_step_of_time(
    answered: str, owner: Person, client: TestClient
) -> None:
    Walk(client, answered).answer(decision="refuse")
    page = " ".join(owner.get(f"{HERE}/monitor").text.split())
    assert "of 3 people who came" in page
    assert "2 people came and 1 finished;" in page
    # Of the two who came, both or one in the same ten minutes.
    assert re.search(r": [12]\. 1 more did not begin; of them the day alone is kept\.</p>", page)


def test_the_api_tells_the_same_numbers(answered: str, api: Program) -> None:
    numbers = api.get("/studies/nav/monitor").json()
    assert numbers["n_votes"] == sum(pair["n"] for pair in numbers["pairs"]) == 11
    assert [step["reached"] for step in numbers["funnel"]][-2:] == [1, 1]
    assert numbers["trouble"]["answered"] == 13
    assert numbers["statuses"] == [
        {"version": 1, "mode": "live", "arm": "main", "by_status": {"completed": 1, "active": 1}, "excluded": 0}
    ]  # fmt: skip
    assert api.get("/studies/nav/monitor?version=7").status_code == 404


async def collected(stream: AsyncIterator[str], n: int) -> list[str]:
    found = []
    async for each in stream:
        found.append(each)
        if len(found) == n:
            break
    return found


def test_events_bring_the_numbers_once_and_again_when_they_change(
    answered: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "EVERY_S", 0.05)
    monkeypatch.setattr(events, "LOOKS_S", 0.01)

    async def watch() -> tuple[list[str], list[str]]:
        def stream(seen: str = "") -> AsyncIterator[str]:
            return events.watch(database, study, "", "", lambda: datetime.now(UTC), seen, sees_live=True)

        first = await collected(stream(), 3)
        tag = re.findall(r"id: (\w+)", first[1])[0]
        await database.write(lambda s: s.execute(refuse))
        return first, await collected(stream(tag), 5)

    refuse = (
        update(ParticipantSession).where(col(ParticipantSession.participant) == "Bert").values(arm="other")
    )
    with database.reading() as session:
        study = study_here(session, "nav")
    first, after = asyncio.run(watch())
    assert [each.partition("\n")[0] for each in first] == ["retry: 1000", "event: numbers", "event: same"]
    assert 'data: <section id="m-behind">' in first[1]
    news = [each for each in after if each.startswith("event: numbers")]
    assert len(news) == 1
    assert "other" in news[0]


def test_many_who_watch_cost_one_count(answered: str, database: Database) -> None:
    statements = []
    with database.reading() as session:
        study = study_here(session, "nav")
        event.listen(session.get_bind(), "before_cursor_execute", lambda *args: statements.append(args[2]))

    async def watch(n: int) -> int:
        before = len(statements)
        streams = [
            events.watch(database, study, "", str(mode), lambda: NOW, sees_live=True)
            for mode in (Mode.LIVE,) * n
        ]
        found = await asyncio.gather(*(collected(stream, 2) for stream in streams))
        assert len({each[1] for each in found}) == 1
        return len(statements) - before

    alone, together = asyncio.run(watch(1)), asyncio.run(watch(12))
    assert together <= alone


def test_a_stream_ends_by_itself(answered: str, owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events.watch, "__defaults__", ("", 0.05))
    response = owner.get(f"{HERE}/monitor/events")
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.text.startswith("retry: 1000\n\nevent: numbers\nid: ")
    assert owner.get(f"{HERE}/monitor/events?mode=x").status_code == 422


def test_streams_end_when_the_service_is_told_to(
    answered: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server waits for its connections before it ends, and a monitor that is left open would hold it up."""
    monkeypatch.setattr(ending, "_over", threading.Event())
    with database.reading() as session:
        study = study_here(session, "nav")

    async def watch() -> list[str]:
        stream = events.watch(database, study, "", "", lambda: NOW, lasts_s=1e9, sees_live=True)
        found = await collected(stream, 2)
        with ending.hearing_of_end():
            os.kill(os.getpid(), signal.SIGTERM)
            return found + [each async for each in stream]

    told: list[int] = []
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    signal.signal(signal.SIGTERM, lambda number, _frame: told.append(number))
    try:
        assert len(asyncio.run(watch())) == 2
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
    assert told == [signal.SIGTERM]


def test_a_session_is_found_looked_at_excluded_and_taken_back(
    answered: str, owner: Person, api: Program
) -> None:
    assert "Anna" in owner.get(f"{HERE}/sessions?q=anna").text
    page = owner.get(f"{HERE}/sessions/1").text
    assert page.count('class="event event-answered"') == 14
    response = owner.post(f"{HERE}/sessions/1/exclude", {"reason": " "})
    assert response.status_code == 422
    assert "Give a short reason" in response.text
    page = owner.post(f"{HERE}/sessions/1/exclude", {"reason": XSS}).text
    assert "Excluded from the analysis" in page
    assert "&lt;script&gt;" in page
    assert XSS not in page
    assert "1 vote on 10 pairs" in owner.get(f"{HERE}/monitor").text
    assert owner.post(f"{HERE}/sessions/1/exclude", {"reason": "x"}).status_code == 409
    page = owner.post(f"{HERE}/sessions/1/include").text
    assert "Counted again." in page
    assert "11 votes" in owner.get(f"{HERE}/monitor").text
    assert "Wrote to us" in owner.post(f"{HERE}/sessions/1/notes", {"note": "Wrote to us"}).text
    kinds = [event["kind"] for event in api.get("/studies/nav/sessions/1").json()["events"]]
    assert kinds[-4:] == ["ended", "excluded", "included", "note"]


def test_many_sessions_are_excluded_by_ticks_by_search_and_by_programs(
    answered: str, owner: Person, viewer: Person, api: Program, share_with: ShareWith
) -> None:
    page = owner.get(f"{HERE}/sessions").text
    assert 'name="s1"' in page
    assert "that the search above finds" in page
    refused = owner.post(f"{HERE}/sessions", {"s1": "yes", "which": "chosen", "do": "exclude", "reason": " "})
    assert refused.status_code == 422
    assert 'name="s1" value="yes" aria-label="Choose session 1" checked' in refused.text
    done = owner.post(
        f"{HERE}/sessions", {"s1": "yes", "which": "chosen", "do": "exclude", "reason": "Class 7"}
    )
    assert "The sessions are excluded" in done.text
    found = {"which": "found", "q": "", "excluded": "yes", "do": "include"}
    assert "The sessions count again" in owner.post(f"{HERE}/sessions", found).text
    assert api.get("/studies/nav/sessions?excluded=yes").json()["found"] == 0

    answer = api.post("/studies/nav/exclusions", {"sessions": [1, 2], "reason": "Class 7"})
    assert answer.json() == {"changed": [1, 2], "unchanged": []}
    assert api.post("/studies/nav/inclusions", {"sessions": [2, 1]}).json()["changed"] == [1, 2]
    by_rule = api.post("/studies/nav/exclusions", {"rule": "unwatched", "reason": "Did not watch"})
    assert by_rule.status_code == 422
    assert "No session is chosen." in by_rule.text
    both = {"rule": "unwatched", "sessions": [1], "reason": "x"}
    assert api.post("/studies/nav/exclusions", both).status_code == 422
    share_with(viewer)
    assert "Exclude many" not in viewer.get(f"{HERE}/sessions").text
    assert viewer.post(f"{HERE}/sessions", {"s1": "yes", "reason": "x"}).status_code == 403


def test_a_session_shows_the_very_clips_left_and_right_and_which_was_chosen(
    answered: str, owner: Person, editor: Person, database: Database
) -> None:
    page = owner.get(f"{HERE}/sessions/1").text
    shown = re.findall(
        rf'<a class="thumb" href="({HERE}/sessions/1/clips/[0-9a-f]{{64}}\.mp4)" aria-label="([^"]+)"', page
    )
    with database.reading() as session:
        trial = session.exec(
            select(Trial).where(Trial.session_id == 1).order_by(col(Trial.position)).limit(1)
        ).one()
        members = select(UnitMember.sha256).where(UnitMember.unit_id == trial.unit_id)
        clips = session.exec(members.order_by(UnitMember.slot)).all()
        choices = session.exec(
            select(Response.side).where(col(Response.side).is_not(None), Response.session_id == 1)
        ).all()
    left_first = list(clips if trial.plan == {"left": "a"} else clips[::-1])
    assert [address.split("/")[-1].removesuffix(".mp4") for address, _ in shown[:2]] == left_first
    assert ["left" in shown[0][1], "right" in shown[1][1]] == [True, True]
    assert page.count(">chosen</span>") == len(choices)
    assert owner.get(shown[0][0]).headers["content-type"] == "video/mp4"
    assert owner.get(f"{HERE}/sessions/1/clips/{'0' * 64}.mp4").status_code == 404
    assert owner.get(shown[0][0].replace("sessions/1", "sessions/99")).status_code == 404
    assert editor.get(shown[0][0]).status_code == 404  # the study is not shared with them


def test_the_clips_of_a_session_are_not_to_be_had_through_another_study(
    answered: str, editor: Person, database: Database, share_with: ShareWith
) -> None:
    with database.transaction() as session:
        session.add(Study(slug="other", state=State.DRAFT, created_at=NOW))
        clip = session.exec(
            select(UnitMember.sha256).join(Trial, col(Trial.unit_id) == UnitMember.unit_id).limit(1)
        ).one()
    share_with(editor, "other")
    asked = f"/admin/studies/{{}}/sessions/1/clips/{clip}.mp4"
    assert editor.get(asked.format("other")).status_code == 404
    share_with(editor)
    assert editor.get(asked.format("nav")).status_code == 200


@pytest.mark.parametrize("session_id", ["99", "x", "2147483648", "-1"])
def test_a_session_that_is_not_there_is_not_found(answered: str, owner: Person, session_id: str) -> None:
    assert owner.get(f"{HERE}/sessions/{session_id}").status_code in (404, 422)
    assert owner.post(f"{HERE}/sessions/{session_id}/include").status_code in (404, 422)


def test_the_api_does_what_the_pages_do(
    api: Program, draft: str, client: TestClient, database: Database
) -> None:
    assert api.get("/studies/nav/state").json() == {
        "state": "draft", "entrance": "/s/nav", "to": ["pilot", "live", "closed"],
        "closes_at": None,
    }  # fmt: skip
    assert {c["verdict"] for c in api.get("/studies/nav/checklist").json()} == {"ok", "warning"}
    assert api.put("/studies/nav/state", {"state": "live"}).status_code == 422
    wanted = {"state": "live", "known": ["clues", "pilot", "retention"], "reason": "A trial run."}
    assert api.put("/studies/nav/state", wanted).json()["state"] == "live"
    assert api.put("/studies/nav/state", {"state": "draft"}).status_code == 409
    Walk(client, draft).to("end")
    assert api.put("/studies/nav/sessions/1/exclusion", {"reason": "x"}).status_code == 204
    assert api.put("/studies/nav/sessions/1/exclusion", {"reason": "x"}).status_code == 409
    found = api.get("/studies/nav/sessions?excluded=yes&status=completed").json()
    assert [(line["id"], line["is_excluded"]) for line in found["lines"]] == [(1, True)]
    assert api.delete("/studies/nav/sessions/1/exclusion").status_code == 204
    assert api.post("/studies/nav/sessions/1/notes", {"text": "y"}).status_code == 204
    assert api.get("/studies/nav/sessions?flag=nonsense").status_code == 422
    assert api.get("/studies/nav/sessions?after=99999999999").status_code == 422


def test_a_viewer_sees_it_all_and_changes_nothing(
    answered: str, viewer: Person, share_with: ShareWith
) -> None:
    share_with(viewer)
    for path in ("launch", "monitor", "sessions", "sessions/1"):
        page = viewer.get(f"{HERE}/{path}")
        assert page.status_code == 200
        assert 'method="post" action="/admin/studies' not in page.text
    for path in ("launch", "preview", "sessions/1/exclude", "sessions/1/include", "sessions/1/notes"):
        assert viewer.post(f"{HERE}/{path}", {"to": "closed", "reason": "x", "note": "x"}).status_code == 403


def test_a_charts_bars_stand_on_the_line_and_reach_as_high_as_their_number() -> None:
    points = [TimePoint(NOW, 4, 2), TimePoint(NOW, 0, 0), TimePoint(NOW, 8, 8)]
    chart = time_chart(points, NOW - NOW)
    tallest = chart.arrived[2]
    assert [bar.height for bar in chart.arrived] == [tallest.height / 2, 0, tallest.height]
    assert all(bar.y + bar.height == pytest.approx(chart.baseline) for bar in chart.arrived)
    assert chart.completed[2].height == tallest.height
    assert [nice_top(n) for n in (0, 1, 3, 9, 11, 100, 101, 4_001)] == [2, 2, 4, 10, 20, 100, 200, 6_000]
    assert time_chart([], NOW - NOW).arrived == ()


def test_a_study_without_a_version_has_its_pages_too(owner: Person, database: Database) -> None:
    from app.studies.drafts import create_study

    with database.transaction() as session:
        create_study(session, owner.who, "new-study", study_file(), NOW)
    here = "/admin/studies/new-study"
    assert "No version of the design is saved yet" in owner.get(f"{here}/launch").text
    assert owner.get(f"{here}/monitor").status_code == 200
    assert owner.get(f"{here}/sessions").status_code == 200
    response = owner.post(f"{here}/preview")
    assert response.status_code == 409
    assert "save the design" in response.text
