"""Verdicts of a study's exclusion rules: stored as a session ends, judged again as others end, seen in every number."""

import csv
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select, update

from analysis.data.exported import read_sessions
from analysis.data.selection import select as select_counting
from analysis.data.selection import with_unwatched
from analysis.errors import ReadError
from analysis.quality.rules import ChosenRule, Verdict
from analysis.quality.verdicts import verdicts
from app.accounts.audit import COMMAND_LINE
from app.accounts.auditlog import AuditFilter, entries
from app.accounts.tables import Role
from app.cli.data import export as export_command
from app.cli.quality import quality
from app.core.database import Database
from app.core.errors import StudyError
from app.core.settings import Settings
from app.jobs.tables import Job, Kind
from app.monitor.progress import snapshot
from app.monitor.sessions_list import Search, checked_search, find_sessions
from app.monitor.sessions_view import one_session
from app.monitor.snapshots import Choice
from app.reports.documents.making import made_prereg
from app.reports.export import export, rows_of
from app.reports.frames import labels_frame, responses_frame
from app.reports.kinds import Format, What
from app.reports.package import build_package
from app.reports.page.methods import methods_of
from app.reports.report import build_report
from app.reports.study_facts import study_facts
from app.sessions.exclusions import exclude
from app.sessions.withdrawing import withdraw
from app.studies.file.load import StudyDesign
from app.studies.launch import study_here
from app.studies.registering import register, registered_text, registrations, text_hash
from app.studies.versions import set_state
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, SessionVerdict, State, StudyVersion
from app.verdicts.judging import unused_by_rule
from app.worker.handlers.reports import study_files
from app.worker.worker import drain
from tests.admin.persons import make_user
from tests.factories import NOW, load_file
from tests.reports.people import PLAYBACK, Answer, take, walk
from tests.studies.clips import add_clips

pytestmark = pytest.mark.any_database

RULES: list[dict[str, Any]] = [
    {"rule": "same-side", "use": True, "pay": False},
    {"rule": "sped-up", "at_least": 1},
    {"rule": "duplicate"},
    {"rule": "shared-text", "at_least": 1},
    {"rule": "total-time", "least": 500, "use": True},
]
SAME_WORDS = "=It moves the way that a person would move, with pauses."
SHORT = "total-time"


def honest(pair: str, left: str) -> Mapping[str, str]:
    return {
        "choice": take("a", left),
        "rt_ms": "12000",
        "rationale": f"{pair}: it waits, and then it looks round.",
    }


def left_handed(pair: str, left: str) -> Mapping[str, str]:
    return {**honest(pair, left), "choice": "left", "rationale": ""}


def copied(pair: str, left: str) -> Mapping[str, str]:
    return {**honest(pair, left), "rationale": SAME_WORDS}


def hurried(pair: str, left: str) -> Mapping[str, str]:
    report = json.loads(PLAYBACK)
    report["left"]["max_rate"] = 8
    return {**honest(pair, left), "rationale": "", "playback": json.dumps(report)}


def silent(pair: str, left: str) -> Mapping[str, str]:
    return {**honest(pair, left), "rationale": ""}


@dataclass
class Study:
    database: Database
    settings: Settings
    folder: Path

    def take_part(self, answer: Answer, seed: int, who: str = "", mode: Mode = Mode.LIVE) -> None:
        with self.database.transaction() as session:
            walk(session, "nav", answer, seed=seed, recruiter={"PROLIFIC_PID": who or f"p{seed}"}, mode=mode)

    def verdicts(self) -> dict[int, tuple[bool, bool, str]]:
        with self.database.reading() as session:
            return {
                row.session_id: (row.use, row.pay, row.names) for row in session.exec(select(SessionVerdict))
            }

    def rows(self, what: str) -> list[Mapping[Any, Any]]:
        with self.database.reading() as session:
            return list(rows_of(session, "nav", what))

    def do(self, job: Callable[[Session], Any]) -> Any:
        with self.database.transaction() as session:
            return job(session)


