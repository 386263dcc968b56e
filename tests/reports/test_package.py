"""The study package: complete, consistent, anonymous, and what it says it is to three standards."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select

from analysis import analyze, read_responses
from analysis.files.faults import noting
from app.core.database import Database
from app.core.errors import Conflict, NotFound, StudyError
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.reports.export import export
from app.reports.kinds import Format
from app.reports.package import build_package
from app.reports.packaging.about import About
from app.trials.tables import ParticipantSession, State, Study, StudyVersion
from tests.factories import NOW, open_study
from tests.reports.packages import (
    FORMULA,
    NEW_QUESTION,
    RATIONALE,
    SECRETS,
    Unpacked,
    database_in,
    fill,
    rows_in,
    unpacked,
)

pytestmark = pytest.mark.any_database

Library = tuple[ClipStore, Sequence[ImportedClip]]

TOOLS = Path(sys.executable).parent
YAML = "study: nav\n"
# No tool may need another host: whatever it asked for would go to a port where nobody listens.
OFFLINE = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")


@pytest.fixture(scope="module")
def filled(
    migrated_sqlite: Path, library: Library, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    folder = tmp_path_factory.mktemp("filled")
    with database_in(folder, migrated_sqlite) as database:
        with database.transaction() as session:
            fill(session, folder, library[1])
        yield database


@pytest.fixture(scope="module")
def package(filled: Database, tmp_path_factory: pytest.TempPathFactory) -> Unpacked:
    folder = tmp_path_factory.mktemp("package")
    with filled.reading() as session:
        info = build_package(session, "nav", folder / "nav.zip", made_at=NOW, study_files={1: YAML})
    return unpacked(info, folder / "unpacked")


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **OFFLINE}
    return subprocess.run(
        [str(TOOLS / command[0]), *command[1:]],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def assert_frictionless_accepts(folder: Path) -> None:
    frictionless = run(folder, "frictionless", "validate", "datapackage.json", "--json")
    verdict = json.loads(frictionless.stdout)
    assert (frictionless.returncode, verdict["valid"]) == (0, True), frictionless.stdout
    assert verdict["stats"]["errors"] == verdict["stats"]["warnings"] == 0


def assert_mlcroissant_accepts(folder: Path) -> None:
    croissant = run(folder, "mlcroissant", "validate", "--jsonld", "croissant.json")
    assert_no_issue(croissant)


def assert_no_issue(croissant: subprocess.CompletedProcess[str]) -> None:
    """In its log `I` begins a line of information, `W` one of warning; issues are spelt out."""
    assert croissant.returncode == 0, croissant.stderr
    assert not re.search(r"^[WE]\d|warning|error", croissant.stderr, re.MULTILINE | re.IGNORECASE), (
        croissant.stderr
    )


@pytest.mark.exhaustive
def test_mlcroissants_own_command_accepts_it(package: Unpacked) -> None:
    assert_mlcroissant_accepts(package.folder)


def test_frictionless_accepts_it(package: Unpacked) -> None:
    assert_frictionless_accepts(package.folder)
    tables = {resource["name"] for resource in package.json("datapackage.json")["resources"]}
    assert tables == {record_set["@id"] for record_set in package.json("croissant.json")["recordSet"]}
    assert tables >= {"responses", "participants", "playback", "answers", "labels", "preferences"}


@pytest.mark.exhaustive
def test_frictionless_would_find_a_broken_key(package: Unpacked, tmp_path: Path) -> None:
    """So that acceptance means something: the keys and types are really looked at."""
    broken = shutil.copytree(package.folder, tmp_path / "broken")
    path = broken / "data/study-nav_description-playback_data.csv"
    first = package.rows("playback")[0]
    place = f",{first['participant']},{first['session']},"
    text = path.read_text(encoding="utf-8").replace(place, place.replace(first["session"] + ",", "999,"), 1)
    path.write_text(text, encoding="utf-8")
    skipped = ("--skip-errors", "hash-count,byte-count")
    done = run(broken, "frictionless", "validate", "datapackage.json", "--json", *skipped)
    found = {error["type"] for task in json.loads(done.stdout)["tasks"] for error in task["errors"]}
    assert "foreign-key" in found


def test_mlcroissant_accepts_it_and_loads_the_records(package: Unpacked) -> None:
    code = (
        "import json, mlcroissant\n"
        "records = mlcroissant.Dataset('croissant.json').records('responses')\n"
        "names = ('trial', 'choice', 'correct', 'uncertainty', 'rationale')\n"
        "values = [[r['responses/' + n] for n in names] for r in records]\n"
        "print(json.dumps([[v.decode() if isinstance(v, bytes) else v for v in row] for row in values]))\n"
    )
    done = run(package.folder, "python", "-c", code)
    assert_no_issue(done)
    whole = {"": None, "true": True, "false": False}
    expected = [
        [
            int(row["trial"]),
            row["choice"] or None,
            whole[row["correct"]],
            int(row["uncertainty"]) if row["uncertainty"] else None,
            row["rationale"] or None,
        ]
        for row in package.rows("responses")
    ]
    assert json.loads(done.stdout) == expected


# The rules of Psych-DS, schema model 1.5.1 [KS25]: rules/files/tabular_data/data.yaml, rules/files/common/core.yaml,
# rules/compiled_metadata, and the keywords of meta/context.yaml.
DATA_FILE = re.compile(r"([a-z]+-[a-zA-Z0-9]+)(_[a-z]+-[a-zA-Z0-9]+)*_data\.csv")
KEYWORDS = {"study", "site", "subject", "session", "task", "condition", "trial", "stimulus", "description"}


def test_it_keeps_the_rules_of_psych_ds(package: Unpacked) -> None:
    whole = package.json("dataset_description.json")
    assert (whole["@context"], whole["@type"]) == ("https://schema.org/", "Dataset")
    assert all(whole[required] for required in ("name", "description", "variableMeasured"))
    described = {variable["name"]: variable for variable in whole["variableMeasured"]}
    assert len(described) == len(whole["variableMeasured"])
    assert all(v["@type"] == "PropertyValue" and v["description"] for v in described.values())
    data_files = sorted((package.folder / "data").glob("*.csv"))
    assert data_files
    for path in data_files:
        assert DATA_FILE.fullmatch(path.name), path.name
        assert {pair.split("-")[0] for pair in path.stem.split("_")[:-1]} <= KEYWORDS
        header = path.read_text(encoding="utf-8").partition("\n")[0].split(",")
        assert len(set(header)) == len(header)
        assert set(header) <= described.keys()
        sidecar = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        assert [variable["name"] for variable in sidecar["variableMeasured"]] == header
        assert all(None not in row and None not in row.values() for row in rows_in(path))
    for recommended in ("README.md", "CHANGES.md", ".psychds-ignore"):
        assert package.text(recommended).strip()
    for folder in ("analysis", "results", "materials", "documentation"):
        assert any((package.folder / folder).iterdir())
    assert min(path.stat().st_size for path in package.folder.rglob("*") if path.is_file()) > 0
    names = {path.name for path in package.folder.iterdir()}
    ignored = set(package.text(".psychds-ignore").split())
    official = {"dataset_description.json", "README.md", "CHANGES.md", "data", "analysis", "results", "materials",
                "documentation"}  # fmt: skip
    assert names == official | ignored


def test_its_tables_are_the_exports_but_for_identity(filled: Database, tmp_path: Path) -> None:
    """With links kept, which leaves the session's number to compare by."""
    with filled.reading() as session:
        info = build_package(session, "nav", tmp_path / "nav.zip", made_at=NOW, keeps_links=True)
    package = unpacked(info, tmp_path / "linked")
    for what in ("responses", "playback", "answers", "participants"):
        with filled.reading() as session:
            export(session, "nav", what, Format.CSV, tmp_path / "export.csv")
        exported = [row for row in rows_in(tmp_path / "export.csv") if row["mode"] != "preview"]
        for row in exported:
            row.pop("recruiter", None)
            row.pop("exclusion_reason", None)
            row["participant"] = ""
        packed = [{**row, "participant": ""} for row in package.rows(what)]
        assert packed == exported
        assert {row["mode"] for row in packed} == {"live", "pilot", "simulated"}
    rationales = {row["rationale"] for row in package.rows("responses")}
    assert rationales == {RATIONALE, f"'{FORMULA}", ""}
    assert "could tell who is who" in package.text("README.md")


