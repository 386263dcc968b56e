"""One stimulus at a time on several criteria: items assigned by fewest ratings, answers with evidence of reading."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, cast

from sqlmodel import Session

from app.library.kinds import StimulusKind
from app.questions.registry import views
from app.tasks.base import AnswerParts, Feedback, Start, Task
from app.tasks.rating.assignment import ItemToAssign, assign_items
from app.tasks.rating.content import Content, content_of
from app.tasks.rating.evidence import evidence_of, examine_reading, read_reading
from app.tasks.rating.headline import worth
from app.tasks.rating.items import DesignItem
from app.tasks.rating.reference import is_right, references
from app.tasks.rating.settings import RatingDesign
from app.tasks.rating.views import RatingPage, record_view
from app.trials.answers import Answers, read_answers
from app.trials.design import Planned, Slot
from app.trials.evidence import TrialClip, least_ms, read_playback, read_rt_ms, waited_ms
from app.trials.examining import Observed, examine
from app.trials.flags import StudyRule, joined
from app.trials.headline import Answered, Headline, Worth
from app.trials.here import TrialSeen, Where
from app.trials.loads import loads_of
from app.trials.places import Place
from app.trials.runs import BlockRun
from app.trials.tables import Mode

# Letters of a record or a text.
_MOST_KEPT = 20_000


class Rating(Task):
    def shown_alike(self, trial: TrialSeen) -> Hashable:
        content = trial.content or ""
        # Long ones would fill the memory: pages are kept by their number.
        if len(content) > _MOST_KEPT:
            return None
        return trial.unit, trial.stimulus_kind, trial.next_kind, content

    def plan(self, block: BlockRun, start: Start) -> Sequence[Planned]:
        design = design_of(block)
        # A full study can still be previewed.
        per_item = None if start.mode == Mode.PREVIEW else design.per_item
        loads = _loads(block, start) if per_item or design.per_participant else {}
        chosen = assign_items(
            [ItemToAssign(unit.id, unit.group, unit.kind, loads.get(unit.id, 0)) for unit in block.units],
            per_participant=design.per_participant,
            per_item=per_item,
            rng=start.rng,
            mirror_of=list(start.mirror) if start.mirror is not None else None,
        )
        if chosen is None:
            return ()
        if design.order == "fixed":
            in_file = {unit.id: place for place, unit in enumerate(block.units)}
            n_practice = block.n_practice
            chosen = (*chosen[:n_practice], *sorted(chosen[n_practice:], key=lambda item: in_file[item.id]))
        return [Planned(item.id, {}, {Slot.ITEM.value: []}) for item in chosen]

    def page(self, block: BlockRun, place: Place, frame: Mapping[str, Any]) -> RatingPage:
        item, part, position = _item(block, place.trial), place.part, place.page.position
        stimulus = _stimulus(item, place.trial)
        return RatingPage(
            **frame,
            key=place.key,
            number=part.number(position),
            total=part.total(position),
            practice=part.is_practice(position),
            clip=place.clips(position, Slot.ITEM) if stimulus.is_clip else "",
            next_clips=(place.clips(position + 1, Slot.ITEM),)
            if place.trial is not None and place.trial.next_kind == StimulusKind.CLIP and position < part.last
            else (),
            to_end=stimulus.is_clip and design_of(block).watch == "to-end",
            record=record_view(stimulus.record) if stimulus.record else None,
            text=stimulus.html,
            questions=views(design_of(block).asked_of(item), place.form, place.errors),
        )

    def read(
        self, session: Session, where: Where, block: BlockRun, form: Mapping[str, str], now: datetime
    ) -> AnswerParts:
        trial = where.trial
        assert trial is not None
        item = _item(block, trial)
        stimulus, design = _stimulus(item, trial), design_of(block)
        waited = waited_ms(session, where.session_id, where.shown_at, now)
        values = {"trial_id": trial.id, "interval_ms": waited if where.shown_at else None, **_NOT_OF_PAIRS}
        questions = design.asked_of(item)
        if not stimulus.is_clip:
            answers = read_answers(questions, form)
            return _read_of(answers, values, where, stimulus, form, waited)
        unplayable = form.get("unplayable") == "1"
        answers = read_answers(questions, form, optional=unplayable)
        values["unplayable"] = unplayable
        return _watched(
            answers, values, where, trial, form, waited, to_end=design.watch == "to-end", rules=design.exclude
        )

    def feedback(self, block: BlockRun, answered: Mapping[str, Any]) -> Feedback:
        """Feedback by the item's references; neither right nor wrong without any, or if its clip would not play."""
        design = design_of(block)
        item = next(each for each in design.items if each.id == answered["unit"])
        wanted, given = references(item.right), answered["answers"] or {}
        asked = [each for each in design.asked_of(item) if each.id in wanted]
        parts = tuple((each.ask, is_right(each, wanted[each.id], given.get(each.id))) for each in asked)
        if not parts or answered["unplayable"]:
            return Feedback(None, item.why)
        return Feedback(all(right for _, right in parts), item.why, parts if len(parts) > 1 else ())

    def worth(self, answered: Answered, headline: Headline) -> Iterator[Worth]:
        return worth(answered, headline)

    def slot_at(self, plan: Mapping[str, Any], place: str) -> str | None:
        return Slot.ITEM if place == Slot.ITEM else None


