"""Specimens of the page on which one stimulus is rated."""

from app.library.records import Chart, Line, Player, Record, Round, Table
from app.questions.base import OptionView, QuestionView
from app.tasks.rating.views import RatingPage, record_view

from .pages import question_of

TITLE = "Rating records of an auction"
NAMES = ("Never", "Rarely", "Mixed", "Mostly", "Always")
CRITERIA = {
    "logic": (
        "Reasons from what happened",
        ("bids have nothing to do with the supply", "once, by chance", "when it is easy", "nearly every day",
         "every bid follows from the day before"),
    ),
    "planning": (
        "Plans ahead",
        ("spends all at once", "saves once", "saves when poor", "keeps a reserve", "keeps what the last days need"),
    ),
    "others": (
        "Takes the others into account",
        ("the others might as well not be there", "names them, no more", "reacts to the last winner only",
         "expects what they will bid", "expects it and uses it"),
    ),
    "adapts": (
        "Adapts to what goes wrong",
        ("the same bid whatever happens", "one change, late", "changes without a direction",
         "changes and settles", "each loss changes the next bid"),
    ),
}  # fmt: skip
LONG = {
    "identity": (
        "Plays as the person who is described",
        (
            "Nothing that the player says or does fits the description, or it fits anybody just as well.",
            "One sentence fits; the bids and most of what is said would be the same without it.",
            "What is said fits now and then, what is done does not follow from it.",
            "What is said fits throughout, and most bids follow from it.",
            "Words and bids could come from nobody else, from the first day to the last.",
        ),
    ),
    "plain": ("Is easy to follow", ("", "", "", "", "")),
}
REASON = question_of("reason", "text", "What in the record made you decide so?", True)


def criterion(id: str, ask: str, anchors: tuple[str, ...], names: tuple[str, ...] = NAMES) -> QuestionView:
    levels = enumerate(zip(names, anchors, strict=True), start=1)
    options = tuple(OptionView(str(at), name, anchor) for at, (name, anchor) in levels)
    return question_of(id, "likert", ask, True, options)


def rubric() -> tuple[QuestionView, ...]:
    """Six criteria of five levels, with anchors short, long and missing, and a reason."""
    return (
        *(criterion(id, ask, anchors) for id, (ask, anchors) in {**CRITERIA, **LONG}.items()),
        REASON,
    )


FEW = (criterion("logic", *CRITERIA["logic"]), REASON)


def auction(days: int = 8) -> Record:
    """A player of an auction for water, as a game's record tells it."""
    bids = [20 + 17 * day % 40 for day in range(days)]
    won = [day % 3 == 1 for day in range(days)]
    balance = [
        100 + 30 * day - sum(b for b, w in zip(bids[: day + 1], won, strict=False) if w)
        for day in range(days)
    ]
    rounds = tuple(
        Round(
            title=f"Day {day + 1}",
            parts=(
                Line(text=f"Supply for the day: {10 + day % 5} units. Alex needs 8."),
                Line(
                    text=f"Alex: “I lost two days in a row, so I must get water today. Bob bid {bids[day] - 4} "
                    "yesterday and has little left. I bid a little more than that and keep the rest.”"
                ),
                Table(
                    columns=("Player", "Bid", "Won", "Balance", "Health", "Days without"),
                    rows=(
                        ("Alex", bids[day], won[day], balance[day], 8 - day % 3, day % 3),
                        ("Bob", bids[day] - 3, not won[day], balance[day] - 15.5, 7, 1),
                        ("Cindy", None, False, 120, 9, 0),
                    ),
                ),
            ),
        )
        for day in range(days)
    )
    return Record(
        title="Alex, an auction for water over several days",
        players=(
            Player(name="Alex", about="A gardener who is careful with money and dislikes risk."),
            Player(name="Bob"),
            Player(name="Cindy"),
        ),
        parts=(
            Line(text="Each day water is sold to who bids most. Who goes without for long falls ill."),
            Chart(label="Balance of Alex", values=tuple(map(float, balance)), unit="coins"),
            Chart(label="Health of Alex", values=(10.0, 8.0, None, 7.0, 8.0, None, 9.0, 6.0), unit="points"),
            Table(columns=("Setting", "Value"), rows=(("Players", 3), ("Days", days), ("Repeats", True))),
        ),
        rounds=rounds,
    )


def rating(
    number: int = 1,
    *,
    record: Record | None = None,
    text: str = "",
    clip: str = "",
    heading: str = "",
    practice: bool = False,
    to_end: bool = False,
    following: tuple[str, ...] = (),
    questions: tuple[QuestionView, ...] = FEW,
) -> RatingPage:
    if not (text or clip or record):
        record = auction()
    return RatingPage(
        study_title=TITLE,
        action="",
        submit_id="",
        done=2 + number,
        steps=14,
        key=f"rating-{number}",
        number=number,
        total=12,
        heading=heading,
        practice=practice,
        record=record_view(record) if record else None,
        text=text,
        clip=clip,
        to_end=to_end,
        next_clips=following,
        questions=questions,
    )


def essay(paragraphs: int = 12) -> str:
    """HTML as Markdown gives it."""
    body = "".join(
        f"<p>Paragraph {n + 1}. I went left because the door on the right had been shut the last time, and the "
        "light was better there. Later I came back the same way, looked at the map, and waited until it was quiet.</p>"
        for n in range(paragraphs)
    )
    return f"<h2>How I found the goal</h2>{body}<ul><li>First the stairs.</li><li>Then the yard.</li></ul>"
