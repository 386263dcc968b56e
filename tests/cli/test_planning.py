"""`likely-human plan` as it is typed."""

import json
from inspect import Parameter, signature

import pytest
import typer
from typer.testing import CliRunner

from analysis.errors import AnalysisError
from analysis.planning import plan as library_plan
from app.cli.planning import plan

COMMAND = typer.Typer()
COMMAND.command()(plan)
QUICK = ["--from", "0.6", "--to", "0.8", "--simulations", "100", "--test", "mann-whitney"]


def test_it_prints_the_plan_and_no_progress_where_nobody_looks() -> None:
    done = CliRunner().invoke(COMMAND, [*QUICK, "--participants", "12", "--trials", "5"])
    assert done.exit_code == 0
    assert done.stdout.startswith("Planning: accuracy 0.6 against 0.8")
    assert "Simulating studies" not in done.stdout
    assert done.stderr == ""


def test_every_option_reaches_the_plan() -> None:
    options = (
        "--measure preference --design within --participants 12 --trials 5 --pairs 8 --same-pairs --power 0.9 "
        "--alpha 0.01 --participant-sd 0.7 --pair-sd 0.2 --seed 5 --json"
    )
    done = CliRunner().invoke(COMMAND, [*QUICK, *options.split()])
    assert done.exit_code == 0
    assert json.loads(done.stdout)["settings"] == {
        "measure": "preference",
        "design": "within",
        "share_from": 0.6,
        "share_to": 0.8,
        "participants": 12,
        "trials": 5,
        "pairs": 8,
        "own_pairs": False,
        "power": 0.9,
        "alpha": 0.01,
        "participant_sd": 0.7,
        "pair_sd": 0.2,
        "test": "mann-whitney",
        "simulations": 100,
        "seed": 5,
    }


def test_a_refusal_is_the_analysis_own() -> None:
    """Which the command line's `main` turns into one line and exit status 1."""
    done = CliRunner().invoke(COMMAND, ["--from", "1", "--to", "0.8", "--trials", "6"])
    assert isinstance(done.exception, AnalysisError)


def test_the_shares_are_required() -> None:
    assert CliRunner().invoke(COMMAND, ["--from", "0.5"]).exit_code == 2


@pytest.mark.parametrize("option", ["--participants", "--trials"])
def test_words_are_wrong_usage(option: str) -> None:
    assert CliRunner().invoke(COMMAND, [*QUICK, option, "many"]).exit_code == 2


def test_the_defaults_are_the_librarys() -> None:
    ours = {name: one.default for name, one in signature(plan).parameters.items()}
    theirs = {name: one.default for name, one in signature(library_plan).parameters.items()}
    shared = [name for name in theirs if name in ours and theirs[name] is not Parameter.empty]
    assert len(shared) == 13
    assert [ours[name] for name in shared] == [theirs[name] for name in shared]
