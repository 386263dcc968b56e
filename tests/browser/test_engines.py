"""The participant's way in Firefox and WebKit, through the real service; in Chromium all other tests here go it."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from sqlmodel import col, select

from app.core.database import Database
from app.trials.responses import Evidence, Response
from app.trials.tables import ParticipantSession, Status

from .engines import POLL_S, WAIT_S, Engine, EngineError, engine, missing, press, wait_until

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

READY = "document.querySelector('[data-play]')?.getAttribute('aria-disabled') === 'false'"
OPEN = "!document.querySelector('[data-questions]').disabled"
TROUBLE = "document.querySelector('[data-trouble]:not([hidden])')"
LEAVE_OUT_ENDED = """
    window.addEventListener("ended", (event) => event.stopImmediatePropagation(), true);
    Object.defineProperty(HTMLMediaElement.prototype, "ended", { get: () => false });
"""


@pytest.mark.parametrize("name", ["firefox", "webkit"])
def test_a_participants_way_is_stored_without_a_flag(
    name: str, service: tuple[str, Database], tmp_path: Path
) -> None:
    _skip_if_missing(name)
    with engine(name, tmp_path) as browser:
        browser.go(f"{service[0]}/s/nav")
        if not browser.run(
            "return document.createElement('video').canPlayType('video/mp4; codecs=avc1.42E01E')"
        ):
            pytest.skip(f"{name} is not tested: it has no H.264 here (see CONTRIBUTING.md)")
        _go_on(browser, "input[name=of_age][value=yes]", "button[value=agree]")
        _go_on(browser, "input[name=familiarity][value='3']", "button[type=submit]")
        _go_on(browser, "button[type=submit]")
        for number in (1, 2, 3):
            _watch(browser, without_ended=number == 2)
            browser.write("textarea", "It looks round before it turns.")
            _go_on(browser, "input[name=choice][value=left]", "input[name=uncertainty][value='2']", SAVE)
        assert "DONE42" in browser.run("return document.body.innerText")
    _check(service[1])


@pytest.mark.parametrize("name", ["firefox", "webkit"])
def test_a_browser_that_hangs_or_dies_ends_the_test_and_leaves_no_process(name: str, tmp_path: Path) -> None:
    _skip_if_missing(name)
    for number, (given, said) in enumerate([(signal.SIGSTOP, "did not answer"), (signal.SIGKILL, "left at")]):
        folder = tmp_path / str(number)
        folder.mkdir()
        with engine(name, folder, answer_s=3) as browser:
            assert browser.run("return 6 * 7") == 42
            assert _left(folder)
            os.kill(browser.pid, given)
            with pytest.raises(EngineError, match=said):
                browser.run("return 6 * 7")
        _wait_for_none_left(folder)


@pytest.mark.parametrize("name", ["firefox", "webkit"])
def test_a_killed_test_leaves_no_process(name: str, tmp_path: Path) -> None:
    _skip_if_missing(name)
    code = """
import pathlib, sys
from tests.browser.engines import engine
with engine(sys.argv[1], pathlib.Path(sys.argv[2])) as browser:
    print(browser.run("return 6 * 7"), flush=True)
    sys.stdin.read()
"""
    command = [sys.executable, "-c", code, name, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as test:
        assert test.stdout is not None
        assert test.stdout.readline() == "42\n"
        assert _left(tmp_path)
        test.kill()
    _wait_for_none_left(tmp_path)


def _left(folder: Path) -> list[int]:
    """The processes that were started with this home folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"HOME={folder}" in (process / "environ").read_text(errors="replace").split("\0"):
                found.append(int(process.name))
    return found


def _wait_for_none_left(folder: Path) -> None:
    end = time.monotonic() + WAIT_S
    while left := _left(folder):
        assert time.monotonic() < end, left
        time.sleep(POLL_S)


@pytest.mark.parametrize("name", ["firefox", "webkit"])
def test_a_press_waits_until_it_is_taken(name: str, tmp_path: Path) -> None:
    """The consent's button is closed until the test clip has played: a click on it before was lost."""
    _skip_if_missing(name)
    with engine(name, tmp_path) as browser:
        browser.run("document.body.innerHTML = `<input type=checkbox disabled>`")
        browser.run("setTimeout(() => { document.querySelector('input').disabled = false }, 700)")
        press(browser, "input")
        assert browser.run("return document.querySelector('input').checked")


def _skip_if_missing(name: str) -> None:
    if lacking := missing(name):
        pytest.skip(f"{name} is not tested: {lacking} not installed (see CONTRIBUTING.md)")


SAVE = "form > .actions > button"


def _go_on(browser: Engine, *presses: str) -> None:
    """Press each, and wait for the page that the last one leads to."""
    browser.run("window.isOldPage = true")
    for css in presses:
        press(browser, css)
    wait_until(browser, "window.isOldPage === undefined && document.readyState === 'complete'")


def _watch(browser: Engine, *, without_ended: bool) -> None:
    wait_until(browser, f"{READY} || {TROUBLE}")
    if without_ended:
        browser.run(LEAVE_OUT_ENDED)
    press(browser, "[data-play]")
    wait_until(browser, f"{OPEN} || {TROUBLE}")
    assert not browser.run(f"return Boolean({TROUBLE})"), browser.run("return document.body.innerText")


def _check(database: Database) -> None:
    with database.reading() as session:
        run = session.exec(select(ParticipantSession).order_by(col(ParticipantSession.id).desc())).first()
        assert run is not None
        assert run.status == Status.COMPLETED
        trials = select(Response).where(Response.session_id == run.id, col(Response.trial_id).is_not(None))
        responses = session.exec(trials).all()
        numbers = [response.id for response in responses]
        clips = session.exec(select(Evidence).where(col(Evidence.response_id).in_(numbers))).all()
    assert [(response.side, response.uncertainty) for response in responses] == [("left", 2)] * 3
    assert [
        json.loads(response.flags) if isinstance(response.flags, str) else response.flags
        for response in responses
    ] == [[]] * 3
    assert len(clips) == 6
    for clip in clips:
        assert (clip.watched, clip.failed, clip.errors, clip.plays) == (True, False, [], 1), clip
