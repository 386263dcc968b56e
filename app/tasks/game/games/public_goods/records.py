"""Records of the public-goods game: its rounds, and the decisions of a seat."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from app.library.records import Line, Table
from app.tasks.game.base import Seat
from app.tasks.game.games.public_goods.rules import MOST_POINTS
from app.tasks.game.match import Match
from app.tasks.game.parts import amount
from app.tasks.game.presenters.base import listed
from app.tasks.game.record_decisions import FIRST, Decision, counted
from app.tasks.game.record_rounds import OWN, OWN_WITHIN, Parts, Played, RecordedMatch, players_of

Entry = Mapping[str, Any]


def record(looked: RecordedMatch) -> Played:
    """Each round's contributions, the points that each gave and got, and the round's payoffs."""
    facts = looked.view.facts
    lines = [
        f"In each round every player has {amount(facts['endowment'])} points, and puts a part of them into a project,"
        f" all at once. Each point in the project gives every player {amount(Fraction(facts['mpcr']))}."
    ]
    if facts["punishment"] != "none":
        lines.append(_points_line(facts))
    rounds = {entry["round"]: (_table(looked, entry),) for entry in looked.view.history}
    return Played("", players_of(looked), tuple(Line(text=line) for line in lines), rounds)


def _points_line(facts: Entry) -> str:
    takes = f"takes {amount(facts['effect'])} points from them and costs 1"
    if facts["punishment"] == "tenths":
        takes = "takes a tenth of what the round paid them, and costs the more the more are given"
    return (
        f"Then each may give each of the others up to {MOST_POINTS} deduction points. One {takes}. Nobody sees who"
        " gave them."
    )


def _table(looked: RecordedMatch, entry: Entry) -> Table:
    has_points = looked.view.facts["punishment"] != "none"
    points, rows = entry["points"], []
    for seat in looked.seats:
        at = seat - 1
        cells = [looked.name(seat), amount(entry["contributions"][at])]
        if has_points:
            given = [
                f"{amount(each)} to {_within(looked.name(other))}"
                for other, each in enumerate(points[at], 1)
                if each
            ]
            cells += [listed(given) or "none", amount(sum(one[at] for one in points))]
        rows.append((*cells, amount(entry["profits"][at])))
    columns = ("Player", "Put in", *(("Points given", "Points got") if has_points else ()), "Round paid")
    return Table(columns=columns, rows=tuple(rows))


def _within(name: str) -> str:
    return OWN_WITHIN if name == OWN else name.replace("The other", "the other")


def decisions(match: Match, looked: RecordedMatch, seat: Seat, found: Played) -> Iterator[Decision]:
    """The seat's contributions given the previous round, and its points given all contributions.

    The others appear without names, by their contributions, so that a situation recurs across matches.
    """
    has_points = looked.view.facts["punishment"] != "none"
    before: Entry | None = None
    for entry in looked.view.history:
        number, own, theirs = entry["round"], entry["contributions"][seat - 1], _theirs(entry, seat)
        past: Parts = (FIRST,) if before is None else (Line(text=_past(before, seat, has_points)),)
        put = Line(text=f"{OWN} puts in {amount(own)}.")
        yield Decision("contribution", number, past, (put,), "contribute")
        if has_points:
            stands = Line(text=f"{OWN} has put in {amount(own)}, the others {_amounts(theirs)}.")
            given = [
                f"{counted(points, 'point')} to one who put in {amount(each)}"
                for each, points in sorted(theirs, reverse=True)
                if points
            ]
            did = Line(text=f"{OWN} gives {listed(given) or 'no points'}.")
            yield Decision("points", number, (stands,), (did,), "deduct")
        before = entry


def _theirs(entry: Entry, seat: Seat) -> list[tuple[int, int]]:
    """The others' contributions, and the points that the seat gave them."""
    given = entry["points"][seat - 1]
    return [(each, given[at]) for at, each in enumerate(entry["contributions"]) if at != seat - 1]


def _amounts(theirs: list[tuple[int, int]]) -> str:
    return listed([amount(each) for each, _ in sorted(theirs, reverse=True)])


def _past(entry: Entry, seat: Seat, has_points: bool) -> str:
    own = amount(entry["contributions"][seat - 1])
    got = sum(points[seat - 1] for points in entry["points"])
    points = f", and {OWN_WITHIN} got {counted(got, 'deduction point')}" if has_points else ""
    return f"In the round before, {OWN_WITHIN} put in {own}, the others {_amounts(_theirs(entry, seat))}{points}."
