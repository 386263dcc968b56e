"""The command `likely-human`: thin wrappers, and one place where refusals become one line and exit status 1."""

import sys

import typer

from app.clips.errors import ClipError
from app.commands import clips, data, judges, judging, planning, reporting, services, studies, users
from app.commands.console import err
from app.errors import StudyError
from app.privacy import keep_private

app = typer.Typer(
    name="likely-human",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Side-by-side video studies: which video is more likely to be human?",
)
judge = typer.Typer(no_args_is_help=True, help="Automated judges: run them, hold them against people.")
judge.command("list")(judges.list_)
judge.command("run")(judges.run_)
judge.command("validate")(judging.validate)

app.command()(services.serve)
app.command()(services.demo)
app.add_typer(studies.app, name="study")
app.add_typer(clips.app, name="stimuli")
app.add_typer(users.app, name="user")
app.command()(data.simulate)
app.add_typer(data.importing, name="import")
app.command()(data.export)
app.command()(data.package)
app.command()(data.analyze)
app.command()(reporting.report)
app.command()(planning.plan)
app.add_typer(judge, name="judge")


def main() -> None:
    """Exit status: 0 done, 1 refused with the reason on stderr, 2 wrong usage."""
    keep_private()
    try:
        app()
    except (StudyError, ClipError) as error:
        _refuse(error)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        # analysis is imported only by the commands that use it; so is its error class
        refused = sys.modules.get("analysis.errors")
        if refused is None or not isinstance(error, refused.AnalysisError):
            raise
        _refuse(error)


def _refuse(error: Exception) -> None:
    err.print(str(error), markup=False)
    sys.exit(1)
