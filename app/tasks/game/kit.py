"""The definition of a game in one object: a game is its folder, and this is the folder's export."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from app.tasks.game.any_game import records as any_records
from app.tasks.game.any_game import seen as any_seen
from app.tasks.game.base import Agent, AnyGame, GameConfig, Seat, Strict, View
from app.tasks.game.match import Match
from app.tasks.game.observed import Names, Observed
from app.tasks.game.presenters.base import Presenter
from app.tasks.game.record_decisions import Decision
from app.tasks.game.record_rounds import Played, RecordedMatch

Move = Mapping[str, Any]
Learner = Callable[[Sequence[tuple[Any, Seat]], str], Strict]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """One game. Omitted parts use the defaults for any game, from its views and moves; docs/new-game.md explains each.

    `game` are the rules. `title` is its name in the study editor, and `page` what participants see and read. `rules` is
    the text for language models; by default that of the page.
    """

    game: AnyGame
    title: str
    page: Presenter
    rules: str = ""
    family: str = ""
    """The name of games that are studied together, of which this is one."""
    phases: Mapping[str, str] = field(default_factory=dict)
    """The phases whose time can be set (`offer_s` for `offer`), and for what that time is: `an offer`."""
    round_name: str = "Round"
    agents: tuple[type[Agent], ...] = ()
    """Its own agents, besides those of every game; one named `simulated` stands for a person, on any seat."""
    fills: tuple[str, ...] = ("random",)
    """Who sits where a study names no agent, by seat in turn. No simulated person: studies with people have these."""
    learn: Learner | None = None
    """Fits the `habits` of its agents to people: last states and seats, and a name for where they are from."""
    as_person: Callable[[Agent, int], Agent] | None = None
    """The agent with the parameters of one person, by the person's place among those that its habits are learned from.
    An agent without parameters of a person comes back as it is."""
    personas: Mapping[str, str] = field(default_factory=dict)
    """Personas for language models, by name."""
    accepts: Callable[[Any, GameConfig, Seat, int], bool] | None = None
    """True where a seat that asks for so much accepts the offer that stands: for choices recorded as thresholds."""
    record: Callable[[RecordedMatch], Played] = any_records.record
    """All that a record shows of a match, from the view of a later judge."""
    decisions: Callable[[Match, RecordedMatch, Seat, Played], Iterator[Decision]] = any_records.decisions
    """The decisions of one seat in order. A move that the record of the seat does not show is none."""
    observe: Callable[[View, Names, Sequence[Fraction]], Observed] = any_seen.observe
    """All that those who run a study see at one moment, from the observer's view and the payoffs so far."""
    move_words: Callable[[Any, Names, Move], str] = any_seen.move_words
    """A move, or a draw of nature, in words after who made it; of the configuration and the seats' names."""

    @property
    def name(self) -> str:
        return self.game.name

    def rules_for_models(self) -> str:
        """The rules as language models read them."""
        view = self.game.view(self.game.initial(self.game.Config()), "record")
        return self.rules or "\n".join(self.page.rules(view).lines)
