"""The imports of a command before it does anything: most of the time that a start takes."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from typer.testing import CliRunner

import migrations
from app import cli
from app.core.migrating import newest_revision
from bench.crowd_table import write_crowd

pytestmark = pytest.mark.slow

STATISTICS = {"numpy", "pandas", "scipy", "statsmodels", "pingouin", "matplotlib", "pyarrow", "sklearn"}
SERVICE = {"alembic", "mako", "fastapi", "starlette", "uvicorn", "jinja2", "av"}
DATABASE = {"sqlalchemy", "sqlmodel", "pydantic"}
SHOW = "# show\n"


def imported(code: str) -> list[set[str]]:
    """The modules that a process of its own has imported after each `SHOW` in `code`."""
    shown = code.replace(SHOW, "print('modules:', *sys.modules)")
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{shown}"], capture_output=True, text=True, check=True
    )
    lines = (line.split() for line in done.stdout.splitlines())
    return [set(words[1:]) for words in lines if words[:1] == ["modules:"]]


def packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def on(folder: Path) -> str:
    """The code that has the command work on a data folder."""
    return f"import os\nos.environ |= {{'LIKELY_HUMAN_DATA': {str(folder)!r}, 'DATABASE_URL': ''}}\n"


def ran(*words: str) -> str:
    """The code that runs a command."""
    return f"from app.cli import app\napp({list(words)}, standalone_mode=False)\n"


def as_typed(*words: str) -> str:
    """The code that runs a command as the shell does, but for the end of the process."""
    run = "try:\n    main()\nexcept SystemExit:\n    pass\n"
    return f"import sys\nfrom app.cli import main\nsys.argv = {['likely-human', *words]}\n{run}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str]]:
    """The data folder of a service that has started once, and what it has imported for that.

    Commands set the thresholds of the garbage collector higher while they import; pages would be served with what was
    never looked at.
    """
    folder = tmp_path_factory.mktemp("served")
    code = (
        f"import gc\n{on(folder)}before = gc.get_threshold()\n{as_typed('serve', '--help')}"
        "assert gc.get_threshold() > before\n"
        "from app.serving import make_app\nmake_app()\nassert gc.get_threshold() == before\n"
        "from app.main import _guarded\nassert not _guarded.cache_info().currsize, 'a start waits for it'\n"
    )
    (modules,) = imported(code + SHOW)
    return folder, modules


@pytest.fixture(scope="module")
def after(served: tuple[Path, set[str]]) -> dict[str, set[str]]:
    """The modules imported after each step, one after the other in one process: what is not there at the end of a
    command was in none before it. The database is up to date."""
    modules = sorted({f"app.cli.{listed.module}" for listed in cli.COMMANDS.values()})
    done = {
        "--help": ran("--help"),
        "every help": f"import {', '.join(modules)}\n",
        **{f"{group} list": ran(group, "list") for group in ("study", "user", "stimuli", "judge")},
    }
    code = "".join(f"{each}{SHOW}\n" for each in done.values())
    return dict(zip(done, imported(on(served[0]) + code), strict=True))


def test_a_command_that_ends_is_not_looked_through_for_garbage() -> None:
    """The end of a command: what is registered first runs last, after the command's own."""
    told = "import atexit, gc\natexit.register(lambda: print('modules:', gc.get_freeze_count() > 0))\n"
    assert imported(told + as_typed("--help")) == [{"True"}]
    assert imported(told) == [{"False"}]


@pytest.mark.parametrize("done", ["--help", "every help"])
def test_no_help_imports_database_or_statistics_or_service(done: str, after: dict[str, set[str]]) -> None:
    assert "typer" in packages(after[done])
    assert packages(after[done]).isdisjoint(STATISTICS | SERVICE | DATABASE)


@pytest.mark.parametrize("group", ["user", "stimuli"])
def test_a_command_on_a_database_that_is_up_to_date_needs_no_alembic(
    group: str, after: dict[str, set[str]]
) -> None:
    assert packages(after[f"{group} list"]).isdisjoint(STATISTICS | SERVICE)


