"""Reports of the Social Ultimatum Game: its signatures and distances of play."""

from collections.abc import Iterator, Sequence
from typing import Any

from analysis.figures import AnyFigure
from analysis.figures.ultimatum import ultimatum_figure
from analysis.games.sug import Play, play_of
from analysis.games.sug_compare import NAMES, PlayComparison, Seats, compare_play
from analysis.signatures import Act
from analysis.signatures.play_signature import PlaySignature
from analysis.signatures.published_play import PLAY_SIGNATURES
from app.core.errors import StudyError
from app.tasks.game.base import Event, Seat
from app.tasks.game.match_files import Groups, MatchFile, Options, SeatPlayed, name_of_play, units_of
from app.tasks.game.reporting import NOTHING, Found, GameReports, Looking, decided


class SugReports(GameReports):
    """Play is compared by the paper's distances."""

    def signatures(self, seats: Sequence[SeatPlayed]) -> Sequence[PlaySignature]:
        return tuple(one for one in PLAY_SIGNATURES if one.game == "sug")

    def acts(self, one: SeatPlayed) -> Iterator[Act]:
        for state, event in decided(one):
            yield from _acts(state, one.seat, event)

    def more(self, looking: Looking) -> Found:
        """The distributions of play of each player."""
        if not looking.with_play:
            return Found()
        plays = {
            player: play_in([one for one in looking.seats if one.player == player])
            for player in dict.fromkeys(one.player for one in looking.seats)
        }
        figures = [ultimatum_figure(plays, *offers_of(looking.seats))] if looking.draws else []
        return Found({"play": {player: play.to_dict() for player, play in plays.items()}}, figures)

    def against_people(self, files: Sequence[MatchFile], options: Options) -> Found:
        """The distances of the agents in each file from the people of the first."""
        people, *others = files
        reference = people.people
        found_in_people = play_in(reference)
        compared, plays = {}, {name_of_play(reference): found_in_people}
        for file in others:
            seats = file.programs or file.people
            names = str(people.path), str(file.path)
            groups = Groups(file.games[0], reference, seats, names, (people, file))
            found = self.play_compared(groups, options)
            tests = {one.name: one.to_dict() for one in found.tests}
            compared[str(file.path)] = {
                "distances": found.distances.to_dict(),
                "tests": [tests[name] for name in NAMES],
                "play": found.second.to_dict(),
            }
            plays[name_of_play(seats, plays)] = found.second
        whole = {
            "people": {"file": str(people.path), "play": found_in_people.to_dict()},
            "files": compared,
        }
        return Found(whole, [ultimatum_figure(plays, *offers_of(reference))])

    def play_compared(self, groups: Groups, options: Options) -> PlayComparison:
        return play_compared(groups, options)

    def play_figures(self, groups: Groups, play: PlayComparison) -> Sequence[AnyFigure]:
        named = {name_of_play(groups.first): play.first}
        named[name_of_play(groups.second, named)] = play.second
        return [ultimatum_figure(named, *offers_of([*groups.first, *groups.second]))]


def play_compared(groups: Groups, options: Options) -> PlayComparison:
    """The distances of play of both groups, for the Social Ultimatum Game."""
    first, second = (
        _by_unit(seats, units_of(seats, file, options.over))
        for seats, file in zip((groups.first, groups.second), groups.files, strict=True)
    )
    endowment, step = offers_of([*groups.first, *groups.second])
    return compare_play(
        first,
        second,
        endowment,
        step,
        smoothing=options.smoothing,
        log_base=options.log_base,
        seed=options.seed,
        resamples=options.resamples,
    )


def offers_of(seats: Sequence[SeatPlayed]) -> tuple[int, int]:
    """The endowment and the step of all seats. Raises StudyError where they differ."""
    states = {id(one.match): one.match.match.state for one in seats}.values()
    configs = {(state.config.endowment, state.config.step) for state in states}
    if len(configs) > 1:
        raise StudyError("the matches have other offers; compare matches of one endowment and step")
    return configs.pop()


def play_in(seats: Sequence[SeatPlayed]) -> Play:
    """The distributions of play of seats of the Social Ultimatum Game."""
    return play_of([(one.match.match.state.history, one.seat) for one in seats], *offers_of(seats))


def _by_unit(seats: Sequence[SeatPlayed], units: Sequence[str]) -> Seats:
    found: dict[str, list[Any]] = {}
    for one, unit in zip(seats, units, strict=True):
        found.setdefault(unit, []).append((one.match.match.state.history, one.seat))
    return found


def _acts(state: Any, seat: Seat, event: Event) -> Iterator[Act]:
    whole, past = state.config.endowment, state.history
    if state.phase == "answer":
        for sender, offer in enumerate(state.offers, start=1):
            if offer[0] == seat:
                accepted = event.move[f"offer_{sender}"] == "accept"
                yield Act("sug-answer-given-offer", (offer[1] / whole,), float(accepted))
        return
    to, share = int(event.move["to"]), int(event.move["amount"]) / whole
    received = next(
        (round_[to - 1][1] / whole for round_ in reversed(past) if round_[to - 1][0] == seat), NOTHING
    )
    yield Act("sug-offer-given-received", (received,), share)
    own = next((round_[seat - 1] for round_ in reversed(past) if round_[seat - 1][0] == to), None)
    if own is not None:
        yield Act("sug-change-given-answer", (float(own[2]),), share - own[1] / whole)
    if past:
        proposers = {sender for sender, made in enumerate(past[-1], start=1) if made[0] == seat}
        whom = 0.0 if to in proposers else 1.0 if to == past[-1][seat - 1][0] else 2.0
        yield Act("sug-recipient-given-proposers", (float(len(proposers)),), whom)


REPORTS = SugReports()
