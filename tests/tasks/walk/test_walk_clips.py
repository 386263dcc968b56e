"""Walks become clips by the ray caster, trims and encoder of agents' clips, and nothing tells whose they are."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from sqlmodel import Session
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.errors import Conflict
from app.library.clips.manifest import read_manifest
from app.reports.export import rows_of
from app.reports.walk_clips import draw_walks, shown_walks
from app.trials.tables import Mode
from stimuli.arena import GOALS
from stimuli.clipset import make_clip
from stimuli.encode import write_mp4
from stimuli.raycaster import HEIGHT, WIDTH, Pose, raycaster
from stimuli.scenes import Clip
from tests.tasks.walk.walking import SLUG, Walking, load_walks

pytestmark = [pytest.mark.any_database, pytest.mark.slow]


def rows_in(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def look_of(path: Path) -> Mapping[str, Any]:
    """All that a file says of how it was made, but for its length."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        context, packets = (
            stream.codec_context,
            [bytes(each) for each in container.demux(stream) if each.size],
        )
        return {
            "metadata": container.metadata,
            "of_stream": dict(stream.metadata),
            "codec": (context.name, context.profile, context.extradata, context.pix_fmt, stream.average_rate),
            "picture": (context.width, context.height, stream.time_base, stream.duration),
            # The message of the encoder with its settings stands before the first picture.
            "encoder": packets[0][:600],
        }


def test_a_walk_is_drawn_as_an_agents_is(
    client: TestClient, database: Database, tmp_path: Path, exhaustive: bool
) -> None:
    with database.transaction() as session:
        load_walks(session, tmp_path, walks=1, practice=1, goals=2)
    Walking(client).to("end")
    out = tmp_path / "out"
    with database.reading() as session:
        shown = shown_walks(session, SLUG, Mode.LIVE, "secret")
        again = shown_walks(session, SLUG, Mode.LIVE, "secret")
        positions = [row for row in rows_of(session, SLUG, "positions") if row["kind"] == "main"]
        (walk,) = (row for row in rows_of(session, SLUG, "walks") if row["kind"] == "main")
    assert dict(shown.left_out) == {"for practice": 1}
    assert [one.name for one in again.walks] == [one.name for one in shown.walks]
    manifest = draw_walks(shown.walks, out, workers=1)
    (row,) = rows_in(manifest)
    assert (row["source"], row["goal"], row["simulated"], row["scene"]) == ("human", "1", "no", "1-1-1")
    text = manifest.read_text(encoding="utf-8") + " ".join(map(str, out.rglob("*")))
    assert walk["participant"] not in text
    assert len({row["name"], row["player"], row["session"]}) == 3
    # Positions are a part of the exported ones, and the clip is what the ray caster draws of them.
    kept = rows_in(out / row["positions"])
    places = [(float(each["x_m"]), float(each["y_m"]), float(each["heading_rad"])) for each in positions]
    shown_places = [(float(each["x_m"]), float(each["y_m"]), float(each["heading_rad"])) for each in kept]
    first = places.index(shown_places[0])
    assert places[first : first + len(kept)] == shown_places
    perceived = [tuple(float(each[name]) for name in ("wall_m", "goal_in_view")) for each in positions]
    assert perceived[first : first + len(kept)] == [
        tuple(float(each[name]) for name in ("wall_m", "goal_in_view")) for each in kept
    ]
    assert first >= 30
    assert len(places) - first - len(kept) >= 30  # neither its start nor its end
    draw = raycaster(GOALS[0]).frame
    part = shown.walks[0].part
    poses = zip(*(c.tolist() for c in (part.x_m, part.y_m, part.z_m, part.heading_rad)), strict=True)
    frames = (draw(Pose(*pose), at / 30) for at, pose in enumerate(poses))
    write_mp4(tmp_path / "alike.mp4", frames, width=WIDTH, height=HEIGHT, frames_per_s=30)
    assert (tmp_path / "alike.mp4").read_bytes() == (out / row["file"]).read_bytes()
    assert [each.name for each in read_manifest(manifest).rows] == [row["name"]]
    if not exhaustive:  # agents' clips are drawn by the same functions
        return
    # An agent in the same scene: the same length, and nothing else that differs but what is seen.
    for folder in ("clips", "positions"):
        (tmp_path / "agent" / folder).mkdir(parents=True)
    clip = Clip("symbolic", 0, 1, 1)
    make_clip(clip, tmp_path / "agent")
    assert look_of(tmp_path / "agent" / "clips" / f"{clip.name}.mp4") == look_of(out / row["file"])
    agents = rows_in(tmp_path / "agent" / "positions" / f"{clip.name}.csv")
    assert (len(agents), agents[0].keys()) == (len(kept), kept[0].keys())
    middle = len(kept) // 2
    goal = np.array([GOALS[0].x_m, GOALS[0].y_m])
    away = [
        np.linalg.norm(np.array([float(r["x_m"]), float(r["y_m"])]) - goal)
        for r in (agents[middle], kept[middle])
    ]
    assert abs(away[0] - away[1]) < 6


def test_what_may_not_be_shown_is_not(client: TestClient, database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        load_walks(session, tmp_path, walks=1, consent={"version": "1", "text": "# Consent\n\nVoluntary.\n"})
    walking = Walking(client)
    walking.to("end")
    unable = Walking(client)
    unable.answer()
    unable.answer(unable="1")

    def refusal(session: Session, mode: Mode) -> str:
        with pytest.raises(Conflict) as refused:
            shown_walks(session, SLUG, mode, "secret")
        return str(refused.value)

    with database.reading() as session:
        live = refusal(session, Mode.LIVE)
        assert "1 without consent that others see it, 1 excluded" in live
        assert "play_shown: true" in live
        assert refusal(session, Mode.PILOT) == f"{SLUG} has no pilot walk that can be shown"
