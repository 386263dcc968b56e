"""Trained copies, on paths of which it is known what tells them apart; real walkers are in bench/judges.md."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analysis.errors import AnalysisError
from analysis.learning import searching
from analysis.learning.baselines import logistic_baseline
from analysis.learning.card import together
from analysis.learning.catalogue import NETWORKS
from analysis.learning.networks import Settings, cut, score
from analysis.learning.paths import resampled
from analysis.learning.pictures import COLOURS, FRAME, Frames
from analysis.learning.searching import candidates
from analysis.learning.training import interval_of, train
from analysis.learning.weights import digest
from tests.analysis.learning.walked import examples_of, weaving

pytestmark = pytest.mark.slow

pytest.importorskip("jax", reason="the extra `train` is not installed")

QUICK = replace(
    NETWORKS["turn-speed-ff"], settings=replace(NETWORKS["turn-speed-ff"].settings, epochs=8, batch=64)
)
PLACES = replace(
    NETWORKS["sym-ff"],
    settings=replace(NETWORKS["sym-ff"].settings, rate_hz=5, epochs=60, batch=32, rate=1e-2),
)


def test_how_positions_were_logged_teaches_a_judge_nothing_unless_they_are_left_so() -> None:
    """The same walker under both labels; one is logged at 4.3 Hz."""
    rng = np.random.default_rng(5)
    examples = [
        replace(one, path=walked if one.is_human else resampled(walked, 4.3))
        for one in examples_of(15)
        for walked in [replace(weaving(rng), heading_rad=None)]
    ]
    left = train(QUICK, examples, allowed=("logging", "length", "ends"), alike=False).evaluation.pooled.pairs
    alike = train(QUICK, examples, allowed=("length", "ends"))
    assert left == 1.0
    assert 0.1 <= (alike.evaluation.pooled.pairs or 0) <= 0.9
    assert [copy.settings.step_s for copy in alike.copies] == pytest.approx([1 / 4.3] * 5)
    with pytest.raises(AnalysisError, match="How positions were logged tells the sources apart"):
        train(QUICK, examples, alike=False)


def test_a_judge_learns_what_tells_apart_and_nothing_from_labels_dealt_anew() -> None:
    examples = examples_of(15)
    steps: list[tuple[int, int]] = []
    trained = train(QUICK, examples, on_progress=lambda done, total, what: steps.append((done, total)))
    found = trained.evaluation
    assert len(trained.copies) == 5
    assert found.pooled.n_pairs == 15
    assert found.pooled.pairs == 1.0
    assert found.pooled.clips == pytest.approx(1.0, abs=0.1)
    assert found.mean == 1.0
    assert found.interval.low is None
    assert "1 known player and" in (found.interval.reason or "")
    low, high = 0.5 - 2.6 * 0.5 / 30**0.5, 0.5 + 2.6 * 0.5 / 30**0.5  # 99% of 30 coins
    assert found.null.clips is not None
    assert low < found.null.clips < high
    assert steps[-1] == (8, 8)
    for copy, of_copy in zip(trained.copies, found.copies, strict=True):
        assert len(copy.by_epoch) == 8
        assert copy.by_epoch[-1] == pytest.approx(of_copy.clips)
    again = train(QUICK, examples)
    assert digest(together([c.parameters for c in again.copies])) == digest(
        together([c.parameters for c in trained.copies])
    )
    assert logistic_baseline(examples, trained.splits, trained.tested, 1.0).pairs == pytest.approx(
        1.0, abs=0.1
    )


def test_the_interval_of_a_judge_is_for_other_players_and_versions() -> None:
    """By the formula written out: variances between players and between versions added, on the logit scale."""
    examples = examples_of(12, makers=4)
    tested = [(2 * scene, 2 * scene + 1) for scene in range(12)]
    won = np.array([1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0.0])
    found = interval_of(examples, tested, won, 1)
    by_player = np.array([(won[k::4] - won.mean()).sum() / 12 for k in range(4)])
    of_one = 4 / 3 * float(by_player @ by_player)
    # Here each player meets the version of their number: both variances are the same.
    half = stats.t.ppf(0.975, 6) * (2 * of_one) ** 0.5 / (won.mean() * (1 - won.mean()))
    middle = np.log(won.mean() / (1 - won.mean()))
    ends = 1 / (1 + np.exp(-(middle + np.array([-half, half]))))
    assert (found.low, found.high) == pytest.approx(tuple(ends))
    alike = interval_of(examples, tested, np.ones(12), 1)
    assert (alike.low, alike.high) == pytest.approx((1 / (1 + stats.norm.ppf(0.975) ** 2 / 4), 1.0))


def test_paths_at_sixty_moments_a_second_get_the_verdicts_of_those_at_thirty() -> None:
    """Recorded at 60 Hz, shown to the judge as it is, and every second moment of it."""
    examples = [replace(e, path=resampled(e.path, 60)) for e in examples_of(20, seed=3)]
    copy = train(QUICK, examples_of(10)).copies[0]
    values = [
        [score(copy.settings, copy.parameters, cut(path, copy.settings)).mean_logit for path in paths]
        for paths in (
            [e.path for e in examples],
            [replace(resampled(e.path, 30), x_m=e.path.x_m[::2], y_m=e.path.y_m[::2]) for e in examples],
        )
    ]
    fast, slow = (np.sign(np.array(found)[::2] - np.array(found)[1::2]) for found in values)
    assert (fast == slow).mean() >= 0.95


@pytest.mark.exhaustive
def test_labels_drawn_by_scene_are_chance_unless_the_splitter_forgets_scenes() -> None:
    """Near-copies of a path share a label drawn for their scene: only memory of the scene can find it."""
    rng = np.random.default_rng(8)
    examples = []
    for scene, label in enumerate(rng.permutation(np.arange(20) % 2 == 0)):
        path, base = weaving(rng), examples_of(1)[0]
        for number in range(5):
            near = replace(path, x_m=path.x_m + rng.normal(0, 0.2), y_m=path.y_m + rng.normal(0, 0.2))
            source = "human" if label else "agent"
            examples.append(
                replace(
                    base, name=f"{scene} {number}", content=f"{scene} {number}", is_human=bool(label),
                    source=source, maker=source, scene=f"scene {scene}", path=near,
                )
            )  # fmt: skip
    kept = train(PLACES, examples).evaluation.pooled.clips
    forgotten = train(PLACES, [replace(e, scene="") for e in examples], allowed=["scene"])
    assert kept is not None
    assert 0.5 - 2.6 * 0.5 / 20**0.5 < kept < 0.5 + 2.6 * 0.5 / 20**0.5  # 20 independent scenes
    assert (forgotten.evaluation.pooled.clips or 0) > 0.9
    assert forgotten.allowed == ("scene",)


def test_visual_networks_learn_from_pictures_what_tells_apart(exhaustive: bool) -> None:
    """The left half of people's pictures is brighter."""
    rng = np.random.default_rng(6)
    for name in ("bc-cnn-small", "vis-gru-small", "td-cnn-small") if exhaustive else ("bc-cnn-small",):
        known = NETWORKS[name]
        window = {"frames": min(known.settings.window, 2), "bar-code": 8}.get(known.settings.reads, 64)
        settings = replace(known.settings, window=window, epochs=2, rate=0.01)
        examples = [
            replace(e, frames=pictures_of(e.is_human, settings, rng)) if settings.sees else e
            for e in examples_of(10)
        ]
        trained = train(replace(known, settings=settings), examples)
        assert len(trained.copies) == 5
        assert trained.evaluation.pooled.n_pairs == 10
        if settings.sees:
            assert trained.evaluation.pooled.pairs_by_logit == 1.0, name
        if known.by == "mean-logit":
            assert trained.evaluation.pooled.pairs == trained.evaluation.pooled.pairs_by_logit
    with pytest.raises(
        AnalysisError, match=r"vis-ff looks through a network that was trained elsewhere: name it"
    ):
        train(NETWORKS["vis-ff"], examples_of(10))
    with pytest.raises(AnalysisError, match="human-0: there are no pictures, which this judge reads"):
        train(NETWORKS["vis-ff-small"], examples_of(10))


