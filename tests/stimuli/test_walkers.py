import math

import numpy as np
import numpy.typing as npt
import pytest

from stimuli.arena import GOALS
from stimuli.planning import plan
from stimuli.scenes import Clip, plan_clips, walk_clip
from stimuli.walkers import REACHED_M, SOURCES, LostWalkerError, Source, Track, walk
from stimuli.world import STEP_M, build_world

Walks = dict[Clip, Track]


def of(walks: Walks, source: Source) -> list[Track]:
    return [track for clip, track in walks.items() if clip.source == source]


def turns_deg(track: Track) -> npt.NDArray[np.float64]:
    """Give the change of heading from each frame to the next."""
    return np.degrees((np.diff(track.heading_rad) + math.pi) % math.tau - math.pi)


def speeds(track: Track) -> npt.NDArray[np.float64]:
    return np.hypot(np.diff(track.x_m), np.diff(track.y_m)) * 30


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


def test_every_walk_ends_at_its_goal(walks: Walks) -> None:
    for clip, track in walks.items():
        goal = GOALS[clip.goal]
        assert math.hypot(track.x_m[-1] - goal.x_m, track.y_m[-1] - goal.y_m) < REACHED_M, clip


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
        moving = speeds(track)[:-20]
        assert np.mean(np.isclose(moving, 3.3, atol=0.01)) > 0.95


@pytest.mark.parametrize("source", ["hybrid", "human"])
def test_other_walkers_turn_smoothly(walks: Walks, source: Source) -> None:
    for track in of(walks, source):
        turns = np.abs(turns_deg(track))
        assert turns.max() < 15.0
        assert np.mean(turns > 0.01) > 0.3


def test_simulated_humans_turn_and_pace_less_evenly_than_hybrid_walkers(walks: Walks) -> None:
    def unrest(source: Source) -> tuple[float, float]:
        tracks = of(walks, source)
        turning = np.mean([np.abs(np.diff(turns_deg(track))).mean() for track in tracks])
        pace = np.mean([speeds(track)[:-30].std() for track in tracks])
        return float(turning), float(pace)

    human, hybrid = unrest("human"), unrest("hybrid")
    assert human[0] > 2 * hybrid[0]
    assert human[1] > 1.3 * hybrid[1]


def test_the_same_clip_is_the_same_walk(walks: Walks) -> None:
    for clip in plan_clips(3, seed=next(iter(walks)).seed):
        again = walk_clip(clip)
        assert np.array_equal(again.x_m, walks[clip].x_m)
        assert np.array_equal(again.heading_rad, walks[clip].heading_rad)


def test_another_seed_or_number_is_another_walk() -> None:
    tracks = [walk_clip(Clip("human", 0, number, seed)) for number, seed in ((1, 3), (1, 4), (2, 3))]
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
