"""A clip's whole life on both databases: uploaded, tried, processed anew, looked at for clues, deleted."""

from pathlib import Path

import pytest

from app.catalog.many import Chosen, delete
from app.catalog.pictures import ask_pictures
from app.catalog.rules import apply_rules, ask_preview, rules_view
from app.library.clips.rules import Rules
from app.outputs.clues import ask_clues, clues_state
from app.studies.drafts import create_study, save_draft
from tests.library.clips.videos import make_video
from tests.library.desk import NOW, Desk, run

pytestmark = pytest.mark.videos


def test_from_upload_to_deletion(desk: Desk, tmp_path: Path) -> None:
    for source, colour in (("human", (200, 10, 10)), ("hybrid", (10, 200, 10))):
        path = make_video(tmp_path / f"{source}.mp4", seconds=0.5, width=32, height=32, colour=colour)
        assert desk.add(path, source, attributes={"goal": "g1"}).status == "done"
    assert desk.add(tmp_path / "human.mp4").status == "refused"
    view = desk.read(rules_view)
    assert (view.n_clips, view.n_other, view.rules.size) == (2, 0, (32, 32))
    study = desk.write(create_study, desk.who, "nav", {"pairs": "pair,a,b\np1,human,hybrid\n"}, NOW)
    rules = Rules(crf=30, width=32, height=32)
    desk.write(ask_preview, desk.who, "human", rules, NOW)
    desk.write(ask_pictures, NOW)
    desk.write(apply_rules, desk.who, rules, NOW)
    desk.drain()
    assert desk.read(rules_view).rules == rules
    desk.write(ask_clues, desk.who, study, NOW)
    desk.drain()
    assert desk.read(clues_state, study).job_id
    desk.write(save_draft, desk.who, study, {}, 1, NOW)
    for name in ("human", "hybrid"):
        run(delete(desk.database, desk.store, desk.who, Chosen((name,)), NOW))
    assert not [name for name in desk.files() if name.startswith(("originals/", "incoming/"))]
    assert len(list(desk.data_dir.glob("clips/*/*"))) == 2  # as first processed: versions may rest on those
