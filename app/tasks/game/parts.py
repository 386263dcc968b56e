"""The parts of every game's page: frozen, laid out and in words; a template computes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, Literal

from app.core.money import money, number_text

MINUS, MISSING = "−", "–"


def amount(value: Fraction | int | str, *, signed: bool = False) -> str:
    """An amount in a game's units: thousands set apart, at most two decimals, a true minus sign."""
    if type(value) is int and value >= 0 and not signed:
        return number_text(value)
    exact = Fraction(value)
    cents = round(abs(exact) * 100)
    whole, rest = divmod(cents, 100)
    text = number_text(whole) if not rest else number_text(Decimal(cents) / 100, 2)
    # What rounds to zero has no sign.
    if exact < 0 and cents:
        return MINUS + text
    return f"+{text}" if signed and cents else text


@dataclass(frozen=True, slots=True)
class Clock:
    """The time until the server acts for missing players: the rest, as the server knows it, and the total.

    `mine`: it runs for the viewer. Pages count down from `remaining_ms`, so a browser's clock may be wrong.
    """

    remaining_ms: int
    total_ms: int
    warn_ms: int = 20_000
    mine: bool = True

    @property
    def seconds(self) -> int:
        """The seconds left, rounded up."""
        return max(0, -(-self.remaining_ms // 1000))

    @property
    def total(self) -> int:
        """The total seconds, at least those left."""
        return max(self.seconds, -(-self.total_ms // 1000), 1)

    @property
    def text(self) -> str:
        """`0:42`"""
        return f"{self.seconds // 60}:{self.seconds % 60:02}"

    @property
    def of(self) -> str:
        """`1:30`"""
        return f"{self.total // 60}:{self.total % 60:02}"

    @property
    def warns(self) -> bool:
        """True if little time is left."""
        return self.remaining_ms <= self.warn_ms


@dataclass(frozen=True, slots=True)
class Bonus:
    """The match's earnings in money so far; `full`: the cap is reached."""

    minor: int
    currency: str
    full: bool = False

    @property
    def text(self) -> str:
        """The amount as money."""
        return money(self.minor, self.currency)


@dataclass(frozen=True, slots=True)
class Rules:
    """A game's rules, a sentence or two each, in the order in which a player needs them."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact known to the viewer. `shape` is a player's mark (see `shape`)."""

    label: str
    value: str
    note: str = ""
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Chip:
    """An offer in short, between the viewer and a player: `says` explains mark, shape and number."""

    text: str
    shape: str
    number: int
    mark: str
    says: str


@dataclass(frozen=True, slots=True)
class Cell:
    """`bar` is a share of 0 to 100 drawn under the text; `mark` is `yes`, `no` or empty, drawn before it."""

    text: str
    shape: str = ""
    mark: str = ""
    bar: int | None = None
    chips: tuple[Chip, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; `own` is the viewer's, `quote` a message that went with it."""

    cells: tuple[Cell, ...]
    own: bool = False
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """`numeric` are the places of columns that hold numbers. Of a board, rows after the `newest` are folded."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    numeric: tuple[int, ...] = ()
    empty: str = ""
    newest: int = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark of a drawing: x and width in percent, y and height in pixels, a line from one corner to the other.
    `tone` is a class of the style sheet."""

    kind: Literal["line", "dot", "box", "text"]
    x: float
    y: float
    width: float = 0
    height: float = 0
    tone: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A small picture of the history; `says` is the same in a sentence."""

    title: str
    says: str
    height: int
    marks: tuple[Mark, ...]
    key: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """An option; `value` is what is posted."""

    value: str
    label: str
    note: str = ""
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Pick:
    """One of a few options, as cards."""

    kind: ClassVar[str] = "pick"
    name: str
    label: str
    options: tuple[Option, ...]
    value: str = ""
    error: str = ""
    note: str = ""
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Tell:
    """The consequence of an amount, shown while it is chosen: `offset` + `factor` x amount, decimals."""

    label: str
    factor: str
    offset: str = "0"


@dataclass(frozen=True, slots=True)
class Amount:
    """A whole number. With few steps it is one button for each; else a number field.

    `name` posts the amount itself; `rest-NAME` the rest of the maximum, if the amount divides that.
    """

    kind: ClassVar[str] = "amount"
    name: str
    label: str
    minimum: int
    maximum: int | None
    step: int = 1
    unit: str = ""
    note: str = ""
    tells: tuple[Tell, ...] = ()
    value: str = ""
    error: str = ""

    MOST_BUTTONS: ClassVar[int] = 21

    @property
    def buttons(self) -> tuple[int, ...]:
        """Every amount, if there are few; else none."""
        if self.maximum is None or (self.maximum - self.minimum) // self.step >= self.MOST_BUTTONS:
            return ()
        return tuple(range(self.minimum, self.maximum + 1, self.step))


@dataclass(frozen=True, slots=True)
class Text:
    """A message to the others, of so many characters at most."""

    kind: ClassVar[str] = "text"
    label: str
    max_length: int
    required: bool = False
    value: str = ""
    error: str = ""
    name: str = "message"


@dataclass(frozen=True, slots=True)
class Button:
    """A button that sends the move, with its own value if it has a name. Adjacent buttons have equal weight."""

    label: str
    name: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class MoveForm:
    """The viewer's possible action. `saying` is the button's text, with `{field}` replaced by the current choice.

    Posts `do=move`, `kind`, `phase_id` and the fields by name.
    """

    kind: str
    phase_id: str
    title: str
    fields: tuple[Pick | Amount | Text, ...]
    buttons: tuple[Button, ...]
    note: str = ""
    badge: str = ""
    shape: str = ""
    saying: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """A message that waits for the viewer's answer."""

    by: str
    text: str


@dataclass(frozen=True, slots=True)
class Face:
    """One seat's view of a match under way, as laid out by its game's presenter.

    `headline` is what to do or wait for, `waiting` the reason; `news` what has just happened; `facts` what the viewer
    knows; `quote` a message sent with what is to be answered. `over`: the viewer's own part has ended, and the match
    goes on without them.
    """

    headline: str
    round: str
    earned: Fraction | int
    unit: str
    you: Fact
    facts: tuple[Fact, ...] = ()
    news: tuple[str, ...] = ()
    quote: Quote | None = None
    form: MoveForm | None = None
    waiting: str = ""
    over: bool = False
    boards: tuple[Table, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    history: Table | None = None

    @property
    def total(self) -> str:
        """The match's earnings so far."""
        return amount(self.earned)


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a match, for one seat: sentences, and each player's result if the viewer may know it."""

    headline: str
    lines: tuple[str, ...]
    earned: Fraction | int
    unit: str
    you: Fact
    table: Table | None = None
    drawings: tuple[Drawing, ...] = ()
    history: Table | None = None

    @property
    def total(self) -> str:
        """The match's earnings."""
        return amount(self.earned)


SHAPES = ("circle", "square", "triangle", "diamond", "hexagon", "cross", "star", "drop")


def shape(seat: int) -> str:
    """The mark of a seat: the first eight differ, and say nothing about who sits there."""
    return SHAPES[(seat - 1) % len(SHAPES)]


@dataclass(frozen=True, slots=True)
class Entered:
    """A form that was not accepted, with its input and its errors by field."""

    form: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)

    def value(self, name: str) -> str:
        """The input."""
        return self.form.get(name, "")

    def error(self, name: str) -> str:
        """The error."""
        return self.errors.get(name, "")
