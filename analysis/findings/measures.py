"""Measures of people's and agents' play in matches, on the results page: a figure for each measure of each game."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from analysis.findings.arms import MOST_SAID, NAME, TITLE, arms_section
from analysis.findings.in_short import arms_line
from analysis.findings.model import Column, Figure, Mark, Numbers, Section
from analysis.findings.words import listed, people, why_missing
from analysis.games.compare import GameMeasures, PlayerMeasure

_COLUMNS = (
    Column("player", "Player", "text"),
    Column("role", "Role", "text"),
    Column("matches", "Matches", "count"),
    Column("seats", "Seats", "count"),
    Column("mean", "Mean"),
    Column("ci_low", "from"),
    Column("ci_high", "to"),
)
_PEOPLE = {"human": "people", "simulated": "simulated people"}
_MANY = 30


def headline(games: Sequence[GameMeasures], what: str) -> str:
    """The amount of play: no answer is right in a match, so no single finding represents all measures.

    `what` a study is of: `matches`, or `walks`.
    """
    if games:
        said = [f"{_matches(one.n_matches)} of “{one.title}”, played by {_who(one)}" for one in games]
        return f"{listed(said)}."
    return "Walks are judged in another study." if what == "walks" else "No match that counts is over yet."


def next_step(games: Sequence[GameMeasures], what: str) -> str:
    """The places of further results: walks as clips, distances and models of play."""
    walks = (
        "What people walked is under Data, as walks and positions. To have it judged, make clips of it for another "
        "study: the walks are drawn into the library under Data."
    )
    play = (
        "Distances to people's play are under Signatures. Models over configurations are computed at the command "
        "line, from the tables Moves and Seats under Data. Whether people take these players for people: offer a match "
        "to be rated, under Matches."
    )
    return " ".join([*([play] if games else []), *([walks] if what == "walks" else [])])


def arms_sections(games: Sequence[GameMeasures]) -> Iterator[Section]:
    """The arms of each game that was played in several; each two arms of people's play, over matches."""
    for game in games:
        found = game.arms
        if found is None or len(found.arms) < 2:
            continue
        title = f"{TITLE}: {game.title}"
        if found.reason:
            yield Section(NAME, title, (f"Not compared: {found.reason}.",))
            continue
        both = [(one, pair) for one in found.measures for pair in one.pairs]
        section = arms_section(
            found.measures,
            "two-sided",
            sentences=tuple(
                arms_line(one, pair).replace("people)", "matches)") for one, pair in both[:MOST_SAID]
            ),
            over="matches",
            digits=2,
            together=True,
        )
        yield replace(section, title=title)


def measures_figures(games: Sequence[GameMeasures]) -> Iterator[Figure]:
    """One for each measure that has a value; a section for each game."""
    for at, game in enumerate(games):
        by_measure: dict[str, list[PlayerMeasure]] = {}
        for one in game.measures:
            if one.mean is not None:
                by_measure.setdefault(one.measure, []).append(one)
        for measure, rows in by_measure.items():
            letter = chr(ord("a") + at)
            yield _figure(f"measure{letter}{''.join(filter(str.isalnum, measure))}", game, measure, rows)


def _figure(name: str, game: GameMeasures, measure: str, rows: Sequence[PlayerMeasure]) -> Figure:
    has_roles = len({one.role for one in game.measures}) > 1
    ordered = sorted(rows, key=lambda one: one.player != game.people)
    named = [(_name(one, game, with_role=has_roles), one) for one in ordered]
    low, high = _scale(rows)
    title = measure.replace("_", " ").capitalize()
    first = named[0]
    return Figure(
        name=name,
        section=f"measures:{game.title}",
        drawing="marks",
        said=f"{title}: {first[0]} {_number(first[1].mean)}{_others(named)}.",
        how=f"Mean over matches, with 95% interval over them.{why_missing((who, one.interval) for who, one in named)}",
        strong=_number(first[1].mean),
        numbers=Numbers(
            f"{title} by player and role",
            _COLUMNS,
            tuple(
                (one.player, one.role, one.n, one.n_seats, one.mean, one.interval.low, one.interval.high)
                for one in ordered
            ),
        ),
        marks=tuple(_mark(who, one, is_person=one.player == game.people) for who, one in named),
        chance=None,
        ends=(_number(low), _number(high)),
        scale=(low, high),
        caution=_few(ordered),
    )


def _mark(who: str, one: PlayerMeasure, *, is_person: bool) -> Mark:
    low, high = one.interval.low, one.interval.high
    limits = "no interval" if low is None or high is None else f"{_number(low)} to {_number(high)}"
    return Mark(
        who,
        one.mean,
        low,
        high,
        _number(one.mean),
        limits,
        "human" if is_person else "computer",
        spoken=f"{who}: {_number(one.mean)}, {limits}, {_matches(one.n)}",
    )


def _name(one: PlayerMeasure, game: GameMeasures, *, with_role: bool) -> str:
    who = _PEOPLE[one.player] if one.player == game.people else one.player
    return f"{who} as {one.role}" if with_role else who


def _others(named: Sequence[tuple[str, PlayerMeasure]]) -> str:
    """The lowest and the highest of the rest."""
    rest = sorted(named[1:], key=lambda pair: pair[1].mean or 0.0)
    ends = [rest[0], rest[-1]] if len(rest) > 1 else rest
    said = [f"{who} {_number(one.mean)}" for who, one in ends]
    return f", {' to '.join(said)}" if said else ""


def _scale(rows: Sequence[PlayerMeasure]) -> tuple[float, float]:
    """The scale: from 0, or the lowest value if negative, to a little beyond the highest."""
    ends = [
        value
        for one in rows
        for value in (one.mean, one.interval.low, one.interval.high)
        if value is not None
    ]
    low, high = min(0.0, *ends, 0.0), max(0.0, *ends, 0.0)
    return (low, 1.05 * high if high > 0 else high) if high > low else (low, low + 1.0)


def _few(rows: Sequence[PlayerMeasure]) -> str:
    fewest = min(one.n for one in rows)
    return f"{_matches(fewest)} are few." if 1 < fewest < _MANY else ""


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}"


def _matches(n: int) -> str:
    return f"{n:,} match" if n == 1 else f"{n:,} matches"


def _who(one: GameMeasures) -> str:
    who: Mapping[str, str] = {
        "human": people(one.n_people),
        "simulated": f"{one.n_people:,} simulated people",
        "": "agents alone",
    }
    return who[one.people]
