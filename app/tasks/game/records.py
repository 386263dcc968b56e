"""Records of finished matches, for others to rate or compare: frozen files, and a manifest that the library imports.

A record is built from moves alone, through the view of a later judge. What says who played stands in the manifest.
"""

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median, stdev
from types import MappingProxyType
from typing import Final

from app.core.errors import StudyError
from app.core.spreadsheet import csv_text
from app.library.records import Line, Record, Round, canonical_json, sha256
from app.tasks.game.base import Seat
from app.tasks.game.games import KITS
from app.tasks.game.match import config_hash
from app.tasks.game.record_decisions import Decision
from app.tasks.game.record_options import Automatic, By, Hybrid, Options, Sources
from app.tasks.game.record_rounds import Parts, Played, RecordedMatch, reason_line
from app.tasks.game.replay import Replayed

MANIFEST: Final = "stimuli.csv"
TIMES: Final = ("rt_median_ms", "rt_sd_ms", "rt_of")
COLUMNS: Final = (
    *("file", "name", "source", "agent", "game", "config", "match", "seat", "role", "rounds", "text"),
    "automatic",
    *TIMES,
)
"""The columns of the manifest, in order (docs/games.md)."""
OF_DECISIONS: Final = ("decision", "round", "situation")
"""The columns that follow in a manifest of decisions."""
HYBRID: Final = "hybrid"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A record with its manifest entries; `seat` is None for the record of a match.

    `decision` has the values of `OF_DECISIONS`, and is empty for other records. `times` has those of `TIMES`, empty if
    unknown.
    """

    record: Record
    source: str
    agent: str
    game: str
    config: str
    match: str
    seat: Seat | None
    role: str
    automatic: int
    times: tuple[str, str, str] = ("", "", "")
    decision: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenRecords:
    """The number of records written by source, their length, and the number left out, by reason."""

    sources: Mapping[str, int]
    rounds: tuple[int, int]
    left_out: Mapping[str, int]


Agents = Mapping[tuple[str, Seat], str]
"""Names of agents by match and seat."""


def write_records(
    files: Iterable[tuple[Sequence[Replayed], Agents]],
    options: Options,
    folder: Path,
    attributes: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> WrittenRecords:
    """Write `records/HASH.json` and the manifest into a new folder: all, or nothing.

    `attributes` are more columns of the manifest, by the source of a record or the name of its agent.

    Raises StudyError where no record comes of the matches, or the folder is there already or cannot be written.
    """
    left_out: Counter[str] = Counter()
    found = [
        one
        for matches, agents in files
        for match in matches
        for one in records_of(match, agents, options, left_out)
    ]
    if not found:
        why = ", ".join(f"{n} {reason}" for reason, n in left_out.items())
        raise StudyError(f"no record comes of these matches: {why or 'they have no seats'}")
    try:
        _write(found, options, folder, attributes)
    except OSError as error:
        raise StudyError(f"cannot write {folder}: {error.strerror or error}") from None
    lengths = [len(one.record.rounds) for one in found]
    return WrittenRecords(Counter(one.source for one in found), (min(lengths), max(lengths)), left_out)


def records_of(one: Replayed, agents: Agents, options: Options, left_out: Counter[str]) -> Iterator[Recorded]:
    """The records of one match; those left out are counted by reason."""
    roles = one.match.game.seats(one.match.config)
    seats = [None] if options.by is By.MATCH else [role.seat for role in roles]
    view = one.match.game.view(one.match.state, "record")
    for seat in seats:
        concerned = [role.seat for role in roles if seat in (None, role.seat)]
        if options.hybrid is Hybrid.LEAVE_OUT and one.handed_over.intersection(concerned):
            left_out["with several occupants of a seat"] += 1
            continue
        looked = RecordedMatch(view, len(roles), seat, options.text, _personas(one, concerned))
        kit = KITS[one.match.game.name]
        found = kit.record(looked)
        found = replace(found, title=found.title or kit.page.title)
        automatic = _automatic(one, concerned)
        kept = _before_handover(one, concerned, found, options)
        if options.by is By.DECISION and seat is not None:
            for made in kit.decisions(one.match, looked, seat, found):
                if made.round not in kept.rounds or made.round > (options.rounds or made.round):
                    continue
                marked = bool(automatic & {made.round, made.round - 1})
                if marked and options.automatic is Automatic.LEAVE_OUT:
                    left_out["decisions that show an automatic move"] += 1
                    continue
                why = _reasons(one, looked, made.round, made.phase)
                with_reason = replace(made, move=(*made.move, *why))
                yield _decided(one, seat, found, with_reason, marked, agents, options)
            continue
        numbers = _window(kept, automatic, options)
        said = replace(
            kept, rounds={at: (*parts, *_reasons(one, looked, at)) for at, parts in kept.rounds.items()}
        )
        rounds = _rounds(said, numbers, automatic, kit.round_name)
        if len(rounds) < (options.rounds or 1):
            left_out[f"shorter than {_rounds_named(options.rounds or 1)}"] += 1
            continue
        record = Record(title=found.title, players=found.players, parts=found.parts, rounds=tuple(rounds))
        recorded = _recorded(one, record, seat, len(automatic.intersection(kept.rounds)), agents, options)
        yield replace(recorded, times=_times(one, seat, numbers))


def _personas(one: Replayed, seats: Sequence[Seat]) -> Mapping[Seat, str]:
    """The personas given to seats, from their own views."""
    views = {seat: one.match.game.view(one.match.state, seat) for seat in seats}
    return {seat: str(view.facts["persona"]) for seat, view in views.items() if view.facts.get("persona")}


def _reasons(one: Replayed, looked: RecordedMatch, number: int, phase: str = "") -> Parts:
    """The reasons for moves in a round, by the seat of a record, or by all, under the record's names."""
    what = KITS[one.match.game.name].phases
    said = [line for line in one.match.log if line.round == number and line.event.kind == "move"]
    return tuple(
        shown
        for seat in (looked.seats if looked.seat is None else [looked.seat])
        for line in said
        if line.event.seat == seat and phase in ("", line.phase)
        for shown in reason_line(
            looked.text,
            looked.name(seat) if looked.seat is None else "",
            what.get(line.phase, ""),
            _as_called(one, looked, line.event.reason),
        )
    )


