"""The demo's study over the clips that the demo makes."""

from collections import Counter

from app.demo.build import FILES, SLUG
from app.sessions.design import Kind
from app.studies.file.load import load_study
from app.studies.file.pairs import StimulusFacts
from stimuli.arena import GOALS
from stimuli.scenes import plan_clips, plan_walks


def test_its_pairs_hold_every_agent_against_people_and_against_each_other() -> None:
    clips = [*plan_clips(24, 1), *plan_walks(len(GOALS), 1, "learned", "an:Agent", range(len(GOALS)))]
    facts = {
        clip.name: StimulusFacts(clip.name, clip.source, {"goal": str(clip.goal)}, f"{number:064x}")
        for number, clip in enumerate(clips)
    }
    design = load_study(FILES[SLUG], facts)
    assert [pair.kind for pair in design.pairs] == [Kind.PRACTICE] + [Kind.MAIN] * 10
    conditions = Counter(
        "-".join(sorted(facts[name].source for name in (pair.a, pair.b))) for pair in design.pairs
    )
    practice = {"human-symbolic": 1}
    assert conditions == {"human-hybrid": 4, "human-learned": 3, "hybrid-symbolic": 3, **practice}
