"""The report of judgements of single stimuli: its numbers are the analysis'."""

import html
import json
import re
from pathlib import Path

import pytest

from analysis.data.judgements import Judgements
from analysis.data.mapping import read_judgements
from analysis.detection.measures import analyze_judgements
from app.reports.detection import write_detection_report
from tests.factories import NOW
from tests.reports.packages import rows_in

MAPPING = """kind: yes-no
columns: {participant: who, stimulus: clip, condition: model, truth: is, answer: says}
classes: [<b>real</b>, fake]
values: {is: {r: <b>real</b>, f: fake}, says: {r: <b>real</b>, f: fake}}
"""


def judged(folder: Path) -> Judgements:
    rows = [
        f"w{who},c{clip},{'' if clip % 2 else ('gan', 'diffusion')[clip % 4 // 2]},{'r' if clip % 2 else 'f'},"
        f"{'r' if (clip * who + clip) % 3 else 'f'}"
        for who in range(6)
        for clip in range(12)
    ]
    (folder / "judged.csv").write_text("\n".join(["who,clip,model,is,says", *rows, ""]), encoding="utf-8")
    mapping = MAPPING.replace("{is:", "{truth:").replace("says: {r", "answer: {r")
    (folder / "map.yaml").write_text(mapping, encoding="utf-8")
    return read_judgements(folder / "judged.csv", folder / "map.yaml")


@pytest.mark.slow
def test_its_files_and_page_hold_the_numbers_of_the_analysis(tmp_path: Path) -> None:
    judgements = judged(tmp_path)
    n = write_detection_report(judgements, tmp_path / "report", seed=2, resamples=50, made_at=NOW)
    analysis = analyze_judgements(judgements, seed=2, resamples=50)
    expected = analysis.to_dict()
    assert n == expected["n_answers"] == 72
    assert json.loads((tmp_path / "report/results.json").read_text(encoding="utf-8")) == expected
    groups = rows_in(tmp_path / "report/tables/groups.csv")
    assert [row["condition"] for row in groups] == [""] * 7 + ["diffusion"] * 7 + ["gan"] * 7
    assert float(groups[1]["mean"]) == expected["groups"][0]["d_prime"]["mean"]
    by_name = {row["measure"]: row for row in groups[:7]}
    assert (
        float(by_name["d_prime_multilevel"]["mean"])
        == expected["groups"][0]["multilevel"]["d_prime"]["value"]
    )
    assert by_name["d_prime"]["reason"] == expected["groups"][0]["d_prime"]["interval"]["reason"]
    people = rows_in(tmp_path / "report/tables/participants.csv")
    assert [float(row["d_prime"]) for row in people] == [one["d_prime"] for one in expected["participants"]]
    stimuli = rows_in(tmp_path / "report/tables/stimuli.csv")
    assert [int(row["n_signal"]) for row in stimuli] == [one["n_signal"] for one in expected["stimuli"]]
    conditions = rows_in(tmp_path / "report/tables/conditions.csv")
    compared = expected["conditions"]["comparisons"]
    assert (
        [row["measure"] for row in conditions]
        == [one["measure"] for one in compared]
        == ["accuracy", "d_prime", "criterion"]
    )
    for row, one in zip(conditions, compared, strict=True):
        assert float(row["paired_shift"]) == one["paired"]["shift"]["value"]
    page = (tmp_path / "report/report.html").read_text(encoding="utf-8")
    assert "<b>real" not in page
    assert "Conditions compared" in page
    text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())
    assert f"sensitivity d' 6 0 {expected['groups'][0]['d_prime']['mean']:.3f}" in text
    assert "called <b>real</b>" in text
    methods = (tmp_path / "report/methods.md").read_text(encoding="utf-8")
    assert "[Hau95]" in methods
    assert "log-linear correction" in methods


@pytest.mark.parametrize("says", ["", "real"])
def test_what_is_not_defined_says_why(tmp_path: Path, says: str) -> None:
    (tmp_path / "judged.csv").write_text(
        f"who,clip,is,says\nw,c1,real,{says}\nw,c2,real,{says}\n", encoding="utf-8"
    )
    (tmp_path / "map.yaml").write_text(
        "kind: yes-no\ncolumns: {participant: who, stimulus: clip, truth: is, answer: says}\nclasses: [real, fake]\n",
        encoding="utf-8",
    )
    judgements = read_judgements(tmp_path / "judged.csv", tmp_path / "map.yaml")
    write_detection_report(judgements, tmp_path / "report", seed=1, resamples=50, made_at=NOW)
    page = (tmp_path / "report/report.html").read_text(encoding="utf-8")
    assert "There is no mixed model:" in page
    assert "not tested, no participant has a value" in page
