"""The parts of a block of matches in a study file: waiting, time, leaving, messages, a test of the rules, money."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, WithJsonSchema, create_model, model_validator

from app.core.problems import Place, quoted
from app.core.rowfiles import RowFile, rows_under, stands_inline
from app.core.widgets import Widget
from app.questions.base import Label, Options, Part, QuestionId, rule_error
from app.tasks.game.agents.outside import ModelAgent
from app.tasks.game.games import phases
from app.trials.lists import Keys, Reader
from app.trials.tidying import Tidy, plain, section, whole, yes_or_no

AtBound = Literal["agents", "paid-exit", "wait-once-more"]
Then = Literal["agent", "default", "end"]
Screen = Literal["contact", "links"]
Reasons = Annotated[
    Literal["none", "optional", "required"],
    Widget(
        words={"none": "Nobody is asked", "optional": "Where they like", "required": "With every move"},
        is_rare=True,
    ),
]
Disclosure = Annotated[
    Literal["some-may-be-programs", "all-people", "named"],
    Widget(
        words={
            "some-may-be-programs": "“Some of the others may be programs”",
            "named": "Who is a program, seat by seat",
            "all-people": "“All others are people”",
        },
        is_open=True,
    ),
]
Updates = Annotated[
    Literal["long-poll", "server-sent-events"],
    Widget(
        words={
            "long-poll": "They ask again and again (long polling)",
            "server-sent-events": "Over a connection that stays open (server-sent events)",
        },
        is_rare=True,
    ),
]
Seconds = Annotated[int, Field(ge=1, le=86_400)]
Minor = Annotated[int, Field(ge=0, le=10_000_000)]
Text = Annotated[str, Field(min_length=1, max_length=400)]
SECONDS = Widget(unit="seconds")


# What a message may not have, by the words of a study file.
SCREENS: Mapping[str, tuple[re.Pattern[str], str]] = {
    "links": (
        re.compile(r"https?:|www\.|\b[\w-]+\.(?:com|org|net|io|de|uk|me|gg)\b", re.IGNORECASE),
        "Please write no links.",
    ),
    "contact": (
        re.compile(r"[\w.+-]+@[\w-]+\.\w+|(?:\+?\d[\s().-]?){8,}"),
        "Please write no email addresses or telephone numbers.",
    ),
}


class Models(Part):
    """Language models on seats of live matches: who they are, and the most that they may cost."""

    calls: Annotated[int, Field(ge=1, le=1_000_000), Widget(unit="calls")] = Field(
        title="Calls, at most", description="Calls of a model's server in all matches of a version, at most."
    )
    tokens: Annotated[int, Field(ge=1, le=1_000_000_000), Widget(unit="tokens")] = Field(
        title="Tokens, at most", description="Tokens of these calls, at most, prompts and replies together."
    )
    settings: Annotated[dict[str, Any], Widget(fields=ModelAgent)] = Field(
        default={},
        title="Settings of the models",
        description="Parameters of every agent `model` of this block, as for `game play`: `model`, `persona`, "
        "`temperature`, `system` and so on.",
    )


class Matching(Part):
    """Waiting for others, and what ends it."""

    wait_max_s: Annotated[Seconds, SECONDS] = Field(
        default=300,
        title="Wait for other players at most",
        description="The longest wait for others, in seconds.",
    )
    ready_s: Annotated[int, Field(ge=0, le=600), SECONDS] = Field(
        default=15,
        title="To say that one is there",
        description="Time to confirm presence before a match begins; 0 skips the check.",
    )
    at_bound: Annotated[
        AtBound,
        Widget(
            words={
                "agents": "Agents take the free seats",
                "paid-exit": "Paid exit",
                "wait-once-more": "Wait once more, then paid exit",
            },
            is_open=True,
            settles=True,
        ),
    ] = Field(
        default="agents",
        title="If nobody comes",
        description="What happens after a wait of `wait_max_s`: `agents` take the seats that are free, `paid-exit` "
        "goes on without a match, `wait-once-more` offers the same time again, then goes on.",
    )
    wait_pay_minor_per_min: Annotated[Minor, Widget(unit="a minute", is_money=True)] = Field(
        default=0,
        title="Pay for waiting",
        description="Pay for a minute of waiting, in minor units of the currency.",
    )


class _Deadlines(Part):
    default_s: Annotated[Seconds, SECONDS] = Field(
        default=90,
        title="For any other move",
        description="Seconds for a move in a phase that has no key here.",
    )

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases whose time is set."""
        names = [name for name in type(self).model_fields if name not in ("default_s", "warn_at_s")]
        return tuple(name.removesuffix("_s") for name in names if getattr(self, name) is not None)

    def seconds(self, phase: str) -> int:
        """The time for a phase by its name."""
        given: int | None = getattr(self, f"{phase}_s", None)
        return given if given is not None else self.default_s