def _as_called(one: Replayed, looked: RecordedMatch, text: str) -> str:
    """A text with seats under the record's names: players of some games know each other by name."""
    roles = one.match.game.seats(one.match.config)
    called = {role.name: looked.name(role.seat) for role in roles if role.name[:1].isupper()}
    if len(called) < len(roles):
        return text
    return re.sub(rf"\b({'|'.join(map(re.escape, called))})\b", lambda found: called[found[1]], text)


def _decided(
    one: Replayed, seat: Seat, found: Played, made: Decision, marked: bool, agents: Agents, options: Options
) -> Recorded:
    """The record of one decision. Its situation is the hash of everything shown before the move."""
    mark = (Line(text="A move that is shown here was made automatically."),) if marked else ()
    before = Record(title=found.title, players=found.players, parts=(*found.parts, *made.before))
    moved = Round(title="The decision", parts=(*made.move, *mark))
    record = before.model_copy(update={"rounds": (moved,)})
    decision = (made.name, str(made.round), sha256(before)[:16])
    recorded = _recorded(one, record, seat, int(marked), agents, options)
    return replace(recorded, times=_times(one, seat, (made.round,)), decision=decision)


def _recorded(
    one: Replayed, record: Record, seat: Seat | None, n_automatic: int, agents: Agents, options: Options
) -> Recorded:
    roles = one.match.game.seats(one.match.config)
    sources = {_source(one, role.seat, agents, options) for role in roles if seat in (None, role.seat)}
    return Recorded(
        record,
        "-".join(sorted(sources)),
        _agent(one, seat, agents) if seat else "",
        one.match.game.name,
        config_hash(one.match.config),
        # Numbers begin anew in each file: the hash keeps the matches of two files apart.
        f"{one.id}-{one.match.log[-1].state_hash[:8]}",
        seat,
        roles[seat - 1].name if seat else "",
        n_automatic,
    )