def test_the_list_of_studies_reads_no_study_file_no_clip_and_no_model_of_a_table(
    after: dict[str, set[str]],
) -> None:
    assert packages(after["study list"]).isdisjoint(STATISTICS | SERVICE)
    modules = after["study list"] - after["every help"]
    assert "app.studies.summaries" in modules
    unneeded = (
        "sqlmodel",
        "sqlalchemy.orm",
        "app.core.database",
        "app.studies.tables",
        "app.tasks.registry",
        "app.tasks.pair.",
        "app.tasks.rating.",
        "app.tasks.game.",
        "app.tasks.walk.",
        "app.studies.file.load",
        "app.studies.file.yaml",
        "app.library.clips",
        "app.jobs.queue",
        "app.monitor",
    )
    assert not [name for name in modules if name.startswith(unneeded)]


def test_the_list_of_judges_loads_what_they_look_with_and_nothing_that_trains_them(
    after: dict[str, set[str]],
) -> None:
    assert packages(after["judge list"]).isdisjoint((STATISTICS | SERVICE) - {"numpy", "av"})


def test_numbers_of_files_need_no_database(tmp_path: Path) -> None:
    answers = tmp_path / "responses.parquet"
    write_crowd(answers, 60)
    (modules,) = imported(on(tmp_path / "data") + ran("analyze", str(answers), "--resamples", "0") + SHOW)
    assert "pandas" in packages(modules)
    # Tests of pingouin are computed, without its figures.
    unneeded = {"sqlalchemy", "sqlmodel", "sklearn", "duckdb", "polars", "matplotlib", "seaborn", "xarray"}
    assert packages(modules).isdisjoint(SERVICE | unneeded)
    assert not (tmp_path / "data").exists()


def test_a_report_of_a_file_needs_neither_the_database_nor_the_designs_of_studies(tmp_path: Path) -> None:
    answers, out = tmp_path / "responses.parquet", tmp_path / "report"
    write_crowd(answers, 60)
    words = ("report", str(answers), "--out", str(out), "--resamples", "0")
    small = "from analysis.figures import canvas\ncanvas.DPI = 30\n"  # what pictures look like is tested elsewhere
    (modules,) = imported(on(tmp_path / "data") + small + ran(*words) + SHOW)
    assert (out / "report.html").is_file()
    unneeded = {"sqlalchemy", "sqlmodel", "psycopg", "alembic", "fastapi", "uvicorn", "sklearn", "seaborn"}
    assert packages(modules).isdisjoint(unneeded)
    assert not [name for name in modules if name.startswith(("app.studies.", "app.trials.", "app.library."))]


def test_the_newest_revision_is_alembics() -> None:
    (folder,) = migrations.__path__
    config = Config()
    config.set_main_option("script_location", folder)
    assert newest_revision() == ScriptDirectory.from_config(config).get_current_head()


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_a_command_is_listed_with_the_first_line_of_its_own_help(name: str) -> None:
    command = cli.load(name)
    assert (command.help or "").splitlines()[0] == cli.COMMANDS[name].help


def test_the_version_is_printed() -> None:
    done = CliRunner().invoke(cli.app, ["--version"])
    assert (done.exit_code, done.output) == (0, f"likely-human {version('likely-human')}\n")


def test_a_name_that_is_no_command_is_refused_with_the_nearest() -> None:
    done = CliRunner().invoke(cli.app, ["stdy"])
    assert done.exit_code == 2
    assert "Did you mean 'study'?" in done.output


def test_a_service_that_has_started_has_no_number_crunching(served: tuple[Path, set[str]]) -> None:
    """The import contract says so of source; of `analysis` it has the reader of tables alone, which needs none."""
    assert "alembic" in packages(served[1]), "it has made the database"
    assert packages(served[1]).isdisjoint(STATISTICS | {"av"})
