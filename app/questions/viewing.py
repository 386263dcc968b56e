"""Questions about viewing conditions in the sense of ITU-T P.910 and P.913: screen, distance, light and eyesight.

What is asked after which source is in docs/study-file.md. People are asked, and nothing is measured.
"""

from collections.abc import Mapping
from dataclasses import replace

from app.core.language import gettext, noop
from app.questions.base import Question, QuestionView
from app.questions.registry import views

DONT_KNOW = noop("I do not know")
RATHER_NOT = noop("I would rather not say")


def _choice(id_: str, ask: str, *options: str) -> Question:
    return Question(id=id_, type="choice", ask=ask, required=True, options=options)


def _number(id_: str, ask: str, low: float, high: float) -> Question:
    return Question(id=id_, type="number", ask=ask, required=False, minimum=low, maximum=high)


VIEWING: tuple[Question, ...] = (
    _choice(
        "viewing_screen",
        noop("On which kind of screen do you watch?"),
        *(noop("Laptop"), noop("Separate monitor"), noop("Tablet"), noop("Telephone"), noop("Television")),
        noop("Something else"),
    ),
    _number(
        "viewing_screen_inches",
        noop(
            "How large is the screen, from corner to corner, in inches? Leave this empty if you do not know."
        ),
        *(2, 150),
    ),
    _number(
        "viewing_distance_cm",
        noop("About how far are your eyes from the screen, in centimetres? An arm's length is about 60."),
        *(10, 1000),
    ),
    _choice(
        "viewing_light",
        noop("How bright is the room?"),
        *(
            noop("Dark"),
            noop("Dim"),
            noop("Normal indoor lighting"),
            noop("Bright daylight"),
            noop("Outdoors"),
        ),
    ),
    _choice(
        "viewing_reflections",
        noop("Do lamps or windows reflect in the screen?"),
        *(noop("No"), noop("A little"), noop("Yes, clearly")),
    ),
    _choice(
        "viewing_eyesight",
        noop("Do you see well at this distance, with glasses or lenses if you wear any now?"),
        *(
            noop("Yes, without glasses or lenses"),
            noop("Yes, with glasses or lenses"),
            noop("No"),
            RATHER_NOT,
        ),
    ),
    _choice(
        "viewing_colours",
        noop("Have you ever been told that you have a colour vision deficiency (colour blindness)?"),
        *(noop("No"), noop("Yes"), DONT_KNOW, RATHER_NOT),
    ),
)


def viewing_views(form: Mapping[str, str], errors: Mapping[str, str]) -> tuple[QuestionView, ...]:
    """The questions in the language of the page; what is posted is English in each."""
    return tuple(
        replace(
            view,
            ask=gettext(view.ask),
            options=tuple(replace(option, label=gettext(option.label)) for option in view.options),
        )
        for view in views(VIEWING, form, errors)
    )
