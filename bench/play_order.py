"""The order of Table 1 of the paper that proposed the Social Ultimatum Game, in simulated people; the table of
docs/games.md.

`python -m bench.play_order [DRAWS]`: medians over so many draws (20), and the range without the smallest and largest.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median

from analysis.games.sug import Distances, Play, distances, play_of
from app.tasks.game.agents.registry import agents_for
from app.tasks.game.base import Agent
from app.tasks.game.games.sug.habits import SYNTHETIC, learned
from app.tasks.game.games.sug.rules import State, Sug
from app.tasks.game.match import match_seed, play

DRAWS = 20
SIZES: Mapping[int, int] = {60: 60, 7: 70}
"""Matches of people, and of each agent."""
NOISES = (0.0, 0.05)
FITTED = ("adaptive", "dba", "dbra", "gt")
_DIGITS = {"d_o": 3, "d_r": 3, "d_b": 2, "d_y8": 2}

Seats = Sequence[tuple[State, int]]


def agent_of(name: str, **parameters: object) -> Agent:
    return agents_for("sug")[name].model_validate(parameters)


def seats_of(agent: Agent, matches: int, seed: int) -> Seats:
    """All seats of so many matches of five, which the agent has all to itself."""
    game = Sug()
    config = game.Config()
    states: list[State] = [
        play(game, config, [agent.player() for _ in range(5)], match_seed(seed, config, number)).state
        for number in range(matches)
    ]
    return [(state, seat) for state in states for seat in range(1, 6)]


def play_in(seats: Seats) -> Play:
    return play_of([(state.history, seat) for state, seat in seats], 10)


def fitted(people: Seats, matches: int, seed: int) -> Mapping[str, Play]:
    """The play of agents that learnt from these people."""
    habits = learned(people, "simulated")
    agents = {name: agent_of(name, **({} if name == "gt" else {"habits": habits})) for name in FITTED}
    return {name: play_in(seats_of(agent, matches, seed)) for name, agent in agents.items()}


def drawn(noise: float, n_people: int, n_agents: int, number: int) -> Mapping[str, Distances]:
    """How far others are from newly drawn people: the same people, the true parameters, agents that learnt."""
    person = agent_of("simulated", noise=noise)
    people = seats_of(person, n_people, 3 * number)
    plays = {
        "the same people": play_in(seats_of(person, n_people, 3 * number + 1)),
        "true parameters": play_in(seats_of(agent_of("adaptive"), n_agents, 3 * number + 2)),
        **fitted(people, n_agents, 3 * number + 2),
    }
    reference = play_in(people)
    return {name: distances(reference, one) for name, one in plays.items()}


def lines(draws: int) -> Iterator[str]:
    """The table in Markdown, then in how many draws who was nearer by chains, and what the fit finds of parameters."""
    yield "| people | agent | dO | dR | dB | dY8 |"
    yield "|---|---|---|---|---|---|"
    nearer = []
    for noise in NOISES:
        for n_people, n_agents in SIZES.items():
            found = [drawn(noise, n_people, n_agents, number) for number in range(draws)]
            what = f"`noise={noise:g}`, {n_people} matches"
            for place, name in enumerate(found[0]):
                cells = [_cell([getattr(each[name], of) for each in found], of) for of in _DIGITS]
                called = f"`{name}`" if name in FITTED else name
                yield f"| {'' if place else what} | {called} | {' | '.join(cells)} |"
            for one, other in (("adaptive", "dba"), ("adaptive", "dbra"), ("dbra", "dba")):
                n = sum(each[one].d_y8 < each[other].d_y8 for each in found)
                nearer.append(f"- {what}: by dY8 `{one}` nearer than `{other}` in {n} of {draws}")
    yield from ("", *nearer)
    for noise in NOISES:
        habits = learned(seats_of(agent_of("simulated", noise=noise), max(SIZES), 0), "simulated")
        means = [
            f"{of} {fmean(getattr(one, of) for one in SYNTHETIC.people):.2f} is fitted as "
            f"{fmean(getattr(one, of) for one in habits.people):.2f}"
            for of in ("beta", "gamma")
        ]
        yield f"- `noise={noise:g}`: mean {' and '.join(means)}"


def _cell(values: Sequence[float], of: str) -> str:
    rising = sorted(values)
    middle, low, high = (
        f"{value:.{_DIGITS[of] if value < 10 else 1}f}" for value in (median(rising), rising[1], rising[-2])
    )
    return f"{middle} ({low} to {high})"


if __name__ == "__main__":
    for line in lines(int(sys.argv[1]) if len(sys.argv) > 1 else DRAWS):
        print(line, flush=True)
