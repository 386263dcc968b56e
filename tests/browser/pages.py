"""One specimen of each participant's page."""

from typing import Any, Literal

from app.questions.base import OptionView, QuestionView
from app.questions.choice import MOST_IN_SIGHT
from app.questions.registry import QUESTIONS, TYPES, views
from app.questions.scales import SCALES
from app.questions.viewing import viewing_views
from app.sessions.receipts import NO_RECEIPT
from app.sessions.stopping import withdrawn
from app.studies.file.design import run_question
from app.tasks.pair.terms import Showing
from app.tasks.pair.views import TrialPage, in_turn
from app.trials.pages import (
    ComprehensionPage,
    ConsentPage,
    EndPage,
    FeedbackPage,
    MessagePage,
    Page,
    QuestionsPage,
    StopPage,
    TextPage,
)

TITLE = "Which navigation looks human?"
CERTAINTY = ("extremely certain", "somewhat certain", "neutral", "somewhat uncertain", "extremely uncertain")
FAMILIARITY = ("not at all", "slightly", "moderately", "very", "extremely")


def scale(labels: tuple[str, ...]) -> tuple[OptionView, ...]:
    return tuple(OptionView(str(number), label) for number, label in enumerate(labels, start=1))


def question_of(
    id: str, type: str, ask: str, required: bool, options: tuple[OptionView, ...] = (), **more: Any
) -> QuestionView:
    """With the widget and the view of its type."""
    widget = "select" if len(options) > MOST_IN_SIGHT else TYPES[type].widget
    return TYPES[type].view_type(id, type, ask, required, options, widget=widget, **more)


def view_of(**keys: Any) -> QuestionView:
    """A question as the study file says it."""
    asked = run_question(QUESTIONS[keys["type"]].model_validate(keys), SCALES)
    return views((asked,), {}, {})[0]


SIDES = OptionView("left", "Left video"), OptionView("right", "Right video")
CHOICE = question_of("choice", "2afc", "Which video is more likely to be human?", True, SIDES)
RATIONALE = question_of(
    "rationale",
    "text",
    "Why do you think this is the case? Please provide as much detail as possible.",
    True,
)
UNCERTAINTY = question_of(
    "uncertainty", "likert", "How certain are you of your choice?", True, scale(CERTAINTY)
)


def consent(minimum_age: int | None = 18, **more: Any) -> ConsentPage:
    return ConsentPage(
        **more,
        study_title=TITLE,
        action="",
        submit_id="",
        done=0,
        steps=14,
        html="<h1>Taking part in this study</h1><p>You will watch ten pairs of short videos of someone "
        "moving through a game, and say which of the two was more likely a human player. It takes about "
        "fifteen minutes.</p><h2>What is recorded</h2><p>Your answers, how the videos played, and the time "
        "you took. No name, no address, nothing about your other browsing.</p><ul><li>You can stop at any "
        "time by closing the page.</li><li>The data are published without anything that names you.</li></ul>",
        version="2021-01",
        minimum_age=minimum_age,
    )


def background() -> QuestionsPage:
    countries = tuple(OptionView(f"c{number}", f"Country {number}") for number in range(12))
    return QuestionsPage(
        study_title=TITLE,
        action="",
        submit_id="",
        done=1,
        steps=14,
        questions=(
            question_of("age", "number", "How old are you?", True, minimum=18, maximum=110),
            question_of(
                "genre_familiarity",
                "likert",
                "How familiar are you with third-person action games?",
                True,
                scale(FAMILIARITY),
            ),
            question_of(
                "device",
                "choice",
                "What do you mostly play on?",
                True,
                (
                    OptionView("pc", "Computer"),
                    OptionView("console", "Console"),
                    OptionView("none", "I do not play"),
                ),
            ),
            question_of("country", "choice", "Where do you live?", False, countries),
            question_of("remarks", "text", "Anything we should know?", False),
        ),
    )


def viewing() -> QuestionsPage:
    return QuestionsPage(
        study_title=TITLE,
        action="",
        submit_id="",
        done=2,
        steps=14,
        title="How you watch",
        questions=viewing_views({}, {}),
    )


OFTEN = ("never", "rarely", "sometimes", "often", "very often")
SIGHT = question_of(
    "sight",
    "choice",
    "Do you see videos well, with glasses if you wear any?",
    True,
    (OptionView("yes", "Yes"), OptionView("no", "No")),
)


def screening() -> QuestionsPage:
    return QuestionsPage(
        study_title=TITLE,
        action="",
        submit_id="",
        done=1,
        steps=14,
        title="Before you begin",
        questions=(
            SIGHT,
            question_of("games", "likert", "How often do you play video games?", True, scale(OFTEN)),
        ),
    )


