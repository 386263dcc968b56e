"""The statistic of docs/new-statistic.md, as it stands there: in the terminal, JSON, Results, report and CSV."""

import json
import re
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

from analysis import analyze, render
from analysis.findings import registry
from app.core.database import Database
from app.core.settings import Settings
from app.reports.frames import responses_frame
from app.reports.report import build_report
from tests.admin.persons import Person
from tests.admin.test_results import HERE, answered, computed, finished, rows, settings, text_of

__all__ = ["answered", "finished", "settings"]  # fixtures

pytestmark = [pytest.mark.usefixtures("few_resamples"), pytest.mark.any_database]

GUIDE = Path(__file__).parents[2] / "docs/new-statistic.md"
NAME = "analysis.findings.repeating"


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file and the line of the guide."""
    file, line = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    module = ModuleType(NAME)
    monkeypatch.setitem(sys.modules, NAME, module)
    exec(compile(file, str(GUIDE), "exec"), module.__dict__)
    added = eval(line, {**vars(registry), **module.__dict__})
    monkeypatch.setattr(registry, "STATISTICS", (*registry.STATISTICS, added))


@pytest.mark.usefixtures("added")
def test_it_is_found_everywhere(
    finished: str, owner: Person, settings: Settings, database: Database, tmp_path: Path
) -> None:
    with database.reading() as session:
        frame = responses_frame(session, "nav")
        build_report(session, "nav", tmp_path / "report")
    analysis = analyze(frame, resamples=50)
    found = json.loads(json.dumps(analysis.to_dict()))["studies"][0]["repeating"]
    assert found["share"]["mean"] == pytest.approx(by_hand(frame))
    assert list(analysis.to_dict()["studies"][0])[-1] == "repeating", "what was there before keeps its place"

    printed = render(analysis)
    assert "Repeated sides" in printed
    assert f"{found['share']['mean']:.3f}" in printed

    page = computed(owner, settings, database)
    said = "Whether people stay on a side: "
    assert said in text_of(page)
    assert float(rows(owner, "repeating")[0]["mean"]) == pytest.approx(found["share"]["mean"])
    assert float(rows(owner, "numbers/repeating")[0]["share"]) == pytest.approx(found["share"]["mean"])
    assert f'href="{HERE}/numbers/repeating.csv?mode=live"' in page

    report = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert said in report
    assert "Repeated sides were tested against one half" in (tmp_path / "report/methods.md").read_text()
    for name in (
        "figures/repeating.csv",
        "figures/repeating.svg",
        "figures/repeating.png",
        "numbers/repeating.csv",
    ):
        assert (tmp_path / "report" / name).is_file()
        assert f'href="{name}"' in report


def by_hand(frame: pd.DataFrame) -> float:
    """Source: counted answer by answer."""
    shares = []
    for _, answers in frame[frame["kind"] == "main"].groupby("participant", observed=True):
        rows = sorted(
            zip(
                answers["position"], answers["choice"].astype(str) == answers["left"].astype(str), strict=True
            )
        )
        shares.append(sum(one[1] == two[1] for one, two in pairwise(rows)) / (len(rows) - 1))
    return sum(shares) / len(shares)


def test_a_name_of_a_statistic_can_stand_in_an_address() -> None:
    names = [one.name for one in registry.STATISTICS]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[a-z]+", name) for name in names)
