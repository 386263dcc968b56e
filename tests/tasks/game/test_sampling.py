"""The sampler of configurations: against table 5 of GLEE [SMR24], and what presets and files of a sample give."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from app.core.errors import StudyError
from app.tasks.game.base import GameConfig
from app.tasks.game.games import GAMES
from app.tasks.game.run import configs_of
from app.tasks.game.sampling import Sample, presets, sampled

ONLY: Mapping[str, tuple[Mapping[str, tuple[object, ...]], tuple[int, int, int]]] = {
    "glee-bargaining": ({}, (1, 20, 18)),
    "glee-negotiation": ({"rounds": (10, 30)}, (1, 11, 18)),
    "glee-persuasion": ({"buyer": ("long-living",)}, (1, 10, 8)),
}


def test_the_numbers_are_those_of_the_papers_table_for_one_role() -> None:
    """Table 5 has, over roles, 2 + 40 + 36, 2 + 22 + 36 and (with both kinds of buyer) 3 + 30 + 24."""
    for name, (only, sizes) in ONLY.items():
        config = GAMES[name].Config
        parts = [sampled(config, Sample(sample=part, only=only)) for part in ("main", "variants", "random")]
        assert tuple(map(len, parts)) == sizes, name
        whole = sampled(config, Sample(only=only))
        assert whole == [one for part in parts for one in part]
        assert len(set(whole)) == len(whole)
        assert set(whole) <= set(config.grid())


def factors_apart(one: GameConfig, other: GameConfig) -> set[tuple[str, ...]]:
    together = {name: group for group in type(one).together for name in group}
    names = [name for name in type(one).model_fields if getattr(one, name) != getattr(other, name)]
    return {together.get(name, (name,)) for name in names}


def test_variants_differ_in_one_factor_and_random_ones_in_more() -> None:
    for game in GAMES.values():
        config = game.Config
        main = config()
        assert all(len(factors_apart(main, one)) == 1 for one in sampled(config, Sample(sample="variants")))
        others = sampled(config, Sample(sample="random", random_share=1))
        assert all(len(factors_apart(main, one)) > 1 for one in others)
        variants = sampled(config, Sample(sample="main+variants"))
        assert {*variants, *others} == set(config.grid())


def test_the_seed_draws_the_random_ones_and_another_main_moves_the_variants() -> None:
    config = GAMES["glee-bargaining"].Config
    assert sampled(config, Sample(seed=4)) == sampled(config, Sample(seed=4))
    assert sampled(config, Sample(seed=4)) != sampled(config, Sample(seed=5))
    other = sampled(config, Sample(main={"money": 500}, sample="variants"))
    assert {one.money for one in other} == {500, 100, 10_000, 1_000_000}  # type: ignore[attr-defined]


def test_presets_and_samples_are_asked_for_by_name_by_pairs_and_by_file(tmp_path: Path) -> None:
    game = GAMES["glee-negotiation"]
    assert len(configs_of(game, ["human-study"])) == 30
    assert configs_of(game, ["grid"]) == list(game.Config.grid())
    assert len(configs_of(GAMES["glee-persuasion"], ["human-study"])) == 38
    (setting,) = configs_of(GAMES["wac"], ["setting-5"])
    assert (setting.personas, setting.supply_low) == (True, 15)  # type: ignore[attr-defined]
    pairs = ["main+variants+random", "only={rounds: [10, 30]}", "random_share=0.1", "messages=false"]
    by_pairs = configs_of(game, pairs)
    assert not by_pairs[0].messages  # type: ignore[attr-defined]
    (tmp_path / "sample.yaml").write_text(
        "{sample: main+variants+random, only: {rounds: [10, 30]}, random_share: 0.1, main: {messages: no}}"
    )
    assert configs_of(game, [str(tmp_path / "sample.yaml")]) == by_pairs
    assert all(grid for one in GAMES.values() for grid in presets(one.Config).values())
    for given, said in (
        (["main+variants", "random_share=2"], "random_share: "),
        (["main", "price=3"], "price: no such parameter; there are: money"),
        (["main", "only={round: [1]}"], "only: round: no such parameter"),
        (["main", "only={rounds: 10}"], "only.rounds: "),
        (["variants", "only={rounds: [ten]}"], "rounds: "),
        (["nonsense"], "presets are grid, human-study"),
    ):
        with pytest.raises(StudyError) as refused:
            configs_of(game, given)
        assert said in str(refused.value), given
