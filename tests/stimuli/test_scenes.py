from collections import Counter

from stimuli.arena import GOALS
from stimuli.clipset import N_CLIPS
from stimuli.scenes import plan_clips
from stimuli.walkers import SOURCES


def test_the_default_set_holds_every_source_for_every_goal_equally_often() -> None:
    clips = plan_clips(N_CLIPS, seed=1)
    assert {(clip.source, clip.goal) for clip in clips} == {
        (source, goal) for source in SOURCES for goal in range(len(GOALS))
    }
    assert set(Counter(clip.source for clip in clips).values()) == {N_CLIPS // len(SOURCES)}
    for goal in range(len(GOALS)):
        assert len(set(Counter(clip.source for clip in clips if clip.goal == goal).values())) == 1


def test_names_are_unique_and_say_source_goal_and_number() -> None:
    names = [clip.name for clip in plan_clips(60, seed=1)]
    assert len(set(names)) == 60
    assert names[:4] == ["human-g1-1", "hybrid-g1-1", "symbolic-g1-1", "human-g2-1"]
    assert names[18] == "human-g1-2"


def test_a_larger_set_begins_with_the_smaller_one() -> None:
    assert plan_clips(40, seed=2)[:24] == plan_clips(24, seed=2)
