"""Devices that a study takes: decided before consent by what the browser says, and by what a script measured."""

import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, func, select, update
from starlette.testclient import TestClient

from app.core.database import Database
from app.library.tables import Stimulus
from app.reports.export import rows_of
from app.sessions.devices import Device, device_of, measured
from app.sessions.speed import SPEED_BYTES
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, SessionToken, Status, UnitMember
from tests.factories import answer_for, load_file
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

_LIKE = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
CHROME = f"Mozilla/5.0 (X11; Linux x86_64) {_LIKE} Safari/537.36"
EDGE = f"{CHROME} Edg/140.0.0.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 "
    "Mobile/15E148 Safari/604.1"
)
ANDROID = f"Mozilla/5.0 (Linux; Android 10; K) {_LIKE} Mobile Safari/537.36"
TABLET = f"Mozilla/5.0 (Linux; Android 10; K) {_LIKE} Safari/537.36"


@pytest.mark.parametrize(
    ("headers", "device"),
    [
        ({"user-agent": FIREFOX}, Device("computer", "firefox")),
        ({"user-agent": CHROME}, Device("computer", "chrome")),
        ({"user-agent": EDGE}, Device("computer", "edge")),
        ({"user-agent": IPHONE}, Device("telephone", "safari")),
        ({"user-agent": ANDROID}, Device("telephone", "chrome")),
        ({"user-agent": TABLET}, Device("tablet", "chrome")),
        ({"user-agent": CHROME, "sec-ch-ua-mobile": "?1"}, Device("telephone", "chrome")),
        ({"user-agent": "curl/8.0"}, Device("computer", "")),
        ({}, Device()),
    ],
)
def test_what_headers_tell(headers: dict[str, str], device: Device) -> None:
    assert device_of(headers) == device


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            '{"width": 1283, "height": 779, "pixel_ratio": 1.25}',
            {"width": 1280, "height": 770, "pixel_ratio": 1.2},
        ),
        ('{"width": -3, "height": 1e9, "pixel_ratio": "x"}', {}),
        ('{"mbps": 3.26, "plays": true, "smooth": false}', {"mbps": 3.3, "plays": True, "smooth": False}),
        ('{"mbps": 47.8, "plays": 1, "smooth": "yes"}', {"mbps": 48}),
        ('{"mbps": 1e9}', {"mbps": 1000}),
        ('{"mbps": -1, "plays": null}', {}),
        ("[1]", {}),
        ("{", {}),
        ("", {}),
    ],
)
def test_what_is_measured_is_kept_coarse(text: str, kept: dict[str, Any]) -> None:
    assert measured(text) == kept


def load(database: Database, folder: Path, **devices: Any) -> None:
    with database.transaction() as session:
        load_file(session, folder, devices=devices)


def statuses(session: Session) -> list[str]:
    return list(session.exec(select(ParticipantSession.status)))


@pytest.mark.parametrize(
    ("rules", "agent", "said"),
    [
        ({"telephones": False}, IPHONE, "The study cannot be done on a telephone."),
        ({"browsers": ["chrome", "edge"]}, FIREFOX, "The study needs one of these browsers: Chrome, Edge."),
    ],
)
def test_an_unsuited_device_is_told_before_consent_and_counted_alone(
    client: TestClient, database: Database, study: str, tmp_path: Path, rules: Any, agent: str, said: str
) -> None:
    load(database, tmp_path, **rules)
    client.headers["user-agent"] = agent
    walk = Walk(client)
    assert walk.address.endswith("/declined/unsuited")
    assert "This device does not fit the study" in walk.html
    assert said in walk.html
    with database.reading() as session:
        assert statuses(session) == [Status.UNSUITED]
        for table in (Response, SessionToken):
            assert session.scalar(select(func.count()).select_from(table)) == 0
    client.headers["user-agent"] = CHROME
    walk = Walk(client)
    assert walk.page == "consent"
    assert said in walk.html


@pytest.mark.parametrize(
    ("width", "status"), [(899, Status.UNSUITED), (900, Status.ACTIVE), (None, Status.ACTIVE)]
)
def test_a_window_too_narrow_is_refused_and_one_not_measured_is_not(
    client: TestClient, database: Database, study: str, tmp_path: Path, width: int | None, status: Status
) -> None:
    load(database, tmp_path, minimum_width=900)
    walk = Walk(client)
    field = {} if width is None else {"device": json.dumps({"width": width})}
    client.post(walk.address, data=answer_for(walk.html, **field))
    with database.reading() as session:
        assert statuses(session) == [status]
        assert list(session.exec(select(ParticipantSession.device))) == [None]


