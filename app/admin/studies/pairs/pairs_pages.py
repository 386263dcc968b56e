"""Builds the pages of a study's pairs from SQL."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlmodel import Session

from app.admin.design.fault_words import in_form_words
from app.admin.stimuli.chooser import PER_PAGE, asked_in, chooser
from app.admin.studies.pairs.drawing import proposed_draw
from app.admin.studies.pairs.frame import (
    At,
    Clips,
    clips_by_name,
    frame_of,
    rows_found,
    rows_written,
)
from app.admin.studies.pairs.views import ClipChoice, ClipList, CsvPage, PairRow, PairsPage, PickPage
from app.catalog.catalog import catalog
from app.catalog.collections import collections_of
from app.core.errors import StudyError, page_words
from app.library.kinds import StimulusKind
from app.pairs.draft import PairsHere
from app.pairs.view import find_pairs
from app.tasks.pair.pairs import COLUMNS, shown_in
from app.tasks.pair.rows import BadRow, Row, read_rows, rows_as_csv


def pairs_page(
    session: Session,
    at: At,
    editing: int = 0,
    error: str = "",
    cells: Mapping[str, str] | None = None,
) -> PairsPage:
    """The page of pairs; `cells` is the input in the open row's form, if it was not accepted."""
    here, clips = at.pairs(session), clips_by_name(session, at)
    rows = _rows(here, clips)
    is_open = 1 <= editing <= len(rows) and here.found.way == "listed"
    return PairsPage(
        **frame_of(session, at, here, error),
        rows=rows,
        # Columns of a list are called by their names; a draw has labels.
        faults=[each if each.place[:1] == ("pairs",) else in_form_words(each) for each in here.found.faults],
        clips=tuple(clips) if is_open else (),
        editing=editing if is_open else 0,
        cells={**_cells(rows[editing - 1].row, editing), **(cells or {})} if is_open else {},
        proposal=proposed_draw(here, "1"),
    )


def _rows(here: PairsHere, clips: Clips) -> list[PairRow]:
    """The listed rows, wrong ones too; where even that cannot be read, the pairs that can."""
    listed = here.draft.keys.get("pairs")
    if isinstance(listed, str):
        try:
            return rows_written(read_rows(listed), here.found, clips)
        except BadRow:
            return []
    return rows_found(here.found.pairs, clips)


def _cells(row: Row, number: int) -> dict[str, str]:
    return {name: getattr(row, name) for name in COLUMNS} | {"position": str(number)}


def pairs_csv(session: Session, at: At) -> str:
    """The pairs as CSV, with values derived from the clips' sources written out."""
    here, clips = at.pairs(session), clips_by_name(session, at)
    listed = here.draft.keys.get("pairs")
    rows = _rows(here, clips)
    if isinstance(listed, str) and not rows:
        return listed
    return rows_as_csv(
        Row(each.row.pair, each.row.a, each.row.b, each.condition, each.truth, each.kind, why=each.row.why)
        for each in rows
    )


# Two clips picked


def pick_page(session: Session, at: At, form: Mapping[str, str], error: str = "") -> PickPage:
    here, clips = at.pairs(session), clips_by_name(session, at)
    frame = frame_of(session, at, here, error)
    used = {use.name: use.n for use in frame["summary"].usage.clips}
    rows, own = _rows(here, clips), _own_collection(session, at)
    return PickPage(
        **frame,
        lists=[_list(session, at, member, form, clips, used, own) for member in ("a", "b")],
        last=rows[-1] if rows and "added" in form else None,
        kind=form.get("kind", "main"),
        condition=form.get("condition", ""),
    )


def _list(
    session: Session,
    at: At,
    member: str,
    form: Mapping[str, str],
    clips: Clips,
    used: Mapping[str, int],
    own: str,
) -> ClipList:
    """The clips for a member as its chooser finds them, the chosen one first wherever it is."""
    suffix = f"_{member}"
    # Addresses of earlier releases say `text_a`.
    given = {f"q{suffix}": form.get(f"text{suffix}", ""), **form}
    if f"collection{suffix}" not in form:
        given[f"collection{suffix}"] = own
    shown = asked_in(given, suffix)
    shown = replace(shown, wanted=replace(shown.wanted, kind=StimulusKind.CLIP))
    found = catalog(session, at.shell.who, shown.wanted, per_page=PER_PAGE, show=shown.show, with_uses=False)
    chosen = form.get(member, "")
    names = [each.name for each in found.stimuli if each.name != chosen]
    first = [chosen] if chosen in clips else []
    choices = [_choice(name, clips, used) for name in (*first, *names) if name in clips]
    return ClipList(member, chosen, chooser(found, shown, suffix=suffix), choices)


def _own_collection(session: Session, at: At) -> str:
    """The study's own collection while something is in it: its clips are looked for first."""
    own = [each for each in collections_of(session, at.shell.who, at.study) if each.study == at.study.slug]
    return own[0].slug if own and own[0].n else ""


def _choice(name: str, clips: Clips, used: Mapping[str, int]) -> ClipChoice:
    card = clips[name].card
    return ClipChoice(
        name=name,
        source=card.source,
        attributes=", ".join(f"{key} {value}" for key, value in card.attributes.items() if value),
        seconds=f"{card.duration_s:.1f} s" if card.duration_s else "",
        poster=clips[name].poster,
        n_used=used.get(name, 0),
    )


# A list as CSV


def csv_page(session: Session, at: At, text: str = "", error: StudyError | str = "") -> CsvPage:
    """The CSV page; `text` is the list sent, shown for review before it is stored."""
    here, clips = at.pairs(session), clips_by_name(session, at)
    frame = frame_of(session, at, here, error if isinstance(error, str) else page_words(error))
    if not text:
        listed = here.draft.keys.get("pairs")
        return CsvPage(**frame, text=listed if isinstance(listed, str) else "", example=_example(clips))
    found = find_pairs({"pairs": text, "truth": here.draft.keys.get("truth")}, here.stimuli)
    frame["shown"] = shown_in(found.pairs, here.stimuli).capitalize()
    try:
        rows = rows_written(read_rows(text), found, clips)
    except BadRow:
        rows = []
    return CsvPage(**frame, text=text, example=_example(clips), rows=rows, faults=found.faults)


def _example(clips: Clips) -> str:
    """Two rows of clips that there are, to be written on from."""
    names: Sequence[str] = [name for name in clips if "," not in name and '"' not in name][:4]
    names = names if len(names) == 4 else ("p1-run3", "hybrid-07", "p2-run1", "hybrid-09")
    rows = (Row("q01", names[0], names[1]), Row("q02", names[2], names[3]))
    return rows_as_csv(rows)
