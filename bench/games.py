"""Matches per second on one core: `python -m bench.games [SECONDS]`, rule agents, every event hashed, nothing written.

Every game in its default configuration, every seat taken by the same agent; each agent plays for SECONDS
(2 unless given). Processor time is counted, so what else the machine does matters little.
"""

import sys
import time

from app.tasks.game.agents.registry import agents_for
from app.tasks.game.base import Agent, AnyGame
from app.tasks.game.games import GAMES
from app.tasks.game.match import match_seed, play


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


def main(seconds: float) -> None:
    """Print a table in Markdown."""
    print("| game | agent | matches per second | events per second |\n|---|---|---|---|")
    for game in GAMES.values():
        for agent in agents_for(game.name).values():
            matches, events = matches_per_second(game, agent(), seconds)
            print(f"| {game.name} | {agent.name} | {matches:,.0f} | {events:,.0f} |", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 2.0)