def comprehension(*, again: bool = False) -> ComprehensionPage:
    """The first try, or the second after one wrong answer of two."""
    when = (OptionView("at once", "At once"), OptionView("after both", "After both videos were watched"))
    many = (OptionView("one", "One"), OptionView("two", "Two"), OptionView("three", "Three"))
    wrong = {"error": "Your first answer was not right."} if again else {}
    return ComprehensionPage(
        study_title=TITLE,
        action="",
        submit_id="",
        done=3,
        steps=14,
        questions=(
            question_of("when", "choice", "When can you answer?", True, when, **wrong),
            question_of(
                "many",
                "choice",
                "How many videos are side by side?",
                True,
                many,
                value="two" if again else "",
            ),
        ),
        html=instructions().html,
        is_again=again,
        is_last=again,
        ends=again,
    )


def attention() -> QuestionsPage:
    ask = "So that we know that you read this: please choose *often*, however often you play."
    return QuestionsPage(
        study_title=TITLE,
        action="",
        submit_id="",
        done=6,
        steps=14,
        title="A short question",
        questions=(question_of("reads", "likert", ask, True, scale(OFTEN)),),
    )


def feedback(is_right: bool | None, parts: tuple[tuple[str, bool], ...] = ()) -> FeedbackPage:
    return FeedbackPage(
        study_title=TITLE,
        action="",
        submit_id="",
        done=4,
        steps=14,
        is_right=is_right,
        why="<p>The person looks <em>round the corner</em> before turning; the program turns at once.</p>",
        parts=parts,
    )


def checks() -> dict[str, Page]:
    """The pages of checks and practice, by a name for their pictures."""
    parts = (("Is this a person?", True), ("How good is its sense of direction?", False))
    return {
        "screening": screening(),
        "viewing": viewing(),
        "comprehension": comprehension(),
        "comprehension-again": comprehension(again=True),
        "attention": attention(),
        "feedback-right": feedback(True),
        "feedback-wrong": feedback(False),
        "feedback-neither": feedback(None),
        "feedback-parts": feedback(False, parts),
    }


def instructions() -> TextPage:
    return TextPage(
        study_title=TITLE,
        action="",
        submit_id="",
        done=2,
        steps=14,
        html="<h1>What to do</h1><p>You will see two videos side by side. Each shows one walk to a goal that "
        "is marked in blue. <strong>One of the two may be a human player.</strong></p><ol><li>Watch both to "
        "the end; you may replay them.</li><li>Choose the one that is more likely to be human.</li><li>Say "
        "why, and how certain you are.</li></ol>",
    )


def trial(
    number: int = 1,
    *,
    watch: Literal["both-to-end", "free"] = "both-to-end",
    left: str = "c1",
    right: str = "c2",
    following: tuple[str, ...] = (),
    questions: tuple[QuestionView, ...] = (CHOICE, RATIONALE, UNCERTAINTY),
    practice: bool = False,
    layout: Showing = "side-by-side",
) -> TrialPage:
    return TrialPage(
        study_title=TITLE,
        action="",
        submit_id="",
        done=2 + number,
        steps=14,
        key=f"trial-{number}",
        number=number,
        total=10,
        practice=practice,
        watch=watch,
        layout=layout,
        left_clip=left,
        right_clip=right,
        next_clips=following,
        questions=tuple(map(in_turn, questions)) if layout != "side-by-side" else questions,
    )


def debrief(redirect: str = "") -> EndPage:
    return EndPage(
        study_title=TITLE,
        action="",
        submit_id="",
        done=14,
        steps=14,
        html="<h1>Thank you</h1><p>The videos showed human players and two kinds of artificial ones. Your "
        "answers help to learn how well programs that judge human-likeness agree with people.</p>",
        code="ABC123-7QX",
        redirect=redirect,
        label="Finished",
        title="Thank you",
        contact="Ann Lee, ann.lee@example.org",
        close="Your answers are saved. You may close this page.",
        receipt="12-DPEA-EHJP-3X4K-E3W7",
        receipt_at="https://study.example.org/s/demo/withdraw",
        stop="/p/t0/stop",
    )


def stops() -> dict[str, StopPage | MessagePage]:
    """The pages on the way to having one's answers deleted, by a name for their pictures."""
    return {
        "stop": StopPage(TITLE, "/p/t0/stop", back="/p/t0"),
        "stop-partners": StopPage(TITLE, "/p/t0/stop", back="/p/t0", has_partners=True),
        "stop-over": StopPage(TITLE, "/p/t0/stop", back="/p/t0", is_over=True),
        "withdraw": StopPage(TITLE, "/s/demo/withdraw", asks_code=True, has_partners=True, is_over=True),
        "withdraw-wrong": StopPage(TITLE, "/s/demo/withdraw", error=NO_RECEIPT, asks_code=True, is_over=True),
        "withdrawn": withdrawn(None),
    }


def message() -> MessagePage:
    return MessagePage(
        title="This study is closed",
        text="It has all the answers it needs. Thank you for your interest.",
        study_title=TITLE,
        link="/s/demo",
        link_label="Back to the start",
    )
