"""Arms of yes / no judgements, classes and ratings in the terminal, the JSON, the report, its figures and its CSV."""

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

from analysis import analyze_judgement_rows, analyze_rating_rows
from analysis.data.columns import RATING_COLUMNS, names
from analysis.data.schema import check_rating_rows
from analysis.findings.items import RatedItems, claims, figures
from analysis.stats.arms import ArmsCompared
from analysis.text.detection import render_judgement_blocks
from analysis.text.ratings import render_rating_blocks
from app.reports.detection import write_judgements_report
from app.reports.ratings import write_block_report

pytestmark = pytest.mark.slow

N_PEOPLE, N_ITEMS = 12, 8


def rows() -> pd.DataFrame:
    """People of `sharp` are wrong about one item in eight, call few fast, score high; of `dull` the reverse."""
    made = []
    for arm in ("dull", "sharp"):
        is_sharp = arm == "sharp"
        for who in range(N_PEOPLE):
            for at in range(N_ITEMS):
                truth = "Yes" if at % 2 else "No"
                wrong = at == who % N_ITEMS or (not is_sharp and at in (who % 4, 4 + who % 4, 7 - who % 4))
                about = {
                    "study": "made", "version": 1, "arm": arm, "mode": "live", "block": "rate",
                    "participant": f"{arm}{who}", "session": f"{arm}{who}", "position": at + 1,
                    "trial": f"{arm}{who}-{at}", "item": f"i{at}", "kind": "main", "rt_ms": 9000,
                }  # fmt: skip
                answer = {"Yes": "No", "No": "Yes"}[truth] if wrong else truth
                seen = {"question": "seen", "text": answer, "level": "nominal", "truth": truth}
                pace = "slow" if (at + who) % 8 > (1 if is_sharp else 5) else "fast"
                logic = (3 if is_sharp else 1) + (who + at) % 3
                made += [
                    {**about, **seen, "options": '["Yes", "No"]', "ask": "Is this a person?"},
                    {
                        **about,
                        "question": "pace",
                        "text": pace,
                        "level": "nominal",
                        "options": '["fast", "slow"]',
                    },
                    {
                        **about, "question": "logic", "value": logic, "level": "ordinal", "scale_low": 1,
                        "scale_high": 5,
                    },
                ]  # fmt: skip
    table = pd.DataFrame(made, columns=list(names(RATING_COLUMNS)), dtype=object)
    return check_rating_rows(table.where(table.notna(), None), "made")


@pytest.fixture(scope="module")
def rated() -> RatedItems:
    table = [rows()]
    return RatedItems(analyze_rating_rows(table, resamples=0), analyze_judgement_rows(table, resamples=0))


def test_every_kind_of_item_has_claims_and_a_figure_of_its_arms(rated: RatedItems) -> None:
    can_say, _ = claims(rated)
    said = [text.partition(":")[0] for text in can_say if "in arm" in text]
    assert said == [
        "People in arm dull score lower by logic than in arm sharp",
        "People in arm dull answer “fast” more often by pace than in arm sharp",
        "People in arm dull are right less often than in arm sharp",
        "People in arm dull score in sensitivity d' lower than in arm sharp",
    ]
    drawn = {one.name: one for one in figures(rated, {}) if one.name.endswith("arms")}
    assert {name: (one.section, [mark.name for mark in one.marks]) for name, one in drawn.items()} == {
        "judgedarms": ("yes-no:rate", ["dull", "sharp"]),
        "scorearms": ("ratings:rate", ["dull", "sharp"]),
        "classarms": ("classes:rate", ["dull", "sharp"]),
    }
    assert drawn["scorearms"].scale == (1, 5)


def test_the_terminal_says_the_arms_of_each_kind(rated: RatedItems) -> None:
    judged, whole = (
        " ".join(render_judgement_blocks(rated.judgements, full=full).split()) for full in (False, True)
    )
    assert "Arms dull against sharp (12 and 12 people), accuracy: higher in dull with probability" in judged
    assert "sensitivity d'" in judged
    assert "Arms compared" in whole
    assert "criterion c" in whole
    ratings = " ".join(render_rating_blocks(rated.ratings).split())
    assert "Arms dull against sharp (12 and 12 people), pace, fast: higher in dull" in ratings
    assert "Arms dull against sharp (12 and 12 people), logic: higher in dull" in ratings


def test_reports_have_sections_numbers_figures_and_json_of_the_arms(
    rated: RatedItems, tmp_path: Path
) -> None:
    [judged] = rated.judgements
    write_judgements_report(judged, "Made", tmp_path / "judged", made_at=None)
    for one in rated.ratings:
        write_block_report(one, "Made", tmp_path / one.kind, made_at=None)
    by_kind: dict[str, ArmsCompared | None] = {
        "judged": judged.arms,
        **{one.kind: one.arms for one in rated.ratings},
    }
    for kind, arms in by_kind.items():
        folder = tmp_path / kind
        assert arms is not None
        results = json.loads((folder / "results.json").read_text())
        assert results["arms"] == json.loads(json.dumps(arms.to_dict()))
        page = (folder / "report.html").read_text()
        assert "Arms compared" in page
        assert (
            f'id="figure-{ {"judged": "judgedarms", "ratings": "scorearms", "classes": "classarms"}[kind] }"'
            in page
        )
        assert "Mann-Whitney test over people" in page
        means, tests = (numbers(folder / f"numbers/{name}.csv") for name in ("arms", "arms-2"))
        first = arms.measures[0]
        assert [float(row["mean"]) for row in means[:2]] == [arm.described.mean for arm in first.arms]
        assert float(tests[0]["u_first"]) == first.pairs[0].test.u1


def numbers(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))
