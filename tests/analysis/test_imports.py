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


@pytest.mark.slow
def test_tests_of_pingouin_are_its_own_without_the_import_of_its_figures(exhaustive: bool) -> None:
    """Source: pingouin, imported as a whole after and before, with a caller's rounding set."""
    used = "import numpy as np\nfrom analysis.stats.pingouin_tests import pingouin_tests\nours = pingouin_tests()\n"
    assert not loaded(used).intersection({"pingouin", "pingouin.utils", "matplotlib", "seaborn", "xarray"})
    whole = "import pingouin\npingouin.options['round'] = 1\n"
    compared = (
        "values = np.array([0.1, 0.25, -0.15, 0.3, 0.05, 0.4])\n"
        "one = ours.wilcoxon(values)\n"
        "pingouin.set_default_options()\n"
        "assert one.equals(pingouin.wilcoxon(values)) and one['p_val'].iloc[0] != round(one['p_val'].iloc[0], 1)\n"
        "assert pingouin.ttest and pingouin.multicomp([0.01, 0.04], method='holm')[1].tolist() == "
        "ours.multicomp([0.01, 0.04], method='holm')[1].tolist()\n"
    )
    for order in (whole + used, used + whole) if exhaustive else (whole + used,):
        assert {"pingouin", "pingouin.nonparametric"} <= loaded(order + compared)
