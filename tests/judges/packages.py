"""Packages with judges in a folder: a good one built and installed by pip, without a network, and broken ones."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from app.judges.described import described
from app.judges.registry import registry

PAGE = (Path(__file__).parents[2] / "docs" / "judges.md").read_text(encoding="utf-8")
# What a package may do wrong, by the name that it registers.
BROKEN = {
    "absent": "import a_library_that_is_not_there",
    "leaves": "import os; os._exit(7)",
    "exits": "raise SystemExit('no licence')",
    "bare": "class Longer: info = None",
    "renamed": "from longer_judge import Longer as Other\nclass Longer(Other): pass",
}


def install(
    project: Path, site: Path, name: str, points: Mapping[str, str], modules: Mapping[str, str]
) -> None:
    """A distribution of these modules with these judges, as pip installs it."""
    project.mkdir()
    for module, text in modules.items():
        (project / f"{module}.py").write_text(text, encoding="utf-8")
    lines = [f'{point} = "{place}"' for point, place in points.items()]
    (project / "pyproject.toml").write_text(
        f'[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        f'[project]\nname = "{name}"\nversion = "1.0"\n'
        f'[project.entry-points."likely_human.judges"]\n{os.linesep.join(lines)}\n'
        f"[tool.setuptools]\npy-modules = {list(modules)}\n"
    )
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
    ]
    subprocess.run(
        [*pip, "--disable-pip-version-check", "--target", str(site), str(project)],
        check=True,
        capture_output=True,
    )


def lay_out(site: Path, name: str, points: Mapping[str, str], modules: Mapping[str, str]) -> None:
    """The same without pip, in a hundredth of its time: what an installed distribution looks like."""
    facts = site / f"{name.replace('-', '_')}-1.0.dist-info"
    facts.mkdir(parents=True)
    lines = [f"{point} = {place}" for point, place in points.items()]
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("\n".join(["[likely_human.judges]", *lines, ""]))
    for module, text in modules.items():
        (site / f"{module}.py").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages: the page's own judge, one of each fault, and one that takes the name of ours."""
    folder = tmp_path_factory.mktemp("packages")
    site = folder / "site"
    code = "print('a judge that talks at import')\n" + re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    install(folder / "good", site, "longer-judge", {"longer": "longer_judge:Longer"}, {"longer_judge": code})
    places = {name: f"broken_{name}:Longer" for name in BROKEN} | {"motion": "longer_judge:Longer"}
    modules = {f"broken_{name}": text for name, text in BROKEN.items()}
    lay_out(site, "broken-judges", places, modules)
    return site


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder on the path of this process and of those that it starts."""
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", str(site))
    for cached in (registry, described):
        cached.cache_clear()
    yield site
    for cached in (registry, described):
        cached.cache_clear()
