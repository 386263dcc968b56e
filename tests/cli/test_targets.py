"""`likely-human study target`: places of a study that runs, at the command line."""

import csv
from collections.abc import Callable
from pathlib import Path

from tests.cli.test_import import run  # noqa: F401
from tests.program import Done

STUDY = """\
study: notes
title: Notes
consent: {version: '1', text: consent.md}
blocks:
  - id: rate
    task: rating
    items: items.csv
    questions:
      - {id: logic, type: likert, ask: "How logical?", labels: [low, middle, high]}
arms:
  - {id: slow, target: 30}
  - {id: fast, target: 30, set: {blocks.rate.questions.logic.ask: "Logical?"}}
"""


def test_target_shows_and_changes_places(run: Callable[..., Done], tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "study.yaml").write_text(STUDY)
    (tmp_path / "consent.md").write_text("# Consent\n")
    (tmp_path / "items.csv").write_text("item,text,condition\ni1,One.,human\ni2,Two.,agent\n")
    assert run("study", "load", "study.yaml").returncode == 0
    assert "notes: 0 of 60 completed, 0 under way." in run("study", "target", "notes").stdout
    changed = run(
        "study", "target", "notes", "40", "--arm", "slow", "--pause", "--ends", "2030-01-01T00:00Z"
    ).stdout
    assert "slow: 0 of 40, 0 active, paused" in changed
    assert "ends 2030-01-01 00:00 UTC" in changed
    assert "notes: 0 of 70" in changed
    assert "slow: 0 of 30, 0 active\n" in run("study", "target", "notes", "--from-file").stdout
    assert "closes it again" not in run("study", "open", "notes").stderr
    run("study", "target", "notes", "--ends", "2020-01-01T00:00Z")
    assert "closes it again within seconds: its last day is over" in " ".join(
        run("study", "open", "notes").stderr.split()
    )
    refused = run("study", "target", "notes", "5", "--arm", "none")
    assert refused.returncode == 1
    assert "There is no arm 'none'; there is slow and fast." in refused.stderr


def test_simulated_participants_are_spread_over_the_arms(run: Callable[..., Done], tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "study.yaml").write_text(STUDY)
    (tmp_path / "consent.md").write_text("# Consent\n")
    (tmp_path / "items.csv").write_text("item,text,condition\ni1,One.,human\ni2,Two.,agent\n")
    run("study", "load", "study.yaml")
    simulated = run("simulate", "notes", "-n", "6", "--seed", "1")
    assert simulated.returncode == 0, simulated.stderr
    assert (
        run(
            "export", "notes", "--what", "participants", "--mode", "simulated", "--out", "people.csv"
        ).returncode
        == 0
    )
    with (tmp_path / "people.csv").open(newline="") as file:
        arms = [row["arm"] for row in csv.DictReader(file)]
    assert sorted(arms) == ["fast"] * 3 + ["slow"] * 3
