"""The answered pages of a session: questions, answers, playback and flags."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from app.core.spans import span
from app.library.tables import Stimulus
from app.monitor.progress import page_title
from app.questions.base import Question
from app.questions.registry import TYPES
from app.sessions.runs import StudyRun
from app.tasks.running import task_named
from app.trials.answered import AnsweredTrial, TrialView
from app.trials.design import PageKey, SessionPages
from app.trials.responses import Evidence, Response
from app.trials.tables import Trial, Unit, UnitMember


@dataclass(frozen=True, slots=True)
class Event:
    """An event at time `at`. `since` is when the page was first shown, if it is about one."""

    at: datetime | None
    kind: str
    title: str
    since: datetime | None = None
    rt_ms: int | None = None
    answers: Sequence[tuple[str, str]] = ()
    trial: TrialView | None = None
    text: str = ""
    by: str = ""

    @property
    def waited(self) -> str:
        """The time from the page's first showing to its answer."""
        return span(self.at - self.since) if self.at and self.since else ""


class AnsweredPages:
    """A session's answered pages, with all related rows read at once."""

    def __init__(
        self, session: Session, session_id: int, run: StudyRun, way: SessionPages, *, sides_known: bool
    ) -> None:
        self.run, self.way, self.sides_known = run, way, sides_known
        mine = select(Response).where(Response.session_id == session_id)
        self.responses = session.exec(mine.order_by(col(Response.id))).all()
        self.last_at = self.responses[-1].answered_at if self.responses else None
        trials = select(Trial, Unit).join(Unit).where(Trial.session_id == session_id)
        self.trials = {trial.id: (trial, pair) for trial, pair in session.exec(trials)}
        units = [unit.id for _, unit in self.trials.values()]
        members = (
            select(UnitMember, Stimulus)
            .join(Stimulus, col(Stimulus.id) == UnitMember.stimulus_id)
            .where(col(UnitMember.unit_id).in_(units))
        )
        self.members = {(one.unit_id, one.slot): (one, of) for one, of in session.exec(members)}
        played = select(Evidence).where(col(Evidence.response_id).in_([r.id for r in self.responses]))
        self.playback = {(p.response_id, p.slot): p for p in session.exec(played)}

    def answered(self, response: Response) -> Event:
        page = PageKey.of(response.page)
        return Event(
            at=response.answered_at,
            kind="answered",
            title=page_title(page, self.way) if page.kind != "debrief" else "Last page",
            since=response.shown_at,
            rt_ms=response.rt_ms,
            answers=self._answers(response, page),
            trial=self._trial(response, page) if response.trial_id else None,
        )

    def _answers(self, response: Response, page: PageKey) -> Sequence[tuple[str, str]]:
        """Questions with their answers, as asked."""
        asked = self._questions_on(page)
        own = {
            "uncertainty": response.uncertainty,
            "certainty": response.certainty,
            "rationale": response.rationale,
            **response.answers,
        }
        by_id = {question.id: question for question in asked}
        return [
            (
                by_id[name].ask if name in by_id else name.replace("_", " ").capitalize(),
                _in_words(by_id.get(name), value),
            )
            for name, value in own.items()
            if value is not None
        ]

    def _questions_on(self, page: PageKey) -> Sequence[Question]:
        if page.kind != "trial":
            return self.run.design.asked_on(page.kind, page.block)
        return self.run.block(self.way.part_at(page.position).block).design.asked

    def _trial(self, response: Response, page: PageKey) -> TrialView:
        trial, unit = self.trials[response.trial_id]
        answered = AnsweredTrial(
            response=response,
            trial=trial,
            unit=unit,
            stimuli={slot: each for (of, slot), each in self.members.items() if of == unit.id},
            evidence={slot: each for (of, slot), each in self.playback.items() if of == response.id},
            sides_known=self.sides_known,
        )
        return task_named(self.way.part_at(page.position).task).answered(answered)


def _in_words(question: Question | None, value: Any) -> str:
    return str(value) if question is None else TYPES[question.type].in_words(question, value)