# Columns that say which clip of a pair was fetched.
_NOT_OF_PAIRS: Mapping[str, Any] = MappingProxyType({"fetched_a": None, "fetched_b": None})


def _read_of(
    answers: Answers,
    values: Mapping[str, Any],
    where: Where,
    stimulus: Content,
    form: Mapping[str, str],
    waited: int | None,
) -> AnswerParts:
    """An answer about a record or a text."""
    report = read_reading(form, stimulus.n_parts)
    finding = examine_reading(
        report,
        stimulus.n_words,
        waited_ms=waited,
        served=where.shown_at is not None,
        simulated=where.mode == Mode.SIMULATED,
    )
    of_reading = {
        **values,
        "unplayable": False,
        "rt_ms": report.rt_ms,
        "flags": list(report.words),
        "odd_playback": report.odd,
        "raised": joined(finding.raised),
        "unwatched": finding.unwatched,
        "layout": report.reading.layout if report.reading else None,
        "opened_ms": None,
    }
    evidence = {Slot.ITEM.value: evidence_of(report.reading)} if report.reading else {}
    return AnswerParts(answers, of_reading, evidence)


def _watched(
    answers: Answers,
    values: Mapping[str, Any],
    where: Where,
    trial: TrialSeen,
    form: Mapping[str, str],
    waited: int | None,
    *,
    to_end: bool,
    rules: Sequence[StudyRule],
) -> AnswerParts:
    """An answer about a clip, checked against the server's evidence as for a pair."""
    playback = read_playback(form.get("playback", ""), {Slot.ITEM: (Slot.ITEM, trial.duration_s)})
    rt_ms, rt_words = read_rt_ms(form.get("rt_ms", ""), playback)
    reported, lasts_s = (*playback.flags, *rt_words), trial.duration_s
    clip = TrialClip(trial.n_bytes, lasts_s, (trial.sent or {}).get(Slot.ITEM))
    observed = Observed(
        reported=reported,
        to_end=to_end,
        unplayable=bool(values["unplayable"]),
        least_ms=None if lasts_s is None else least_ms(lasts_s),
        longest_ms=None if lasts_s is None else 1000 * lasts_s,
        waited_ms=waited,
        served=where.shown_at is not None,
        fetched=[clip.fetched(whole=to_end)],
        rt_ms=rt_ms,
        hidden_ms=max((row["hidden_ms"] for row in playback.rows.values()), default=0),
        rules=rules,
    )
    finding = examine(observed, simulated=where.mode == Mode.SIMULATED)
    of_playback = {
        **values,
        "rt_ms": rt_ms,
        "flags": list(reported),
        "odd_playback": playback.odd,
        "raised": joined(finding.raised),
        "unwatched": finding.unwatched,
        "study_rule": finding.study_rule,
        "layout": None,
        "opened_ms": playback.opened_ms,
    }
    return AnswerParts(answers, of_playback, {slot.value: row for slot, row in playback.rows.items()})


def _loads(block: BlockRun, start: Start) -> Mapping[int, int]:
    """Judges by unit. Where everybody rates every item, nobody need ask: it takes longer the more have come."""
    since = start.now - start.idle
    return loads_of(start.session, start.version_id, start.mode, block.id, since, start.arm)


def design_of(block: BlockRun) -> RatingDesign:
    return cast(RatingDesign, block.design)


def _item(block: BlockRun, trial: TrialSeen | None) -> DesignItem:
    assert trial is not None
    return next(item for item in design_of(block).items if item.id == trial.unit)


def _stimulus(item: DesignItem, trial: TrialSeen | None) -> Content:
    return content_of(item.text, trial.stimulus_kind if trial else None, (trial and trial.content) or "")


TASK = Rating()
