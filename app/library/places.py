"""Where a job's files lie in the data folder."""

from pathlib import Path


def report_folder(data_dir: Path, job_id: int) -> Path:
    return data_dir / "reports" / str(job_id)


def package_folder(data_dir: Path, job_id: int) -> Path:
    return data_dir / "packages" / str(job_id)
