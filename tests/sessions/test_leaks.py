"""Nothing that a participant can fetch tells which clip is which, or which pair it is to others."""

import re
from collections.abc import Sequence
from urllib.parse import urljoin

import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from app.core.database import Database
from app.library.clips.imported import ImportedClip
from app.library.clips.mp4 import boxes
from app.library.clips.store import ClipStore
from app.library.tables import Stimulus
from app.trials.tables import Unit
from tests.factories import SOURCES
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

LINKS = re.compile(r"""(?:src|href|action|data-next)=["']([^"']+)["']""")
IMPORTS = re.compile(r"""from ["'](\./[^"']+)["']""")
Library = tuple[ClipStore, Sequence[ImportedClip]]


def secrets_of(database: Database, library: Library) -> set[str]:
    """Every word that would tell: sources, conditions, names, hashes, attributes; as they are and in hex."""
    with database.reading() as session:
        conditions = {pair.condition for pair in session.exec(select(Unit))}
        pairs = {pair.name for pair in session.exec(select(Unit))}
        stimuli = session.exec(select(Stimulus)).all()
    words = {*SOURCES, *conditions, *pairs, "secret-player"}
    for stimulus in stimuli:
        words |= {stimulus.name, stimulus.original_name or "", stimulus.clip_sha256 or ""}
        words |= {stimulus.original_sha256 or ""}
    return words - {""}


class Crawl:
    """Fetches a page and everything it names, each address once; keeps all bytes and headers."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.fetched: dict[str, tuple[bytes, str]] = {}
        self.clips: dict[str, bytes] = {}

    def take(self, address: str, body: bytes, headers: object) -> None:
        self.fetched[address] = (body, str(headers))
        text = body.decode("utf-8", "replace")
        if "/clips/" in address:
            self.clips[address] = body
            return
        for found in (*LINKS.findall(text), *IMPORTS.findall(text)):
            for link in found.split():
                self.visit(urljoin(address, link))

    def visit(self, address: str) -> None:
        is_page = address.startswith("/p/") and "/clips/" not in address
        if is_page or address in self.fetched or address.startswith(("#", "data:")):
            return
        response = self.client.get(address)
        assert response.status_code == 200, address
        self.take(address, response.content, response.headers)


@pytest.fixture
def crawl(client: TestClient, study: str) -> Crawl:
    """A whole session walked, everything fetched on the way."""
    crawl, walk = Crawl(client), Walk(client, study, PROLIFIC_PID="x")
    for step in range(20):
        response = client.get(walk.address)
        crawl.take(f"{walk.address}#{step}", response.content, response.headers)
        if walk.look() == "end":
            return crawl
        walk.answer()
    raise AssertionError("no end")


@pytest.mark.both_databases
def test_no_byte_or_header_or_address_tells(crawl: Crawl, database: Database, library: Library) -> None:
    assert len(crawl.clips) == 22
    assert any(address.endswith(".js") for address in crawl.fetched)
    words = secrets_of(database, library)
    for address, (body, headers) in crawl.fetched.items():
        content = body.lower()
        for word in words:
            if word in SOURCES and address.startswith("/static/"):
                continue  # an English word in a file that is the same for everybody
            assert word.lower().encode() not in content, (address, word)
            assert word.lower() not in headers.lower(), (address, word)
            assert word.lower() not in address.lower(), (address, word)


def test_clips_hold_no_metadata_and_have_one_size(crawl: Crawl) -> None:
    assert len({len(body) for body in crawl.clips.values()}) == 1
    for body in crawl.clips.values():
        kinds = {box.type for box in boxes(body)}
        assert {"moov", "mdat", "free"} <= kinds
        assert not kinds & {"udta", "meta", "uuid"}
        for trace in (b"x264", b"Lavf", b"Lavc", b"title"):
            assert trace not in body


def test_clip_headers_are_the_same_for_all_clips(client: TestClient, study: str) -> None:
    walk = Walk(client, study).to("trial-3")
    seen = set()
    for address in re.findall(r'src="(/p/[^"]+)"', walk.html):
        headers = dict(client.get(address).headers)
        assert not {"etag", "last-modified", "content-disposition"} & set(headers)
        seen.add(tuple(sorted(headers.items())))
    assert len(seen) == 1


def test_addresses_differ_between_sessions_and_are_of_one_form(client: TestClient, study: str) -> None:
    found = []
    for _ in range(2):
        walk = Walk(client, study).to("trial-1")
        found.append(set(re.findall(r'src="(/p/[^"]+)"', walk.html)))
        assert all(a.startswith(walk.address) for a in found[-1])
    assert not found[0] & found[1]


def test_only_the_current_and_the_next_pair_can_be_fetched(client: TestClient, study: str) -> None:
    walk = Walk(client, study).to("trial-3")
    status = {n: client.get(f"{walk.address}/clips/{n}-left.mp4").status_code for n in range(13)}
    assert {n for n, code in status.items() if code == 200} == {3, 4}
    assert set(status.values()) == {200, 404}


def test_the_experimenters_pages_and_data_are_closed(client: TestClient, study: str) -> None:
    response = client.get("/admin")
    assert response.url.path == "/admin/login"
    assert study not in response.text
    assert client.get(f"/api/v1/studies/{study}/audit").status_code == 401
    for path in (
        "/openapi.json",
        "/docs",
        "/redoc",
        "/static/../pages.py",
        "/static/%2e%2e/pages.py",
        "/api",
        "/data",
    ):
        assert client.get(path).status_code == 404
