"""The rows of exports about one session, gathered: what an exclusion rule may look at, and nothing else."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Row = Mapping[Any, Any]
"""A row of an export by its columns, with values of their types: None where a cell is empty."""

PRACTICE = "practice"
ENDED = frozenset({"completed", "unplayable", "failed-checks"})
"""Statuses of sessions that are judged: nothing is missing that may still come."""
SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answered trial that is no practice, of any task. `side` is the side pressed, None where none was. `lasted_ms`
    is how long the trial took, of which `hidden_ms` is a part: `rt_ms`, of a walk the time walked and hidden.

    `certainty` is a point on its scale in either direction. `points` are the answers on scales to an item, by question,
    each with the ends of its scale; `texts` are free texts by question, and `writing_ms` is the time in which they can
    have been written: from the opening of the questions to the answer. What was not recorded is None.
    """

    task: str
    trial: str
    kind: str
    flags: frozenset[str]
    rt_ms: int | None = None
    hidden_ms: int | None = None
    lasted_ms: int | None = None
    stalls: int | None = None
    side: str | None = None
    certainty: float | None = None
    writing_ms: int | None = None
    points: Mapping[str, tuple[float, float | None, float | None]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One participant's session. `visit` counts the participant's sessions of the study in order, from 1.

    `n_tries` are those of the questions on the instructions, `n_failed_tries` those of them with a wrong answer;
    `n_attention` are questions that say what to answer, `n_failed_attention` those of them answered otherwise.
    `n_moves` are the moves due from the participant in matches, `n_automatic` those that the system made instead.
    `width_px` is the width of the browser's window.
    """

    session: str
    version: int
    arm: str
    mode: str
    status: str
    answers: tuple[Answer, ...] = ()
    visit: int | None = None
    n_tries: int = 0
    n_failed_tries: int = 0
    n_attention: int = 0
    n_failed_attention: int = 0
    duration_s: float | None = None
    width_px: int | None = None
    n_moves: int = 0
    n_automatic: int = 0

    @property
    def is_ended(self) -> bool:
        return self.status in ENDED


def session_records(
    participants: Iterable[Row],
    responses: Iterable[Row] = (),
    ratings: Iterable[Row] = (),
    walks: Iterable[Row] = (),
    moves: Iterable[Row] = (),
) -> list[SessionRecord]:
    """A record of each session in `participants`, from the rows of the tables of the same names in one study's export.

    Rows of other sessions are left aside; a table that is not given has no rows.
    """
    answers: dict[str, list[Answer]] = {}
    for row in responses:
        _add(answers, row, _of_pair(row))
    for page in _pages(ratings):
        _add(answers, page[0], _of_item(page))
    for row in walks:
        _add(answers, row, _of_walk(row))
    due, automatic = _moves(moves)
    return [
        SessionRecord(
            session=row["session"],
            version=row["version"],
            arm=row["arm"],
            mode=row["mode"],
            status=row["status"],
            answers=tuple(answers.get(row["session"], ())),
            visit=row.get("visit"),
            n_tries=row.get("comprehension_tries") or 0,
            n_failed_tries=row.get("comprehension_failed") or 0,
            n_attention=row.get("attention_questions") or 0,
            n_failed_attention=row.get("attention_questions_failed") or 0,
            duration_s=row.get("duration_s"),
            width_px=device_width(row.get("device")),
            n_moves=due.get(row["session"], 0),
            n_automatic=automatic.get(row["session"], 0),
        )
        for row in participants
    ]


def flags_of(row: Row) -> frozenset[str]:
    """The flags of a row, as exports join them."""
    return frozenset(filter(None, (row.get("flags") or "").split(";")))


def _add(answers: dict[str, list[Answer]], row: Row, answer: Answer) -> None:
    if answer.kind != PRACTICE:
        answers.setdefault(row["session"], []).append(answer)


def _of_pair(row: Row) -> Answer:
    certainty = row.get("certainty")
    return Answer(
        "pair",
        row["trial"],
        row["kind"],
        flags_of(row),
        rt_ms=row.get("rt_ms"),
        hidden_ms=row.get("hidden_ms"),
        lasted_ms=row.get("rt_ms"),
        writing_ms=_since_opened(row),
        stalls=row.get("stalls"),
        side=_side(row["choice"], row["left"]),
        certainty=row.get("uncertainty") if certainty is None else certainty,
        texts={"rationale": row["rationale"]} if row.get("rationale") else {},
    )


def _since_opened(row: Row) -> int | None:
    rt_ms = row.get("rt_ms")
    return None if rt_ms is None else max(0, rt_ms - (row.get("opened_ms") or 0))


def _of_walk(row: Row) -> Answer:
    walked_s, hidden_ms = row.get("duration_s"), row.get("hidden_ms")
    # The walk stands still while its page is hidden.
    lasted_ms = None if walked_s is None or hidden_ms is None else round(1000 * walked_s) + hidden_ms
    return Answer("walk", row["trial"], row["kind"], flags_of(row), hidden_ms=hidden_ms, lasted_ms=lasted_ms)


def _side(choice: str | None, left: str | None) -> str | None:
    if choice not in ("a", "b") or left is None:
        return None
    return "left" if choice == left else "right"


def _pages(ratings: Iterable[Row]) -> Iterable[Sequence[Row]]:
    """The rows of each item rated, one for each question; what raters say of themselves is no item."""
    pages: dict[str, list[Row]] = {}
    for row in ratings:
        if row["kind"] != "self":
            pages.setdefault(row["trial"], []).append(row)
    return pages.values()


def _of_item(rows: Sequence[Row]) -> Answer:
    first = rows[0]
    scales = {
        row["question"]: (row["value"], row.get("scale_low"), row.get("scale_high"))
        for row in rows
        if row["value"] is not None and row.get("level") == "ordinal"
    }
    texts = {
        row["question"]: row["text"]
        for row in rows
        if row["text"] and row.get("level") is None and not row.get("options")
    }
    return Answer(
        "rating",
        first["trial"],
        first["kind"],
        flags_of(first),
        rt_ms=first.get("rt_ms"),
        hidden_ms=first.get("hidden_ms"),
        lasted_ms=first.get("rt_ms"),
        writing_ms=first.get("rt_ms"),
        points=scales,
        texts=texts,
    )


def _moves(moves: Iterable[Row]) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Moves of each person, and those among them that were made for them; `auto` says so."""
    due: dict[str, int] = {}
    automatic: dict[str, int] = {}
    for row in moves:
        session = row["session"]
        if row["kind"] != "move" or session is None:
            continue
        due[session] = due.get(session, 0) + 1
        if row["auto"]:
            automatic[session] = automatic.get(session, 0) + 1
    return due, automatic


def device_width(device: str | Mapping[str, Any] | None) -> int | None:
    """The width of the browser's window in what a session says of its device."""
    said = json.loads(device) if isinstance(device, str) and device else device
    width = said.get("width") if isinstance(said, Mapping) else None
    return width if isinstance(width, int) else None
