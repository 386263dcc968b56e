"""People's matches replayed by agents: each match several times, each seat with the parameters of its own person.

As in the paper that proposed `sug`: distributions are those of all people, and a person's parameters are estimated in
one match and used on that person's seat of that match.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import StudyError
from app.tasks.game.agents.outside import Outside
from app.tasks.game.base import Agent, AnyGame, Player
from app.tasks.game.games import KITS
from app.tasks.game.match import match_seed
from app.tasks.game.replay import Replayed
from app.tasks.game.run import RunRequest, agents_of
from app.tasks.game.writing import InProcess

HABITS = "habits"
"""The parameter of an agent that is learned from all people."""


@dataclass(frozen=True, slots=True)
class Trace:
    """A match of agents: its number in their file, the number of the trace, and the match of people it imitates."""

    match: str
    trace: int
    of_match: str


@dataclass(frozen=True)
class Imitation(InProcess):
    """One agent in place of the people of some matches. It seats the players of `runs`, one run a match of people.

    `agent` is the agent as the records name it, and `seated` has, for each match of people, the one of each seat.
    """

    agent: Agent
    people: Sequence[Replayed]
    seated: Sequence[Sequence[Agent]]
    traces: int
    runs: Sequence[RunRequest]

    @property
    def name(self) -> str:
        return self.agent.name

    @property
    def is_fitted(self) -> bool:
        """True if any seat has parameters of its person."""
        given = parameters_of(self.agent)
        return any(parameters_of(agent) != given for seats in self.seated for agent in seats)

    def players(self, asked: RunRequest, match: str) -> Sequence[Player]:
        """A fresh player for each seat, with the parameters of the person who sat there."""
        # Matches are numbered through: the traces of one match of people follow one another.
        return [agent.player() for agent in self.seated[(int(match) - 1) // self.traces]]

    def trace_list(self) -> list[Trace]:
        """All matches in the order in which they are played."""
        pairs = [(one.id, trace) for one in self.people for trace in range(1, self.traces + 1)]
        return [Trace(str(number), trace, of_match) for number, (of_match, trace) in enumerate(pairs, 1)]


def imitations(
    game: AnyGame, people: Sequence[Replayed], agents: Sequence[str], traces: int, seed: int, path: Path
) -> list[Imitation]:
    """Each agent in place of the people of these matches of one game; `path` names where they are from.

    Raises StudyError for no agent, an agent named twice, one that is like the people (simulated, as they are), one that
    cannot play every seat of the game in this process, and for matches of several configurations where an agent learns
    from all of them.
    """
    asked = [_agent(game, people, text) for text in agents if text.strip()]
    if not asked:
        raise StudyError("--agents names no agent")
    names = [agent.name for agent in asked]
    kinds = {occupant for one in people for occupant in one.occupants.values()}
    if alike := [agent.name for agent in asked if agent.occupant in kinds]:
        raise StudyError(
            f"{alike[0]} is who played these matches: nothing would be compared; name other agents"
        )
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise StudyError(f"--agents names {', '.join(twice)} twice: its files would have one name")
    return [_imitation(game, people, _fitted(game, people, agent, path), traces, seed) for agent in asked]


def parameters_of(agent: Agent) -> dict[str, object]:
    """An agent's own parameters by name, without those learned from all people."""
    return {name: getattr(agent, name) for name in type(agent).model_fields if name != HABITS}


def _agent(game: AnyGame, people: Sequence[Replayed], text: str) -> Agent:
    for config in dict.fromkeys(one.match.config for one in people):
        [agent, *_] = agents_of(game, config, text)
    if isinstance(agent, Outside):
        raise StudyError(f"{agent.name} plays outside of this process; `game play` seats it")
    return agent


def _fitted(game: AnyGame, people: Sequence[Replayed], agent: Agent, path: Path) -> Agent:
    learn = KITS[game.name].learn
    if learn is None or HABITS not in type(agent).model_fields:
        return agent
    everybody = [(one.match.state, seat) for one in people for seat in sorted(one.occupants)]
    return agent.model_copy(update={HABITS: learn(everybody, f"{path.name}, each as one person")})


def _imitation(game: AnyGame, people: Sequence[Replayed], agent: Agent, traces: int, seed: int) -> Imitation:
    as_person = KITS[game.name].as_person
    seated, runs, n = [], [], 0
    for number, one in enumerate(people, 1):
        seats = len(one.occupants)
        own = [as_person(agent, n + seat) if as_person else agent for seat in range(seats)]
        n += seats
        seated.append(own)
        # Two matches of one configuration have other chance: each has a seed of its own.
        of_match = match_seed(seed, one.match.config, number)
        runs.append(RunRequest(game, [one.match.config], [agent] * seats, traces, of_match))
    return Imitation(agent, people, seated, traces, runs)
