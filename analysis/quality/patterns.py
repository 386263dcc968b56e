"""Rules on answers that do not depend on what was shown, and on who took part."""

from collections import Counter
from collections.abc import Callable, Hashable

from analysis.quality.flagged import at_least, reached, share
from analysis.quality.records import Answer, SessionRecord
from analysis.quality.rules import Bounds, Cohort, Finder, Parameter, Rule, Values

_FEWEST_QUESTIONS = 3


def _always(of: Callable[[Answer], Hashable | None], name: str) -> Finder:
    """Finds sessions in which one answer has such a share, among so many answers at least."""

    def find(session: SessionRecord, bounds: Bounds, _: Cohort) -> Values | None:
        given = Counter(value for answer in session.answers if (value := of(answer)) is not None)
        total = given.total()
        if not total or total < (bounds["at_least"] or 1):
            return None
        value, n = given.most_common(1)[0]
        return {name: str(value), "trials": n, "of": total} if n >= (bounds["share"] or 1) * total else None

    return find


def _certainty(answer: Answer) -> str | None:
    return None if answer.certainty is None else f"{answer.certainty:g}"


def _straight_lined(session: SessionRecord, bounds: Bounds, _: Cohort) -> Values | None:
    """An item counts where at least three questions on one scale have one answer."""
    rubrics = [
        points
        for answer in session.answers
        if answer.kind != "attention" and len(points := _on_one_scale(answer)) >= _FEWEST_QUESTIONS
    ]
    return reached(sum(len(set(points)) == 1 for points in rubrics), len(rubrics), bounds)


def _on_one_scale(answer: Answer) -> list[float]:
    """The answers on the scale that most questions of the item have."""
    scales = Counter((low, high) for _, low, high in answer.points.values())
    if not scales:
        return []
    most = scales.most_common(1)[0][0]
    return [value for value, low, high in answer.points.values() if (low, high) == most]


def _comprehension(session: SessionRecord, _: Bounds, __: Cohort) -> Values | None:
    failed, tries = session.n_failed_tries, session.n_tries
    return {"failed": failed, "of": tries} if tries and failed >= tries else None


def _duplicate(session: SessionRecord, _: Bounds, __: Cohort) -> Values | None:
    return {"visit": session.visit} if session.visit is not None and session.visit > 1 else None


def _small_screen(session: SessionRecord, bounds: Bounds, _: Cohort) -> Values | None:
    width = session.width_px
    return {"width_px": width} if width is not None and width < (bounds["width"] or 0) else None


def _automatic(session: SessionRecord, bounds: Bounds, _: Cohort) -> Values | None:
    n, of = session.n_automatic, session.n_moves
    least = bounds["at_least"] or 1
    return {"moves": n, "of": of} if n >= least and n >= (bounds["share"] or 0) * of else None


_TRIALS = Parameter(
    "at_least",
    "Answers, at least",
    "With fewer answers the rule is not met.",
    8,
    "answers",
    minimum=2,
    is_whole=True,
)
_ALIKE = Parameter(
    "share", "Share of the same answer, at least", "From 0 to 1; 1 is every time.", 1, minimum=0.5, maximum=1
)

PATTERNS = (
    Rule(
        "same-side",
        "Always the same side",
        "Pressed the same side in this share of the pairs, of so many at least.",
        _always(lambda answer: answer.side, "side"),
        (_TRIALS, _ALIKE),
        of_people=False,
    ),
    Rule(
        "same-certainty",
        "Always the same certainty",
        "Gave the same certainty in this share of the trials, of so many at least.",
        _always(_certainty, "point"),
        (_TRIALS, _ALIKE),
        of_people=False,
    ),
    Rule(
        "straight-lined",
        "Straight-lined ratings",
        "Gave the same point to all questions of so many items; of items with three questions or more on one scale.",
        _straight_lined,
        (at_least(3), share(0.8)),
        of_people=False,
    ),
    Rule(
        "comprehension-failed",
        "Comprehension check failed",
        "Did not answer the questions on the instructions right in any try.",
        _comprehension,
        of_people=False,
    ),
    Rule(
        "duplicate",
        "Took part before",
        "The same person, by the recruiter's id or by the participant's name in the data, began a session of this "
        "study before; the first one counts.",
        _duplicate,
    ),
    Rule(
        "small-screen",
        "Screen too small",
        "The browser's window was narrower than this.",
        _small_screen,
        (
            Parameter(
                "width", "Width, at least", "Of the window, not of the screen.", 600, "pixels", is_whole=True
            ),
        ),
    ),
    Rule(
        "automatic-moves",
        "Automatic moves",
        "The system made so many of the participant's moves, because their time was over or they had left.",
        _automatic,
        (
            Parameter(
                "at_least", "Moves, at least", "How many it takes.", 2, "moves", minimum=1, is_whole=True
            ),
            Parameter(
                "share",
                "Share of the moves, at least",
                "From 0 to 1; both bounds have to be reached.",
                0.2,
                maximum=1,
            ),
        ),
        of_cohort=True,
    ),
)
