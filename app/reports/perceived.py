"""Players' observations and subsequent actions from match logs: the input of signatures of play.

An observation is what the page showed that seat before the move. Default moves are not decisions.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sqlmodel import Session

from analysis.errors import AnalysisError
from analysis.signatures import NoSignatures, PlaySignatures, SeatPlay, compare_play
from analysis.signatures.play_signature import PlaySignature
from app.core.errors import NotFound, StudyError
from app.reports.export import columns_of, rows_of, write_csv
from app.reports.facts import designs_of
from app.reports.kinds import COUNTED_MODES
from app.tasks.game.games.reports import reports_of
from app.tasks.game.match import config_hash
from app.tasks.game.match_files import (
    HUMAN,
    PEOPLE,
    SEATS_FILE,
    MatchFile,
    NoMatchCounts,
    SeatPlayed,
    left_out_note,
    read_matches,
)
from app.tasks.game.settings import GameDesign

Played = PlaySignatures | NoSignatures
HANDED_OVER = "who took over a seat"
"""Company of players whose match had a seat that changed hands."""


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
                tuple(reports_of(match.game.name).acts(one)),
                HANDED_OVER if one.match.handed_over else "",
            )


def signatures_of(files: Sequence[MatchFile]) -> list[PlaySignature]:
    """The signatures of play of the games in these files."""
    seats: dict[str, list[SeatPlayed]] = {}
    for file in files:
        for one in file.seats:
            seats.setdefault(one.match.match.game.name, []).append(one)
    return [each for game, own in seats.items() for each in reports_of(game).signatures(own)]


def people_in(files: Sequence[MatchFile]) -> str:
    """The source that is people: persons, or simulated ones where there are none."""
    return next(
        (one.player for kind in PEOPLE for file in files for one in file.seats if one.occupant == kind),
        HUMAN,
    )


def matches_of_study(
    session: Session, slug: str, mode: str | None = None, *, everything: bool = False
) -> MatchFile | None:
    """The matches of a study that are over and count, of the mode asked for, or the first of live, simulated and pilot
    that has any; None without one. `everything` as `read_matches` takes it.

    Read from the same rows as the export of `moves` and `seats_played`, and replayed. Raises NotFound, StudyError
    where matches do not replay, and NoMatchCounts where all are left out.
    """
    designs = designs_of(session, slug).values()
    if not any(design.blocks_of(GameDesign) for design in designs):
        return None
    for one in COUNTED_MODES if mode is None else (mode,):
        with tempfile.TemporaryDirectory(prefix="moves-") as folder:
            path = Path(folder) / "moves.csv"
            if not _exported(session, slug, "moves", one, path):
                continue
            _exported(session, slug, "seats_played", one, path.with_name(SEATS_FILE))
            try:
                return replace(read_matches(path, everything=everything), path=Path(slug))
            except StudyError as error:
                kind = NoMatchCounts if isinstance(error, NoMatchCounts) else StudyError
                raise kind(str(error).replace(str(path), f"{slug}: the moves")) from None
    return None


def _exported(session: Session, slug: str, what: str, mode: str, path: Path) -> int:
    with path.open("wb") as file:
        return write_csv(rows_of(session, slug, what, [mode]), columns_of(session, slug, what), file)


def play_of_studies(
    session: Session, slugs: Sequence[str], mode: str | None, *, seed: int = 1, everything: bool = False
) -> Played | None:
    """Compare how sources played in the matches of these studies; people are persons, or simulated ones.

    `mode` and `everything` as `matches_of_study` takes them. None where no match is over; a reason where they cannot be
    compared. Raises NotFound for an unknown study.
    """
    try:
        files = [matches_of_study(session, slug, mode, everything=everything) for slug in slugs]
        return play_of_files(files, seed=seed)
    except NotFound:
        raise
    except StudyError as error:
        return NoSignatures(str(error))


def play_of_files(files: Sequence[MatchFile | None], *, seed: int = 1) -> Played | None:
    """Compare how sources played in the matches that are over; a study without such a match is None. The first note
    says how many matches are left out.

    None where no match is over; a reason where they cannot be compared."""
    over = [file for file in files if file is not None]
    try:
        if not over:
            return None
        seats = _numbered(list(seats_of(over)))
        found = compare_play(seats, human=people_in(over), signatures=signatures_of(over), seed=seed)
        return with_left_out(found, over)
    except (StudyError, AnalysisError) as error:
        return NoSignatures(str(error))


def with_left_out(found: PlaySignatures, files: Sequence[MatchFile]) -> PlaySignatures:
    """The same with a note on the matches of these files that are left out, if there are any."""
    note = left_out_note(files)
    return replace(found, notes=(note, *found.notes)) if note else found


def _numbered(seats: Sequence[SeatPlay]) -> Sequence[SeatPlay]:
    """Seats with numbers in place of sessions, as reports are passed on."""
    players = sorted({seat.player for seat in seats})
    digits = len(str(len(players)))
    numbers = {player: f"{at:0{digits}d}" for at, player in enumerate(players, start=1)}
    return [replace(seat, player=numbers[seat.player]) for seat in seats]
