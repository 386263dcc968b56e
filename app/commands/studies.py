"""`likely-human study`: studies as files."""

import json
from pathlib import Path
from typing import Annotated

import typer

from app.clips.store import ClipStore
from app.commands.console import err, now, opened, out
from app.library.clues import clues_state
from app.people.audit import COMMAND_LINE
from app.study.checklist import Around
from app.study.file.load import json_schema, load_study
from app.study.launch import Accepted, change_state, study_here
from app.study.tables import State
from app.study.versions import load_version, refuse_mixed_processing, stimulus_facts, summaries

app = typer.Typer(
    no_args_is_help=True, help="Studies as files: check, load, list, open, pilot, pause, close."
)

StudyFileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The study file (YAML).")]
SlugArgument = Annotated[str, typer.Argument(metavar="SLUG", help="The study's name, as in `study: name`.")]


@app.command()
def check(file: StudyFileArgument) -> None:
    """Say everything that is wrong with a study file, or that nothing is."""
    with opened() as (_, database), database.reading() as session:
        design = load_study(file, stimulus_facts(session))
        refuse_mixed_processing(session, design)
    out.print(f"{file}: fine. {len(design.pairs)} pairs, version hash {design.sha256()[:12]}", markup=False)


@app.command()
def load(file: StudyFileArgument) -> None:
    """Store a study file as its study's newest version."""
    with opened() as (_, database), database.transaction() as session:
        design = load_study(file, stimulus_facts(session))
        loaded = load_version(session, design, now())
    out.print(
        f"{loaded.slug}: version {loaded.number} ({loaded.change}), {loaded.n_pairs} pairs. "
        f"Open it with: likely-human study open {loaded.slug}",
        markup=False,
    )


@app.command("list")
def list_studies() -> None:
    """List the studies with their state and sessions."""
    with opened() as (settings, database), database.reading() as session:
        studies = summaries(session)
    if not studies:
        out.print(
            f"No study yet in {settings.data_dir}. Load one with: likely-human study load FILE", markup=False
        )
    for study in studies:
        sessions = ", ".join(f"{n} {mode} {status}" for (mode, status), n in sorted(study.sessions.items()))
        out.print(
            f"{study.slug}  {study.state}  version {study.version}  {study.n_pairs} pairs  "
            f"{sessions or 'no sessions'}",
            markup=False,
        )


@app.command()
def schema() -> None:
    """Print the study file's JSON Schema."""
    typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))


def _set(slug: str, to: State, said: str) -> None:
    accepted = Accepted(codes=None, reason="opened on the command line")
    with opened() as (settings, database), database.transaction() as session:
        around = Around(ClipStore(settings.data_dir), clues_state)
        changed = change_state(session, COMMAND_LINE, study_here(session, slug), to, accepted, around, now())
    for check in changed.warnings:
        err.print(f"warning: {check.title}: {check.detail}", markup=False)
    out.print(f"{slug}: {said}", markup=False)


@app.command("open")
def open_study(slug: SlugArgument) -> None:
    """Let participants in."""
    _set(slug, State.LIVE, f"open; participants come in at /s/{slug}")


@app.command()
def pilot(slug: SlugArgument) -> None:
    """Let people in for a try: their answers are kept apart for ever."""
    _set(slug, State.PILOT, f"pilot; whoever comes in at /s/{slug} is kept apart from the live data for ever")


@app.command()
def pause(slug: SlugArgument) -> None:
    """Let nobody new in; sessions under way go on."""
    _set(slug, State.PAUSED, "paused; nobody new comes in, sessions under way go on")


@app.command()
def close(slug: SlugArgument) -> None:
    """Take no more answers."""
    _set(slug, State.CLOSED, "closed; no more answers are taken")
