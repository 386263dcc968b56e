"""Titles of studies by slug, in two queries however many there are."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from sqlmodel import Session, col, func, select

from app.studies.tables import Draft
from app.trials.tables import Study, StudyVersion


def titles_of(session: Session, slugs: Collection[str]) -> Mapping[str, str]:
    """The title of the draft, else of the newest version; studies without one are left out."""
    newest = (
        select(StudyVersion.study_id, func.max(StudyVersion.number).label("number"))
        .group_by(col(StudyVersion.study_id))
        .subquery()
    )
    versions = (
        select(Study.slug, StudyVersion.design)
        .join(StudyVersion, col(StudyVersion.study_id) == Study.id)
        .join(
            newest,
            (newest.c.study_id == StudyVersion.study_id) & (newest.c.number == StudyVersion.number),
        )
        .where(col(Study.slug).in_(slugs))
    )
    drafts = select(Study.slug, Draft.keys).join(Draft, col(Draft.study_id) == Study.id)
    keys: dict[str, Any] = {slug: json.loads(design) for slug, design in session.exec(versions)}
    keys |= dict(session.exec(drafts.where(col(Study.slug).in_(slugs))).all())
    titles = {slug: given.get("title") for slug, given in keys.items()}
    return {slug: title for slug, title in titles.items() if isinstance(title, str) and title.strip()}
