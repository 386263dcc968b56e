"""SQL to DataFrames: the only way that data reach the analysis."""

import pandas as pd
from sqlmodel import Session

from analysis import check_responses, majority_vote, select_rows
from app.reporting import selects
from app.study.versions import study_named


def responses_frame(session: Session, slug: str) -> pd.DataFrame:
    """A study's responses, checked. Raises NotFound for an unknown study."""
    study_named(session, slug)
    result = session.execute(selects.responses(slug))
    frame = pd.DataFrame(result.all(), columns=list(result.keys()))
    return check_responses(frame, slug)


def labels_frame(session: Session, slug: str) -> pd.DataFrame:
    """A study's majority votes, by the same code as every other number."""
    return majority_vote(select_rows(responses_frame(session, slug)))
