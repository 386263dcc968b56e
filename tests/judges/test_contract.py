"""The contract of every judge in the registry. A new judge is tested by being in it."""

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path

import pytest

from app.core.errors import NotFound
from app.judges.base import Judge, JudgeFailed, Needs, PairFiles, StimulusFiles, Times
from app.judges.registry import OURS, judge_named
from app.judges.runner import PairToJudge, mirrored, run_judge
from tests.judges.files import QUESTION, pair_of

# Those of records and texts read no file: tests/judges/test_records.py.
OF_CLIPS = [name for name in OURS if judge_named(name).info.needs is not Needs.CONTENTS]


@pytest.fixture(params=OF_CLIPS)
def judge(request: pytest.FixtureRequest) -> Judge:
    made = judge_named(request.param)
    made.prepare()
    return made


@pytest.fixture
def pairs(stimuli: Sequence[StimulusFiles]) -> Sequence[PairFiles]:
    """Every two of the clips, either way round."""
    return [pair_of(a, b) for a, b in permutations(stimuli, 2)]


def needed(judge: Judge, files: StimulusFiles) -> Path:
    path = files.clip if judge.info.needs is Needs.CLIPS else files.positions
    assert path is not None
    return path


def with_needed(judge: Judge, files: StimulusFiles, path: Path | None) -> StimulusFiles:
    if judge.info.needs is Needs.CLIPS:
        return replace(files, clip=path)
    return replace(files, positions=path)


def with_member(pair: PairFiles, member: str, files: StimulusFiles) -> PairFiles:
    return replace(pair, a=files) if member == "a" else replace(pair, b=files)


@pytest.mark.parametrize("name", OURS)
def test_a_judge_says_what_it_is(name: str) -> None:
    info = judge_named(name).info
    assert info.name == name
    assert all(text.strip() for text in (info.version, info.title, info.reference, info.score_unit))


def test_the_same_files_give_the_same_verdict_in_whatever_order(
    judge: Judge, pairs: Sequence[PairFiles]
) -> None:
    verdicts = [judge.judge(pair) for pair in pairs]
    assert [judge.judge(pair) for pair in reversed(pairs)] == verdicts[::-1]
    fresh = judge_named(judge.info.name)
    fresh.prepare()
    assert [fresh.judge(pair) for pair in pairs] == verdicts


def test_changing_places_mirrors_the_verdict(judge: Judge, pairs: Sequence[PairFiles]) -> None:
    if not judge.info.order_invariant:
        pytest.skip(f"{judge.info.name} says that it is not order-invariant; the runner's blind order is")
    for pair in pairs:
        swapped = replace(pair, a=pair.b, b=pair.a)
        assert judge.judge(swapped) == mirrored(judge.judge(pair), judge.info)


def test_it_tells_clips_apart_that_differ_in_what_it_measures(
    judge: Judge, pairs: Sequence[PairFiles]
) -> None:
    assert {judge.judge(pair).choice for pair in pairs} >= {"a", "b"}


def test_two_clips_that_are_the_same_get_no_choice(judge: Judge, stimuli: Sequence[StimulusFiles]) -> None:
    verdict = judge.judge(pair_of(stimuli[0], stimuli[0]))
    assert verdict.choice is None
    assert verdict.score in (None, judge.info.even)


def test_the_pairs_name_decides_nothing(judge: Judge, pairs: Sequence[PairFiles]) -> None:
    assert judge.judge(replace(pairs[0], pair="a-is-human")) == judge.judge(pairs[0])


@pytest.mark.parametrize("member", ["a", "b"])
def test_a_missing_file_is_named(judge: Judge, pairs: Sequence[PairFiles], member: str) -> None:
    files = getattr(pairs[0], member)
    gone = needed(judge, files).with_name("0123abcd.gone")
    with pytest.raises(JudgeFailed, match=r"0123abcd\.gone is not there"):
        judge.judge(with_member(pairs[0], member, with_needed(judge, files, gone)))
    with pytest.raises(JudgeFailed, match="has no"):
        judge.judge(with_member(pairs[0], member, with_needed(judge, files, None)))


@pytest.mark.parametrize("damage", ["empty", "cut", "noise", "folder"])
def test_a_damaged_file_is_named(
    judge: Judge, pairs: Sequence[PairFiles], tmp_path: Path, damage: str
) -> None:
    whole = needed(judge, pairs[0].a)
    damaged = tmp_path / f"damaged{whole.suffix}"
    content = whole.read_bytes()
    if damage == "folder":
        damaged.mkdir()
    else:
        half = content[: len(content) // 2]
        cut = half[: half.rindex(b",")] if whole.suffix == ".csv" else half
        kept = {"empty": b"", "cut": cut, "noise": b"\x00\xff\x9d" * 999}
        damaged.write_bytes(kept[damage])
    with pytest.raises(JudgeFailed, match=damaged.name):
        judge.judge(replace(pairs[0], a=with_needed(judge, pairs[0].a, damaged)))


def test_files_are_left_as_they_are(judge: Judge, stimuli: Sequence[StimulusFiles], tmp_path: Path) -> None:
    copies = []
    for files in stimuli[:2]:
        assert files.clip is not None
        assert files.positions is not None
        copies.append(
            StimulusFiles(
                Path(shutil.copy2(files.clip, tmp_path)), Path(shutil.copy2(files.positions, tmp_path))
            )
        )
    before = _state_of(tmp_path)
    judge.judge(pair_of(*copies))
    assert _state_of(tmp_path) == before


def _state_of(folder: Path) -> Mapping[str, tuple[str, int]]:
    return {
        path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in folder.iterdir()
    }


def test_a_judge_is_blind_by_type() -> None:
    """No label, truth, source, condition or vote: a field that is added here has to be argued for."""
    assert {field.name for field in fields(PairFiles)} == {"pair", "question", "a", "b"}
    assert {field.name for field in fields(StimulusFiles)} == {"clip", "positions", "content", "times"}
    # How long moves took, of people and of agents alike; not whose times these are.
    assert {field.name for field in fields(Times)} == {"median_ms", "sd_ms"}


def test_verdicts_are_stamped_with_the_judges_version(judge: Judge, stimuli: Sequence[StimulusFiles]) -> None:
    at = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    pairs = [PairToJudge("nav", "p1", QUESTION, stimuli[0], stimuli[1])]
    row = run_judge(judge, pairs, lambda *_: None, lambda: at)[0]
    assert (row.judge, row.version, row.study, row.pair) == (judge.info.name, judge.info.version, "nav", "p1")
    assert (row.judged_at, row.problem) == (at, "")


def test_an_unknown_judge_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(NotFound, match=r"no judge 'oracle'; there is .*straightness.*motion"):
        judge_named("oracle")
