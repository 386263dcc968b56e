"""The exclusion rules of a study file that lies alone: the files that it names are not asked for."""

from pathlib import Path

import pytest

from app.studies.file.load import rules_in
from app.studies.file.problems import StudyFileProblems
from tests.studies.file.study_folder import EXAMPLE, PAIRS


def written(folder: Path, exclude: str) -> Path:
    path = folder / "rules.yaml"
    path.write_text(EXAMPLE.replace("PAIRS", PAIRS) + exclude, encoding="utf-8")
    return path


def test_the_rules_are_read_without_the_pairs_and_texts_beside_them(tmp_path: Path) -> None:
    rules = rules_in(written(tmp_path, "exclude: [{rule: same-side, use: true, pay: false}]\n"))
    assert [(rule.rule, rule.use, rule.pay) for rule in rules] == [("same-side", True, False)]
    assert len(rules_in(written(tmp_path, "exclude: default\n"))) > 5
    assert list(rules_in(written(tmp_path, ""))) == []


@pytest.mark.parametrize(
    ("exclude", "expected"),
    [
        ("exclude: [{rule: same-sides}]\n", "rules.yaml:18"),
        ("exclude: [{rule: same-side}, {rule: same-side}]\n", "the rule 'same-side' comes twice"),
        ("exclude: [{rule: same-side, at_leest: 1}]\n", "at_leest"),
        ("exclude: [", "rules.yaml:"),
    ],
)
def test_what_is_wrong_with_them_is_told_with_its_line(tmp_path: Path, exclude: str, expected: str) -> None:
    with pytest.raises(StudyFileProblems) as refused:
        rules_in(written(tmp_path, exclude))
    assert expected in str(refused.value)
    with pytest.raises(StudyFileProblems):
        rules_in(tmp_path / "nowhere.yaml")
