"""Pages that are made once for all who see the same."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.core.database import Database
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.sessions import made_pages
from tests.clock import Clock
from tests.factories import NOW, open_study, submit_id_on
from tests.sessions.test_blocks import opened, pair_block, rating_block
from tests.sessions.walks import Walk

__all__ = ["opened"]

Library = tuple[ClipStore, Sequence[ImportedClip]]


def test_a_study_file_cannot_be_taken_for_what_a_page_is_filled_with(
    client: TestClient, database: Database, library: tuple[ClipStore, Sequence[ImportedClip]], tmp_path: Path
) -> None:
    words = "0token0 0submit-id0 {token} {0} %s m0 $token"
    questions = [{"id": "choice", "type": "2afc", "ask": words}]
    with database.transaction() as session:
        open_study(session, tmp_path, library[1], trials={"questions": questions})
    pages = [Walk(client).to("trial-1") for _ in range(2)]
    for walk in pages:
        assert words in walk.html
        token = walk.address.rpartition("/")[2]
        assert walk.html.count(token) > 3
        assert f'action="{walk.address}"' in walk.html
    assert pages[0].html.count(pages[1].address.rpartition("/")[2]) == 0


def test_the_pages_that_all_see_alike_have_each_visitors_own_texts(client: TestClient, study: str) -> None:
    walks = [Walk(client, study, PROLIFIC_PID=who) for who in ("anna-1", "bert-2")]
    asked = [walk.html for walk in walks]
    assert len({submit_id_on(html) for html in asked}) == 2
    assert all(f'action="{walk.address}"' in walk.html for walk in walks)
    for walk in walks:
        walk.to("end")
    codes = [re.findall(r"<b [^>]*>([0-9]+(?:-[A-Z2-7]{4}){4})</b>", walk.html) for walk in walks]
    assert [len(each) for each in codes] == [1, 1]
    assert codes[0] != codes[1]
    assert all(f"{walk.address}/stop" in walk.html for walk in walks)


def test_a_way_back_with_an_id_is_each_participants_own(
    client: TestClient, database: Database, library: tuple[ClipStore, Sequence[ImportedClip]], tmp_path: Path
) -> None:
    way = "https://panel.example.org/{participant}?session={session}"
    with database.transaction() as session:
        open_study(session, tmp_path, library[1], completion={"redirect": way})
    for number, who in enumerate(("anna-1", "bert-2"), start=1):
        assert f"/{who}?session={number}" in Walk(client, PROLIFIC_PID=who).to("end").html


def test_what_an_address_says_of_who_has_come_is_text_on_the_page(client: TestClient, study: str) -> None:
    Walk(client, study)
    walk = Walk(client, study)
    html = client.get(f"{walk.address}?came=%22%3E%3Cscript%3Ealert(1)%3C/script%3E").text
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert" in html


def test_pages_in_memory_are_bounded(client: TestClient, study: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made_pages, "MOST", 3)
    made_pages._made.clear()
    walk = Walk(client, study).to("trial-8")
    assert len(made_pages._made) == 3
    assert walk.look() == "trial-8"


def test_progress_is_out_of_a_sessions_own_pages_where_a_block_is_skipped(
    client: TestClient, opened: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(pair_block(), rating_block(per_item=1, when_full="skip"))
    monkeypatch.setattr(Clock, "at", NOW)
    walks = [Walk(client, PROLIFIC_PID=who) for who in ("pid-1", "pid-2")]
    most = [re.search(r'<progress max="(\d+)"', walk.to("trial-1").html) for walk in walks]
    first, second = (int(found[1]) for found in most if found)
    assert first - second == 7  # the seven ratings that the second is spared
