"""Reports and study packages: each is kept in its own folder."""

import shutil
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select

from app.judges.moving import signatures_of_studies
from app.library.clips.store import ClipStore
from app.library.places import package_folder, report_folder
from app.reports.package import build_package
from app.reports.packaging.about import About
from app.reports.perceived import play_of_studies
from app.reports.report import build_report
from app.studies.file.drafts import draft_of_design
from app.studies.file.load import StudyDesign
from app.studies.file.yamlwriter import draft_to_yaml
from app.studies.versions import stimulus_facts
from app.trials.tables import Study, StudyVersion
from app.worker.context import Work


def make_report(work: Work) -> dict[str, Any]:
    """`params`: slug, mode (None for the usual one), seed."""
    folder = _fresh(report_folder(work.settings.data_dir, work.job.id))
    try:
        with work.database.reading() as session:
            work.progress(0, 1, "How sources move and play")
            slug = work.params["slug"]
            with work.computing():
                moves = signatures_of_studies(
                    session, [slug], ClipStore(work.settings.data_dir), seed=work.params["seed"]
                )
                play = play_of_studies(session, [slug], work.params["mode"], seed=work.params["seed"])
            report = build_report(
                session,
                slug,
                folder,
                seed=work.params["seed"],
                mode=work.params["mode"],
                made_at=work.now(),
                signatures=moves,
                play=play,
                on_progress=work.progress,
                computing=work.computing,
            )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return {
        "files": list(report.files),
        "mode": report.mode,
        "answers": report.n_answers,
        "participants": report.n_participants,
    }


def make_package(work: Work) -> dict[str, Any]:
    """`params`: slug, pseudonyms, keeps_links, authors, license."""
    slug = work.params["slug"]
    folder = _fresh(package_folder(work.settings.data_dir, work.job.id))
    folder.mkdir(parents=True)
    try:
        with work.database.reading() as session:
            package = build_package(
                session,
                slug,
                folder / f"{slug}.zip",
                made_at=work.now(),
                study_files=study_files(session, slug),
                pseudonyms=work.params["pseudonyms"],
                keeps_links=work.params.get("keeps_links", False),
                about=About(authors=tuple(work.params["authors"]), license=work.params["license"] or None),
                on_progress=work.progress,
                computing=work.computing,
            )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return {"file": package.path.name, "bytes": package.size, "files": len(package.files)}


def study_files(session: Session, slug: str) -> dict[int, str]:
    """Each version of a study as a study file, by number."""
    versions = (
        select(StudyVersion)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .where(Study.slug == slug)
        .order_by(col(StudyVersion.number))
    )
    stimuli = stimulus_facts(session)
    designs = {v.number: StudyDesign.model_validate_json(v.design) for v in session.exec(versions)}
    return {number: draft_to_yaml(draft_of_design(design, stimuli)) for number, design in designs.items()}


def _fresh(folder: Path) -> Path:
    """A job that is done again after a crash starts anew."""
    shutil.rmtree(folder, ignore_errors=True)
    return folder
