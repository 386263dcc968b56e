"""The monitor's numbers are those of a plain recount, however they came together; flags mean what they say."""

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL
from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.accounts.tables import Role
from app.core.database import Database
from app.core.engines import make_engine
from app.core.errors import NotFound
from app.monitor import tally as tallies
from app.monitor.progress import BadChoice, choice_of, snapshot
from app.monitor.snapshots import Choice, Snapshot
from app.monitor.tally import Tally
from app.reports.export import rows_of
from app.sessions.coming import Came
from app.sessions.entering import Visit, enter
from app.sessions.exclusions import exclude, include
from app.sessions.state_machine import submit
from app.studies.access import StudyHere
from app.studies.launch import study_here
from app.studies.versions import set_state
from app.trials.flags import MEANINGS, Flag, is_one_sided
from app.trials.tables import Mode, ParticipantSession, State, Status
from bench.crowd import SLUG as CROWD
from bench.crowd import fill
from tests.admin.persons import make_user
from tests.factories import NOW, load_file
from tests.kept import Kept
from tests.monitor.recount import recount
from tests.reports.packages import database_in
from tests.reports.people import CLIP, walk
from tests.reports.rated import load_rated, rate
from tests.studies.clips import add_clips

# What PostgreSQL counts is held against what SQLite counts, in a test of its own.
pytestmark = pytest.mark.any_database

LATER = NOW + timedelta(days=1)
QUICK = 11_000  # ms: longer than the clips, which last 10 s


def played(**changes: Any) -> str:
    """Telemetry with `changes` to the whole, or to a clip as `left__stalls`."""
    whole: dict[str, Any] = {"v": 1, "loads": 1, "drift_ms_max": 7, "hidden_ms": 0}
    whole |= {side: {**CLIP, "duration_s": 10.0, "played": [[0, 10]]} for side in ("left", "right")}
    for name, value in changes.items():
        side, _, key = name.partition("__")
        if key:
            whole[side][key] = value
        else:
            whole[name] = value
    return json.dumps(whole)


def answers(seed: int) -> Callable[[str, str], Mapping[str, str]]:
    """A participant who answers by chance, with occasional faults of every kind."""
    rng = random.Random(seed)
    odd: Sequence[Mapping[str, str]] = (
        {"playback": played(left__stalls=2, left__stall_ms=900)},
        {"playback": played(hidden_ms=4_000)},
        {"playback": played(hidden_ms=40_000, right__stalls=1)},
        {"playback": played(right__played=[[0, 4]])},
        {"playback": played(left__failed=True, left__played=[[0, 1]])},
        {"playback": played(left__max_rate=2)},
        {"playback": played(drift_ms_max=1_900)},
        {"playback": played(right__frames=300, right__dropped_frames=130)},
        {"playback": "no json", "rt_ms": "4000"},
        {"rt_ms": "3000"},
        {"unplayable": "1", "choice": "", "uncertainty": ""},
    )

    def answer(_pair: str, _left: str) -> Mapping[str, str]:
        usual = {"choice": rng.choice(("left", "right")), "rt_ms": str(rng.randint(QUICK, 60_000))}
        return {**usual, "playback": played(), **(rng.choice(odd) if rng.random() < 0.3 else {})}

    return answer


def one_side(_pair: str, _left: str) -> Mapping[str, str]:
    return {"choice": "right", "rt_ms": str(QUICK), "playback": played()}


def come(session: Session, first: int) -> None:
    """Some people of every kind."""
    for seed in range(first, first + 5):
        walk(session, "nav", answers(seed), seed=seed)
    walk(session, "nav", answers(first + 5), seed=first + 5, n_trials=3)
    walk(session, "nav", one_side, seed=first + 6)
    walk(session, "nav", one_side, seed=first + 7, decision="refuse")
    for mode in (Mode.PILOT, Mode.PREVIEW):
        walk(session, "nav", answers(first + 8), seed=first + 8, mode=mode)


def opened(database: Database, folder: Path) -> Database:
    """The study, to which people of every kind came."""
    with database.transaction() as session:
        add_clips(session)
        load_file(session, folder)
        set_state(session, "nav", State.LIVE, now=NOW)
        come(session, first=1)
    return database


@pytest.fixture
def nav(database: Database, tmp_path: Path, kept: Kept) -> Database:
    if database.url.get_backend_name() == "sqlite":
        kept.once(database, lambda: opened(database, tmp_path))
    else:
        opened(database, tmp_path)
    return database


@pytest.fixture
def who(database: Database) -> Who:
    with database.transaction() as session:
        return make_user(session, Role.OWNER, "owner@example.org")


