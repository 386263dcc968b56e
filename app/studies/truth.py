"""The true source of a study: setting it, and correcting it while no answer counts.

A correction applies to the draft and the newest version as long as that version has no answers from a live or pilot
session. Afterwards a version is unchanged, and the correction applies from the next one on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from app.accounts.audit import record
from app.accounts.logins import Who
from app.core.database import Database
from app.core.errors import Stale, StudyError
from app.core.problems import listed, quoted
from app.library.tables import Stimulus
from app.studies.access import StudyHere
from app.studies.drafts import (
    DraftView,
    draft_for,
    draft_revisions,
    hold_draft,
    newest_number,
    revision_now,
    save_draft,
)
from app.studies.file.design import DesignTruth, StudyDesign
from app.studies.file.drafts import items_as_csv
from app.studies.file.items import read_item_file
from app.studies.file.pairs import (
    HUMAN,
    NO_SOURCE,
    PairSpec,
    StimulusFacts,
    condition_by_source,
    true_source_of,
    truth_by_source,
)
from app.studies.pairs_edit import BadRow, Row, read_rows, rows_as_csv
from app.studies.seeing import facts_for
from app.studies.tables import Draft
from app.tasks.pair.design import Member
from app.tasks.pair.settings import DesignPair, PairDesign
from app.tasks.rating.settings import DesignItem
from app.tasks.registry import AnyDesign
from app.trials.design import Kind
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, State, Study, StudyVersion, Unit, UnitMember

Stimuli = Mapping[str, StimulusFacts]
_COUNTS = (Mode.LIVE, Mode.PILOT)


class BadTruth(StudyError):
    """A true source that no clip is of."""

    status_code = 422


@dataclass(frozen=True, slots=True)
class TruthView:
    """The truth of a study's main pairs. `source` is empty if no source is the true one.

    `is_missing`: no pair has a truth, and it was not stated that there is none.
    """

    source: str
    n_pairs: int
    n_with: int

    @property
    def is_missing(self) -> bool:
        return bool(self.source) and not self.n_with

    @property
    def says(self) -> str:
        """The truth in a sentence or two."""
        if not self.source:
            known = f", but {self.n_with} of {self.n_pairs} pairs name their own truth" if self.n_with else ""
            return f"No source is the true one: no answer is right or wrong{known}."
        if not self.n_pairs:
            return f"The true source is {self.source}. There are no main pairs yet."
        if self.is_missing:
            return (
                f"No pair has a truth: the true source is {self.source}, and no pair shows it beside another source. "
                "Without a truth no answer is right or wrong, and there is no accuracy."
            )
        without = self.n_pairs - self.n_with
        rest = f"; {without} {'has' if without == 1 else 'have'} none" if without else ""
        return f"The true source is {self.source}: {self.n_with} of {self.n_pairs} main pairs have a truth{rest}."


def truth_view(true_source: str, pairs: Sequence[PairSpec] | Sequence[DesignPair]) -> TruthView:
    main = [pair for pair in pairs if pair.kind is Kind.MAIN]
    source = "" if true_source == NO_SOURCE else true_source
    return TruthView(source, len(main), sum(pair.truth is not None for pair in main))


@dataclass(frozen=True, slots=True)
class Corrected:
    """The draft's revision, and the version that a correction reached (None: the draft alone).

    `kept` is the newest version with answers that count, which stays as it was; None where there is none.
    """

    revision: int
    version: int | None
    kept: int | None


async def say_truth(
    database: Database, who: Who, study: StudyHere, source: str, revision: int | None, now: datetime
) -> Corrected:
    """Like `set_truth`, with the draft's list read beforehand."""
    return await database.prepare_and_write(
        lambda session: draft_with_truth(session, who, study, source),
        lambda session, seen: set_truth(session, who, study, source, revision, now, seen=seen),
    )


