"""The pairs of a study's draft in SQL: found, drawn, listed, edited."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from app.accounts.logins import Who
from app.core.database import Database
from app.core.errors import Conflict, NotFound, StudyError
from app.core.problems import Fault
from app.library.tables import Stimulus
from app.pairs.summary import Summary, summary_of
from app.pairs.view import FoundPairs, find_by_block, find_pairs
from app.studies.access import StudyHere
from app.studies.drafts import DraftHere, DraftView, draft_for, draft_here, save_draft, storable
from app.studies.file.comparable import blocks_in
from app.studies.seeing import facts_for, facts_seen, seen_by
from app.tasks.pair.pairs import drawn_as_csv
from app.tasks.pair.rows import Row, edited, new_row, read_rows, rows_as_csv, rows_of
from app.tasks.rating.items import item_ids
from app.trials.stimuli import StimulusFacts, true_source_of

Stimuli = Mapping[str, StimulusFacts]


class FaultyPairs(StudyError):
    """Pairs that cannot be shown as they are; `faults` has every fault."""

    status_code = 422

    def __init__(self, faults: Sequence[Fault]) -> None:
        first = faults[0]
        more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        super().__init__(f"Not saved yet: {first.message} ({first.remedy}){more}.")
        self.faults = tuple(faults)


class NothingAsked(StudyError):
    status_code = 422


class InBlocks(Conflict):
    """A study with blocks, whose pairs stand in them, where no block was named."""


IN_BLOCKS = (
    "This study has blocks, and its pairs belong to them: say of which block, or edit them in the design."
)
_OF_BLOCK = ("pairs", "sample", "trials", "per_participant")


def of_block(keys: Mapping[str, Any], block: str) -> Mapping[str, Any]:
    """The keys of a study that consists of one block; all keys if no block is named.

    Raises NotFound.
    """
    if not block:
        return keys
    for each in blocks_in(keys):
        if each.get("id") == block and each.get("task") == "pair":
            rest = {key: value for key, value in keys.items() if key != "blocks"}
            return {**rest, **{key: each[key] for key in _OF_BLOCK if key in each}}
    raise NotFound(f"The design has no block of pairs {block[:40]!r}.")


def _put_back(keys: Mapping[str, Any], block: str, changed: Mapping[str, Any]) -> Mapping[str, Any]:
    """All keys, with the pairs of `changed` in the block that they are of."""
    if not block:
        return changed
    pairs = {key: changed[key] for key in ("pairs", "sample") if key in changed}
    blocks = [
        {**_without_pairs(each), **pairs} if isinstance(each, Mapping) and each.get("id") == block else each
        for each in keys["blocks"]
    ]
    return {**keys, "blocks": blocks}


def _draft_of(session: Session, study: StudyHere) -> DraftView:
    """The draft, or what of it the block that is named has."""
    draft = draft_for(session, study)
    return replace(draft, keys=dict(of_block(draft.keys, study.block)))


def refuse_blocks(keys: Mapping[str, Any]) -> None:
    """Raises InBlocks."""
    if keys.get("blocks") is not None:
        raise InBlocks(IN_BLOCKS)


@dataclass(frozen=True, slots=True)
class PairsHere:
    """A study's draft, the clips that its reader may put into it, and the pairs that the draft makes of those clips
    that its last author sees (`made_of`).
    """

    draft: DraftView
    stimuli: Stimuli
    found: FoundPairs
    made_of: Stimuli

    @property
    def summary(self) -> Summary:
        """The numbers of the pairs, and of the clips that they are made of, as every page and the API say them."""
        return summary_of(self.found, self.draft.keys, self.made_of)


@dataclass(frozen=True, slots=True)
class ClipCard:
    """A clip to choose."""

    id: int
    name: str
    source: str
    attributes: Mapping[str, str]
    duration_s: float | None
    clip_sha256: str


def pairs_here(session: Session, who: Who, study: StudyHere) -> PairsHere:
    return pairs_of(session, who, study, draft_here(session, study))


def pairs_of(session: Session, who: Who, study: StudyHere, looked_at: DraftHere) -> PairsHere:
    """The pairs of a study's draft that was read before."""
    whole, stimuli = looked_at.draft, looked_at.stimuli
    draft = replace(whole, keys=dict(of_block(whole.keys, study.block)))
    # Of one block with all, as the ids of drawn pairs depend on those of the blocks before.
    in_blocks = find_by_block(whole.keys, stimuli) if study.block else {}
    found = in_blocks[study.block] if study.block else find_pairs(draft.keys, stimuli)
    # Whoever wrote the draft last sees what it may name.
    seen = stimuli if draft.saved_by == who.email else facts_seen(session, study, who)
    return PairsHere(draft, seen, found, stimuli)


