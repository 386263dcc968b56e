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

pytestmark = pytest.mark.slow

STATISTICS = {"numpy", "pandas", "scipy", "statsmodels", "pingouin", "matplotlib", "pyarrow", "sklearn"}
SERVICE = {"alembic", "mako", "fastapi", "starlette", "uvicorn", "jinja2", "av"}
DATABASE = {"sqlalchemy", "sqlmodel", "pydantic"}


def imported(code: str) -> set[str]:
    """The packages that a process of its own has imported after `code`."""
    shown = f"import sys\n{code}\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_help_imports_neither_database_nor_statistics_nor_service() -> None:
    packages = imported("from app.cli import app\napp(['--help'], standalone_mode=False)")
    assert "typer" in packages
    assert packages.isdisjoint(STATISTICS | SERVICE | DATABASE)


@pytest.mark.parametrize("module", sorted({listed.module for listed in cli.COMMANDS.values()}))
def test_a_commands_module_imports_neither_statistics_nor_service(module: str) -> None:
    assert imported(f"import app.cli.{module}").isdisjoint(STATISTICS | SERVICE)


def test_a_command_on_a_database_that_is_up_to_date_needs_no_alembic(tmp_path: Path) -> None:
    code = f"""
import os
os.environ |= {{"LIKELY_HUMAN_DATA": {str(tmp_path)!r}, "DATABASE_URL": ""}}
from app.cli import app
app(["study", "list"], standalone_mode=False)"""
    assert "alembic" in imported(code)
    assert imported(code).isdisjoint(STATISTICS | SERVICE)


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