@dataclass(frozen=True, slots=True)
class WithTruth:
    """A draft, and its keys with another true source."""

    draft: DraftView
    keys: Mapping[str, Any]


def draft_with_truth(session: Session, who: Who, study: StudyHere, source: str) -> WithTruth:
    """A study's draft with another true source. Raises BadTruth."""
    source, stimuli = source.strip(), facts_for(session, study)
    known = sorted({clip.source for clip in facts_for(session, study, who).values()})
    if source not in (NO_SOURCE, *known):
        raise BadTruth(f"No clip is of the source {quoted(source)}; choose {listed([*known, NO_SOURCE])}.")
    draft = draft_for(session, study)
    return WithTruth(draft, with_truth(draft.keys, source, stimuli))


def set_truth(
    session: Session,
    who: Who,
    study: StudyHere,
    source: str,
    revision: int | None,
    now: datetime,
    *,
    seen: WithTruth | None = None,
) -> Corrected:
    """Set the true source, `none` if no answer is right. Raises BadTruth; Conflict as `save_draft`.

    `seen` is the changed draft; otherwise it is computed here. Raises Stale if the draft has changed.
    """
    source, seen = source.strip(), seen or draft_with_truth(session, who, study, source)
    was, new = hold_draft(session, study, revision, seen.draft), seen.keys
    reached = None
    version = correctable(session, study)
    if version is not None:
        correct_version(session, who, study, version, lambda design: _with_source(design, source), now)
        reached = version.number
    if version is None or was.is_unsaved:
        save_draft(session, who, study, new, was.revision, now, seen=was)
    newest = newest_number(session, study)
    kept = newest if version is None else None
    return Corrected(revision_now(session, study), reached, kept)


def correctable(session: Session, study: StudyHere) -> StudyVersion | None:
    """The newest version, if it has no counted answers."""
    newest = col(StudyVersion.number).desc()
    versions = select(StudyVersion).where(StudyVersion.study_id == study.id).order_by(newest).limit(1)
    version = session.exec(versions).first()
    return version if version is not None and not has_answers(session, version.id or 0) else None


def has_answers(session: Session, version_id: int) -> bool:
    """True if a version has answers from a live or pilot session."""
    counting = select(ParticipantSession.id).where(
        ParticipantSession.version_id == version_id, col(ParticipantSession.mode).in_(_COUNTS)
    )
    answers = select(Response.id).where(col(Response.session_id).in_(counting))
    return session.exec(answers.limit(1)).first() is not None


def correct_version(
    session: Session,
    who: Who,
    study: StudyHere,
    version: StudyVersion,
    correct: Callable[[StudyDesign], StudyDesign],
    now: datetime,
) -> None:
    """Change sources, conditions and truths of a version that no answer rests on, in its design and its pairs."""
    before = StudyDesign.model_validate_json(version.design)
    after = correct(before)
    if after == before:
        return
    was = version.sha256
    version.sha256, version.design = after.sha256(), after.canonical_json()
    session.add(version)
    rows = {row.name: row for row in session.exec(select(Unit).where(Unit.version_id == version.id))}
    for pair in after.pairs:
        rows[pair.id].truth, rows[pair.id].condition = pair.truth, pair.condition
    for item in (item for block in after.rating_blocks for item in block.items):
        rows[item.id].condition = item.condition
    session.add_all(rows.values())
    record(
        session,
        who.actor,
        "version.correct",
        now=now,
        study=study.slug,
        subject=f"version {version.number}",
        before={"sha256": was, "truth": before.truth.source},
        after={"sha256": version.sha256, "truth": after.truth.source},
    )
    session.flush()


def _with_source(design: StudyDesign, source: str) -> StudyDesign:
    old = design.truth.source
    blocks = tuple(_with_true_source(block, old, source) for block in design.blocks)
    return design.model_copy(update={"truth": DesignTruth(source=source), "blocks": blocks})


