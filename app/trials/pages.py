"""The data of each participant's page: frozen, complete, and free of anything that reveals a source.

A template sees one of these and nothing else (no table row ever reaches a template).
"""

from dataclasses import dataclass
from typing import ClassVar

from app.core.language import noop
from app.questions.base import FormField, QuestionView

OF_AGE = FormField("of_age", ("yes", "no"))
DECISION = FormField("decision", ("agree", "refuse"))
UNPLAYABLE = FormField("unplayable", ("1",))
"""What a page with clips posts where they would not play."""


@dataclass(frozen=True, slots=True)
class Page:
    """The common part of every page.

    `done` of `steps` pages are behind the participant (for the progress bar). `submit_id` names this page and this
    serving of it, and returns with the form. `notice` is shown once, above the page. `error` heads a form that the
    server could not accept. `preview` is the address to which an experimenter who previews the pages returns. Each of
    the `questions` posts its fields.
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
    questions: tuple[QuestionView, ...] = ()

    stop_label: ClassVar[str] = noop("Stop and delete my answers")
    is_form: ClassVar[bool] = True  # a match and a walk are played, and the last page asks nothing

    @property
    def fill_at(self) -> str:
        """The address at which a preview's page is filled in by itself; empty for participants."""
        return (
            f"{self.action}/fill" if self.preview and self.is_form and self.action.startswith("/p/") else ""
        )

    @property
    def fields(self) -> tuple[FormField, ...]:
        """The fields that its form posts, in their order, but for hidden ones."""
        return tuple(field for question in self.questions for field in question.fields)

    @property
    def clips(self) -> tuple[str, ...]:
        """The addresses of the clips that it is about."""
        return ()

    @property
    def stop_at(self) -> str:
        """The address for withdrawing and deleting one's answers; empty if there are none."""
        # A page that is drawn for the study's editor has no session, and no answers to delete.
        return f"{self.action}/stop" if self.action.startswith("/p/") else ""


@dataclass(frozen=True, slots=True)
class LanguageLink:
    """A language that the study can be taken in: its tag, its name in itself, and the page's address in it."""

    tag: str
    name: str
    address: str


@dataclass(frozen=True, slots=True)
class ConsentPage(Page):
    """Posts `decision` = `agree` | `refuse` and, if `minimum_age` is set, `of_age` = `yes` | `no`.

    With `plays_clips` the page first checks that the browser can play clips. `minutes` and `pay` are the study's stated
    duration and payment. `languages` are there where the study has several. Where it `measures`, a script sends the
    window's size; `least_width` is the least that the study takes, and `needs` says what it needs of a device. The
    speed of the connection is measured at `speed_at`, if anywhere, and is to be `least_mbps`; with `smooth`, the
    size and rate of the study's clips, the browser is asked whether it loses pictures.
    """

    template: ClassVar[str] = "consent.html"
    html: str = ""
    version: str = ""
    minimum_age: int | None = None
    plays_clips: bool = True
    minutes: int | None = None
    pay: str = ""
    age_error: str = ""
    languages: tuple[LanguageLink, ...] = ()
    measures: bool = False
    least_width: int = 0
    least_mbps: float = 0
    speed_at: str = ""
    smooth: str = ""
    needs: str = ""

    @property
    def fields(self) -> tuple[FormField, ...]:
        return (*([OF_AGE] if self.minimum_age is not None else []), DECISION)

    @property
    def stop_at(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class QuestionsPage(Page):
    """Questions without a trial, about oneself unless it has a title. `html` is above them in place of the heading."""

    template: ClassVar[str] = "questions.html"
    html: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class ComprehensionPage(Page):
    """Questions on the instructions, whose text is `html`; it is above them where they are asked again (`is_again`)."""

    template: ClassVar[str] = "comprehension.html"
    html: str = ""
    is_again: bool = False
    is_last: bool = False
    ends: bool = False


@dataclass(frozen=True, slots=True)
class FeedbackPage(Page):
    """Feedback on a practice trial: right or not (None where nothing was), and why, as HTML.

    `parts` are the questions that have a right answer, where there are several, with whether it was given.
    """

    template: ClassVar[str] = "feedback.html"
    is_right: bool | None = None
    why: str = ""
    parts: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class TextPage(Page):
    """Instructions: text and a button to go on."""

    template: ClassVar[str] = "text.html"
    html: str = ""


@dataclass(frozen=True, slots=True)
class EndPage(Page):
    """The last page and every other way out: completion code or link to the recruiter first, then the message.

    `label` is shown next to the progress bar, which only begun sessions have (`steps`). `why` is what happened, `html`
    the study's own text. `earned` has lines of label and amount, `pay` the promised payment. `close` comes last.
    `code_label` is shown above the code. `link` (with `link_label`) is a way back in, if any. `receipt` is the code
    with which the answers can be deleted later, at the address `receipt_at`, written in full so that people can note
    it; `stop` is the address for deleting them now.
    """

    template: ClassVar[str] = "end.html"
    is_form: ClassVar[bool] = False
    stop_label: ClassVar[str] = noop("Delete my answers")
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
    """A message page, such as for not found or an error; it asks nothing and ends nothing.

    `link` (with `link_label`) leads on or back, if present, `in_tab` in a new tab; `preview` is as on the other pages.
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
