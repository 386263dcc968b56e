"""The page of a match, from the queue to its result: the data of its template, from one seat's view only.

A page is built from what its viewer may know and nothing else, so that hidden information changes no byte of it. Every
form posts `submit_id` and `do`: `answers` (comprehension questions by their ids), `leave`, `ready`, `move` (with
`kind`, `phase_id`, the move's fields by name and `message`), `return`, and `next` once the match is over.
"""

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from hashlib import sha256
from typing import ClassVar, Literal

from markupsafe import Markup

from app.core.language import current_language, noop
from app.core.language import gettext as _
from app.core.money import money
from app.core.templating import html_of, templates_age
from app.questions.base import QuestionView
from app.tasks.game.base import AnyGame, GameConfig, View
from app.tasks.game.games import presenter_of
from app.tasks.game.moves import MoveSchema
from app.tasks.game.parts import Bonus, Clock, Drawing, Ended, Entered, Face, Rules, Table, Text
from app.tasks.game.posted import REASON
from app.tasks.game.presenters.base import plural
from app.tasks.game.terms import ReasonAsked
from app.trials.pages import Page

Stage = Literal["questions", "waiting", "ready", "playing", "left", "result"]
Do = Literal["answers", "move", "ready", "again", "return", "next"]
AtBound = Literal["agents", "paid-exit", "wait-once-more"]
# Without a script, a page on which there is nothing to fill in comes again after so many seconds.
REFRESH_S = 4
NO_RULES = Rules("", ())


@dataclass(frozen=True, slots=True)
class Questions:
    """Comprehension questions before matching; `tries_left` counts for the open one."""

    stage: ClassVar[Stage] = "questions"
    questions: tuple[QuestionView, ...]
    tries_left: int
    tries: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """The wait for others: its `bound` in words, the pay for it, and what happens at the bound.

    `asks`: the bound has passed, and the viewer decides whether to wait once more (`again` while that lasts).
    `is_asked`: matched participants have to confirm first that they are present.
    """

    stage: ClassVar[Stage] = "waiting"
    bound: str
    pay: str
    paid: str
    at_bound: AtBound
    again: bool = False
    asks: bool = False
    is_asked: bool = True


@dataclass(frozen=True, slots=True)
class Ready:
    """Enough people are here, and each says within a few seconds that they are still there; `said`: this one has."""

    stage: ClassVar[Stage] = "ready"
    said: bool = False


@dataclass(frozen=True, slots=True)
class Playing:
    """The match under way. `leaving` is what happens to players who leave."""

    stage: ClassVar[Stage] = "playing"
    face: Face
    bonus: Bonus | None = None
    leaving: str = ""


@dataclass(frozen=True, slots=True)
class LeftMatch:
    """The viewer left the match, or was away too long; `may_return`: the seat is free, the button `back` retakes it."""

    stage: ClassVar[Stage] = "left"
    headline: str
    lines: tuple[str, ...]
    may_return: bool = False
    back: str = noop("Come back to the match")


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a match. `ended` is None if no match was played: then `lines` give the reason. `button` continues."""

    stage: ClassVar[Stage] = "result"
    headline: str
    lines: tuple[str, ...] = ()
    ended: Ended | None = None
    bonus: Bonus | None = None
    button: str = noop("Continue")


READY = Ready()
Body = Questions | Waiting | Ready | Playing | LeftMatch | Result


@dataclass(frozen=True, slots=True)
class PastRounds:
    """The rounds that are over. They are half of a page, and the same on several pages in a row."""

    template: ClassVar[str] = "game_past.html"
    drawings: tuple[Drawing, ...]
    history: Table | None


@lru_cache(maxsize=512)
def _past_html(past: PastRounds, _language: str, _age: float) -> Markup:
    return Markup(html_of(past))  # noqa: S704  (a template escapes what it is given)


@dataclass(frozen=True, slots=True)
class GamePage(Page):
    """A match at one of its stages. `key` identifies the trial within the session; `version` the visible content.

    `number` of `total` matches. `others` is the study's disclosure about the other players. `notices` report events of
    the match itself, such as a player leaving or an automatic move for the viewer.
    """

    template: ClassVar[str] = "game.html"
    is_form: ClassVar[bool] = False
    key: str = ""
    version: str = ""
    number: int = 1
    total: int = 1
    rules: Rules = NO_RULES
    updates: str = "long-poll"
    others: str = ""
    notices: tuple[str, ...] = ()
    clock: Clock | None = None
    body: Body = READY

    @property
    def stage(self) -> Stage:
        """The stage of the page."""
        return self.body.stage

    @property
    def label(self) -> str:
        """The number of the match and the total."""
        return _("Match {number} of {total}").format(number=self.number, total=self.total)

    @property
    def asks(self) -> Do | None:
        """The value of `do` that its first form posts, except leaving; None if the page only waits."""
        match self.body:
            case Questions():
                return "answers"
            case Playing(face=face) if face.form is not None:
                return "move"
            case Ready(said=False):
                return "ready"
            case Waiting(asks=True):
                return "again"
            case LeftMatch(may_return=True):
                return "return"
            case LeftMatch() | Result():
                return "next"
            case Playing(face=face) if face.over:
                return "next"
            case _:
                return None

    @property
    def acts(self) -> bool:
        """True if the viewer can act now, other than continuing from a match that is over."""
        return self.asks is not None and not (self.stage == "playing" and self.asks == "next")

    @property
    def past(self) -> Markup:
        """The past of a match under way."""
        assert isinstance(self.body, Playing)
        return _past_html(
            PastRounds(self.body.face.drawings, self.body.face.history), current_language(), templates_age()
        )

    @property
    def refresh_s(self) -> int:
        """After how many seconds the page comes again without a script; 0 where something could be filled in."""
        return 0 if self.acts and self.stage != "ready" else REFRESH_S

    @property
    def heading(self) -> str:
        """The title of the tab: above all whether it is the viewer's turn."""
        match self.body:
            case Playing() if self.acts:
                return _("Your turn")
            case Playing():
                return _("Please wait")
            case Ready() if self.acts:
                return _("Are you ready?")
            case Waiting() if self.acts:
                return _("No one yet: wait once more?")
            case Waiting() | Ready():
                return _("Waiting for others")
            case Questions():
                return _("A few questions about the rules")
            case LeftMatch() | Result():
                return self.body.headline