def pairs_tried(session: Session, who: Who, study: StudyHere, given: Mapping[str, Any]) -> PairsHere:
    """The result of other `pairs` or another `sample` in this study; nothing is stored. Raises UnwieldyDraft."""
    return tried(study, _draft_of(session, study), facts_for(session, study, who), given)


def tried(study: StudyHere, draft: DraftView, stimuli: Stimuli, given: Mapping[str, Any]) -> PairsHere:
    """Raises InBlocks."""
    refuse_blocks(draft.keys)
    keys = {**_without_pairs(draft.keys), **storable(given, study.slug)}
    return PairsHere(replace(draft, keys=keys), stimuli, find_pairs(keys, stimuli), stimuli)


def clip_cards(session: Session, who: Who) -> Sequence[ClipCard]:
    """Every clip that the user sees, by name."""
    clips = select_columns(
        col(Stimulus.id),
        col(Stimulus.name),
        col(Stimulus.source),
        col(Stimulus.attributes),
        col(Stimulus.duration_s),
        col(Stimulus.clip_sha256),
    ).where(col(Stimulus.clip_sha256).is_not(None), seen_by(who))
    return [ClipCard(*clip) for clip in session.execute(clips.order_by(col(Stimulus.name)))]


async def save_pairs(
    database: Database,
    who: Who,
    study: StudyHere,
    given: Mapping[str, Any],
    revision: int,
    now: datetime,
    *,
    even_faulty: bool = False,
    again: bool = False,
) -> int:
    """Replace the draft's pairs by `pairs` as CSV, or a `sample`; returns the new revision.

    An unchanged sample keeps the drawn pairs, unless they are to be drawn `again`. Raises NothingAsked, and FaultyPairs
    unless `even_faulty`. Pairs are drawn in a thread, so that answers are not delayed.
    """
    _refuse_nothing(given)
    kept = await database.read(_with_drawn_pairs, who, study, given, even_faulty, again)
    return await _put(database, who, study, kept, revision, now)


async def draw_again(database: Database, who: Who, study: StudyHere, revision: int, now: datetime) -> int:
    """Draw the draft's pairs anew from the clips there are, and keep these. Raises FaultyPairs, Conflict."""
    keys = (await database.read(_draft_of, study)).keys
    refuse_blocks(keys)
    sample = keys.get("sample")
    if not isinstance(sample, Mapping) or keys.get("pairs") is not None:
        raise Conflict("No pairs are currently drawn: the study has a list of them, or none.")
    anew = {key: value for key, value in sample.items() if key != "drawn"}
    return await save_pairs(database, who, study, {"sample": anew}, revision, now, again=True)


def _refuse_nothing(given: Mapping[str, Any]) -> None:
    if set(given) not in ({"pairs"}, {"sample"}):
        raise NothingAsked("Give either `pairs`, a list as CSV, or `sample`, a draw.")
    sample = given.get("sample")
    if isinstance(sample, Mapping) and not sample.get("conditions"):
        raise NothingAsked("Ask for one main pair at least: practice alone gives no data.")


def _with_drawn_pairs(
    session: Session, who: Who, study: StudyHere, given: Mapping[str, Any], even_faulty: bool, again: bool
) -> dict[str, Any]:
    """The given keys, with a sample's pairs as drawn now: they stay, even if clips are added.

    Raises FaultyPairs if the pairs could not be shown as they are, unless `even_faulty`.
    """
    draft = _draft_of(session, study).keys
    refuse_blocks(draft)
    keys = storable({**given, "truth": draft.get("truth")}, study.slug)
    had = draft.get("sample")
    if (
        not again
        and isinstance(had, Mapping)
        and {**had, "drawn": None} == {**keys.get("sample", {}), "drawn": None}
    ):
        keys["sample"] = had
    found = find_pairs(keys, facts_for(session, study, who))
    if found.faults and not even_faulty:
        raise FaultyPairs(found.faults)
    sample = keys.get("sample")
    if found.pairs and isinstance(sample, Mapping):
        return {"sample": {**sample, "drawn": drawn_as_csv(found.pairs)}}
    return dict(given)