def test_what_would_tell_who_is_who_is_left_out(package: Unpacked, filled: Database, tmp_path: Path) -> None:
    """Session and trial numbers, seeds, the order of arrival and exact times: in no file of the package."""
    exported: dict[str, list[dict[str, str]]] = {}
    for what in ("participants", "responses", "playback", "answers"):
        with filled.reading() as session:
            export(session, "nav", what, Format.CSV, tmp_path / "export.csv")
        exported[what] = [row for row in rows_in(tmp_path / "export.csv") if row["mode"] != "preview"]
    everything = b"".join(path.read_bytes() for path in package.folder.rglob("*") if path.is_file())
    for row in exported["participants"]:
        assert row["seed"].encode() not in everything or len(row["seed"]) < 4
        assert row["arrived_at"].encode() not in everything
    for row in exported["responses"]:
        assert row["answered_at"].encode() not in everything
    people = package.rows("participants")
    assert not {"seed", "ordinal"} & set(people[0])
    times = [row["arrived_at"] for row in people] + [row["answered_at"] for row in package.rows("responses")]
    assert {time[10:] for time in times} == {"T00:00:00.000000Z"}
    assert {row["session"] for row in people} == {str(n + 1) for n in range(len(people))}
    with filled.reading() as session:
        by_seed = session.exec(
            select(ParticipantSession.mode)
            .where(ParticipantSession.status != "refused", ParticipantSession.mode != "preview")
            .order_by(col(ParticipantSession.seed))
        ).all()
    assert [row["mode"] for row in people] == list(by_seed), "not as they came"
    for table, rows in exported.items():
        left_out = {"seed", "ordinal", "session", "trial", "participant", "recruiter", "exclusion_reason"}
        left_out |= {"arrived_at", "consented_at", "ended_at", "shown_at", "answered_at"}
        packed = [{k: v for k, v in row.items() if k not in left_out} for row in package.rows(table)]
        assert sorted(map(str, packed)) == sorted(
            str({k: v for k, v in row.items() if k not in left_out}) for row in rows
        )
    assert "exact times were left out" in package.text("documentation/data-dictionary.csv")
    assert "the day alone is kept" in package.text("README.md")


