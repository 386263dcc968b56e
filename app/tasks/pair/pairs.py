"""The pairs of a study: read from a CSV file and joined with the facts of clips, records or texts."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.core.problems import nearest, quoted
from app.core.rowfiles import RowFile, check_id, check_name, rows_under, word_in
from app.library.kinds import StimulusKind
from app.tasks.pair.design import Member
from app.tasks.pair.terms import DesignPair
from app.trials.design import Kind
from app.trials.stimuli import HUMAN, NO_SOURCE, StimulusFacts, clips_among, content_of

COLUMNS = ("pair", "a", "b", "condition", "truth", "kind", "why")
REQUIRED = COLUMNS[:3]
_MOST_GUESSES = 20


@dataclass(frozen=True, slots=True)
class PairSpec:
    """One pair of a design; `position` counts from 1 in the design's order."""

    id: str
    a: str
    b: str
    source_a: str
    source_b: str
    condition: str
    kind: Kind
    truth: Member | None
    position: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class PairRow:
    """One row of a pair file, as far as it can be read without knowing the clips."""

    line: int
    id: str
    a: str
    b: str
    condition: str
    truth: Member | None
    kind: Kind
    why: str = ""


def truth_by_source(source_a: str, source_b: str, true_source: str) -> Member | None:
    """The member that is of the true source, when exactly one is; never where that is `NO_SOURCE`."""
    if true_source == NO_SOURCE or (source_a == true_source) == (source_b == true_source):
        return None
    return Member.A if source_a == true_source else Member.B


def shown_in(pairs: Sequence[PairSpec], stimuli: Mapping[str, StimulusFacts]) -> StimulusKind:
    """The kind shown by the first pair of known stimuli; a block has one kind."""
    return next((stimuli[pair.a].kind for pair in pairs if pair.a in stimuli), StimulusKind.CLIP)


def condition_by_source(source_a: str, source_b: str, true_source: str = HUMAN) -> str:
    """The two sources, the true one first and the rest by the alphabet: one name however a pair is turned."""
    return "-".join(sorted((source_a, source_b), key=lambda source: (source != true_source, source)))


def has_source(condition: str, source: str) -> bool:
    """True if a condition may be of this source: it is two, joined by `-`."""
    return condition.startswith(f"{source}-") or condition.endswith(f"-{source}")


@dataclass(slots=True)
class PairFile(RowFile):
    """A pair list's rows and problems."""

    rows: list[PairRow] = field(default_factory=list)


def read_pair_file(file: str, text: str, first_line: int = 1, *, by_row: bool = False) -> PairFile:
    """Read the rows of `text`; the rest says where it stands, for problems."""
    found = PairFile(file, first_line, by_row)
    for line, row in rows_under(found, text, COLUMNS, REQUIRED):
        _read_row(found, line, row)
    _check_together(found)
    return found


def _read_row(found: PairFile, line: int, row: Mapping[str, str]) -> None:
    """Check and store one row by itself: a bad cell must not hide other problems."""
    check_id(found, line, "pair", row["pair"])
    check_name(found, line, "condition", row["condition"])
    found.rows.append(
        PairRow(
            line=line,
            id=row["pair"],
            a=row["a"],
            b=row["b"],
            condition=row["condition"],
            truth=word_in(found, line, "truth", row["truth"], Member),
            kind=word_in(found, line, "kind", row["kind"], Kind) or Kind.MAIN,
            why=row["why"],
        )
    )


def _check_together(found: PairFile) -> None:
    first: dict[str, int] = {}
    for row in found.rows:
        if row.id and row.id in first:
            message = f"the pair {quoted(row.id)} comes twice; it stands {found.where(first[row.id])} already"
            found.refuse(row.line, message, "give each pair its own id")
        first.setdefault(row.id, row.line)
    if not any(row.kind is Kind.MAIN for row in found.rows) and (found.rows or not found.problems):
        message = "there is no main pair, so the trials' questions would give no data"
        found.refuse(None, message, "add pairs of kind main")


def check_clips(found: PairFile, stimuli: Mapping[str, StimulusFacts] | None) -> None:
    """Refuse a clip paired with itself, and two main pairs of the same clips in any order.

    Clips are the same if their content is; while `stimuli` are unknown, if their names are.
    """

    def content(name: str) -> str:
        facts = stimuli.get(name) if stimuli else None
        return content_of(facts) if facts else name

    shown: dict[frozenset[str], PairRow] = {}
    for row in found.rows:
        clips = frozenset((content(row.a), content(row.b)))
        if not row.a or not row.b:
            continue
        if len(clips) == 1:
            same = "are the same clip" if row.a == row.b else "are two names of the same clip"
            message = f"columns 'a' and 'b': {quoted(row.a)} and {quoted(row.b)} {same}"
            found.refuse(row.line, message, "pair two different clips")
        elif row.kind is Kind.MAIN:
            before = shown.setdefault(clips, row)
            if before is not row:
                message = f"the pair {quoted(row.id)} shows the same two clips as {quoted(before.id)}"
                found.refuse(row.line, message, f"remove this row, or the one {found.where(before.line)}")


