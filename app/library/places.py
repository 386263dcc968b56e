"""Paths of jobs' files in the data folder."""

from pathlib import Path


def report_folder(data_dir: Path, job_id: int) -> Path:
    return data_dir / "reports" / str(job_id)


def package_folder(data_dir: Path, job_id: int) -> Path:
    return data_dir / "packages" / str(job_id)


def judging_folder(data_dir: Path, job_id: int) -> Path:
    return data_dir / "judging" / str(job_id)


def models_folder(data_dir: Path) -> Path:
    """Trained judges, a folder each, under the name that they are called by."""
    return data_dir / "models"


def training_folder(data_dir: Path) -> Path:
    """Folders of clips with a manifest, which judges may be trained on from the browser."""
    return data_dir / "training"


def results_folder(data_dir: Path, job_id: int) -> Path:
    return data_dir / "results" / str(job_id)


def sent_package(data_dir: Path, token: str) -> Path:
    """A study package that is being sent, until a study is made from it."""
    return data_dir / "incoming" / f"package-{token}.zip"


def sent_verdicts(data_dir: Path, token: str) -> Path:
    """A file of verdicts that was sent, until its job takes it up."""
    return data_dir / "incoming" / f"verdicts-{token}.csv"