@dataclass(frozen=True, slots=True)
class GameState(GamePage):
    """The part of the page that changes while a match goes on, as a poll answers it."""

    template: ClassVar[str] = "game_state.html"


def state_html(page: GamePage) -> str:
    """The changing part of a page: the element `[data-state]` of `game.html`."""
    return html_of(GameState(**{each.name: getattr(page, each.name) for each in fields(page)}))


def with_version(page: GamePage) -> GamePage:
    """The page with its `version`: unchanged as long as its viewer sees the same, whatever the time."""
    seen = replace(page, submit_id="", version="", clock=page.clock and replace(page.clock, remaining_ms=0))
    return replace(page, version=sha256(repr(seen).encode()).hexdigest()[:16])


def rules_of(game: AnyGame, config: GameConfig, view: View | None = None) -> Rules:
    """The rules for one seat, or before seats are assigned: then without information for one seat."""
    return presenter_of(game.name).rules(view or game.view(game.initial(config), "record"))


def playing(
    game: str,
    view: View,
    legal: MoveSchema | None,
    *,
    bonus: Bonus | None = None,
    leaving: str = "",
    entered: Entered | None = None,
    reason: ReasonAsked | None = None,
) -> Playing:
    """A match under way; `legal` is None where the viewer may not act. `entered` is a form that was not accepted."""
    face = presenter_of(game).face(view, legal, entered or Entered())
    if face.form is not None and reason is not None:
        why = _why(reason, entered or Entered())
        face = replace(face, form=replace(face.form, fields=(*face.form.fields, why)))
    return Playing(face, bonus, leaving)


def _why(asked: ReasonAsked, entered: Entered) -> Text:
    """The field for the reason, after those of the move."""
    label = _("Why do you do this? The other players do not see it.")
    return Text(label, asked.max_length, asked.required, entered.value(REASON), entered.error(REASON), REASON)


def result(
    game: str,
    view: View,
    *,
    bonus: Bonus | None = None,
    lines: tuple[str, ...] = (),
    button: str = noop("Continue"),
) -> Result:
    """A match that is over by its rules; `lines` come before the game's own text about its end."""
    ended = presenter_of(game).ended(view)
    return Result(ended.headline, (*lines, *ended.lines), ended, bonus, button)


def unmatched(paid_minor: int, currency: str, why: str = "") -> Result:
    """The result if no partners were found within the time limit."""
    lines = [
        why
        or _(
            "There were not enough people at the same time, so this match could not begin. It is "
            "not your fault."
        )
    ]
    if paid_minor:
        lines.append(
            _("You are paid {paid_minor} for the time that you waited.").format(
                paid_minor=money(paid_minor, currency)
            )
        )
    return Result(_("No match this time"), tuple(lines))


def waiting(
    bound_s: int,
    waited_s: int,
    pay_minor_per_min: int,
    currency: str,
    at_bound: AtBound,
    *,
    again: bool = False,
    asks: bool = False,
    is_asked: bool = True,
) -> Waiting:
    """The wait for others, `waited_s` of at most `bound_s` seconds so far. Pay is given by full minutes, so that the
    page changes once a minute.
    """
    pay = (
        _("{pay_minor_per_min} a minute").format(pay_minor_per_min=money(pay_minor_per_min, currency))
        if pay_minor_per_min
        else ""
    )
    paid = money(pay_minor_per_min * (max(0, waited_s) // 60), currency) if pay_minor_per_min else ""
    return Waiting(duration(bound_s), pay, paid, at_bound, again, asks, is_asked)


def duration(seconds: int) -> str:
    """A time in words: `20 seconds`, `1 minute`, `2 minutes 30 seconds`."""
    parts = ((seconds // 60, "minute"), (seconds % 60, "second"))
    return " ".join(plural(n, unit) for n, unit in parts if n) or plural(0, "second")
