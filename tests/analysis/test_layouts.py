"""Layouts against each other: groups as SciPy tests them, the same people within themselves, and what is said of it."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu, wilcoxon

from analysis import Analysis, analyze
from analysis.choice.layouts import LayoutsCompared
from analysis.findings.model import Section
from analysis.findings.registry import sections_of
from tests.analysis.tables import checked, person

pytestmark = pytest.mark.slow

LAYOUTS = ("side-by-side", "sequential")


def layouts_of(analysis: Analysis) -> LayoutsCompared:
    found = analysis.studies[0].further["layouts"]
    assert isinstance(found, LayoutsCompared)
    return found


def section_of(analysis: Analysis) -> list[Section]:
    return [one for one in sections_of(analysis.studies[0], analysis.settings) if one.name == "layouts"]


def people(n: int, *, right: dict[str, float], trials: int = 12, seed: int = 1) -> pd.DataFrame:
    """`n` people in each layout, right as often as said; every pair has the truth a."""
    rng = np.random.default_rng(seed)
    rows = []
    for layout, share in right.items():
        for number in range(n):
            choices = "".join(rng.choice(["a", "b"], p=[share, 1 - share], size=trials))
            rows += person(f"{layout}{number}", choices, layout=layout)
    return checked(*rows)


def shares(rows: pd.DataFrame, layout: str) -> pd.Series:
    of = rows[rows["layout"] == layout]
    right = (of["choice"].astype(str) == of["truth"].astype(str)).groupby(of["participant"].astype(str))
    return right.mean()


def test_people_of_two_layouts_are_compared_as_groups() -> None:
    """Source: scipy.stats.mannwhitneyu."""
    rows = people(20, right={"side-by-side": 0.85, "sequential": 0.6})
    found = layouts_of(analyze(rows, resamples=0))
    assert [(one.layout, one.n_answers, one.accuracy.n) for one in found.layouts] == [
        ("side-by-side", 240, 20),
        ("sequential", 240, 20),
    ]
    one = next(one for one in found.comparisons if one.measure == "accuracy")
    assert (one.compared_as, one.conditions) == ("independent", ("sequential", "side-by-side"))
    assert one.independent is not None
    source = mannwhitneyu(shares(rows, "sequential"), shares(rows, "side-by-side"), method="asymptotic")
    assert one.independent.u1 == source.statistic
    assert one.independent.p == pytest.approx(source.pvalue)


def test_people_who_saw_both_are_compared_with_themselves() -> None:
    """Source: scipy.stats.wilcoxon, exact."""
    rows = []
    rights = [(10, 4), (9, 6), (8, 7), (12, 2), (7, 9), (11, 6), (10, 3), (12, 11)]
    for number, (first, second) in enumerate(rights):
        beside, turned = ("a" * n + "b" * (12 - n) for n in (first, second))
        every = person(f"p{number}", beside + turned)
        for row, layout in zip(every, [LAYOUTS[0]] * 12 + [LAYOUTS[1]] * 12, strict=True):
            rows.append({**row, "layout": layout})
    found = layouts_of(analyze(checked(*rows), resamples=0))
    one = next(one for one in found.comparisons if one.measure == "accuracy")
    assert one.compared_as == "paired"
    assert one.paired is not None
    assert one.paired.n == len(rights)
    source = wilcoxon([(second - first) / 12 for first, second in rights])
    assert one.paired.p == pytest.approx(source.pvalue, abs=0.02)
    assert one.paired.difference.mean == pytest.approx(np.mean([(b - a) / 12 for a, b in rights]))


def test_that_layouts_differ_is_said_as_far_as_the_interval_allows() -> None:
    planted = analyze(people(30, right={"side-by-side": 0.9, "sequential": 0.6}), resamples=200)
    [section] = section_of(planted)
    assert [text for text in section.can_say if text.startswith("People are right less often with clips seq")]
    none = analyze(people(8, right={"side-by-side": 0.75, "sequential": 0.75}), resamples=200)
    [section] = section_of(none)
    assert section.can_say == ()
    assert section.not_yet[0].startswith(
        "Whether people are right more or less often with clips sequential than"
    )
    assert any(text.startswith("Unless arms set it") for text in section.notes)
    assert [one.name for one in section.figures] == ["layouts"]


def test_the_model_holds_pairs_equal() -> None:
    """Ten people, half of the answers in each layout: the mixed model has the layout as its fixed effect."""
    found = layouts_of(analyze(people(12, right={"side-by-side": 0.9, "sequential": 0.6}), resamples=0))
    assert found.mixed is not None
    effects = {one.condition: one.log_odds for one in found.mixed.conditions}
    beside = effects["side-by-side"]
    assert beside is not None
    assert beside.value > 0
    assert (beside.p or 0) < 0.05


@pytest.mark.parametrize(
    ("layout", "reason"), [("stacked", "there is one layout"), ("", "no answer says its layout")]
)
def test_one_layout_has_no_section_and_a_reason(layout: str, reason: str) -> None:
    analysis = analyze(
        checked(*person("p1", "ab", layout=layout), *person("p2", "ba", layout=layout)), resamples=0
    )
    found = layouts_of(analysis)
    assert (found.reason, found.comparisons, section_of(analysis)) == (reason, (), [])
    assert found.n_unknown == (0 if layout else 4)


def test_a_table_without_the_column_is_one_of_unknown_layouts() -> None:
    rows = checked(*person("p1", "ab"), *person("p2", "ba")).drop(columns="layout")
    assert layouts_of(analyze(rows, resamples=0)).reason == "no answer says its layout"
