"""`likely-human study`: studies as files. Each command imports what it alone needs."""

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli import loading
from app.cli.console import connected, err, now, opened, out, say_where
from app.core.errors import StudyError
from app.core.problems import counted
from app.studies.closing import DEFAULT_CLOSING, DEFAULT_GRACE_MIN, LONGEST_GRACE_MIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlmodel import Session

    from app.accounts.audit import Actor
    from app.studies.access import StudyHere
    from app.studies.launch import Closing

app = typer.Typer(
    no_args_is_help=True,
    help="Studies as files: check, load, open, pilot, pause, close, archive, delete; links.",
)

SlugArgument = Annotated[str, typer.Argument(metavar="SLUG", help="The study's name (`study list`).")]


app.command()(loading.check)
app.command()(loading.load)


@app.command("list")
def list_studies(
    archived: Annotated[bool, typer.Option("--archived", help="Those that are archived.")] = False,
) -> None:
    """List the studies with their state and sessions."""
    from app.studies.summaries import summaries
    from app.tasks.listed import units_in_words

    with connected() as (settings, connection):
        studies = [study for study in summaries(connection) if study.is_archived == archived]
    if not studies and archived:
        out.print("No study is archived.", markup=False)
    elif not studies:
        out.print(
            f"No study yet in {settings.data_dir}. Load one with: likely-human study load FILE", markup=False
        )
    for study in studies:
        sessions = ", ".join(f"{n} {mode} {status}" for (mode, status), n in sorted(study.sessions.items()))
        out.print(
            f"{study.slug}  {study.state}  version {study.version}  {units_in_words(study.units)}  "
            f"{sessions or 'no sessions'}",
            markup=False,
        )


@app.command()
def schema() -> None:
    """Print the study file's JSON Schema."""
    from app.studies.file.load import json_schema

    typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))


@app.command()
def template(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The template; none lists them all.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="The folder to be made; by default NAME here."),
    ] = None,
) -> None:
    """List the studies to begin from, or write one as a study file into a new folder."""
    from app.studies.file.templates import STUDY_FILE, TEMPLATES, write_template

    if name is None:
        if folder is not None:
            raise StudyError("--out without a template; name one of " + ", ".join(TEMPLATES))
        for each in TEMPLATES.values():
            out.print(f"{each.name}  {each.title}: {each.description}", markup=False)
        return
    to = folder or Path(name)
    for words in write_template(name, to):
        out.print(f"to be filled in: {words}", markup=False)
    out.print(f"{to / STUDY_FILE}: written. Then: likely-human study check {to / STUDY_FILE}", markup=False)


def _set(slug: str, to: str, said: str, closing: "Closing | None" = None) -> None:
    from app.accounts.audit import COMMAND_LINE
    from app.library.clips.store import ClipStore
    from app.outputs.clues import clues_state
    from app.sessions.retargeting import places_for
    from app.studies.checklist import ChecklistContext
    from app.studies.launch import Accepted, change_state, study_here
    from app.trials.tables import State

    accepted = Accepted(codes=None, reason="opened on the command line")
    with opened() as (settings, database), database.transaction() as session:
        around = ChecklistContext(ClipStore(settings.data_dir), clues_state)
        wanted = (study_here(session, slug), State(to), accepted, around, now(), closing)
        changed = change_state(session, COMMAND_LINE, *wanted)
        why = places_for(session, wanted[0], now()).closes_at_once(now()) if to == State.LIVE else ""
    for check in changed.warnings:
        err.print(f"warning: {check.title}: {check.detail}", markup=False)
    out.print(f"{slug}: {said}", markup=False)
    if why:
        err.print(f"warning: The service closes it again within seconds: {why}", markup=False)


@app.command("open")
def open_study(slug: SlugArgument) -> None:
    """Open a study to participants."""
    _set(slug, "live", f"open; participants enter at /s/{slug}")


@app.command()
def pilot(slug: SlugArgument) -> None:
    """Open a study as a pilot: its answers are kept apart from live data for ever."""
    _set(slug, "pilot", f"pilot; data from /s/{slug} are kept apart from the live data for ever")


@app.command()
def pause(slug: SlugArgument) -> None:
    """Stop new participants; sessions under way go on."""
    _set(slug, "paused", "paused; no new participants, sessions under way continue")


