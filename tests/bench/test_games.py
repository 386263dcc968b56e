"""The bench of games: every agent has a seat that it can take, and every line-up plays to the end."""

import pytest

from app.tasks.game.agents.registry import agents_for
from app.tasks.game.games import GAMES
from app.tasks.game.match import match_seed, play
from app.tasks.game.run import asked_for
from bench.games import RULE_AGENTS, lineups


@pytest.mark.slow
def test_every_agent_is_measured_on_seats_that_it_can_take() -> None:
    for game in GAMES.values():
        config = game.Config()
        found = list(lineups(game))
        assert [name.partition(",")[0] for name, _ in found] == list(agents_for(game.name))
        for name, agents in found:
            seats = enumerate(agents, start=1)
            assert all(not agent.takes or seat in agent.takes for seat, agent in seats), name
            players = [agent.player() for agent in agents]
            assert play(game, config, players, match_seed(1, config, 1)).outcome, name


def test_the_grid_is_that_of_glee_with_rule_agents() -> None:
    asked = asked_for("glee", ["grid"], RULE_AGENTS, 10, 1)
    assert sum(len(one.configs) for one in asked) == 1320
    assert {agent.occupant for one in asked for agent in one.agents} == {"rule"}