def _with_true_source(block: AnyDesign, old: str, new: str) -> AnyDesign:
    if not isinstance(block, PairDesign):
        return block
    keeps_conditions = block.sample is not None
    pairs = tuple(
        _turned(pair, (pair.source_a, pair.source_b), old, new, keeps_conditions) for pair in block.pairs
    )
    return block.model_copy(update={"pairs": pairs})


def _turned(
    pair: DesignPair, sources: tuple[str, str], old: str, new: str, keeps_condition: bool = False
) -> DesignPair:
    """The pair with other sources or another true source; values not derived from the sources are kept."""
    condition, truth = pair.condition, pair.truth
    if condition == condition_by_source(pair.source_a, pair.source_b, old) and not keeps_condition:
        condition = condition_by_source(*sources, new)
    if truth == truth_by_source(pair.source_a, pair.source_b, old):
        truth = truth_by_source(*sources, new)
    changes = {"source_a": sources[0], "source_b": sources[1], "condition": condition, "truth": truth}
    return pair.model_copy(update=changes)


# Drafts


def with_truth(keys: Mapping[str, Any], source: str, stimuli: Stimuli) -> dict[str, Any]:
    """A draft's keys with another true source; what its list says only because of the sources follows."""
    old = true_source_of(keys)
    changed = {**keys, "truth": {"source": source}}
    if source == HUMAN:
        del changed["truth"]
    return _with_rows(changed, lambda row: _follow(row, stimuli, stimuli, old, source))


def with_source(keys: Mapping[str, Any], before: Stimuli, after: Stimuli) -> dict[str, Any]:
    """A draft's keys after a clip's source was put right."""
    true_source = true_source_of(keys)
    changed = _with_rows(dict(keys), lambda row: _follow(row, before, after, true_source, true_source))
    if not isinstance(changed.get("blocks"), list):
        return changed
    blocks = [
        _with_items(block, before, after) if isinstance(block, dict) else block for block in changed["blocks"]
    ]
    return {**changed, "blocks": blocks}


def _with_items(block: dict[str, Any], before: Stimuli, after: Stimuli) -> dict[str, Any]:
    """The block with the conditions of its items that are written out but say no more than the source did."""
    text = block.get("items")
    found = read_item_file("", text, by_row=True) if isinstance(text, str) and text.strip() else None
    if found is None or found.problems:
        return block
    rows = [
        replace(row, condition=after[row.stimulus].source)
        if row.stimulus in before and row.stimulus in after and row.condition == before[row.stimulus].source
        else row
        for row in found.rows
    ]
    return block if rows == found.rows else {**block, "items": items_as_csv(rows)}


def _with_rows(keys: dict[str, Any], change: Callable[[Row], Row]) -> dict[str, Any]:
    """A draft's keys, or a block's, with each row of their pairs changed."""
    if isinstance(keys.get("blocks"), list):
        blocks = [_with_rows(block, change) if isinstance(block, dict) else block for block in keys["blocks"]]
        keys = {**keys, "blocks": blocks}
    text = keys.get("pairs")
    try:
        rows = read_rows(text) if isinstance(text, str) and text.strip() else []
    except BadRow:
        return keys
    changed = [change(row) for row in rows]
    return keys if changed == rows else {**keys, "pairs": rows_as_csv(changed)}


def _follow(row: Row, before: Stimuli, after: Stimuli, old: str, new: str) -> Row:
    """The row without a condition and truth that are written out but say no more than the sources did."""
    if row.a not in before or row.b not in before or row.a not in after or row.b not in after:
        return row
    was, now = ((facts[row.a].source, facts[row.b].source) for facts in (before, after))
    condition, truth = row.condition, row.truth
    if condition == condition_by_source(*was, old):
        condition = condition_by_source(*now, new)
    if truth and truth == truth_by_source(*was, old):
        truth = truth_by_source(*now, new) or ""
    return replace(row, condition=condition, truth=Member(truth).value if truth else "")


