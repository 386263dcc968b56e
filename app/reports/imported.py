"""Answers from elsewhere into SQL: the same tables as our own studies, so the same numbers come out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
from sqlalchemy import insert
from sqlmodel import Session, col, select

from app.core.errors import Conflict, StudyError
from app.library.tables import Stimulus
from app.questions.base import Question
from app.questions.sides import Pressed
from app.studies.collections import begin_collections
from app.studies.file.design import DesignCompletion, DesignConsent, DesignTruth, StudyDesign
from app.studies.file.model import SLUG_PATTERN
from app.studies.versions import add_units
from app.tasks.pair.design import Member, PairPlan, pressed_for
from app.tasks.pair.settings import PairDesign
from app.tasks.pair.terms import DesignPair, DesignTrials
from app.tasks.registry import AnyDesign
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, State, Status, Study, StudyVersion, Trial, Unit

# The version of the consent of studies whose answers came with a mapping file, and its text's beginning.
MAPPED = "mapped"
ABOUT = "Asked where the answers were collected."
# Of a response, as they are in a table of responses.
_ANSWERED = ("uncertainty", "certainty", "rationale", "rt_ms", "layout", "opened_ms", "interval_ms")
_TIMES = ("shown_at", "answered_at")


@dataclass(frozen=True, slots=True)
class CollectionDetails:
    """The circumstances in which the answers were collected; `consent` is the version that marks such an import."""

    title: str
    consent: str
    about: str
    questions: tuple[Question, ...]
    truth: DesignTruth = field(default_factory=DesignTruth)
    sides_known: bool = True


@dataclass(frozen=True, slots=True)
class Imported:
    slug: str
    n_participants: int
    n_responses: int


def refuse_known_studies(session: Session, slugs: Sequence[str], origin: object) -> None:
    """Raise Conflict for a study that is there already."""
    known = select(Study.slug).where(col(Study.slug).in_(slugs)).order_by(col(Study.slug))
    there = session.exec(known).first()
    if there:
        raise Conflict(f"{origin}: study {there!r} is there already; nothing was imported")


def require_slug(path: Path, slug: str) -> None:
    """Raise StudyError for a name that no study can have here, with one that it can have."""
    if not re.fullmatch(SLUG_PATTERN, slug):
        made = re.sub(r"[^a-z0-9]+", "-", slug.lower()).strip("-")[:64] or "elsewhere-1"
        raise StudyError(
            f"{path}: {slug!r} is no name of a study here; write `study: {made}` into the mapping, or give such names "
            "under `values`, `study` (lower-case letters, digits and -, at most 64)"
        )


def taken_of(about: str) -> str:
    """The assumptions made in an import, as stored in its study."""
    return about.removeprefix(ABOUT).strip()


def store_study(
    session: Session, slug: str, rows: pd.DataFrame, asked: CollectionDetails, now: datetime
) -> Imported:
    """Store checked responses as a closed study of one version. Clips that are there already by name are used.

    Raises Conflict for a clip that is there with another source.
    """
    pairs = rows.drop_duplicates("pair")
    _add_stimuli(session, pairs, now)
    clips = dict(session.execute(select(Stimulus.name, Stimulus.clip_sha256)).all())
    version = add_version(session, _design(slug, pairs, clips, asked), now, sides_known=asked.sides_known)
    _add_answers(session, version, rows, now)
    return Imported(slug, int(rows["participant"].nunique()), len(rows))


def add_version(
    session: Session, design: StudyDesign, now: datetime, *, sides_known: bool = True
) -> StudyVersion:
    """A closed study with its one version, frozen, and the units of it."""
    study = Study(slug=design.study, state=State.CLOSED, created_at=now)
    session.add(study)
    session.flush()
    begin_collections(session, study.id or 0, design.title, None, now)
    version = StudyVersion(
        study_id=study.id or 0,
        number=1,
        sha256=design.sha256(),
        design=design.canonical_json(),
        padded_bytes=0,
        created_at=now,
        frozen_at=now,
        sides_known=None if sides_known else False,
    )
    session.add(version)
    session.flush()
    add_units(session, version, design)
    return version


def completed_design(
    slug: str, title: str, consent: str, about: str, truth: DesignTruth, block: AnyDesign
) -> StudyDesign:
    """The design of a study of one block, as far as its answers tell it; its texts are not part of them."""
    return StudyDesign(
        study=slug,
        title=title,
        consent=DesignConsent(version=consent, text=about),
        background=(),
        instructions=None,
        truth=truth,
        blocks=(block,),
        completion=DesignCompletion(message="Thank you."),
    )


def _add_stimuli(session: Session, pairs: pd.DataFrame, now: datetime) -> None:
    sources = {
        str(name): "" if pd.isna(source) else str(source)
        for member in Member
        for name, source in zip(pairs[f"stimulus_{member}"], pairs[f"source_{member}"], strict=True)
    }
    there = dict(session.execute(select(Stimulus.name, Stimulus.source)).all())
    for name in sources.keys() & there.keys():
        if sources[name] != there[name]:
            raise Conflict(
                f"the clip {name!r} is there already, of source {there[name]!r}, and the answers say "
                f"{sources[name]!r}; give one of the two another name"
            )
    session.add_all(
        Stimulus(name=name, source=source, attributes={}, rules={}, imported_at=now)
        for name, source in sources.items()
        if name not in there
    )
    session.flush()


def _design(
    slug: str, pairs: pd.DataFrame, clips: Mapping[str, str | None], asked: CollectionDetails
) -> StudyDesign:
    block = PairDesign(
        task="pair",
        sample=None,
        pairs=tuple(
            DesignPair(
                id=row["pair"],
                a=row["stimulus_a"],
                b=row["stimulus_b"],
                source_a=row["source_a"] or "",
                source_b=row["source_b"] or "",
                condition=row["condition"] or "",
                kind=row["kind"],
                truth=row["truth"],
                position=position,
                clip_a_sha256=clips[row["stimulus_a"]] or "",
                clip_b_sha256=clips[row["stimulus_b"]] or "",
            )
            for position, row in enumerate(records(pairs), 1)
        ),
        trials=DesignTrials(order="fixed", sides="fixed", watch="free", questions=asked.questions),
    )
    return completed_design(slug, asked.title, asked.consent, asked.about, asked.truth, block)


def records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Each row by column, a missing cell as None."""
    # As objects first, since a column of integers holds no None.
    plain = rows.astype(object)
    return plain.where(rows.notna(), None).to_dict("records")  # type: ignore[return-value]