def look(database: Database, choice: Choice | None = None, now: Any = LATER) -> Snapshot:
    with database.reading() as session:
        return snapshot(session, study_here(session, "nav"), choice or Choice(), now, None, sees_live=True)


def agrees(database: Database, seen: Snapshot) -> None:
    """The snapshot's numbers are those of the exported rows."""
    with database.reading() as session:
        wanted = recount(session, seen.version, seen.mode)
    assert {p.pair: (p.a, p.b) for p in seen.pairs} == wanted.votes
    assert {p.pair: (p.left_a, p.left_b) for p in seen.pairs} == wanted.lefts
    assert (seen.n_votes, seen.left_pressed) == (sum(map(sum, wanted.votes.values())), wanted.pressed_left)
    assert {t.position: (t.n, t.median_ms, t.p90_ms) for t in seen.times} == wanted.times
    assert asdict(seen.trouble) == wanted.trouble


def counted(tally: Tally) -> object:
    """All that a tally knows, in an order of its own."""
    groups = {
        key: (group.planned, group.sides, {at: sorted(ms) for at, ms in group.times.items()}, group.trouble)
        for key, group in tally.groups.items()
    }
    return groups, tally.by_session


def test_the_numbers_are_those_of_the_exported_rows(nav: Database) -> None:
    for mode in (Mode.LIVE, Mode.PILOT):
        agrees(nav, look(nav, Choice(1, mode)))


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "database_url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)
def test_postgresql_counts_the_same(nav: Database, migrated_sqlite: Path, tmp_path: Path) -> None:
    with database_in(tmp_path, migrated_sqlite) as other:
        opened(other, tmp_path)
        for choice in (Choice(), Choice(1, Mode.PILOT), Choice(0)):
            assert look(nav, choice) == look(other, choice)
    assert look(nav).n_flagged > 1


@pytest.mark.slow
def test_what_is_counted_as_it_comes_is_what_is_counted_afresh(nav: Database, who: Who) -> None:
    with nav.reading() as session:
        study = study_here(session, "nav")
        sessions = session.exec(select(ParticipantSession.id).order_by(col(ParticipantSession.id))).all()
    agrees(nav, look(nav))
    with nav.transaction() as session:
        come(session, first=20)
        exclude(session, who, study, sessions[0] or 0, "asked to be left out", NOW)
        exclude(session, who, study, sessions[5] or 0, "left early", NOW)
    agrees(nav, look(nav))
    with nav.transaction() as session:
        come(session, first=40)
        include(session, who, study, sessions[0] or 0, NOW)
    seen = look(nav)
    agrees(nav, seen)
    assert [line.excluded for line in seen.statuses if line.mode == "live"] == [1]
    with nav.reading() as session:
        fresh, kept = Tally(study.id), tallies.tally_of(session, study.id)
        fresh.refresh(session, None)
        assert counted(fresh) == counted(kept)


def test_planned_sides_are_even_over_every_two_sessions(nav: Database) -> None:
    seen = look(nav)
    planned = [(pair.planned_a or 0, pair.planned_b or 0) for pair in seen.pairs]
    assert {abs(a - b) for a, b in planned} <= {0, 1}
    assert {a + b for a, b in planned} == {7}


def test_the_funnel_says_where_people_left(nav: Database) -> None:
    with nav.transaction() as session:
        young = enter(session, Visit("nav"), NOW)
        submit(
            session,
            young,
            {"submit_id": "consent.1", "decision": "agree", "of_age": "no"},
            NOW,
            random.Random(1),
        )
        enter(session, Visit("nav"), NOW)
    steps = {step.page: step for step in look(nav).funnel}
    assert [*steps] == [
        "consent",
        "background",
        "instructions",
        *(f"trial-{n}" for n in range(1, 12)),
        "debrief",
    ]
    assert [step.reached for step in steps.values()] == [10, *[7] * 6, *[6] * 8]
    consent, left_at = steps["consent"], steps["trial-4"]
    assert (consent.refused, consent.under_age, consent.stopped, consent.here) == (1, 1, 1, 0)
    assert (left_at.title, left_at.stopped, left_at.here) == ("Pair 3", 1, 0)
    assert sum(step.lost for step in steps.values()) == 4
    soon = {step.page: step for step in look(nav, now=NOW + timedelta(minutes=20)).funnel}
    assert (soon["trial-4"].here, soon["trial-4"].lost) == (1, 0)
    assert (soon["consent"].here, soon["consent"].stopped) == (
        0,
        1,
    )  # no time of who has not consented is kept


def test_sessions_are_counted_by_mode_and_status_and_previews_never(nav: Database) -> None:
    seen = look(nav)
    assert [(s.mode, s.arm, dict(s.by_status), s.total) for s in seen.statuses] == [
        ("live", "main", {"completed": 6, "active": 1, "refused": 1}, 8),
        ("pilot", "main", {"completed": 1}, 1),
    ]
    assert seen.n_by_mode == {"live": 8, "pilot": 1, "simulated": 0}


