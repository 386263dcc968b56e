"""Builds the pages of one clip, of the upload and of the edited table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.access import Shell
from app.admin.stimuli.views import (
    ClipCard,
    ClipPage,
    EditForm,
    FrameSize,
    QueueRow,
    SheetPage,
    UploadPage,
    UseRow,
)
from app.catalog.catalog import (
    ClipFacts,
    StimulusView,
    known_sources,
    stimulus_for,
    why_not_changed,
)
from app.catalog.filling import Filling, filling
from app.catalog.pictures import has_poster
from app.catalog.search import values
from app.catalog.sheet import plan_sheet
from app.catalog.uses import UNSEEN, Use
from app.core.markdown import markdown
from app.core.problems import counted
from app.library.documents import Document, measure_document, read_out
from app.library.kinds import StimulusKind
from app.library.queued import Place, places
from app.library.receiving import estimate_text
from app.library.records import parse_record
from app.library.tables import UploadStatus
from app.library.uploads import LARGEST_FILE_BYTES, UploadView, uploads_of
from app.tasks.rating.views import record_view

HERE = "/admin/stimuli"
USUAL_SOURCES = ("human", "hybrid", "symbolic")
MOST_CHANGES_SHOWN = 500


def card_of(
    stimulus: StimulusView, data_dir: Path, n_studies: int, typed: Mapping[str, str] | None = None
) -> ClipCard:
    address = f"{HERE}/{quote(stimulus.name)}"
    # The address changes with the content, so that no cache shows the clip of before.
    version = f"?v={stimulus.clip.sha256[:12]}" if stimulus.clip else ""
    has_picture = has_poster(data_dir, stimulus)
    return ClipCard(
        name=stimulus.name,
        source=stimulus.source,
        attributes=[(key, value) for key, value in stimulus.attributes.items() if value],
        kind=stimulus.kind.value,
        facts=_short_facts(stimulus),
        seconds=f"{stimulus.clip.duration_s:.1f} s" if stimulus.clip else "",
        used=f"in {counted(n_studies, 'study', 'studies')}" if n_studies else "not used",
        added_at=stimulus.imported_at,
        clip=f"{address}/clip.mp4{version}" if stimulus.clip else "",
        poster=f"{address}/poster.jpg{version}" if has_picture else "",
        excerpt=_excerpt(stimulus),
        form=_form(stimulus, typed),
    )


def _form(stimulus: StimulusView, typed: Mapping[str, str] | None) -> EditForm:
    in_version = any(use.version is not None for use in stimulus.uses)
    return EditForm(
        name=(typed or {}).get("name", stimulus.name),
        source=(typed or {}).get("source", stimulus.source),
        attributes=list(stimulus.attributes.items()) if typed is None else list(attributes_in(typed).items()),
        fixed_name=f"A design names the {stimulus.kind} by it." if stimulus.uses else "",
        fixed_source="A saved version's truth rests on it." if in_version else "",
    )


def attributes_in(form: Mapping[str, str]) -> dict[str, str]:
    """The attributes of a form: `key.N` is the name for `value.N`. Rows without a name are told apart by number."""
    rows = [key[4:] for key in form if key.startswith("key.")]
    given = [(form[f"key.{row}"].strip(), form.get(f"value.{row}", "").strip()) for row in rows]
    return {key: value for key, value in given if key or value}


def clip_page(
    session: Session,
    who: Who,
    shell: Shell,
    data_dir: Path,
    name: str,
    *,
    back: str = "",
    error: str = "",
    typed: Mapping[str, str] | None = None,
) -> ClipPage:
    stimulus = stimulus_for(session, who, name)
    return ClipPage(
        shell=shell,
        error=error,
        card=card_of(stimulus, data_dir, len({use.study for use in stimulus.uses}), typed),
        facts=_facts(stimulus),
        added_at=stimulus.imported_at,
        uses=[_use_row(use) for use in stimulus.uses],
        known_sources=known_sources(session, shell.who),
        back=library_address(back),
        has_original=stimulus.original_sha256 is not None,
        record=record_view(parse_record(stimulus.content or ""))
        if stimulus.kind is StimulusKind.RECORD
        else None,
        text=markdown(stimulus.content or "") if stimulus.kind is StimulusKind.TEXT else "",
        fixed=why_not_changed(session, who, stimulus.name),
    )


def library_address(back: str) -> str:
    """The address to return to after an edit: the library as filtered before."""
    return back if back.startswith(HERE) and back[len(HERE) : len(HERE) + 1] in ("", "?") else HERE


def _document(stimulus: StimulusView) -> Document:
    return Document(stimulus.kind, stimulus.content or "")


def _short_facts(stimulus: StimulusView) -> str:
    if stimulus.clip is not None:
        return f"{stimulus.clip.duration_s:.1f} s, {stimulus.clip.width} × {stimulus.clip.height} px"
    counts = measure_document(_document(stimulus))
    rounds = f"{counted(counts.rounds, 'round')}, " if counts.rounds else ""
    return f"{rounds}{counted(counts.words, 'word')}"


def _excerpt(stimulus: StimulusView) -> str:
    """The beginning of a record or text, without a record's players; empty for a clip."""
    if stimulus.kind is StimulusKind.RECORD:
        record = parse_record(stimulus.content or "")
        lines = read_out(_document(stimulus))
        return " / ".join((*lines[:1], *lines[1 + len(record.players) :][:6]))[:200]
    return " / ".join(read_out(_document(stimulus))[:6])[:200] if stimulus.content else ""