SLOW: dict[str, Any] = {"width": 1280, "mbps": 1.9}
NARROW: dict[str, Any] = {"width": 600}


@pytest.mark.parametrize(
    ("rules", "tried", "status"),
    [
        ({"minimum_mbps": 2}, SLOW, Status.UNSUITED),
        ({"minimum_mbps": 1.9}, SLOW, Status.ACTIVE),
        ({"minimum_mbps": 2}, {}, Status.ACTIVE),
        ({"smooth": True}, {"smooth": False}, Status.UNSUITED),
        ({"smooth": True}, {"smooth": True}, Status.ACTIVE),
        ({"smooth": True}, {}, Status.ACTIVE),
        ({"telephones": True}, {"smooth": False, "mbps": 0.1}, Status.ACTIVE),
        ({"smooth": True}, {"smooth": True, "plays": False}, Status.UNSUITED),
    ],
)
def test_a_rule_is_broken_by_what_was_tried_and_by_nothing_unknown(
    client: TestClient,
    database: Database,
    study: str,
    tmp_path: Path,
    rules: dict[str, Any],
    tried: dict[str, Any],
    status: Status,
) -> None:
    load(database, tmp_path, **rules)
    walk = Walk(client)
    client.post(walk.address, data=answer_for(walk.html, device=json.dumps(tried)))
    with database.reading() as session:
        assert statuses(session) == [status]


@pytest.mark.parametrize(("tried", "status"), [(NARROW, Status.UNSUITED), ({}, Status.REFUSED)])
def test_who_cannot_agree_and_declines_is_counted_by_the_device(
    client: TestClient,
    database: Database,
    study: str,
    tmp_path: Path,
    tried: dict[str, Any],
    status: Status,
) -> None:
    load(database, tmp_path, minimum_width=900)
    walk = Walk(client)
    form = {**answer_for(walk.html, device=json.dumps(tried)), "decision": "refuse"}
    reply = client.post(walk.address, data=form)
    assert reply.url.path.endswith(f"/declined/{status}")
    with database.reading() as session:
        assert statuses(session) == [status]
        assert session.scalar(select(func.count()).select_from(Response)) == 0


@pytest.mark.parametrize(("fps", "asked"), [(25.0, "320x240@25"), (None, "1280x720@30")])
def test_smooth_playback_is_asked_for_the_size_and_rate_of_the_studys_own_clips(
    client: TestClient, database: Database, study: str, tmp_path: Path, fps: float | None, asked: str
) -> None:
    """Another clip of the library is larger; a clip of answers from elsewhere has no size."""
    load(database, tmp_path, smooth=True)
    with database.transaction() as session:
        of_study = select(UnitMember.stimulus_id)
        own = {"width": 320, "height": 240, "fps": fps}
        larger = {"width": 1920, "height": 1080, "fps": 60.0}
        session.execute(update(Stimulus).where(col(Stimulus.id).in_(of_study)).values(**own))
        session.execute(update(Stimulus).where(col(Stimulus.id).not_in(of_study)).values(**larger))
    assert f'data-smooth="{asked}"' in Walk(client).html


def test_the_speed_is_measured_on_a_file_for_those_asked_for_consent(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    load(database, tmp_path, minimum_mbps=2.5)
    walk = Walk(client)
    assert "The study needs a connection of at least 2.5 Mbit/s." in walk.html
    assert f'data-mbps="2.5" data-speed="{walk.address}/speed"' in walk.html
    sent = client.get(f"{walk.address}/speed")
    assert (len(sent.content), sent.headers["cache-control"]) == (SPEED_BYTES, "no-store")
    assert len(zlib.compress(sent.content)) > 0.99 * SPEED_BYTES
    walk.answer()
    assert client.get(f"{walk.address}/speed").status_code == 404
    assert client.get("/p/nobody/speed").status_code == 404


def test_smooth_playback_is_told_before_consent(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    load(database, tmp_path, smooth=True)
    walk = Walk(client)
    assert "needs a device that shows them smoothly" in walk.html
    assert 'data-smooth="' in walk.html
    assert 'data-speed=""' in walk.html
    assert client.get(f"{walk.address}/speed").status_code == 404


def test_what_the_device_is_is_kept_where_the_study_says_so(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    load(database, tmp_path, kept=True)
    client.headers["user-agent"] = FIREFOX
    Walk(client).answer(device='{"width": 1283, "height": 779, "pixel_ratio": 2}')
    with database.reading() as session:
        [row] = rows_of(session, study, "participants")
    assert row["device"] == {
        "width": 1280, "height": 770, "pixel_ratio": 2.0, "kind": "computer", "browser": "firefox"
    }  # fmt: skip
