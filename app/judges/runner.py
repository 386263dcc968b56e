"""A judge over many pairs: blind, timed, stamped. What fails is a row that says why."""

import csv
import hashlib
import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields, replace
from datetime import UTC, datetime, timedelta

from app.core.spreadsheet import defused
from app.judges.base import (
    Choice,
    Judge,
    JudgeFailed,
    JudgeInfo,
    JudgeUnavailable,
    PairFiles,
    StimulusFiles,
    Verdict,
)

OnProgress = Callable[[int, int, str], None]
Clock = Callable[[], datetime]

_MIRRORED: dict[Choice | None, Choice | None] = {"a": "b", "b": "a", None: None}
_LONGEST_PROBLEM = 300


@dataclass(frozen=True, slots=True)
class Span:
    """The part of a recording that a clip shows, in seconds from the recording's beginning."""

    start_s: float
    lasts_s: float


@dataclass(frozen=True, slots=True)
class PairToJudge:
    """A pair of a study under its own name, which the judge does not see, with its members' files.

    Positions are of whole recordings: `spans.as_shown` cuts them to the spans that the clips show. `hashes` are the
    SHA-256 of a member's files, original and as shown, by which a clip used in training is recognized.
    """

    study: str
    pair: str
    question: str
    a: StimulusFiles
    b: StimulusFiles
    span_a: Span | None = None
    span_b: Span | None = None
    hashes_a: frozenset[str] = frozenset()
    hashes_b: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One line of a verdict file; the fields are its columns.

    `choice` is a member of the study's pair, None where the judge abstained or failed; `problem` says why it failed.
    """

    judge: str
    pair: str
    choice: Choice | None
    score: float | None
    run: str
    study: str
    version: str
    judged_at: datetime
    duration_ms: int
    problem: str
    scale: str


COLUMNS = tuple(field.name for field in fields(VerdictRow))


def run_judge(
    judge: Judge, pairs: Sequence[PairToJudge], on_progress: OnProgress, now: Clock
) -> list[VerdictRow]:
    """One row for each pair, in their order. `on_progress` may raise to stop between two pairs.

    Raises JudgeUnavailable where the judge cannot be prepared.
    """
    info = judge.info
    on_progress(0, len(pairs), info.name)
    try:
        judge.prepare()
    except JudgeUnavailable:
        raise
    except Exception as error:
        # A judge is anybody's code.
        raise JudgeUnavailable(
            f"{info.name} cannot be prepared ({_short(f'{type(error).__name__}: {error}')})"
        ) from error
    rows = []
    for done, pair in enumerate(pairs, start=1):
        begun_at = now()
        verdict, problem = _judged(judge, pair)
        took = now() - begun_at
        rows.append(
            VerdictRow(
                judge=info.name,
                pair=pair.pair,
                choice=verdict.choice,
                score=verdict.score,
                run="",
                study=pair.study,
                version=info.version,
                judged_at=begun_at,
                duration_ms=max(0, round(took / timedelta(milliseconds=1))),
                problem=problem,
                scale="probability" if info.even else "support",
            )
        )
        on_progress(done, len(pairs), info.name)
    return rows


def _judged(judge: Judge, pair: PairToJudge) -> tuple[Verdict, str]:
    """The verdict in the members of the study's pair, and what went wrong, if anything did."""
    shown, is_mirrored = blinded(pair)
    try:
        verdict = judge.judge(shown)
        _check(verdict, judge.info)
    except JudgeFailed as failure:
        return Verdict(None, None), _problem(failure, pair)
    except Exception as error:
        # A judge is anybody's code: one pair that it trips over must not cost the others.
        return Verdict(None, None), _short(f"{type(error).__name__}: {error}")
    return (mirrored(verdict, judge.info) if is_mirrored else verdict), ""


def blinded(pair: PairToJudge) -> tuple[PairFiles, bool]:
    """The pair as a judge sees it, and whether its members are swapped.

    The file that comes first by name, which is its content hash, is `a`: this order does not depend on the study or the
    author of its pairs, and is the same if a and b are exchanged.
    """
    names_a, names_b = _names(pair.a), _names(pair.b)
    is_mirrored = names_b < names_a
    first, second = (pair.b, pair.a) if is_mirrored else (pair.a, pair.b)
    both_names = "\n".join((*_names(first), *_names(second)))
    opaque = hashlib.sha256(both_names.encode()).hexdigest()[:16]
    return PairFiles(opaque, pair.question, first, second), is_mirrored


def _names(files: StimulusFiles) -> tuple[str, ...]:
    """File names that determine the order; unchanged for clips, so that existing verdicts stay the same."""
    if files.content:
        return "", "", hashlib.sha256(files.content.encode()).hexdigest()
    return files.clip.name if files.clip else "", files.positions.name if files.positions else ""


def mirrored(verdict: Verdict, info: JudgeInfo) -> Verdict:
    """The same verdict where a is called b."""
    # Adding 0.0 turns -0.0 into 0.0 (IEEE 754).
    score = None if verdict.score is None else 2 * info.even - verdict.score + 0.0
    return replace(verdict, choice=_MIRRORED[verdict.choice], score=score)


def _check(verdict: Verdict, info: JudgeInfo) -> None:
    if verdict.choice not in _MIRRORED:
        raise JudgeFailed(None, f"the judge chose {verdict.choice!r}; allowed are a, b and none")
    if verdict.score is not None and not math.isfinite(verdict.score):
        raise JudgeFailed(None, f"the judge gave the score {verdict.score}, which is no number")


def _problem(failure: JudgeFailed, pair: PairToJudge) -> str:
    """The problem, with the member whose file caused it, by the study's names."""
    members = [
        member
        for member, files in (("a", pair.a), ("b", pair.b))
        if failure.file is not None and failure.file in (files.clip, files.positions)
    ]
    return _short(f"{' and '.join(members)}: {failure}" if members else str(failure))


def _short(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_PROBLEM]


def verdicts_csv(rows: Iterable[VerdictRow]) -> str:
    """Verdicts as a CSV table in UTF-8; an empty cell is missing."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_cell(value) for value in astuple(row)] for row in rows)
    return table.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return defused(value) if isinstance(value, str) else value
