"""`responses` in parts, for a reader of millions of answers: what many answers have in common is read once
(decision 0016).

Most columns of an answer follow from few things: its pair, what kind of session it belongs to, the side pressed. These
are one whole number in `InParts.answers`, and the columns are read of one example for each number.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnClause,
    ColumnElement,
    Label,
    Select,
    case,
    cast,
    func,
    inspect,
    literal,
    literal_column,
    or_,
    select,
)
from sqlalchemy.sql.visitors import iterate
from sqlmodel import col

from app.core.json_sql import WholeFirst
from app.exports.rows import session_tables, sides_unknown, with_exclusion
from app.questions.sides import TIE, Side
from app.tasks.pair.design import Member, PairPlan
from app.tasks.pair.responses import (
    ONE_SIDED,
    RESPONSES,
    flags_given,
    left_member,
    responses_with,
    stimulus_a,
    stimulus_b,
    tables_of,
    with_clips,
    with_evidence,
)
from app.trials.design import Kind, Layout
from app.trials.responses import Response
from app.trials.tables import (
    Exclusion,
    Mode,
    ParticipantSession,
    SessionVerdict,
    Study,
    StudyVersion,
    Trial,
    Unit,
)

_s = ParticipantSession


@dataclass(frozen=True, slots=True)
class Digit:
    """A digit of a number: a whole number of at most so many bits."""

    bits: int
    value: Any


def _code(expression: Any, values: Sequence[Any]) -> Digit:
    """The place of the value among those that the schema allows, from 1; 0 for none."""
    places = {value: place for place, value in enumerate(values, 1)}
    return Digit(len(places).bit_length(), case(places, value=expression, else_=0))


def _left() -> Digit:
    """The code of the member on the left."""
    digit = _code(left_member, [*map(str, Member)])
    # Nearly all plans are written as they are here: a tenth of SQLite's time went into looking into them.
    plans = [(col(Trial.plan) == PairPlan(member).stored(), place) for place, member in enumerate(Member, 1)]
    return Digit(digit.bits, WholeFirst(case(*plans, else_=digit.value), digit.value))


RARE = ("raised", "study_rule")
"""Columns that few answers have, and of which others are made."""
_RARE_COLUMNS = [col(getattr(Response, name)) for name in (*RARE, "certainty")]
ITSELF = ("position", "uncertainty")
"""Columns that are digits themselves; 0 is none."""
ANSWER_DIGITS: Mapping[str, Digit] = {
    "position": Digit(16, col(Trial.position)),
    "uncertainty": Digit(4, func.coalesce(Response.uncertainty, 0)),
    "side": _code(Response.side, [*map(str, Side), TIE]),
    "unplayable": _code(Response.unplayable, [False, True]),
    "unwatched": _code(Response.unwatched, [False, True]),
    "left": _left(),
    "layout": _code(Response.layout, [*map(str, Layout)]),
    "rare": Digit(1, case((or_(*(column.is_not(None) for column in _RARE_COLUMNS)), 1), else_=0)),
}
"""The digits of an answer's number, the last first. Above these 31 bits are 32 of its pair's key."""
LEFT = 1 + list(Side).index(Side.LEFT)
"""The digit of the left side."""
KEY_BITS = 32
"""An answer's key has so many, below its session's in `keys`. PostgreSQL's have 31."""

_SESSION_DIGITS = (
    Digit(1, case((sides_unknown, 1), else_=0)),
    Digit(1, case((col(Exclusion.id).is_not(None), 1), else_=0)),
    _code(_s.mode, [*map(str, Mode)]),
)
# An example is alike in these; units and stimuli are the pair's.
_ALIKE = {
    (Trial, "plan"),
    *((Response, name) for name in ("side", "unplayable", "unwatched", "layout", *RARE)),
    (StudyVersion, "sides_known"),
    (Exclusion, "id"),
    (_s, "mode"),
}
_OF_SESSIONS = {inspect(table).selectable for table in (Study, StudyVersion, _s, Exclusion, SessionVerdict)}
_OF_PAIRS = {inspect(table).selectable for table in (Unit, stimulus_a, stimulus_b)}


@dataclass(frozen=True, slots=True)
class InParts:
    """`responses` in parts. `answers` has `keys` (of session and answer), `number`, and columns of one answer alone.

    `sessions` and `pairs` begin with their keys. `rare` has what few answers have, of those with these keys or of all.
    `examples`, of the answers with these keys, has the columns named in `alike`, and what makes them alike again, as
    others may have changed it meanwhile; those sessions are given that are one-sided.
    """

    answers: Select[Any]
    sessions: Select[Any]
    pairs: Select[Any]
    rare: Callable[[Sequence[int] | None], Select[Any]]
    alike: Sequence[str]
    examples: Callable[[Sequence[int], Sequence[int]], Select[Any]]


