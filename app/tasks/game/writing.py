"""Matches played into two files. An interrupted run continues after its last match, and writes the same bytes.

Until all is played the files are in the folder `.unfinished` of the requested folder, with `run.json` (the request) and
`played.txt`: a line for each match with the lengths of both files after it.
"""

import csv
import fcntl
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from operator import le
from pathlib import Path
from shutil import rmtree
from typing import IO, Protocol

from app.core.errors import StudyError
from app.core.spreadsheet import defused
from app.tasks.game.base import Player, canonical_json, state_hash
from app.tasks.game.files import MOVES, Played, agent_id, move_rows, seat_columns, seat_rows
from app.tasks.game.match import match_seed, play
from app.tasks.game.run import RunRequest

FILES = ("moves.csv", "seats_played.csv")
UNFINISHED, FINISHED, RUN, DONE = ".unfinished", ".finished", "run.json", "played.txt"


@dataclass(frozen=True, slots=True)
class WrittenMatches:
    """The number of matches in the files, and of those played by an earlier run."""

    matches: int
    earlier: int


class Seating(Protocol):
    """Makes the players of each match, and is told how it ended; `at_once` asks simultaneous players in threads."""

    @property
    def at_once(self) -> bool: ...

    def players(self, asked: RunRequest, match: str) -> Sequence[Player]: ...

    def ended(self, played: Played) -> None: ...


class InProcess:
    """Players who are fresh in each match, and need nothing but their agents."""

    at_once = False

    def players(self, asked: RunRequest, match: str) -> Sequence[Player]:
        """One for each agent."""
        return [agent.player() for agent in asked.agents]

    def ended(self, played: Played) -> None:
        """Do nothing."""


def played(runs: Sequence[RunRequest], after: int = 0, seating: Seating | None = None) -> Iterator[Played]:
    """The matches one after the other, numbered from 1; those up to `after` are passed over."""
    seating = seating or InProcess()
    todo = (
        (asked, config, i) for asked in runs for config in asked.configs for i in range(1, asked.matches + 1)
    )
    for number, (asked, config, i) in islice(enumerate(todo, start=1), after, None):
        players, seed = seating.players(asked, str(number)), match_seed(asked.seed, config, i)
        one = Played(str(number), play(asked.game, config, players, seed, seating.at_once), asked.agents)
        seating.ended(one)
        yield one


Progress = Callable[[int, int, str], None]


def write(
    runs: Sequence[RunRequest], folder: Path, on_progress: Progress, seating: Seating | None = None
) -> WrittenMatches:
    """Play, and write `moves.csv` and `seats_played.csv` into a folder that has neither.

    Raises StudyError if the folder cannot be written, has one of the files, or has an unfinished run of something else,
    or one that is under way.
    """
    try:
        return _write(runs, folder, on_progress, seating)
    except OSError as error:
        raise StudyError(f"cannot write {folder}: {error.strerror or error}") from None


def _write(
    runs: Sequence[RunRequest], folder: Path, on_progress: Progress, seating: Seating | None
) -> WrittenMatches:
    part, total = folder / UNFINISHED, sum(len(asked.configs) * asked.matches for asked in runs)
    if not part.exists() and (there := [name for name in FILES if (folder / name).exists()]):
        raise StudyError(f"{folder} has {' and '.join(there)} already; name another folder with --out")
    part.mkdir(parents=True, exist_ok=True)
    with (part / RUN).open("a+", encoding="utf-8") as run:
        _alone(run, part)
        _same(run, runs, part)
        kept = _lengths_written(part)
        earlier = max(len(kept) - 1, 0)
        if earlier < total:
            _play_on(part, kept, played(runs, earlier, seating), lambda done: on_progress(done, total, ""))
        for path in (part / name for name in FILES if (part / name).exists()):
            path.replace(folder / path.name)
        rmtree(folder / FINISHED, ignore_errors=True)
        # Renamed before it is removed: a removal that is cut off would look like an unfinished run.
        part.rename(folder / FINISHED)
    rmtree(folder / FINISHED, ignore_errors=True)
    return WrittenMatches(total, earlier)


def _alone(run: IO[str], part: Path) -> None:
    try:
        # The system frees this lock when a process dies; a file that marks a run under way would stay.
        fcntl.flock(run, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise StudyError(f"another run is writing {part.parent}; wait until it is over") from None


def _same(run: IO[str], runs: Sequence[RunRequest], part: Path) -> None:
    """Store the request, or raise StudyError if another run was begun."""
    asked = [
        {
            "game": one.game.name,
            "version": one.game.version,
            "agents": [agent_id(agent) for agent in one.agents],
            "configs": state_hash([canonical_json(config) for config in one.configs]),
            "n_configs": len(one.configs),
            "matches": one.matches,
            "seed": one.seed,
        }
        for one in runs
    ]
    # A file opened with a+ is read from its end.
    run.seek(0)
    begun = run.read()
    if not begun:
        run.write(canonical_json(asked))
        run.flush()
    elif begun != canonical_json(asked):
        raise StudyError(
            f"{part} has an unfinished run of something else: {begun}; ask for the same to finish it, delete that "
            "folder, or name another with --out"
        )


def _lengths_written(part: Path) -> list[tuple[int, ...]]:
    """The lengths of both files before the first match and after each, as far as both files have as much."""
    done = part / DONE
    lines = done.read_text(encoding="ascii").splitlines(keepends=True) if done.exists() else []
    there = [_size(part / name) or _size(part.parent / name) for name in FILES]
    kept = []
    for line in lines:
        lengths = tuple(int(cell) for cell in line.split() if cell.isdecimal())
        fits = len(lengths) == len(FILES) and all(map(le, lengths, there))
        # A line without its end was cut off while it was written.
        if not line.endswith("\n") or not fits:
            break
        kept.append(lengths)
    done.write_text("".join(_line(lengths) for lengths in kept), encoding="ascii")
    return kept


def _play_on(
    part: Path, kept: Sequence[tuple[int, ...]], to_play: Iterable[Played], on_played: Callable[[int], None]
) -> None:
    with ExitStack() as stack:
        files = [stack.enter_context((part / name).open("ab")) for name in FILES]
        done = stack.enter_context((part / DONE).open("a", encoding="ascii"))

        def write_of(tables: Sequence[Iterable[Sequence[str]]]) -> None:
            for file, rows in zip(files, tables, strict=True):
                file.write(_csv(rows))
                file.flush()
            done.write(_line([file.tell() for file in files]))
            done.flush()

        for file, length in zip(files, kept[-1] if kept else (0, 0), strict=True):
            # A match that was cut off while it was written is played again.
            file.truncate(length)
            # Writing appends wherever the position is, but tell() reports it.
            file.seek(length)
        earlier = max(len(kept) - 1, 0)
        for number, one in enumerate(to_play, start=earlier + 1):
            if not kept and number == 1:
                write_of(([MOVES], [seat_columns(one.match)]))
            write_of((move_rows(one), seat_rows(one)))
            on_played(number)
        for file in files:
            # After a power failure a file that was only renamed may be empty under its new name.
            os.fsync(file.fileno())


def _line(lengths: Sequence[int]) -> str:
    return " ".join(map(str, lengths)) + "\n"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _csv(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([defused(cell) for cell in row] for row in rows)
    return text.getvalue().encode()
