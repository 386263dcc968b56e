"""Nothing that a browser says makes an answer count: what the server saw decides."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from app.accounts.tables import Role
from app.core.database import Database
from app.core.settings import Settings
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.monitor.progress import snapshot
from app.monitor.sessions_list import Search, find_sessions
from app.monitor.snapshots import Choice
from app.questions.sides import Side
from app.reports.export import rows_of
from app.reports.frames import labels_frame
from app.sessions.entry import pass_for
from app.sessions.media import MOST_RANGES, note_sent, with_range
from app.studies.launch import study_here
from app.trials.evidence import TrialClip
from app.trials.flags import Flag
from app.trials.tables import Mode, Trial
from tests.admin.persons import make_user
from tests.clock import Clock
from tests.factories import NOW, open_study, study_file
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

CLIP = {"duration_s": 1.0, "played": [[0, 1]], "watched": True, "plays": 1, "stalls": 0, "stall_ms": 0,
        "dropped_frames": 0, "frames": 30, "errors": [], "failed": False, "max_rate": 1}  # fmt: skip
BOAST = json.dumps({"v": 1, "loads": 1, "drift_ms_max": 3, "hidden_ms": 0, "left": CLIP, "right": CLIP})


class Script(Walk):
    """Fetches no clip, waits for nothing, and says that it watched all."""

    def watch(self) -> None:
        pass

    def forge(self) -> "Script":
        while self.page != "end":
            self.answer(playback=BOAST, rt_ms="9000")
        return self


class WithoutScripts(Walk):
    """Watches with the browser's own controls, which reports nothing."""

    def go(self) -> None:
        while self.page != "end":
            self.answer(playback="", rt_ms="")


def rows(database: Database, what: str = "responses") -> list[Mapping[Any, Any]]:
    with database.reading() as session:
        return list(rows_of(session, "nav", what))


@pytest.mark.both_databases
def test_a_forged_session_is_flagged_in_the_export_and_on_the_monitor_and_counts_nowhere(
    client: TestClient, study: str, database: Database
) -> None:
    Script(client, study).forge()
    found = rows(database)
    assert len(found) == 11
    for row in found:
        flags = row["flags"].split(";")
        assert {"short-interval", "not-fetched", "rt-long"} <= set(flags)
        assert row["excluded"] == "unwatched"
    assert all("one-sided" in row["flags"].split(";") for row in found)
    with database.transaction() as session:
        make_user(session, Role.OWNER, "owner@example.org")
    with database.reading() as session:
        here = study_here(session, study)
        seen = snapshot(session, here, Choice(), NOW, None, sees_live=True)
        flags = dict(seen.flagged[0].flags)
        assert (flags[Flag.SHORT_INTERVAL], flags[Flag.NOT_FETCHED], flags[Flag.ONE_SIDED]) == (10, 10, 10)
        assert (seen.n_votes, seen.trouble.excluded) == (0, 11)
        assert find_sessions(session, here, Search(flag="not-fetched")).found == 1
        assert labels_frame(session, study).empty


def test_who_watches_without_scripts_is_flagged_and_counts(
    client: TestClient, study: str, database: Database
) -> None:
    WithoutScripts(client, study).go()
    found = rows(database)
    assert {row["flags"] for row in found} == {"no-telemetry;one-sided"}
    assert {row["excluded"] for row in found} == {None}
    assert all(20_000 <= row["interval_ms"] < 60_000 for row in found)


