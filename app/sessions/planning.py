"""A new session's trials into SQL: takes the next ordinal, which decides whose mirror it is."""

import random
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any

from sqlmodel import Session

from app.core.errors import Closed
from app.core.language import gettext as _
from app.sessions import beginning_queries
from app.sessions.places import idle_after
from app.sessions.runs import StudyRun
from app.tasks.base import Start
from app.tasks.running import task_named
from app.trials.attention import places_of
from app.trials.design import Planned
from app.trials.loads import HOLD_VERSION
from app.trials.runs import BlockRun


class Full(Closed):
    """Every unit of a block that must not be left out has been seen as often as the study asks for, or no arm has room;
    `is_paused` where an arm would have, and is paused.
    """

    def __init__(self, slug: str, *, is_paused: bool = False) -> None:
        super().__init__(_("This study has all the answers that it needs. Thank you for your interest."))
        self.slug, self.is_paused = slug, is_paused


def plan_trials(
    session: Session,
    version_id: int,
    mode: str,
    arm: str,
    session_id: int,
    run: StudyRun,
    rng: random.Random,
    now: datetime,
) -> dict[str, Any]:
    """Store the trials of a new session; returns its ordinal, seed and blocks.

    Raises Full if no block has a trial left, or a block that may not be skipped has none.
    """
    HOLD_VERSION.all(session, {"version_id": version_id})
    # 31 bits, as PostgreSQL's integer has a sign.
    own_number, seed = _next_number(session, version_id, mode, arm, run), rng.getrandbits(31)
    before = None
    # The other of its session pair is there before it also where it takes a place that has come free.
    other = own_number - 1 if own_number % 2 == 0 else own_number + 1
    named = {"version_id": version_id, "mode": mode, "ordinal": _ordinal(run, arm, other)}
    mirror = {row.unit_id: row.plan for row in beginning_queries.PLANS_OF.all(session, named)} or None
    if mirror is not None:
        (before,) = beginning_queries.BLOCKS_OF.first(session, named)
        # NULL stands for every block, whole and in order (decision 0015).
        before = before or [[block.id, block.n] for block in run.blocks]
    own = random.Random(seed)
    blocks = _ordered(run, own, before)
    planned = [
        (
            block,
            _planned(
                block,
                Start(
                    session=session,
                    version_id=version_id,
                    mode=mode,
                    now=now,
                    rng=own,
                    mirror=_of_block(mirror, block),
                    ordinal=own_number,
                    arm=arm,
                    idle=idle_after(run.design),
                ),
            ),
        )
        for block in blocks
    ]
    rows = [
        {
            "session_id": session_id,
            "position": position,
            "unit_id": trial.unit_id,
            "plan": trial.plan,
            "sent": trial.sent,
        }
        for position, trial in enumerate((trial for _, trials in planned for trial in trials), start=1)
    ]
    # A full block was once left out without a word; now the study is full unless its file says `skip`.
    is_short = any(block.n and not trials and not block.design.skips_when_full for block, trials in planned)
    if not rows or is_short:
        raise Full(run.design.study)
    beginning_queries.ADD_TRIALS.run(session, *rows)
    placed = {str(id_): rest[0] for id_, _, *rest in before or () if rest}
    stored = [_stored(block, len(trials), own, placed.get(block.id, ())) for block, trials in planned]
    is_plain = stored == [[block.id, block.n] for block in run.blocks]
    return {
        "arm": arm,
        "ordinal": _ordinal(run, arm, own_number),
        "seed": seed,
        "blocks": None if is_plain else stored,
    }


def _stored(block: BlockRun, n: int, rng: random.Random, mirror: Sequence[int]) -> list[Any]:
    """A block as its session keeps it: its trials, and where it has attention questions, after which they come."""
    n_questions, n_main = len(block.design.attention_checks.questions), n - min(block.n_practice, n)
    if not n_questions or n_main < 1:
        return [block.id, n]
    return [block.id, n, list(places_of(n_questions, n_main, rng, mirror))]


def _ordinal(run: StudyRun, arm: str, number: int) -> int:
    """The ordinal of an arm's session by its number in the arm: the arms' numbers take turns, as it is unique."""
    arms = run.design.arm_ids
    return (number - 1) * len(arms) + arms.index(arm) + 1 if arm in arms else number


def _next_number(session: Session, version_id: int, mode: str, arm: str, run: StudyRun) -> int:
    """The lowest free number in the arm: one freed by a withdrawn participant, or the next."""
    of: dict[str, Any] = {"version_id": version_id, "mode": mode}
    first = _ordinal(run, arm, 1)
    spaced = {"first": first, "step": _ordinal(run, arm, 2) - first}
    last, n = beginning_queries.LAST_ORDINAL.first(session, of | spaced)
    # No gaps, as nearly always: then the list of all ordinals need not be read.
    if last is None or last == _ordinal(run, arm, n):
        return int(n) + 1
    taken = set(session.connection().execute(beginning_queries.ORDINALS, of | {"arm": arm}).scalars())
    return next(number for number in count(1) if _ordinal(run, arm, number) not in taken)


def _planned(block: BlockRun, start: Start) -> Sequence[Planned]:
    return task_named(block.design.task).plan(block, start)


def _of_block(
    mirror: Mapping[int, Mapping[str, Any]] | None, block: BlockRun
) -> Mapping[int, Mapping[str, Any]] | None:
    if mirror is None:
        return None
    units = {unit.id for unit in block.units}
    return {unit: plan for unit, plan in mirror.items() if unit in units}


def _ordered(run: StudyRun, rng: random.Random, before: Sequence[Sequence[Any]] | None) -> Sequence[BlockRun]:
    """Blocks in a random order are turned round for the second session of a counterbalanced session pair."""
    if run.design.block_order == "fixed":
        return run.blocks
    if before is not None:
        return [run.block(str(id_)) for id_, *_ in reversed(before)]
    return rng.sample(run.blocks, len(run.blocks))