_WARNS: Any = Field(
    default=20,
    title="Warn before the end",
    description="So many seconds before its deadline, a page warns of it.",
)

if TYPE_CHECKING:

    class Deadlines(_Deadlines):
        """Times to think, by phase: `offer_s` for the phase `offer`, for each phase of the games there are."""

        warn_at_s: Seconds = 20

else:
    # A field for each phase of the games there are, which only a running program knows.
    Deadlines = create_model(
        "Deadlines",
        __base__=_Deadlines,
        __doc__="Times to think, by phase.",
        __module__=__name__,
        **{
            f"{phase}_s": (
                Annotated[Seconds | None, SECONDS],
                Field(default=None, title=f"For {name}", description=f"Seconds for {name} ({games})."),
            )
            for phase, (name, games) in phases().items()
        },
        warn_at_s=(Annotated[Seconds, SECONDS], _WARNS),
    )


class Leaving(Part):
    """Leaving a match: by saying so, by two automatic moves in a row, or by going offline."""

    grace_s: Annotated[Seconds, SECONDS] = Field(
        default=45,
        title="Silence that counts as leaving",
        description="How long a polling browser may be silent before its player counts as having left.",
    )
    then: Annotated[
        Then,
        Widget(
            words={
                "agent": "An agent takes the seat",
                "default": "The game’s default moves are made for it",
                "end": "The match ends; all keep what they earned",
            },
            is_open=True,
            settles=True,
        ),
    ] = Field(
        default="agent",
        title="The seat of who has left",
        description="`agent` takes the seat, `default` plays the game's default moves, `end` ends the match; the "
        "others keep what they have earned.",
    )
    agent: Text | None = Field(
        default=None,
        title="Agent that takes the seat",
        description="The agent that takes the seat, as for `game play`; one of the game's own unless said, and where "
        "it cannot take that seat.",
    )
    may_return: bool = Field(
        default=True,
        title="Who has left may come back",
        description="Whether who left may come back to the seat during the match.",
    )


class Messages(Part):
    """Bounds of messages."""

    max_chars: Annotated[int, Field(ge=1, le=4000), Widget(unit="characters")] = Field(
        default=400,
        title="Longest message",
        description="Longest message, in characters; no longer than the configuration's `max_length`. Of a "
        "person's reason for a move, too.",
    )
    screen: Annotated[
        tuple[Screen, ...],
        Widget(words={"contact": "Email addresses and telephone numbers", "links": "Links"}, is_boxes=True),
    ] = Field(
        default=(),
        title="Refuse in messages",
        description="What a message or a reason may not have: `contact` (email addresses and telephone numbers), "
        "`links`.",
    )

    def refusal(self, message: str) -> str:
        """The reason for refusing a message with forbidden content; empty if it is allowed."""
        screens = (SCREENS[name] for name in self.screen)
        return next((says for pattern, says in screens if pattern.search(message)), "")


@dataclass(frozen=True, slots=True)
class ReasonAsked:
    """The question why a move is made, which goes with the move; no other player sees the answer."""

    max_length: int
    required: bool


class Checked(Part):
    """A question on the rules, with its answer."""

    named: ClassVar[str] = "rule_"
    noun: ClassVar[str] = "question"

    id: Annotated[QuestionId, Widget(is_short=True)] = Field(
        title="Name in the data", description="Names the question; each its own."
    )
    ask: Text = Field(title="Question", description="The question as the participant reads it.")
    options: Options = Field(title="Options, one per line", description="2 to 50 different options.")
    answer: Label = Field(title="Right answer", description="The option that is right.")

    @classmethod
    def gist(cls, keys: Mapping[str, Any]) -> str:
        """The question and its right answer."""
        asked = " ".join(str(keys.get("ask") or "").split()) or "no words yet"
        return f"{asked} · {keys.get('answer') or 'no answer yet'}"

    @model_validator(mode="after")
    def _answer_is_an_option(self) -> Self:
        if self.answer not in self.options:
            raise rule_error(
                f"the answer {quoted(self.answer)} is not among the options", "write it as there"
            )
        return self


CHECKS: Place = ("comprehension", "questions")
CHECK_COLUMNS = ("id", "ask", "options", "answer")
BETWEEN_OPTIONS = "|"
_QUESTIONS = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "maxItems": 20, "items": Checked.model_json_schema()},
    ]
}