def test_a_clip_that_the_server_lacks_is_its_own_fault_and_marks_nobody(
    client: TestClient,
    study: str,
    database: Database,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    walk = Script(client, study).to("trial-1")
    nothing = {**CLIP, "played": [], "duration_s": None, "failed": True, "frames": 0, "errors": ["http 503"]}
    whole = json.dumps({**json.loads(BOAST), "left": nothing, "right": nothing})
    clip_of = library[0].clip_path
    with pytest.MonkeyPatch.context() as gone:
        gone.setattr(ClipStore, "clip_path", lambda store, sha256: clip_of(sha256).with_suffix(".gone"))
        for side in Side:
            reply = client.get(f"{walk.address}/clips/1-{side}.mp4")
            assert reply.status_code == 503
            assert "its file is missing there" in reply.text
    assert "is missing or cut short" in caplog.text
    walk.answer(playback=whole, unplayable="1", choice="", rt_ms="")
    [row] = rows(database)
    assert row["flags"] == "unplayable"
    with database.reading() as session:
        sent = session.exec(select(Trial.sent).where(Trial.position == 1)).one()
    assert sent == {"left": None, "right": None}


@pytest.mark.parametrize("rules", [(), ("out-of-step",), ("dropped-frames", "out-of-step")])
def test_what_a_slow_device_shows_is_flagged_and_left_out_where_the_study_says_so(
    client: TestClient,
    database: Database,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    tmp_path: Path,
    rules: Sequence[str],
) -> None:
    given = study_file()["trials"]
    assert isinstance(given, dict)
    trials = given | ({"exclude": list(rules)} if rules else {})
    with database.transaction() as session:
        open_study(session, tmp_path, library[1], trials=trials)
    walk = Walk(client).to("trial-2")
    apart = json.loads(BOAST) | {"drift_ms_max": 1_900}
    lossy = json.loads(BOAST) | {"left": {**CLIP, "dropped_frames": 13}}
    for told in (apart, lossy, {**lossy, **{"drift_ms_max": 1_900}}):
        walk.answer(playback=json.dumps(told))
    found = [row for row in rows(database) if row["flags"] and "no-telemetry" not in row["flags"]]
    assert [row["flags"] for row in found] == ["out-of-step", "dropped-frames", "out-of-step;dropped-frames"]
    left_out: dict[tuple[str, ...], list[str | None]] = {
        (): [None, None, None],
        ("out-of-step",): ["out-of-step", None, "out-of-step"],
        ("dropped-frames", "out-of-step"): ["out-of-step", "dropped-frames", "dropped-frames"],
    }
    assert [row["excluded"] for row in found] == left_out[tuple(rules)]
    with database.reading() as session:
        here = study_here(session, "nav")
        trouble = snapshot(session, here, Choice(1, Mode.LIVE), NOW, None, sees_live=True).trouble
    assert (trouble.out_of_step, trouble.dropped) == (2, 2)
    assert trouble.excluded == sum(each is not None for each in left_out[tuple(rules)])


def test_fetching_alone_or_waiting_alone_is_not_watching(
    client: TestClient, study: str, database: Database
) -> None:
    walk = Script(client, study).to("trial-1")
    for side in Side:
        client.get(f"{walk.address}/clips/1-{side}.mp4")
    walk.answer(playback=BOAST)  # fetched, and answered at once
    Clock.wait(30)
    walk.answer(playback=BOAST)  # waited, and fetched nothing
    Walk.watch(walk)
    walk.answer(playback=BOAST.replace("[[0, 1]]", "[]"))  # all of that, and played nothing
    Walk.watch(walk)
    walk.answer(playback=BOAST)
    Walk.watch(walk)
    walk.answer(playback=BOAST.replace('"failed": false', '"failed": true').replace("[[0, 1]]", "[]"))
    found = [(row["flags"], row["excluded"]) for row in rows(database)]
    assert found == [
        ("short-interval;rt-long", "unwatched"),
        ("not-fetched", "unwatched"),
        ("not-watched", "unwatched"),
        (None, None),
        ("not-watched;unplayable", "unwatched"),
    ]


def test_an_answer_to_a_page_that_was_never_asked_for_is_held_against_the_answer_before(
    client: TestClient, study: str, database: Database
) -> None:
    walk = Walk(client, study).to("trial-1")
    for position in range(1, 4):
        form = {"submit_id": f"trial-{position}.x", "choice": "left", "uncertainty": "1", "rationale": "x"}
        client.post(walk.address, data=form, follow_redirects=False)
    first, *others = rows(database)
    assert first["interval_ms"] is not None
    for row in others:
        assert row["interval_ms"] is None
        assert {"not-served", "short-interval"} <= set(row["flags"].split(";"))


@pytest.mark.parametrize("asked", ["ranges", "half", "head", "next"])
def test_a_clip_was_fetched_when_its_bytes_were_sent_in_whatever_parts(
    client: TestClient, study: str, database: Database, asked: str
) -> None:
    walk = Script(client, study).to("trial-1")
    address = f"{walk.address}/clips/{2 if asked == 'next' else 1}-left.mp4"
    size = int(client.head(address).headers["content-length"])
    parts = {"ranges": (0, size // 3, size // 2, size), "half": (0, size // 8)}.get(asked, ())
    for start, stop in pairwise(parts):
        got = client.get(address, headers={"Range": f"bytes={max(start - 5, 0)}-{stop - 1}"})
        assert got.status_code == 206
    if asked == "next":  # into the browser's cache, while the first pair is shown
        client.get(address)
    walk.answer(playback=BOAST)
    walk.answer(playback=BOAST)
    found = [row["fetched"] for row in rows(database, "playback") if row["side"] == "left"]
    assert found == {"ranges": [True, False], "next": [False, True]}.get(asked, [False, False])


@pytest.mark.parametrize(
    ("sent", "whole", "at_all"),
    [
        ([[0, 10]], True, True),
        ([[0, 14]], True, True),  # with padding behind it
        ([[1, 10]], False, True),
        ([[0, 9]], False, True),
        ([[0, 4], [6, 10]], False, True),
        ([], False, False),
        (None, None, None),
    ],
)
def test_a_clip_is_fetched_whole_from_its_first_byte_to_its_last(
    sent: list[list[int]] | None, whole: bool | None, at_all: bool | None
) -> None:
    clip = TrialClip(n_bytes=10, lasts_s=1.0, sent=sent)
    assert (clip.fetched(whole=True), clip.fetched(whole=False)) == (whole, at_all)


def test_ranges_add_up() -> None:
    assert with_range([], 5, 9) == [[5, 9]]
    assert with_range([[0, 4], [8, 12]], 4, 8) == [[0, 12]]
    assert with_range([[0, 4], [8, 12]], 5, 6) == [[0, 4], [5, 6], [8, 12]]
    assert with_range([[0, 9]], 2, 3) == [[0, 9]]


def test_many_small_ranges_fill_no_database(client: TestClient, study: str, database: Database) -> None:
    Walk(client, study).to("trial-1")
    with database.transaction() as session:
        trial = session.exec(select(Trial).where(Trial.position == 1)).one()
        for start in range(0, 4 * MOST_RANGES, 2):
            note_sent(session, trial.id or 0, Side.LEFT, start, start + 1)
        session.refresh(trial)
        assert trial.sent is not None
        assert len(trial.sent["left"] or []) == MOST_RANGES
        assert trial.sent["right"] == []


@pytest.mark.both_databases
def test_what_was_not_recorded_is_held_against_nobody(
    client: TestClient, study: str, database: Database
) -> None:
    """A session that was under way when the service was upgraded: what it fetched before is not known."""
    walk = Script(client, study).to("trial-1")
    with database.transaction() as session:
        for trial in session.exec(select(Trial)):
            trial.sent = None
            session.add(trial)
    Walk.watch(walk)
    walk.answer(playback=BOAST)
    (row,) = rows(database)
    assert (row["flags"], row["excluded"]) == (None, None)
    assert [row["fetched"] for row in rows(database, "playback")] == [None, None]


def test_simulated_sessions_are_marked_and_not_judged(
    client: TestClient, study: str, database: Database, settings: Settings
) -> None:
    signed = {"as": pass_for(study, Mode.SIMULATED, settings.secret)}
    Script(client, study, **signed).forge()
    found = rows(database)
    assert {(row["mode"], row["flags"], row["excluded"]) for row in found} == {("simulated", None, None)}
    with database.reading() as session:
        seen = snapshot(session, study_here(session, study), Choice(), NOW, None, sees_live=True)
        assert (seen.mode, seen.n_flagged, seen.n_votes) == ("simulated", 0, 10)