@app.command()
def close(
    slug: SlugArgument,
    grace: Annotated[
        int,
        typer.Option(
            min=1,
            max=LONGEST_GRACE_MIN,
            metavar="MINUTES",
            help="How long sessions under way may continue.",
        ),
    ] = DEFAULT_GRACE_MIN,
    end_now: Annotated[bool, typer.Option("--end-now", help="Sessions under way cannot continue.")] = False,
    message: Annotated[
        str, typer.Option(help="Message for participants who have not finished: what becomes of their pay.")
    ] = DEFAULT_CLOSING,
) -> None:
    """Close a study; participants under way may finish. Repeat it to change how the study ends."""
    from app.studies.launch import Closing

    minutes = 0 if end_now else grace
    under_way = (
        f"those under way can finish within {minutes} minutes" if minutes else "no session can continue"
    )
    _set(slug, "closed", f"closed; no participants can enter, {under_way}", Closing(minutes, message))


@app.command()
def target(
    slug: SlugArgument,
    number: Annotated[
        int | None,
        typer.Argument(metavar="N", min=1, help="How many live sessions are to count.", show_default=False),
    ] = None,
    arm: Annotated[str, typer.Option(metavar="ARM", help="The target, or the pause, is of this arm.")] = "",
    pause: Annotated[
        bool | None,
        typer.Option("--pause/--resume", help="Whether the arm takes participants.", show_default=False),
    ] = None,
    opens: Annotated[
        str, typer.Option(metavar="TIME", help="Nobody enters before, as 2026-03-01T09:00+01:00.")
    ] = "",
    ends: Annotated[str, typer.Option(metavar="TIME", help="Nobody enters from then on.")] = "",
    from_file: Annotated[
        bool,
        typer.Option("--from-file", help="Forget all such changes first: what the study file says holds."),
    ] = False,
) -> None:
    """Say how filled a study and its arms are; change targets, dates and pauses while it runs."""
    from dataclasses import replace

    from app.accounts.audit import COMMAND_LINE
    from app.sessions import retargeting
    from app.studies.launch import study_here

    if pause is not None and not arm:
        raise StudyError(
            "--pause and --resume are of an arm: name it with --arm. A study is paused by `study pause`."
        )
    with opened() as (_, database), database.transaction() as session:
        study = study_here(session, slug)
        wanted = retargeting.PlacesNow() if from_file else retargeting.changed_places(session, study)
        if number is not None:
            of_arm = retargeting.change_arm(wanted, arm, target=number)
            wanted = of_arm if arm else replace(wanted, target=number)
        if pause is not None:
            wanted = retargeting.change_arm(wanted, arm, is_paused=pause)
        wanted = replace(
            wanted,
            opens_at=retargeting.time_from(opens) or wanted.opens_at,
            ends_at=retargeting.time_from(ends) or wanted.ends_at,
        )
        places = retargeting.change_places(session, COMMAND_LINE, study, wanted, now())
    said = " ".join(filter(None, (places.in_words, places.uncounted_in_words)))
    out.print(f"{slug}: {said} The study is {places.state}.", markup=False)
    for name, at in (("opens", places.opens_at), ("ends", places.ends_at)):
        if at is not None:
            out.print(f"{slug}: {name} {at:%Y-%m-%d %H:%M} UTC", markup=False)
    for each in places.arms if len(places.arms) > 1 else ():
        out.print(f"{each.arm}: {each.in_words}{', paused' if each.is_paused else ''}", markup=False)


@app.command("archive")
def archive_study(slug: SlugArgument) -> None:
    """Take a study out of the list and close it to participants; all that it has is kept."""
    from app.accounts.audit import COMMAND_LINE
    from app.studies.archiving import archive
    from app.studies.launch import study_here

    with opened() as (_, database), database.transaction() as session:
        archive(session, COMMAND_LINE, study_here(session, slug), now())
    out.print(f"{slug}: archived; bring it back with: likely-human study unarchive {slug}", markup=False)


@app.command("unarchive")
def unarchive_study(slug: SlugArgument) -> None:
    """Bring an archived study back, in the state that it had."""
    from app.accounts.audit import COMMAND_LINE
    from app.studies.archiving import unarchive
    from app.studies.launch import study_here

    with opened() as (_, database), database.transaction() as session:
        study = study_here(session, slug)
        unarchive(session, COMMAND_LINE, study, now())
    out.print(f"{slug}: in the list, and {study.state}", markup=False)


