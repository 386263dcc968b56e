"""The sessions of a study judged again by its exclusion rules."""

from typing import Any

from app.verdicts.judging import store_verdicts, study_verdicts
from app.worker.context import Work


def judge_sessions(work: Work) -> dict[str, Any]:
    """`params`: slug. Read first, then written, so that answers need not wait for it."""
    work.progress(0, 0, "Applying the exclusion rules")
    with work.database.reading() as session:
        found = study_verdicts(session, work.params["slug"])
    with work.database.transaction() as session:
        changed = store_verdicts(session, found, work.now())
    return {"sessions": len(found), "changed": changed}
