"""Matches per second on one core: `python -m bench games`, rule agents, every event hashed, nothing written.

Every game in its default configuration, every seat taken by the same agent; each agent plays for some seconds. Then the
work on a file of matches: writing all 1,320 configurations of GLEE ten times each, and reading and measuring some.
Processor time is counted, so that other load on the machine matters little; wall time is printed next to it.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from app.tasks.game.agents.registry import agents_for
from app.tasks.game.base import Agent, AnyGame
from app.tasks.game.games import GAMES
from app.tasks.game.match import match_seed, play
from app.tasks.game.run import asked_for
from app.tasks.game.writing import write

RULE_AGENTS = ("conceder", "conceder", "truthful,bayes-buyer")
"""Of bargaining, negotiation and persuasion."""


def lineups(game: AnyGame) -> Iterator[tuple[str, list[Agent]]]:
    """Each agent on every seat; if one cannot take all of them, `random` takes the rest."""
    seats = range(1, len(game.seats(game.Config())) + 1)
    found = agents_for(game.name)
    anybody = found["random"]()
    for agent in (each() for each in found.values()):
        takes = [not agent.takes or seat in agent.takes for seat in seats]
        name = agent.name if all(takes) else f"{agent.name}, against random"
        yield name, [agent if takes_it else anybody for takes_it in takes]


def matches_per_second(game: AnyGame, agents: Sequence[Agent], seconds: float) -> tuple[float, float]:
    """Matches, and events, per second of processor time."""
    config = game.Config()
    n, events = 0, 0
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds:
        n += 1
        players = [agent.player() for agent in agents]
        events += len(play(game, config, players, match_seed(1, config, n)).log)
    return n / spent, events / spent


def spent(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of processor time, and on the clock."""
    start, began = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - start, time.perf_counter() - began


def files(folder: Path) -> None:
    """Print what files of matches cost, as a table in Markdown."""
    from app.reports.games import groups_of, measures_compared
    from app.tasks.game.games.glee.reports import glee_models
    from app.tasks.game.games.sug.reports import play_compared
    from app.tasks.game.match_files import Options, read_matches

    def row(what: str, work: Callable[[], object]) -> None:
        processor, clock = spent(work)
        print(f"| {what} | {processor:.1f} | {clock:.1f} |", flush=True)

    def written(name: str, game: str, seats: Sequence[str], matches: int) -> Path:
        asked = asked_for(game, ["grid"], seats, matches, 1)
        n = sum(len(one.configs) * matches for one in asked)
        what = (
            f"play {game} --config grid --matches {matches} --seats {' --seats '.join(seats)}: {n:,} matches"
        )
        row(what, lambda: write(asked, folder / name, lambda done, total, item: None))
        return folder / name / "moves.csv"

    print("| with files | processor s | s on the clock |\n| --- | --- | --- |")
    written("glee", "glee", RULE_AGENTS, 10)
    bargaining = written("bargaining", "glee-bargaining", ["random"], 2)
    people = written("people", "sug", ["simulated"], 20)
    agents = written("agents", "sug", ["dba"], 50)
    groups = groups_of(read_matches(people), read_matches(agents), ("all", "all"))
    file = read_matches(bargaining)
    rows = {
        "read and replay 768 matches of glee-bargaining": lambda: read_matches(bargaining),
        "regressions of appendix D, 768 matches": lambda: glee_models(file, file.games[0]),
        "every measure of sug, 20 and 50 matches, 10,000 resamples": lambda: measures_compared(
            groups, Options()
        ),
        "distances of sug, 20 and 50 matches, 10,000 resamples": lambda: play_compared(groups, Options()),
    }
    for what, work in rows.items():
        row(what, work)


def measure_games(seconds: float) -> None:
    """Print two tables in Markdown: each agent plays for so long."""
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"Load averages before: {load}; this process uses one core.\n")
    print("| game | agent | matches per second | events per second |\n| --- | --- | --- | --- |")
    for game in GAMES.values():
        for name, agents in lineups(game):
            matches, events = matches_per_second(game, agents, seconds)
            print(f"| {game.name} | {name} | {matches:,.0f} | {events:,.0f} |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        files(Path(folder))
