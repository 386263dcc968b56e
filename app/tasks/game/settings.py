"""The settings of a block of matches in a study file, and the block at run time."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, Field, ValidatorFunctionWrapHandler, WrapValidator, model_validator

from app.core.problems import Place, counted, listed
from app.core.widgets import Shape, Ways, Widget
from app.questions.base import Asked, Question
from app.tasks.game.agents.registry import agent_named, is_model, is_outside, outside_named
from app.tasks.game.base import Agent, AnyGame, GameConfig
from app.tasks.game.choosing import (
    SAMPLE,
    Configs,
    config_words,
    configs_by_unit,
    configs_of,
    fault_at,
    presets_of,
)
from app.tasks.game.form_words import IN_A_GAME_FILE, IN_FORMS
from app.tasks.game.games import GAMES, KITS, TITLES
from app.tasks.game.limits import check_deadlines
from app.tasks.game.sampling import Sample
from app.tasks.game.seating import Seats, check_agent, check_outside
from app.tasks.game.shaping import shape_of, ways_of, ways_of_seats
from app.tasks.game.terms import (
    CHECKS,
    ORDER,
    PARTS,
    TIDIES,
    BonusPay,
    Comprehension,
    Deadlines,
    Disclosure,
    Leaving,
    Matching,
    Messages,
    Models,
    ReasonAsked,
    Reasons,
    Text,
    Updates,
    with_checks,
)
from app.trials.attention import TIDIES as ATTENTION
from app.trials.attention import keys_of_attention, resolved_attention
from app.trials.design import Kind
from app.trials.lists import Keys, Reader
from app.trials.parts import CheckedDesign, CheckedSettings, UnitSpec
from app.trials.tidying import Tidy


def _registered(raw: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """A game that was registered later (in a test) is not among the first."""
    return raw if raw in GAMES else handler(raw)


if TYPE_CHECKING:
    GameName = str
else:
    GameName = Annotated[Literal[tuple(GAMES)], WrapValidator(_registered)]
HUMAN, ANY = "human", "any"
ALL_PEOPLE, NAMED = "all-people", "named"


class GameBlock(CheckedSettings):
    """A block in which people play matches, with each other and with agents."""

    begins_with: ClassVar[Mapping[str, Any]] = {"game": next(iter(GAMES))}
    forgets: ClassVar[Mapping[str, Sequence[str]]] = {
        "game": ("configs", "seats", "agent", "deadlines", "comprehension")
    }
    sections: ClassVar[Mapping[str, type[BaseModel]]] = PARTS
    lists: ClassVar[Sequence[Place]] = (CHECKS,)
    of_units: ClassVar[Sequence[str]] = ("game", "configs")
    in_forms: ClassVar[Mapping[str, str]] = IN_FORMS
    parameters: ClassVar[Mapping[str, Sequence[type[BaseModel]]]] = {
        "configs": [*dict.fromkeys(game.Config for game in GAMES.values()), Sample]
    }
    key_order: ClassVar[Sequence[str]] = ORDER
    tidies: ClassVar[Mapping[str, Tidy]] = {**TIDIES, **ATTENTION}

    task: Literal["game"] = Field(title="Matches of a game", description="Matches of a game, live.")
    game: Annotated[GameName, Widget(words=TITLES, settles=True)] = Field(
        title="Game", description="The game that is played."
    )
    configs: Configs = Field(
        default=({},),
        title="Configurations",
        description=f"The parameters of the game. {IN_A_GAME_FILE} Matches are balanced over them.",
    )
    seats: Seats = Field(
        default=(ANY,),
        title="Seats",
        description="Who sits on each seat, or one entry for all: `human`, `any` (a person, or an agent at the bound), "
        "or an agent as for `game play`, such as `adaptive:beta=0.2`.",
    )
    agent: Annotated[Text | None, Widget(is_rare=True)] = Field(
        default=None,
        title="Agent that takes a free seat",
        description="The agent that takes an `any` seat at the bound; one of the game's own unless said.",
    )
    rounds_per_person: Annotated[int, Field(ge=1, le=50), Widget(unit="matches", is_rare=True)] = Field(
        default=1,
        title="Matches for each participant",
        description="How many matches each participant plays, never with the same person twice.",
    )
    matching: Matching = Field(default=Matching(), title="Matching", description="How people come together.")
    deadlines: Deadlines = Field(
        default=Deadlines(), title="Time limits", description="How long people have for a move."
    )
    leaving: Leaving = Field(
        default=Leaving(), title="When somebody leaves", description="What happens when a player leaves."
    )
    messages: Messages = Field(
        default=Messages(), title="Messages", description="What may be written to the others."
    )
    comprehension: Comprehension = Field(
        default=Comprehension(),
        title="Questions on the rules",
        description="Questions about the rules before matching.",
    )
    models: Models | None = Field(
        default=None,
        title="Language models",
        description="What language models on its seats may cost, and who they are; without it none can take a seat.",
    )
    disclosure: Disclosure = Field(
        default="some-may-be-programs",
        title="What people are told of the other players",
        description="What players are told about the others: `some-may-be-programs`; `all-people`, refused where a "
        "program can take a seat; or `named`, which says of each seat whether an agent has it.",
    )
    bonus: BonusPay | None = Field(
        default=None, title="Payment", description="What a match pays; nothing unless said."
    )
    show_bonus: Annotated[bool, Widget(is_rare=True)] = Field(
        default=True,
        title="Show the earnings while the match goes on",
        description="Whether the bonus is shown as it grows.",
    )
    updates: Updates = Field(
        default="long-poll", title="How pages hear of the others", description="How pages hear of the others."
    )
    reasons: Reasons = Field(
        default="none",
        title="Reasons for moves",
        description="Whether people are asked with each move why they make it; the other players never see it, and a "
        "move that is made for somebody has none.",
    )

    @model_validator(mode="after")
    def _agrees_with_its_game(self) -> Self:
        configs = configs_of(self.game, self.configs)
        _check_seats(self, configs)
        check_deadlines(self.game, self.deadlines)
        _check_programs(self)
        return self

    @classmethod
    def ways(cls, key: str, keys: Mapping[str, Any]) -> Ways | None:
        """The ways to write the configurations of its game, and its seats."""
        if str(keys.get("game")) not in GAMES:
            return None
        return ways_of(keys) if key == "configs" else ways_of_seats(keys) if key == "seats" else None

    @classmethod
    def shape(cls, keys: Mapping[str, Any], study: Mapping[str, Any]) -> Shape:
        """The form as far as it depends on the game and on what it costs."""
        return shape_of(keys, study)

    @classmethod
    def n_units(cls, keys: Mapping[str, Any]) -> int:
        """The number of its configurations, as far as they are listed."""
        configs = keys.get("configs")
        return len(configs) if isinstance(configs, list) else 1

    @classmethod
    def with_lists(cls, keys: Keys, reader: Reader) -> Keys:
        return with_checks(keys, reader)

    def as_run(self, instructions: str | None, asked: Callable[[Asked], Question]) -> "GameDesign":
        """`sample` is how the configurations were chosen."""
        own = {name: getattr(self, name) for name in SETTINGS}
        own["sample"] = self.configs if isinstance(self.configs, Sample) else None
        configs = tuple(config.model_dump(mode="json") for config in configs_of(self.game, self.configs))
        own["attention"] = resolved_attention(self.attention, asked)
        return GameDesign(id=self.id, instructions=instructions, **own, task="game", configs=configs)

    @property
    def programs(self) -> tuple[str, ...]:
        """The keys by which a program can take a seat."""
        return programs_of(self)


def programs_of(block: "GameBlock | GameDesign") -> tuple[str, ...]:
    """The keys by which a program can take a seat of a block; none where all players are people."""
    return tuple(
        key
        for key, can in (
            ("seats", any(seat not in (HUMAN, ANY) for seat in block.seats)),
            ("matching.at_bound", can_fill(block)),
            ("leaving.then", block.leaving.then == "agent"),
        )
        if can
    )


def can_fill(block: "GameBlock | GameDesign") -> bool:
    """True where programs take the seats that are free when a wait reaches its bound."""
    return ANY in block.seats and block.matching.at_bound == "agents"


def _check_seats(block: GameBlock, configs: tuple[GameConfig, ...]) -> None:
    game = block.game
    sizes = sorted({len(GAMES[game].seats(config)) for config in configs})
    if len(block.seats) > 1 and sizes != [len(block.seats)]:
        words = listed([str(size) for size in sizes])
        raise fault_at(
            ("seats",),
            f"seats has {counted(len(block.seats), 'entry', 'entries')}, and the game has {words} seats",
            "write one entry for each seat, or one for all",
        )
    if all(seat not in (HUMAN, ANY) for seat in block.seats):
        raise fault_at(("seats",), "no person has a seat", "write `human` or `any` for one of the seats")
    n = len(block.seats) if len(block.seats) > 1 else sizes[0]
    named = [(at, block.seats[(at - 1) % len(block.seats)]) for at in range(1, n + 1)]
    left = fill_of(block.game, block.leaving.agent, 1) if block.leaving.agent else None
    for at, seat in sorted(named, key=lambda each: each[1] == ANY):
        if seat == HUMAN:
            continue
        text = seat
        place: Place = ("seats", (at - 1) % len(block.seats))
        if seat == ANY:
            text, place = fill_of(block.game, block.agent, at), ("agent",)
        if is_outside(text):
            check_outside(text, block.models, configs, place)
        else:
            check_agent(game, text, at, place)
    if left and is_outside(left):
        what = "a language model" if is_model(left) else "a program outside"
        raise fault_at(
            ("leaving", "agent"),
            f"leaving.agent is {what}",
            "name one that plays in the service: it always has a move",
        )
    if left:
        check_agent(game, left, None, ("leaving", "agent"))


def fill_of(game: str, named: str | None, seat: int) -> str:
    """The agent that fills a seat, as text: the one that is named, or the game's own."""
    fills = KITS[game].fills
    return named or fills[(seat - 1) % len(fills)]


