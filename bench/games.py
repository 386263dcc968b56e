"""Matches per second on one core: `python -m bench.games [SECONDS]`, rule agents, every event hashed, nothing written.

Every game in its default configuration, every seat taken by the same agent; each agent plays for SECONDS
(2 unless given). Then what is done with a file of matches: writing all 1,320 configurations of GLEE, and reading and
measuring them. Processor time is counted, so what else the machine does matters little.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from app.tasks.game.agents.registry import agents_for
from app.tasks.game.base import Agent, AnyGame
from app.tasks.game.games import GAMES
from app.tasks.game.match import match_seed, play
from app.tasks.game.run import asked_for
from app.tasks.game.writing import write


def matches_per_second(game: AnyGame, agent: Agent, seconds: float) -> tuple[float, float]:
    """Matches, and events, per second of processor time."""
    config = game.Config()
    n_seats, n, events = len(game.seats(config)), 0, 0
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds:
        n += 1
        players = [agent.player() for _ in range(n_seats)]
        events += len(play(game, config, players, match_seed(1, config, n)).log)
    return n / spent, events / spent


def spent(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    start = time.process_time()
    work()
    return time.process_time() - start


def files(folder: Path) -> None:
    """Print what files of matches cost, as a table in Markdown."""
    from app.reports.games import Options, glee_models, groups_of, measures_compared, play_compared
    from app.reports.matches import read_matches

    def written(name: str, game: str, seats: str, config: str, matches: int) -> Path:
        asked = asked_for(game, [config], [seats], matches, 1)
        seconds = spent(lambda: write(asked, folder / name, lambda done, total, item: None))
        n = sum(len(one.configs) * matches for one in asked)
        print(f"| play {game} --config {config}, {n:,} matches | {seconds:.1f} |", flush=True)
        return folder / name / "moves.csv"

    print("| with files | seconds |\n|---|---|")
    written("glee", "glee", "random", "grid", 1)
    bargaining = written("bargaining", "glee-bargaining", "random", "grid", 2)
    people = written("people", "sug", "simulated", "grid", 20)
    agents = written("agents", "sug", "dba", "grid", 50)
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
        print(f"| {what} | {spent(work):.1f} |", flush=True)


def main(seconds: float) -> None:
    """Print two tables in Markdown."""
    print("| game | agent | matches per second | events per second |\n|---|---|---|---|")
    for game in GAMES.values():
        for agent in agents_for(game.name).values():
            matches, events = matches_per_second(game, agent(), seconds)
            print(f"| {game.name} | {agent.name} | {matches:,.0f} | {events:,.0f} |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        files(Path(folder))


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 2.0)