def test_nobody_is_named_and_all_joins_hold(package: Unpacked) -> None:
    everything = b"".join(path.read_bytes() for path in package.folder.rglob("*") if path.is_file())
    for secret in (*SECRETS, "previewer"):
        assert secret.encode() not in everything
    of_session = {row["session"]: row["participant"] for row in package.rows("participants")}
    assert sorted(set(of_session.values())) == ["p-0001", "p-0002", "p-0003", "p-0004"]
    by_mode = [(row["mode"], row["participant"]) for row in package.rows("participants")]
    [pilot] = [participant for mode, participant in by_mode if mode == "pilot"]
    assert ("live", pilot) in by_mode, "the same recruiter's id as in a live session"
    trials = {row["trial"] for row in package.rows("responses")}
    for table in ("responses", "playback", "answers"):
        for row in package.rows(table):
            assert of_session[row["session"]] == row["participant"]
            assert row["trial"] in trials | {""}
    people = {
        person["participant"] for person in package.json("results/results.json")["studies"][0]["participants"]
    }
    assert people < set(of_session.values())


def test_identifiers_stay_only_when_asked_for(filled: Database, tmp_path: Path) -> None:
    with filled.reading() as session:
        info = build_package(session, "nav", tmp_path / "nav.zip", made_at=NOW, pseudonyms=False)
    named = unpacked(info, tmp_path / "named")
    people = named.rows("participants")
    assert people[0]["participant"] == SECRETS[0]
    assert json.loads(people[0]["recruiter"])["STUDY_ID"] == SECRETS[1]
    assert "not fit for publishing" in named.text("README.md")
    assert {person["participant"] for person in people} >= {
        row["participant"] for row in named.rows("responses")
    }


def test_modes_are_kept_apart(package: Unpacked) -> None:
    assert (package.info.mode, package.info.answers) == ("live", {"live": 26, "simulated": 5, "pilot": 11})
    votes = {
        name: sum(int(row["n"]) for row in package.rows(name))
        for name in ("labels", "labelsPilot", "labelsSimulated")
    }
    # Main trials that would play: 10 + 9 + 3 live ones, 9 of the pilot; 1 of the 5 simulated trials is practice.
    assert votes["labels"] == 22
    assert votes["labelsPilot"] == 9
    assert votes["labelsSimulated"] in (3, 4)
    assert package.json("results/results.json")["settings"]["mode"] == "live"
    assert {record["mode"] for record in records(package)} == {"live"}


def records(package: Unpacked) -> list[dict[str, Any]]:
    return [json.loads(line) for line in package.text("results/preferences.jsonl").splitlines()]