def _check_programs(block: GameBlock) -> None:
    if block.disclosure == ALL_PEOPLE and block.programs:
        raise fault_at(
            ("disclosure",),
            f"disclosure all-people, and a program can take a seat ({', '.join(block.programs)})",
            "use some-may-be-programs; or `human` seats, and `leaving: {then: default}` or `end`",
        )


class GameDesign(CheckedDesign):
    """A block of matches as it is run. `configs` are whole, with every default."""

    noun: ClassVar[str] = "Match"
    nouns: ClassVar[str] = "Matches"

    task: Literal["game"]
    game: GameName
    configs: tuple[dict[str, Any], ...]
    seats: tuple[str, ...]
    agent: str | None = None
    rounds_per_person: int = 1
    matching: Matching = Matching()
    deadlines: Deadlines = Deadlines()
    leaving: Leaving = Leaving()
    messages: Messages = Messages()
    comprehension: Comprehension = Comprehension()
    models: Models | None = None
    disclosure: Disclosure = "some-may-be-programs"
    bonus: BonusPay | None = None
    show_bonus: bool = True
    updates: Updates = "long-poll"
    reasons: Reasons = "none"
    sample: Sample | None = None

    @property
    def has_partners(self) -> bool:
        """True where a match may have more than one person; one entry of `seats` is for all seats."""
        return len(self.seats) == 1 or sum(seat in (HUMAN, ANY) for seat in self.seats) > 1

    @property
    def n_together(self) -> int:
        sizes = (
            len(self.rules.seats(each)) for each in configs_by_unit(self.id, self.game, self.configs).values()
        )
        return max(sum(self.seat_word(at) in (HUMAN, ANY) for at in range(1, n + 1)) for n in sizes)

    def activity(self) -> str:
        return f"played matches of {TITLES[self.game]}"

    def keys(self) -> dict[str, Any]:
        """The block's own keys in a study file."""
        own: dict[str, Any] = self.model_dump(mode="json", include={*SETTINGS}, exclude_defaults=True)
        if checks := keys_of_attention(self.attention):
            own["attention"] = checks
        return {"game": self.game, **self._keys_of_configs(), "seats": list(self.seats), **own}

    def _keys_of_configs(self) -> dict[str, Any]:
        """The configurations as they were chosen: one by what differs from the defaults, a preset, a sample, a list."""
        if self.sample is not None:
            return {
                "configs": {
                    SAMPLE: self.sample.sample,
                    **self.sample.model_dump(mode="json", exclude_defaults=True),
                }
            }
        usual = GAMES[self.game].Config().model_dump(mode="json")
        if len(self.configs) == 1:
            given = {name: value for name, value in self.configs[0].items() if value != usual[name]}
            return {"configs": given} if given else {}
        for name, preset in presets_of(self.game).items():
            same = len(preset) == len(self.configs) and tuple(one.model_dump(mode="json") for one in preset)
            if same == self.configs:
                return {"configs": name}
        return {"configs": list(self.configs)}

    @property
    def rules(self) -> AnyGame:
        """The game."""
        return GAMES[self.game]

    @property
    def asked(self) -> tuple[Question, ...]:
        """No question of the study's: a match is answered by moves."""
        return ()

    @property
    def reason(self) -> ReasonAsked | None:
        """The question asked with each move; None if there is none."""
        is_required = self.reasons == "required"
        return None if self.reasons == "none" else ReasonAsked(self.messages.max_chars, is_required)

    @property
    def currency(self) -> str:
        """The currency in which matches and waits are paid."""
        return self.bonus.currency if self.bonus else BonusPay().currency

    def n_main(self, n_units: int) -> int:
        """The number of matches, independent of the number of configurations."""
        return self.rounds_per_person

    def config(self, unit: str) -> GameConfig:
        """The configuration of a unit by its name. Raises KeyError."""
        return configs_by_unit(self.id, self.game, self.configs)[unit]

    def seat_word(self, seat: int) -> str:
        """The study file's word for a seat."""
        return self.seats[seat - 1] if len(self.seats) > 1 else self.seats[0]

    def fill(self, seat: int) -> Agent:
        """The agent that has a seat, or takes it at the bound."""
        word = self.seat_word(seat)
        text = fill_of(self.game, self.agent, seat) if word in (HUMAN, ANY) else word
        if is_outside(text):
            return outside_named(text, self.models.settings if self.models else {})
        return agent_named(self.game, text)

    def stand_in(self, seat: int) -> Agent:
        """The service's agent for a seat if nobody outside is to be asked."""
        fill = self.fill(seat)
        return agent_named(self.game, fill_of(self.game, None, seat)) if is_outside(fill.name) else fill

    def successor(self, seat: int) -> Agent:
        """The agent that takes the seat of a player who left: one of the game's own if the named one cannot."""
        named = self.leaving.agent or (None if is_outside(self.agent) else self.agent)
        agent = agent_named(self.game, fill_of(self.game, named, seat))
        can = not agent.takes or seat in agent.takes
        return agent if can else agent_named(self.game, fill_of(self.game, None, seat))

    def unit_in_words(self, name: str, condition: str) -> tuple[str, str]:
        """A configuration in words: the values that it changes, and the title of its game. Its name is a hash."""
        return config_words(self.config(name)), KITS[self.game].page.title

    def units(self) -> tuple[UnitSpec, ...]:
        """The block's configurations."""
        return tuple(
            UnitSpec(name, f"{self.game} {name.rpartition(':')[2]}", Kind.MAIN, members={}, sha256={})
            for name in configs_by_unit(self.id, self.game, self.configs)
        )


SETTINGS = ("models", *(key for key in ORDER if key != "configs"))
