"""`likely-human stimuli`: clips in. Each command imports what it alone needs."""

import os
from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import now, opened, out, progress

app = typer.Typer(no_args_is_help=True, help="Clips: import them by manifest, list them.")


@app.command("import")
def import_manifest(
    manifest: Annotated[Path, typer.Argument(metavar="MANIFEST.csv", help="Columns file, name, source, ...")],
    rules: Annotated[
        Path | None,
        typer.Option(metavar="RULES.yaml", help="How all clips alike are cut, masked and encoded."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Clips processed at once.")] = os.cpu_count() or 1,
) -> None:
    """Probe every clip of a manifest, process all alike, and keep them; or refuse and keep none."""
    from app.library.clips.importing import import_clips
    from app.library.clips.manifest import read_manifest
    from app.library.clips.rules import Rules
    from app.library.clips.store import ClipStore
    from app.library.rules import rules_in_force
    from app.studies.stimuli import add_stimuli, common_clip_size, refuse_known

    with opened() as (settings, database):
        rows = read_manifest(manifest)
        with database.reading() as session:
            refuse_known(session, rows)
            size = common_clip_size(session)
            usual = rules_in_force(session)[0]
        with progress("Processing clips") as on_progress:
            clips = import_clips(
                rows,
                Rules.load(rules) if rules else usual,
                ClipStore(settings.data_dir),
                workers=workers,
                on_progress=on_progress,
                size=size,
            )
        with database.transaction() as session:
            refuse_known(session, rows)
            add_stimuli(session, clips, now())
    first = clips[0]
    out.print(
        f"{len(clips)} clips imported, {first.width} x {first.height} at {first.fps:g} frames/s", markup=False
    )


@app.command("list")
def list_all() -> None:
    """List the clips with their source and attributes."""
    from app.studies.stimuli import list_stimuli

    with opened() as (_, database), database.reading() as session:
        for stimulus in list_stimuli(session):
            attributes = " ".join(f"{key}={value}" for key, value in stimulus.attributes.items())
            out.print(
                f"{stimulus.name}  {stimulus.source}  {stimulus.duration_s:.2f} s  {attributes}", markup=False
            )
