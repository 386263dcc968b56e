"""Attention checks of a block: questions that say what to answer, between its trials, and what failing does."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from app.core.widgets import Widget
from app.questions.base import Asked, Frozen, Part, Question
from app.questions.checked import INSTRUCTED, InstructedQuestion
from app.questions.drafted import by_id, keys_of_question, with_defaults
from app.trials.tidying import Tidy, questions, section, whole

Failing = Literal["flag", "exclude", "end"]
AFTER = 2


class Attention(Part):
    """Questions that say which answer to give, and what failing does; trials of kind `attention` count as well."""

    questions: tuple[InstructedQuestion, ...] = Field(
        default=(),
        max_length=10,
        title="Questions that say what to answer",
        description="Each comes on a page of its own between two trials, at places drawn for each session and mirrored "
        "in the next; none comes first.",
    )
    failed: Annotated[
        Failing,
        Widget(
            words={
                "flag": "Flags the answer",
                "exclude": "Leaves the session out of the numbers",
                "end": "Ends the session",
            }
        ),
    ] = Field(
        default="flag",
        title="Failing",
        description="`flag` flags each wrong answer; `exclude` also leaves the session out, and `end` ends it, after "
        "as many wrong answers as `after` says.",
    )
    after: Annotated[int, Widget(unit="wrong answers", is_short=True)] = Field(
        default=AFTER,
        ge=1,
        le=20,
        title="After how many",
        description="Wrong answers to attention checks in the session at which it is left out or ended.",
    )


class DesignAttention(Frozen):
    questions: tuple[Question, ...] = ()
    failed: Failing = "flag"
    after: int = AFTER


NO_ATTENTION = DesignAttention()
_KEYS = ("questions", "failed", "after")


def tidied_attention(value: Any) -> Any:
    return section(value, _KEYS, {"questions": questions, "after": whole})


TIDIES: Mapping[str, Tidy] = {"attention": tidied_attention}


def resolved_attention(file: Attention, asked: Callable[[Asked], Question]) -> DesignAttention:
    """The checks at run time; `asked` converts a question."""
    return DesignAttention(
        questions=tuple(asked(question) for question in file.questions), failed=file.failed, after=file.after
    )


def keys_of_attention(design: DesignAttention) -> dict[str, Any] | None:
    """The keys that differ from the defaults; None where all are defaults."""
    keys = design.model_dump(exclude={"questions"}, exclude_defaults=True)
    listed: list[Mapping[str, Any]] = [
        keys_of_question(question, INSTRUCTED) for question in design.questions
    ]
    return keys | ({"questions": listed} if listed else {}) or None


def comparable_attention(value: Any, labels: Mapping[str, Any]) -> Any:
    """The checks of a draft in the form in which the same ones are the same value; None where there are none."""
    if not isinstance(value, dict):
        return None if isinstance(value, Attention) else value
    keys = with_defaults(Attention, value)
    return {**keys, "questions": by_id(keys["questions"], labels, INSTRUCTED)}


def places_of(
    n_questions: int, n_main: int, rng: random.Random, mirror: Sequence[int] = ()
) -> tuple[int, ...]:
    """For each question the main trial after which it is asked, from 1; not after the last where there are more.

    `mirror` are the places of the other session of a counterbalanced pair, which are turned round.
    """
    last = max(1, n_main - 1)
    if len(mirror) == n_questions:
        return tuple(min(max(1, n_main - place), last) for place in mirror)
    free = list(range(1, last + 1))
    drawn = [place for _ in range(-(-n_questions // len(free))) for place in rng.sample(free, len(free))]
    return tuple(drawn[:n_questions])
