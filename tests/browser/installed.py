"""The service on an empty data folder with one owner, videos to upload, and the experimenter's browser."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from app.accounts.tables import Role
from app.cli.users import add
from app.core.database import Database
from tests.browser.served import served
from tests.browser.whole_lab import settings_in
from tests.factories import make_small_video
from tests.program import Program
from tests.serving.services import serving

SLOW_MS = 300_000  # the worker cleans clips, measures them, packs: on a busy machine
WIDE: Final[ViewportSize] = {"width": 1280, "height": 900}
EMAIL = "ada@example.org"


@dataclass(frozen=True)
class Installation:
    address: str
    password: str
    clips: Path


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("to-upload")
    for seed, name in enumerate(f"{source}-{n}" for source in ("human", "hybrid") for n in (1, 2)):
        make_small_video(folder / f"{name}.mp4", seed)
    (folder / "notes.mp4").write_text("These are my notes, and no video.\n")
    return folder


@pytest.fixture
def password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> str:
    """The password of the one owner of an empty data folder."""
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("DATABASE_URL", "")
    add(EMAIL, Role.OWNER, generate=True)
    return capfd.readouterr().out.partition("Password: ")[2].splitlines()[0]


@pytest.fixture
def here(tmp_path: Path, clips: Path, password: str) -> Iterator[Installation]:
    """Served from this process, which has imported all of it: a command and its worker take ten seconds more."""
    settings = settings_in(tmp_path / "data")
    database, workers = Database(settings.database_url, checkpointing=True), Database(settings.database_url)
    with served(settings, database, workers) as address:
        yield Installation(address, password, clips)
    workers.close()


@pytest.fixture
def installation(tmp_path: Path, clips: Path, password: str, program: Program) -> Iterator[Installation]:
    """Served by its command, whose process was forked after its imports, and by the worker that this starts."""
    with serving(program, tmp_path / "data", works=True) as service:
        yield Installation(f"http://127.0.0.1:{service.port}", password, clips)


@pytest.fixture
def room(browser: Browser, installation: Installation) -> Iterator[Page]:
    """The experimenter's browser; an error in a script, or a request to another host, fails the test."""
    context = browser.new_context(
        base_url=installation.address,
        viewport=WIDE,
        bypass_csp=True,
        reduced_motion="reduce",
    )
    context.set_default_timeout(SLOW_MS)
    faults: list[str] = []
    context.on("request", lambda r: _note_foreign(faults, r.url, installation.address))
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: dialog.accept())
    yield page
    context.close()
    assert faults == []


def _note_foreign(faults: list[str], url: str, address: str) -> None:
    if not url.startswith((address, f"blob:{address}", "data:")):
        faults.append(url)
