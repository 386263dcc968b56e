"""The protocol on paths whose differences are known."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from analysis.errors import AnalysisError
from analysis.signatures import ClipPath, Path, compare_signatures, render_signatures
from analysis.signatures.against import NOT_COVERED
from analysis.signatures.comparing import SETTLED, Signatures
from analysis.signatures.mds import classical_mds
from bench.calibration_signatures import CASES
from tests.analysis.tables import answer, checked

pytestmark = pytest.mark.slow


def walked(seed: int, spread: float, seconds: float = 12.0) -> Path:
    """Full speed, with a course that turns by a normal angle eight times a second."""
    rng = np.random.default_rng(seed)
    course = np.cumsum(rng.normal(0, spread, round(8 * seconds)))
    x_m, y_m = (np.concatenate(([0.0], np.cumsum(0.4 * f(course)))) for f in (np.cos, np.sin))
    return Path(np.arange(len(x_m)) / 8, x_m, y_m)


def clips_of(source: str, spread: float, *, players: int, clips: int = 6) -> list[ClipPath]:
    return [
        ClipPath(
            f"{source}-{player}-{at}",
            source,
            f"p{player}",
            walked(1000 * player + at + round(99 * spread), spread),
        )
        for player in range(players)
        for at in range(clips)
    ]


CLIPS = [
    *clips_of("human", 0.30, players=5),
    *clips_of("near", 0.34, players=2),
    *clips_of("far", 1.20, players=1, clips=8),
]


@pytest.fixture(scope="module")
def found() -> Signatures:
    votes = [
        answer(
            participant=f"P{at}", session=f"s{at}", pair=f"q{at}", source_a="human", source_b="far",
            truth="a", choice="a",
            stimulus_a="human-0-0", stimulus_b="far-0-0", condition="human-far",
        )
        for at in range(4)
    ]  # fmt: skip
    return compare_signatures(CLIPS, votes=checked(*votes), resamples=200)


def test_the_agent_that_moves_more_like_people_is_nearer_and_within_their_band(found: Signatures) -> None:
    change = found.signatures[0]
    near, far = (next(one for one in change.distances if one.source == name) for name in ("near", "far"))
    assert change.nearest == "near"
    assert change.nearest_share == 1.0
    assert change.band is not None
    assert (change.band.n, change.band.reason) == (5, None)
    assert near.distance < 2 * (change.band.high or 0) < far.distance
    for one in (near, far):
        assert (one.interval.low, one.interval.reason) == (None, NOT_COVERED)
        assert (one.n, one.unit) == ({"near": 12, "far": 8}[one.source], "clips")


def test_what_the_positions_lack_refuses_a_signature_and_guesses_nothing(found: Signatures) -> None:
    aim = found.signatures[1]
    assert aim.signature == "velocity-to-aim"
    assert aim.reason == "positions have no heading_rad in 8 of 8 clips of far"
    assert (aim.distances, aim.nearest, aim.band) == ((), None, None)


def with_headings(clip: ClipPath, turned: float = 0.0) -> ClipPath:
    """The same clip, whose player looks where they go, or so much to the left."""
    path = clip.path
    course = np.unwrap(np.arctan2(np.diff(path.y_m), np.diff(path.x_m)))
    return replace(clip, path=replace(path, heading_rad=np.append(course, course[-1]) + turned))


def test_a_signature_is_of_the_clips_that_have_what_it_needs_and_says_of_how_many() -> None:
    """One clip of people and one whole player of a source without headings: the rest as if these were not there."""
    looking = [with_headings(clip, 0.0 if clip.source == "human" else 0.9) for clip in CLIPS]
    bare = {"human-0-0", *(clip.name for clip in CLIPS if (clip.source, clip.player) == ("near", "p1"))}
    some = [was if was.name in bare else clip for was, clip in zip(CLIPS, looking, strict=True)]
    found = compare_signatures(some, resamples=50)
    aim = found.signatures[1]
    assert [(one.source, one.n_known, one.n) for one in aim.lacking] == [("human", 29, 30), ("near", 6, 12)]
    assert aim.reason is None
    assert not found.signatures[0].lacking
    without = compare_signatures([clip for clip in looking if clip.name not in bare], resamples=50)
    assert [one.n for one in aim.distances] == [8, 6]
    assert [one.distance for one in aim.distances] == pytest.approx(
        [one.distance for one in without.signatures[1].distances], rel=0.05
    )
    text = " ".join(render_signatures(found).split())
    said = "29 of 30 clips of human, 6 of 12 clips of near: positions have no heading_rad in the others."
    assert f"Computed from {said}" in text


def test_a_source_that_lacks_all_has_no_distance_and_where_people_do_the_signature_is_refused() -> None:
    looking = [with_headings(clip) if clip.source != "near" else clip for clip in CLIPS]
    aim = compare_signatures(looking, resamples=0).signatures[1]
    assert ([one.source for one in aim.distances], aim.not_compared) == (["far"], ("near",))
    assert [(one.source, one.n_known) for one in aim.lacking] == [("near", 0)]
    without_people = [with_headings(clip) if clip.source != "human" else clip for clip in CLIPS]
    refused = compare_signatures(without_people, resamples=0).signatures[1]
    assert refused.reason == "positions have no heading_rad in 30 of 30 clips of human"
    assert refused.distances == ()


def test_people_who_shared_a_match_with_agents_are_said_to_have() -> None:
    def notes(matches: dict[str, str]) -> list[str]:
        clips = [replace(clip, match=matches.get(clip.name, "")) for clip in CLIPS]
        return [
            note for note in compare_signatures(clips, resamples=0).notes if "people among people" in note
        ]

    apart = {clip.name: f"{clip.source}-{clip.name[-1]}" for clip in CLIPS}
    assert notes({}) == notes(apart) == []
    [note] = notes({**apart, "far-0-0": apart["human-0-0"], "near-0-1": apart["human-0-0"]})
    assert note.startswith("In 1 of 6 matches of human there were others, too (far, near)")


def test_sources_that_moved_in_other_scenes_than_people_are_said() -> None:
    def notes(scenes: dict[str, str]) -> list[str]:
        clips = [replace(clip, scene=scenes.get(clip.name, "")) for clip in CLIPS]
        return [note for note in compare_signatures(clips, resamples=0).notes if " scene" in note]

    same = {clip.name: f"goal-{clip.name[-1]}" for clip in CLIPS}
    n = len({scene for name, scene in same.items() if name.startswith("far")})
    assert notes({}) == notes(dict.fromkeys(same, "one")) == []
    far = {name: "elsewhere" for name in same if name.startswith("far")}
    [note] = notes({**dict.fromkeys(same, "one"), **far})
    assert note.startswith("Human moved in 1 scene, and others not in the same: far (in 0 of its 1).")
    assert n > 1


def test_a_source_with_few_angles_is_not_settled_and_the_curve_goes_down(found: Signatures) -> None:
    counts = {one.source: one.n_angles for one in found.sources}
    change = found.signatures[0]
    assert set(change.not_settled) == {source for source, n in counts.items() if n < SETTLED}
    curve = [step.median for step in change.settling if step.source == "human"]
    assert len(curve) >= 3
    assert curve[-1] < curve[0]


def test_votes_stand_beside_distances_and_three_sources_have_no_correlation(found: Signatures) -> None:
    assert found.closing is not None
    (taken,) = found.closing.taken
    assert (taken.source, taken.share, taken.n_trials) == ("far", 0.0, 4)
    assert "near" in found.closing.not_judged
    assert all(metric.rho is None and "5 sources" in str(metric.reason) for metric in found.closing.metrics)


def test_the_json_is_plain_and_the_text_says_it_all(found: Signatures) -> None:
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert again["format"] == "likely-human signatures 1"
    assert [one["signature"] for one in again["signatures"]][:2] == ["velocity-change", "velocity-to-aim"]
    text = render_signatures(found)
    for said in (
        "Nearest to people: near",
        "Distances have no interval: in simulations",
        "Refused: positions have no heading_rad",
        "Not settled",
        "No correlation",
    ):
        assert said in text
    assert max(map(len, text.splitlines())) <= 100


def test_order_and_names_of_clips_change_nothing_and_the_seed_decides_the_rest() -> None:
    few = [clip for clip in CLIPS if clip.source != "near"]
    one = compare_signatures(few, resamples=50)
    other = compare_signatures(list(reversed(few)), resamples=50)
    assert one.to_dict() == other.to_dict()


def test_people_that_are_simulated_are_said_to_be() -> None:
    assert not [note for note in compare_signatures(CLIPS, resamples=0).notes if "simulated" in note]
    made_up = [replace(clip, is_simulated=clip.source == "human") for clip in CLIPS]
    text = render_signatures(compare_signatures(made_up, resamples=0))
    assert "30 of 30 clips of people are simulated: no person made these paths" in " ".join(text.split())


def test_one_person_has_no_band_and_it_is_said() -> None:
    alone = [clip for clip in CLIPS if clip.source != "human" or clip.player == "p0"]
    found = compare_signatures(alone, resamples=0)
    band = found.signatures[0].band
    assert band is not None
    assert (band.median, band.reason) == (None, "a single person cannot be compared with others")
    assert "There is one person" in found.notes[0]
    assert found.signatures[0].nearest_share is None


@pytest.mark.exhaustive
def test_resampling_holds_a_distance_too_rarely_for_an_interval() -> None:
    """One player of a source like people, twenty people: a study that there may well be."""
    case = next(one for one in CASES if one.key == "signature-alike-20-1")
    held = [case.simulate(np.random.default_rng(seed), seed) for seed in range(40)]
    for way in zip(*held, strict=True):
        assert np.mean([bool(hit) for hit in way]) < 0.8


def test_sources_that_are_equally_near_are_not_ranked() -> None:
    twins = [replace(clip, source="twin") for clip in CLIPS if clip.source == "near"]
    found = compare_signatures([*CLIPS, *twins], resamples=50)
    assert (found.signatures[0].nearest, found.signatures[0].nearest_share) == (None, None)
    assert "several are equally near" in render_signatures(found)


def test_what_cannot_be_compared_is_refused_in_words() -> None:
    with pytest.raises(
        AnalysisError, match="no clip with positions has the source 'person'; there is far, human, near"
    ):
        compare_signatures(CLIPS, human="person")
    with pytest.raises(AnalysisError, match="nothing to compare with people"):
        compare_signatures([clip for clip in CLIPS if clip.source == "human"])
    still = [replace(clip, path=Path(clip.path.t_s, 0 * clip.path.x_m, 0 * clip.path.y_m)) for clip in CLIPS]
    with pytest.raises(AnalysisError, match="nobody moves"):
        compare_signatures(still)


def test_a_map_of_distances_in_the_plane_is_those_places() -> None:
    """Points in a plane come back but for turning; on a cube's corners there must be stress."""
    places = np.random.default_rng(2).normal(size=(6, 2))
    distances = squareform(pdist(places))
    found = classical_mds("abcdef", distances)
    assert squareform(pdist(np.column_stack([found.x, found.y]))) == pytest.approx(distances)
    assert found.stress == pytest.approx(0, abs=1e-9)
    assert found.variance == pytest.approx(1)
    assert found.x[0] > 0
    assert found.y[0] > 0
    cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    flat = classical_mds("abcdefgh", squareform(pdist(cube)))
    shown = squareform(pdist(np.column_stack([flat.x, flat.y])))
    true = squareform(pdist(cube))
    assert flat.stress == pytest.approx(np.sqrt(((true - shown) ** 2).sum() / (true**2).sum()))
    assert flat.variance == pytest.approx(2 / 3)
    same = classical_mds("ab", np.zeros((2, 2)))
    assert (same.stress, same.variance) == (None, None)