def pictures_of(is_human: bool, settings: Settings, rng: np.random.Generator) -> Frames:
    shape = FRAME if settings.reads == "frames" else FRAME[1:]
    values = rng.integers(100, size=(16, *shape, COLOURS), dtype=np.uint8)
    values[..., :40, :] += np.uint8(120 if is_human else 0)
    return Frames(settings.rate_hz, values)


def test_settings_are_searched_within_what_a_copy_may_train_on(
    monkeypatch: pytest.MonkeyPatch, exhaustive: bool
) -> None:
    tried = {name: {each.hidden for each in candidates(NETWORKS[name].settings)} for name in NETWORKS}
    assert tried["sym-ff"] == {0, 16, 32}
    assert tried["sym-gru"] == {16, 32}
    assert len(candidates(QUICK.settings)) == 5
    if not exhaustive:
        monkeypatch.setattr(searching, "SEARCH_DROPOUT", (0.0,))
        monkeypatch.setattr(searching, "SEARCH_HIDDEN", (0, 32))
    network = replace(QUICK, settings=replace(QUICK.settings, epochs=2))
    trained = train(network, examples_of(10), search=True)
    assert {copy.n_tried for copy in trained.copies} == {5 if exhaustive else 2}
    assert all(copy.settings.hidden in (0, 16, 32) for copy in trained.copies)


def test_what_cannot_be_trained_is_refused_in_a_sentence() -> None:
    examples = examples_of(8)
    with pytest.raises(AnalysisError, match="people and of agents are both needed"):
        train(QUICK, [example for example in examples if example.is_human])
    with pytest.raises(AnalysisError, match=r"which clips share a scene.*--allow scene trains all the same"):
        train(QUICK, [replace(example, scene="") for example in examples])

    class Enough(Exception):
        pass

    def stop(done: int, total: int, what: str) -> None:
        raise Enough

    with pytest.raises(Enough):
        train(QUICK, examples, on_progress=stop)
