import itertools
import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from analysis.signatures.paths import Path, path_features
from analysis.stats.auc import auc
from stimuli.arena import GOALS
from stimuli.planning import plan
from stimuli.scenes import Clip, plan_clips, walk_clip
from stimuli.steering import SPEED_M_PER_S
from stimuli.walkers import REACHED_M, SOURCES, LostWalkerError, Source, Track, walk
from stimuli.world import STEP_M, build_world

pytestmark = pytest.mark.slow

Walks = dict[Clip, Track]


def of(walks: Walks, source: Source) -> list[Track]:
    return [track for clip, track in walks.items() if clip.source == source]


def turns_deg(track: Track) -> npt.NDArray[np.float64]:
    """Give the change of heading from each frame to the next."""
    return np.degrees((np.diff(track.heading_rad) + math.pi) % math.tau - math.pi)


def speeds(track: Track) -> npt.NDArray[np.float64]:
    return np.hypot(np.diff(track.x_m), np.diff(track.y_m)) * 30


def path_of(track: Track) -> Path:
    return Path(np.arange(len(track)) / 30, track.x_m, track.y_m, track.heading_rad)


def pace_and_place(clip: Clip, track: Track, part: slice) -> dict[str, float]:
    """Speeds to a decimetre per second, so that the dust of floating point is no clue; metres."""
    x_m, y_m, goal = track.x_m[part], track.y_m[part], GOALS[clip.goal]
    speed = np.round(np.hypot(np.diff(x_m), np.diff(y_m)) * 30, 1)
    away_m = np.hypot(x_m - goal.x_m, y_m - goal.y_m)
    return {
        "mean speed": float(speed.mean()),
        "least speed": float(speed.min()),
        "greatest speed": float(speed.max()),
        "spread of speed": float(speed.std()),
        "speed of the first frame": float(speed[0]),
        "speed of the last frame": float(speed[-1]),
        "speed gained": float(speed[-10:].mean() - speed[:10].mean()),
        "standing": float(np.mean(speed < 0.2 * SPEED_M_PER_S)),
        "goal away at first": float(away_m[0]),
        "goal away at last": float(away_m[-1]),
        "height": float(track.z_m[part].mean()),
    }


@pytest.mark.slow
def test_no_walker_is_ever_inside_an_obstacle_or_over_an_edge(walks: Walks) -> None:
    world = build_world()
    for clip, track in walks.items():
        assert not world.in_obstacle(track.x_m, track.y_m).any(), clip
        assert world.clear(track.x_m, track.y_m, 0.29).all(), clip
        assert np.abs(np.diff(track.z_m)).max() < STEP_M, clip


def test_every_walk_lasts_six_to_ten_seconds(walks: Walks) -> None:
    assert all(6.0 <= len(track) / 30 <= 10.0 for track in walks.values())


def test_length_says_nothing_about_source(walks: Walks) -> None:
    lengths = [[len(track) for track in of(walks, source)] for source in SOURCES]
    assert lengths[0] == lengths[1] == lengths[2]


def test_every_walk_comes_nearer_to_its_goal_and_ends_before_it(walks: Walks) -> None:
    for clip, track in walks.items():
        goal = GOALS[clip.goal]
        route = plan((goal.x_m, goal.y_m))
        left_m = route.from_m(track.x_m, track.y_m)
        left_m = left_m[np.isfinite(left_m)]
        assert left_m[-1] < left_m[0] - 12, clip
        assert math.hypot(track.x_m[-1] - goal.x_m, track.y_m[-1] - goal.y_m) > REACHED_M + 2, clip


def test_symbolic_walkers_turn_at_once_by_30_45_or_90_degrees_only(walks: Walks) -> None:
    turns = np.concatenate([turns_deg(track) for track in of(walks, "symbolic")])
    made = np.abs(turns[np.abs(turns) > 1e-6])
    assert len(made) >= len(GOALS)
    assert np.isclose(made[:, None], [30.0, 45.0, 90.0]).any(axis=1).all()


def test_symbolic_headings_are_multiples_of_15_degrees(walks: Walks) -> None:
    headings = np.degrees(np.concatenate([track.heading_rad for track in of(walks, "symbolic")]))
    assert np.allclose(headings / 15, np.round(headings / 15))


def test_symbolic_walkers_keep_one_speed_until_the_goal(walks: Walks) -> None:
    for track in of(walks, "symbolic"):
        assert np.mean(np.isclose(speeds(track), 3.3, atol=0.01)) > 0.95


@pytest.mark.parametrize("source", ["hybrid", "human"])
def test_other_walkers_turn_smoothly(walks: Walks, source: Source) -> None:
    for track in of(walks, source):
        turns = np.abs(turns_deg(track))
        assert turns.max() < 15.0
        assert np.mean(turns > 0.01) > 0.3


