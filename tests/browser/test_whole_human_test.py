"""A whole Navigation Turing Test: three people walk in Chromium by keys, their walks are compared with those of two
agents, ten people vote, and a judge that learnt from half of them is validated on the others."""

import csv
import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, expect

from app.cli.clips import import_manifest, walks
from app.cli.console import opened
from app.cli.judges import train_
from app.cli.judging import validate
from app.cli.loading import load
from app.cli.studies import open_study
from app.main import create_app
from app.serving import address_of, bind
from stimuli.clipset import make_set
from stimuli.scenes import Clip
from tests.browser.conftest import WAIT_MS
from tests.browser.walker import NO_LOCK, Keyboard
from tests.tasks.walk.walking import SLUG, load_walks

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.videos, pytest.mark.exhaustive]

N_WALKERS, N_WALKS, N_GOALS, N_JUDGES = 3, 1, 5, 10
AGENTS = ("hybrid", "symbolic")
N_HUMAN_AGENT = N_WALKERS * N_WALKS * N_GOALS * len(AGENTS)
N_PAIRS = N_HUMAN_AGENT + 2 * N_GOALS
RULES = "{width: 160, height: 120, fps: 15}"
STUDY = """\
study: human-test
title: Which walk looks human?
consent: {version: "1", text: "# Consent\\n\\nVoluntary.\\n"}
pairs: pairs.csv
trials:
  questions:
    - {id: choice, type: 2afc, ask: "Which video is more likely to be human?"}
    - {id: uncertainty, type: likert, ask: "How certain are you?", scale: uncertainty}
"""


def pairs_of(folders: Sequence[Path]) -> str:
    """Each person's walk against both agents in every scene; and the agents in each scene and in the next one."""
    manifests = [(folder / "manifest.csv").read_text().splitlines() for folder in folders]
    rows = [row for lines in manifests for row in csv.DictReader(lines)]
    agents = {(row["source"], row["scene"]): row["name"] for row in rows if row["source"] in AGENTS}
    scenes = sorted({scene for _, scene in agents})
    people = [row["name"] for row in rows if row["source"] == "human"]
    pairs = [(name, agents[source, scene]) for name in people for scene in scenes for source in AGENTS]
    pairs += [
        (agents["hybrid", scene], agents["symbolic", other])
        for number, scene in enumerate(scenes)
        for other in (scene, scenes[(number + 1) % N_GOALS])
    ]
    return "\n".join(["pair,a,b", *(f"p{number},{a},{b}" for number, (a, b) in enumerate(pairs))]) + "\n"


@contextmanager
def served() -> Iterator[str]:
    with opened() as (settings, database):
        bound = bind("127.0.0.1", 0)
        bound.listen()  # who comes before the service runs waits for it
        server = uvicorn.Server(uvicorn.Config(create_app(settings, database), log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        yield address_of(bound)
        server.should_exit = True
        thread.join()


def walk_all(browser: Browser, address: str, seed: int) -> None:
    """One person, from consent to the end."""
    context = browser.new_context(base_url=address)
    context.set_default_timeout(WAIT_MS)
    context.add_init_script(NO_LOCK)
    page = context.new_page()
    page.clock.install()
    page.goto(f"/s/{SLUG}")
    page.get_by_role("button", name="agree").first.click()
    for number in range(1, N_WALKS + 1):
        expect(page.get_by_role("heading", name=f"Walk {number} of {N_WALKS}")).to_be_visible()
        if number == 1:
            page.clock.pause_at(page.evaluate("Date.now()") + 1000)
        walker = Keyboard(page, seed)
        walker.start()
        walker.go()
    expect(page.get_by_text("WALKED")).to_be_visible()
    context.close()


def test_walks_in_the_browser_become_a_human_test_with_a_judge_that_learns(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with opened() as (_, database), database.transaction() as session:
        consent = {"version": "1", "text": "# Consent\n\nOthers see it.\n", "play_shown": True}
        load_walks(session, tmp_path, walks=N_WALKS, goals=N_GOALS, consent=consent)
    with served() as address:
        for seed in range(1, N_WALKERS + 1):
            walk_all(browser, address, seed)
    walks(SLUG, tmp_path / "people", mode="live", workers=2)
    planned = [Clip(source, goal, 1, 1) for source in AGENTS for goal in range(N_GOALS)]
    make_set(planned, tmp_path / "agents", 2, lambda done, total: None)
    (tmp_path / "rules.yaml").write_text(RULES)
    for folder in ("people", "agents"):
        import_manifest(tmp_path / folder / "manifest.csv", tmp_path / "rules.yaml", workers=2)
    (tmp_path / "pairs.csv").write_text(pairs_of([tmp_path / "people", tmp_path / "agents"]))
    (tmp_path / "study.yaml").write_text(STUDY)
    load(tmp_path / "study.yaml")
    open_study("human-test")
    # A process of its own: this one has the browser's event loop.
    program = Path(sys.executable).parent / "likely-human"
    of = ["simulate", "human-test", "-n", str(N_JUDGES), "--accuracy", "0.9"]
    subprocess.run([program, *of], check=True)
    model = tmp_path / "model"
    capfd.readouterr()
    train_("votes", "human-test", model, mode="simulated")
    said = capfd.readouterr()
    assert f"A judge of {N_JUDGES * N_PAIRS} votes on {N_PAIRS} pairs" in said.out
    assert "below 80" in said.err
    card = json.loads((model / "card.json").read_text())
    held_out = card["evaluation"]["human_agent"]
    assert held_out["n_pairs"] == N_HUMAN_AGENT
    assert held_out["label_accuracy"] >= 0.9
    with (model / "verdicts.csv").open(newline="") as file:
        verdicts = list(csv.DictReader(file))
    assert set(Counter(row["pair"] for row in verdicts).values()) == {10}  # repeats of the cross-fitting
    validate(["human-test"], model / "verdicts.csv", as_json=True, mode="simulated", resamples=0)
    found = json.loads(capfd.readouterr().out)
    (judge,) = found["judges"]
    everything = next(group for group in judge["groups"] if group["scope"] == "all")
    identity = everything["measures"]["identity_accuracy"]
    # Pairs across scenes are held out by leaving out both scenes, so that each has a verdict in every repeat.
    assert {run["n_abstained"] for run in judge["runs"]} == {0}
    assert not [row["problem"] for row in verdicts if row["problem"]]
    assert identity["corrected"]["n"] == N_HUMAN_AGENT
    assert identity["corrected"]["value"] >= 0.9
    assert 0.85 <= identity["ceiling"]["value"] <= 0.95
