"""Previews of a study's newest version: sessions that count nowhere."""

import random
from datetime import datetime

from sqlmodel import Session

from app.sessions.beginning import begin_at_block
from app.sessions.entering import Visit, enter
from app.studies.access import StudyHere
from app.studies.launch import refuse_without_version
from app.trials.tables import Mode


def start_preview(session: Session, study: StudyHere, now: datetime, block: str = "") -> str:
    """A fresh walk through the newest version's pages, which counts nowhere; returns its session's token.

    With `block`, straight to the trials of that one. Raises NotReady without a version, NotFound without such a block.
    """
    refuse_without_version(session, study)
    token = enter(session, Visit(study.slug, Mode.PREVIEW), now)
    if block:
        begin_at_block(session, token, block, now, random.Random(token))
    return token