@pytest.fixture
def study(database: Database, settings: Settings, tmp_path: Path) -> Study:
    with database.transaction() as session:
        add_clips(session)
        load_file(session, tmp_path, exclude=RULES)
        set_state(session, "nav", State.LIVE, now=NOW)
    return Study(database, settings, tmp_path)


@pytest.mark.both_databases
def test_a_verdict_is_stored_as_the_session_ends_and_stands_in_every_row(study: Study) -> None:
    study.take_part(silent, 1)
    study.take_part(left_handed, 2)
    study.take_part(hurried, 3)
    assert study.verdicts() == {
        1: (True, True, SHORT),
        2: (True, False, f"same-side;{SHORT}"),
        3: (False, True, f"sped-up;{SHORT}"),
    }
    with study.database.reading() as session:
        values = session.exec(select(SessionVerdict.rules).where(SessionVerdict.session_id == 3)).one()
    assert values["sped-up"] == {"trials": 10, "of": 10}
    for what in ("participants", "responses"):
        rows = study.rows(what)
        assert list(rows[0])[-3:] == ["use", "pay", "rules"] or what == "participants"
        assert {(r["session"], r["use"], r["pay"], r["rules"]) for r in rows} == {
            ("1", True, True, SHORT),
            ("2", True, False, f"same-side;{SHORT}"),
            ("3", False, True, f"sped-up;{SHORT}"),
        }


def test_what_is_not_used_counts_in_no_number_unless_all_is_asked_for(study: Study) -> None:
    study.take_part(silent, 1)
    study.take_part(hurried, 2)
    with study.database.reading() as session:
        frame = responses_frame(session, "nav")
        n_votes = labels_frame(session, "nav")["n"]
        all_votes = labels_frame(session, "nav", unwatched=True)["n"]
    counted = select_counting("nav", frame, "live").selection
    # Each of the trials cannot have been watched either, which comes first.
    assert counted.left_out["excluded"] == {"unwatched": 10}
    assert (counted.n_used, set(n_votes), set(all_votes)) == (10, {1}, {2})
    assert select_counting("nav", with_unwatched(frame), "live").selection.n_used == 20


def test_a_rule_alone_leaves_a_session_out_of_the_numbers_and_is_named(study: Study) -> None:
    study.take_part(copied, 1)
    study.take_part(copied, 2)
    study.take_part(silent, 3)
    drain(study.settings, study.database)
    with study.database.reading() as session:
        frame = responses_frame(session, "nav")
    counted = select_counting("nav", frame, "live").selection
    assert counted.left_out["excluded"] == {"rule: shared-text": 20}
    assert counted.n_used == 10
    assert select_counting("nav", with_unwatched(frame), "live").selection.n_used == 30


@pytest.mark.both_databases
def test_the_monitor_counts_votes_as_the_labels_do_and_follows_a_verdict_that_changes(study: Study) -> None:
    def votes() -> tuple[set[int], set[int], list[int]]:
        with study.database.reading() as session:
            seen = snapshot(
                session, study_here(session, "nav"), Choice(), NOW + timedelta(days=1), None, sees_live=True
            )
            of_monitor = {(pair.a or 0) + (pair.b or 0) for pair in seen.pairs}
            return of_monitor, set(labels_frame(session, "nav")["n"]), [s.excluded for s in seen.statuses]

    study.take_part(copied, 1)
    study.take_part(silent, 2)
    assert votes() == ({2}, {2}, [0])
    study.take_part(copied, 3)
    drain(study.settings, study.database)
    assert votes() == ({1}, {1}, [2]), "the first of the two who share their words was counted before"
    study.do(lambda session: withdraw(session, 1, NOW))
    drain(study.settings, study.database)
    assert votes() == ({2}, {2}, [0])
    with study.database.transaction() as session:
        session.execute(update(SessionVerdict).where(SessionVerdict.session_id == 2).values(use=False))  # type: ignore[arg-type]
    assert votes() == ({1}, {1}, [1])
    with study.database.transaction() as session:
        who = make_user(session, Role.EDITOR, "e@example.org")
        exclude(session, who, study_here(session, "nav"), 2, "asked to", NOW)
    assert votes() == ({1}, {1}, [1]), "excluded by hand as well, and counted once"


