"""What if, of ratings and of yes / no questions: in the page of the report, its JSON, its methods and its CSV."""

import csv
import json
from pathlib import Path

import pytest

from analysis import analyze_judgement_rows, analyze_rating_rows
from app.reports.detection import write_judgements_report
from app.reports.ratings import write_block_report
from tests.analysis.test_what_if import items

pytestmark = pytest.mark.slow


def test_reports_of_items_have_the_headline_without_each_rule(tmp_path: Path) -> None:
    [judged] = analyze_judgement_rows([items()], resamples=0)
    [rated] = analyze_rating_rows([items()], resamples=0)
    write_judgements_report(judged, "Made", tmp_path / "judgedwhatif", made_at=None)
    write_block_report(rated, "Made", tmp_path / "scorewhatif", made_at=None)
    for figure, mean in (
        ("judgedwhatif", judged.analysis.groups[0].accuracy.mean),
        ("scorewhatif", rated.analysis.criteria[0].mean),
    ):
        folder = tmp_path / figure
        page = (folder / "report.html").read_text(encoding="utf-8")
        assert "What if: without an exclusion rule" in page
        assert f'id="figure-{figure}"' in page
        first = json.loads((folder / "results.json").read_text())["what_if"]["specifications"][0]
        assert (first["rules"], first["mean"]) == (["hidden", "unwatched"], mean)
        assert "specification curve" in (folder / "methods.md").read_text(encoding="utf-8")
        with (folder / "numbers" / "whatif-2.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = {row["rules"]: row for row in csv.DictReader(file)}
        assert float(rows["all rules"]["mean"]) == mean
        assert set(rows) == {"all rules", "hidden", "unwatched", "no rule"}
