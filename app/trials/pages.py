"""What each participant's page is given: frozen, complete, and free of anything that tells a source.

A template sees one of these and nothing else (no table row ever reaches a template).
"""

from dataclasses import dataclass
from typing import ClassVar

from app.questions.base import QuestionView


@dataclass(frozen=True, slots=True)
class Page:
    """What every page has.

    `done` of `steps` pages are behind the participant (for the progress bar). `submit_id` names this page and
    this serving of it, and goes back with the form. `notice` is said once, above the page. `error` heads a
    form that the server could not accept. `preview` is where an experimenter goes back to who walks the pages.
    """

    template: ClassVar[str]
    study_title: str
    action: str
    submit_id: str
    done: int
    steps: int
    notice: str = ""
    error: str = ""
    preview: str = ""

    stop_label: ClassVar[str] = "Stop and delete my answers"

    @property
    def stop_at(self) -> str:
        """Where somebody stops and has their answers deleted; empty where there are none."""
        return f"{self.action}/stop" if self.action.startswith("/p/") else ""


@dataclass(frozen=True, slots=True)
class ConsentPage(Page):
    """Posts `decision` = `agree` | `refuse` and, where `minimum_age` is set, `of_age` = `yes` | `no`.

    With `plays_clips` it tries first whether this browser can play them. `minutes` and `pay` are what the study says
    of its length and its pay.
    """

    template: ClassVar[str] = "consent.html"
    html: str = ""
    version: str = ""
    minimum_age: int | None = None
    plays_clips: bool = True
    minutes: int | None = None
    pay: str = ""
    age_error: str = ""

    @property
    def stop_at(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class QuestionsPage(Page):
    """Questions about oneself: each posts under its own id. `html` is above them in place of the usual heading."""

    template: ClassVar[str] = "questions.html"
    questions: tuple[QuestionView, ...] = ()
    html: str = ""


@dataclass(frozen=True, slots=True)
class TextPage(Page):
    """Instructions: text and a button to go on."""

    template: ClassVar[str] = "text.html"
    html: str = ""


@dataclass(frozen=True, slots=True)
class EndPage(Page):
    """The last page, and every other way out: the code or the way back to the recruiter first, then what is said.

    `label` names it beside the progress bar, which is there for sessions that had begun (`steps`). `why` is what
    happened, `html` the study's own words. `earned` has lines of label and amount, `pay` what the study promised.
    `close` comes last. `code_label` stands over the code. `link` (with `link_label`) is a way back in, where there is
    one. `receipt` is the code with which the answers can be deleted later, at the address `receipt_at`, written whole
    as people note it; `stop` is where that is done at once.
    """

    template: ClassVar[str] = "end.html"
    stop_label: ClassVar[str] = "Delete my answers"
    label: str = ""
    title: str = ""
    why: str = ""
    html: str = ""
    code: str = ""
    code_label: str = ""
    redirect: str = ""
    pay: str = ""
    earned: tuple[tuple[str, str], ...] = ()
    contact: str = ""
    close: str = ""
    link: str = ""
    link_label: str = ""
    receipt: str = ""
    receipt_at: str = ""
    stop: str = ""

    @property
    def stop_at(self) -> str:
        return self.stop


@dataclass(frozen=True, slots=True)
class MessagePage:
    """A page that asks nothing, and ends nothing: not found, gone wrong.

    `link` (with `link_label`) is the way on or back, where there is one, `in_tab` in a tab of its own; `preview` is as
    on the other pages.
    """

    template: ClassVar[str] = "message.html"
    title: str
    text: str
    study_title: str = ""
    link: str = ""
    link_label: str = ""
    in_tab: bool = False
    preview: str = ""
    stop_at: str = ""


@dataclass(frozen=True, slots=True)
class StopPage:
    """Asks whether the answers are to be deleted. With `asks_code` it asks for the code of the last page first.

    `back` leads on with the study, or to its last page where it `is_over`; `has_partners` says that there are matches
    with other people.
    """

    template: ClassVar[str] = "stop.html"
    study_title: str
    action: str
    back: str = ""
    error: str = ""
    asks_code: bool = False
    has_partners: bool = False
    is_over: bool = False
    preview: str = ""
    stop_at: str = ""
