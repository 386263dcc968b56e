"""Records of finished matches, for others to rate or compare: frozen files, and a manifest that the library imports.

A record is built from moves alone, through the view of a later judge. What says who played stands in the manifest.
"""

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.core.errors import StudyError
from app.core.spreadsheet import csv_text
from app.library.records import Line, Record, Round, canonical_json, sha256
from app.tasks.game.base import Seat
from app.tasks.game.match import config_hash
from app.tasks.game.record_options import Automatic, By, Hybrid, Options, Sources
from app.tasks.game.record_rounds import Looked, Shown, shown
from app.tasks.game.replay import Replayed

MANIFEST: Final = "stimuli.csv"
COLUMNS: Final = (
    *(
        "file",
        "name",
        "source",
        "agent",
        "game",
        "config",
        "match",
        "seat",
        "role",
        "rounds",
        "text",
        "automatic",
    ),
)
"""The columns of the manifest, in order (docs/games.md)."""
HYBRID: Final = "hybrid"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A record with what the manifest says of it; `seat` is None for the record of a match."""

    record: Record
    source: str
    agent: str
    game: str
    config: str
    match: str
    seat: Seat | None
    role: str
    automatic: int


@dataclass(frozen=True, slots=True)
class Written:
    """How many records were written by source, how long they are, and how many were left out, by reason."""

    sources: Mapping[str, int]
    rounds: tuple[int, int]
    left_out: Mapping[str, int]


Agents = Mapping[tuple[str, Seat], str]
"""Names of agents by match and seat."""


def write_records(
    files: Iterable[tuple[Sequence[Replayed], Agents]], options: Options, folder: Path
) -> Written:
    """Write `records/HASH.json` and the manifest into a new folder: all, or nothing.

    Raises StudyError where no record comes of the matches, or the folder is there already or cannot be written.
    """
    left_out: Counter[str] = Counter()
    found = [
        one for matches, agents in files for match in matches for one in _of(match, agents, options, left_out)
    ]
    if not found:
        why = ", ".join(f"{n} {reason}" for reason, n in left_out.items())
        raise StudyError(f"no record comes of these matches: {why or 'they have no seats'}")
    try:
        _write(found, options, folder)
    except OSError as error:
        raise StudyError(f"cannot write {folder}: {error.strerror or error}") from None
    lengths = [len(one.record.rounds) for one in found]
    return Written(Counter(one.source for one in found), (min(lengths), max(lengths)), left_out)


def _of(one: Replayed, agents: Agents, options: Options, left_out: Counter[str]) -> Iterator[Recorded]:
    roles = one.match.game.seats(one.match.config)
    seats = [role.seat for role in roles] if options.by is By.SEAT else [None]
    view = one.match.game.view(one.match.state, "record")
    for seat in seats:
        concerned = [role.seat for role in roles if seat in (None, role.seat)]
        if options.hybrid is Hybrid.LEAVE_OUT and one.handed_over.intersection(concerned):
            left_out["with several occupants of a seat"] += 1
            continue
        found = shown(one.match.game.name, Looked(view, len(roles), seat, options.text))
        automatic = _automatic(one, concerned)
        rounds = _rounds(found, automatic, options)
        if len(rounds) < (options.rounds or 1):
            left_out[f"shorter than {_rounds_named(options.rounds or 1)}"] += 1
            continue
        record = Record(title=found.title, players=found.players, parts=found.parts, rounds=tuple(rounds))
        sources = [_source(one, each, agents, options) for each in concerned]
        yield Recorded(
            record,
            "-".join(sorted(set(sources))),
            _agent(one, seat, agents) if seat else "",
            one.match.game.name,
            config_hash(one.match.config),
            f"{one.id}-{one.match.log[-1].state_hash[:8]}",
            seat,
            roles[seat - 1].name if seat else "",
            len(automatic.intersection(found.rounds)),
        )


def _rounds(found: Shown, automatic: frozenset[int], options: Options) -> list[Round]:
    """The window, numbered without gaps, as a gap would say where a move was automatic."""
    marks = options.automatic is Automatic.MARK
    kept = [
        (number, parts) for number, parts in sorted(found.rounds.items()) if marks or number not in automatic
    ]
    mark = (Line(text="A move of this round was made automatically."),)
    return [
        Round(title=f"{found.round_name} {i}", parts=(*parts, *(mark if number in automatic else ())))
        for i, (number, parts) in enumerate(kept[: options.rounds], 1)
    ]


def _automatic(one: Replayed, seats: Sequence[Seat]) -> frozenset[int]:
    """The rounds in which a move was made for one of the seats."""
    return frozenset(line.round for line in one.match.log if line.event.auto and line.event.seat in seats)


def _source(one: Replayed, seat: Seat, agents: Agents, options: Options) -> str:
    if seat in one.handed_over:
        return HYBRID
    return (options.sources is Sources.AGENT and _agent(one, seat, agents)) or one.occupants.get(
        seat, "nobody"
    )


def _agent(one: Replayed, seat: Seat, agents: Agents) -> str:
    is_program = seat not in one.handed_over and one.occupants.get(seat) != "human"
    return agents.get((one.id, seat), "") if is_program else ""


def _write(found: Sequence[Recorded], options: Options, folder: Path) -> None:
    if folder.exists():
        raise StudyError(f"{folder} is there already; name another folder with --out")
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        (part / "records").mkdir()
        rows = list(_rows(found, options))
        for one, row in zip(found, rows, strict=True):
            (part / row[0]).write_text(canonical_json(one.record), encoding="utf-8")
        (part / MANIFEST).write_text(csv_text(COLUMNS, rows), encoding="utf-8")
        part.chmod(0o755)
        part.rename(folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def _rows(found: Sequence[Recorded], options: Options) -> Iterator[list[str]]:
    """Names are made from the content; of several records of one content the second has `-2` and so on."""
    times: Counter[str] = Counter()
    for one in found:
        digest = sha256(one.record)
        times[digest] += 1
        again = f"-{times[digest]}" if times[digest] > 1 else ""
        yield [
            f"records/{digest}.json",
            f"{one.game}-{digest[:16]}{again}",
            one.source,
            one.agent,
            one.game,
            one.config,
            one.match,
            "" if one.seat is None else str(one.seat),
            one.role,
            str(len(one.record.rounds)),
            options.text,
            str(one.automatic),
        ]


def _rounds_named(n: int) -> str:
    return f"{n} round{'' if n == 1 else 's'}"
