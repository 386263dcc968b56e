"""Two stimuli side by side and one choice: planned with counterbalanced sides, answered with evidence of watching (for
clips; for reading see `comparing`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, cast

from sqlmodel import Session

from app.library.kinds import StimulusKind
from app.questions.sides import Side
from app.tasks.base import AnswerParts, Feedback, Start, Task
from app.tasks.pair import queries
from app.tasks.pair.answered import view_of
from app.tasks.pair.assignment import choose_pairs, plan_session
from app.tasks.pair.comparing import Compared, compared_of, compared_page, taken
from app.tasks.pair.design import Member, PairPlan, PairToPlan, chosen_by, member_at, side_of
from app.tasks.pair.headline import worth
from app.tasks.pair.informative import choose_informative, wins_of
from app.tasks.pair.settings import PairDesign
from app.tasks.pair.views import trial_page
from app.trials.answered import AnsweredTrial, TrialView
from app.trials.answers import read_answers
from app.trials.design import Kind, Planned, Slot, UnitToPlan
from app.trials.evidence import (
    PlaybackReport,
    TrialClip,
    least_ms,
    read_playback,
    read_rt_ms,
    together,
    waited_ms,
)
from app.trials.examining import Finding, Observed, examine
from app.trials.flags import StudyRule, joined
from app.trials.headline import Answered, Headline, Worth
from app.trials.here import TrialSeen, Where
from app.trials.loads import loads_of
from app.trials.pages import Page
from app.trials.places import Place
from app.trials.runs import BlockRun
from app.trials.tables import Mode


@dataclass(frozen=True, slots=True)
class TrialHere:
    """The trial being answered, with the server's facts about its clips.

    `expected` is the truth of an attention check, None for every other trial.
    """

    id: int
    left: Member
    expected: Member | None
    clips: dict[Member, TrialClip]

    @property
    def lasts_s(self) -> dict[Member, float | None]:
        return {member: clip.lasts_s for member, clip in self.clips.items()}


@dataclass(frozen=True, slots=True)
class ServerEvidence:
    """The server's evidence that a response stores."""

    finding: Finding
    interval_ms: int | None
    fetched_a: bool | None
    fetched_b: bool | None


class Pair(Task):
    def shares_page(self, design: Any) -> bool:
        """True for clips, which have addresses of their own; records and texts are on the page itself."""
        return cast(PairDesign, design).shows is StimulusKind.CLIP

    def seen(self, session: Session, where: Where, trial: TrialSeen) -> Compared:
        return compared_of(session, where)

    def plan(self, block: BlockRun, start: Start) -> Sequence[Planned]:
        trials, mirror_of = design_of(block).trials, None
        if start.mirror is not None:
            mirror_of = {unit: PairPlan.of(plan).left for unit, plan in start.mirror.items()}
        planned = plan_session(
            _chosen(block, start),
            order=trials.order,
            sides=trials.sides,
            rng=start.rng,
            mirror_of=mirror_of,
        )
        return [
            # Empty lists, as NULL would say that it was not recorded what was sent.
            Planned(trial.pair_id, PairPlan(trial.left).stored(), {side.value: [] for side in Side})
            for trial in planned
        ]

    def page(self, block: BlockRun, place: Place, frame: Mapping[str, Any]) -> Page:
        if place.trial is not None and isinstance(place.trial.own, Compared):
            return compared_page(design_of(block), place, frame, place.trial.own)
        return trial_page(design_of(block).trials, place, frame)

    def read(
        self, session: Session, where: Where, block: BlockRun, form: Mapping[str, str], now: datetime
    ) -> AnswerParts:
        trials = design_of(block).trials
        if where.trial is not None and isinstance(where.trial.own, Compared):
            answers = read_answers(trials.questions, form, of_trial=True)
            return taken(session, where, where.trial.own, answers, form, now)
        unplayable = form.get("unplayable") == "1"
        answers = read_answers(trials.questions, form, of_trial=True, optional=unplayable)
        trial = trial_here(session, where.session_id, where.page.position)
        playback = read_pair(
            form.get("playback", ""),
            trial.left,
            trial.lasts_s,
            may_be_sequential=trials.layout != "side-by-side",
        )
        rt_ms, rt_flags = read_rt_ms(form.get("rt_ms", ""), playback)
        reported = (*playback.flags, *rt_flags)
        seen = seen_of(
            session,
            where.session_id,
            trial,
            reported,
            playback,
            side=answers.side,
            shown_at=where.shown_at,
            now=now,
            rt_ms=rt_ms,
            unplayable=unplayable,
            to_end=trials.watch == "both-to-end",
            rules=trials.exclude,
            simulated=where.mode == Mode.SIMULATED,
        )
        values = {
            "trial_id": trial.id,
            "unplayable": unplayable,
            "rt_ms": rt_ms,
            "flags": list(reported),
            "odd_playback": playback.odd,
            "raised": joined(seen.finding.raised),
            "unwatched": seen.finding.unwatched,
            "study_rule": seen.finding.study_rule,
            "layout": playback.layout,
            "opened_ms": playback.opened_ms,
            "interval_ms": seen.interval_ms,
            "fetched_a": seen.fetched_a,
            "fetched_b": seen.fetched_b,
        }
        return AnswerParts(answers, values, {slot.value: row for slot, row in playback.rows.items()})

    def feedback(self, block: BlockRun, answered: Mapping[str, Any]) -> Feedback:
        pair, side = design_of(block).pair(answered["unit"]), answered["side"]
        if pair.truth is None or side is None:
            return Feedback(None, pair.why)
        return Feedback(chosen_by(side, PairPlan.of(answered["plan"]).left) == pair.truth, pair.why)

    def answered(self, trial: AnsweredTrial) -> TrialView:
        return view_of(trial)

    def worth(self, answered: Answered, headline: Headline) -> Iterator[Worth]:
        return worth(answered, headline)

    def slot_at(self, plan: Mapping[str, Any], place: str) -> str | None:
        return member_at(Side(place), PairPlan.of(plan).left) if place in list(Side) else None