def _facts(stimulus: StimulusView) -> list[tuple[str, str]]:
    return _facts_of_clip(stimulus, stimulus.clip) if stimulus.clip else _facts_of_document(stimulus)


def _facts_of_document(stimulus: StimulusView) -> list[tuple[str, str]]:
    counts = measure_document(_document(stimulus))
    rounds = [("Rounds", f"{counts.rounds:,}")] if stimulus.kind is StimulusKind.RECORD else []
    return [
        *rounds,
        ("Lines", f"{counts.lines:,}"),
        ("Words", f"{counts.words:,}"),
        ("Characters", f"{counts.characters:,}"),
        ("File", f"{stimulus.original_name or 'not named'}, {megabytes(stimulus.original_bytes)}"),
        (f"SHA-256 of the {stimulus.kind}", stimulus.content_sha256 or ""),
    ]


def _facts_of_clip(stimulus: StimulusView, clip: ClipFacts) -> list[tuple[str, str]]:
    rules = clip.rules
    trims = f"{rules.trim_start_s:g} s off the start, {rules.trim_end_s:g} s off the end"
    masks = f"{len(rules.masks)} {'mask' if len(rules.masks) == 1 else 'masks'}"
    return [
        ("Duration", f"{clip.duration_s:.2f} s ({clip.frames} frames, {clip.fps:g} a second)"),
        ("Frame", f"{clip.width} × {clip.height} px"),
        ("Size of the file", megabytes(clip.bytes)),
        ("Processed with", f"{trims}, {masks}, crf {rules.crf}, {rules.preset}"),
        *([("Differs from its file", " ".join(clip.differences))] if clip.differences else []),
        ("Original", f"{stimulus.original_name or 'not named'}, {megabytes(stimulus.original_bytes)}"),
        ("SHA-256 of the original", stimulus.original_sha256 or "not kept"),
        ("SHA-256 of the clip", clip.sha256),
    ]


def megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 100_000 else f"{n_bytes / 1e3:.1f} kB"


def _use_row(use: Use) -> UseRow:
    unseen = use.study == UNSEEN
    page = "pairs" if use.version is None else "versions"
    return UseRow(
        use.place, ", ".join(use.pairs), use.is_frozen, "" if unseen else f"/admin/studies/{use.study}/{page}"
    )


def sheet_page(session: Session, who: Who, shell: Shell, text: str, error: str = "") -> SheetPage:
    plan = plan_sheet(session, who, text)
    return SheetPage(
        shell=shell,
        error=error,
        changes=plan.changes[:MOST_CHANGES_SHOWN],
        n_changes=len(plan.changes),
        n_clips=len({change.name for change in plan.changes}),
        faults=plan.faults,
        n_rows=plan.n_rows,
        text=text if not plan.faults else "",
        digest=plan.digest,
    )


def upload_page(
    session: Session,
    who: Who,
    shell: Shell,
    small_bytes: int,
    *,
    slug: str = "",
    typed: Mapping[str, str] | None = None,
    faults: Sequence[str] = (),
    error: str = "",
) -> UploadPage:
    """The page of uploads into the collection `slug`."""
    mine, queue, into = uploads_of(session, who), places(session), filling(session, who, slug)
    return UploadPage(
        shell=shell,
        error=error,
        known_sources=list(dict.fromkeys((*known_sources(session, shell.who), *USUAL_SOURCES))),
        known_keys=list(values(session, who)),
        typed={"source": "", **(typed or {})},
        faults=faults,
        unfinished=[each for each in mine if each.status is UploadStatus.RECEIVING],
        queue=[_queue_row(each, queue) for each in reversed(mine) if each.status is UploadStatus.WAITING],
        estimate=estimate_text(session, who),
        recent=[each for each in mine if each.is_over][:20],
        largest_bytes=LARGEST_FILE_BYTES,
        small_bytes=small_bytes,
        frame=frame_size(into),
        collection=into.collection,
        choices=into.choices,
    )


def frame_size(into: Filling) -> FrameSize:
    return FrameSize(frame_words(into.size), into.rule, into.may_change)


def frame_words(size: tuple[int, int] | None) -> str:
    """A frame in words, empty while it is open."""
    return "" if size is None else f"{size[0]} × {size[1]} px"


def _queue_row(upload: UploadView, places: Mapping[str, Place]) -> QueueRow:
    place = places.get(upload.token)
    share = f" {100 * upload.done // upload.total}%" if upload.total else ""
    return QueueRow(upload, place.says if place else f"Being processed{share}")