@pytest.mark.slow
def test_simulated_humans_press_a_key_and_move_a_mouse(exhaustive: bool) -> None:
    """The averages that were measured of people's paths through another game (docs/clips.md), give or take.

    Of the demo's sixty scenes, or of its first twenty, in which some things are too rare for an average."""
    planned = [clip for clip in plan_clips(180, seed=1) if clip.source == "human"]
    tracks = [walk_clip(clip).part for clip in planned[: 60 if exhaustive else 20]]
    measured = [path_features(path_of(track), SPEED_M_PER_S) for track in tracks]
    found = pd.DataFrame([one.to_dict() for one in measured if one]).mean()
    assert found["full_speed"] == pytest.approx(0.93, abs=0.03)
    assert found["slow"] == pytest.approx(0.03, abs=0.02)
    assert found["straight"] == pytest.approx(0.34, abs=0.06)
    assert found["reversals_per_s"] == pytest.approx(0.35, abs=0.1)
    assert found["corrections"] == pytest.approx(0.15, abs=0.08)
    assert found["acceleration"] == pytest.approx(0.32, abs=0.12)
    if exhaustive:
        assert found["turn_kurtosis"] == pytest.approx(4.2, abs=2)
        assert found["straightness"] == pytest.approx(0.92, abs=0.04)


def turning(track: Track, part: slice) -> dict[str, float]:
    """Turning of a walker per second: share below 1 degree/s, degrees turned, spread and most in degrees/s."""
    rate = turns_deg(track)[part.start : part.stop - 1 if part.stop else None] * 30
    return {
        "straight": float(np.mean(np.abs(rate) < 1)),
        "turned": float(np.abs(rate).sum() / 30),
        "spread of turns": float(rate.std()),
        "fastest turn": float(np.abs(rate).max()),
    }


def apart_by_turning(walks: Walks, one: Source, other: Source, second: int) -> dict[str, float]:
    """|AUC - 0.5| of each, in the second that begins so many seconds after the first frame, or before the last."""

    def measured(source: Source) -> pd.DataFrame:
        parts = (
            (track, 30 * second if second >= 0 else len(track) + 30 * second - 1)
            for track in of(walks, source)
        )
        return pd.DataFrame([turning(track, slice(first, first + 31)) for track, first in parts])

    a, b = measured(one), measured(other)
    return {str(name): abs(auc(a[name].to_numpy(), b[name].to_numpy()) - 0.5) for name in a}


def ends_that_tell(walks: Walks) -> list[tuple[str, Source, Source]]:
    """Features that separate two sources in the first or last second better than in any of the eight next to these."""
    found = []
    for one, other in itertools.combinations(SOURCES, 2):
        within = pd.DataFrame(
            [apart_by_turning(walks, one, other, at) for at in (1, 2, 3, 4, -2, -3, -4, -5)]
        )
        for second in (0, -1):
            at_end = apart_by_turning(walks, one, other, second)
            found += [
                (name, one, other) for name, apart in at_end.items() if apart > within[name].max() + 0.02
            ]
    return found


@pytest.mark.exhaustive
@pytest.mark.slow
def test_how_walkers_turn_tells_no_more_at_the_ends_than_between(scenes: Walks) -> None:
    """How they turn differs at every moment, which is what they are: a leak would be what only an end shows."""
    assert ends_that_tell(scenes) == []
    frozen = {
        clip: replace(
            track, heading_rad=np.where(np.arange(len(track)) < len(track) - 31, track.heading_rad, 0)
        )
        if clip.source == "hybrid"
        else track
        for clip, track in scenes.items()
    }
    assert ("straight", "human", "hybrid") in ends_that_tell(frozen), "a walker that stops turning is found"


@pytest.mark.exhaustive
@pytest.mark.slow
def test_neither_pace_nor_place_in_the_first_or_last_second_tells_walkers_apart(scenes: Walks) -> None:
    """By each alone, for any two sources; of how they turn the test above has what is asked."""
    for end, part in (("first", slice(0, 31)), ("last", slice(-31, None))):
        measured = {
            source: pd.DataFrame(
                [pace_and_place(c, t, part) for c, t in scenes.items() if c.source == source]
            )
            for source in SOURCES
        }
        for one, other in itertools.combinations(SOURCES, 2):
            for name in measured[one]:
                area = auc(measured[one][name].to_numpy(), measured[other][name].to_numpy())
                assert max(area, 1 - area) <= 0.6, (end, name, one, other)


def test_the_same_clip_is_the_same_walk(walks: Walks) -> None:
    for clip in plan_clips(3, seed=next(iter(walks)).seed):
        again = walk_clip(clip).part
        assert np.array_equal(again.x_m, walks[clip].x_m)
        assert np.array_equal(again.heading_rad, walks[clip].heading_rad)


def test_another_seed_or_number_is_another_walk() -> None:
    tracks = [walk_clip(Clip("human", 0, number, seed)).part for number, seed in ((1, 3), (1, 4), (2, 3))]
    starts = {(float(track.x_m[0]), float(track.y_m[0])) for track in tracks}
    assert len(starts) == 3


def test_a_walk_from_inside_a_wall_is_refused() -> None:
    route = plan((GOALS[0].x_m, GOALS[0].y_m))
    with pytest.raises(ValueError, match=r"no way from \(0\.5, 0\.5\)"):
        walk("symbolic", build_world(), route, (0.5, 0.5), np.random.default_rng(1))


def test_a_walker_that_cannot_move_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stimuli.body.Body.move", lambda *_: False)
    route = plan((GOALS[0].x_m, GOALS[0].y_m))
    with pytest.raises(LostWalkerError, match="did not get from"):
        walk("hybrid", build_world(), route, (20.25, 10.25), np.random.default_rng(1))
