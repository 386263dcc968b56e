"""Files and options named by the Dockerfile, compose.yaml and tools/image.sh must exist and be accepted; building is
done by hand."""

import ast
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
LINES = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text()).splitlines()
INSTRUCTIONS = [tuple(line.split(maxsplit=1)) for line in LINES if line and not line.startswith("#")]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
BIN = Path(sys.executable).parent


def of(kind: str) -> list[str]:
    return [rest for name, rest in INSTRUCTIONS if name == kind]


def test_it_is_built_in_two_stages_and_runs_as_nobody_special() -> None:
    assert of("ARG") == ["BASE=python:3.12-slim"]
    assert of("FROM") == ["${BASE} AS build", "${BASE}"]  # tools/image.sh puts its own base there
    assert of("USER") == ["likely-human"]
    user_made = next(run for run in of("RUN") if "useradd" in run)
    assert "likely-human" in user_made
    assert [name for name, _ in INSTRUCTIONS].index("USER") < [name for name, _ in INSTRUCTIONS].index("CMD")


def test_what_is_copied_exists_and_reaches_the_builder() -> None:
    allowed = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    for copy in of("COPY"):
        if copy.startswith("--from"):
            continue
        *sources, _target = copy.split()
        for source in sources:
            assert (ROOT / source).exists(), source
            assert any(source == name or source.startswith(f"{name}/") for name in allowed), source


def test_every_package_of_the_project_is_in_the_image() -> None:
    copied = {source for copy in of("COPY") for source in copy.split()[:-1]}
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "bench"}
    assert packages <= copied


def commands() -> list[list[str]]:
    found = [yaml.safe_load(cmd) for cmd in of("CMD")]
    found += [service["command"] for service in COMPOSE["services"].values() if "command" in service]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_is_one_the_program_takes(command: list[str]) -> None:
    assert (BIN / command[0]).exists()
    options = [word for word in command if word.startswith("--")]
    shown = subprocess.run(
        [BIN / command[0], command[1], "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={"COLUMNS": "200", "TERM": "dumb"},
    ).stdout
    for option in options:
        assert option in shown


def test_the_health_check_asks_an_address_that_answers() -> None:
    check = of("HEALTHCHECK")[0].partition("CMD ")[2]
    program, flag, code = yaml.safe_load(check)
    assert (program, flag) == ("python", "-c")
    compile(code, "healthcheck", "exec")
    assert ":8000/healthz" in code
    assert "8000" in " ".join(yaml.safe_load(of("CMD")[0]))
    assert of("EXPOSE") == ["8000"]


def test_installing_names_only_files_with_hashes() -> None:
    for run in of("RUN"):
        for word in shlex.split(run):
            if word.startswith("requirements/"):
                text = (ROOT / word).read_text()
                pins = re.findall(r"^[a-z0-9._-]+(?:\[[^\]]*\])?==", text, re.MULTILINE | re.IGNORECASE)
                assert pins
                assert text.count("--hash=sha256:") >= len(pins)


def test_every_file_of_the_demo_is_in_an_installed_package() -> None:
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["app"]
    packed = {path for pattern in data for path in (ROOT / "app").glob(pattern)}
    files = {path for path in (ROOT / "app" / "demo").rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert files <= packed


def imported_once() -> list[str]:
    words = [word for run in of("RUN") if "python -c" in run for word in shlex.split(run)]
    return [code for flag, code in pairwise(words) if flag == "-c"]


def test_what_is_imported_once_for_its_bytecode_is_there() -> None:
    written = re.findall(r'^once "(.+)"', (ROOT / "tools" / "setup.sh").read_text(), re.MULTILINE)
    assert len(written) == 2
    assert imported_once() == written
    for code in written:
        first, *rest = ast.parse(code).body
        assert isinstance(first, ast.Import)
        assert all(find_spec(name.name) for name in first.names)
        assert {ast.unparse(line) for line in rest} <= {"all(map(c.load, c.COMMANDS))"}


@pytest.mark.slow
@pytest.mark.exhaustive
def test_what_is_imported_once_for_its_bytecode_can_be() -> None:
    for code in imported_once():
        subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_compose_gives_the_service_a_healthy_postgresql_and_no_password_of_its_own() -> None:
    app, database = COMPOSE["services"]["app"], COMPOSE["services"]["database"]
    assert app["depends_on"]["database"]["condition"] == "service_healthy"
    assert "healthcheck" in database
    assert app["environment"]["DATABASE_URL"].startswith(
        "postgresql://likely_human:${LIKELY_HUMAN_DB_PASSWORD:?"
    )
    assert set(COMPOSE["volumes"]) == {"data", "database"}


def test_compose_believes_its_own_gateway_and_marks_cookies_secure() -> None:
    """No other address may say who asked: logins are counted by it."""
    (network,) = COMPOSE["networks"]["default"]["ipam"]["config"]
    given = COMPOSE["services"]["app"]["environment"]
    assert given["FORWARDED_ALLOW_IPS"] == network["gateway"]
    assert network["gateway"].rpartition(".")[0] == network["subnet"].rpartition(".")[0]
    assert given["LIKELY_HUMAN_SECURE_COOKIES"] == "${LIKELY_HUMAN_SECURE_COOKIES:-true}"
    assert COMPOSE["services"]["app"]["ports"] == ["127.0.0.1:8000:8000"]


def test_the_volume_is_the_users_alone() -> None:
    assert any("install --directory --owner likely-human --mode 0700 /data" in run for run in of("RUN"))
    assert of("VOLUME") == ["/data"]


@pytest.mark.parametrize("missing", ["buildah", "debootstrap"])
def test_the_image_script_says_what_it_lacks(missing: str, tmp_path: Path) -> None:
    for tool in {"buildah", "debootstrap", "apt-get", "python3"} - {missing}:
        (tmp_path / tool).symlink_to("/bin/true")
    for tool in ("dirname", "id", "mktemp", "rm"):
        (tmp_path / tool).symlink_to(str(shutil.which(tool)))
    script = ROOT / "tools" / "image.sh"
    done = subprocess.run(
        ["/bin/sh", script], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert f"needs {missing}" in line
    assert "apt-get install" in line


def test_no_file_of_the_image_names_an_address() -> None:
    for name in ("Dockerfile", "tools/image.sh"):
        text = (ROOT / name).read_text().replace("http://127.0.0.1", "")
        assert "://" not in text.replace("file://", ""), name
