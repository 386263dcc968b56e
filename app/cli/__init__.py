"""The command `likely-human`: thin wrappers, and one place where refusals become one line and exit status 1.

A command's module is imported when the command runs, not when it is listed: most of a start is imports.
"""

import atexit
import gc
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Annotated, Any, NamedTuple, get_args

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from analysis.files.faults import noting
from analysis.files.numbers import is_plain
from app.core.errors import StudyError, page_words
from app.core.privacy import keep_private
from app.core.problems import plain_message


class Listed(NamedTuple):
    """A command's module, name (a function or a group) and line in the list of commands."""

    module: str
    name: str
    help: str


COMMANDS = {
    "serve": Listed("services", "serve", "Serve the studies of the data folder."),
    "demo": Listed("services", "demo", "Make the demo studies if they are not there yet, and serve them."),
    "backup": Listed(
        "keeping",
        "backup",
        "Back up all data while serving: database, clips, models, secret.",
    ),
    "restore": Listed(
        "keeping",
        "restore",
        "Put a backup into an empty data folder and an empty database, and prove that it is the same.",
    ),
    "doctor": Listed("keeping", "doctor", "Check for misconfiguration, and print the remedies."),
    "study": Listed(
        "studies",
        "app",
        "Studies as files: check, load, open, pilot, pause, close, archive, delete; links.",
    ),
    "stimuli": Listed("clips", "app", "Clips, records and texts: import and list them; let agents walk."),
    "user": Listed("users", "app", "Users: add, list, role, disable, enable, password."),
    "simulate": Listed(
        "simulating",
        "simulate",
        "Send simulated participants through the real pages; their data are marked `simulated`.",
    ),
    "import": Listed(
        "importing",
        "importing",
        "Import external data: FILE or game FILE --mapping MAP.yaml, hntt FILE, or alympics FOLDER.",
    ),
    "export": Listed(
        "data", "export", "Write a study's data in the columns of docs/data.md; the audit log notes it."
    ),
    "package": Listed(
        "data", "package", "Write everything that belongs to a study into one zip (docs/package.md)."
    ),
    "analyze": Listed("data", "analyze", "The numbers of one study or of several side by side."),
    "flow": Listed(
        "flow",
        "flow",
        "Print the flow of participants, from arriving to being analysed (CONSORT), by arm where there are several.",
    ),
    "quality": Listed(
        "quality",
        "quality",
        "Apply the exclusion rules: who meets which rule, by which values, who is used and who is paid.",
    ),
    "report": Listed(
        "reporting",
        "report",
        "Write a folder with a page that opens offline: figures, tables, and the methods in words.",
    ),
    "prereg": Listed(
        "documents", "prereg", "Write a study's pre-registration in the order of AsPredicted's or OSF's form."
    ),
    "recruit": Listed(
        "recruiting", "app", "Recruiters: what to enter there, and their submissions compared."
    ),
    "privacy": Listed("privacy", "app", "Erase identities; export and forget what is held about one person."),
    "ethics": Listed(
        "documents",
        "ethics",
        "Write an application to an ethics board from the study file, with blanks for what it cannot know.",
    ),
    "plan": Listed(
        "planning",
        "plan",
        "Simulate a study's power, or the participants or trials needed.",
    ),
    "signatures": Listed(
        "moving",
        "signatures",
        "Compute the distance of every source's movement and play to people's, and its relation to people's votes.",
    ),
    "judge": Listed("judges", "app", "Automated judges: run and train them, validate them against people."),
    "game": Listed("games", "app", "Games that agents play: list, play, replay, imitate, compare, record."),
}


# What a command imports stays: looking through it over and over was a seventh of the processor time, and without that
# `report` takes 10 MB more. A service goes back to Python's own numbers once it has started.
_COLLECTING = (1_000_000, 20, 100)


def load(name: str) -> Any:
    """The command itself, its module imported. Raises KeyError for a name that is none."""
    listed = COMMANDS[name]
    found = getattr(import_module(f"app.cli.{listed.module}"), listed.name)
    if isinstance(found, typer.Typer):
        return _in_plain_words(get_group(found))
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(name)(found)
    return _in_plain_words(get_command(alone))


def _in_plain_words(command: Any) -> Any:
    """The command, whose numbers are digits (Python's own reading takes `1_0` for 10, and digits of any script), and
    whose refusals are without the prefix that pydantic gives them.
    """
    for param in command.params:
        param.process_value = partial(_plain, param, param.process_value)
    for each in getattr(command, "commands", {}).values():
        _in_plain_words(each)
    return command


def _plain(param: Any, process: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    kind = param.type_descriptor.annotation
    if {int, float} & {kind, *get_args(kind)}:
        for text in value if isinstance(value, list | tuple) else (value,):
            if isinstance(text, str) and not is_plain(text):
                raise typer.BadParameter(
                    f"{text!r} is not a plain number, such as 1000", ctx=ctx, param=param
                )
    try:
        return process(ctx, value)
    except typer.BadParameter as error:
        error.message = plain_message(error.message)
        raise


class _Commands(TyperGroup):
    """Holds stand-ins, enough to list the commands, and gives the command itself when one is to run."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.commands = {name: TyperCommand(name, help=listed.help) for name, listed in COMMANDS.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        return name, load(name) if name in COMMANDS else None, rest


app = typer.Typer(name="likely-human", cls=_Commands, no_args_is_help=True, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        # Imported here: no other command needs it, and it takes a while.
        from importlib.metadata import version

        typer.echo(f"likely-human {version('likely-human')}")
        raise typer.Exit


@app.callback()
def _about(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Side-by-side video studies: which video is more likely to be human?"""


def main() -> None:
    """Exit status: 0 done, 1 refused with the reason on stderr, 2 wrong usage."""
    gc.set_threshold(*_COLLECTING)
    # Memory goes back at the end in any case: looking through it for garbage before was a quarter of `study list`.
    atexit.register(gc.freeze)
    keep_private()
    with noting() as notes:
        try:
            _run()
        finally:
            _print_notes(notes)


def _run() -> None:
    try:
        app()
    except StudyError as error:
        _refuse(error)
    except KeyboardInterrupt:
        # 128 + SIGINT, as shells report a program that Ctrl-C has ended.
        sys.exit(130)
    except BrokenPipeError:
        # `| head` closes the pipe early: Python would complain once more when it flushes at exit.
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        if not _is_refusal(error):
            raise
        _refuse(error)


def _is_refusal(error: Exception) -> bool:
    """True if the error's message is meant for users; these classes are imported only by commands that raise them."""
    classes = (("app.library.clips.errors", "ClipError"), ("analysis.errors", "AnalysisError"))
    loaded = [getattr(sys.modules[module], name) for module, name in classes if module in sys.modules]
    return isinstance(error, tuple(loaded))


def _print_notes(notes: Sequence[str]) -> None:
    """Print readers' notes about files and names to stderr."""
    if notes and not sys.stderr.closed:
        from app.cli.console import err

        for note in notes:
            err.print(note, markup=False, soft_wrap=True)


def _refuse(error: Exception) -> None:
    from app.cli.console import err

    # What a command does for the service is said on a page.
    err.print(page_words(error) if "--for-service" in sys.argv else str(error), markup=False)
    sys.exit(1)
