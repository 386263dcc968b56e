"""What players perceived and then did, from the logs of matches: what signatures of play are counted from.

Perceived is what the page showed that seat before the move. Default moves made for somebody are no decisions.
"""

import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlmodel import Session

from analysis.errors import AnalysisError
from analysis.signatures import Act, NoSignatures, PlaySignatures, SeatPlay, compare_play
from app.core.errors import NotFound, StudyError
from app.reports.export import columns_of, rows_of, write_csv
from app.reports.facts import COUNTED_MODES, designs_of
from app.reports.kinds import What
from app.reports.matches import HUMAN, PEOPLE, SEATS_FILE, MatchFile, SeatPlayed, read_matches
from app.tasks.game.agents.glee_persuasion import recommended
from app.tasks.game.base import Event, Seat
from app.tasks.game.match import config_hash

Played = PlaySignatures | NoSignatures
NOTHING = math.nan
_ANSWERS = {"accept": 0.0, "reject": 1.0, "outside": 2.0}


def seats_of(files: Sequence[MatchFile]) -> Iterator[SeatPlay]:
    """Every seat of these files that one occupant had throughout; an agent is one player of its source."""
    for number, file in enumerate(files):
        for one in file.seats:
            match = one.match.match
            of = one.match.id if len(files) == 1 else f"{number}/{one.match.id}"
            person = one.person if len(files) == 1 else f"{number}/{one.person}"
            player = person if one.occupant in PEOPLE else one.player
            yield SeatPlay(
                of,
                match.game.name,
                one.player,
                player,
                config_hash(match.config),
                one.role,
                tuple(_acts(one)),
            )


def people_in(files: Sequence[MatchFile]) -> str:
    """The source that is people: persons, or simulated ones where there are none."""
    return next(
        (one.player for kind in PEOPLE for file in files for one in file.seats if one.occupant == kind),
        HUMAN,
    )


def matches_of_study(session: Session, slug: str, mode: str | None = None) -> MatchFile | None:
    """The matches of a study that are over and count, of the mode asked for, or the first of live, simulated and pilot
    that has any; None without one.

    Read from the same rows as the export of `moves` and `seats_played`, and replayed. Raises NotFound, and StudyError
    where matches do not replay or all are excluded.
    """
    designs = designs_of(session, slug).values()
    if not any(design.game_blocks for design in designs):
        return None
    for one in COUNTED_MODES if mode is None else (mode,):
        with tempfile.TemporaryDirectory(prefix="moves-") as folder:
            path = Path(folder) / "moves.csv"
            if not _exported(session, slug, What.MOVES, one, path):
                continue
            _exported(session, slug, What.SEATS_PLAYED, one, path.with_name(SEATS_FILE))
            try:
                return replace(read_matches(path), path=Path(slug))
            except StudyError as error:
                raise StudyError(str(error).replace(str(path), f"{slug}: the moves")) from None
    return None


def _exported(session: Session, slug: str, what: What, mode: str, path: Path) -> int:
    with path.open("wb") as file:
        return write_csv(rows_of(session, slug, what, [mode]), columns_of(session, slug, what), file)


def play_of_studies(
    session: Session, slugs: Sequence[str], mode: str | None, *, seed: int = 1
) -> Played | None:
    """Compare how sources played in the matches of these studies; people are persons, or simulated ones.

    `mode` as `matches_of_study` takes it. None where no match is over; a reason where they cannot be compared. Raises
    NotFound for an unknown study."""
    try:
        return play_of_files([matches_of_study(session, slug, mode) for slug in slugs], seed=seed)
    except NotFound:
        raise
    except StudyError as error:
        return NoSignatures(str(error))


def play_of_files(files: Sequence[MatchFile | None], *, seed: int = 1) -> Played | None:
    """Compare how sources played in the matches that are over; a study without such a match is None.

    None where no match is over; a reason where they cannot be compared."""
    over = [file for file in files if file is not None]
    try:
        return (
            compare_play(_numbered(list(seats_of(over))), human=people_in(over), seed=seed) if over else None
        )
    except (StudyError, AnalysisError) as error:
        return NoSignatures(str(error))


