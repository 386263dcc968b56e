"""The order of Table 1 of the paper that proposed the Social Ultimatum Game, in simulated people; the table of
docs/games.md.

`python -m bench.play_order [DRAWS]`: medians over so many draws (20), and the range without the smallest and largest.
`python -m bench.play_order own [DRAWS]`: the same of 7 matches that agents imitate ten times, each seat with the
parameters of its own person, as `game imitate` does it.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median

from analysis.games.sug import Distances, Play, distances, play_of
from app.tasks.game.agents.registry import agents_for
from app.tasks.game.base import Agent
from app.tasks.game.games.sug.habits import SYNTHETIC, learned
from app.tasks.game.games.sug.rules import State, Sug
from app.tasks.game.imitating import imitations
from app.tasks.game.match import Match, match_seed, play
from app.tasks.game.replay import Replayed
from app.tasks.game.writing import played

DRAWS = 20
SIZES: Mapping[int, int] = {60: 60, 7: 70}
"""Matches of people, and of each agent."""
NOISES = (0.0, 0.05)
FITTED = ("adaptive", "dba", "dbra", "gt")
_DIGITS = {"d_o": 3, "d_r": 3, "d_b": 2, "d_y8": 2}

Seats = Sequence[tuple[State, int]]


def agent_of(name: str, **parameters: object) -> Agent:
    return agents_for("sug")[name].model_validate(parameters)


def matches_of(agent: Agent, matches: int, seed: int) -> list[Match]:
    """`matches` matches of five, with the agent in every seat."""
    game = Sug()
    config = game.Config()
    return [
        play(game, config, [agent.player() for _ in range(5)], match_seed(seed, config, number))
        for number in range(matches)
    ]


def seats_of(agent: Agent, matches: int, seed: int) -> Seats:
    """All seats of so many matches of five, which the agent has all to itself."""
    return all_seats(matches_of(agent, matches, seed))


def all_seats(matches: Sequence[Match]) -> Seats:
    return [(match.state, seat) for match in matches for seat in range(1, 6)]


def play_in(seats: Seats) -> Play:
    return play_of([(state.history, seat) for state, seat in seats], 10)


def fitted(people: Seats, matches: int, seed: int) -> Mapping[str, Play]:
    """The play of agents that learnt from these people."""
    habits = learned(people, "simulated")
    agents = {name: agent_of(name, **({} if name == "gt" else {"habits": habits})) for name in FITTED}
    return {name: play_in(seats_of(agent, matches, seed)) for name, agent in agents.items()}


def drawn(noise: float, n_people: int, n_agents: int, number: int) -> Mapping[str, Distances]:
    """The distances of others to newly drawn people: the same people, the true parameters, fitted agents."""
    person = agent_of("simulated", noise=noise)
    people = seats_of(person, n_people, 3 * number)
    plays = {
        "the same people": play_in(seats_of(person, n_people, 3 * number + 1)),
        "true parameters": play_in(seats_of(agent_of("adaptive"), n_agents, 3 * number + 2)),
        **fitted(people, n_agents, 3 * number + 2),
    }
    reference = play_in(people)
    return {name: distances(reference, one) for name, one in plays.items()}


def imitated(noise: float, n_people: int, traces: int, number: int) -> Mapping[str, Distances]:
    """The distances of agents to newly drawn people whose matches they play again, each seat with its own
    parameters.
    """
    matches = matches_of(agent_of("simulated", noise=noise), n_people, 3 * number)
    seats = dict.fromkeys(range(1, 6), "simulated")
    people = [Replayed(match, seats, str(at)) for at, match in enumerate(matches)]
    reference = play_in(all_seats(matches))
    found = {}
    for one in imitations(Sug(), people, FITTED, traces, 3 * number + 2, Path("simulated")):
        again = [trace.match for trace in played(one.runs, 0, one)]
        found[one.name] = distances(reference, play_in(all_seats(again)))
    return found


def own_lines(draws: int, traces: int = 10) -> Iterator[str]:
    """The rows of imitated matches, of 7 of people."""
    yield "| people | agent | dO | dR | dB | dY8 |"
    yield "|---|---|---|---|---|---|"
    for noise in NOISES:
        found = [imitated(noise, min(SIZES), traces, number) for number in range(draws)]
        for place, name in enumerate(found[0]):
            cells = [_cell([getattr(each[name], of) for each in found], of) for of in _DIGITS]
            what = f"`noise={noise:g}`, {min(SIZES)} matches"
            yield f"| {'' if place else what} | `{name}` | {' | '.join(cells)} |"
        for other in ("dba", "dbra"):
            n = sum(each["adaptive"].d_y8 < each[other].d_y8 for each in found)
            yield f"- `noise={noise:g}`: by dY8 `adaptive` nearer than `{other}` in {n} of {draws}"


def lines(draws: int) -> Iterator[str]:
    """The table in Markdown, then in how many draws each was nearer by chains, and the parameters the fit finds."""
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
    asked = sys.argv[1:]
    own = asked[:1] == ["own"]
    given = [int(text) for text in asked[own:]] or [DRAWS]
    for line in (own_lines if own else lines)(given[0]):
        print(line, flush=True)
