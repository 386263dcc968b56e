"""The clue report of a study: of the clips that it shows, remembered, and known to the launch."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlmodel import select

from app.accounts.logins import Who
from app.catalog.rules import apply_rules
from app.core.errors import Conflict, NotFound
from app.jobs.queue import mark_job_seen
from app.jobs.tables import Job, JobStatus
from app.library.clips.clues import CLUES
from app.library.clips.imported import ImportedClip
from app.library.clips.importing import import_clips
from app.library.clips.manifest import read_manifest
from app.library.clips.rules import Rules
from app.library.clips.store import ClipStore
from app.library.media import clues_path
from app.library.stimuli import add_stimuli
from app.outputs.clues import CluesState, ask_clues, clips_of, clue_run, clues_state
from app.studies.access import StudyHere
from app.studies.drafts import create_study
from app.studies.saving import save_version
from app.trials.tables import State, Study
from app.worker.handlers import clues as worker_clues
from tests.factories import load_file
from tests.library.clips.videos import Pixels, make_video, noise
from tests.library.desk import NOW, Desk

pytestmark = pytest.mark.slow

PAIRS = "pair,a,b\n" + "".join(f"p{n},human-{n},hybrid-{n}\n" for n in range(6))
NOTHING_YET = CluesState(None, is_current=False, was_seen=False, tells=False, cannot_tell=False, says="")


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Sequence[ImportedClip]]:
    """Two sources that differ in nothing but this: human clips end with a second of standing still.

    The folder of a store, to be copied, and the clips in it.
    """
    folder = tmp_path_factory.mktemp("walks")
    lines = ["file,name,source,goal"]
    for number in range(12):
        source = "human" if number < 6 else "hybrid"
        stops_at = 30 if source == "human" else 999

        def paint(frame: int, width: int, height: int, *, at: int = stops_at, seed: int = number) -> Pixels:
            return noise(seed + 100 * min(frame, at), width, height)

        make_video(folder / f"{number}.mp4", seconds=2, width=32, height=32, paint=paint)
        lines.append(f"{number}.mp4,{source}-{number % 6},{source},g{number % 6}")
    (folder / "manifest.csv").write_text("\n".join(lines) + "\n")
    store = ClipStore(folder / "store")
    return store.root, import_clips(read_manifest(folder / "manifest.csv"), Rules(crf=35), store, workers=2)


@pytest.fixture
def study(desk: Desk, walks: tuple[Path, Sequence[ImportedClip]], who: Who) -> StudyHere:
    """A draft that lists six pairs of them."""
    folder, clips = walks
    shutil.copytree(folder, desk.data_dir, dirs_exist_ok=True)
    with desk.database.transaction() as session:
        add_stimuli(session, clips, NOW)
        return create_study(session, who, "nav", {"pairs": PAIRS}, NOW)


def job(desk: Desk, job_id: int) -> Job:
    with desk.database.reading() as session:
        return session.exec(select(Job).where(Job.id == job_id)).one()


def test_a_clue_that_gives_the_source_away_is_found_with_what_to_do(desk: Desk, study: StudyHere) -> None:
    assert desk.read(clues_state, study) == NOTHING_YET
    found = desk.read(clips_of, study)
    assert (found.version, len(found.clips)) == (None, 12)
    job_id = desk.write(ask_clues, desk.who, study, NOW)
    assert desk.write(ask_clues, desk.who, study, NOW) == job_id  # while it stands, it is not asked twice
    desk.drain()
    done = job(desk, job_id)
    assert done.status == JobStatus.DONE
    still = next(clue for clue in done.result["report"]["clues"] if clue["clue"] == "still_end_s")
    assert still["warns"]
    assert still["against_others"]["auc"] == 1.0
    assert "Trim the end of all clips by 1" in still["advice"]["remedy"]
    assert done.result["plots"]["still_end_s"].startswith("<svg")
    assert {"original_width", "original_bytes", "original_bitrate_kbps"} <= set(done.result["plots"])
    assert json.loads(json.dumps(done.result)) == done.result
    state = desk.read(clues_state, study)
    assert state.tells
    assert "tanding still at the end" in state.says
    because = state.says.split(" give the source away. ")[1]
    assert "strength 1.00 (95% interval 0.69 to 1.00)" in because
    assert because == done.result["report"]["because"][0]
    assert (state.job_id, state.is_current, state.was_seen) == (
        job_id,
        False,
        False,
    )  # there is no version yet


def test_clips_are_measured_once(desk: Desk, study: StudyHere, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write(ask_clues, desk.who, study, NOW)
    desk.drain()
    clip = desk.read(clips_of, study).clips[0]
    assert json.loads(clues_path(desk.data_dir, clip.clip_sha256).read_text())["width"] == 32

    def again(_: Path) -> dict[str, float]:
        raise AssertionError("measured again")

    monkeypatch.setattr(worker_clues, "measure_clues", again)
    job_id = desk.write(ask_clues, desk.who, study, NOW)
    desk.drain()
    assert job(desk, job_id).status == JobStatus.DONE
    for broken in ("{broken", "[]", '{"width": 32}'):  # is measured anew
        clues_path(desk.data_dir, clip.clip_sha256).write_text(broken)
        assert worker_clues._cached_measurements(clues_path(desk.data_dir, clip.clip_sha256), CLUES) is None


def test_the_launch_knows_whether_the_report_is_of_the_clips_shown_and_was_read(
    desk: Desk, study: StudyHere, tmp_path: Path
) -> None:
    desk.write(load_file, tmp_path, pairs=PAIRS, sample=None)
    job_id = desk.write(ask_clues, desk.who, study, NOW)
    desk.drain()
    state = desk.read(clues_state, study)
    assert (state.job_id, state.is_current, state.was_seen) == (job_id, True, False)
    desk.write(mark_job_seen, job_id, NOW)
    assert desk.read(clues_state, study).was_seen
    desk.write(apply_rules, desk.who, Rules(crf=36, width=32, height=32), NOW)
    desk.drain()
    assert desk.read(clues_state, study).is_current  # the version keeps the clips it was saved with
    desk.write(load_file, tmp_path, pairs=PAIRS, sample=None)
    state = desk.read(clues_state, study)
    assert (state.job_id, state.is_current, state.was_seen) == (job_id, False, True)
    fresh = desk.write(ask_clues, desk.who, study, NOW)
    desk.drain()
    state = desk.read(clues_state, study)
    assert (state.job_id, state.is_current, state.was_seen) == (fresh, True, False)


def test_a_study_without_pairs_has_nothing_to_look_at(desk: Desk, study: StudyHere) -> None:
    with desk.database.transaction() as session:
        empty = create_study(session, desk.who, "empty", {}, NOW)
    with pytest.raises(Conflict, match="make pairs or items first"):
        desk.write(ask_clues, desk.who, empty, NOW)
    job_id = desk.write(ask_clues, desk.who, study, NOW)
    with pytest.raises(NotFound):
        desk.read(clue_run, empty, job_id)


def test_a_clip_that_is_gone_fails_the_report_in_words(desk: Desk, study: StudyHere) -> None:
    clip = desk.read(clips_of, study).clips[0]
    desk.store.clip_path(clip.clip_sha256).unlink()
    job_id = desk.write(ask_clues, desk.who, study, NOW)
    desk.drain()
    assert job(desk, job_id).status == JobStatus.FAILED
    assert f"The clip {clip.name} cannot be measured" in job(desk, job_id).message


def test_states_are_of_their_own_study(desk: Desk, study: StudyHere) -> None:
    with desk.database.transaction() as session:
        session.add(Study(slug="other", state=State.DRAFT, created_at=NOW))
        session.flush()
        other = session.exec(select(Study).where(Study.slug == "other")).one()
        here = StudyHere(other.id or 0, "other", State.DRAFT)
    desk.write(ask_clues, desk.who, study, NOW)
    desk.drain()
    assert desk.read(clues_state, here) == NOTHING_YET


def test_texts_that_stand_in_a_list_of_items_are_compared_by_their_conditions(desk: Desk, who: Who) -> None:
    def items(condition: str, text: str) -> str:
        return "".join(f"{condition}{n},{text} {'word ' * n},{condition},main\n" for n in range(6))

    text = "item,text,condition,kind\n" + items("model", "As a language model I bid") + items("person", "Two")
    rate = {
        "id": "rate",
        "task": "rating",
        "items": f"{text}p,Practice.,person,practice\nn,Of no condition.,,main\n",
        "questions": [{"id": "why", "type": "text", "ask": "Why?"}],
    }
    keys = {"title": "Texts", "consent": {"version": "1", "text": "Yes"}, "blocks": [rate]}
    with desk.database.transaction() as session:
        study = create_study(session, who, "texts", keys, NOW)
    draft = desk.read(clips_of, study)
    assert (draft.version, draft.says) == (None, "12 texts")
    with desk.database.transaction() as session:
        save_version(session, who, study, "", NOW)
    found = desk.read(clips_of, study)
    assert (found.version, found.clips) == (1, draft.clips)
    job_id = desk.write(ask_clues, desk.who, study, NOW)
    desk.drain()
    report = job(desk, job_id).result["report"]
    assert report["sources"] == {"model": 6, "person": 6}
    words = next(clue for clue in report["clues"] if clue["clue"] == "words")
    assert words["warns"]
    assert desk.read(clues_state, study).tells