def resolve_rows(
    found: PairFile, stimuli: Mapping[str, StimulusFacts], true_source: str = HUMAN
) -> list[PairSpec]:
    """Join rows with the stimuli they name; what does not fit is added to the file's problems.

    All pairs of a list show one kind: clips, records or texts.
    """
    pairs: list[PairSpec] = []
    remedies = dict[str, str]()
    nouns = "clip" if len(clips_among(stimuli)) == len(stimuli) else "clip, record or text"
    shown: StimulusKind | None = None
    for row in found.rows:
        for column, name in (("a", row.a), ("b", row.b)):
            if name and name not in stimuli:
                message = f"column {quoted(column)}: there is no {nouns} {quoted(name)}"
                found.refuse(row.line, message, _instead_of(name, stimuli, remedies))
        a, b = stimuli.get(row.a), stimuli.get(row.b)
        if a is None or b is None:
            continue
        shown = shown or a.kind
        if other := _of_another_kind(a, b, shown):
            found.refuse(row.line, *other)
            continue
        true = truth_by_source(a.source, b.source, true_source)
        if row.truth and true and row.truth is not true:
            message = f"column 'truth': it says {row.truth}, but clip {true} is the {true_source} one"
            found.refuse(row.line, message, f"write {true}, or leave it empty")
        pairs.append(
            PairSpec(
                id=row.id,
                a=a.name,
                b=b.name,
                source_a=a.source,
                source_b=b.source,
                condition=row.condition or condition_by_source(a.source, b.source, true_source),
                kind=row.kind,
                truth=row.truth or true,
                position=len(pairs) + 1,
                why=row.why,
            )
        )
    return pairs


def _of_another_kind(a: StimulusFacts, b: StimulusFacts, shown: StimulusKind) -> tuple[str, str] | None:
    """Message and remedy if the two stimuli are not both of the kind shown."""
    if a.kind is not b.kind:
        message = f"{quoted(a.name)} is a {a.kind}, and {quoted(b.name)} is a {b.kind}"
        return message, "pair two of one kind"
    if a.kind is not shown:
        message = f"{quoted(a.name)} and {quoted(b.name)} are {a.kind}s, and the pairs before show {shown}s"
        return message, "show one kind in a block, and the other in a block of its own"
    return None


def _instead_of(name: str, stimuli: Mapping[str, StimulusFacts], remedies: dict[str, str]) -> str:
    """The remedy for an unknown name. Looking for a similar one takes time, so only the first few get that."""
    if name not in remedies:
        known = stimuli if len(remedies) < _MOST_GUESSES else ()
        remedies[name] = nearest(name, known, "upload it first")
    return remedies[name]


def design_pair(pair: PairSpec, stimuli: Mapping[str, StimulusFacts]) -> DesignPair:
    """The pair at run time, with the hashes of what it shows."""
    return DesignPair(
        id=pair.id,
        a=pair.a,
        b=pair.b,
        source_a=pair.source_a,
        source_b=pair.source_b,
        condition=pair.condition,
        kind=pair.kind,
        truth=pair.truth,
        position=pair.position,
        clip_a_sha256=stimuli[pair.a].clip_sha256,
        clip_b_sha256=stimuli[pair.b].clip_sha256,
        why=pair.why,
    )


def pairs_as_csv(pairs: tuple[DesignPair, ...]) -> str:
    """The pairs as `pairs:` takes them, with everything said."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    n = len(COLUMNS) if any(pair.why for pair in pairs) else len(COLUMNS) - 1
    writer.writerow(COLUMNS[:n])
    for pair in pairs:
        row = (pair.id, pair.a, pair.b, pair.condition, pair.truth or "", pair.kind, pair.why)
        writer.writerow(row[:n])
    return text.getvalue()


def drawn_as_csv(pairs: Iterable[DesignPair | PairSpec]) -> str:
    """The pairs as `sample.drawn` keeps them: their truth is always that of the clips' sources."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("pair", "a", "b", "condition", "kind"))
    writer.writerows((pair.id, pair.a, pair.b, pair.condition, pair.kind) for pair in pairs)
    return text.getvalue()


def rows_by_id(text: str) -> Mapping[str, Mapping[str, str]] | str:
    """Rows by the pairs' ids; the text itself where it cannot be read."""
    found = read_pair_file("", text, by_row=True)
    if found.problems:
        return text
    cells = (
        (row.id, (row.a, row.b, row.condition, row.truth or "", row.kind, row.why)) for row in found.rows
    )
    named = {id_: dict(zip(COLUMNS[1:], rest, strict=True)) for id_, rest in cells}
    return {
        id_: {key: cell for key, cell in row.items() if cell or key != "why"} for id_, row in named.items()
    }
