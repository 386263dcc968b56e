"""docs/analysis-json.md and docs/references.md say what the code does."""

import doctest
import importlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import analysis
from analysis import analyze, analyze_judgement_rows, analyze_rating_rows, compare_blocks
from analysis.choice.published import Corrected
from analysis.choice.studies import StudyResult
from analysis.data.mapping import read_judgements
from analysis.detection.measures import analyze_judgements
from analysis.findings.what_if import NAME as WHAT_IF
from analysis.results import Result
from tests.analysis.tables import GOLD, checked, person, published
from tests.analysis.test_detection import written
from tests.analysis.test_paired_ratings import GIVEN, rows_of
from tests.analysis.test_what_if import items
from tools import analysis_json
from tools.made import END, begin

ROOT = Path(__file__).parents[2]
JSON_PAGE = (ROOT / "docs" / "analysis-json.md").read_text(encoding="utf-8")
REFERENCES = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")


def assert_first_of(shown: Any, actual: Any, path: str) -> None:
    """Same keys in the same order, same values; of a list of objects or sentences the first stands for all."""
    if isinstance(shown, dict):
        assert list(shown) == list(actual), path
        for key, value in shown.items():
            assert_first_of(value, actual[key], f"{path}.{key}")
    elif isinstance(shown, list):
        assert len(shown) in (1, len(actual)), path
        for position, value in enumerate(shown):
            assert_first_of(value, actual[position], f"{path}[{position}]")
    elif isinstance(shown, float):
        assert actual == pytest.approx(shown, rel=1e-6), path
    else:
        assert shown == actual, path


def assert_part_of(part: Any, whole: Any) -> None:
    """All of a part is in the whole; the first of a list stands for the list."""
    if isinstance(part, dict):
        for key, value in part.items():
            assert_part_of(value, whole[key])
    elif isinstance(part, list):
        assert_part_of(part[0], whole[0])
    else:
        assert part == whole


def keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for item in value.values() for key in keys(item)}
    return {key for item in value for key in keys(item)} if isinstance(value, list) else set()


@pytest.mark.slow
def test_the_documented_json_is_the_actual_one() -> None:
    shown = json.loads((GOLD / "analysis.json").read_text(encoding="utf-8"))
    [example] = re.findall(r"```json\n(.*?)```", JSON_PAGE, flags=re.DOTALL)
    assert_part_of(json.loads(example), shown)
    actual = published().to_dict()
    assert_first_of(shown, actual, "")
    assert keys(shown) == keys(actual)


def parts_of(value: object) -> Iterator[Result | tuple[Result, str, pd.DataFrame]]:
    """Every result within a value, and every table with the result and field that it is of."""
    if isinstance(value, Result):
        yield value
        for each in fields(value):  # type: ignore[arg-type]
            inner = getattr(value, each.name)
            if isinstance(inner, pd.DataFrame):
                yield value, each.name, inner
            else:
                yield from parts_of(inner)
    elif isinstance(value, Mapping | tuple | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from parts_of(inner)


def samples(folder: Path) -> Iterator[object]:
    """Results of all kinds: three studies with people in common, ratings of two studies, judgements of stimuli."""
    yield published()
    people = [(who, "abaab"[n % 3 :] + "ab"[: n % 3]) for n, who in enumerate("abcdefgh")]
    yield analyze(
        checked(*(row for name in ("x", "y", "z") for who in people for row in person(*who, study=name))),
        resamples=20,
    )
    in_arms = [row for n, who in enumerate(people) for row in person(*who, arm=("slow", "fast")[n % 2])]
    yield analyze(checked(*in_arms), resamples=0)
    in_layouts = [
        row for n, who in enumerate(people) for row in person(*who, layout=("stacked", "sequential")[n % 2])
    ]
    yield analyze(checked(*in_layouts), resamples=0)
    blocks = analyze_rating_rows(
        [rows_of("a", GIVEN, {"ann": 5.0, "bob": 4.0}), rows_of("b", GIVEN)], resamples=20
    )
    yield from (blocks, compare_blocks(blocks, resamples=20))
    yield from (of([items()], resamples=0) for of in (analyze_rating_rows, analyze_judgement_rows))
    answers = [(f"w{n % 4}", f"c{n}", ("real", "fake")[n % 2], ("1", "0")[n % 3 // 2], "") for n in range(16)]
    table, mapping = written(
        folder,
        [
            (who, clip, "human" if truth == "real" else "ai", said, model)
            for who, clip, truth, said, model in answers
        ],
    )
    yield analyze_judgements(read_judgements(table, mapping), resamples=20)


@pytest.mark.slow
def test_the_page_has_every_key_of_every_result_in_order_and_every_column_of_rows(tmp_path: Path) -> None:
    met = set()
    for part in (part for sample in samples(tmp_path) for part in parts_of(sample)):
        if isinstance(part, Result):
            there = list(part.to_dict())
            met.add(type(part))
            # What is as printed is not said once more, and rules that left nobody out have no curve.
            assert there == [
                key.name
                for key in analysis_json.keys_of(type(part))
                if key.name in there
                or (type(part) is not Corrected and (type(part), key.name) != (StudyResult, WHAT_IF))
            ]
        else:
            result, name, table = part
            assert [c for c in table.columns if f"`{c}`" not in JSON_PAGE] == [], (type(result), name)
    left = {cls.__name__ for cls in analysis_json.results().keys() - met}
    assert len(left) <= 5, left


def test_the_keys_on_the_page_are_made_from_the_results_and_each_says_what_it_means() -> None:
    made = begin(analysis_json.MAKER) + analysis_json.reference() + END
    assert made in JSON_PAGE, "run `python -m tools.analysis_json`"
    for cls in analysis_json.results():
        for key in analysis_json.keys_of(cls):
            said = f"{cls.__doc__} {' '.join(str(hint.__doc__) for hint in analysis_json.flat_in(cls))}"
            assert key.meaning or "](#" in key.type or f"`{key.name}`" in said, f"{cls.__name__}.{key.name}"


def cited(text: str) -> set[str]:
    return set(re.findall(r"\[([A-Z][A-Za-z]*\d\d)\]", text))


def test_every_citation_has_its_reference_and_every_reference_is_cited() -> None:
    guides = [path for path in (ROOT / "docs").glob("*.md") if path.name != "references.md"]
    code = [path for package in ("analysis", "app", "stimuli") for path in (ROOT / package).rglob("*.py")]
    said = "".join(path.read_text(encoding="utf-8") for path in (*guides, *code))
    assert cited(said) == cited(REFERENCES)


@pytest.mark.parametrize(
    "module",
    [
        "analysis.stats.comparisons",
        "analysis.stats.description",
        "analysis.stats.groups",
        "analysis.stats.multiplicity",
    ],
)
def test_the_examples_in_docstrings_hold(module: str) -> None:
    failed, attempted = doctest.testmod(importlib.import_module(module))
    assert failed == 0
    assert attempted > 0


def test_every_public_name_exists_and_the_package_says_so() -> None:
    for name in analysis.__all__:
        assert getattr(analysis, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'oddity'"):
        analysis.oddity  # noqa: B018