def read_checks(
    file: str, text: str, first_line: int = 1, *, by_row: bool = False
) -> tuple[RowFile, list[dict[str, Any]]]:
    """Comprehension questions from CSV, in the form of a study file; the first result has the rows' faults."""
    found = RowFile(file, first_line, by_row)
    questions = [
        {**row, "options": [option.strip() for option in row["options"].split(BETWEEN_OPTIONS)]}
        for _, row in rows_under(found, text, CHECK_COLUMNS, CHECK_COLUMNS)
    ]
    return found, questions


def with_checks(keys: Keys, reader: Reader) -> Keys:
    """A block's keys with the questions on the rules read from CSV, where they stand in one."""
    test = keys.get("comprehension")
    stands = reader.rows_at(CHECKS, test.get("questions")) if isinstance(test, dict) else None
    if test is None or stands is None:
        return keys
    found, questions = read_checks(stands.file, stands.text, stands.first_line, by_row=stands.by_row)
    reader.refuse_rows(CHECKS, found)
    return {**keys, "comprehension": {**test, "questions": questions}}


class Comprehension(Part):
    """A test of the rules."""

    questions: Annotated[tuple[Checked, ...], WithJsonSchema(_QUESTIONS)] = Field(
        default=(),
        max_length=20,
        title="Questions",
        description="The questions; none are asked where there are none. Or a CSV file with the columns `id`, `ask`, "
        "`options` (with `|` between them) and `answer`.",
    )
    tries: Annotated[int, Field(ge=1, le=20), Widget(unit="times")] = Field(
        default=3,
        title="May be answered",
        description="How often the answers may be given; who has none right then plays no match.",
    )

    @model_validator(mode="after")
    def _ids_differ(self) -> Self:
        ids = [question.id for question in self.questions]
        twice = next((id_ for id_ in ids if ids.count(id_) > 1), None)
        if twice is not None:
            raise rule_error(f"two questions have the id {quoted(twice)}", "give each its own")
        return self


class BonusPay(Part):
    """Conversion of a payoff to money."""

    minor_per_unit: Annotated[
        float, Field(gt=0, le=1_000_000, allow_inf_nan=False), Widget(is_money=True)
    ] = Field(
        default=1.0,
        title="1 point is worth",
        description="Minor units of the currency for one unit of the game, such as 0.02.",
    )
    cap_minor: Annotated[Minor | None, Widget(is_money=True, unit="a person")] = Field(
        default=None, title="A match pays at most", description="The most that one match pays."
    )
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$"), Widget(is_short=True, settles=True)] = Field(
        default="GBP", title="Currency", description="ISO 4217, such as `GBP`."
    )

    def minor(self, payoff: Fraction) -> int:
        """The bonus for a payoff: rounded half up to whole minor units, never below 0 nor above the cap."""
        # By its decimal text, as Fraction(0.02) is the nearest double and not quite 0.02.
        exact = max(Fraction(0), payoff * Fraction(str(self.minor_per_unit)))
        # Not round(), which takes the even number at a half.
        earned = int(exact + Fraction(1, 2))
        return earned if self.cap_minor is None else min(earned, self.cap_minor)


PARTS: Mapping[str, type[Part]] = {
    "matching": Matching,
    "deadlines": Deadlines,
    "leaving": Leaving,
    "messages": Messages,
    "comprehension": Comprehension,
    "bonus": BonusPay,
}
"""The parts of a block by their keys."""


def _checks(value: Any) -> Any:
    """Comprehension questions as a list, parsed from CSV if necessary and possible."""
    if not isinstance(value, str) or not stands_inline(value):
        return value
    found, questions = read_checks("", value, by_row=True)
    return value if found.problems else questions


ORDER = (
    *(
        "game",
        "configs",
        "seats",
        "agent",
        "rounds_per_person",
        "matching",
        "deadlines",
        "leaving",
        "messages",
    ),
    *("comprehension", "disclosure", "bonus", "show_bonus", "updates", "reasons"),
)
"""The order of a block's own keys in a study file."""
TIDIES: Mapping[str, Tidy] = {
    "rounds_per_person": whole,
    "show_bonus": yes_or_no,
    "comprehension": lambda value: section(
        value, ("questions", "tries"), {"tries": whole, "questions": _checks}
    ),
    **dict.fromkeys(("configs", "matching", "deadlines", "leaving", "messages", "bonus"), plain),
}
"""The conversions of a draft's values, by the keys of a block."""