@pytest.mark.both_databases
def test_others_that_end_later_change_a_verdict_by_one_job(study: Study) -> None:
    study.take_part(copied, 1)
    assert study.verdicts()[1][2] == SHORT
    study.take_part(copied, 2)
    drain(study.settings, study.database)
    assert {names for _, _, names in study.verdicts().values()} == {f"shared-text;{SHORT}"}
    study.do(lambda session: withdraw(session, 1, NOW))
    drain(study.settings, study.database)
    assert study.verdicts() == {2: (True, True, SHORT)}
    with study.database.reading() as session:
        assert len(session.exec(select(Job.id).where(Job.kind == Kind.VERDICTS)).all()) == 1


def test_a_second_visit_of_the_same_person_is_a_duplicate(study: Study) -> None:
    study.take_part(silent, 1, "Ann")
    study.take_part(silent, 2, "Bob")
    mine = update(ParticipantSession).where(ParticipantSession.id == 2).values(participant="Ann")  # type: ignore[arg-type]
    study.do(lambda session: session.execute(mine))
    study.take_part(silent, 3, "Ann 2")
    drain(study.settings, study.database)
    assert [names for _, _, names in study.verdicts().values()] == [SHORT, f"duplicate;{SHORT}", SHORT]
    assert [row["visit"] for row in study.rows("participants")] == [1, 2, 1]


def test_previews_and_studies_without_rules_have_no_verdict(study: Study, tmp_path: Path) -> None:
    study.take_part(hurried, 1, mode=Mode.PREVIEW)
    assert study.verdicts() == {}
    study.do(lambda session: load_file(session, tmp_path, study="other", exclude=None))
    study.do(lambda session: set_state(session, "other", State.LIVE, now=NOW))
    with study.database.transaction() as session:
        walk(session, "other", hurried, seed=2)
    assert study.verdicts() == {}
    with study.database.reading() as session:
        assert {(r["use"], r["pay"], r["rules"]) for r in rows_of(session, "other", "responses")} == {
            (True, True, None)
        }


def test_a_session_excluded_by_hand_is_not_used_and_its_verdict_stays(study: Study) -> None:
    study.take_part(silent, 1)
    with study.database.transaction() as session:
        who = make_user(session, Role.EDITOR, "e@example.org")
        exclude(session, who, study_here(session, "nav"), 1, "asked to", NOW)
    (row,) = study.rows("participants")
    assert (row["use"], row["pay"], row["excluded"], row["rules"]) == (False, True, "by-hand", SHORT)
    assert study.verdicts()[1][0]


@pytest.mark.both_databases
@pytest.mark.parametrize("format_", [Format.CSV, Format.JSONL])
def test_the_exported_files_give_the_same_verdicts(study: Study, format_: Format) -> None:
    for seed, answer in enumerate((silent, copied, hurried, copied, left_handed, honest), start=1):
        study.take_part(answer, seed)
    drain(study.settings, study.database)
    folder = study.folder / "out"
    folder.mkdir()
    with study.database.reading() as session:
        for what in ("participants", "responses", "answers"):
            export(session, "nav", what, format_, folder / f"{what}.{format_.value}", everything=True)
        text = session.exec(select(StudyVersion.design)).one()
        stored = {
            str(row.session_id): (row.use, row.pay, row.names, row.rules)
            for row in session.exec(select(SessionVerdict))
        }
    chosen: list[ChosenRule] = [rule.chosen for rule in StudyDesign.model_validate_json(text).exclude]
    sessions, rows = read_sessions([folder])
    found: Mapping[str, Verdict] = verdicts(lambda _: chosen, sessions)
    again = {
        id_: (v.use, v.pay, v.names, {k: dict(r) for k, r in v.rules.items()}) for id_, v in found.items()
    }
    assert again == stored
    assert {names for _, _, names, _ in stored.values()} == {
        SHORT, f"shared-text;{SHORT}", f"sped-up;{SHORT}", f"same-side;{SHORT}"
    }  # fmt: skip
    assert {row["session"]: row["rules"] for row in rows} == {
        id_: names for id_, (_, _, names, _) in stored.items()
    }


