"""The package is cheap to import and asks for nothing of the service."""

import subprocess
import sys
from pathlib import Path

import pytest

from bench.crowd_table import write_crowd

HEAVY = ("pandas", "numpy", "scipy", "pyarrow", "pingouin", "statsmodels", "matplotlib", "rich")


def loaded(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_and_its_columns_loads_no_library() -> None:
    assert not loaded("import analysis\nfrom analysis.data.columns import RESPONSE_COLUMNS").intersection(
        HEAVY
    )


UNUSED = {"pingouin", "choix", "statsmodels", "matplotlib", "app", "fastapi", "sqlmodel"}


@pytest.mark.slow
def test_what_is_not_used_is_not_loaded() -> None:
    """The command's module imports all others. SciPy loads `scipy.stats` and `scipy.optimize`, half of an import, where
    a test is computed that needs them."""
    modules = loaded("import analysis.__main__")
    assert {"pandas", "scipy", "rich"} <= modules
    assert not modules.intersection(UNUSED | {"scipy.stats", "scipy.optimize", "scipy.signal"})


@pytest.mark.slow
def test_the_numbers_of_a_study_need_neither_distributions_nor_others_statistics(tmp_path: Path) -> None:
    write_crowd(tmp_path / "answers.parquet", 600)
    modules = loaded(
        "from analysis import analyze, read_responses, render\n"
        f"render(analyze(read_responses({str(tmp_path / 'answers.parquet')!r}), resamples=50))"
    )
    assert "scipy.optimize" in modules
    assert not modules.intersection(UNUSED | {"scipy.stats", "scipy.signal"})
