"""The pages that a session has answered: what was asked and said, what was watched, and what was odd."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from app.core.spans import span
from app.library.kinds import StimulusKind
from app.library.tables import Stimulus
from app.monitor.progress import page_title
from app.sessions.design import Kind, PageKey, SessionPages
from app.sessions.flags import Flag, split
from app.sessions.responses import Evidence, Response
from app.sessions.runs import Run
from app.sessions.tables import Trial
from app.studies.questions.base import Question
from app.studies.questions.registry import TYPES
from app.studies.tables import Unit, UnitMember
from app.tasks.registry import task_named


@dataclass(frozen=True, slots=True)
class Watched:
    """One clip, record or text of a trial, as the browser reported it was played or read; times in ms, `played` in s.

    `side` is None where answers were imported that do not say it; `fetched` is whether the server sent the clip
    whole, None where that was not recorded.
    """

    side: str | None
    member: str
    stimulus: str
    source: str
    reported: bool
    fetched: bool | None = None
    watched: bool = False
    plays: int = 0
    played: Sequence[tuple[float, float]] = ()
    duration_s: float | None = None
    stalls: int = 0
    stall_ms: int = 0
    dropped_frames: int = 0
    max_rate: float | None = None
    failed: bool = False
    errors: Sequence[str] = ()
    clip_sha256: str = ""
    is_chosen: bool = False
    kind: str = StimulusKind.CLIP
    read_ms: int = 0


@dataclass(frozen=True, slots=True)
class TrialView:
    """A trial and what came of it. `correct` is None where nothing is right or nothing was chosen.

    `chosen_side` is empty where nothing was chosen, and where the sides are not known (`sides_known`); `unwatched` is
    whether the rule of that name excludes the answer. `noun` is what a unit without clips is called.
    """

    pair: str
    condition: str
    kind: str
    unplayable: bool
    opened_ms: int | None
    interval_ms: int | None
    unwatched: bool
    study_rule: str | None
    flags: Sequence[Flag]
    reported: Sequence[str]
    layout: str = ""
    chosen: str = ""
    chosen_side: str = ""
    correct: bool | None = None
    clips: Sequence[Watched] = ()
    hidden_ms: int = 0
    page_loads: int = 0
    drift_ms_max: int | None = None
    sides_known: bool = True
    noun: str = "Item"


@dataclass(frozen=True, slots=True)
class AnsweredTrial:
    """An answered trial as it is stored; `stimuli` and `evidence` are by slot."""

    response: Response
    trial: Trial
    unit: Unit
    stimuli: Mapping[str, tuple[UnitMember, Stimulus]]
    evidence: Mapping[str, Evidence]
    sides_known: bool

    def view(self) -> TrialView:
        """What holds of a trial of any task."""
        response, unit, flags = self.response, self.unit, split(self.response.raised)
        return TrialView(
            pair=unit.name,
            condition=unit.condition,
            kind=unit.kind,
            unplayable=response.unplayable,
            opened_ms=response.opened_ms,
            interval_ms=response.interval_ms,
            unwatched=bool(response.unwatched),
            study_rule=response.study_rule,
            flags=[flag for flag in Flag if flag in flags and unit.kind != Kind.PRACTICE],
            reported=response.flags,
        )

    def watched(self, slot: str, *, side: str | None, fetched: bool | None, is_chosen: bool) -> Watched:
        """What the browser reported of the clip in a slot."""
        (shown, stimulus), playback = self.stimuli[slot], self.evidence.get(slot)
        known: dict[str, Any] = {}
        if playback is not None:
            known = {name: getattr(playback, name) for name in _REPORTED}
            known |= {"errors": playback.errors, "played": [(start, end) for start, end in playback.played]}
            known |= {"read_ms": (playback.reading or {}).get("read_ms", 0)}
        return Watched(
            side=side,
            member=slot,
            stimulus=stimulus.name,
            source=stimulus.source,
            reported=playback is not None,
            fetched=fetched,
            # As the version was saved; of imported answers there is none, and what is read is no clip.
            clip_sha256=(shown.sha256 or "") if stimulus.kind == StimulusKind.CLIP else "",
            is_chosen=is_chosen,
            kind=stimulus.kind,
            **known,
        )


# Of a playback, what the page shows as it is.
_REPORTED = ("watched", "plays", "duration_s", "stalls", "stall_ms", "dropped_frames", "max_rate", "failed")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at `at`. `since` is when the page was first shown, where it is about one."""

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
        """From the page's first showing to its answer."""
        return span(self.at - self.since) if self.at and self.since else ""


class AnsweredPages:
    """The pages that a session has answered, with all that belongs to them read at once."""

    def __init__(
        self, session: Session, session_id: int, run: Run, way: SessionPages, *, sides_known: bool
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
        """Questions as they were asked, with what was answered."""
        asked = self._asked(page)
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

    def _asked(self, page: PageKey) -> Sequence[Question]:
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
