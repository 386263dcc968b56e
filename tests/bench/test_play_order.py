"""The bench of the order of the ultimatum game's Table 1: a row for each agent, with the median over draws."""

from statistics import median

import pytest

from bench import play_order


@pytest.mark.exhaustive
@pytest.mark.slow
def test_a_row_has_the_median_and_the_range_without_the_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_order, "SIZES", {2: 3})
    monkeypatch.setattr(play_order, "NOISES", (0.05,))
    said = list(play_order.lines(4))
    rows = [line for line in said if line.startswith("|")][2:]
    assert [row.split(" | ")[1].strip("`") for row in rows] == [
        *("the same people", "true parameters"),
        *play_order.FITTED,
    ]
    found = [play_order.drawn(0.05, 2, 3, number) for number in range(4)]
    offers = sorted(each["dba"].d_o for each in found)
    assert f"| {median(offers):.3f} ({offers[1]:.3f} to {offers[2]:.3f}) |" in rows[3]
    n = sum(each["adaptive"].d_y8 < each["dba"].d_y8 for each in found)
    assert f"- `noise=0.05`, 2 matches: by dY8 `adaptive` nearer than `dba` in {n} of 4" in said


@pytest.mark.slow
def test_rows_of_imitated_matches_are_medians_over_draws_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_order, "SIZES", {1: 1})
    monkeypatch.setattr(play_order, "NOISES", (0.0,))
    said = list(play_order.own_lines(3, traces=1))
    rows = [line for line in said if line.startswith("|")][2:]
    assert [row.split(" | ")[1].strip("`") for row in rows] == list(play_order.FITTED)
    found = [play_order.imitated(0.0, 1, 1, number) for number in range(3)]
    offers = sorted(each["adaptive"].d_o for each in found)
    assert f"| {median(offers):.3f} ({offers[1]:.3f} to {offers[1]:.3f}) |" in rows[0]
    n = sum(each["adaptive"].d_y8 < each["dbra"].d_y8 for each in found)
    assert f"- `noise=0`: by dY8 `adaptive` nearer than `dbra` in {n} of 3" in said