def test_arrivals_and_completions_lie_on_one_line_of_time(nav: Database) -> None:
    with nav.transaction() as session:
        study = study_here(session, "nav")
        set_state(session, "nav", State.CLOSED, now=NOW)
        for minutes in (70, 71, 600):
            at = NOW + timedelta(minutes=minutes)
            form = {"submit_id": f"consent.{minutes}", "decision": "agree", "of_age": "yes"}
            token = enter(session, Visit("nav", Mode.SIMULATED), at)
            submit(session, token, form, at + timedelta(minutes=5), random.Random(1), Came("nav", at))
        enter(session, Visit("nav", Mode.SIMULATED), NOW)  # of whom no time is kept
    with nav.reading() as session:
        closed = StudyHere(study.id, "nav", State.CLOSED)
        seen = snapshot(session, closed, Choice(1, Mode.SIMULATED), LATER, None, sees_live=True)
        live = snapshot(session, closed, Choice(1, Mode.LIVE), LATER, None, sees_live=True)
    assert seen.step == timedelta(minutes=10)
    points = {(p.begins - NOW) / timedelta(minutes=1): (p.arrived, p.completed) for p in seen.timeline}
    assert {at: n for at, n in points.items() if n != (0, 0)} == {70: (2, 0), 600: (1, 0)}
    assert len(points) == 54
    # Who declined has no time of arrival.
    assert [(p.arrived, p.completed) for p in live.timeline] == [(7, 3), (0, 3)]


@pytest.mark.slow
def test_versions_are_told_apart_and_taken_together(nav: Database, tmp_path: Path) -> None:
    with nav.transaction() as session:
        assert load_file(session, tmp_path, title="Another title").number == 2
    assert look(nav).version == 1  # the newest with sessions
    with nav.transaction() as session:
        come(session, first=60)
    assert (look(nav).version, look(nav).versions) == (2, [2, 1])
    agrees(nav, look(nav, Choice(1)))
    agrees(nav, look(nav, Choice(2)))
    both, parts = look(nav, Choice(0)), [look(nav, Choice(1)), look(nav, Choice(2))]
    assert both.n_votes == sum(part.n_votes for part in parts)
    assert both.funnel[0].reached == 16
    assert len(both.pairs) == 20
    assert [t.n for t in both.times] == [
        sum(ns) for ns in zip(*([t.n for t in p.times] for p in parts), strict=True)
    ]
    with pytest.raises(NotFound, match="no version 3"):
        look(nav, Choice(3))


@pytest.mark.parametrize(
    ("version", "mode"), [("x", ""), ("-1", ""), ("0", ""), ("9" * 30, ""), ("", "preview"), ("", "x")]
)
def test_what_cannot_be_looked_at_is_refused_in_words(version: str, mode: str) -> None:
    with pytest.raises(BadChoice):
        choice_of(version, mode)


