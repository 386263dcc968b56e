"""The default measures of any game, in addition to its own metrics.

Signatures of play, distances of play, further measures, and the features for predicting decisions.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from analysis.signatures import Act
from analysis.signatures.play_signature import Given, PlaySignature, unordered_of
from app.tasks.game.base import Event, Seat
from app.tasks.game.match import Match
from app.tasks.game.match_files import Groups, MatchFile, Options, SeatPlayed
from app.tasks.game.moves import Choice, MoveSchema, Number
from app.tasks.game.replay import Replayed

# Only for types: the libraries that draw are imported where figures are made (decision 0006).
if TYPE_CHECKING:
    from analysis.figures import AnyFigure
    from analysis.games.sug_compare import PlayComparison

Features = Mapping[str, float | None]
NOTHING = float("nan")
QUARTERS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class Looking:
    """The seats of one game in a file, whose measures are wanted; `ending` ends the names of figures' files.

    `with_play`: distributions of play, too, where they are not compared between files. `draws`: figures are wanted.
    """

    file: MatchFile
    seats: Sequence[SeatPlayed]
    options: Options
    ending: str = ""
    with_play: bool = True
    draws: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """Measures as JSON by name, and figures."""

    whole: Mapping[str, Any] = field(default_factory=dict)
    figures: "Sequence[AnyFigure]" = ()


class GameReports:
    """The default reports of a game; a game's own class overrides any of these."""

    features: Callable[[Any, Seat], Features] | None = None
    """All that was known before an answer, from the state and the seat: for games whose answers are predicted."""

    def signatures(self, seats: Sequence[SeatPlayed]) -> Sequence[PlaySignature]:
        """Signatures of play: of each field of a move, given the seat's previous choice in it."""
        found: dict[str, PlaySignature] = {}
        for one in seats:
            for state, event in decided(one):
                for each in _own_of(one, state, event):
                    earlier = found.get(each.name)
                    if earlier is None or earlier.n_bins < each.n_bins:
                        found[each.name] = each
        return tuple(found.values())

    def acts(self, one: SeatPlayed) -> Iterator[Act]:
        """The seat's decisions with the preceding observation, by signature; default moves are left out."""
        last: dict[str, float] = {}
        for state, event in decided(one):
            schema = one.match.match.game.legal(state, one.seat)
            for name, chosen in _fields(schema, event):
                signature = _named(one, event, name.name)
                yield Act(signature, (last.get(signature, NOTHING),), chosen)
                last[signature] = chosen

    def measures(self, one: Replayed) -> Mapping[Seat, Mapping[str, float | None]]:
        """The game's own metrics of a match by seat; further measures follow, such as the published."""
        match = one.match
        found = {
            seat: {name: _float(value) for name, value in sorted(values.items())}
            for seat, values in match.game.metrics(match.config, match.events).items()
        }
        for seat, more in self.more_measures(match).items():
            found[seat] |= more
        return found

    def more_measures(self, match: Match) -> Mapping[Seat, Mapping[str, float | None]]:
        """Measures of a finished match besides the game's own metrics, by seat."""
        return {}

    def more(self, looking: Looking) -> Found:
        """Further output of `likely-human game metrics` for a file."""
        return Found()

    def against_people(self, files: Sequence[MatchFile], options: Options) -> Found:
        """Distances between the play in each file and that of the people in the first, for games that define them."""
        return Found()

    def play_compared(self, groups: Groups, options: Options) -> "PlayComparison | None":
        """The distances of play of two groups; None for a game that has none."""
        return None

    def play_figures(self, groups: Groups, play: "PlayComparison") -> "Sequence[AnyFigure]":
        """Figures of that comparison."""
        return ()


def decided(one: SeatPlayed) -> Iterator[tuple[Any, Event]]:
    """The moves that a seat made itself, each with the state before it."""
    match = one.match.match
    state = match.game.initial(match.config)
    for line in match.log:
        event = line.event
        if event.kind == "move" and event.seat == one.seat and not event.auto:
            yield state, event
        state = match.game.apply(state, event)


def _named(one: SeatPlayed, event: Event, field: str) -> str:
    return f"{one.match.match.game.name}-{event.move['kind']}-{field}-given-last"


def _fields(schema: MoveSchema, event: Event) -> Iterator[tuple[Number | Choice, float]]:
    """The countable fields of a move, with the choice: a share of the range, or an option's index."""
    for each in schema.kind(event.move["kind"]).fields:
        value = event.move[each.name]
        if isinstance(each, Choice):
            yield each, float(each.options.index(value))
        elif each.maximum is not None and each.maximum > each.minimum:
            yield each, (value - each.minimum) / (each.maximum - each.minimum)


def _own_of(one: SeatPlayed, state: Any, event: Event) -> Iterator[PlaySignature]:
    game = one.match.match.game
    for each, _ in _fields(game.legal(state, one.seat), event):
        name, title = _named(one, event, each.name), f"{event.move['kind']}: {each.name}, given the last one"
        if isinstance(each, Choice):
            n = len(each.options)
            given = Given("the option before, by its place", tuple(at + 0.5 for at in range(n - 1)))
            yield unordered_of(name, game.name, title, "share of choices", n, given)
        else:
            given = Given("the number before, of the range", QUARTERS)
            yield PlaySignature(name, game.name, title, "shares of the range", (given,), 0.0, 0.05, 21)


def _float(value: Fraction | float | None) -> float | None:
    return None if value is None else float(value)