def _numbered(seats: Sequence[SeatPlay]) -> Sequence[SeatPlay]:
    """With numbers instead of sessions: a report is passed on."""
    players = sorted({seat.player for seat in seats})
    digits = len(str(len(players)))
    numbers = {player: f"{at:0{digits}d}" for at, player in enumerate(players, start=1)}
    return [replace(seat, player=numbers[seat.player]) for seat in seats]


def _acts(one: SeatPlayed) -> Iterator[Act]:
    match = one.match.match
    game, state = match.game, match.game.initial(match.config)
    acts = _ACTS[game.name]
    for line in match.log:
        event = line.event
        if event.kind == "move" and event.seat == one.seat and not event.auto:
            yield from acts(state, one.seat, event)
        state = game.apply(state, event)


def _ultimatum(state: Any, seat: Seat, event: Event) -> Iterator[Act]:
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


def _water(state: Any, seat: Seat, event: Event) -> Iterator[Act]:
    status, config = state.statuses[seat - 1], state.config
    if not status.balance:
        return
    bid = int(event.move["amount"]) / status.balance
    yield Act("wac-bid-given-health", (status.health / config.most_health,), bid)
    yield Act("wac-bid-given-drought", (float(status.next_loss - 1),), bid)
    yield Act("wac-bid-given-supply", (state.supply / config.residents[seat - 1].need,), bid)


def _offers(
    prefix: str, answered: str, gain: Callable[[Any, Seat, int], float], state: Any, seat: Seat, event: Event
) -> Iterator[Act]:
    """Of the two games of offers in turn: how a demand changes, and how an offer is answered."""
    place = float(seat - 1)
    if state.standing:
        answer = str(event.move["answer"])
        did = float(answer == "accept") if prefix == "bargaining" else _ANSWERS[answer]
        yield Act(answered, (place, gain(state, seat, state.standing.amount)), did)
        return
    own = [one.amount for one in state.answered if one.proposer == seat]
    other = [one.amount for one in state.answered if one.proposer != seat]
    if own:
        amount = int(event.move["alice_gain" if prefix == "bargaining" else "price"])
        change = gain(state, seat, amount) - gain(state, seat, own[-1])
        yield Act(f"{prefix}-change-given-offer", (place, gain(state, seat, other[-1])), change)


def _bargaining(state: Any, seat: Seat, event: Event) -> Iterator[Act]:
    def gain(of: Any, seat: Seat, amount: int) -> float:
        return float(amount if seat == 1 else of.config.money - amount) / float(of.config.money)

    yield from _offers("bargaining", "bargaining-answer-given-offer", gain, state, seat, event)


def _negotiation(state: Any, seat: Seat, event: Event) -> Iterator[Act]:
    def gain(of: Any, seat: Seat, price: int) -> float:
        value = of.config.values[seat - 1]
        return float(price - value if seat == 1 else value - price) / float(of.config.money)

    yield from _offers("negotiation", "negotiation-answer-given-price", gain, state, seat, event)


def _persuasion(state: Any, seat: Seat, event: Event) -> Iterator[Act]:
    current = state.current
    if seat == 1:
        said = {"recommended": event.move.get("buy"), "message": event.message}
        yield Act("persuasion-recommends-given-quality", (float(current.good),), float(recommended(said)))
        return
    speaks = float(_spoken_for(current))
    yield Act("persuasion-buys-given-message", (speaks, _honesty(state)), float(event.move["buy"]))


def _honesty(state: Any) -> float:
    """Of the products that the seller spoke for, the share that was good. A myopic buyer sees how many of those bought
    were good, and no more."""
    if state.config.buyer == "myopic":
        seen = [product for product in state.past if product.bought]
    else:
        seen = [product for product in state.past if _spoken_for(product)]
    return sum(product.good for product in seen) / len(seen) if seen else NOTHING


def _spoken_for(product: Any) -> bool:
    return recommended({"recommended": product.recommended, "message": product.message})


_ACTS: Mapping[str, Callable[[Any, Seat, Event], Iterator[Act]]] = {
    "sug": _ultimatum,
    "wac": _water,
    "glee-bargaining": _bargaining,
    "glee-negotiation": _negotiation,
    "glee-persuasion": _persuasion,
}
