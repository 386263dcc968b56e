"""The plan of a trial of a pair: what is stored is what is read, in Python as in SQL, and nothing else is taken."""

from collections.abc import Mapping

import pytest
from sqlmodel import Session, col, select

from app.core.database import Database
from app.core.errors import Conflict
from app.questions.sides import Side
from app.studies.file.design import StudyDesign
from app.studies.versions import add_units
from app.tasks.pair.design import Member, PairPlan
from app.tasks.pair.queries import planned_left
from app.tasks.pair.settings import PairDesign, pairs_of
from app.tasks.running import task_named
from app.trials.tables import StudyVersion, Trial
from tests.reports.people import walk

pytestmark = pytest.mark.both_databases


@pytest.mark.parametrize("left", Member)
def test_a_plan_is_read_as_it_was_stored(left: Member) -> None:
    assert PairPlan.of(PairPlan(left).stored()).left is left


@pytest.mark.parametrize(
    "stored", [{}, {"left": "item"}, {"left": "left"}, {"right": "a"}, {"left": "a", "by": "b"}]
)
def test_a_plan_that_is_none_of_a_pair_is_refused(stored: Mapping[str, str]) -> None:
    with pytest.raises(ValueError, match=r"plan|not a valid"):
        PairPlan.of(stored)


def test_sql_reads_the_plans_of_trials_as_python_does(database: Database, study: str) -> None:
    with database.transaction() as session:
        for seed in (1, 2):
            walk(session, study, lambda pair, left: {}, seed=seed, n_trials=0)
        rows = session.execute(select(planned_left(), col(Trial.plan))).all()
    assert {left for left, _ in rows} == set(Member)
    for left, plan in rows:
        assert left == PairPlan.of(plan).left
        at = {place: task_named("pair").slot_at(plan, place) for place in (*Side, "item")}
        assert at == {"left": left, "right": Member(left).other, "item": None}


def test_a_pair_of_a_clip_and_itself_is_never_stored(database: Database, study: str) -> None:
    """The tables allow it, as they do not know pairs."""

    def same_twice(session: Session) -> None:
        version = session.exec(select(StudyVersion)).one()
        design = StudyDesign.model_validate_json(version.design)
        pair = pairs_of(design.blocks)[0].model_copy(
            update={"id": "twice", "b": pairs_of(design.blocks)[0].a}
        )
        block = design.blocks_of(PairDesign)[0].model_copy(update={"pairs": (pair,)})
        add_units(session, version, design.model_copy(update={"blocks": (block,)}))

    with (
        pytest.raises(Conflict, match=r"the pair .twice. shows the clip .* twice"),
        database.transaction() as session,
    ):
        same_twice(session)
