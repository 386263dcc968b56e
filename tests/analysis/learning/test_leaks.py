"""Units kept on one side of a fold, and features that reveal the source without any behaviour."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from analysis.errors import AnalysisError
from analysis.learning.catalogue import NETWORKS
from analysis.learning.examples import Example, matched_pairs, split
from analysis.learning.leaks import LEAKS, check_leaks, refused
from analysis.learning.logged import InCommon, as_logged, in_common, logged
from analysis.learning.paths import Path, resampled
from tests.analysis.learning.walked import examples_of

pytestmark = pytest.mark.slow

READS_PLACES = NETWORKS["sym-ff"].settings
SEES = NETWORKS["vis-ff-small"].settings
READS_NONE = NETWORKS["turn-speed-ff"].settings


def found(examples: Sequence[Example], settings: object = READS_NONE) -> set[str]:
    return {check.name for check in check_leaks(examples, settings) if check.found}  # type: ignore[arg-type]


def of_agents(examples: Sequence[Example], change: object) -> Sequence[Example]:
    return [e if e.is_human else replace(e, path=change(e.path)) for e in examples]  # type: ignore[operator]


def standing_at_the_end(path: Path) -> Path:
    last = 15
    x, y = path.x_m.copy(), path.y_m.copy()
    x[-last:], y[-last:] = x[-last], y[-last]
    return replace(path, x_m=x, y_m=y)


def shorter(path: Path) -> Path:
    heading = path.heading_rad
    return Path(
        path.t_s[:-40],
        path.x_m[:-40],
        path.y_m[:-40],
        path.z_m[:-40],
        None if heading is None else heading[:-40],
    )


def elsewhere(path: Path) -> Path:
    return replace(path, x_m=path.x_m + 60)


def begun_elsewhere(path: Path) -> Path:
    return replace(path, x_m=np.concatenate([path.x_m[:1] + 60, path.x_m[1:]]))


def ended_elsewhere(path: Path) -> Path:
    return replace(path, z_m=np.concatenate([path.z_m[:-1], path.z_m[-1:] + 3]))


def rounded(path: Path) -> Path:
    return replace(path, x_m=np.round(path.x_m, 2), y_m=np.round(path.y_m, 2))


def each_second_repeated(path: Path) -> Path:
    held = np.arange(len(path.t_s)) // 2 * 2
    heading = None if path.heading_rad is None else path.heading_rad[held]
    return Path(path.t_s, path.x_m[held], path.y_m[held], path.z_m[held], heading)


def of_four_hertz(path: Path) -> Path:
    return resampled(path, 4.3)


def test_how_positions_were_logged_is_found_and_taken_away_before_a_judge_reads_them() -> None:
    plain = examples_of(30)
    for change in (rounded, each_second_repeated, of_four_hertz):
        examples = of_agents(plain, change)
        assert found(examples, READS_PLACES) >= {"logging"}, change
        common = in_common([e.path for e in examples], [e.source for e in examples])
        settings = replace(READS_PLACES, step_s=common.step_s, decimals=common.decimals)
        assert "logging" not in found(examples, settings), change
    assert in_common([e.path for e in plain], [e.source for e in plain]) == InCommon()
    human, agent = (
        as_logged(change(plain[0].path), InCommon(2 / 30, 2)) for change in (rounded, each_second_repeated)
    )
    assert np.abs(human.x_m - agent.x_m).max() < 0.011
    assert logged(human).step_s == pytest.approx(2 / 30)
    assert logged(agent).repeats == 0


def as_written(path: Path) -> Path:
    """As a file has it: five decimals, of times too, so that no moment is on the common step to the last digit."""
    heading = None if path.heading_rad is None else np.round(path.heading_rad, 5)
    t_s, x_m, y_m, z_m = (np.round(values, 5) for values in (path.t_s, path.x_m, path.y_m, path.z_m))
    return Path(t_s, x_m, y_m, z_m, heading)


@pytest.mark.parametrize("change", [each_second_repeated, of_four_hertz])
def test_bringing_paths_to_one_step_leaves_no_trace_of_its_own(change: Callable[[Path], Path]) -> None:
    examples = [replace(e, path=as_written(e.path)) for e in of_agents(examples_of(30), change)]
    common = in_common([e.path for e in examples], [e.source for e in examples])
    for reads in (READS_PLACES, replace(READS_NONE, by_heading=True)):
        settings = replace(reads, step_s=common.step_s, decimals=common.decimals)
        assert "logging" not in found(examples, settings), settings.reads


def test_headings_of_fewer_decimals_remain_and_are_refused_where_they_are_read() -> None:
    coarse = of_agents(
        examples_of(30),
        lambda path: replace(path, heading_rad=np.round(path.heading_rad, 1)),
    )
    assert "logging" in found(coarse, replace(READS_NONE, by_heading=True))
    assert "logging" not in found(coarse, READS_NONE)
    some = [e if e.is_human else replace(e, path=replace(e.path, heading_rad=None)) for e in examples_of(30)]
    (check,) = (c for c in check_leaks(some, READS_NONE) if c.name == "logging")
    assert "30 of 60 paths have no headings, so none are read" in check.says


def test_half_a_metre_within_the_scenes_is_found_where_all_clips_together_say_nothing() -> None:
    plain = examples_of(40)
    moved = [
        e
        if e.is_human
        else replace(e, path=replace(e.path, x_m=plain[row - 1].path.x_m + 0.5, y_m=plain[row - 1].path.y_m))
        for row, e in enumerate(plain)
    ]
    (check,) = (c for c in check_leaks(moved, READS_PLACES) if c.name == "place")
    assert check.found
    assert check.value == 1.0
    assert re.search(r"start AUC 0\.5\d, 1\.00 of 40 pairs", check.says), check.says
    assert "place" not in {c.name for c in check_leaks(plain, READS_PLACES) if c.found}
    short = of_agents(plain, lambda path: Path(*(getattr(path, name)[:-3] for name in PARTS)))
    varied = [
        replace(
            e, path=Path(*(getattr(e.path, name)[: len(e.path.t_s) - 12 * (row // 2 % 4)] for name in PARTS))
        )
        for row, e in enumerate(short)
    ]
    (check,) = (c for c in check_leaks(varied, READS_NONE) if c.name == "length")
    assert check.found
    assert "1.00 of 40 pairs" in check.says


PARTS = ("t_s", "x_m", "y_m", "z_m", "heading_rad")


def test_no_leak_is_found_where_there_is_none() -> None:
    assert found(examples_of(30)) == set()


def test_each_leak_is_found_where_it_is_and_refused_in_a_sentence_unless_allowed() -> None:
    plain = examples_of(30)
    cases = {
        "ends": of_agents(plain, standing_at_the_end),
        "outside-clip": [replace(e, shown_s=4.0) for e in plain],
        "length": of_agents(plain, shorter),
        "place": of_agents(plain, elsewhere),
        "logging": of_agents(plain, rounded),
        "encoder": [replace(e, encoding="h264" if e.is_human else "vp9") for e in plain],
        "scene": [replace(e, scene="") for e in plain],
        "person": [replace(e, maker="") if e.is_human else e for e in plain],
    }
    assert set(cases) == set(LEAKS)
    for name, examples in cases.items():
        settings = SEES if name == "encoder" else READS_PLACES
        assert found(examples, settings) >= {name}, name
        checks = check_leaks(examples, settings)
        sentence = next(said for said in refused(checks, ()) if f"--allow {name} " in said)
        assert sentence.startswith(LEAKS[name])
        assert not [said for said in refused(checks, [name]) if f"--allow {name} " in said]
    assert "place" not in found(cases["place"], READS_NONE)  # it reads no places
    assert "encoder" not in found(cases["encoder"], READS_NONE)
    assert "encoder" not in found([replace(e, encoding="h264") for e in plain], SEES)


def test_places_stop_what_reads_them_and_are_said_of_start_end_and_goal(exhaustive: bool) -> None:
    of_each_kind = {network.settings.reads: network for network in NETWORKS.values()}
    plain = [replace(e, goal_m=(60.0, 20.0)) for e in examples_of(30)]
    far = [e if e.is_human else replace(e, goal_m=(20.0, 20.0)) for e in plain]
    cases = {
        "start": of_agents(plain, begun_elsewhere),
        "end": of_agents(plain, ended_elsewhere),
        "goal": far,
    }
    for what, examples in cases.items():
        for network in NETWORKS.values() if exhaustive else of_each_kind.values():
            (check,) = (c for c in check_leaks(examples, network.settings) if c.name == "place")
            assert check.found == (network.settings.reads != "turn-speed"), (what, network.name)
            areas = dict(re.findall(r"(start|end|goal) AUC (\d\.\d+)", check.says))
            assert {place for place, area in areas.items() if float(area) == 1.0} == {what}, check.says
            assert ("mini map" in check.says) == network.settings.sees, check.says
            assert ("reads no places" in check.says) != check.found
            assert check.value == 1.0
    (check,) = (c for c in check_leaks(examples_of(30), READS_PLACES) if c.name == "place")
    assert "the goal not looked at" in check.says


def sides(examples: Sequence[Example], of: object, pairs: Sequence[tuple[int, int]] = ()) -> bool:
    """True if any unit of a kind is on both sides of a fold."""
    return any(
        {of(examples[row]) for row in part.train} & {of(examples[row]) for row in part.test}  # type: ignore[operator]
        for part in split(examples, pairs, 1).folds
    )


def test_no_scene_copy_pair_or_maker_is_on_both_sides_of_a_fold() -> None:
    one = examples_of(30)
    assert not sides(one, lambda e: e.scene)
    copied = [*one, *(replace(e, name=f"copy of {e.name}", scene=f"other {e.scene}") for e in one[:8])]
    assert not sides(copied, lambda e: e.content)
    chain = [(2 * number, 2 * number + 3) for number in range(9)]
    groups = [replace(e, scene="") for e in one]
    linked = {row for pair in chain for row in pair}
    for part in split(groups, chain, 1).folds:
        for a, b in chain:
            assert (a in part.train) == (b in part.train)
    assert len(linked) == 18
    crossed = examples_of(60, makers=7)  # players and scenes cross: a fold tests some scenes by some players
    splits = split(crossed, (), 1)
    assert "player or version" in splits.by
    assert not splits.note
    assert not sides(crossed, lambda e: e.scene)
    assert not sides(crossed, lambda e: e.maker)
    assert "other people or agents is not known" in split(one, (), 1).note
    assert sorted(row for part in split(one, (), 1).folds for row in part.test) == list(range(60))


def test_too_few_scenes_are_refused() -> None:
    with pytest.raises(AnalysisError, match=r"4 groups of clips .* at least 5 are needed"):
        split(examples_of(4), (), 1)


def test_pairs_are_matched_by_scene_whatever_names_and_order_are() -> None:
    examples = [*examples_of(6), replace(examples_of(1, seed=2)[1], scene="scene 0", source="other")]
    pairs = matched_pairs(examples)
    assert len(pairs) == 7
    assert all(examples[a].is_human and not examples[b].is_human for a, b in pairs)
    assert all(examples[a].scene == examples[b].scene for a, b in pairs)
    shuffled = [examples[row] for row in np.random.default_rng(1).permutation(len(examples))]
    renamed = [replace(e, name=f"{number}") for number, e in enumerate(shuffled)]
    again = {(renamed[a].content, renamed[b].content) for a, b in matched_pairs(renamed)}
    assert again == {(examples[a].content, examples[b].content) for a, b in pairs}