def _before_handover(one: Replayed, seats: Sequence[Seat], found: Played, options: Options) -> Played:
    """The play before a seat changed hands, if records end there; else all."""
    switches = [one.switched[seat] for seat in seats if seat in one.switched]
    if options.hybrid is not Hybrid.CUT or not switches:
        return found
    return replace(
        found, rounds={number: parts for number, parts in found.rounds.items() if number < min(switches)}
    )


def _window(found: Played, automatic: frozenset[int], options: Options) -> list[int]:
    """The numbers of the rounds that are shown."""
    marks = options.automatic is Automatic.MARK
    return [number for number in sorted(found.rounds) if marks or number not in automatic][: options.rounds]


def _rounds(found: Played, numbers: Sequence[int], automatic: frozenset[int], name: str) -> list[Round]:
    """The window, numbered without gaps, as a gap would say where a move was automatic."""
    mark = (Line(text="A move of this round was made automatically."),)
    return [
        Round(
            title=f"{name} {i}",
            parts=(*found.rounds[number], *(mark if number in automatic else ())),
        )
        for i, number in enumerate(numbers, 1)
    ]


def _times(one: Replayed, seat: Seat | None, rounds: Collection[int]) -> tuple[str, str, str]:
    """The times of a seat's own moves in these rounds: median and SD (ddof 1), and whose times they are."""
    took = [each for each in one.took.get(seat or 0, ()) if each.round in rounds]
    if not took:
        return "", "", ""
    ms = [each.ms for each in took]
    sd = f"{stdev(ms):.0f}" if len(ms) > 1 else ""
    return f"{median(ms):.0f}", sd, "-".join(sorted({each.by for each in took}))


def _automatic(one: Replayed, seats: Sequence[Seat]) -> frozenset[int]:
    """The rounds in which a move was made for one of the seats."""
    return frozenset(line.round for line in one.match.log if line.event.auto and line.event.seat in seats)


def _source(one: Replayed, seat: Seat, agents: Agents, options: Options) -> str:
    if seat in one.handed_over and options.hybrid is not Hybrid.CUT:
        return HYBRID
    return (options.sources is Sources.AGENT and _agent(one, seat, agents)) or one.occupants.get(
        seat, "nobody"
    )


def _agent(one: Replayed, seat: Seat, agents: Agents) -> str:
    is_program = seat not in one.handed_over and one.occupants.get(seat) != "human"
    return agents.get((one.id, seat), "") if is_program else ""


def _write(
    found: Sequence[Recorded], options: Options, folder: Path, attributes: Mapping[str, Mapping[str, str]]
) -> None:
    if folder.exists():
        raise StudyError(f"{folder} is there already; name another folder with --out")
    folder.parent.mkdir(parents=True, exist_ok=True)
    # In the target's own parent, as a rename is atomic only within one file system.
    part = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        (part / "records").mkdir()
        rows = list(_rows(found, options))
        for one, row in zip(found, rows, strict=True):
            (part / row[0]).write_text(canonical_json(one.record), encoding="utf-8")
        more = list(dict.fromkeys(name for own in attributes.values() for name in own))
        cells = [attributes.get(one.source) or attributes.get(one.agent, {}) for one in found]
        full = [[*row, *(own.get(name, "") for name in more)] for row, own in zip(rows, cells, strict=True)]
        columns = (*COLUMNS, *(OF_DECISIONS if options.by is By.DECISION else ()), *more)
        (part / MANIFEST).write_text(csv_text(columns, full), encoding="utf-8")
        # mkdtemp lets nobody but the owner in.
        part.chmod(0o755)
        part.rename(folder)
    # Ctrl-C, too, must leave no half of a folder, and is no Exception.
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
            *one.times,
            *one.decision,
        ]


def _rounds_named(n: int) -> str:
    return f"{n} round{'' if n == 1 else 's'}"
