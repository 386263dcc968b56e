"""What a command imports before it does anything: most of the time that a start takes."""

import subprocess
import sys
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


def imported(code: str) -> set[str]:
    """The packages that a process of its own has imported after `code`."""
    return {name.partition(".")[0] for name in modules_after(code)}


def modules_after(code: str) -> list[str]:
    shown = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()


def test_help_imports_neither_database_nor_statistics_nor_service() -> None:
    packages = imported("from app.cli import app\napp(['--help'], standalone_mode=False)")
    assert "typer" in packages
    assert packages.isdisjoint(STATISTICS | SERVICE | DATABASE)


def test_no_commands_help_needs_database_or_statistics_or_service() -> None:
    modules = sorted({f"app.cli.{listed.module}" for listed in cli.COMMANDS.values()})
    packages = imported(f"import {', '.join(modules)}")
    assert packages.isdisjoint(STATISTICS | SERVICE | DATABASE)


def ran(folder: Path, *words: str) -> str:
    """The code that runs a command on a data folder."""
    return f"""
import os
os.environ |= {{"LIKELY_HUMAN_DATA": {str(folder)!r}, "DATABASE_URL": ""}}
from app.cli import app
app({list(words)}, standalone_mode=False)"""


@pytest.fixture(scope="module")
def up_to_date(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose database the list of studies has made, for which it took alembic and all tables."""
    folder = tmp_path_factory.mktemp("up_to_date")
    assert "alembic" in imported(ran(folder, "study", "list"))
    return folder


@pytest.mark.parametrize("group", ["user", "stimuli"])
def test_a_command_on_a_database_that_is_up_to_date_needs_no_alembic(group: str, up_to_date: Path) -> None:
    assert imported(ran(up_to_date, group, "list")).isdisjoint(STATISTICS | SERVICE)


def test_the_list_of_studies_reads_no_study_file_no_clip_and_no_model_of_a_table(up_to_date: Path) -> None:
    modules = modules_after(ran(up_to_date, "study", "list"))
    assert {name.partition(".")[0] for name in modules}.isdisjoint(STATISTICS | SERVICE)
    assert "app.studies.summaries" in modules
    unneeded = (
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


def test_the_list_of_judges_loads_what_they_look_with_and_nothing_that_trains_them(tmp_path: Path) -> None:
    packages = imported(ran(tmp_path, "judge", "list"))
    assert packages.isdisjoint((STATISTICS | SERVICE) - {"numpy", "av"})


def test_numbers_of_files_need_no_database(tmp_path: Path) -> None:
    answers = tmp_path / "responses.parquet"
    write_crowd(answers, 60)
    packages = imported(ran(tmp_path / "data", "analyze", str(answers), "--resamples", "0"))
    assert "pandas" in packages
    # Pingouin, whose tests are computed, brings matplotlib along.
    assert packages.isdisjoint(SERVICE | {"sqlalchemy", "sqlmodel", "sklearn", "duckdb", "polars"})
    assert not (tmp_path / "data").exists()


def test_the_newest_revision_is_alembics() -> None:
    (folder,) = migrations.__path__
    config = Config()
    config.set_main_option("script_location", folder)
    assert newest_revision() == ScriptDirectory.from_config(config).get_current_head()


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_a_command_is_listed_with_the_first_line_of_its_own_help(name: str) -> None:
    command = cli.load(name)
    assert (command.help or "").splitlines()[0] == cli.COMMANDS[name].help


def test_a_name_that_is_no_command_is_refused_with_the_nearest() -> None:
    done = CliRunner().invoke(cli.app, ["stdy"])
    assert done.exit_code == 2
    assert "Did you mean 'study'?" in done.output


def test_a_service_that_has_started_has_no_number_crunching_and_collects_as_python_does(
    tmp_path: Path,
) -> None:
    """The import contract says so of source. Commands set the thresholds of the garbage collector higher while they
    import; pages would be served with what was never looked at.
    """
    code = (
        f"import gc, os\nos.environ |= {{'LIKELY_HUMAN_DATA': {str(tmp_path)!r}, 'DATABASE_URL': ''}}\n"
        "before = gc.get_threshold()\n"
        "from app.cli import app\napp(['serve', '--help'], standalone_mode=False)\n"
        "assert gc.get_threshold() > before\n"
        "from app.core.serving import make_app\nmake_app()\nassert gc.get_threshold() == before"
    )
    assert imported(code).isdisjoint(
        STATISTICS | {"av"}
    )  # of `analysis` the reader of tables alone, which needs none