def read_pair(
    text: str,
    left: Member,
    lasts_s: Mapping[Member, float | None],
    *,
    may_be_sequential: bool = False,
) -> PlaybackReport:
    """The form's `playback` field about the two clips of a pair; `lasts_s` as in `read_playback`."""
    clips: Mapping[str, tuple[Slot, float | None]] = {
        side: (slot, lasts_s[member]) for side, (member, slot) in _shown_at(left).items()
    }
    return read_playback(text, clips, may_be_sequential=may_be_sequential)


@cache
def _shown_at(left: Member) -> Mapping[Side, tuple[Member, Slot]]:
    members = {side: member_at(side, left) for side in Side}
    return {side: (member, Slot(member)) for side, member in members.items()}


def trial_here(session: Session, session_id: int, position: int) -> TrialHere:
    place = {"session_id": session_id, "position": position}
    rows = queries.TRIAL_AT.all(session, place)
    trial = rows[0]
    left = PairPlan.of(trial.plan).left
    sent = trial.sent or {}
    clips = {
        member: TrialClip(row.bytes, row.duration_s, sent.get(side_of(member, left)))
        for row in rows
        for member in [Member(row.slot)]
    }
    is_check = trial.kind == Kind.ATTENTION and trial.truth
    return TrialHere(trial.id, left, Member(trial.truth) if is_check else None, clips)


def seen_of(
    session: Session,
    session_id: int,
    trial: TrialHere,
    reported: Sequence[str],
    playback: PlaybackReport,
    *,
    side: str | None,
    shown_at: datetime | None,
    now: datetime,
    rt_ms: int | None,
    unplayable: bool,
    to_end: bool,
    rules: Sequence[StudyRule],
    simulated: bool,
) -> ServerEvidence:
    """The server's evidence about a trial being answered, and the finding from it and the browser's report.

    The interval runs from the first time that the page was served, regardless of reloads. If it was never served, the
    interval runs from the previous answer.
    """
    waited = waited_ms(session, session_id, shown_at, now)
    lengths = [clip.lasts_s for clip in trial.clips.values() if clip.lasts_s]
    is_known = len(lengths) == len(trial.clips)
    observed = Observed(
        reported=reported,
        to_end=to_end,
        unplayable=unplayable,
        least_ms=together(playback.layout, [*map(least_ms, lengths)]) if is_known else None,
        longest_ms=1000 * together(playback.layout, lengths) if is_known else None,
        waited_ms=waited,
        served=shown_at is not None,
        fetched=[clip.fetched(whole=to_end) for clip in trial.clips.values()],
        rt_ms=rt_ms,
        hidden_ms=max((row["hidden_ms"] for row in playback.rows.values()), default=0),
        rules=rules,
        attentive=chosen_by(side, trial.left) == trial.expected if side and trial.expected else None,
    )
    return ServerEvidence(
        finding=examine(observed, simulated=simulated),
        interval_ms=waited if shown_at else None,
        fetched_a=trial.clips[Member.A].fetched(whole=True),
        fetched_b=trial.clips[Member.B].fetched(whole=True),
    )


def design_of(block: BlockRun) -> PairDesign:
    return cast(PairDesign, block.design)


def _chosen(block: BlockRun, start: Start) -> Sequence[PairToPlan]:
    """All pairs, or each participant's share: the second of a session pair sees the pairs of the first."""
    pairs, n = [_to_plan(unit) for unit in block.units], design_of(block).per_participant
    if n is None:
        return pairs
    if start.mirror is not None:
        return [pair for pair in pairs if pair.id in start.mirror]
    since = start.now - start.idle
    exposure = loads_of(start.session, start.version_id, start.mode, block.id, since, start.arm)
    if design_of(block).allocate == "even":
        return choose_pairs(pairs, exposure, n, start.rng)
    named = {pair.id: (pair.source_a, pair.source_b) for pair in design_of(block).pairs}
    sources = {unit.id: named[unit.name] for unit in block.units}
    choices = queries.choices_of(start.session, start.version_id, start.mode, block.id, start.arm)
    wins = wins_of({pair: sources[pair] for pair, _ in choices}, choices)
    return choose_informative(pairs, sources, wins, exposure, n, start.rng)


def _to_plan(unit: UnitToPlan) -> PairToPlan:
    return PairToPlan(unit.id, unit.condition, unit.kind, Member(unit.truth or "a"))


TASK = Pair()