def responses_in_parts(slug: str, wanted: Collection[str]) -> InParts:
    """The rows and columns of `responses`; the order of the answers is the reader's to make."""
    columns = [
        column for column in RESPONSES if column.name in wanted and column.name not in (*ITSELF, "certainty")
    ]
    of_sessions = [column for column in columns if _OF_SESSIONS.issuperset(tables_of(column))]
    of_pairs = [column for column in columns if _OF_PAIRS.issuperset(tables_of(column))]
    rest = [column for column in columns if column not in of_sessions and column not in of_pairs]
    alike = [column for column in rest if _is_alike(column)]
    own = [column for column in rest if column not in alike]
    of_study = session_tables(select(col(_s.id)).select_from(_s)).where(col(Study.slug) == slug)
    pairs = _pairs(
        [col(Unit.id).label("pair_key"), (col(Unit.kind) == Kind.PRACTICE).label("practice"), *of_pairs], slug
    )
    sessions = with_exclusion(
        session_tables(
            select(
                col(_s.id).label("session_key"),
                _number(literal(0), _SESSION_DIGITS).label("session_kind"),
                *of_sessions,
            ).select_from(_s)
        )
    )
    keys = cast(col(Response.session_id), BigInteger) * 2**KEY_BITS + col(Response.id)
    answers = (
        select(keys.label("keys"), _NUMBER.label("number"), *own)
        .select_from(Response)
        .join(Trial, col(Trial.id) == col(Response.trial_id))
        .where(col(Response.session_id).in_(of_study), col(Trial.unit_id).in_(_pairs([col(Unit.id)], slug)))
    )
    return InParts(
        with_evidence(answers, own),
        sessions.where(col(Study.slug) == slug),
        pairs,
        lambda answers: _rare(of_study, answers),
        [column.name for column in alike],
        lambda answers, sessions: _examples(slug, alike, answers, sessions),
    )


def _rare(of_study: Select[Any], answers: Sequence[int] | None) -> Select[Any]:
    found = select(col(Response.id).label("answer_key"), *_RARE_COLUMNS)
    if answers is not None:
        return found.where(_is_among(col(Response.id), answers))
    any_of_them = or_(*(column.is_not(None) for column in _RARE_COLUMNS))
    return found.where(col(Response.session_id).in_(of_study), any_of_them)


def is_on_a_side(side: Any, unplayable: Any) -> Any:
    """True of digits (arrays) of answers that chose a side, of clips that played."""
    return (side > 0) & (side <= len(Side)) & (unplayable == 1)


def _number(first: Any, digits: Iterable[Digit]) -> ColumnElement[int]:
    number: ColumnElement[int] = first
    for digit in digits:
        number = number * 2**digit.bits + digit.value
    return number


def _is_among(column: Any, keys: Sequence[int]) -> ColumnElement[bool]:
    # A value bound for each takes SQLAlchemy 10 microseconds.
    listed: ColumnClause[Any] = literal_column(f"({', '.join(str(int(key)) for key in keys) or 'NULL'})")
    found: ColumnElement[bool] = column.op("IN", is_comparison=True)(listed)
    return found


def _pairs(columns: Sequence[Any], slug: str) -> Select[Any]:
    return (
        with_clips(select(*columns).select_from(Unit))
        .join(StudyVersion, col(StudyVersion.id) == col(Unit.version_id))
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(col(Study.slug) == slug)
    )


def _examples(
    slug: str, alike: Sequence[Label[Any]], answers: Sequence[int], sessions: Sequence[int]
) -> Select[Any]:
    # Of these sessions alone: to count all would take as long as to read all.
    one_sided = ONE_SIDED.where(_is_among(col(Response.session_id), sessions)).subquery()
    columns = [flags_given(one_sided) if column.name == "flags" else column for column in alike]
    made_of: list[Label[Any]] = [
        _NUMBER.label("number"),
        _number(literal(0), _SESSION_DIGITS).label("session_kind"),
        one_sided.c.session_id.is_not(None).label("one_sided"),
        *(col(getattr(Response, name)).label(f"{name}_again") for name in RARE),
    ]
    found = responses_with([col(Response.id).label("answer_key"), *made_of, *columns], slug, one_sided)
    return found.where(_is_among(col(Response.id), answers)).order_by(None)


_NUMBER = _number(cast(col(Trial.unit_id), BigInteger), reversed([*ANSWER_DIGITS.values()]))
_alike = {inspect(table).selectable.c[name] for table, name in _ALIKE}


def _is_alike(column: Label[Any]) -> bool:
    made_of = [element for element in iterate(column) if isinstance(element, ColumnClause)]
    return column.name == "flags" or all(one in _alike or one.table in _OF_PAIRS for one in made_of)
