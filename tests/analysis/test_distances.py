"""Distances of sources to people, against how often people took them for a person."""

from pathlib import Path

import pytest

from analysis import accuracy_per_participant
from analysis.distances import (
    CLOSING_HEAD,
    DISTANCE_COLUMNS,
    NO_RHO,
    Agreement,
    SourceDistance,
    TakenForHuman,
    agreement,
    closing,
    closing_rows,
    distance_rows,
    read_distances,
    taken_for_human,
)
from analysis.errors import SchemaError
from analysis.figures import Figure, NoFigure
from analysis.figures.closing import closing_figure
from analysis.stats.intervals import Interval
from app.core.spreadsheet import csv_text
from tests.analysis.figures.sheets import kept_sheets, marks, xs, ys
from tests.analysis.tables import answer, checked

SOME = Interval(0.1, 0.4, 0.95, "percentile bootstrap over matches", 100, 1, None)
NONE = Interval(None, None, 0.95, "percentile bootstrap over matches", 0, 1, "one match")


def far(source: str, distance: float, metric: str = "d_o", interval: Interval = SOME) -> SourceDistance:
    return SourceDistance(source, metric, distance, interval, 20, "matches")


def person(participant: str, choices: str, **cells: str) -> list[dict[str, str]]:
    """As the shared one, but of pairs that other rows of the same person do not have."""
    said = {"-": "", "=": "tie"}
    source = "-".join(cells.get(name, "") for name in ("source_a", "source_b"))
    return [
        answer(participant=participant, pair=f"{source}{n}", choice=said.get(choice, choice), **cells)
        for n, choice in enumerate(choices)
    ]


def test_the_share_taken_for_a_person_is_one_less_the_accuracy_against_that_source() -> None:
    rows = checked(
        *person("p1", "aab=", source_b="gt"),
        *person("p1", "bb-", source_b="dba", condition="human-dba"),
        *person("p2", "abbb", source_b="gt"),
        # No member is true: it says nothing of people.
        *person("p3", "aaa", source_a="gt", source_b="dba", truth="", condition="gt-dba"),
    )
    dba, gt = taken_for_human(rows, seed=1, resamples=200)
    assert (dba.source, dba.share, dba.n_trials, dba.n_participants) == ("dba", 1.0, 2, 1)
    assert dba.interval.low is None
    assert dba.interval.reason
    accuracy = accuracy_per_participant(rows[rows["source_b"] == "gt"])["accuracy"].dropna()
    assert gt.share == pytest.approx(1 - accuracy.mean()) == pytest.approx((1 / 3 + 3 / 4) / 2)
    assert (gt.n_trials, gt.n_participants) == (7, 2)
    assert gt.interval.low == pytest.approx(1 / 3)
    assert gt.interval.high == pytest.approx(3 / 4)


def test_the_source_most_often_taken_for_a_person_is_nearest_by_so_many_distances() -> None:
    """`b` was taken most often: nearest by one metric, tied in another, farther in a third, alone in a fourth, and not
    in the fifth, which then has nothing to say of it."""
    shares = {"a": 0.25, "b": 0.5, "c": 0.5, "d": 0.1}
    taken = [TakenForHuman(name, share, NONE, 4, 2) for name, share in shares.items()]
    distances = [
        *(far("a", 2.0, "one"), far("b", 1.0, "one")),
        *(far("a", 1.0, "two"), far("b", 1.0, "two")),
        *(far("a", 1.0, "three"), far("b", 3.0, "three"), far("a", 1.0, "five"), far("d", 2.0, "five")),
        far("b", 1.0, "four"),
    ]
    assert agreement(closing(distances, taken)) == Agreement("b", 1, 3)
    assert agreement(closing([*distances, far("c", 0.1, "one")], taken)) is None, (
        "b and c were taken as often"
    )
    assert agreement(closing(distances[-1:], taken)) is None, "one source is nearest of none"
    assert agreement(closing([], taken)) is None


def test_a_true_member_may_be_b() -> None:
    (one,) = taken_for_human(
        checked(*person("p1", "ab", source_a="gt", source_b="human", truth="b")), resamples=0
    )
    assert (one.source, one.share) == ("gt", 0.5)


