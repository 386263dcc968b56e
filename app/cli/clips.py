"""`likely-human stimuli`: clips, records and texts in. Each command imports what it alone needs."""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.console import now, opened, out, progress

if TYPE_CHECKING:
    from app.core.settings import Settings
    from app.library.clips.imported import ImportedClip
    from app.library.clips.manifest import Manifest
    from app.library.clips.rules import Rules

_MOST_NAMED = 5
CollectionOption = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="A collection: a study's own has its name; a new name makes a shared one."
    ),
]
CollectionArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="A collection's name, as `stimuli collections` lists it.")
]
app = typer.Typer(
    no_args_is_help=True, help="Clips, records and texts: import and list them; let agents walk."
)


@app.command("import")
def import_manifest(
    manifest: Annotated[Path, typer.Argument(metavar="MANIFEST.csv", help="Columns file, name, source, ...")],
    rules: Annotated[
        Path | None,
        typer.Option(metavar="RULES.yaml", help="How all clips alike are cut, masked and encoded."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Clips processed at once.")] = os.cpu_count() or 1,
    collection: CollectionOption = "library",
) -> None:
    """Keep what a manifest names, or refuse all of it: clips, processed alike, records (.json), texts (.md, .txt)."""
    from app.catalog.rules import rules_in_force
    from app.core.problems import counted
    from app.library.clips.manifest import read_manifest
    from app.library.clips.rules import FIRST_RULES, Rules
    from app.library.collections import check_slug, collection_ids, make_collection
    from app.library.contents import add_documents
    from app.library.documents import clip_rows, read_documents
    from app.library.kinds import StimulusKind
    from app.library.stimuli import add_stimuli, refuse_known

    with opened() as (settings, database):
        rows = read_manifest(manifest)
        documents, of_clips = read_documents(rows), clip_rows(rows)
        with database.reading() as session:
            refuse_known(session, rows)
            into = collection_ids(session).get(collection)
            if into is None:
                check_slug(collection)
            usual = FIRST_RULES if into is None else rules_in_force(session, into)[0]
        applied = Rules.load(rules).encoded_like(usual) if rules else usual
        clips = _processed(settings, of_clips, applied, workers, usual.size) if of_clips.rows else []
        with database.transaction() as session:
            # Once more: others may have added a clip of this name while these were processed.
            refuse_known(session, rows)
            found = collection_ids(session).get(collection)
            into = found or make_collection(session, collection, now(), slug=collection).id or 0
            add_stimuli(session, clips, now(), collection=into)
            add_documents(session, documents, now(), collection=into)
    if clips:
        first = clips[0]
        said = f"{len(clips)} clips imported, {first.width} x {first.height} at {first.fps:g} frames/s"
        out.print(said, markup=False)
        _say_differences(clips)
    kinds = Counter(each.document.kind for each in documents)
    for kind in (StimulusKind.RECORD, StimulusKind.TEXT):
        if kinds[kind]:
            out.print(f"{counted(kinds[kind], kind)} imported", markup=False)


def _processed(
    settings: "Settings", manifest: "Manifest", rules: "Rules", workers: int, size: tuple[int, int] | None
) -> "list[ImportedClip]":
    from app.library.clips.importing import import_clips
    from app.library.clips.store import ClipStore

    with progress("Processing clips") as on_progress:
        store = ClipStore(settings.data_dir)
        return import_clips(manifest, rules, store, workers=workers, on_progress=on_progress, size=size)


def _say_differences(clips: "Sequence[ImportedClip]") -> None:
    """Print how the processed clips differ from their original files: each difference once, with the clips' names."""
    from app.library.clips.facts import differences

    found: dict[str, list[str]] = {}
    for clip in clips:
        for one in differences(clip.original_video, clip.rules):
            found.setdefault(one, []).append(clip.name)
    for said, names in found.items():
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        out.print(f"{', '.join(names[:_MOST_NAMED])}{more}: {said}", markup=False, soft_wrap=True)


@app.command("list")
def list_all(collection: CollectionOption = "") -> None:
    """List the clips, records and texts with their source and attributes; of one collection or of all."""
    from app.library.collections import collection_named
    from app.library.stimuli import list_stimuli

    with opened() as (_, database), database.reading() as session:
        only = collection_named(session, collection).id if collection else None
        for stimulus in list_stimuli(session, only):
            attributes = " ".join(f"{key}={value}" for key, value in stimulus.attributes.items())
            what = stimulus.kind if stimulus.duration_s is None else f"{stimulus.duration_s:.2f} s"
            out.print(f"{stimulus.name}  {stimulus.source}  {what}  {attributes}", markup=False)


collections = typer.Typer(
    invoke_without_command=True, help="Collections: list them, or rename, open, close and remove one."
)
app.add_typer(collections, name="collections")


@collections.callback()
def list_collections(context: typer.Context) -> None:
    """List the collections with their stimuli and frame; a study's own is marked with the study's name."""
    from app.catalog.rules import rules_in_force
    from app.core.problems import counted
    from app.studies.collections import all_collections

    if context.invoked_subcommand is not None:
        return
    with opened() as (_, database), database.reading() as session:
        for found in all_collections(session):
            size = rules_in_force(session, found.id)[0].size
            frame = "frame open" if size is None else f"{size[0]} x {size[1]}"
            whose = f"of the study {found.study}" if found.study else "shared"
            seen = "seen by every user" if found.is_open else "seen by its editors"
            n = counted(found.n, "stimulus", "stimuli")
            out.print(f"{found.slug}  {whose}  {n}  {frame}  {seen}  {found.title}", markup=False)


@collections.command("rename")
def rename_collection(
    name: CollectionArgument,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="What pages call it from now on.")],
) -> None:
    """Give a collection another title; its name in commands and addresses stays."""
    from app.accounts.audit import COMMAND_LINE
    from app.catalog.shared import held_by_name, retitle

    with opened() as (_, database), database.transaction() as session:
        row = held_by_name(session, name)
        retitle(session, COMMAND_LINE, row, title, now())
        kept = row.title
    out.print(f"{name}: {kept}", markup=False)