def is_answered(session: Session, slug: str, number: int) -> bool:
    """True if a version of a study has answers from a live or pilot session."""
    of_study = select(StudyVersion.id).join(Study, col(Study.id) == StudyVersion.study_id)
    version = session.exec(of_study.where(Study.slug == slug, StudyVersion.number == number)).first()
    return version is not None and has_answers(session, version)


@dataclass(frozen=True, slots=True)
class CorrectedDrafts:
    """Drafts changed by new `sources` of clips, by name: `keys` of the changed ones, by study.

    `revisions` are those of all drafts that were read.
    """

    sources: Mapping[str, str]
    revisions: Mapping[int, int]
    keys: Mapping[int, dict[str, Any]]


def drafts_with_sources(session: Session, sources: Mapping[str, str]) -> CorrectedDrafts:
    """Every draft's list with other sources of clips."""
    keys: dict[int, dict[str, Any]] = {}
    drafts = select(Draft, Study).join(Study, col(Study.id) == Draft.study_id)
    for draft, study in session.exec(drafts).all() if sources else ():
        before = facts_for(session, StudyHere(study.id or 0, study.slug, State(study.state)))
        changed = {name: replace(before[name], source=sources[name]) for name in before.keys() & sources}
        new = with_source(draft.keys, before, {**before, **changed})
        if new != draft.keys:
            keys[draft.study_id] = new
    return CorrectedDrafts(sources, draft_revisions(session), keys)


def correct_sources(
    session: Session,
    who: Who,
    sources: Mapping[str, str],
    now: datetime,
    drafts: CorrectedDrafts | None = None,
) -> None:
    """Update versions without counted answers, and drafts, for clips whose sources change, by name.

    Call it before the clips themselves are changed, and after versions with answers were refused. `drafts` were
    corrected before; otherwise they are corrected here. Raises Stale if one, or the change, is not the same.
    """
    drafts = drafts or drafts_with_sources(session, sources)
    if drafts.sources != sources or drafts.revisions != draft_revisions(session):
        raise Stale
    clip = select(Stimulus.id).where(col(Stimulus.name).in_(list(sources)))
    shown = (
        select(Unit.version_id)
        .join(UnitMember, col(UnitMember.unit_id) == Unit.id)
        .where(col(UnitMember.stimulus_id).in_(clip))
    )
    versions = select(StudyVersion, Study).join(Study, col(Study.id) == StudyVersion.study_id)
    for version, study in session.exec(versions.where(col(StudyVersion.id).in_(shown))).all():
        here = StudyHere(study.id or 0, study.slug, State(study.state))
        correct_version(session, who, here, version, lambda design: _with_sources(design, sources), now)
    for draft in session.exec(select(Draft).where(col(Draft.study_id).in_(list(drafts.keys)))):
        draft.keys, draft.revision = drafts.keys[draft.study_id], draft.revision + 1
        session.add(draft)


def _with_sources(design: StudyDesign, sources: Mapping[str, str]) -> StudyDesign:
    true_source = design.truth.source

    def of_pair(pair: DesignPair) -> DesignPair:
        now = sources.get(pair.a, pair.source_a), sources.get(pair.b, pair.source_b)
        return _turned(pair, now, true_source, true_source) if now != (pair.source_a, pair.source_b) else pair

    def of_item(item: DesignItem) -> DesignItem:
        now = sources.get(item.stimulus, item.source)
        condition = now if item.condition == item.source else item.condition
        return item.model_copy(update={"source": now, "condition": condition})

    after = design.with_units(of_pair, of_item)
    # Pairs of other sources than the draw asked for are no longer what it drew.
    blocks = tuple(
        block.model_copy(update={"sample": None}) if isinstance(block, PairDesign) and block != was else block
        for was, block in zip(design.blocks, after.blocks, strict=True)
    )
    return after.model_copy(update={"blocks": blocks})
