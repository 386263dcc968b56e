"""Scores compared as pairs, in the report of ratings: the numbers of the analysis, and why some are missing."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from analysis import analyze_rating_rows, compare_blocks
from analysis.findings.paired_rating_tables import PAIRED
from app.reports.ratings import write_ratings_report
from app.reports.report import write_reports
from tests.analysis.test_paired_ratings import GIVEN, rows_of
from tests.factories import NOW
from tests.reports.packages import rows_in
from tests.reports.test_ratings_report import alympics

pytestmark = pytest.mark.slow


def row_of(rows: list[dict[str, str]], **cells: str) -> Mapping[str, str]:
    [found] = [row for row in rows if all(row[name] == cell for name, cell in cells.items())]
    return found


def test_two_studies_and_raters_themselves_are_compared_on_the_page_of_each(tmp_path: Path) -> None:
    own = {"ann": 5.0, "bob": 4.0, "cyd": 4.0, "eve": 1.0}
    others = {"eve": {"s1": 4, "s2": 5, "s3": 1}, "fay": {"s1": 4, "s2": 3}}
    tables = [rows_of("a", GIVEN, own), rows_of("b", others)]
    info = write_reports([], {}, tables, tmp_path / "r", seed=1, mode="live", made_at=NOW, resamples=50)
    assert info.ratings == ("ratings-a-rate/report.html", "ratings-b-rate/report.html")
    first, second = ((tmp_path / "r" / page).read_text() for page in info.ratings)
    for page in (first, second):
        assert "2 stimuli were rated in both studies, of 2 in a and 3 in b" in page
        assert "a less b" in page
        assert "How logical is it?" in page
    assert "oneself less items" in first
    assert "oneself less items" not in second
    assert "4 raters answered the questions about themselves" in first
    rows = rows_in(tmp_path / "r/ratings-a-rate/tables/paired.csv")
    assert list(rows[0]) == list(PAIRED)
    blocks = analyze_rating_rows(tables, resamples=50)
    assert blocks[0].self_assessment is not None
    [about_self], [[between]] = (
        blocks[0].self_assessment.criteria,
        [one.criteria for one in compare_blocks(blocks, resamples=50)],
    )
    for one in (about_self, between):
        row = row_of(rows, paired_by=one.paired_by)
        assert (row["criterion"], row["first"], int(row["n"])) == ("logic", one.first, one.test.n)
        assert float(row["difference"]) == one.test.difference.mean
        assert (float(row["p"]), row["alternative"]) == (one.test.p, "two-sided")
    assert "b less" not in first
    # Two differences give no interval, and the page says why.
    assert "too few stimuli for an interval: 2" in first


def test_criteria_are_compared_in_the_report_of_a_file(tmp_path: Path) -> None:
    write_ratings_report(alympics(), tmp_path / "r", seed=1, resamples=50, made_at=NOW)
    page = (tmp_path / "r/report.html").read_text()
    assert "Criteria compared" in page
    assert "Holm over 15 tests" in page
    rows = rows_in(tmp_path / "r/tables/paired.csv")
    assert len(rows) == 15
    assert row_of(rows, first="IU", second="LP")["n"] == "30"
