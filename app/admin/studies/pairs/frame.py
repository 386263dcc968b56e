"""Common parts of all pages of pairs: the summary, and pairs as rows of a table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypedDict
from urllib.parse import quote

from fastapi import Depends, Request
from sqlmodel import Session

from app.admin.access import Shell, ShellDep, StudyDep
from app.admin.studies.pairs.views import DrawnNote, PairRow
from app.core.dependencies import SettingsDep
from app.library.media import poster_path
from app.pairs.draft import ClipCard, PairsHere, clip_cards, pairs_of
from app.pairs.summary import Summary, match_of
from app.pairs.view import DrawState, FoundPairs, Way, draw_state
from app.studies.access import StudyHere
from app.studies.drafts import newest_number
from app.studies.file.comparable import blocks_in
from app.studies.truth import correctable
from app.tasks.pair.design import Sides
from app.tasks.pair.pairs import PairSpec, shown_in
from app.tasks.pair.rows import Row, rows_of
from app.tasks.pair.truth import TruthView, truth_view
from app.trials.design import Kind
from app.trials.stimuli import true_source_of


@dataclass(frozen=True, slots=True)
class At:
    """The context of a page of pairs: the user, the study or block, the data folder."""

    shell: Shell
    study: StudyHere
    data_dir: Path

    @property
    def here(self) -> str:
        block = f"/blocks/{self.study.block}" if self.study.block else ""
        return f"/admin/studies/{self.study.slug}{block}/pairs"

    def pairs(self, session: Session) -> PairsHere:
        """The pairs of the draft, which the page's frame may have read."""
        return pairs_of(session, self.shell.who, self.study, self.shell.draft_of(session, self.study))


async def get_at(request: Request, shell: ShellDep, study: StudyDep, settings: SettingsDep) -> At:
    block = request.path_params.get("block", "")
    return At(shell, replace(study, block=block), settings.data_dir)


AtDep = Annotated[At, Depends(get_at)]


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip of the library, and the data folder, where its picture may be."""

    card: ClipCard
    data_dir: Path

    @property
    def poster(self) -> str:
        """The address of its picture, empty where there is none. An empty file says that none can be made."""
        path = poster_path(self.data_dir, self.card.clip_sha256)
        is_there = path.exists() and path.stat().st_size > 0
        return f"/admin/stimuli/{quote(self.card.name, safe='')}/poster.jpg" if is_there else ""


Clips = Mapping[str, Clip]


def clips_by_name(session: Session, at: At) -> Clips:
    """The clips that the user sees."""
    return {card.name: Clip(card, at.data_dir) for card in clip_cards(session, at.shell.who)}


class Frame(TypedDict):
    shell: Shell
    error: str
    slug: str
    here: str
    block: str
    blocks: Sequence[str]
    sees_all: bool
    revision: int
    way: Way
    summary: Summary
    sides: Sides
    shown: str
    truth: TruthView
    sources: Sequence[str]
    draw: DrawState
    answered: int | None
    drawn: DrawnNote | None


def frame_of(session: Session, at: At, here: PairsHere, error: str) -> Frame:
    keys, row = here.draft.keys, at.shell.row
    newest = row.number if row else newest_number(session, at.study)
    is_open = newest is None or correctable(session, at.study) is not None
    summary = here.summary
    return {
        "shell": at.shell,
        "error": error,
        "slug": at.study.slug,
        "here": at.here,
        "block": at.study.block,
        "blocks": [str(each.get("id")) for each in blocks_in(keys) if each.get("task") == "pair"],
        "sees_all": here.found.way != "blocks" and keys.get("per_participant") is None,
        "revision": here.draft.revision,
        "way": here.found.way,
        "summary": summary,
        "sides": summary.sides,
        "shown": shown_in(here.found.pairs, here.made_of).capitalize(),
        "truth": truth_view(true_source_of(keys), here.found.pairs),
        "sources": [use.source for use in summary.usage.sources if use.n_clips],
        "draw": draw_state(keys, here.found, here.stimuli),
        "answered": None if is_open else newest,
        "drawn": _drawn_note(keys, here),
    }


def _drawn_note(keys: Mapping[str, Any], here: PairsHere) -> DrawnNote | None:
    """The account of a draw that is stored; None for pairs that were not drawn, or have no seed."""
    sample = keys.get("sample")
    if here.found.way != "drawn" or not isinstance(sample, Mapping) or not here.found.pairs:
        return None
    main = [pair for pair in here.found.pairs if pair.kind is Kind.MAIN]
    by_condition = Counter(pair.condition for pair in main)
    uses = Counter(name for pair in here.found.pairs for name in (pair.a, pair.b))
    return DrawnNote(
        conditions=tuple(by_condition.items()),
        n_other=len(here.found.pairs) - len(main),
        at_most=max(uses.values()),
        match=tuple(match_of(keys)),
        seed=str(sample.get("seed", "")),
    )


def rows_found(pairs: Sequence[PairSpec], clips: Clips) -> list[PairRow]:
    """Pairs that were drawn, as rows of the table."""
    return [
        _row(number, row, pair, clips, is_bad=False)
        for number, (row, pair) in enumerate(zip(rows_of(pairs), pairs, strict=True), start=1)
    ]


def rows_written(rows: Sequence[Row], found: FoundPairs, clips: Clips) -> list[PairRow]:
    """Rows that were listed, each with the pair that it makes where it makes one."""
    pairs = dict(zip(found.lines, found.pairs, strict=True))
    return [
        _row(number, row, pairs.get(row.line), clips, is_bad=row.line in found.bad_lines)
        for number, row in enumerate(rows, start=1)
    ]


def _row(number: int, row: Row, pair: PairSpec | None, clips: Clips, *, is_bad: bool) -> PairRow:
    a, b = clips.get(row.a), clips.get(row.b)
    return PairRow(
        number=number,
        row=row,
        condition=pair.condition if pair else row.condition,
        truth=(pair.truth or "") if pair else row.truth,
        kind=row.kind or "main",
        # A pair that was read knows its sources, of records and texts as well; the pictures are of clips alone.
        source_a=pair.source_a if pair else a.card.source if a else "",
        source_b=pair.source_b if pair else b.card.source if b else "",
        poster_a=a.poster if a else "",
        poster_b=b.poster if b else "",
        is_bad=is_bad,
    )