def _add_answers(session: Session, version: StudyVersion, rows: pd.DataFrame, now: datetime) -> None:
    named = select(Unit.name, Unit.id).where(Unit.version_id == version.id)
    unit_ids = dict(session.execute(named).all())
    session_ids = add_sessions(session, version, rows, now)
    answers = records(rows)
    trials = [
        {
            "session_id": session_ids[row["session"]],
            "position": row["position"],
            "unit_id": unit_ids[row["pair"]],
            "plan": PairPlan(Member(row["left"] or "a")).stored(),
        }
        for row in answers
    ]
    # Otherwise the database may return the ids in another order than that of the rows.
    adding = insert(Trial).returning(col(Trial.id), sort_by_parameter_order=True)
    trial_ids = session.execute(adding, trials).scalars().all()
    session.execute(
        insert(Response),
        [
            {
                "session_id": session_ids[row["session"]],
                "trial_id": trial_id,
                "page": f"trial-{row['position']}",
                "submit_id": f"trial-{row['position']}.imported",
                "side": _pressed(row),
                "answers": {},
                "unplayable": False,
                "flags": [],
                "raised": row["flags"],
                **{name: row[name] for name in _ANSWERED},
                **{name: _time(row[name]) for name in _TIMES},
            }
            for row, trial_id in zip(answers, trial_ids, strict=True)
        ],
    )


def add_sessions(
    session: Session, version: StudyVersion, rows: pd.DataFrame, now: datetime
) -> dict[str, int]:
    """The ids of the sessions by their names in the table, in the order in which they come in it."""
    runs = rows.groupby("session", sort=False, observed=True)
    first = records(runs[["participant", "arm", "mode"]].first().reset_index())
    sizes = runs.size().tolist()
    begun, ended = (
        [_time(None if pd.isna(time) else time) for time in times]
        for times in (runs["shown_at"].min(), runs["answered_at"].max())
    )
    adding = insert(ParticipantSession).returning(col(ParticipantSession.id), sort_by_parameter_order=True)
    ids = session.execute(
        adding,
        [
            {
                "version_id": version.id,
                "arm": run["arm"] or "main",
                "mode": run["mode"],
                "participant": run["participant"],
                "is_signed": False,
                "recruiter": {},
                "ordinal": ordinal,
                "status": Status.COMPLETED,
                "step": size + 1,
                "arrived_at": since or now,
                "ended_at": until,
            }
            for ordinal, (run, size, since, until) in enumerate(
                zip(first, sizes, begun, ended, strict=True), 1
            )
        ],
    ).scalars()
    return dict(zip((run["session"] for run in first), ids, strict=True))


def _time(value: Any) -> datetime | None:
    return None if value is None else value.to_pydatetime()


def _pressed(row: Mapping[str, Any]) -> Pressed | None:
    """The side of the chosen clip, or no difference."""
    return pressed_for(row["choice"], Member(row["left"] or "a")) if row["choice"] else None