@app.command()
def delete(
    slug: SlugArgument,
    name: Annotated[
        str, typer.Option("--yes-delete", metavar="NAME", help="The study's name once more, to confirm.")
    ] = "",
) -> None:
    """Delete a study for ever, with all sessions, answers, versions, reports and notes. Its clips stay."""
    from app.accounts.audit import COMMAND_LINE
    from app.studies.deleting import delete_study, remove_files
    from app.studies.launch import study_here

    with opened() as (settings, database):
        with database.transaction() as session:
            deleted = delete_study(session, COMMAND_LINE, study_here(session, slug), name, now())
        remove_files(settings.data_dir, deleted)
    out.print(f"{slug}: deleted; the audit log keeps that it was", markup=False)


@app.command()
def links(
    slug: SlugArgument,
    names: Annotated[
        Path, typer.Argument(metavar="FILE", help="Participants, one per line, under a heading or none.")
    ],
) -> None:
    """Print a signed link for each participant of a list, as CSV: it is theirs alone, in every browser."""
    from app.accounts.audit import COMMAND_LINE
    from app.core.spreadsheet import text_in
    from app.sessions.links import MOST_BYTES, names_in, participant_links
    from app.studies.launch import study_here

    text = text_in(names, MOST_BYTES, "save it as text in UTF-8")
    with opened() as (settings, database), database.transaction() as session:
        study = study_here(session, slug)
        made = participant_links(session, COMMAND_LINE, study, names_in(text), settings.secret, now())
        site = settings.public_address.rstrip("/")
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerows([("participant", "link"), *((link.participant, site + link.path) for link in made)])
    say_where(site)


@app.command("session-link")
def link_to_session(
    slug: SlugArgument, session_id: Annotated[int, typer.Argument(metavar="SESSION", min=1)]
) -> None:
    """Print a link with which a session goes on in another browser, for 30 days."""
    from app.accounts.audit import COMMAND_LINE
    from app.sessions.links import session_link
    from app.studies.launch import study_here

    with opened() as (settings, database), database.transaction() as session:
        study = study_here(session, slug)
        path = session_link(session, COMMAND_LINE, study, session_id, settings.secret, now())
        site = settings.public_address.rstrip("/")
    typer.echo(site + path)
    say_where(site)


@app.command()
def exclude(
    slug: SlugArgument,
    reason: Annotated[str, typer.Option(help="Why; it is in the exported data.")],
    session_ids: Annotated[
        list[int] | None, typer.Option("--session", metavar="N", min=1, help="A session; once for each.")
    ] = None,
    rule: Annotated[str, typer.Option(help="All sessions that met this exclusion rule.")] = "",
    preview: Annotated[
        bool, typer.Option("--preview", help="Say how many they are; change nothing.")
    ] = False,
) -> None:
    """Leave sessions out of the numbers, by number or by the exclusion rule that they met; `include` undoes it."""
    from app.sessions.exclusions import exclude_many

    with opened() as (_, database), database.transaction() as session:
        actor, study, ids = _chosen(session, slug, session_ids, rule)
        if preview:
            out.print(f"{slug}: {counted(len(ids), 'session')}", markup=False)
            return
        done = exclude_many(session, actor, study, ids, reason, now())
    already = f"; {len(done.unchanged)} already were" if done.unchanged else ""
    out.print(f"{slug}: {counted(len(done.changed), 'session')} excluded{already}", markup=False)


@app.command()
def include(
    slug: SlugArgument,
    session_ids: Annotated[
        list[int] | None, typer.Option("--session", metavar="N", min=1, help="A session; once for each.")
    ] = None,
    rule: Annotated[str, typer.Option(help="All sessions that met this exclusion rule.")] = "",
) -> None:
    """Count sessions again that were excluded by hand."""
    from app.sessions.exclusions import include_many

    with opened() as (_, database), database.transaction() as session:
        actor, study, ids = _chosen(session, slug, session_ids, rule)
        done = include_many(session, actor, study, ids, now())
    out.print(f"{slug}: {counted(len(done.changed), 'session')} counted again", markup=False)


def _chosen(
    session: "Session", slug: str, ids: list[int] | None, rule: str
) -> "tuple[Actor, StudyHere, Sequence[int]]":
    """The sessions named, or those that met a rule. Raises StudyError for neither and for both."""
    from app.accounts.audit import COMMAND_LINE
    from app.monitor.sessions_list import Search, checked_search, found_ids
    from app.studies.launch import study_here

    study = study_here(session, slug)
    if bool(ids) == bool(rule):
        raise StudyError("say which sessions: --session N, once for each, or --rule NAME")
    chosen = ids or found_ids(session, study, checked_search(Search(rule=rule)))
    if not chosen:
        raise StudyError(f"{slug}: no session met the rule {rule}")
    return COMMAND_LINE, study, chosen
