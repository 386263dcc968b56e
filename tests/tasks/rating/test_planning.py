"""The items of who begins: the trials of those before are counted where items are to be chosen, and nowhere else."""

import random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlmodel import Session

from app.tasks.base import Start
from app.tasks.rating.task import Rating
from app.trials.design import Kind, UnitToPlan
from app.trials.runs import BlockRun
from app.trials.tables import Mode
from tests.factories import NOW


class Asked(Exception):
    pass


class NoDatabase:
    def connection(self) -> None:
        raise Asked


def units(mode: Mode, **design: Any) -> set[int]:
    """The units of a session's plan. Raises Asked if the database is asked for anything."""
    asked = {"id": "rate", "per_participant": None, "per_item": None, "order": "random", **design}
    of = tuple(UnitToPlan(n, f"item-{n}", "", Kind.MAIN, None, None) for n in range(1, 9))
    block = BlockRun(cast(Any, SimpleNamespace(**asked)), of, 0, len(of))
    start = Start(cast(Session, NoDatabase()), 1, mode, NOW, random.Random(1), None)
    return {one.unit_id for one in Rating().plan(block, start)}


def test_where_everybody_rates_every_item_nobodys_trials_are_counted() -> None:
    assert units(Mode.LIVE) == set(range(1, 9))
    assert units(Mode.PREVIEW, per_item=2) == set(range(1, 9)), "a preview needs no place"


@pytest.mark.parametrize("design", [{"per_participant": 3}, {"per_item": 2}])
def test_where_items_are_to_be_chosen_the_trials_of_those_before_are_counted(design: dict[str, int]) -> None:
    with pytest.raises(Asked):
        units(Mode.LIVE, **design)
