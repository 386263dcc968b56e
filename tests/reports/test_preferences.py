"""Preference records: what trainers of reward models read, counted from the same votes as the labels."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from analysis import AnalysisError
from app.core.database import Database
from app.core.errors import NotFound
from app.reports.export import export
from app.reports.kinds import Format
from app.reports.preferences import asked, preferences, preferences_of
from tests.analysis.tables import answer, checked, person
from tests.reports.packages import published_in, rows_in
from tests.sessions.arms import put_study

ASKED = "Which video is more likely to be human?"


@pytest.fixture(scope="module")
def published(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with published_in(tmp_path_factory.mktemp("published"), migrated_sqlite) as database:
        yield database


def test_each_format_holds_the_majorities_of_the_published_answers(
    published: Database, tmp_path: Path
) -> None:
    """Against the imported answers counted in plain Python."""
    paths = {format_: tmp_path / f"preferences.{format_}" for format_ in Format}
    with published.reading() as session:
        done = [export(session, "hntt-1", "preferences", format_, path) for format_, path in paths.items()]
        export(session, "hntt-1", "responses", Format.CSV, tmp_path / "responses.csv")
    votes: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for row in rows_in(tmp_path / "responses.csv"):
        if row["choice"]:
            chosen, other = row["choice"], {"a": "b", "b": "a"}[row["choice"]]
            clips = tuple(sorted((row[f"stimulus_{chosen}"], row[f"stimulus_{other}"])))
            votes[row["pair"], *clips][row[f"stimulus_{chosen}"]] += 1
    lines = paths[Format.JSONL].read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    decided = {key: count for key, count in votes.items() if len(set(count.values())) > 1 or len(count) == 1}
    assert len(records) == len(decided) == 10 - done[0].n_ties
    for record in records:
        count = votes[record["pair"], *sorted((record["chosen"], record["rejected"]))]
        assert count[record["chosen"]] > count[record["rejected"]]
        assert record["n"] == count.total()
        assert record["share"] == pytest.approx(count[record["chosen"]] / count.total())
        assert (record["prompt"], record["mode"]) == (ASKED, "live")
    assert {(one.n_rows, one.mode) for one in done} == {(len(records), "live")}
    assert pq.read_table(paths[Format.PARQUET]).to_pylist() == records
    written = [{**record, "share": str(record["share"]), "n": str(record["n"])} for record in records]
    assert rows_in(paths[Format.CSV]) == written


def test_ties_blanks_and_other_kinds_make_no_record() -> None:
    rows = [
        *person("one", "ab-a"),
        *person("two", "bbba"),
        answer(participant="three", pair="q3", choice="b", version="2"),
        answer(participant="three", pair="q4", choice="b", excluded="unplayable"),
        answer(participant="three", pair="q5", choice="a", kind="attention"),
        answer(participant="three", pair="q6", choice=""),
        answer(participant="pilot", pair="q1", choice="a", mode="pilot"),
    ]
    found = preferences_of(checked(*rows), {(1, ""): ASKED, (2, ""): "Asked anew?"})
    assert [(row["pair"], row["chosen"], row["share"], row["n"], row["prompt"]) for row in found.rows] == [
        ("q2", "q2-b", 1.0, 2, ASKED),
        ("q3", "q3-b", 1.0, 2, "Asked anew?"),
        ("q4", "q4-a", 1.0, 2, ASKED),
    ]
    assert (found.n_ties, found.mode) == (1, "live")


ASKED_OTHERWISE = """\
arms:
  - {id: plain}
  - {id: same, set: {blocks.watch.trials.watch: free}}
  - {id: other, set: {blocks.watch.trials.questions.choice.ask: "Which is the agent?"}}
"""


@pytest.mark.any_database
def test_arms_that_ask_otherwise_have_records_of_their_own_and_arms_that_ask_alike_share_them(
    database: Database, tmp_path: Path
) -> None:
    put_study(database, tmp_path, ASKED_OTHERWISE)
    with database.reading() as session:
        prompts = asked(session, "arms")
    own = "Which is real?"
    assert prompts == {(1, ""): own, (1, "plain"): own, (1, "same"): own, (1, "other"): "Which is the agent?"}
    rows = [
        *(row for who in ("one", "two") for row in person(who, "a", arm="plain")),
        *person("three", "b", arm="same"),
        *(row for who in ("four", "five") for row in person(who, "b", arm="other")),
    ]
    found = preferences_of(checked(*rows), prompts)
    assert {(row["prompt"], row["chosen"], row["share"], row["n"]) for row in found.rows} == {
        (own, "q1-a", 2 / 3, 3),
        ("Which is the agent?", "q1-b", 1.0, 2),
    }
    assert found.n_ties == 0


def test_a_mode_without_votes_is_refused_and_an_unknown_study_too(published: Database) -> None:
    with published.reading() as session:
        with pytest.raises(AnalysisError, match="mode 'pilot' has no answers"):
            preferences(session, "hntt-1", "pilot")
        with pytest.raises(NotFound, match="no study 'none'"):
            preferences(session, "none")