@collections.command("open")
def open_collection(name: CollectionArgument) -> None:
    """Let every user see what is in a collection, and use it in studies."""
    _share(name, True, "seen by every user")


@collections.command("close")
def close_collection(name: CollectionArgument) -> None:
    """Let its editors alone see what is in a collection; studies keep what their designs use."""
    _share(name, False, "seen by its editors")


def _share(name: str, is_open: bool, said: str) -> None:
    from app.accounts.audit import COMMAND_LINE
    from app.catalog.shared import held_by_name, share

    with opened() as (_, database), database.transaction() as session:
        row = held_by_name(session, name)
        share(session, COMMAND_LINE, row, is_open, now())
    out.print(f"{name}: {said}", markup=False)


@collections.command("remove")
def remove_collection(name: CollectionArgument) -> None:
    """Remove a shared collection that holds nothing and that no study uses."""
    from app.accounts.audit import COMMAND_LINE
    from app.catalog.rules import hold_library
    from app.catalog.shared import held_by_name, remove
    from app.studies.collections import studies_with

    with opened() as (_, database), database.transaction() as session:
        hold_library(session)
        row = held_by_name(session, name)
        remove(session, COMMAND_LINE, row, now(), studies_with(session, row.id or 0))
    out.print(f"{name}: removed", markup=False)


@app.command("walk")
def walk(
    agent: Annotated[
        str,
        typer.Option(metavar="MODULE:NAME", help="A class or function without arguments that makes one."),
    ],
    output: Annotated[Path, typer.Option("--out", metavar="DIR", help="For clips, positions and manifest.")],
    source: Annotated[str, typer.Option(help="What the manifest calls it; not human.")] = "agent",
    n: Annotated[int, typer.Option("--n", help="How many clips.")] = 24,
    seed: Annotated[int, typer.Option(help="The demo's walkers have the same scenes for the same seed.")] = 1,
    goals: Annotated[str, typer.Option(help="Which goals, in turn.")] = "1,2,3,4,5,6",
    lost: Annotated[
        str,
        typer.Option(
            metavar="again|keep",
            help="A walk that does not arrive: walked again from elsewhere, or shown and marked.",
        ),
    ] = "again",
    workers: Annotated[int | None, typer.Option(help="How many processes; one per processor.")] = None,
) -> None:
    """Generate walks of an agent over the demo's map, as clips like the demo's (docs/clips.md)."""
    from app.core.errors import StudyError
    from stimuli.clipset import ARRIVED, ATTEMPTS, generate_by_agent, n_lost_shown, n_lost_walks
    from stimuli.errors import StimuliError

    try:
        numbers = [int(goal) for goal in goals.split(",")]
    except ValueError:
        raise StudyError(f"--goals {goals[:80]!r}: give numbers with commas, such as 1,2,3") from None
    try:
        with progress("Walking") as on_progress:
            manifest = generate_by_agent(
                output,
                agent,
                source=source,
                lost=lost,
                goals=numbers,
                seed=seed,
                clips=n,
                workers=workers,
                on_progress=lambda done, total: on_progress(done, total, ""),
            )
    except StimuliError as error:
        raise StudyError(str(error)) from None
    out.print(f"{n} clips of {agent} written to {manifest}", markup=False)
    if n_again := n_lost_walks(manifest):
        out.print(
            f"{n_again} of its {n + n_again} walks got lost and were walked again from another start; no clip shows "
            f"them ({ATTEMPTS})",
            markup=False,
        )
    if n_shown := n_lost_shown(manifest):
        out.print(
            f"{n_shown} of {n} clips show walks that got lost (`{ARRIVED}`: no in the manifest, 0 in the positions)",
            markup=False,
        )


@app.command("walks")
def walks(
    slug: Annotated[str, typer.Argument(help="A study with a block of walks.")],
    output: Annotated[Path, typer.Option("--out", metavar="DIR", help="For clips, positions and manifest.")],
    mode: Annotated[str, typer.Option(help="Whose walks: live, pilot or simulated.")] = "live",
    everything: Annotated[
        bool, typer.Option("--all", help="Also walks of people whom exclusion rules leave out.")
    ] = False,
    workers: Annotated[int | None, typer.Option(help="How many processes; one per processor.")] = None,
) -> None:
    """Draw the walks that people took in a study, to clips like those of agents (docs/walking.md)."""
    from app.core.errors import StudyError
    from app.reports.walk_clips import MODES, draw_walks, shown_walks
    from stimuli.errors import StimuliError

    chosen = next((each for each in MODES if each == mode), None)
    if chosen is None:
        raise StudyError(f"--mode {mode[:80]!r}: it is {', '.join(MODES)}")
    with opened() as (settings, database), database.reading() as session:
        shown = shown_walks(session, slug, chosen, settings.secret, everything=everything)
    try:
        with progress("Drawing") as on_progress:
            manifest = draw_walks(
                shown.walks,
                output,
                workers=workers,
                on_progress=lambda done, total: on_progress(done, total, ""),
            )
    except StimuliError as error:
        raise StudyError(str(error)) from None
    out.print(f"{len(shown.walks)} clips of {slug} written to {manifest}", markup=False)
    if shown.left_out:
        out.print(f"Left out: {shown.left_out_in_words}", markup=False)
