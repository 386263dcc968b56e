"""The participant's way in Firefox and WebKit, through the real service; in Chromium all other tests here go it."""

import json
from pathlib import Path

import pytest
from sqlmodel import col, select

from app.database import Database
from app.study.tables import ParticipantSession, Playback, Response, Status

from .engines import Engine, engine, missing, wait_until

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

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
    if lacking := missing(name):
        pytest.skip(f"{name} is not tested: {lacking} not installed (see CONTRIBUTING.md)")
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


SAVE = "form > .actions > button"


def _go_on(browser: Engine, *presses: str) -> None:
    """Press each, and wait for the page that the last one leads to."""
    browser.run("window.isOldPage = true")
    for css in presses:
        browser.press(css)
    wait_until(browser, "window.isOldPage === undefined && document.readyState === 'complete'")


def _watch(browser: Engine, *, without_ended: bool) -> None:
    wait_until(browser, f"{READY} || {TROUBLE}")
    if without_ended:
        browser.run(LEAVE_OUT_ENDED)
    browser.press("[data-play]")
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
        clips = session.exec(select(Playback).where(col(Playback.response_id).in_(numbers))).all()
    assert [(response.side, response.uncertainty) for response in responses] == [("left", 2)] * 3
    assert [
        json.loads(response.flags) if isinstance(response.flags, str) else response.flags
        for response in responses
    ] == [[]] * 3
    assert len(clips) == 6
    for clip in clips:
        assert (clip.watched, clip.failed, clip.errors, clip.plays) == (True, False, [], 1), clip
