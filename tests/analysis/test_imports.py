"""The package is cheap to import and asks for nothing of the service."""

import subprocess
import sys

import pytest

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
