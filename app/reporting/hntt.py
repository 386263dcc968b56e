"""Published answers into SQL: the same tables as our own studies, so the same numbers come out."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
from sqlalchemy import insert
from sqlmodel import Session, col, select

from analysis import hntt_responses, read_hntt
from app.errors import Conflict
from app.study.design import Member, Pressed, pressed_for
from app.study.file.design import (
    DesignCompletion,
    DesignConsent,
    DesignPair,
    DesignTrials,
    Question,
    StudyDesign,
)
from app.study.tables import (
    Mode,
    Pair,
    ParticipantSession,
    Response,
    State,
    Status,
    Stimulus,
    Study,
    StudyVersion,
    Trial,
)
from app.study.versions import add_pairs

_UNCERTAINTY = (
    "extremely certain",
    "somewhat certain",
    "neutral",
    "somewhat uncertain",
    "extremely uncertain",
)

# The version of the consent of studies whose answers came from elsewhere.
IMPORTED = "imported"


def import_answers(session: Session, path: Path, now: datetime) -> list[tuple[str, int, int]]:
    """Store a file in the HNTT layout, one study per studyno: (slug, participants, responses) of each.

    Raises the analysis' errors for a bad file and Conflict for a study that is there already; stores nothing then.
    """
    frame = hntt_responses(read_hntt(path))
    slugs = list(dict.fromkeys(frame["study"]))
    there = session.exec(select(Study.slug).where(col(Study.slug).in_(slugs))).first()
    if there:
        raise Conflict(f"{path}: study {there!r} is there already; nothing was imported")
    return [_store(session, slug, frame[frame["study"] == slug], now) for slug in slugs]


def _store(session: Session, slug: str, rows: pd.DataFrame, now: datetime) -> tuple[str, int, int]:
    pairs = rows.drop_duplicates("pair")
    _add_stimuli(session, pairs, now)
    study = Study(slug=slug, state=State.CLOSED, created_at=now)
    session.add(study)
    session.flush()
    design = _design(slug, pairs)
    version = StudyVersion(
        study_id=study.id or 0,
        number=1,
        sha256=design.sha256(),
        design=design.canonical_json(),
        padded_bytes=0,
        created_at=now,
        frozen_at=now,
    )
    session.add(version)
    session.flush()
    add_pairs(session, version, design)
    pair_ids = dict(session.exec(select(Pair.name, Pair.id).where(Pair.version_id == version.id)).all())
    for ordinal, (participant, answers) in enumerate(
        rows.groupby("participant", sort=False, observed=True), 1
    ):
        _add_session(session, version, str(participant), ordinal, answers, pair_ids, now)
    return slug, rows["participant"].nunique(), len(rows)


def _add_stimuli(session: Session, pairs: pd.DataFrame, now: datetime) -> None:
    for member in Member:
        session.add_all(
            Stimulus(name=name, source=source, attributes={}, rules={}, imported_at=now)
            for name, source in zip(pairs[f"stimulus_{member}"], pairs[f"source_{member}"], strict=True)
        )
    session.flush()


def _design(slug: str, pairs: pd.DataFrame) -> StudyDesign:
    """The published design as far as its answers tell it; its texts and clips are not part of them."""
    return StudyDesign(
        study=slug,
        title="Human Navigation Turing Test",
        consent=DesignConsent(version=IMPORTED, text="Asked where the answers were collected."),
        background=(),
        instructions=None,
        sample=None,
        pairs=tuple(
            DesignPair(
                id=row["pair"],
                a=row["stimulus_a"],
                b=row["stimulus_b"],
                source_a=row["source_a"],
                source_b=row["source_b"],
                condition=row["condition"],
                kind=row["kind"],
                truth=row["truth"] if pd.notna(row["truth"]) else None,
                position=position,
                clip_a_sha256="",
                clip_b_sha256="",
            )
            for position, row in enumerate(pairs.astype(object).to_dict("records"), 1)
        ),
        trials=DesignTrials(
            order="fixed",
            sides="fixed",
            watch="free",
            questions=(
                Question(
                    id="choice", type="2afc", ask="Which video is more likely to be human?", required=False
                ),
                Question(
                    id="uncertainty",
                    type="likert",
                    ask="How certain are you of your choice?",
                    required=False,
                    labels=_UNCERTAINTY,
                ),
            ),
        ),
        completion=DesignCompletion(message="Thank you."),
    )


def _add_session(
    session: Session,
    version: StudyVersion,
    participant: str,
    ordinal: int,
    answers: pd.DataFrame,
    pair_ids: dict[str, Any],
    now: datetime,
) -> None:
    run = ParticipantSession(
        version_id=version.id or 0,
        mode=Mode.LIVE,
        participant=participant,
        recruiter={},
        ordinal=ordinal,
        status=Status.COMPLETED,
        step=len(answers) + 1,
        arrived_at=now,
    )
    session.add(run)
    session.flush()
    rows = answers.astype(object).where(answers.notna(), None).to_dict("records")
    session.execute(
        insert(Trial),
        [
            {
                "session_id": run.id,
                "position": row["position"],
                "pair_id": pair_ids[row["pair"]],
                "left_member": row["left"],
            }
            for row in rows
        ],
    )
    trials = dict(session.exec(select(Trial.position, Trial.id).where(Trial.session_id == run.id)).all())
    session.execute(
        insert(Response),
        [
            {
                "session_id": run.id,
                "trial_id": trials[row["position"]],
                "page": f"trial-{row['position']}",
                "submit_id": f"trial-{row['position']}.imported",
                "side": _side(row),
                "uncertainty": row["uncertainty"],
                "answers": {},
                "unplayable": False,
                "flags": [],
            }
            for row in rows
        ],
    )


def _side(row: dict[Any, Any]) -> Pressed | None:
    """Where the clip chosen was."""
    return pressed_for(row["choice"], Member(row["left"])) if row["choice"] else None
