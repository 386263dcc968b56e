"""From SQL to the overview page."""

from sqlmodel import Session, col, select

from app.experimenter.pages import StudiesPage, StudyRow
from app.study.tables import Stimulus
from app.study.versions import summaries


def studies_page(session: Session, base_url: str) -> StudiesPage:
    attributes = session.exec(select(Stimulus.attributes).where(col(Stimulus.clip_sha256).is_not(None))).all()
    rows = tuple(
        StudyRow(
            study.slug,
            f"{base_url}s/{study.slug}",
            study.state,
            study.version,
            study.n_pairs,
            tuple((f"{mode}, {status}", n) for (mode, status), n in sorted(study.sessions.items())),
        )
        for study in summaries(session)
    )
    simulated = sum(a.get("simulated") == "yes" for a in attributes)
    return StudiesPage(rows, simulated, len(attributes))