def attending(pair: str, left: str) -> Mapping[str, str]:
    return {**honest(pair, left), "playback": json.dumps({**json.loads(PLAYBACK), "opened_ms": 10_000})}


@pytest.mark.parametrize("keeps_links", [False, True])
def test_the_verdicts_of_a_pseudonymised_package_are_the_stored_ones(
    study: Study, keeps_links: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    people = (silent, copied, hurried, copied, left_handed, attending)
    for seed, answer in enumerate(people, start=1):
        study.take_part(answer, seed)
    again = update(ParticipantSession).where(ParticipantSession.id == 6).values(participant="p1")  # type: ignore[arg-type]
    study.do(lambda session: session.execute(again))
    drain(study.settings, study.database)
    path, folder = study.folder / "nav.zip", study.folder / "nav"
    with study.database.reading() as session:
        text = session.exec(select(StudyVersion.design)).one()
        stored = [(row.use, row.pay, row.names, row.rules) for row in session.exec(select(SessionVerdict))]
        files = study_files(session, "nav")
        build_package(
            session, "nav", path, made_at=NOW, study_files=files, pseudonyms=True, keeps_links=keeps_links
        )
    with zipfile.ZipFile(path) as packed:
        packed.extractall(folder)
    chosen = [rule.chosen for rule in StudyDesign.model_validate_json(text).exclude]
    sessions, rows = read_sessions([folder])
    found = verdicts(lambda _: chosen, sessions)
    assert sorted(map(repr, stored)) == sorted(
        repr((v.use, v.pay, v.names, {name: dict(each) for name, each in v.rules.items()}))
        for v in found.values()
    )
    assert {row["session"]: (row["use"], row["pay"], row["rules"]) for row in rows} == {
        id_: (v.use, v.pay, v.names) for id_, v in found.items()
    }
    assert all(row["participant"].startswith("p-") for row in rows)
    assert {v.names for v in found.values()} >= {f"duplicate;{SHORT}", f"shared-text;{SHORT}"}
    # And by the command, from the package's own files, with the study file that lies in it.
    (file,) = folder.rglob("study.yaml")
    quality([str(folder)], rules=str(file))
    assert "The verdicts in the files are the same." in capsys.readouterr().out


def typed(**counts: dict[str, int]) -> str:
    return json.dumps(counts)


@pytest.mark.parametrize(
    ("report", "flagged"),
    [
        (typed(rationale={"keys": 3, "pasted": 60}), True),
        (typed(rationale={"keys": 55, "pasted": 10}), False),
        (typed(other={"keys": 0, "pasted": 60}), False),
        ("", False),
        ('{"rationale": 3}', False),
        ('{"rationale": {"keys": 1, "pasted": 1e999}}', False),
        ('{"rationale": {"keys": 1, "pasted": -60}}', False),
        ("[" * 3000, False),
    ],
)
def test_a_text_that_was_pasted_is_flagged_and_what_cannot_be_read_is_not(
    study: Study, report: str, flagged: bool
) -> None:
    study.take_part(lambda pair, left: {**copied(pair, left), "typed": report}, 1)
    flags = {"pasted" in (row["flags"] or "").split(";") for row in study.rows("responses")}
    assert flags == {flagged}
    with study.database.reading() as session:
        stored = list(session.exec(select(Response.typed).where(col(Response.trial_id).is_not(None))))
    readable = report.startswith('{"') and "[" not in report and "-60" not in report and "e999" not in report
    assert stored == [json.loads(report) if readable and ": 3}" not in report else None] * len(stored)


@pytest.mark.parametrize(
    ("report", "loads", "flagged"),
    [
        (typed(rationale={"keys": 1, "pasted": 0}), 1, True),
        (
            typed(rationale={"keys": 1, "pasted": 0}),
            2,
            False,
        ),  # what was typed before is kept, and not counted
        (
            typed(rationale={"keys": 3, "pasted": 0}),
            1,
            False,
        ),  # of 56 characters
        (typed(rationale={"keys": 0, "pasted": 56}), 1, False),
        (typed(other={"keys": 1, "pasted": 0}), 1, False),
        ("", 1, False),
    ],
)
def test_a_text_that_was_neither_typed_nor_pasted_is_flagged_and_remarked_on(
    study: Study, tmp_path: Path, report: str, loads: int, flagged: bool
) -> None:
    rules = [{"rule": "program-written"}]
    study.do(lambda session: load_file(session, tmp_path, study="own", exclude=rules))
    study.do(lambda session: set_state(session, "own", State.LIVE, now=NOW))
    playback = json.dumps({**json.loads(PLAYBACK), "loads": loads})

    def answer(pair: str, left: str) -> Mapping[str, str]:
        return {**copied(pair, left), "typed": report, "playback": playback}

    with study.database.transaction() as session:
        walk(session, "own", answer, seed=1)
    with study.database.reading() as session:
        rows = list(rows_of(session, "own", "responses"))
    assert {"not-typed" in (row["flags"] or "").split(";") for row in rows} == {flagged}
    assert {(row["use"], row["pay"], row["rules"]) for row in rows} == {
        (True, True, "program-written" if flagged else None)
    }


def test_session_page_and_list_show_rules_with_their_values_use_and_pay_apart(study: Study) -> None:
    study.take_part(left_handed, 1)
    study.take_part(hurried, 2)
    with study.database.reading() as session:
        here = study_here(session, "nav")
        one, two = (one_session(session, here, id_).verdict for id_ in (1, 2))
        lines = {line.id: line for line in find_sessions(session, here, checked_search(Search())).lines}
        found = {
            name: [
                line.id for line in find_sessions(session, here, checked_search(Search(excluded=name))).lines
            ]
            for name in ("yes", "rule", "unpaid", "no")
        }
    assert one is not None
    assert two is not None
    assert [(one.use, one.pay), (two.use, two.pay)] == [(True, False), (False, True)]
    assert [(rule.title, rule.values, rule.decides) for rule in one.met] == [
        ("Always the same side", "side left, trials 10, of 10", "not paid"),
        ("Total time out of bounds", one.met[1].values, "a remark alone"),
    ]
    assert two.met[0].decides == "not in the numbers"
    assert (lines[1].is_unused, lines[1].is_unpaid, lines[2].is_unused) == (False, True, True)
    assert found == {"yes": [], "rule": [2], "unpaid": [1], "no": [1]}


def test_a_rule_changed_after_people_took_part_is_a_deviation_in_the_methods(
    study: Study, tmp_path: Path
) -> None:
    study.take_part(silent, 1)
    changed = [{**RULES[0]}, {"rule": "sped-up", "at_least": 3}, *RULES[2:]]
    study.do(lambda session: load_file(session, tmp_path, exclude=changed))
    with study.database.reading() as session:
        said = methods_of([study_facts(session, "nav")], None, "live", 1).markdown()
    assert "Version 1: same-side (at\\_least 8; share 1; not paid), sped-up (at\\_least 1; not used)" in said
    assert (
        "Deviation: the exclusion rules were changed by version 2 (2026-03-01), after people had taken part in "
        "version 1: sped-up › at\\_least (changed: “1” to “3”)."
    ) in said


def test_a_rule_changed_after_launch_is_a_deviation_from_the_registration_in_report_and_audit(
    study: Study, tmp_path: Path
) -> None:
    def registered() -> str:
        with study.database.reading() as session:
            return made_prereg(session, "nav", "osf", NOW).document.markdown()

    first = registered()
    assert "sped-up" in first or "Clips sped up" in first
    study.do(lambda session: register(session, COMMAND_LINE, study_here(session, "nav"), 1, first, "", NOW))
    study.take_part(honest, 1)
    changed = [{**RULES[0]}, {"rule": "sped-up", "at_least": 3}, *RULES[2:]]
    study.do(lambda session: load_file(session, tmp_path, exclude=changed))
    study.take_part(honest, 2)
    assert registered() != first, "a document made anew has the rules as they are now"
    with study.database.reading() as session:
        # Each session keeps to the rules of its own version, and the registration its text.
        versions = {row["session"]: row["version"] for row in rows_of(session, "nav", "participants")}
        (kept,) = registrations(session, study_here(session, "nav").id)
        assert registered_text(session, study_here(session, "nav"), kept.id) == first
        build_report(session, "nav", study.folder / "report")
        wanted = ("version.save", "study.register")
        log = [one for one in entries(session, AuditFilter(study="nav"), 50) if one.action in wanted]
        hashes = {one.number: one.sha256 for one in session.exec(select(StudyVersion))}
    assert versions == {"1": 1, "2": 2}
    # The newest first: the changed rules are a version of their own, and what was registered names the one before.
    assert [(one.action, one.subject) for one in log] == [
        ("version.save", "version 2 (next version)"),
        ("study.register", "version 1"),
        ("version.save", "version 1 (new)"),
    ]
    assert (log[0].after, log[1].after["sha256"]) == ({"sha256": hashes[2], "number": 2}, text_hash(first))
    assert log[2].after["sha256"] == hashes[1] != hashes[2]
    pages = [path.read_text(encoding="utf-8") for path in (study.folder / "report").glob("*.html")]
    said = " ".join(" ".join(pages).split())
    assert "Deviation: the exclusion rules were changed by version 2" in said
    assert "Deviations from the registration: exclude › sped-up › at_least (version 2): 1 → 3." in said


def test_the_export_says_how_many_are_not_used_and_why(
    study: Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed, answer in enumerate((silent, hurried, copied, copied), start=1):
        study.take_part(answer, seed)
    drain(study.settings, study.database)
    with study.database.reading() as session:
        assert unused_by_rule(session, "nav") == {"shared-text": 2, "sped-up": 1}
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(study.folder))
    monkeypatch.setenv("DATABASE_URL", study.settings.database)
    files = {
        what: study.folder / f"{what}.csv" for what in ("participants", "responses", "playback", "answers")
    }
    told = "3 sessions not used by the exclusion rules (shared-text 2, sped-up 1)"
    for what, path in files.items():
        for everything, n, there in (
            (False, 1, "left out here; --all takes them in"),
            (True, 4, "their rows are here"),
        ):
            export_command("nav", What(what), output=path, everything=everything)
            assert f"{told}: {there}." in " ".join(capsys.readouterr().err.split())
            with path.open(encoding="utf-8", newline="") as file:
                assert len({row["session"] for row in csv.DictReader(file)}) == n, (what, everything)
    for everything, there in ((False, "left out here; --all takes them in"), (True, "counted here")):
        export_command("nav", What("labels"), output=study.folder / "labels.csv", everything=everything)
        assert f"{told}: {there}." in " ".join(capsys.readouterr().err.split())
    # Where one stands there may be the folder of the study file, which `study template` called as the study.
    (study.folder / "nav").mkdir()
    (study.folder / "nav" / "study.yaml").write_text("study: nav\n")
    monkeypatch.chdir(study.folder)
    quality(["nav"])
    assert "4 sessions: 3 not used, 0 not paid." in capsys.readouterr().out
    quality([*map(str, files.values())], rules="default")
    assert "verdicts in the files differ" in capsys.readouterr().out
    with pytest.raises(ReadError, match="no table of participants"):
        quality([str(files["responses"])], rules="default")
    with pytest.raises(StudyError, match="say by which rules"):
        quality([str(files["responses"])])