def test_preference_records_are_the_majorities(package: Unpacked) -> None:
    """Counted again in plain Python from the answers in the package."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    clips, newest = {}, Counter[str]()
    for row in package.rows("responses"):
        if (row["mode"], row["kind"], row["excluded"]) == ("live", "main", "") and row["choice"]:
            votes[row["pair"]][row["choice"]] += 1
            clips[row["pair"]] = {"a": row["stimulus_a"], "b": row["stimulus_b"]}
            newest[row["pair"]] = max(newest[row["pair"]], int(row["version"]))
    decided = {pair: count for pair, count in votes.items() if count["a"] != count["b"]}
    assert package.info.n_ties == len(votes) - len(decided) > 0
    assert {record["pair"] for record in records(package)} == decided.keys()
    for record in records(package):
        count = decided[record["pair"]]
        winner, loser = ("a", "b") if count["a"] > count["b"] else ("b", "a")
        assert (record["chosen"], record["rejected"]) == (
            clips[record["pair"]][winner],
            clips[record["pair"]][loser],
        )
        assert record["n"] == count["a"] + count["b"]
        assert record["share"] == pytest.approx(count[winner] / record["n"])
        asked_anew = newest[record["pair"]] == 2
        assert (record["prompt"] == NEW_QUESTION) is asked_anew
    assert {record["prompt"] == NEW_QUESTION for record in records(package)} == {True, False}


def test_the_report_is_that_of_the_packed_answers(package: Unpacked) -> None:
    path = package.folder / "data/study-nav_description-responses_data.csv"
    reported = package.json("results/results.json")
    again = analyze(read_responses(path), mode="live", seed=1).to_dict()
    # Who arrived and did not begin is in no response.
    assert [reported["studies"][0].pop("flow") == again["studies"][0].pop("flow")] == [False]
    assert reported == again
    assert f"python -m analysis {path.relative_to(package.folder)} --mode live --seed 1" in package.text(
        "analysis/rerun.md"
    )


def test_every_file_has_its_checksum(package: Unpacked) -> None:
    lines = package.text("SHA256SUMS").splitlines()
    sums = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    files = {
        path.relative_to(package.folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in package.folder.rglob("*")
        if path.is_file() and path.name != "SHA256SUMS"
    }
    assert sums == files
    assert package.info.files == tuple(sorted([*files, "SHA256SUMS"]))
    assert package.info.sha256 == hashlib.sha256(package.info.path.read_bytes()).hexdigest()


def test_equal_data_give_equal_bytes(package: Unpacked, filled: Database, tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    with filled.reading() as session:
        again = build_package(
            session,
            "nav",
            tmp_path / "again.zip",
            made_at=NOW,
            study_files={1: YAML},
            on_progress=lambda *step: told.append(step),
        )
    assert again.sha256 == package.info.sha256
    total = told[-1][0]
    assert [(done, of) for done, of, _ in told] == [(done, total) for done in range(total + 1)]
    assert [path.name for path in tmp_path.iterdir()] == ["again.zip"]


def test_it_has_the_collections_of_its_clips_with_frame_rules_and_attributes(package: Unpacked) -> None:
    packed = {
        each["name"]: each for each in json.loads(package.text("materials/collections.json"))["collections"]
    }
    library = packed["library"]
    assert (library["is_own"], library["rules"]["width"]) == (False, 96)
    clip = next(each for each in library["clips"] if each["name"] == "human-g1")
    assert (clip["source"], clip["attributes"]) == ("human", {"goal": "g1", "player": "secret-player"})
    assert len(clip["sha256"]) == len(clip["original_sha256"]) == 64
    table = package.text("materials/clips.csv").splitlines()
    assert table[0] == "name,source,goal,player"
    assert len(table) == 1 + len(library["clips"])


def test_it_has_every_version_as_it_was_run(package: Unpacked, filled: Database) -> None:
    with filled.reading() as session:
        versions = session.exec(select(StudyVersion).order_by(StudyVersion.number)).all()  # type: ignore[arg-type]
    assert len(versions) == 2
    for version in versions:
        design = (package.folder / f"materials/version-{version.number}/design.json").read_bytes()
        assert hashlib.sha256(design).hexdigest() == version.sha256
        assert version.sha256 in package.text("CHANGES.md")
        assert version.sha256 in package.text("results/methods.md")
    assert package.text("materials/version-1/study.yaml") == YAML
    assert not (package.folder / "materials/version-2/study.yaml").exists()


def test_the_dictionary_describes_every_column(package: Unpacked) -> None:
    columns = {
        (row["table"], row["column"]) for row in rows_in(package.folder / "documentation/data-dictionary.csv")
    }
    tables = package.json("documentation/data-dictionary.json")
    assert columns == {(name, one["column"]) for name, table in tables.items() for one in table["columns"]}
    for table in tables.values():
        if table["path"].endswith(".csv"):
            header = package.text(table["path"]).partition("\n")[0].split(",")
            assert [column["column"] for column in table["columns"]] == header
    assert ("participants", "recruiter") not in columns


def test_a_study_without_answers_has_a_package_too(
    database: Database, library: Library, tmp_path: Path, exhaustive: bool
) -> None:
    licence = "https://creativecommons.org/licenses/by/4.0/"
    about = About(authors=("Ada {L}",), license=licence, url="https://example.org/nav")
    with database.transaction() as session:
        open_study(session, tmp_path, library[1])
    with database.reading() as session:
        info = build_package(session, "nav", tmp_path / "nav.zip", made_at=NOW, mode="live", about=about)
    package = unpacked(info, tmp_path / "unpacked")
    assert not any(info.answers.values())
    for table in ("responses", "participants", "playback", "answers", "labels"):
        assert package.rows(table) == []
        assert package.text(f"data/study-nav_description-{table}_data.csv").startswith("study,")
    assert "There are no answers yet" in package.text("README.md")
    assert "no answers yet" in package.text("results/report.html")
    assert package.json("results/results.json")["reason"] == "there are no answers to analyse"
    assert not (package.folder / "results/preferences.jsonl").exists()
    assert_it_says_what_its_authors_say(package, licence)
    if exhaustive:
        assert_frictionless_accepts(package.folder)
        assert_mlcroissant_accepts(package.folder)


def assert_it_says_what_its_authors_say(package: Unpacked, licence: str) -> None:
    for name in ("dataset_description.json", "croissant.json"):
        said = package.json(name)
        assert (said["license"], said["url"]) == (licence, "https://example.org/nav")
    assert package.json("datapackage.json")["licenses"] == [{"path": licence}]
    assert "author = {Ada (L)}" in package.json("croissant.json")["citeAs"]


@pytest.mark.exhaustive
@pytest.mark.both_databases
@pytest.mark.parametrize(
    "database_url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)
def test_postgresql_gives_the_same_package(
    package: Unpacked, database: Database, library: Library, tmp_path: Path
) -> None:
    with database.transaction() as session:
        fill(session, tmp_path, library[1])
    with database.reading() as session:
        info = build_package(session, "nav", tmp_path / "nav.zip", made_at=NOW, study_files={1: YAML})
    other = unpacked(info, tmp_path / "unpacked")
    for table in ("responses", "participants", "playback", "answers", "labels", "labelsPilot"):
        assert other.rows(table) == package.rows(table)
    assert records(other) == records(package)


def test_bad_requests_are_refused_and_leave_nothing(filled: Database, tmp_path: Path) -> None:
    out = tmp_path / "nav.zip"
    out.write_text("old")

    def build(session: Session, slug: str = "nav", path: Path = out, mode: str | None = None) -> None:
        build_package(session, slug, path, made_at=NOW, mode=mode)

    with filled.reading() as session:
        with pytest.raises(NotFound, match="no study 'none'"):
            build(session, slug="none")
        with pytest.raises(StudyError, match="mode 'preview' cannot be packed"):
            build(session, mode="preview")
        with pytest.raises(StudyError, match="cannot write"):
            build(session, path=tmp_path / "no" / "nav.zip")
    assert (out.read_text(), [path.name for path in tmp_path.iterdir()]) == ("old", ["nav.zip"])


def test_a_folder_is_refused_before_the_package_is_made(
    filled: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.reports.package.tempfile.mkdtemp", None)
    with filled.reading() as session, pytest.raises(StudyError, match="it is a folder; name a file in it"):
        build_package(session, "nav", tmp_path, made_at=NOW)


def test_nobody_is_told_of_line_breaks_in_the_packages_own_tables(filled: Database, tmp_path: Path) -> None:
    """They are in the reasons that people write, and the place of the tables is one that nobody can open."""
    assert "\n" in RATIONALE
    with noting() as notes, filled.reading() as session:
        build_package(session, "nav", tmp_path / "nav.zip", made_at=NOW)
    assert notes == []


def test_a_study_that_is_only_a_draft_is_refused(database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        session.add(Study(slug="draft", state=State.DRAFT, created_at=NOW))
    with database.reading() as session, pytest.raises(Conflict, match="no version yet"):
        build_package(session, "draft", tmp_path / "draft.zip", made_at=NOW)
