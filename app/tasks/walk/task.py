"""Walks on the layer of sessions: one trial is one walk to one goal, and the server's own replay is its answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from sqlmodel import Session

from app.core.errors import InvalidAnswer
from app.core.language import gettext as _
from app.core.language import noop
from app.tasks.base import AnswerParts, Start, Task
from app.tasks.walk.assignment import walks_of
from app.tasks.walk.batches import FEWEST_FRAMES_PER_S, WalkProgress, here_at
from app.tasks.walk.settings import WalkDesign
from app.tasks.walk.tables import Over, forget_walks_of
from app.tasks.walk.views import Reached, Spot, WalkPage, WalkSettings
from app.trials.answered import AnsweredTrial, TrialView
from app.trials.answers import Answers
from app.trials.design import Kind, Planned, Slot, UnitToPlan
from app.trials.evidence import count_of, read_rt_ms, storable, waited_ms
from app.trials.examining import Observed, examine
from app.trials.flags import joined
from app.trials.here import TrialSeen, Where
from app.trials.places import Place
from app.trials.runs import BlockRun, Run
from app.trials.tables import Mode
from stimuli import steps

NOT_OVER = noop("The walk is not over yet: walk to the blue goal, or say that you cannot walk here.")
LONGEST_REPORT = 4_000


class Walking(Task):
    """The task."""

    def forget(self, session: Session, run: Run, session_id: int, now: datetime) -> None:
        """Delete the session's walks, which involve no one else."""
        forget_walks_of(session, [session_id])

    def plan(self, block: BlockRun, start: Start) -> Sequence[Planned]:
        """Every practice walk, then so many others, in the order that is this participant's turn. A plan has the
        course itself: the walk stays where it was, should the map's courses ever change."""
        design = design_of(block)
        by_name = {unit.name: unit for unit in block.units}
        turns = walks_of(start.ordinal, goals=design.goals, starts=design.starts, walks=design.walks)
        practice = [unit for unit in block.units if unit.kind is Kind.PRACTICE]
        main = [by_name[design.unit(goal, number)] for goal, number in turns]
        return [_planned(design, unit) for unit in [*practice, *main]]

    def seen(self, session: Session, where: Where, trial: TrialSeen) -> WalkProgress:
        """The progress of the walk."""
        return here_at(session, trial.id)

    def page(self, block: BlockRun, place: Place, frame: Mapping[str, Any]) -> WalkPage:
        design, position, part = design_of(block), place.page.position, place.part
        here = here_of(place.trial) or _first_look(design)
        practice = part.is_practice(position)
        walk = WalkSettings(
            goal=Spot(round(here.goal.x_m * steps.M), round(here.goal.y_m * steps.M)),
            at=Reached(here.tick, tuple(here.walker)),
            most_ticks=design.most_ticks,
            ticks_per_s=steps.TICKS_PER_S,
            practice=practice,
            over=here.over,
            trial=place.key,
            batches=f"{place.action}/walk",
        )
        return WalkPage(
            **frame,
            key=place.key,
            number=part.number(position),
            total=part.total(position),
            practice=practice,
            limit_s=design.limit_s,
            over=here.over or "",
            walk=walk,
        )

    def read(
        self, session: Session, where: Where, block: BlockRun, form: Mapping[str, str], now: datetime
    ) -> AnswerParts:
        """The result of the server's replay. Raises InvalidAnswer before the walk is over, unless the participant
        reports being unable to walk.
        """
        trial, here = where.trial, here_of(where.trial)
        assert trial is not None
        assert here is not None
        unable = form.get("unable") == "1" and here.over is None
        if here.over is None and not unable:
            raise InvalidAnswer({"submit_id": _(NOT_OVER)})
        # Also where a walk is given up: stalls and errors then say why.
        report, words, odd = read_report(form.get("walked", ""))
        if here.frames * 1000 < FEWEST_FRAMES_PER_S * here.drawn_ms:
            words = (*words, "slow-frames")
        waited = waited_ms(session, where.session_id, where.shown_at, now)
        rt_ms = read_rt_ms(form.get("rt_ms", ""))[0]
        finding = examine(
            Observed(
                reported=words,
                to_end=False,
                unplayable=unable,
                least_ms=None,
                longest_ms=None,
                waited_ms=waited,
                served=where.shown_at is not None,
                fetched=(),
                rt_ms=rt_ms,
                hidden_ms=report["hidden_ms"],
            ),
            simulated=where.mode == Mode.SIMULATED,
        )
        values = {
            "trial_id": trial.id,
            "unplayable": unable,
            "rt_ms": rt_ms,
            "flags": list(words),
            "odd_playback": odd,
            "raised": joined(finding.raised),
            "unwatched": False,
            "layout": None,
            "opened_ms": None,
            "interval_ms": waited if where.shown_at else None,
            "fetched_a": None,
            "fetched_b": None,
        }
        answers = {
            "walk": "could not walk" if unable else _IN_WORDS[Over(here.over or Over.TIME)],
            "seconds": round(here.tick / steps.TICKS_PER_S, 2),
            "metres": round(here.length_um / steps.M, 2),
            **({"walked_by": here.input} if here.input else {}),
        }
        return AnswerParts(
            Answers(extra=answers), values, {Slot.ITEM.value: _evidence(here, report, unable=unable)}
        )

    def answered(self, trial: AnsweredTrial) -> TrialView:
        """The view of any task, with the time that the page was out of sight."""
        view, evidence = replace(trial.view(), noun="Course"), trial.evidence.get(Slot.ITEM)
        if evidence is None:
            return view
        return replace(view, hidden_ms=evidence.hidden_ms, page_loads=evidence.page_loads)


