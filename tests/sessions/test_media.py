"""Clips are served whole and in ranges, and a range is what HTTP says it is."""

import re
from collections.abc import Sequence

import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from app.core.database import Database
from app.library.clips.imported import ImportedClip
from app.library.clips.padded import PaddedClip
from app.library.clips.store import ClipStore
from app.questions.sides import Side
from app.sessions.where import locate
from app.tasks.pair.design import PairPlan, member_at
from app.trials.tables import Trial, UnitMember
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database


@pytest.fixture
def address(client: TestClient, study: str) -> str:
    walk = Walk(client, study).to("trial-1")
    found = re.search(r'src="(/p/[^"]+left\.mp4)"', walk.html)
    assert found
    return found[1]


def test_the_whole_clip(client: TestClient, address: str) -> None:
    response = client.get(address)
    assert response.status_code == 200
    assert response.headers["content-type"] == "video/mp4"
    assert response.headers["accept-ranges"] == "bytes"
    assert int(response.headers["content-length"]) == len(response.content)
    assert len(response.content) % 4096 == 0
    assert response.content[4:8] == b"ftyp"


def test_each_session_is_sent_the_clips_of_its_own_plan(
    client: TestClient, study: str, database: Database, library: tuple[ClipStore, Sequence[ImportedClip]]
) -> None:
    walks = [Walk(client, study).to("trial-1") for _ in range(3)]
    for walk in walks:
        with database.reading() as session:
            id_ = locate(session, walk.address.rpartition("/")[2]).session_id
            trials = session.exec(select(Trial).where(Trial.session_id == id_, Trial.position <= 2)).all()
            members = {(one.unit_id, one.slot): one for one in session.exec(select(UnitMember))}
        for trial in trials:
            for side in Side:
                member = members[trial.unit_id, member_at(side, PairPlan.of(trial.plan).left)]
                sent = client.get(f"{walk.address}/clips/{trial.position}-{side}.mp4").content
                path = library[0].clip_path(member.sha256 or "")
                assert member.bytes is not None
                assert sent == PaddedClip(path, member.bytes, len(sent)).read(0, len(sent))


@pytest.mark.parametrize(
    ("asked", "start", "stop"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=100-199", 100, 200),
        ("bytes=4000-", 4000, None),
        ("bytes=-500", -500, None),
    ],
)
def test_a_range_is_that_part_of_the_whole(
    client: TestClient, address: str, asked: str, start: int, stop: int | None
) -> None:
    whole = client.get(address).content
    response = client.get(address, headers={"Range": asked})
    assert response.status_code == 206
    assert response.content == whole[start:stop]
    first = start % len(whole)
    assert (
        response.headers["content-range"] == f"bytes {first}-{first + len(response.content) - 1}/{len(whole)}"
    )


def test_a_range_beyond_the_end_is_416(client: TestClient, address: str) -> None:
    size = len(client.get(address).content)
    response = client.get(address, headers={"Range": f"bytes={size}-"})
    assert response.status_code == 416
    assert response.headers["content-range"] == f"bytes */{size}"


@pytest.mark.parametrize("odd", ["bytes=", "bytes=a-b", "lines=0-5", "bytes=0-1,5-6", "bytes=5-2"])
def test_an_odd_range_is_ignored(client: TestClient, address: str, odd: str) -> None:
    assert client.get(address, headers={"Range": odd}).status_code == 200
