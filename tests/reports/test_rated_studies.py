"""Numbers of a study's ratings: from the database, from its exported file and from its package they are the same."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import f_oneway
from sqlmodel import Session

from analysis import analyze_rating_rows, read_rating_rows, render_rating_blocks
from analysis.__main__ import main
from analysis.errors import AnalysisError
from analysis.findings.rating_claims import claims
from analysis.judging.items import check_item_verdicts, validate_rating_rows
from analysis.signatures import compare_play
from app.core.database import Database
from app.core.errors import StudyError
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.stimuli import add_stimuli
from app.reports.export import export
from app.reports.kinds import Format
from app.reports.rated import ratings_frame
from app.reports.report import build_report, write_reports
from app.reports.targets import split_targets
from app.trials.tables import Mode
from tests.analysis.signatures.test_play import MEAN, PEOPLE
from tests.factories import NOW, study_file
from tests.kept import Kept
from tests.reports.rated import RATE, fill_rated, load_rated, rate, rated_study

pytestmark = [pytest.mark.any_database, pytest.mark.slow]


@pytest.fixture
def session(database: Database, kept: Kept, tmp_path: Path) -> Iterator[Session]:
    with rated_study(database, kept, tmp_path) as session:
        yield session


@pytest.mark.slow
def test_the_study_and_its_file_in_any_format_have_the_same_numbers(session: Session, tmp_path: Path) -> None:
    """The rows themselves on both databases: test_ratings_export.py."""
    here = [one.to_dict() for one in analyze_rating_rows([ratings_frame(session, "rated")], resamples=20)]
    for format_ in Format:
        path = tmp_path / f"r.{format_}"
        export(session, "rated", "ratings", format_, path)
        assert [one.to_dict() for one in analyze_rating_rows([read_rating_rows(path)], resamples=20)] == here
        assert split_targets(None, [str(path)]).pairs == []


@pytest.mark.slow
def test_only_main_items_of_one_mode_count_and_excluded_sessions_are_counted(session: Session) -> None:
    one, *_ = analyze_rating_rows([ratings_frame(session, "rated")], resamples=0)
    assert (one.study, one.block, one.grouped_by) == ("rated", "rate", "group")
    selection = one.selection
    assert (selection.mode, selection.n_used, selection.n_participants_used) == ("live", 12, 3)
    assert selection.left_out == {
        "mode": {"pilot": 3, "simulated": 6},
        "kind": {"practice": 4, "attention": 4},
        "excluded": {"by-hand": 4},
    }
    assert one.n_sessions_excluded == 1
    found = {criterion.criterion: criterion for criterion in one.analysis.criteria}
    assert {name: criterion.scale for name, criterion in found.items()} == {
        "logic": (1, 5), "fit": (1, 3), "effort": (0, 1), "words": None,
    }  # fmt: skip
    assert {group.group: group.mean for group in found["logic"].groups} == {"persona": 3.5, "plain": 2.5}
    severity = one.analysis.raters.set_index(["criterion", "rater"])["severity"]
    assert [severity["logic", name] for name in ("ann", "bob", "cyd")] == [0.0, -1.0, 1.0]
    pilot, *_ = analyze_rating_rows([ratings_frame(session, "rated")], mode="pilot", resamples=0)
    assert (pilot.selection.n_used, pilot.analysis.criteria[0].n_raters) == (2, 1)
    with pytest.raises(AnalysisError, match="mode 'preview' has no answers"):
        analyze_rating_rows([ratings_frame(session, "rated")], mode="preview")


def test_means_are_those_of_pandas_and_the_icc_that_of_scipys_analysis_of_variance(session: Session) -> None:
    rows = ratings_frame(session, "rated")
    counted = rows[(rows["mode"] == "live") & (rows["kind"] == "main") & rows["excluded"].isna()]
    values = counted[counted["question"] == "logic"].assign(value=lambda frame: frame["value"].astype(float))
    block, *_ = analyze_rating_rows([rows], resamples=0)
    one = next(one for one in block.analysis.criteria if one.criterion == "logic")
    assert one.mean == pytest.approx(values["value"].mean())
    assert one.sd_ddof1 == pytest.approx(values["value"].std())
    assert one.quartiles is not None
    assert (one.quartiles.lower, one.quartiles.upper) == tuple(values["value"].quantile([0.25, 0.75]))
    of_item = [scores.to_numpy() for _, scores in values.groupby("item", observed=True)["value"]]
    f, n_raters = f_oneway(*of_item).statistic, 3
    assert one.icc_oneway.value == pytest.approx((f - 1) / (f + n_raters - 1))


def test_a_second_rating_of_an_item_by_the_same_person_does_not_count(
    database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_rated(session, tmp_path)
        for person in ("ann", "bob", "ann"):
            rate(session, person)
    with database.reading() as session:
        one, *_ = analyze_rating_rows([ratings_frame(session, "rated")], resamples=0)
    assert one.n_repeated == 4 + 2 + 4 + 4
    assert next(each.n for each in one.analysis.criteria if each.criterion == "logic") == 8


def test_without_groups_items_are_grouped_by_condition(session: Session) -> None:
    rows = ratings_frame(session, "rated").assign(group=pd.Categorical([None] * 159))
    one, *_ = analyze_rating_rows([rows], resamples=0)
    assert one.grouped_by == "condition"
    assert [group.group for group in one.analysis.criteria[0].groups] == ["long", "short"]


def test_a_block_of_which_nothing_counts_says_so(database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        load_rated(session, tmp_path)
        rate(session, "ann", excluded="a test of our own")
    with database.reading() as session:
        blocks = analyze_rating_rows([ratings_frame(session, "rated")], resamples=0)
    assert blocks[0].selection.reason == "no answer of mode live to a main trial counts"
    assert "no answer of mode live" in render_rating_blocks(blocks)
    json.dumps(blocks[0].to_dict())


def test_the_text_says_who_counts_and_fits_the_terminal(session: Session) -> None:
    blocks = analyze_rating_rows([ratings_frame(session, "rated")], resamples=50)
    for full in (False, True):
        text = render_rating_blocks(blocks, full=full)
        assert "Ratings of rated, block rate (live)" in text
        assert "3 of 6 participants and 12 of 33 answered pages count (a page is" in " ".join(text.split())
        assert "logic: Logical reasoning" in text
        assert max(map(len, text.splitlines())) <= 100
        assert ("Two raters at a time" in text) == full


@pytest.mark.slow
def test_the_command_without_a_database_knows_the_file(
    session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ratings.csv"
    export(session, "rated", "ratings", Format.CSV, path)
    assert main([str(path), "--json", "--resamples", "50"]) == 0
    printed, _ = json.loads(capsys.readouterr().out)["ratings"]
    here, *_ = analyze_rating_rows([ratings_frame(session, "rated")], resamples=50)
    assert printed == here.to_dict()
    assert main([str(path)]) == 0
    assert "Severity by " in capsys.readouterr().out


@pytest.mark.slow
def test_the_report_of_ratings_alone_is_the_page(session: Session, tmp_path: Path) -> None:
    info = build_report(session, "rated", tmp_path / "report", made_at=NOW)
    pages = ("report.html", "classes-rated-rate/report.html")
    assert (info.n_answers, info.n_participants, info.ratings) == (12, 3, pages)
    assert {"report.html", "results.json", "tables/groups.csv", "figures/scores.svg"} <= set(info.files)
    page = (tmp_path / "report" / "report.html").read_text()
    assert "persona" in page
    assert "rated one item at a time; 12 pages count, each one item rated by one participant, 4 more" in page
    assert "Logical reasoning" in page, "criteria are named by their questions"
    results = json.loads((tmp_path / "report" / "results.json").read_text())
    here, *_ = analyze_rating_rows([ratings_frame(session, "rated")])
    assert results == here.to_dict()


@pytest.fixture
def both(
    database: Database, library: tuple[ClipStore, Sequence[ImportedClip]], tmp_path: Path
) -> Iterator[Session]:
    pairs = {"id": "watch", "task": "pair", **{key: study_file()[key] for key in ("sample", "trials")}}
    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
        load_rated(session, tmp_path, pairs, slug="both")
        for person in ("ann", "bob", "cyd"):
            rate(session, person)
            rate(session, person, block="watch", mode=Mode.LIVE)
    with database.reading() as session:
        yield session


def test_pairs_and_ratings_of_one_study_are_reported_both(both: Session, tmp_path: Path) -> None:
    split = split_targets(both, ["both"])
    assert (list(split.pairs), len(split.ratings)) == (["both"], 1)
    info = build_report(both, "both", tmp_path / "report")
    assert info.ratings == ("ratings-both-rate/report.html", "classes-both-rate/report.html")
    assert 'href="ratings-both-rate/report.html"' in (tmp_path / "report" / "report.html").read_text()
    assert set(info.files) >= {"results.json", "ratings-both-rate/results.json"}
    assert info.n_answers == 30


def test_a_study_nobody_has_rated_says_so(database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        load_rated(session, tmp_path)
    with database.reading() as session, pytest.raises(StudyError, match="nobody has rated an item"):
        split_targets(session, ["rated"])
    assert RATE["task"] == "rating"


@pytest.mark.slow
def test_judges_of_a_studys_items_are_on_the_page_of_the_ratings_or_classes_they_are_of(
    session: Session, tmp_path: Path
) -> None:
    """The numbers of `judge validate` of the same rows."""
    rows = ratings_frame(session, "rated")
    items = sorted(map(str, rows["item"].unique()))
    table = pd.DataFrame(
        {"judge": "model", "item": items, "value": [str(1 + k % 5) for k in range(len(items))]}
    )
    verdicts = check_item_verdicts(table)
    write_reports(
        [], {}, [rows], tmp_path / "r", seed=1, mode="live", made_at=NOW, resamples=50, item_verdicts=verdicts
    )
    page = (tmp_path / "r" / "report.html").read_text()
    assert "Judges against people" in page
    written = json.loads((tmp_path / "r" / "judges.json").read_text())
    one, *_ = validate_rating_rows([rows], verdicts, resamples=50)
    assert one.kind == "ratings"
    assert written == one.validation.to_dict()
    # Values that are no numbers are of the classes, which have a page of their own here.
    named = verdicts.assign(value="agent")
    write_reports(
        [], {}, [rows], tmp_path / "c", seed=1, mode="live", made_at=NOW, resamples=50, item_verdicts=named
    )
    assert "Judges against people" not in (tmp_path / "c" / "report.html").read_text()
    classes = tmp_path / "c" / "classes-rated-rate"
    assert "Judges against people" in (classes / "report.html").read_text()
    assert (classes / "tables" / "judges.csv").is_file()


def test_many_comparisons_of_groups_are_a_few_sentences_on_the_results_page(session: Session) -> None:
    block, *_ = analyze_rating_rows([ratings_frame(session, "rated")], resamples=0)
    one = next(each for each in block.analysis.criteria if each.group_comparisons)
    many = replace(one, group_comparisons=one.group_comparisons[:1] * 30)
    can_say, not_yet = claims([replace(block, analysis=replace(block.analysis, criteria=(many,)))])
    said = can_say or not_yet
    assert len(said) == 5
    assert said[-1] == "The same of 26 more comparisons."


@pytest.mark.slow
def test_matches_of_a_study_of_ratings_alone_have_their_signatures_in_its_report(
    database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_rated(session, tmp_path)
        fill_rated(session)
    play = compare_play([*PEOPLE, *MEAN], resamples=20)
    with database.reading() as session:
        found = build_report(session, "rated", tmp_path / "report", play=play)
    assert (found.n_answers, found.n_participants) == (12, 3)
    assert len(found.ratings) == 2
    page = (tmp_path / "report" / "report.html").read_text()
    assert "How sources play, given what they perceive, against people" in page
    assert all(f'href="{one}"' in page for one in found.ratings)
    assert "no answer" not in page.lower()
