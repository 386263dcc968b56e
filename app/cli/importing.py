"""`likely-human import`: data collected elsewhere. Each command imports only what it needs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from app.cli.console import err, now, opened, out
from app.core.errors import StudyError

if TYPE_CHECKING:
    from app.reports.alympics import Released
    from app.reports.alympics_days import ReplayedRelease

_SHOWN = 10


class _Imports(TyperGroup):
    """`import FILE --mapping MAP.yaml` is short for `import file FILE --mapping MAP.yaml`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        is_named = not args or args[0] in self.commands or args[0] in ctx.help_option_names
        return super().parse_args(ctx, args if is_named else ["file", *args])


importing = typer.Typer(
    cls=_Imports,
    no_args_is_help=True,
    help="Import external data: FILE or game FILE --mapping MAP.yaml, hntt FILE, or alympics FOLDER.",
)


@importing.command("file")
def import_file(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Answers to pairs, ratings, yes / no judgements.")
    ],
    mapping: Annotated[
        Path, typer.Option(metavar="MAP.yaml", help="Mapping of the file (docs/elsewhere.md).")
    ],
) -> None:
    """Import answers with their mapping file, as the study that it names: all of the file or nothing."""
    from app.accounts.audit import COMMAND_LINE, record
    from app.reports.mapped import import_mapped
    from app.reports.targets import notes_of

    with opened() as (_, database), database.transaction() as session:
        imported = import_mapped(session, file, mapping, now())
        for one in imported:
            record(
                session, COMMAND_LINE, "study.import", now=now(), study=one.slug, after={"file": file.name}
            )
    for note in notes_of(mapping):
        err.print(note, markup=False)
    for one in imported:
        out.print(f"{one.slug}: {_imported(one.n_participants, one.n_responses)}", markup=False)


def _imported(n_participants: int, n_responses: int) -> str:
    from app.core.problems import counted

    return f"{counted(n_participants, 'participant')}, {counted(n_responses, 'response')}"


@importing.command("hntt")
def import_hntt(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Answers in the layout of the published data.")
    ],
) -> None:
    """Import answers in the HNTT layout, one study per studyno: hntt-1, hntt-2, ..."""
    from app.reports.hntt import import_answers

    with opened() as (_, database), database.transaction() as session:
        imported = import_answers(session, file, now())
    for slug, n_participants, n_responses in imported:
        out.print(f"{slug}: {_imported(n_participants, n_responses)}", markup=False)


@importing.command("alympics")
def import_alympics(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="The released games (records.zip, unpacked) and rating sheets (human annotation.zip).",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Where the ratings are written; the folder unless said."),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Report the content and the days that break the rules, and import nothing."
        ),
    ] = False,
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            metavar="DIR",
            help="Write table 2 and figures 4 and 7 to 9 of each setting: SVG, PNG, and their numbers as CSV.",
        ),
    ] = None,
) -> None:
    """Import the released games of Alympics' water auction as records, and write its ratings for `analyze`."""
    from app.reports.alympics import TABLE_3, import_records, read_release, refuse_others, write_ratings
    from app.reports.alympics_days import replay_release

    released = read_release(folder)
    if check:
        replayed = replay_release(folder)
        out.print(f"{len(released.documents)} records", markup=False)
        _say_release(folder, released, replayed.lines() if replayed else ["No file tells how days went."])
        _draw_release(replayed, figures)
        return
    with opened() as (_, database):
        with database.reading() as session:
            refuse_others(session, released)
        written = write_ratings(released, output or folder) if released.scores else None
        with database.transaction() as session:
            imported = import_records(session, released, now())
    out.print(str(imported), markup=False)
    replayed = None
    try:
        replayed = replay_release(folder)
        lines = replayed.lines() if replayed else []
    except StudyError as error:
        lines = [f"The days were not played again: {error}"]
    _say_release(folder, released, lines)
    _draw_release(replayed, figures)
    if written:
        table, mapping = written
        out.print(f"{len(released.scores)} ratings written to {table}", markup=False, soft_wrap=True)
        out.print(f"table 3 written to {table.with_name(TABLE_3)}", markup=False, soft_wrap=True)
        out.print(f"likely-human analyze {table} --mapping {mapping}", markup=False, soft_wrap=True)


def _draw_release(replayed: "ReplayedRelease | None", folder: Path | None) -> None:
    if replayed is None or folder is None:
        return
    from analysis.figures.water import setting_figures
    from app.cli.drawn import write_figures

    for number, one in sorted(replayed.settings.items()):
        write_figures(folder, setting_figures(one, f"setting-{number}", f"setting {number}"), quiet=True)
    out.print(
        f"figures of {len(replayed.settings)} settings written to {folder}", markup=False, soft_wrap=True
    )


def _say_release(folder: Path, released: "Released", days: Sequence[str]) -> None:
    from app.reports.alympics_table import criteria_of

    for line in days:
        out.print(line, markup=False, soft_wrap=True)
    for row in released.refused:
        said = (
            f"{row.place}: {row.score!r} by judge {row.judge} of {row.record}, {row.criterion}: {row.refused}"
        )
        out.print(f"{said}; it does not count", markup=False, soft_wrap=True)
    for criterion in criteria_of(released.scores):
        out.print(str(criterion), markup=False, soft_wrap=True)
    if released.scores:
        said = "The ten judges' scores of themselves are printed in table 3 and in no file of the release."
        out.print(said, markup=False, soft_wrap=True)
    if missing := released.without_record:
        out.print(
            f"{len(missing)} rated records have no game in {folder}: {', '.join(missing[:3])}", markup=False
        )


@importing.command("game")
def import_game(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Choices as they were recorded: CSV, JSON, JSON lines, or a folder."
        ),
    ],
    mapping: Annotated[
        Path, typer.Option(metavar="MAP.yaml", help="What is what in it (docs/elsewhere.md, Play).")
    ],
    output: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where moves.csv and its like are written.")
    ],
) -> None:
    """Replay choices made elsewhere by people or programs through our rules, for `game metrics` and `game compare`."""
    from app.core.problems import counted
    from app.tasks.game.elsewhere.mapping import read_mapping
    from app.tasks.game.elsewhere.writing import import_play

    read = read_mapping(mapping)
    done = import_play(file, read, output)
    people = f", {counted(done.people, 'person', 'people')} by name" if done.people else ""
    people += f", {counted(done.without_name, 'seat')} of people without a name" if done.without_name else ""
    out.print(
        f"{counted(done.matches, 'match', 'matches')} of {read.game}{people}, written to {output / 'moves.csv'}",
        markup=False,
    )
    if read.deal is not None:
        out.print(
            f"Who met whom was dealt by seed {read.deal.seed}: answers and payoffs are those of these pairs",
            markup=False,
        )
    if done.broken:
        out.print(
            f"left out for breaking the rules: {counted(len(done.broken), 'match', 'matches')} "
            f"({output / 'left_out.csv'}):",
            markup=False,
        )
        for _, place, why in done.broken[:_SHOWN]:
            out.print(f"  {place}: {why}", markup=False, soft_wrap=True)
        if len(done.broken) > _SHOWN:
            out.print(f"  and {len(done.broken) - _SHOWN} more", markup=False)