def test_a_study_that_nobody_came_to_has_numbers_too(database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        add_clips(session)
        load_file(session, tmp_path)
    seen = look(database)
    assert (seen.mode, seen.version, seen.n_votes, seen.timeline, seen.flagged) == ("live", 1, 0, (), [])
    assert [step.reached for step in seen.funnel] == [0] * 15


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "database_url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)
def test_an_answer_that_another_process_commits_late_is_counted(nav: Database, database_url: URL) -> None:
    """Ids are handed out in another order than transactions end; SQLite has one writer at a time."""
    rng = random.Random(9)
    with nav.transaction() as session:
        slow, fast = (enter(session, Visit("nav"), NOW) for _ in "ab")
        for token in (slow, fast):
            for page in ("consent", "background", "instructions"):
                form = {"submit_id": f"{page}.1", "decision": "agree", "of_age": "yes", "familiarity": "3"}
                submit(session, token, form, NOW, rng)
    before = look(nav).trouble.answered
    trial = {
        "submit_id": "trial-1.1",
        "choice": "left",
        "uncertainty": "2",
        "rationale": "x",
        "rt_ms": "9000",
    }
    engine = make_engine(database_url, writing=True)
    with Session(engine) as late:
        submit(late, slow, trial, NOW, rng)
        late.flush()
        with nav.transaction() as session:
            submit(session, fast, trial, NOW, rng)
        assert look(nav).trouble.answered == before + 1
        late.commit()
    engine.dispose()
    assert look(nav).trouble.answered == before + 2


@pytest.fixture
def crowd(database: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    monkeypatch.setattr(tallies, "CHUNK", 20)
    with database.transaction() as session:
        fill(session, 90, NOW)
    return database


def test_a_large_study_is_counted_in_pieces_and_comes_out_the_same(crowd: Database) -> None:
    with crowd.reading() as session:
        study = study_here(session, CROWD)
        behind = []
        for _ in range(10):
            seen = snapshot(session, study, Choice(), NOW, budget_s=0, sees_live=True)
            behind.append(seen.behind)
            assert sum(line.total for line in seen.statuses) == 90
            if not seen.behind:
                break
        whole = Tally(study.id)
        whole.refresh(session, None)
        assert behind == sorted(behind, reverse=True)
        assert (len(behind), behind[-1]) == (5, 0)
        assert counted(tallies.tally_of(session, study.id)) == counted(whole)
        assert seen.trouble.answered > 900


def test_always_the_same_side_is_reported_from_eight_choices_on() -> None:
    assert [is_one_sided(*counts) for counts in ((8, 8), (0, 8), (7, 7), (7, 8), (0, 0))] == [
        True, True, False, False, False
    ]  # fmt: skip
    assert set(MEANINGS) == set(Flag)


def test_flagged_sessions_are_listed_newest_first_with_why(nav: Database) -> None:
    seen = look(nav)
    one_sided = [line for line in seen.flagged if dict(line.flags).get(Flag.ONE_SIDED)]
    assert [(dict(line.flags)[Flag.ONE_SIDED], line.status) for line in one_sided] == [(10, Status.COMPLETED)]
    ids = [line.session_id for line in seen.flagged]
    assert ids == sorted(ids, reverse=True)
    by_flag = Counter(flag for line in seen.flagged for flag, _ in line.flags)
    assert dict(seen.n_by_flag) == by_flag
    assert seen.n_flagged == len(seen.flagged)


@pytest.mark.both_databases
def test_items_are_counted_against_the_participants_that_each_is_to_have(
    database: Database, tmp_path: Path, who: Who
) -> None:
    """The answers are those of the exported ratings, counted anew."""
    with database.transaction() as session:
        load_rated(session, tmp_path, per_item=4)
        for person in ("ann", "bob", "cyd"):
            rate(session, person)
        dan = rate(session, "dan")
        rate(session, "ann", mode=Mode.PILOT, raised="not-read")

    def seen(minutes: int, mode: Mode = Mode.LIVE) -> Snapshot:
        with database.reading() as session:
            at, here = NOW + timedelta(minutes=minutes), study_here(session, "rated")
            found = snapshot(session, here, Choice(1, mode), at, None, sees_live=True)
            rows = [r for r in rows_of(session, "rated", "ratings") if r["mode"] == mode]
            given = {(r["session"], r["item"]) for r in rows if r["kind"] != "practice" and not r["excluded"]}
        rated = Counter(item for _, item in given)
        assert {line.unit: line.answers for line in found.units} == rated
        return found

    def given(minutes: int) -> dict[str, int | None]:
        return {line.unit: line.given for line in seen(minutes).units}

    units = ["one", "two", "three", "four", "check"]
    lines = seen(5).units
    assert [(line.unit, line.wanted, line.is_full, line.condition) for line in lines] == [
        ("one", 4, True, "persona"), ("two", 4, True, "persona"), ("three", 4, True, "plain"),
        ("four", 4, True, "plain"), ("check", None, False, "plain"),
    ]  # fmt: skip
    with database.transaction() as session:
        exclude(session, who, study_here(session, "rated"), dan, "left out", NOW)
    assert given(5) == dict.fromkeys(units, 3)
    with database.transaction() as session:
        rate(session, "bob", n_trials=2)
    assert given(5) == dict.fromkeys(units, 4), "one more is under way"
    assert given(60) == dict.fromkeys(units, 3), "and has left"
    with database.transaction() as session:
        include(session, who, study_here(session, "rated"), dan, NOW)
    pilot = seen(60, Mode.PILOT)
    assert (pilot.shows_clips, pilot.shows_reading, pilot.trouble.not_read, len(seen(60).pairs)) == (
        False, True, 6, 0
    )  # fmt: skip


def test_who_had_fewer_trials_than_others_reached_the_last_page_all_the_same(
    database: Database, tmp_path: Path
) -> None:
    """As whoever comes when the items have all their participants, and finishes the other blocks."""
    with database.transaction() as session:
        load_rated(session, tmp_path, per_item=4)
        rate(session, "ann")
        short = session.get_one(ParticipantSession, rate(session, "bob"))
        short.step -= 2
        session.add(short)
    with database.reading() as session:
        found = snapshot(session, study_here(session, "rated"), Choice(), NOW, None, sees_live=True)
    assert {step.reached for step in found.funnel} == {2}
