"""docs/analysis-json.md and docs/references.md say what the code does."""

import doctest
import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

import analysis
from tests.analysis.tables import published

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


def keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for item in value.values() for key in keys(item)}
    return {key for item in value for key in keys(item)} if isinstance(value, list) else set()


@pytest.mark.slow
def test_the_documented_json_is_the_actual_one() -> None:
    [block] = re.findall(r"```jsonc\n(.*?)```", JSON_PAGE, flags=re.DOTALL)
    shown = json.loads(re.sub(r"\s+//.*", "", block))
    actual = published().to_dict()
    assert_first_of(shown, actual, "")
    assert keys(shown) == keys(actual)


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
