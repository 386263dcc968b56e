"""SQL to DataFrames: the only way that data reach the analysis."""

import pandas as pd
from sqlmodel import Session

from analysis import check_responses, majority_vote, select_rows
from analysis.selection import with_unwatched
from app.reporting import selects
from app.study.versions import study_named


def responses_frame(session: Session, slug: str) -> pd.DataFrame:
    """A study's responses, checked. Raises NotFound for an unknown study."""
    study_named(session, slug)
    result = session.execute(selects.responses(slug))
    frame = pd.DataFrame(result.all(), columns=list(result.keys()))
    return check_responses(frame, slug)


def labels_frame(
    session: Session, slug: str, mode: str | None = None, *, unwatched: bool = False
) -> pd.DataFrame:
    """A study's majority votes in one mode (by default live where there are live answers); `attrs["mode"]` names it."""
    responses = responses_frame(session, slug)
    rows = select_rows(with_unwatched(responses) if unwatched else responses, mode)
    labels = majority_vote(rows)
    labels.attrs["mode"] = str(rows["mode"].iloc[0]) if len(rows) else "live"
    return labels