def test_distances_are_held_against_choices_and_correlated_from_five_sources_on() -> None:
    names = ["a", "b", "c", "d", "e"]
    taken = taken_for_human(
        checked(
            *(
                row
                for name, choices in zip(names, ("aaab", "aabb", "aaaa", "abbb", "bbbb"), strict=True)
                for row in person("p1", choices, source_b=name)
            )
        ),
        resamples=0,
    )
    shares = {one.source: one.share for one in taken}
    assert shares == {"a": 0.25, "b": 0.5, "c": 0.0, "d": 0.75, "e": 1.0}
    distances = [far(n, d) for n, d in zip(names, (5.0, 3.0, 4.0, 2.0, 1.0), strict=True)]
    found = closing(
        [*distances, far("a", 9, "d_r"), far("unseen", 2, "d_r")],
        [*taken, TakenForHuman("f", 0.5, SOME, 3, 2)],
    )
    d_o, d_r = found.metrics
    # Ranks of shares 2 3 1 4 5, of distances 5 3 4 2 1: by hand 1 - 6 * 38 / (5 * 24).
    assert d_o.rho == pytest.approx(1 - 6 * 38 / (5 * 24))
    assert d_o.reason is None
    assert (d_r.rho, d_r.reason, [one.source for one in d_r.distances]) == (None, NO_RHO, ["a"])
    assert (found.not_judged, found.not_measured) == (("unseen",), ("f",))
    rows = list(closing_rows(found))
    assert all(len(row) == len(CLOSING_HEAD) for row in rows)
    assert rows[-1][:2] == (None, "f")
    assert rows[0][:3] == ("d_o", "a", 5.0)
    assert closing([], taken).metrics == ()


def test_a_file_of_distances_is_read_as_it_was_written_and_refused_at_its_fault(tmp_path: Path) -> None:
    file = tmp_path / "distances.csv"
    names = [column.name for column in DISTANCE_COLUMNS]

    def write(*rows: tuple[object, ...]) -> None:
        file.write_text(
            csv_text(names, [["" if cell is None else str(cell) for cell in row] for row in rows]),
            encoding="utf-8",
        )

    write(*distance_rows([far("gt", 0.25), far("gt", 3, "d_r", NONE)]))
    first, second = read_distances(file)
    assert (first.source, first.metric, first.distance, first.n, first.unit) == (
        "gt",
        "d_o",
        0.25,
        20,
        "matches",
    )
    assert (first.interval.low, first.interval.high) == (0.1, 0.4)
    assert second.interval.low is None
    assert second.interval.reason
    for rows, where in (
        ([("gt", "d_o", "", "", "", 1, "")], "distance"),
        ([("gt", "d_o", "far", "", "", 1, "")], "distance"),
        ([("gt", "d_o", 1, 2, "", 1, "")], "low"),
        ([("gt", "d_o", 1, 2, 1, 1, "")], "low"),
        ([("gt", "d_o", 1, "", "", 1, ""), ("gt", "d_o", 2, "", "", 1, "")], "metric"),
        ([("", "d_o", 1, "", "", 1, "")], "source"),
    ):
        write(*rows)
        with pytest.raises(SchemaError) as refused:
            read_distances(file)
        assert where in str(refused.value)


def test_the_figure_marks_each_source_at_its_distance_and_share_with_both_intervals() -> None:
    taken = [TakenForHuman("gt", 0.1, SOME, 30, 3), TakenForHuman("dba", 0.4, NONE, 20, 1)]
    found = closing([far("gt", 2.0), far("dba", 0.5, interval=NONE), far("gt", 9, "d_r")], taken)
    with kept_sheets() as sheets:
        figure = closing_figure(found)
    assert isinstance(figure, Figure)
    first, second = sheets[0].axes
    assert [(xs(mark), ys(mark)) for mark in marks(first)] == [([0.5], [0.4]), ([2.0], [0.1])]
    assert [(xs(mark), ys(mark)) for mark in marks(second)] == [([9.0], [0.1])]
    lines = [line for line in first.lines if line.get_linestyle() == "-"]
    # Only gt has intervals: of its distance, and of its share.
    assert [(xs(line), ys(line)) for line in lines] == [([0.1, 0.4], [0.1, 0.1]), ([2.0, 2.0], [0.1, 0.4])]
    assert figure.sentence.startswith(
        "Taken for a person: gt 0.10 (95% interval 0.10 to 0.40; 30 trials) and dba 0.40"
    )
    assert figure.numbers.rows[0][:3] == ("d_o", "dba", "0.500")
    none = closing_figure(closing([], taken))
    assert isinstance(none, NoFigure)
    assert none.reason == "There is no distance to people: none was given."


@pytest.mark.slow
def test_every_metric_of_play_has_a_panel_two_beside_each_other_where_they_are_many() -> None:
    taken = [TakenForHuman("gt", 0.1, SOME, 30, 3)]
    for n, n_columns in ((4, 1), (15, 2)):
        with kept_sheets() as sheets:
            figure = closing_figure(closing([far("gt", 1.0 + k, f"metric {k}") for k in range(n)], taken))
        assert isinstance(figure, Figure)
        panels = sheets[0].axes
        assert len(panels) == n
        assert len({round(axes.get_position().x0, 3) for axes in panels}) == n_columns
        assert all(len(marks(axes)) == 1 for axes in panels)
        assert figure.sentence.endswith("The table has the same of 7 more metrics.") == (n == 15)