_IN_WORDS: Mapping[Over, str] = {Over.ARRIVED: "arrived", Over.TIME: "out of time"}
_NOTHING: Mapping[str, Any] = {"hidden_ms": 0, "loads": 0, "stalls": 0, "stall_ms": 0, "errors": []}


def read_report(text: str) -> tuple[Mapping[str, Any], tuple[str, ...], str | None]:
    """The browser's report of a walk: numbers, flags, and the raw text if unreadable."""
    if not text:
        return _NOTHING, ("walk-missing",), None
    try:
        if len(text) > LONGEST_REPORT:
            raise ValueError
        said = json.loads(text)
        counts = {name: count_of(said.get(name)) for name in ("hidden_ms", "loads", "stalls", "stall_ms")}
        errors = [storable(str(error)[:200]) for error in (said.get("errors") or [])[:20]]
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError, AttributeError):
        return _NOTHING, ("walk-odd",), storable(text[:LONGEST_REPORT])
    return {**counts, "errors": errors}, (), None


def _evidence(here: WalkProgress, report: Mapping[str, Any], *, unable: bool) -> dict[str, Any]:
    return {
        "watched": here.over is not None,
        "plays": 0,
        "played": [],
        "duration_s": here.tick / steps.TICKS_PER_S,
        "stalls": report["stalls"],
        "stall_ms": report["stall_ms"],
        "dropped_frames": 0,
        "frames": here.frames,
        "drift_ms_max": None,
        "hidden_ms": report["hidden_ms"],
        "page_loads": report["loads"],
        "max_rate": None,
        "failed": unable,
        "errors": report["errors"],
    }


def design_of(block: BlockRun) -> WalkDesign:
    """The design of a block of walks."""
    return cast(WalkDesign, block.design)


def here_of(trial: TrialSeen | None) -> WalkProgress | None:
    """The progress of a trial's walk; None without a session."""
    return cast("WalkProgress | None", trial.own) if trial is not None else None


def _first_look(design: WalkDesign) -> WalkProgress:
    """The start of the first walk that counts, for who writes the study."""
    course = design.course(design.unit(0, 1))
    return WalkProgress(steps.goal_named(course.goal), course.walker)


def _planned(design: WalkDesign, unit: UnitToPlan) -> Planned:
    course = design.course(unit.name)
    plan = {"goal": course.goal, "x": str(course.x), "y": str(course.y), "heading": str(course.heading)}
    return Planned(unit.id, plan, {})


TASK = Walking()
