"""A run's players outside: its language model, its server of seats and its file of exchanges, opened and closed."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from app.core.chat import Chat, Server, Spending
from app.core.errors import StudyError
from app.core.exchanges import Exchanges, Keep
from app.core.settings import Settings
from app.tasks.game.agents.outside import ModelAgent, PullAgent, check_one_persona
from app.tasks.game.base import Agent, Player, Seat
from app.tasks.game.files import Played, agent_id
from app.tasks.game.outside.kept import Tally
from app.tasks.game.outside.model import ModelPlayer
from app.tasks.game.outside.prompts import presets
from app.tasks.game.outside.pull import PullPlayer, PullSeat
from app.tasks.game.run import RunRequest

FAREWELL_S, STOPPED_S = 5.0, 0.5
"""How long each program has to see that a run is over, and that one was stopped."""
Place = tuple[str, Seat]
"""A seat of a game."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Addresses of external players, and their limits: calls and tokens of all models of the run."""

    settings: Settings
    folder: Path
    calls: int
    tokens: int
    listen: str
    clock: Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Outsiders:
    """The players of a run of which some are external; programs by seat, models by agent."""

    models: Mapping[ModelAgent, Chat]
    programs: Mapping[Place, PullSeat]
    tallies: Mapping[ModelAgent, Tally]
    spending: Spending
    keep: Keep
    addresses: Mapping[Place, str]
    at_once: bool = True

    def players(self, asked: RunRequest, match: str) -> Sequence[Player]:
        """The players of one match, by seat."""
        return [self._player(asked, seat, agent, match) for seat, agent in enumerate(asked.agents, start=1)]

    def ended(self, played: Played) -> None:
        """Show programs how a match ended."""
        match, outcome = played.match, played.match.outcome
        for seat in range(1, len(played.agents) + 1):
            if outcome and (program := self.programs.get((match.game.name, seat))):
                view = match.game.view(match.state, seat)
                program.ended(played.id, outcome.reason, outcome.payoffs[seat - 1], view)

    def summary(self) -> Iterator[str]:
        """The tallies of their decisions, and the models' cost."""
        for agent, tally in self.tallies.items():
            yield f"{agent_id(agent)}: {tally.words()}"
        for (game, seat), program in self.programs.items():
            yield f"{game}, seat {seat}, {agent_id(program.agent)}: {program.tally.words()}"
        if self.models:
            yield f"language models: {self.spending.calls} calls, {self.spending.tokens} tokens"

    def _player(self, asked: RunRequest, seat: Seat, agent: Agent, match: str) -> Player:
        game = asked.game.name
        if program := self.programs.get((game, seat)):
            return PullPlayer(program, match)
        if not isinstance(agent, ModelAgent):
            return agent.player()
        who = {"match": match, "game": game, "agent": agent_id(agent)}
        return ModelPlayer(
            agent,
            self.models[agent],
            game,
            lambda line: self.keep({**who, **line}),
            self.tallies[agent],
        )


def named(runs: Sequence[RunRequest], settings: Settings) -> list[RunRequest]:
    """The same runs, where every language model has its name. Raises StudyError where one has none, or two personas."""
    for asked in runs:
        check_one_persona(asked.agents, asked.configs)
    return [replace(asked, agents=[with_name(agent, settings) for agent in asked.agents]) for asked in runs]


@contextmanager
def opened(runs: Sequence[RunRequest], terms: Terms) -> Iterator[Outsiders]:
    """The players of runs whose models have their names. Raises StudyError where one cannot be reached by its terms."""
    exchanges, spending = Exchanges(terms.folder, terms.clock), Spending(terms.calls, terms.tokens)
    with ExitStack() as stack:
        stack.callback(exchanges.close)
        models = {}
        for agent in dict.fromkeys(agent for asked in runs for agent in asked.agents):
            if isinstance(agent, ModelAgent):
                models[agent] = Chat(server_of(agent, terms.settings), spending)
                stack.callback(models[agent].close)
        programs = {
            (asked.game.name, seat): PullSeat(
                agent, asked.game.name, seat, presets().rules[asked.game.name], exchanges.keep
            )
            for asked in runs
            for seat, agent in enumerate(asked.agents, start=1)
            if isinstance(agent, PullAgent)
        }
        addresses = stack.enter_context(_served(programs, terms.listen)) if programs else {}
        tallies = {agent: Tally() for agent in models}
        outsiders = Outsiders(models, programs, tallies, spending, exchanges.keep, addresses)
        farewell = STOPPED_S
        try:
            yield outsiders
            farewell = FAREWELL_S
        finally:
            for program in programs.values():
                program.over(farewell)
                program.close()


@contextmanager
def _served(programs: Mapping[Place, PullSeat], listen: str) -> Iterator[Mapping[Place, str]]:
    """Serve the seats, and give the address of each."""
    from app.tasks.game.outside.server import seats_app, serving

    tokens = {secrets.token_urlsafe(16): place for place in programs}
    app = seats_app({token: programs[place] for token, place in tokens.items()})
    with serving(app, listen) as address:
        yield {place: f"{address}/api/seat/{token}" for token, place in tokens.items()}


def server_of(agent: ModelAgent, settings: Settings) -> Server:
    """The server of a model. Raises StudyError if none is set up."""
    if not settings.model_address:
        raise StudyError(
            "no language model is set up: LIKELY_HUMAN_MODEL_ADDRESS is its server, such as http://127.0.0.1:8080/v1"
        )
    key = settings.model_key.get_secret_value().strip()
    return Server(settings.model_address, key, agent.timeout, agent.retries, agent.backoff)


def with_name(agent: Agent, settings: Settings) -> Agent:
    """The same agent; a language model with its name. Raises StudyError where it has none."""
    if not isinstance(agent, ModelAgent) or agent.model:
        return agent
    if not settings.model_name:
        raise StudyError(
            "the language model has no name: set LIKELY_HUMAN_MODEL, or name it as model:model=NAME"
        )
    return agent.model_copy(update={"model": settings.model_name})