async def list_drawn(database: Database, who: Who, study: StudyHere, revision: int, now: datetime) -> int:
    """The pairs that are drawn now as a list, to be edited one by one. Raises Conflict where none are drawn."""
    here = await database.read(pairs_here, who, study)
    refuse_blocks(here.draft.keys)
    if here.found.way != "drawn" or not here.found.pairs:
        raise Conflict("No pairs are currently drawn, so there are none to turn into a list.")
    text = rows_as_csv(rows_of(here.found.pairs))
    return await _put(database, who, study, {"pairs": text}, revision, now)


async def clear_pairs(database: Database, who: Who, study: StudyHere, revision: int, now: datetime) -> int:
    """Leave the draft neither a list nor a draw; returns the new revision. Raises Conflict."""
    return await _put(database, who, study, {}, revision, now)


async def _put(
    database: Database, who: Who, study: StudyHere, given: Mapping[str, Any], revision: int, now: datetime
) -> int:
    """Replace the draft's pairs by `pairs`, a `sample` or neither, without checks. Raises InBlocks."""

    def put(session: Session, seen: DraftView) -> int:
        own = of_block(seen.keys, study.block)
        refuse_blocks(own)
        keys = _put_back(seen.keys, study.block, {**_without_pairs(own), **given})
        return save_draft(session, who, study, keys, revision, now, seen=seen)

    return await database.prepare_and_write(lambda session: draft_for(session, study), put)


async def add_pair(
    database: Database, who: Who, study: StudyHere, row: Row, revision: int, now: datetime
) -> int:
    """Put a pair of two clips at the end of the list. Raises BadRow."""
    return await database.prepare_and_write(
        lambda session: with_pair(session, who, study, row),
        lambda session, edit: keep_edit(session, who, study, edit, revision, now),
    )


def with_pair(session: Session, who: Who, study: StudyHere, row: Row) -> "Edited":
    """The draft with another pair at the end of its list. Raises BadRow."""
    stimuli, draft = facts_for(session, study, who), draft_for(session, study)
    source, elsewhere = true_source_of(draft.keys), _ids_elsewhere(draft.keys, study.block, stimuli)
    return _edit(study, draft, lambda rows: [*rows, new_row(rows, row, stimuli, source, elsewhere)])


def _ids_elsewhere(keys: Mapping[str, Any], block: str, stimuli: Stimuli) -> frozenset[str]:
    """The ids of pairs and items in other blocks."""
    found = find_by_block(keys, stimuli) if block else {}
    pairs = {pair.id for name, each in found.items() if name != block for pair in each.pairs}
    return frozenset(pairs).union(*map(item_ids, blocks_in(keys)))


async def edit_pair(
    database: Database,
    who: Who,
    study: StudyHere,
    what: str,
    number: int,
    form: Mapping[str, str],
    revision: int,
    now: datetime,
) -> int:
    """Move, turn round, change or remove the `number`th pair of the list. Raises BadRow."""
    return await database.prepare_and_write(
        lambda session: _edit(
            study, draft_for(session, study), lambda rows: edited(rows, what, number, form)
        ),
        lambda session, edit: keep_edit(session, who, study, edit, revision, now),
    )


@dataclass(frozen=True, slots=True)
class Edited:
    """A draft, and its keys after an edit of its pairs."""

    draft: DraftView
    keys: Mapping[str, Any]


def keep_edit(
    session: Session, who: Who, study: StudyHere, edit: Edited, revision: int, now: datetime
) -> int:
    """Save an edit of pairs. Raises Conflict as `save_draft` does."""
    return save_draft(session, who, study, edit.keys, revision, now, seen=edit.draft)


def _edit(study: StudyHere, draft: DraftView, edit: Callable[[list[Row]], list[Row]]) -> Edited:
    own = of_block(draft.keys, study.block)
    refuse_blocks(own)
    if own.get("sample") is not None:
        raise Conflict("The pairs are drawn at random: turn them into a list first, then edit the list.")
    listed = own.get("pairs")
    rows = edit(read_rows(listed) if isinstance(listed, str) and listed.strip() else [])
    pairs = {"pairs": rows_as_csv(rows)} if rows else {}
    return Edited(draft, _put_back(draft.keys, study.block, {**_without_pairs(own), **pairs}))


def _without_pairs(keys: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in keys.items() if key not in ("pairs", "sample")}
